import { memoryTransport, virtualClock } from '@concord/runtime/testing'
import { expect, it, vi } from 'vitest'

import { memoryStore, OptionsError, StorageAuth } from '../src/index.ts'
import { HOUR, MINUTE, offline, WHO_AM_I } from './support.ts'

const elsewhere: [string, string][] = [
  ['another host', 'http://evil.test/v1/projects'],
  ['another host without a scheme', '//evil.test/v1/projects'],
  ['another scheme', 'https://storage-auth.emulator.test/'],
  ['another port', 'http://emulator.test:81/'],
  ['a path outside the prefix', '/../../v1/projects'],
  ['a user name in the URL', 'http://kim@emulator.test/'],
  ['a path without a slash', 'v1/projects'],
  ['an empty string', ''],
  ['a script', 'javascript:alert(1)'],
]

it.each(elsewhere)('R-10: the credential does not go to %s', async (_what, template) => {
  const { storage, login, sent, emulator } = await offline()
  const session = await storage.signIn(login)
  const url = template.replace('emulator.test', new URL(emulator.storageAuth.dataUrl).host)
  await expect(session.fetch(url)).rejects.toBeInstanceOf(OptionsError)
  expect(sent).toHaveLength(1)
})

it('R-10: a request with its own credential is rejected', async () => {
  const { storage, login, sent } = await offline()
  const session = await storage.signIn(login)
  for (const name of ['Authorization', 'x-api-key', 'X-API-Key']) {
    await expect(session.fetch('/v1/x', { headers: { [name]: 'mine' } })).rejects.toThrow(
      /session sets the header/,
    )
  }
  expect(sent).toHaveLength(1)
})

it('R-10: a redirect is returned unchanged, and not followed', async () => {
  const { login } = await offline()
  const requested: string[] = []
  await using storage = new StorageAuth({
    authUrl: 'http://auth.test',
    dataUrl: 'http://data.test',
    transport: memoryTransport((request) => {
      requested.push(request.url)
      if (request.url.endsWith('/auth/token'))
        return Response.json({ access_token: 'a', refresh_token: 'b', expires_in: 3600, user: {} })
      return new Response(null, { status: 302, headers: { location: 'http://evil.test/' } })
    }),
  })
  const session = await storage.signIn(login)
  const response = await session.fetch('/v1/moved')
  expect(response.status).toBe(302)
  expect(requested).toEqual(['http://auth.test/auth/token', 'http://data.test/v1/moved'])
})

it('fetch sends the same bodies as the global fetch: strings, forms, bytes, Blobs and streams', async () => {
  const seen: [string, string | null, string][] = []
  let deny = 0
  let issued = 0
  const { login } = await offline()
  await using storage = new StorageAuth({
    authUrl: 'http://auth.test',
    dataUrl: 'http://data.test/p',
    transport: memoryTransport(async (request) => {
      if (request.url.includes('/auth/token'))
        return Response.json({
          access_token: `a${++issued}`,
          refresh_token: `b${issued}`,
          expires_in: 3600,
          user: {},
        })
      seen.push([request.method, request.headers.get('content-type'), await request.text()])
      return new Response(null, { status: deny-- > 0 ? 401 : 204 })
    }),
  })
  const session = await storage.signIn(login)
  const put = (body: BodyInit, headers = {}) => session.fetch('/v1/x', { method: 'PUT', body, headers })
  await put('text')
  await put(new URLSearchParams({ a: '1' }))
  await put(new Uint8Array([104, 105]), { 'content-type': 'application/x-own' })
  await put(new Blob(['blob'], { type: 'text/csv' }))
  const form = new FormData()
  form.set('name', 'value')
  await put(form)
  await put(new Blob(['streamed']).stream(), { 'content-type': 'text/x-stream' })
  expect(seen.slice(0, 4)).toEqual([
    ['PUT', 'text/plain;charset=UTF-8', 'text'],
    ['PUT', 'application/x-www-form-urlencoded;charset=UTF-8', 'a=1'],
    ['PUT', 'application/x-own', 'hi'],
    ['PUT', 'text/csv', 'blob'],
  ])
  expect(seen[4]?.[1]).toMatch(/^multipart\/form-data; boundary=/)
  expect(seen[4]?.[2]).toContain('name="name"\r\n\r\nvalue')
  expect(seen[5]).toEqual(['PUT', 'text/x-stream', 'streamed'])
  // After a 401, a body is sent again if it can be read again; a stream can't.
  seen.length = 0
  deny = 1
  expect((await put(new Blob(['again']))).status).toBe(204)
  expect(seen.map(([, , body]) => body)).toEqual(['again', 'again'])
  deny = 1
  expect((await put(new Blob(['once']).stream())).status).toBe(401)
})

it('R-03: an abort ends a fetch, even while its body is being read', async () => {
  const { storage, login } = await offline()
  const session = await storage.signIn(login)
  const reason = new Error('enough')
  await expect(session.fetch(WHO_AM_I, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  const controller = new AbortController()
  const response = await session.fetch(WHO_AM_I, { signal: controller.signal })
  controller.abort(reason)
  await expect(response.text()).rejects.toBe(reason)
})

it('R-03: an abort ends a fetch that waits for a refresh, before it is sent and after a 401', async () => {
  const store = memoryStore()
  const controller = new AbortController()
  const clock = virtualClock({ start: Date.UTC(2026, 2, 2, 9), autoAdvance: false })
  const { storage, login, sent, emulator } = await offline({ store, signal: controller.signal, clock })
  const session = await storage.signIn(login)
  const reason = new Error('enough')
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const holding = store.exclusive(() => held)
  emulator.storageAuth.control.expireAccessTokens()
  const own = new AbortController()
  const afterRejection = session.fetch(WHO_AM_I, { signal: own.signal })
  afterRejection.catch(() => undefined)
  await vi.waitFor(() => expect(sent).toHaveLength(2))
  await clock.settle()
  own.abort(reason)
  await expect(afterRejection).rejects.toBe(reason)

  await clock.advance(HOUR)
  const before = new AbortController()
  const unsent = session.fetch(WHO_AM_I, { signal: before.signal })
  unsent.catch(() => undefined)
  await clock.settle()
  before.abort(reason)
  await expect(unsent).rejects.toBe(reason)
  // So does the client's signal.
  const another = session.fetch(WHO_AM_I)
  another.catch(() => undefined)
  controller.abort(reason)
  await expect(another).rejects.toBe(reason)
  expect(sent).toHaveLength(2)
  release()
  await holding
})

it('R-02: the wait for a refresh counts toward the attempt, in fetch and in api', async () => {
  const store = memoryStore()
  const clock = virtualClock({ start: Date.UTC(2026, 2, 2, 9), autoAdvance: false })
  const { storage, login, sent } = await offline({ store, clock, timeoutMs: 3000 })
  const session = await storage.signIn(login)
  await clock.advance(2 * HOUR)
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const holding = store.exclusive(() => held)
  const ends = [session.fetch(WHO_AM_I), storage.api.listApiKeys({}, { maxAttempts: 1 })].map((call) =>
    call.then(
      () => 'done',
      (error: unknown) => error,
    ),
  )
  await clock.settle()
  await clock.advance(3000)
  const timedOut = expect.objectContaining({ code: 'timeout', limitMs: 3000, sent: 'no' })
  expect(await Promise.all(ends)).toEqual([timedOut, timedOut])
  expect(sent).toHaveLength(1)
  release()
  await holding
})

it('R-43: an endpoint that returns 401 to every token costs one refresh a minute, and no waiting', async () => {
  const { storage, login, sent, emulator, clock } = await offline()
  const session = await storage.signIn(login)
  const fault = { kind: 'status', status: 401, operation: 'page:whoami', times: 'always' } as const
  emulator.storageAuth.control.faults.add(fault)
  const beganMs = clock.elapsedMs
  for (let calls = 0; calls < 12; calls++) expect((await session.fetch(WHO_AM_I)).status).toBe(401)
  expect(sent.filter((request) => request.includes('refresh'))).toHaveLength(1)
  expect(clock.elapsedMs).toBe(beganMs)
  await clock.advance(MINUTE)
  expect((await session.fetch(WHO_AM_I)).status).toBe(401)
  expect(sent.filter((request) => request.includes('refresh'))).toHaveLength(2)
})
