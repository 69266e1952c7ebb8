import { expect, it } from 'vitest'

import { authorizeDevice } from './device-flow/authorize-device.ts'
import { createClient } from './http/client.ts'
import { bearerCredential } from './http/credential.ts'
import { download, readText } from './http/download.ts'
import { fetchTransport } from './http/fetch-transport.ts'
import { json, rejection } from './http/test-support/fixtures.ts'
import { nodeSocketFactory, nodeTransport } from './node/index.ts'
import { authorizedFetch, memoryTokenStore, passwordSession, TokenSession } from './session/index.ts'
import { fileTokenStore } from './session/node/index.ts'
import { memoryTransport } from './testing/transports.ts'

let sent = 0
const transport = memoryTransport(() => {
  sent++
  return json({})
})
const servers = { api: 'https://api.test' }
const client = createClient({ servers, transport })
const url = 'https://files.test/a'
const path = '/no/such/folder/a'
const source = { store: memoryTokenStore(), refresh: async () => ({ accessToken: 'a' }) }
const flow = { tokenUrl: 'https://id.test/token' }
const user = { clientId: 'app', store: memoryTokenStore(), username: 'kim', password: 'pass' }
const functions = {
  requestCode: async () => {
    sent++
    throw new Error('sent')
  },
  pollToken: async () => ({ error: null, key: 'k' }),
  onPrompt() {},
  save() {},
}

/** Mistakes that only callers without types can make. */
const untyped = <T = never>(value: unknown): T => value as T
const of = (own: object): ReturnType<typeof createClient> => createClient(untyped({ servers, ...own }))
const at = (api: string): ReturnType<typeof createClient> => of({ servers: { api } })
const device = (own: object): unknown => authorizeDevice(untyped({ ...functions, ...own }))
const key = { in: 'header', name: 'x-key', value: 'v' }

it.each<[string, () => unknown, string]>([
  ['no servers', () => of({ servers: {} }), '`servers` is missing'],
  ['a base URL without a scheme', () => at('service.test'), '`servers.api` is not an absolute'],
  ['the base URL of another host', () => at('//service.test'), '`servers.api` is not an absolute'],
  ['a base URL with a query', () => at('http://service.test/?a=1'), '`servers.api` has a query'],
  ['a base URL with a fragment', () => at('http://service.test/#a'), '`servers.api` has a query'],
  ['a base URL with a password', () => at('http://u:p@service.test'), '`servers.api` contains a user name'],
  ['an unknown name', () => of({ timeout: 3 }), 'Unknown option `timeout`'],
  ['a time-out as a string', () => of({ timeoutMs: '3' }), '`timeoutMs` must be a number'],
  ['a deadline without a unit', () => of({ deadline: '5' }), '`deadline` is not a duration'],
  ['an unknown mode', () => of({ validate: 'strict' }), '`validate` must be one of'],
  ['an unknown retry option', () => of({ retry: { attempts: 3 } }), 'Unknown option `retry.attempts`'],
  ['a transport that is a function', () => of({ transport: () => undefined }), '`transport` must be'],
  ['a transport without `send`', () => of({ transport: {} }), '`transport` must be'],
  ['a transport that is null', () => of({ transport: null }), '`transport` must be'],
  [
    'a rate limit without `acquire`',
    () => of({ rateLimit: {} }),
    '`rateLimit` must be an object with acquire()',
  ],
  ['a header with a space', () => of({ headers: { 'bad name': 'x' } }), '`headers.bad name` is not a valid'],
  ['quota headers that are a list', () => of({ quotaHeaders: ['x-left'] }), '`quotaHeaders` must be'],
  ['quota headers that are a string', () => of({ quotaHeaders: 'x-left' }), '`quotaHeaders` must be'],
  ['a quota header that is a number', () => of({ quotaHeaders: { left: 1 } }), '`quotaHeaders.left` is not'],
  [
    'a key with a line end',
    () => of({ credentials: { key: { ...key, value: 'v\n' } } }),
    '`credentials.key`',
  ],
  ['an empty key', () => of({ credentials: { key: { ...key, value: '' } } }), '`credentials.key`'],
  ['headers that are a string', () => of({ headers: 'x' }), '`headers` must be an object'],
  ['credentials that are a list', () => of({ credentials: [key] }), '`credentials` must be an object'],
  [
    'a credential without a name',
    () => of({ credentials: { a: { ...key, name: undefined } } }),
    '`credentials.a` does not define how to send the credential',
  ],
  ['a clock that is a date', () => of({ clock: new Date() }), '`clock` must be an object with now()'],
  ['a signal of a download', () => download(client, url, path, { signal: untyped({}) }), '`signal` must be'],
  ['progress of a download', () => readText(client, url, { onProgress: untyped(1) }), '`onProgress` must be'],
  ['a size with a unit', () => readText(client, url, { maxBytes: untyped('5MB') }), '`maxBytes` must be'],
  [
    'a deadline of a download',
    () => download(client, url, path, { deadline: untyped('soon') }),
    '`deadline` is',
  ],
  ['no options of a device', () => authorizeDevice(untyped(undefined)), '`requestCode` must be a function'],
  ['a misspelled option of a device', () => device({ onUpdates() {} }), 'Did you mean `onUpdate`?'],
  ['an observer of a device', () => device({ onUpdate: 1 }), '`onUpdate` must be a function'],
  [
    'a signal of a device',
    () => device({ signal: new AbortController() }),
    '`signal` must be an AbortSignal',
  ],
  ['a clock of a device', () => device({ clock: 5 }), '`clock` must be an object'],
  ['no store', () => TokenSession.resume(untyped({ ...source, store: undefined })), '`store` must be'],
  [
    'no refresh',
    () => TokenSession.begin(untyped({ store: source.store }), { accessToken: 'a' }, 0),
    '`refresh`',
  ],
  [
    'a fetch as the transport of a sign-in',
    () => passwordSession(flow, { ...user, transport: untyped(fetch) }),
    '`transport` must be an object with send()',
  ],
  [
    'a string for a list of addresses',
    () =>
      authorizedFetch(client, {
        credential: bearerCredential('abc'),
        base: url,
        addresses: untyped(url),
        credentialHeaders: [],
      }),
    '`addresses` must be an array',
  ],
  ['a fetch that is a URL', () => fetchTransport(untyped({ fetch: url })), '`fetch` must be a function'],
  ['a proxy by its URL', () => nodeTransport(untyped({ proxy: url })), 'Unknown option `proxy`'],
  ['no connections', () => nodeTransport({ connections: 0 }), '`connections` must be a whole number'],
  ['a dispatcher that is a URL', () => nodeTransport({ dispatcher: untyped(url) }), '`dispatcher` must be'],
  ['an agent that is a URL', () => nodeSocketFactory({ agent: untyped(url) }), '`agent` must be an object'],
  ['a clock of a file', () => fileTokenStore(path, { clock: untyped(1) }), '`clock` must be an object'],
])('rejects %s with what to do, before anything is sent', async (_, use, message) => {
  const error = await rejection((async () => use())())
  expect(error).toMatchObject({ code: 'invalid-options' })
  expect(String(error)).toContain(message)
  expect(sent).toBe(0)
})
