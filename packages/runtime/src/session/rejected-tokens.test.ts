import { expect, it } from 'vitest'
import { AuthenticationError } from '../core/errors.ts'
import { createClient } from '../http/client.ts'
import { bearerCredential } from '../http/credential.ts'
import { listItems } from '../http/test-support/fixtures.ts'
import { memoryTransport } from '../testing/transports.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { HOUR, limiterOn, MINUTE, setUp, write } from './test-support/token-sessions.ts'
import { TokenSession } from './token-session.ts'

it('R-43: a rejected access token causes one refresh for all calls in flight, and one retry each', async () => {
  const { server, session } = await setUp()
  let good = 'access-2'
  const seen: string[] = []
  await using client = createClient({
    servers: { api: 'http://service.test' },
    credentials: { key: bearerCredential(session.tokens, 'key') },
    transport: memoryTransport(async (request) => {
      const token = request.headers.get('authorization')!.slice('Bearer '.length)
      seen.push(token)
      await new Promise(setImmediate)
      return token === good ? Response.json({ ok: true }) : new Response(null, { status: 401 })
    }),
  })
  const results = await Promise.all(Array.from({ length: 12 }, () => client.send(listItems, {})))
  expect(results).toHaveLength(12)
  expect(server.presented).toEqual(['refresh-1'])
  expect(seen.filter((token) => token === 'access-1')).toHaveLength(12)
  expect(seen.filter((token) => token === 'access-2')).toHaveLength(12)

  // A service that rejects every token is believed the second time.
  good = 'none'
  seen.length = 0
  await expect(client.send(listItems, {})).rejects.toThrow(AuthenticationError)
  expect(seen).toEqual(['access-2', 'access-3'])
})

it('R-43: a token that was already replaced is not refreshed again', async () => {
  const { server, session } = await setUp()
  expect(await session.rejected('access-1')).toBe(true)
  expect(await session.rejected('access-1')).toBe(true)
  expect(server.presented).toEqual(['refresh-1'])
})

it('R-43: a rejection during a refresh waits for it', async () => {
  const { clock, server, session } = await setUp()
  await clock.advance(55 * MINUTE)
  await session.accessToken()
  expect(await session.rejected('access-1')).toBe(true)
  expect(server.presented).toEqual(['refresh-1'])
  expect(await session.accessToken()).toBe('access-2')
})

it('R-43: a service that issues the same rejected token again is asked once', async () => {
  const { session, server } = await setUp({
    refresh: async (token) => {
      server.presented.push(token)
      return { accessToken: 'access-1', refreshToken: 'refresh-2', expiresInMs: HOUR }
    },
  })
  expect(await session.rejected('access-1')).toBe(false)
  expect(server.presented).toEqual(['refresh-1'])
})

it('R-43: a token without a known expiry is used until it is rejected', async () => {
  const { clock, server, store, options } = await setUp()
  await write(store, { accessToken: 'access-x', refreshToken: 'refresh-1', obtainedAtMs: 0 })
  const session = (await TokenSession.resume(options))!
  await clock.advance(40 * HOUR)
  expect(await session.accessToken()).toBe('access-x')
  expect(server.presented).toEqual([])
  expect(await session.rejected('access-x')).toBe(true)
  expect(await session.accessToken()).toBe('access-2')
})

it('R-43: without a refresh token, a rejected access token ends the session with a clear error', async () => {
  const { store, options } = await setUp({ remedy: 'Set the variable again.' })
  await write(store, { accessToken: 'access-x', obtainedAtMs: 0 })
  const session = (await TokenSession.resume(options))!
  await expect(session.rejected('access-x')).rejects.toMatchObject({
    reason: 'no-refresh-token',
    message: expect.stringContaining('Set the variable again.') as string,
  })
})

it.each([
  ['at a known rate', true],
  ['at a rate that is only known to be limited', false],
])(
  'R-43: the successor of a rejected token is kept for a minute if it is rejected, too, %s',
  async (_, isKnown) => {
    using clock = virtualClock({ autoAdvance: false })
    const own = isKnown ? { limiter: limiterOn(clock) } : { rate: 'limited' as const }
    const { server, session, options } = await setUp({ clock, ...own })
    await clock.advance(2 * MINUTE)
    expect(await session.rejected(await session.accessToken())).toBe(true)
    // A call that was under way with the token before is repeated with the new one.
    expect(await session.rejected('access-1')).toBe(true)
    // Another process that shares the store does not try either.
    const other = (await TokenSession.resume(options))!
    expect(await other.rejected(await other.accessToken())).toBe(false)
    // An endpoint that rejects every token: nine refreshes a minute would leave no room for a sign-in.
    for (let calls = 0; calls < 20; calls++)
      expect(await session.rejected(await session.accessToken())).toBe(false)
    expect(server.presented).toEqual(['refresh-1'])
    expect(clock.elapsedMs).toBe(2 * MINUTE)
    await clock.advance(MINUTE)
    expect(await session.rejected(await session.accessToken())).toBe(true)
    expect(server.presented).toEqual(['refresh-1', 'refresh-2'])
  },
)
