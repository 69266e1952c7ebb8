import { expect, it } from 'vitest'
import { ApiError, RateLimitedError } from '../core/errors.ts'
import { memoryRequestLog } from '../limit/limits.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import {
  HOUR,
  limiterOn,
  MINUTE,
  pairOfAnother,
  response,
  setUp,
  tooMany,
} from './test-support/token-sessions.ts'

it('R-46: waits for the limiter and after a 429 end with the signal of the session', async () => {
  const clock = virtualClock({ autoAdvance: false })
  const limiter = limiterOn(clock, 1)
  for (const limited of [true, false]) {
    const controller = new AbortController()
    const { session, server, store } = await setUp({
      clock,
      signal: controller.signal,
      ...(limited ? { limiter } : {}),
    })
    if (limited) await limiter.acquire()
    server.failWith(tooMany())
    const refreshing = session.refresh()
    refreshing.catch(() => undefined)
    await clock.settle()
    expect(clock.timers).toBe(1)
    expect(server.presented).toHaveLength(limited ? 0 : 1)
    controller.abort(new Error('enough'))
    await expect(refreshing).rejects.toThrow('enough')
    expect(clock.timers).toBe(0)
    expect(await store.read()).not.toHaveProperty('presented')
  }
})

it('R-46: a 429 is waited out, with back-off or as long as the service asks, and the token stays valid', async () => {
  using clock = virtualClock()
  const limiter = limiterOn(clock)
  const { server, session } = await setUp({ clock, limiter })
  let otherEnteredAtMs = 0
  server.failWith(tooMany())
  server.failNext(() => {
    // The wait that the service asks for applies to all other requests too.
    clock.setTimer(() => void limiter.acquire().then(() => (otherEnteredAtMs = clock.elapsedMs)), 1)
    throw tooMany(7000)
  })
  clock.setWallTime(clock.now() + HOUR)
  expect(await session.accessToken()).toBe('access-2')
  expect(clock.elapsedMs).toBe(5000 + 10_000)
  await clock.settle()
  expect(otherEnteredAtMs).toBe(5000 + 10_000)
  server.failWith(tooMany(), tooMany(), tooMany(), tooMany(), tooMany())
  clock.setWallTime(clock.now() + HOUR)
  await expect(session.accessToken()).rejects.toThrow(RateLimitedError)
  expect(await session.accessToken()).toBe('access-3')
})

it('R-46: a very long Retry-After is not waited out, and the store is not held during any wait', async () => {
  using clock = virtualClock()
  const limiter = limiterOn(clock)
  const { server, session, store } = await setUp({ clock, limiter })
  server.failWith(tooMany(20 * MINUTE))
  clock.setWallTime(clock.now() + HOUR)
  await expect(session.accessToken()).rejects.toMatchObject({ retryAfterMs: 20 * MINUTE })
  // Further calls get an error too, and send nothing.
  await expect(session.accessToken()).rejects.toMatchObject({ code: 'deadline' })
  expect(clock.elapsedMs).toBe(0)
  expect(server.presented).toEqual(['refresh-1'])
  expect((await store.read())?.presented).toBeUndefined()
  await clock.advance(20 * MINUTE)
  expect(await session.accessToken()).toBe('access-2')
})

it.each([
  ['refreshes when its turn comes', false, 'access-2'],
  ['uses the pair that another process has stored in the meantime', true, 'access-of-another'],
])(
  'R-46: a refresh that waits for its turn does not hold the store, and %s',
  async (_what, isStored, expected) => {
    using clock = virtualClock({ autoAdvance: false })
    const limiter = limiterOn(clock, 1)
    const { session, server, store } = await setUp({ clock, limiter })
    await clock.advance(HOUR)
    await limiter.acquire()
    const waiting = session.accessToken()
    await clock.settle()
    await store.exclusive((held) => (isStored ? held.write(pairOfAnother(clock)) : Promise.resolve()))
    expect(server.presented).toEqual([])
    await clock.advance(MINUTE + 1000)
    expect(await waiting).toBe(expected)
    expect(server.presented).toEqual(isStored ? [] : ['refresh-1'])
  },
)

it.each([
  ['that waiting does not help', tooMany(undefined, false)],
  ['with a long Retry-After, without a limiter', tooMany(20 * MINUTE)],
])('R-46: a 429 %s is thrown at once', async (_what, failure) => {
  const { clock, server, session } = await setUp()
  server.failWith(failure)
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toThrow(RateLimitedError)
  expect(clock.timers).toBe(0)
})

it('R-24: the retry of a refresh is taken from an optional budget', async () => {
  for (const allowed of [true, false]) {
    using clock = virtualClock()
    const { server, session } = await setUp({ clock, retry: { budget: { withdraw: () => allowed } } })
    server.failWith(tooMany())
    clock.setWallTime(clock.now() + HOUR)
    const refreshed = session.accessToken().catch((error: unknown) => (error as Error).name)
    expect(await refreshed).toBe(allowed ? 'access-2' : 'RateLimitedError')
  }
})

it.each([
  ['a 403 with one', new ApiError('403', { ...response(403), retryAfterMs: 7_000 })],
  ['a 400', new ApiError('400', response(400))],
  ['a 429 without one', tooMany(undefined, false)],
])('R-46: only a 429 with a Retry-After holds other requests back, not %s', async (_what, failure) => {
  using clock = virtualClock({ autoAdvance: false })
  const log = memoryRequestLog()
  const { server, session } = await setUp({ clock, limiter: limiterOn(clock, 10, log) })
  server.failWith(failure)
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toThrow()
  const record = await log.update((each) => ({ record: each, result: each }))
  expect(record).toStrictEqual({ timesMs: [clock.now()] })
})
