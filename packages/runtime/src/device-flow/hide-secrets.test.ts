import { expect, it } from 'vitest'

import { DeviceAuthorizationError } from './errors.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { CODE as SECRET, device } from './test-support/device.ts'

const symbol = Symbol(SECRET)
const denied = () => {
  throw new Error('no')
}

/** Returns the error of an authorization whose poll throws this. */
const thrown = (error: unknown): Promise<unknown> =>
  rejection(
    device(() => {
      throw error
    }).run(),
  )

it('R-44: an error without a secret is passed on unchanged', async () => {
  const cycle: { self?: unknown } = {}
  cycle.self = cycle
  const plain = Object.assign(new Error('reset'), {
    cycle,
    list: [1, null, undefined, () => 'x'],
    map: new Map([['a', new Set(['b'])]]),
  })
  expect(await thrown(plain)).toBe(plain)
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
  ['a thrown value that is not an error, whatever it says', () => 'reset'],
  ['a property that cannot be read', () => Object.defineProperty(new Error('x'), 'request', { get: denied })],
])('R-44: an error with a secret in %s is replaced', async (_where, make) => {
  const hidden = await thrown(make())
  expect(hidden).toBeInstanceOf(DeviceAuthorizationError)
  expect(hidden).toMatchObject({ code: 'authorization-failed', keyMayBeLost: false })
})

it('R-44: the replacement of an error with a secret has a scrubbed copy as its cause', async () => {
  const { cause } = (await thrown(new Error(`the response to ${SECRET}`))) as Error
  expect(cause).toMatchObject({ message: 'the response to [redacted]' })
})

it('R-44: the search for secrets in an error goes nine levels deep, and anything deeper counts as a secret', async () => {
  const nested = (levels: number): Error => {
    let inner: object = {}
    for (let level = 1; level < levels; level++) inner = { inner }
    return Object.assign(new Error('x'), { inner })
  }
  const allowed = nested(8)
  expect(await thrown(allowed)).toBe(allowed)
  expect(await thrown(nested(9))).toBeInstanceOf(DeviceAuthorizationError)
})
