import { describe, expect, it } from 'vitest'
import { json, rejection } from '../../http/test-support/fixtures.ts'
import { memoryTransport } from '../../testing/transports.ts'
import { type Reply, flow, denial, server, tokens } from '../test-support/oauth-server.ts'
import { write } from '../test-support/token-sessions.ts'
import { memoryTokenStore } from '../token-store.ts'
import { clientCredentials, finishAuthorization, startAuthorization } from './grants.ts'
import { discoverOpenId } from './token-endpoint.ts'
import { deviceSession, passwordSession, resumeOAuth } from './oauth-session.ts'

const MINUTE = 60_000
const lost: Reply = () => {
  throw new TypeError('lost')
}
const deviceCode: Reply = () =>
  json({
    device_code: 'device-secret',
    user_code: 'AB-12',
    verification_uri: 'https://id.test/go',
    expires_in: 900,
  })

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

describe('an authorization server that fails', () => {
  it.each([
    ['a 429 with a code of its own', denial('rate_limited', 429)],
    ['a 503 with a code of its own', denial('temporarily_unavailable', 503)],
    [
      'a gateway page',
      () => new Response('<html>', { status: 502, headers: { 'content-type': 'text/html' } }),
    ],
    ['a lost response', lost],
    ['`slow_down` as a 429', denial('slow_down', 429)],
    ['`authorization_pending` with a success', () => json({ error: 'authorization_pending' })],
  ] as const)('R-44: does not end a device authorization by %s', async (_, reply) => {
    const { options } = server(deviceCode, reply, tokens('access-1', { refresh_token: 'refresh-1' }))
    const session = await deviceSession(flow, { ...options, store: memoryTokenStore(), onPrompt() {} })
    expect(await session.accessToken()).toBe('access-1')
  })

  it.each([
    ['a 429 with a code of its own', denial('invalid_grant', 429), undefined],
    ['a 503 that claims that the grant is invalid', denial('invalid_grant', 503), 1],
    ['a lost response', lost, 1],
  ] as const)('R-42: does not lose a session by %s', async (_, reply, presented) => {
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
    const { options } = server(deviceCode, response)
    const device = deviceSession(flow, { ...options, store: memoryTokenStore(), onPrompt() {} })
    expect(await rejection(device)).toMatchObject({ status: 400 })
  })

  it('RFC 8628: a success is a token, an error, or neither', async () => {
    const approve = (response: Reply) => {
      const { options } = server(deviceCode, response)
      return deviceSession(flow, { ...options, store: memoryTokenStore(), onPrompt() {} })
    }
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

  it('R-43: is not asked for another token at once if the service rejects every token', async () => {
    const { session, seen } = await expired(tokens('access-2'), tokens('access-3'))
    await session.accessToken()
    expect(await session.rejected('access-2')).toBe(true)
    for (let calls = 0; calls < 10; calls++) expect(await session.rejected('access-3')).toBe(false)
    expect(seen).toHaveLength(2)
  })

  it('R-24: gets at most 1.1 requests for each call during an outage', async () => {
    const { options, seen } = server(denial('down', 503))
    const source = clientCredentials(flow, options)
    for (let calls = 0; calls < 200; calls++) await rejection(Promise.resolve(source.get()))
    expect(seen.length).toBeLessThanOrEqual(200 * 1.1 + 20)
  })

  it('R-41: is asked again ahead of expiry only after a pause', async () => {
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
})

it('rejects a misspelled option instead of ignoring it', async () => {
  const { options, seen } = server(tokens('a'))
  const store = memoryTokenStore()
  const started = { url: '', state: 's', codeVerifier: 'v', redirectUri: 'https://me.test/' }
  const wrong = { ...options, store, scope: ['read'] }
  const user = { username: 'kim', password: 'pass' }
  const request = { clientId: 'app', redirectUri: 'https://me.test/', scope: ['read'] }
  for (const begin of [
    async () => clientCredentials(flow, { ...options, scope: ['read'] } as typeof options),
    async () => passwordSession(flow, { ...wrong, ...user }),
    async () => deviceSession(flow, { ...wrong, onPrompt() {} }),
    async () => resumeOAuth(flow, wrong),
    async () => startAuthorization(flow, request),
    async () => finishAuthorization(flow, started, '?state=s&code=c', wrong),
  ])
    expect(await rejection(begin() as Promise<unknown>)).toMatchObject({ option: 'scope' })
  expect(seen).toEqual([])
})

describe('a hostile authorization server', () => {
  const url = 'https://id.test/.well-known/openid-configuration'
  const object = { toString: 1, valueOf: 1 }

  it.each([
    ['an issuer that is an object', { issuer: object }],
    ['an issuer of 200,000 slashes', { issuer: `${'/'.repeat(200_000)}x` }],
    ['a token address without https', { issuer: 'https://id.test', token_endpoint: 'http://id.test/token' }],
    ['a token address that is not an address', { issuer: 'https://id.test', token_endpoint: 'token' }],
  ])('R-04: is rejected as a provider for %s', async (_, configuration) => {
    const { transport } = server(() => json(configuration)).options
    expect(await rejection(discoverOpenId(url, { transport }))).toMatchObject({ code: 'contract-drift' })
  })

  it.each([
    ['a token type that is an object', { access_token: 'a', token_type: object }],
    ['a token that is an object', { access_token: object }],
  ])('R-04: rejects a response with %s', async (_, reply) => {
    const source = clientCredentials(flow, server(() => json(reply)).options)
    expect(await rejection(Promise.resolve(source.get()))).toMatchObject({ code: 'contract-drift' })
  })

  it('R-42: issues a token whose lifetime is an object or not finite, which counts as unknown', async () => {
    for (const expires_in of [
      '"1e999"',
      '1e999',
      '{"valueOf":1}',
      '{"toString":1,"valueOf":1}',
      '-1',
      '""',
    ]) {
      const text = `{"access_token":"a","expires_in":${expires_in}}`
      const { options, seen, clock } = server(
        () => new Response(text, { headers: { 'content-type': 'application/json' } }),
      )
      const source = clientCredentials(flow, options)
      expect(await source.get()).toBe('a')
      await clock.advance(24 * 60 * MINUTE)
      expect(source.get()).toBe('a')
      expect(seen).toHaveLength(1)
    }
  })

  it('R-04: the reason of a sign-in that failed is quoted only in part', async () => {
    const { options } = server(tokens('a'))
    const started = { url: '', state: 's', codeVerifier: 'v', redirectUri: 'https://me.test/' }
    const finished = finishAuthorization(flow, started, `?state=s&error=${'x'.repeat(10_000)}`, {
      ...options,
      store: memoryTokenStore(),
    })
    expect(String(await rejection(finished)).length).toBeLessThan(400)
  })

  it('R-04: rejects a value that is not an address as an invalid option', async () => {
    const { options } = server(tokens('a'))
    const started = { url: '', state: 's', codeVerifier: 'v', redirectUri: 'https://me.test/' }
    const finished = finishAuthorization(flow, started, 'http://[', { ...options, store: memoryTokenStore() })
    expect(await rejection(finished)).toMatchObject({ option: 'callbackUrl' })
  })
})
