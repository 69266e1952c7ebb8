import { expect, it } from 'vitest'

import { createScrub } from '../core/redact.ts'
import { DeviceAuthorizationError } from './errors.ts'
import { hideSecrets } from './run.ts'

const SECRET = 'device-code-7d1e0b62'
const scrub = createScrub([SECRET])
const symbol = Symbol(SECRET)

it('R-44: an error without a secret is passed on unchanged', () => {
  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  const plain = Object.assign(new Error('reset'), {
    cycle,
    list: [1, null, undefined, () => 'x'],
    map: new Map([['a', new Set(['b'])]]),
  })
  expect(hideSecrets(plain, scrub)).toBe(plain)
})

it.each<[string, () => unknown]>([
  ['its message', () => new Error(`the response to ${SECRET}`)],
  ['its cause', () => new Error('x', { cause: { text: SECRET } })],
  ['a property', () => Object.assign(new Error('x'), { request: SECRET })],
  ['the name of a property', () => Object.assign(new Error('x'), { [SECRET]: 1 })],
  ['a symbol', () => Object.assign(new Error('x'), { [symbol]: 1 })],
  ['a list', () => Object.assign(new Error('x'), { list: [1, [SECRET]] })],
  ['a key of a Map', () => Object.assign(new Error('x'), { map: new Map([[SECRET, 1]]) })],
  ['a value of a Map', () => Object.assign(new Error('x'), { map: new Map([[1, SECRET]]) })],
  ['a Set', () => Object.assign(new Error('x'), { set: new Set([SECRET]) })],
  [
    'a property of a function',
    () => Object.assign(new Error('x'), { f: Object.assign(() => 1, { SECRET }) }),
  ],
  ['a thrown string', () => SECRET],
  ['a thrown object', () => ({ text: SECRET })],
])('R-44: an error with a secret in %s is replaced', (_where, make) => {
  const hidden = hideSecrets(make(), scrub)
  expect(hidden).toBeInstanceOf(DeviceAuthorizationError)
  expect(hidden).toMatchObject({ code: 'authorization-failed', keyMayBeLost: false })
})

it('R-44: the replacement has a scrubbed copy as its cause', () => {
  const { cause } = hideSecrets(new Error(`the response to ${SECRET}`), scrub) as Error
  expect(cause).toMatchObject({ message: 'the response to [redacted]' })
})

it('R-44: a thrown value that is not an error is replaced even without a secret', () => {
  expect(hideSecrets('reset', scrub)).toBeInstanceOf(DeviceAuthorizationError)
})

it('R-44: a property that cannot be read counts as a secret', () => {
  const error = Object.defineProperty(new Error('x'), 'request', {
    get() {
      throw new Error('no')
    },
  })
  expect(hideSecrets(error, scrub)).toBeInstanceOf(DeviceAuthorizationError)
})

it('R-44: the search goes nine levels deep, and anything deeper counts as a secret', () => {
  const nested = (levels: number): Error => {
    let inner: object = {}
    for (let level = 1; level < levels; level++) inner = { inner }
    return Object.assign(new Error('x'), { inner })
  }
  const allowed = nested(8)
  expect(hideSecrets(allowed, scrub)).toBe(allowed)
  expect(hideSecrets(nested(9), scrub)).toBeInstanceOf(DeviceAuthorizationError)
})
