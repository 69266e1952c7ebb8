import { expect, it } from 'vitest'
import { OptionsError } from './errors.ts'
import { checkOptionNames, type OptionNames } from './option-checks.ts'

interface Options {
  baseUrl?: string
  polling?: object
  signal?: AbortSignal
  timeoutMs?: number
  id?: string
}

const NAMES: OptionNames<Options> = { baseUrl: true, polling: true, signal: true, timeoutMs: true, id: true }
const VALID = 'Valid options: `baseUrl`, `polling`, `signal`, `timeoutMs`, `id`.'

function denial(options: unknown, of = 'options'): OptionsError | undefined {
  try {
    checkOptionNames(options, NAMES, of)
    return undefined
  } catch (error) {
    return error as OptionsError
  }
}

it('accepts known option names, and no options', () => {
  expect(denial({ baseUrl: 'a', signal: undefined })).toBeUndefined()
  expect(denial({})).toBeUndefined()
})

it.each([
  ['singal', 'signal'],
  ['timeout', 'timeoutMs'],
  ['baseURL', 'baseUrl'],
  ['pollin', 'polling'],
])('rejects `%s` and suggests `%s`', (given, meant) => {
  const error = denial({ [given]: 1 })
  expect(error).toBeInstanceOf(OptionsError)
  expect(error).toMatchObject({ option: given })
  expect(error?.message).toBe(`Unknown option \`${given}\`. Did you mean \`${meant}\`? ${VALID}`)
})

it('suggests the closest of several names', () => {
  const names = { store: true, scopes: true, scoped: true } as const
  expect(() => checkOptionNames({ scope: 1 }, names, 'options')).toThrow('Did you mean `scopes`?')
})

it.each(['x', 'url', 'retries'])(
  'suggests nothing for %s, which is not close to any option name',
  (given) => {
    expect(denial({ [given]: 1 })?.remedy).toBe(VALID)
  },
)

it('names a nested option by its whole path', () => {
  expect(denial({ intervalMs: 1 }, 'polling.job')).toMatchObject({ option: 'polling.job.intervalMs' })
})

it.each([null, undefined, 5, 'text'])('rejects %s in place of an options object', (given) => {
  expect(denial(given)?.message).toBe(`The options must be an object. ${VALID}`)
})

it('the compiler reports an option list that misses a name or has an extra one', () => {
  // @ts-expect-error id is missing
  const short: OptionNames<Options> = { baseUrl: true, polling: true, signal: true, timeoutMs: true }
  // @ts-expect-error retries is not an option
  const long: OptionNames<Options> = { ...NAMES, retries: true }
  expect([short, long]).toHaveLength(2)
})
