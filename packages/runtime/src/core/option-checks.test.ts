import { expect, test } from 'vitest'

import { OptionsError } from './errors.ts'
import { checkOptionNames } from './option-checks.ts'

const NAMES = ['baseUrl', 'polling', 'signal', 'timeoutMs', 'id']

function refusal(options: unknown, of = 'options'): OptionsError | undefined {
  try {
    checkOptionNames(options, NAMES, of)
    return undefined
  } catch (error) {
    return error as OptionsError
  }
}

test('options that are known are taken, and none are, too', () => {
  expect(refusal({ baseUrl: 'a', signal: undefined })).toBeUndefined()
  expect(refusal({})).toBeUndefined()
})

test.each([
  ['singal', 'signal'],
  ['timeout', 'timeoutMs'],
  ['baseURL', 'baseUrl'],
  ['pollin', 'polling'],
])('%s is refused, and %s is asked for', (given, meant) => {
  const error = refusal({ [given]: 1 })
  expect(error).toBeInstanceOf(OptionsError)
  expect(error).toMatchObject({ option: given })
  expect(error?.remedy).toBe(`Did you mean ${meant}? Known are: ${NAMES.join(', ')}.`)
})

test.each(['x', 'url', 'retries'])('nothing is asked for where no name is near: %s', (given) => {
  expect(refusal({ [given]: 1 })?.remedy).toBe(`Known are: ${NAMES.join(', ')}.`)
})

test('the name of a nested option has its whole path', () => {
  expect(refusal({ intervalMs: 1 }, 'polling.job')).toMatchObject({ option: 'polling.job.intervalMs' })
})

test.each([null, undefined, 5, 'text'])('%s is no object of options', (given) => {
  expect(refusal(given)).toMatchObject({ option: 'options', remedy: 'Give an object of options.' })
})
