import { expect, it } from 'vitest'
import { json, rejection } from '../../http/test-support/fixtures.ts'
import { memoryTransport } from '../../testing/transports.ts'
import { denial, deviceCode, flow, type Reply, server, tokens } from '../test-support/oauth-server.ts'
import { write } from '../test-support/token-sessions.ts'
import { memoryTokenStore } from '../token-store.ts'
import { clientCredentials } from './grants.ts'
import { deviceSession, passwordSession, resumeOAuth } from './oauth-session.ts'

const MINUTE = 60_000
const lost: Reply = () => {
  throw new TypeError('lost')
}

/** A device authorization whose polls get these responses. */
function approve(...responses: readonly Reply[]) {
  const { options } = server(deviceCode, ...responses)
  return deviceSession(flow, { ...options, store: memoryTokenStore(), onPrompt() {} })
}

/** A session whose access token has expired. */
async function expired(...responses: readonly Reply[]) {
  const { clock, options, seen } = server(...responses)
  const store = memoryTokenStore()
  const nowMs = clock.now()
  await write(store, {
    accessToken: 'access-1',
    refreshToken: 'refresh-1',
    obtainedAtMs: nowMs - 61 * MINUTE,
    expiresAtMs: nowMs - MINUTE,
  })
  const events: unknown[] = []
  const random = () => 0.5
  const observe = (event: unknown) => void events.push(event)
  const session = (await resumeOAuth(flow, { ...options, store, random, observe }))!
  return { clock, session, store, seen, events }
}

it.each([
  ['a 429 with a code of its own', denial('rate_limited', 429)],
  ['a 503 with a code of its own', denial('temporarily_unavailable', 503)],
  ['a gateway page', () => new Response('<html>', { status: 502, headers: { 'content-type': 'text/html' } })],
  ['a lost response', lost],
  ['`slow_down` as a 429', denial('slow_down', 429)],
  ['`authorization_pending` with a success', () => json({ error: 'authorization_pending' })],
] as const)('R-44: an authorization server does not end a device authorization by %s', async (_, reply) => {
  const session = await approve(reply, tokens('access-1', { refresh_token: 'refresh-1' }))
  expect(await session.accessToken()).toBe('access-1')
})

it.each([
  ['a 429 with a code of its own', denial('invalid_grant', 429), undefined],
  ['a 503 that claims that the grant is invalid', denial('invalid_grant', 503), 1],
  ['a lost response', lost, 1],
] as const)('R-42: an authorization server does not end a session by %s', async (_, reply, presented) => {
  const { session, store } = await expired(...Array<Reply>(5).fill(reply), tokens('access-2'))
  await rejection(session.accessToken())
  const stored = await store.read()
  expect(stored?.rejected).toBeUndefined()
  expect(stored?.presented).toBe(presented)
})

it('R-21: the error for a lost response has advice that can be followed', async () => {
  const { session } = await expired(lost)
  const refresh = await rejection(session.accessToken())
  expect(refresh).toMatchObject({ code: 'submission-uncertain' })
  expect(String(refresh)).toContain('works only once and may be used up')
  const { options } = server(lost)
  const user = { ...options, store: memoryTokenStore(), username: 'kim', password: 'pass' }
  expect(String(await rejection(passwordSession(flow, user)))).toContain('can be called again')
})

it.each([
  ['no content', () => new Response(null, { status: 400 })],
  ['`null`', () => json(null, { status: 400 })],
  ['an error that is an object', () => json({ error: { type: 'x' } }, { status: 400 })],
] as const)('R-42: a denial with %s decides nothing about the grant', async (_, response) => {
  const { session } = await expired(response)
  expect(await rejection(session.accessToken())).toMatchObject({ status: 400 })
  expect(await rejection(approve(response))).toMatchObject({ status: 400 })
})

it('RFC 8628: a success is a token, an error, or neither', async () => {
  const session = await approve(tokens('access-1', { error: 'none' }))
  expect(await session.accessToken()).toBe('access-1')
  expect(await rejection(approve(() => json({})))).toMatchObject({ code: 'contract-drift' })
})

it('R-03: the deadline of a device authorization ends the request that is under way', async () => {
  const signals: AbortSignal[] = []
  const { options, clock } = server(deviceCode)
  for (const path of ['/device', '/token']) {
    const transport = memoryTransport((request) => {
      if (new URL(request.url).pathname !== path) return deviceCode({}, path)
      signals.push(request.signal)
      return new Promise<Response>(() => undefined)
    })
    const session = rejection(
      deviceSession(flow, {
        ...options,
        transport,
        store: memoryTokenStore(),
        onPrompt() {},
        deadline: 20_000,
      }),
    )
    await clock.advance(20_000)
    expect(await session).toMatchObject({ code: 'deadline' })
  }
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
})

it('R-60: the retry of a refresh is reported, and waits as long as the rate may need', async () => {
  const { session, clock, events } = await expired(denial('slow_down', 429), tokens('access-2'))
  const beganMs = clock.monotonic()
  expect(await session.accessToken()).toBe('access-2')
  expect(clock.monotonic() - beganMs).toBe(5_000)
  expect(events).toContainEqual({
    type: 'retry',
    operation: 'oauthToken',
    attempt: 1,
    delayMs: 5_000,
    cause: 429,
  })
})

it('R-43: if the service rejects every token, the authorization server is not asked for another one at once', async () => {
  const { session, seen } = await expired(tokens('access-2'), tokens('access-3'))
  await session.accessToken()
  expect(await session.rejected('access-2')).toBe(true)
  for (let calls = 0; calls < 10; calls++) expect(await session.rejected('access-3')).toBe(false)
  expect(seen).toHaveLength(2)
})

it('R-24: during an outage, an authorization server gets at most 1.1 requests for each call', async () => {
  const { options, seen } = server(denial('down', 503))
  const source = clientCredentials(flow, options)
  for (let calls = 0; calls < 200; calls++) await rejection(Promise.resolve(source.get()))
  expect(seen.length).toBeLessThanOrEqual(200 * 1.1 + 20)
})

it('R-41: after a failure ahead of expiry, an authorization server is asked again only after a pause', async () => {
  const { options, seen, clock } = server(tokens('access-1'), denial('down', 503))
  const source = clientCredentials(flow, { ...options, retry: { maxAttempts: 1 } })
  await source.get()
  await clock.advance(56 * MINUTE)
  expect(source.get()).toBe('access-1')
  await clock.settle()
  for (let calls = 0; calls < 100; calls++) {
    expect(source.get()).toBe('access-1')
    await clock.advance(100)
  }
  expect(seen).toHaveLength(2)
  // The pause of 30 s is over to the millisecond.
  await clock.advance(20_000)
  await source.get()
  await clock.settle()
  expect(seen).toHaveLength(3)
})
