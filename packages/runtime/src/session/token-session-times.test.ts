import { expect, it } from 'vitest'

import { memoryTokenStore, type TokenStore } from './token-store.ts'
import { TokenSession } from './token-session.ts'
import { HOUR, limiterOn, MINUTE, notSent, setUp } from './test-support/token-sessions.ts'

it('R-41: closing waits for a refresh in flight', async () => {
  const { clock, server, session, store } = await setUp()
  const { promise: limiter, resolve } = Promise.withResolvers<void>()
  server.failNext(() => limiter)
  expect(clock.timers).toBe(0)
  await clock.advance(55 * MINUTE)
  await session.accessToken()
  await expect.poll(() => server.presented).toEqual(['refresh-1'])
  const closed = session.close()
  resolve()
  await closed
  expect(await store.read()).toMatchObject({ refreshToken: 'refresh-2' })
})

it('R-41: closing ends waits for another holder of the store and for the rate', async () => {
  const { clock, server, session, store, options } = await setUp()
  await clock.advance(HOUR)
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const holding = store.exclusive(() => held)
  const waiting = session.accessToken().catch((error: unknown) => error)
  await session.close()
  expect(await waiting).toMatchObject({ code: 'connection', sent: 'no' })
  expect(String(await waiting)).toContain('This session is closed')
  release()
  await holding

  const limiter = limiterOn(clock, 1)
  await limiter.acquire()
  const second = (await TokenSession.resume({ ...options, limiter }))!
  const queued = second.accessToken().catch((error: unknown) => error)
  await expect.poll(() => clock.timers).toBe(1)
  await second.close()
  expect(String(await queued)).toContain('This session is closed')
  expect(clock.timers).toBe(0)
  expect(server.presented).toEqual([])
})

it('R-41: a closed session no longer refreshes, and returns its token until it expires', async () => {
  // A custom store that ignores the signal makes no difference.
  const inner = memoryTokenStore()
  const store: TokenStore = { read: () => inner.read(), exclusive: (work) => inner.exclusive(work) }
  const { clock, server, session, events } = await setUp({ keepFresh: true, store })
  expect(clock.timers).toBe(1)
  await session.close()
  expect(clock.timers).toBe(0)
  await clock.advance(58 * MINUTE)
  expect(await session.accessToken()).toBe('access-1')
  await clock.settle()
  // A refresh that was not tried has not failed.
  expect(events).toEqual([])
  await expect(session.refresh()).rejects.toThrow(/This session is closed/)
  await clock.advance(5 * MINUTE)
  await expect(session.accessToken()).rejects.toThrow(/This session is closed/)
  expect(server.presented).toEqual([])
})

it.each([
  ['by ten minutes', 10 * MINUTE],
  ['by a day', 24 * HOUR],
])('R-41: a wall clock that is set back %s does not make a token younger', async (_what, backMs) => {
  const { clock, server, session } = await setUp()
  await clock.advance(30 * MINUTE)
  clock.setWallTime(clock.now() - backMs)
  expect(await session.accessToken()).toBe('access-1')
  await clock.advance(20 * MINUTE)
  expect(server.presented).toEqual([])
  await clock.advance(9 * MINUTE)
  expect(await session.accessToken()).toBe('access-1')
  await expect.poll(() => server.presented).toEqual(['refresh-1'])
  await expect.poll(() => session.accessToken()).toBe('access-2')
  await clock.advance(54 * MINUTE)
  expect(await session.accessToken()).toBe('access-2')
  expect(server.presented).toEqual(['refresh-1'])
  await clock.advance(6 * MINUTE)
  expect(await session.accessToken()).toBe('access-3')
})

it('R-41: keepFresh stays on time when the wall clock is set back or ahead', async () => {
  const { clock, server, session } = await setUp({ keepFresh: true })
  clock.setWallTime(clock.now() - 24 * HOUR)
  await clock.advance(56 * MINUTE)
  expect(server.presented).toEqual(['refresh-1'])
  clock.setWallTime(clock.now() + 24 * HOUR)
  expect(await session.accessToken()).toBe('access-3')
  await clock.advance(56 * MINUTE)
  expect(server.presented).toEqual(['refresh-1', 'refresh-2', 'refresh-3'])
  await session.close()
})

it('R-41: a stored pair of unknown age, because the wall clock was set back, is refreshed early once', async () => {
  const { clock, server, session, options } = await setUp()
  await session.close()
  clock.setWallTime(clock.now() - 24 * HOUR)
  const next = (await TokenSession.resume(options))!
  expect(await next.accessToken()).toBe('access-1')
  await expect.poll(() => server.presented).toEqual(['refresh-1'])
  await expect.poll(() => next.accessToken()).toBe('access-2')
  await clock.advance(50 * MINUTE)
  expect(await next.accessToken()).toBe('access-2')
  expect(server.presented).toEqual(['refresh-1'])
})

it('R-41: with keepFresh the pair is refreshed without calls, until the session is closed or lost', async () => {
  const { clock, server, session } = await setUp({ keepFresh: true })
  await clock.advance(3 * HOUR)
  expect(server.presented).toEqual(['refresh-1', 'refresh-2', 'refresh-3'])
  server.failWith(notSent())
  await clock.advance(HOUR)
  expect(server.presented.slice(3)).toEqual(['refresh-4', 'refresh-4'])
  server.valid.clear()
  await clock.advance(3 * HOUR)
  expect(server.presented).toHaveLength(6)
  expect(clock.timers).toBe(0)
  await session.close()
})
