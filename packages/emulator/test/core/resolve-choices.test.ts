import { expect, it } from 'vitest'

import {
  eachOf,
  groupOf,
  usedChoiceNames,
  trackUsedChoices,
  oneOf,
  resolveChoices,
  SCHEMAS,
  type ChoiceDefinition,
  type ChoiceOverrides,
} from '../../src/core/choices.ts'
import { ChoiceError, EmulatorOptionsError } from '../../src/core/errors.ts'

interface Choices {
  delayMs: number
  mode: 'open' | 'closed'
  statuses: Readonly<Record<'gone' | 'late', number>>
  names: readonly string[]
  wording: { gone(name: string): string }
  statusOf(name: string): number
  read(name: string): string | Promise<string>
}

const definition: ChoiceDefinition<Choices> = {
  service: 'harbor',
  defaults: {
    delayMs: 1,
    mode: 'open',
    statuses: { gone: 410, late: 408 },
    names: [],
    wording: { gone: (name) => `${name} is gone` },
    statusOf: () => 200,
    read: (name) => name,
  },
  schemas: {
    delayMs: SCHEMAS.amount,
    mode: oneOf('open', 'closed'),
    statuses: eachOf(SCHEMAS.status),
    names: { type: 'array', items: SCHEMAS.text },
    wording: groupOf({}),
    statusOf: SCHEMAS.status,
    read: SCHEMAS.text,
  },
  awaited: ['read'],
}
const resolve = (overrides: object) => resolveChoices(definition, overrides as ChoiceOverrides<Choices>)
const catchError = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

it.each([
  [{ delayMs: 'soon' }, 'The choice `delayMs` of `harbor` is invalid: delayMs must be number'],
  [{ delayMs: null }, 'delayMs must be number'],
  [{ delayMs: -1 }, 'delayMs must be >= 0'],
  [
    { mode: 'serve' },
    'The choice `mode` of `harbor` is invalid: mode must be equal to one of the allowed values',
  ],
  [{ names: 'PENDING' }, 'names must be array'],
  [{ statuses: { gone: 'yes' } }, 'statuses/gone must be integer'],
  [{ statuses: { gone: 42 } }, 'statuses/gone must be >= 200'],
  [
    { statuses: { lost: 404 } },
    'Unknown member `lost` of the choice `statuses` of `harbor`. Valid members: gone, late.',
  ],
  [{ statuses: 404 }, 'The choice `statuses` of `harbor` must be an object'],
  [{ wording: { gone: 'text' } }, 'The choice `wording.gone` of `harbor` must be a function'],
  [{ statusOf: 200 }, 'The choice `statusOf` of `harbor` must be a function'],
  [{ delayMS: 5 }, 'Unknown choice `delayMS` of `harbor`. Did you mean `delayMs`?'],
])('the choice in %j is rejected by name', (overrides, message) => {
  const error = catchError(() => resolve(overrides))
  expect(error).toBeInstanceOf(EmulatorOptionsError)
  expect(String(error)).toContain(message)
})

it("members and choices that aren't given keep their defaults, and an amount may be Infinity", () => {
  const { statuses, delayMs, mode } = resolve({
    statuses: { late: 425, gone: undefined },
    delayMs: Infinity,
    mode: undefined,
  })
  expect({ statuses, delayMs, mode }).toEqual({
    statuses: { gone: 410, late: 425 },
    delayMs: Infinity,
    mode: 'open',
  })
})

const boom = (): never => {
  throw new TypeError('boom')
}

it('a choice that throws leads to an error with the choice, the cause and its stack', () => {
  const error = catchError(() => resolve({ statusOf: boom }).statusOf('quay')) as ChoiceError
  expect(error).toBeInstanceOf(ChoiceError)
  expect(error.message).toBe('The choice `statusOf` of `harbor` threw an error: boom')
  expect((error.cause as Error).stack).toContain('choices.test.ts')
  expect(error.at('getQuay').message).toBe(
    'During `getQuay`, the choice `statusOf` of `harbor` threw an error: boom',
  )
  const worded = catchError(() => resolve({ wording: { gone: boom } }).wording.gone('quay'))
  expect(String(worded)).toContain('The choice `wording.gone` of `harbor` threw an error')
})

it('a choice that returns an invalid value leads to an error with the choice and the reason', () => {
  expect(() => resolve({ statusOf: () => 'yes' }).statusOf('quay')).toThrow(
    'The choice `statusOf` of `harbor` returned an invalid value (statusOf must be integer)',
  )
})

it('a choice may return a promise only if it is awaited', async () => {
  const choices = resolve({ read: async (name: string) => `read ${name}`, statusOf: async () => 200 })
  expect(await choices.read('quay')).toBe('read quay')
  expect(() => choices.statusOf('quay')).toThrow('The choice `statusOf` of `harbor` returned a promise')
  await expect(resolve({ read: async () => boom() }).read('quay')).rejects.toThrow(
    'The choice `read` of `harbor` threw an error: boom',
  )
  await expect(resolve({ read: async () => 5 }).read('quay')).rejects.toThrow('read must be string')
})

it('the overridden choices that work uses are recorded', async () => {
  const choices = resolve({ read: async () => 'read', delayMs: 5 })
  const noted = await trackUsedChoices(async () => {
    expect([choices.delayMs, choices.mode, await choices.read('quay')]).toEqual([5, 'open', 'read'])
    return usedChoiceNames()
  })
  expect(noted).toEqual(['delayMs', 'read'])
  expect(usedChoiceNames()).toEqual([])
})
