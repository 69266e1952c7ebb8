import { getEventListeners } from 'node:events'
import { gzipSync } from 'node:zlib'

import { expect, it, vi } from 'vitest'

import type { ClientEvent } from '../core/events.ts'
import { type Client, createClient } from '../http/client.ts'
import type { Credential } from '../http/credential.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { type ScriptStep, scriptedTransport } from '../testing/transports.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { authorizedFetch } from './authorized-fetch.ts'

const BASE = 'https://data.example/api'

/** A fetch of a service that responds by a script. The credential counts up each time it is renewed. */
function setUp(
  steps: readonly [ScriptStep, ...ScriptStep[]],
  {
    credential = {},
    ...own
  }: { credential?: Partial<Credential> } & Partial<Parameters<typeof createClient>[0]> = {},
) {
  const transport = scriptedTransport(...steps)
  const clock = virtualClock({ autoAdvance: false })
  const events: ClientEvent[] = []
  const client: Client = createClient({
    servers: { data: BASE },
    transport,
    clock,
    observe: (event) => events.push(event),
    ...own,
  })
  let version = 1
  const fetch = authorizedFetch(client, {
    credential: {
      in: 'header',
      name: 'authorization',
      prefix: 'Bearer ',
      value: () => `token-${version}`,
      rejected: (token) => {
        expect(token).toBe(`token-${version}`)
        version += 1
        return true
      },
      ...credential,
    },
    base: BASE,
    addresses: [BASE, 'https://auth.example/v2'],
    credentialHeaders: ['authorization', 'x-api-key'],
  })
  return { fetch, transport, clock, events, client }
}

const ok = () => new Response('ok')
const denied = () => new Response('denied', { status: 401 })
const sentTokens = (transport: ReturnType<typeof scriptedTransport>) =>
  transport.requests.map(({ headers }) => headers.get('authorization'))

it('R-01: an authorized fetch appends a path to the base URL, and other origins of the service may be named', async () => {
  const { fetch, transport } = setUp([ok()])
  await fetch('/v1/a?b=c')
  await fetch('/v1/../')
  await fetch('https://data.example/elsewhere')
  await fetch(new URL('https://auth.example/v2/me'))
  expect(transport.requests.map(({ url }) => url)).toEqual([
    'https://data.example/api/v1/a?b=c',
    'https://data.example/api/',
    'https://data.example/elsewhere',
    'https://auth.example/v2/me',
  ])
  expect(new Set(sentTokens(transport))).toEqual(new Set(['Bearer token-1']))
})

it.each([
  '//data.example/v1',
  '/../v1',
  '/../apiary',
  'v1/projects',
  '',
  'http://data.example/api',
  'https://data.example:444/api',
  'https://evil.example/api',
  'https://kim@data.example/api',
  'https://:secret@data.example/api',
  'javascript:alert(1)',
])('R-10: an authorized fetch rejects the URL %j before anything is sent', async (input) => {
  const { fetch, transport } = setUp([ok()])
  await expect(fetch(input)).rejects.toMatchObject({ code: 'invalid-options', option: 'input' })
  expect(transport.requests).toEqual([])
})

it.each(['Authorization', 'X-API-Key'])(
  'R-10: an authorized fetch rejects a %s header of the caller',
  async (name) => {
    const { fetch, transport } = setUp([ok()])
    await expect(fetch('/v1', { headers: { [name]: 'mine' } })).rejects.toMatchObject({
      code: 'invalid-options',
      option: `headers.${name.toLowerCase()}`,
    })
    expect(transport.requests).toEqual([])
  },
)

it('an authorized fetch sends the headers and the method of the caller, and content codings that it can decode', async () => {
  const { fetch, transport } = setUp([ok()])
  await fetch('/v1', { method: 'DELETE', headers: { 'x-own': 'yes' } })
  await fetch('/v1', { headers: { range: 'bytes=0-1' } })
  await fetch('/v1', { headers: { 'accept-encoding': 'br' } })
  expect(transport.requests.map(({ method, headers }) => [method, headers.get('accept-encoding')])).toEqual([
    ['DELETE', 'gzip, br'],
    ['GET', 'identity'],
    ['GET', 'br'],
  ])
  expect(transport.requests[0]?.headers.get('x-own')).toBe('yes')
  expect(transport.requests[0]?.headers.get('content-type')).toBeNull()
})

it.each<[string, () => BodyInit, string | null, string]>([
  ['a string', () => 'text', 'text/plain;charset=UTF-8', 'text'],
  ['a Blob with a type', () => new Blob(['b'], { type: 'text/csv' }), 'text/csv', 'b'],
  ['a Blob without a type', () => new Blob(['b']), null, 'b'],
  ['bytes', () => new Uint8Array([104, 105]), null, 'hi'],
  [
    'a query',
    () => new URLSearchParams({ a: '1' }),
    'application/x-www-form-urlencoded;charset=UTF-8',
    'a=1',
  ],
  ['a stream', () => new Blob(['s']).stream(), null, 's'],
])('an authorized fetch sends %s with its content type', async (_what, body, contentType, text) => {
  const { fetch, transport } = setUp([ok()])
  await fetch('/v1', { method: 'POST', body: body() })
  expect(transport.requests[0]?.body).toBe(text)
  expect(transport.requests[0]?.headers.get('content-type')).toBe(contentType)
  await fetch('/v1', { method: 'POST', body: body(), headers: { 'content-type': 'text/x-own' } })
  expect(transport.requests[1]?.headers.get('content-type')).toBe('text/x-own')
})

it('an authorized fetch sends a form with its boundary', async () => {
  const { fetch, transport } = setUp([ok()])
  const form = new FormData()
  form.set('name', 'value')
  await fetch('/v1', { method: 'POST', body: form })
  const [sent] = transport.requests
  expect(sent?.headers.get('content-type')).toMatch(/^multipart\/form-data; boundary=/)
  expect(sent?.body).toContain('name="name"\r\n\r\nvalue')
})

it('an authorized fetch returns status, headers and the decoded body', async () => {
  const compressed = new Response(gzipSync('hello'), {
    status: 418,
    headers: { 'content-encoding': 'gzip', 'x-id': '7' },
  })
  const { fetch } = setUp([compressed])
  const response = await fetch('/v1')
  expect([response.status, response.headers.get('x-id'), await response.text()]).toEqual([418, '7', 'hello'])
})

it.each([
  ['GET', 204],
  ['GET', 205],
  ['GET', 304],
  ['HEAD', 200],
])('the response to %s with status %i has no body, and leaves no timer', async (method, status) => {
  const { fetch, clock } = setUp([new Response(null, { status })])
  const response = await fetch('/v1', { method })
  expect([response.status, response.body]).toEqual([status, null])
  expect(clock.timers).toBe(0)
})

it.each([
  ['a string', 'x', 'text/plain;charset=UTF-8'],
  ['a Blob', new Blob(['x'], { type: 'text/x-test' }), 'text/x-test'],
])('R-43: after a 401, %s is sent once more with a fresh credential', async (_what, body, type) => {
  const { fetch, transport, clock, events } = setUp([denied(), ok()])
  const response = await fetch('/v1', { method: 'POST', body })
  expect(await response.text()).toBe('ok')
  expect(sentTokens(transport)).toEqual(['Bearer token-1', 'Bearer token-2'])
  const sent = transport.requests.map(({ body, headers }) => [body, headers.get('content-type')])
  expect(sent).toEqual([
    ['x', type],
    ['x', type],
  ])
  expect(events).toMatchObject([
    { type: 'request', operation: 'fetch', method: 'POST', path: '*', attempt: 1, status: 401 },
    { type: 'request', operation: 'fetch', method: 'POST', path: '*', attempt: 2, status: 200 },
  ])
  expect(clock.timers).toBe(0)
})

it('R-43: a second 401 is returned', async () => {
  const { fetch, transport } = setUp([denied()])
  expect((await fetch('/v1')).status).toBe(401)
  expect(transport.requests).toHaveLength(2)
})

it.each([302, 403])(
  'R-10, R-43: a %i is returned at once, and a redirect is not followed',
  async (status) => {
    const headers = { location: 'https://evil.example/' }
    const { fetch, transport } = setUp([new Response('no', { status, headers })])
    expect((await fetch('/v1')).status).toBe(status)
    expect(transport.requests).toHaveLength(1)
  },
)

const unrepeatable: [string, Partial<Credential>, RequestInit?][] = [
  ['the credential has no fresh value', { rejected: () => false }],
  ['the credential cannot be renewed', { rejected: undefined as never }],
  ['the credential is a constant', { value: 'constant', rejected: undefined as never }],
  ['the body was a stream', {}, { method: 'POST', body: new Blob(['s']).stream() }],
]

it.each(unrepeatable)('R-43: a 401 is returned with its body if %s', async (_what, credential, init) => {
  const { fetch, transport } = setUp([denied()], { credential })
  const response = await fetch('/v1', init)
  expect([response.status, await response.text()]).toEqual([401, 'denied'])
  expect(transport.requests).toHaveLength(1)
})

it('R-43: an error while the credential is renewed is thrown, and leaves no timer', async () => {
  const lost = new Error('session lost')
  const { fetch, clock } = setUp([denied()], { credential: { rejected: () => Promise.reject(lost) } })
  await expect(fetch('/v1')).rejects.toBe(lost)
  expect(clock.timers).toBe(0)
})

const never = () => new Promise<never>(() => undefined)
const slow: [string, Partial<Credential>][] = [
  ['reading', { value: never }],
  ['renewing', { rejected: never }],
]

it.each(slow)('R-02: %s a credential takes at most `timeoutMs`', async (_what, credential) => {
  const { fetch, clock } = setUp([denied()], { credential, timeoutMs: 5_000 })
  const waiting = rejection(fetch('/v1'))
  await clock.settle()
  await clock.advance(5_000)
  expect(await waiting).toMatchObject({
    code: 'timeout',
    limitMs: 5_000,
    operation: 'GET https://data.example',
    sent: 'no',
  })
})

it.each(slow)(
  'R-03: an abort of the call or of the client ends %s a credential',
  async (_what, credential) => {
    const reason = new Error('enough')
    for (const isOfClient of [true, false]) {
      const controller = new AbortController()
      const { signal } = controller
      const options = isOfClient ? { credential, signal } : { credential }
      const { fetch, clock, transport } = setUp([denied()], options)
      const waiting = rejection(fetch('/v1', isOfClient ? {} : { signal }))
      await clock.settle()
      const before = transport.requests.length
      controller.abort(reason)
      expect(await waiting).toBe(reason)
      expect(transport.requests).toHaveLength(before)
    }
  },
)

it('R-11: an unusable credential is rejected without being quoted', async () => {
  const { fetch, transport } = setUp([ok()], { credential: { value: () => 'secret\n' } })
  const error = await rejection(fetch('/v1'))
  expect(error).toMatchObject({ code: 'invalid-options', option: 'credentials' })
  expect(String(error)).not.toContain('secret\n')
  expect(transport.requests).toEqual([])
})

it('a lost connection is a ConnectionError and an event, and is not repeated', async () => {
  const { fetch, transport, events, clock } = setUp(['lost'])
  await expect(fetch('/v1')).rejects.toMatchObject({ code: 'connection' })
  expect(transport.requests).toHaveLength(1)
  expect(events).toMatchObject([{ type: 'request', attempt: 1, failure: 'connection' }])
  expect(clock.timers).toBe(0)
})

it('R-02: a service that never responds is a time-out', async () => {
  const { fetch, clock } = setUp(['stalled'], { timeoutMs: 5_000 })
  const waiting = rejection(fetch('/v1'))
  await clock.settle()
  await clock.advance(5_000)
  expect(await waiting).toMatchObject({ code: 'timeout', limitMs: 5_000 })
  expect(clock.timers).toBe(0)
})

it('R-03: an abort of the call or of the client throws its own reason', async () => {
  const reason = new Error('enough')
  const value = vi.fn(() => 'token')
  const before = setUp([ok()], { credential: { value } })
  await expect(before.fetch('/v1', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  expect(before.transport.requests).toEqual([])
  expect(value).not.toHaveBeenCalled()
  const controller = new AbortController()
  const client = setUp(['stalled'], { signal: controller.signal })
  const waiting = client.fetch('/v1', { signal: null })
  await client.clock.settle()
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  expect(client.clock.timers).toBe(0)
})

it('R-03: an abort while the credential is read sends nothing', async () => {
  const controller = new AbortController()
  const { fetch, transport } = setUp([ok()], {
    credential: {
      value: () => {
        controller.abort(new Error('enough'))
        return 'token'
      },
    },
  })
  await expect(fetch('/v1', { signal: controller.signal })).rejects.toThrow('enough')
  expect(transport.requests).toEqual([])
})

it('an authorized fetch of a closed client rejects', async () => {
  const { fetch, client } = setUp([ok()])
  await client.close()
  await expect(fetch('/v1')).rejects.toMatchObject({ code: 'connection', sent: 'no' })
})

it('R-03: no listener stays on a signal after a response without a body', async () => {
  const { signal } = new AbortController()
  const { fetch } = setUp([new Response(null, { status: 204 }), ok()])
  await fetch('/v1', { signal })
  await fetch('/v1', { method: 'HEAD', signal })
  // The platform's own Request, which checks the arguments, keeps a listener with this name.
  expect(getEventListeners(signal, 'abort').filter(({ name }) => name !== 'abort')).toEqual([])
})

it('an authorized fetch treats a body of null as none, and leaves out headers that the connection sets itself', async () => {
  const { fetch, transport } = setUp([ok()])
  const headers = { 'content-length': '99', 'transfer-encoding': 'chunked', 'x-own': 'a' }
  await fetch('/v1', { method: 'POST', body: null, headers })
  const [sent] = transport.requests
  expect([sent?.body, sent?.headers.get('content-type')]).toEqual(['', null])
  expect(sent?.headers.get('x-own')).toBe('a')
  expect([sent?.headers.get('content-length'), sent?.headers.get('transfer-encoding')]).toEqual([null, null])
})
