import * as fc from 'fast-check'
import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { OptionsError } from '../core/errors.ts'
import {
  apiKeyCredential,
  BASIC,
  basicCredential,
  bearerCredential,
  type Credential,
  partsOf,
  secretCredential,
  type SecretSource,
  tokenCredential,
} from './credential.ts'
import { clientFor } from './test-support/clients.ts'
import { json, listItems, rejection } from './test-support/fixtures.ts'

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
        typeof value === 'string' ? message : /did not return a string/,
      )
      await expect(read(credential)).rejects.toBeInstanceOf(OptionsError)
    }
  },
)

it('R-40: rejects a header name that cannot be sent, and does not blame the secret', () => {
  expect(() => apiKeyCredential('my-secret', 'x key')).toThrow(
    "`apiKey` cannot be sent: the name 'x key' is not a valid header name. Pass the name of another header.",
  )
})

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

it('RFC 7617: encodes Basic credentials in UTF-8', async () => {
  // The examples of RFC 7617, sections 2 and 2.1.
  expect(basicCredential({ username: 'Aladdin', password: 'open sesame' }).value).toBe(
    'QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
  )
  expect(basicCredential({ username: 'test', password: '123\u00A3' }).value).toBe('dGVzdDoxMjPCow==')
  const credential = basicCredential({ username: 'key', password: '' })
  const client = clientFor((request) => json({ authorization: request.headers.get('authorization') }), {
    credentials: { key: credential },
  })
  expect(await client.send(listItems, {})).toMatchObject({ authorization: 'Basic a2V5Og==' })
})

it('RFC 7617: rejects a colon in the user name, and control characters in either part', () => {
  for (const [username, password, option] of [
    ['a:b', 'secret', 'basic.username'],
    ['a\n', 'secret', 'basic.username'],
    ['a', 'sec\u0000ret', 'basic.password'],
    ['a', 'sec\u0085ret', 'basic.password'],
    ['a', undefined, 'basic.password'],
    [undefined, 'secret', 'basic.username'],
  ] as const) {
    const make = () => basicCredential({ username, password } as never)
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-options', option }))
    expect(make).not.toThrow(/sec/)
  }
  expect(() => basicCredential(undefined)).toThrow(/`basic.username` is missing/)
  expect(basicCredential({ username: 'a', password: 'b:c' }).value).toBe(btoa('a:b:c'))
})

it('R-43: reads the password of a Basic credential each time, and passes a rejected password on to its store', async () => {
  let password = 'old p\u00E4ss'
  const rejected: string[] = []
  const credential = basicCredential({
    username: 'u',
    password: {
      get: async () => password,
      rejected: (value) => {
        rejected.push(value)
        password = 'new pass'
        return true
      },
    },
  })
  expect(await credential.rejected?.(await read(credential))).toBe(true)
  expect(rejected).toEqual(['old p\u00E4ss'])
  expect(atob(await read(credential))).toBe('u:new pass')
})

it('R-43: a 401 is final if the source of the credential cannot be renewed', async () => {
  const store = { get: () => 'abcd', rejected: () => undefined as never }
  for (const credential of [
    basicCredential({ username: 'u', password: () => 'abcd' }),
    basicCredential({ username: 'u', password: { get: () => 'abcd' } }),
    secretCredential(store, { name: 'X-Key' }, 'apiKey'),
  ]) {
    let calls = 0
    const client = clientFor(() => json(++calls, { status: 401 }), { credentials: { key: credential } })
    expect(await rejection(client.send(listItems, {}))).toMatchObject({ name: 'AuthenticationError' })
    expect(calls).toBe(1)
  }
})

it('R-11: shows neither the password of a Basic credential nor its encoding', async () => {
  const made = basicCredential({ username: 'user', password: 'hidden-password' })
  // A caller can also write one by hand.
  const { value } = made as { value: string }
  for (const credential of [
    made,
    { in: 'header', name: 'authorization', prefix: 'Basic ', value } as const,
  ]) {
    const client = clientFor(() => json({ detail: `hidden-password and ${value}` }, { status: 403 }), {
      credentials: { key: credential },
      explain: (body) => JSON.stringify(body),
    })
    const error = await rejection(client.send(listItems, {}))
    expect((error as Error).message).toContain('[redacted] and [redacted]')
    expect(inspect(client, { depth: 9, showHidden: true })).not.toMatch(/hidden|dXNlcj/)
  }
  expect(inspect(made, { depth: 9, showHidden: true })).not.toMatch(/hidden|dXNlcj/)
  const shown = '{"in":"header","name":"authorization","prefix":"Basic ","value":"[redacted]"}'
  expect([JSON.stringify(made), inspect(made)]).toEqual([shown, `Credential ${shown}`])
})

it.each([
  [BASIC, btoa('user:pass:word'), ['pass:word']],
  [BASIC, 'not base64!', []],
  ['Bearer ', btoa('user:password'), []],
])(
  'R-11: a credential with the prefix "%s" and the value %s has the secrets %j inside',
  (prefix, value, expected) => {
    expect(partsOf({ prefix }, value)).toEqual(expected)
  },
)
