import { expect, it } from 'vitest'
import type { Clock } from '../core/clock.ts'
import { ApiError, RateLimitedError } from '../core/errors.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { memoryRequestLog, RequestLimiter } from '../limit/limits.ts'
import { response, HOUR, MINUTE, setUp, write } from './test-support/token-sessions.ts'

const gateOn = (clock: Clock, limit = 10) =>
  new RequestLimiter({ limit, windowMs: MINUTE, log: memoryRequestLog(), clock, name: 'the token endpoints' })

it('R-46: waits for the limiter and after a 429 end with the signal of the session', async () => {
  const log = memoryRequestLog()
  const clock = virtualClock({ autoAdvance: false })
  const limiter = new RequestLimiter({ limit: 1, windowMs: MINUTE, log, clock, name: 'the token endpoints' })
  for (const limited of [true, false]) {
    const controller = new AbortController()
    const { session, server, store } = await setUp({
      clock,
      signal: controller.signal,
      ...(limited ? { limiter } : {}),
    })
    if (limited) await limiter.acquire()
    server.failNext(() => {
      throw new RateLimitedError('429', response(429), { retryHelps: true })
    })
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
  const log = memoryRequestLog()
  const limiter = new RequestLimiter({ limit: 10, windowMs: MINUTE, log, clock, name: 'the token endpoints' })
  const { server, session } = await setUp({ clock, limiter })
  const tooMany = (retryAfterMs?: number) => () => {
    throw new RateLimitedError('429', { ...response(429), retryAfterMs }, { retryHelps: true })
  }
  let otherEnteredAtMs = 0
  server.failNext(tooMany(), () => {
    // The wait that the service asks for applies to all other requests too.
    clock.setTimer(() => void limiter.acquire().then(() => (otherEnteredAtMs = clock.elapsedMs)), 1)
    tooMany(7000)()
  })
  clock.setWallTime(clock.now() + HOUR)
  expect(await session.accessToken()).toBe('access-2')
  expect(clock.elapsedMs).toBe(5000 + 10_000)
  await clock.settle()
  expect(otherEnteredAtMs).toBe(5000 + 10_000)
  server.failNext(tooMany(), tooMany(), tooMany(), tooMany(), tooMany())
  clock.setWallTime(clock.now() + HOUR)
  await expect(session.accessToken()).rejects.toThrow(RateLimitedError)
  expect(await session.accessToken()).toBe('access-3')
})

it('R-46: a very long Retry-After is not waited out, and the store is not held during any wait', async () => {
  using clock = virtualClock()
  const limiter = new RequestLimiter({
    limit: 10,
    windowMs: MINUTE,
    log: memoryRequestLog(),
    clock,
    name: 'the token endpoints',
  })
  const { server, session, store } = await setUp({ clock, limiter })
  server.failNext(() => {
    throw new RateLimitedError('429', { ...response(429), retryAfterMs: 20 * MINUTE }, { retryHelps: true })
  })
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

it('R-46: a refresh that waits for its turn does not hold the store', async () => {
  using clock = virtualClock({ autoAdvance: false })
  const limiter = gateOn(clock, 1)
  const { session, server, store } = await setUp({ clock, limiter })
  await clock.advance(HOUR)
  await limiter.acquire()
  const waiting = session.accessToken()
  await clock.settle()
  expect(await store.exclusive(async () => 'free')).toBe('free')
  expect(server.presented).toEqual([])
  await clock.advance(MINUTE + 1000)
  expect(await waiting).toBe('access-2')
})

it('R-46: a refresh that waits for its turn uses the pair that another process has stored in the meantime', async () => {
  using clock = virtualClock({ autoAdvance: false })
  const limiter = gateOn(clock, 1)
  const { session, server, store } = await setUp({ clock, limiter })
  await clock.advance(HOUR)
  await limiter.acquire()
  const waiting = session.accessToken()
  await clock.settle()
  await write(store, {
    accessToken: 'access-of-another',
    refreshToken: 'refresh-of-another',
    obtainedAtMs: clock.now(),
    expiresAtMs: clock.now() + HOUR,
    subject: 'kim',
  })
  await clock.advance(MINUTE + 1000)
  expect(await waiting).toBe('access-of-another')
  expect(server.presented).toEqual([])
})

it('R-46: a 429 that waiting does not help is thrown at once', async () => {
  const { clock, server, session } = await setUp()
  server.failNext(() => {
    throw new RateLimitedError('429', response(429), { retryHelps: false })
  })
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toThrow(RateLimitedError)
  expect(clock.timers).toBe(0)
})

it('R-46: without a limiter, a long Retry-After is thrown at once too', async () => {
  const { clock, server, session } = await setUp()
  server.failNext(() => {
    throw new RateLimitedError('429', { ...response(429), retryAfterMs: 20 * MINUTE }, { retryHelps: true })
  })
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toThrow(RateLimitedError)
})

it('R-24: the retry of a refresh is taken from an optional budget', async () => {
  for (const allowed of [true, false]) {
    using clock = virtualClock()
    const { server, session } = await setUp({ clock, retry: { budget: { withdraw: () => allowed } } })
    server.failNext(() => {
      throw new RateLimitedError('429', response(429), { retryHelps: true })
    })
    clock.setWallTime(clock.now() + HOUR)
    const refreshed = session.accessToken().catch((error: unknown) => (error as Error).name)
    expect(await refreshed).toBe(allowed ? 'access-2' : 'RateLimitedError')
  }
})

it('R-60: the retry of a refresh is reported', async () => {
  using clock = virtualClock()
  const retries: unknown[] = []
  const { server, session } = await setUp({
    clock,
    retry: { onRetry: ({ failures, delayMs }) => void retries.push([failures, delayMs]) },
  })
  server.failNext(() => {
    throw new RateLimitedError('429', { ...response(429), retryAfterMs: 7_000 }, { retryHelps: true })
  })
  clock.setWallTime(clock.now() + HOUR)
  expect(await session.accessToken()).toBe('access-2')
  expect(retries).toEqual([[1, 7_000]])
})

it('R-46: only a 429 with a Retry-After holds other requests back', async () => {
  const failures = [
    () => new ApiError('403', { ...response(403), retryAfterMs: 7_000 }),
    () => new ApiError('400', response(400)),
    () => new RateLimitedError('429', response(429), { retryHelps: false }),
  ]
  for (const failure of failures) {
    using clock = virtualClock({ autoAdvance: false })
    const log = memoryRequestLog()
    const limiter = new RequestLimiter({
      limit: 10,
      windowMs: MINUTE,
      log,
      clock,
      name: 'the token endpoints',
    })
    const { server, session } = await setUp({ clock, limiter })
    server.failNext(() => {
      throw failure()
    })
    await clock.advance(HOUR)
    await expect(session.accessToken()).rejects.toThrow()
    await log.update((record) => {
      expect(record).toEqual({ timesMs: [clock.now()] })
      expect(record).not.toHaveProperty('holdUntilMs')
      return { record, result: undefined }
    })
  }
})
