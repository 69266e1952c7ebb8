import * as fc from 'fast-check'
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { OptionsError } from '../core/errors.ts'
import {
  apiKeyCredential,
  bearerCredential,
  type Credential,
  type SecretSource,
  tokenCredential,
} from './credential.ts'

const read = async ({ value }: Credential) => (typeof value === 'function' ? value() : value)

it('R-40: each scheme defines its header and the prefix of the secret', () => {
  expect(apiKeyCredential('k', 'X-API-Key')).toMatchObject({ in: 'header', name: 'X-API-Key' })
  expect('prefix' in apiKeyCredential('k', 'X-API-Key')).toBe(false)
  expect(bearerCredential('k')).toMatchObject({ in: 'header', name: 'authorization', prefix: 'Bearer ' })
  expect(tokenCredential('k')).toMatchObject({ in: 'header', name: 'authorization', prefix: 'Token ' })
})

it('R-40: a secret can be a value, a function or a store', async () => {
  class Store {
    readonly #key = 'from a store'
    get() {
      return this.#key
    }
  }
  expect(apiKeyCredential('plain', 'X-API-Key').value).toBe('plain')
  expect(await read(bearerCredential(() => 'computed'))).toBe('computed')
  expect(await read(bearerCredential(async () => 'later'))).toBe('later')
  expect(await read(tokenCredential(new Store()))).toBe('from a store')
})

it('R-40: functions and stores are called for every request', async () => {
  let count = 0
  const credential = bearerCredential(() => `secret-${++count}`)
  expect(count).toBe(0)
  expect([await read(credential), await read(credential)]).toEqual(['secret-1', 'secret-2'])
})

const unusable: [string, unknown, RegExp][] = [
  ['missing', undefined, /is missing/],
  ['null', null, /is missing/],
  ['a number', 7, /must be a string/],
  ['empty', '', /is empty/],
  ['with a line end', 'my-secret\n', /contains a line end/],
  ['with a header after it', 'my-secret\r\nX-Other: 1', /contains a line end/],
  ['with white space around it', ' my-secret', /white space/],
  ['with its scheme', 'bearer my-secret', /begins with 'Bearer'/],
  ['with a character that no header can hold', 'my-secret\u{1f511}', /is not allowed in the header/],
  ['with a control character', 'my-\u0000secret', /is not allowed in the header/],
]

it.each(unusable)('R-40: rejects a secret %s at once if it is a value', (_name, value, message) => {
  const make = () => bearerCredential(value as SecretSource, 'apiSecret')
  expect(make).toThrow(OptionsError)
  expect(make).toThrow(message)
  expect(make).toThrow(expect.objectContaining({ option: 'apiSecret' }))
  expect(make).not.toThrow(/my-secret/)
})

it.each(unusable)(
  'R-40: rejects a secret %s when it is read from a function or a store',
  async (_name, value, message) => {
    for (const source of [() => value, async () => value, { get: () => value }]) {
      const credential = bearerCredential(source as SecretSource, 'apiSecret')
      await expect(read(credential)).rejects.toThrow(
        typeof value === 'string' ? message : /returned no string/,
      )
      await expect(read(credential)).rejects.toBeInstanceOf(OptionsError)
    }
  },
)

it('R-40: rejects an object that is not a store', () => {
  expect(() => apiKeyCredential({} as SecretSource, 'X-API-Key')).toThrow(/must be a string/)
})

it('R-11: inspecting a credential shows everything but the secret', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[!-~]{8,40}$/), (secret) => {
      fc.pre(!/^(bearer|token)/i.test(secret))
      for (const credential of [
        apiKeyCredential(secret, 'X-API-Key'),
        bearerCredential(secret),
        tokenCredential(secret),
      ]) {
        const shown = [
          inspect(credential, { showHidden: true, getters: true, depth: 9 }),
          inspect(credential, { customInspect: false, showHidden: true, depth: 9 }),
          JSON.stringify(credential),
          String(credential),
          JSON.stringify({ ...credential }),
        ].join('\n')
        expect(shown).not.toContain(secret)
        expect(shown).toContain(credential.name)
      }
    }),
  )
})
