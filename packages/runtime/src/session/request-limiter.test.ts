import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import { DeadlineError } from '../core/errors.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { memoryRequestLog, RequestLimiter, type RequestLog } from '../limit/limits.ts'

const make = (log: RequestLog = memoryRequestLog(), limit = 10) => {
  const clock = virtualClock()
  return {
    clock,
    log,
    limiter: new RequestLimiter({ limit, windowMs: 60_000, log, clock, name: 'the token endpoints' }),
  }
}

it('R-46: ten requests go at once, the eleventh when the first is a minute and a second old', async () => {
  const { clock, limiter } = make()
  for (let count = 0; count < 10; count++) await limiter.acquire()
  expect(clock.elapsedMs).toBe(0)
  await limiter.acquire()
  expect(clock.elapsedMs).toBe(61_000)
})

it('R-46: no window of a minute ever has more than ten, whatever the order of requests', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 90_000 }), { minLength: 1, maxLength: 40 }),
      async (starts) => {
        const { clock, log } = make()
        const limiters = [0, 1, 2].map(
          () => new RequestLimiter({ limit: 10, windowMs: 60_000, log, clock, name: 'requests' }),
        )
        const times: number[] = []
        await Promise.all(
          starts.map(async (start, index) => {
            await new Promise<void>((resolve) => clock.setTimer(resolve, start))
            await limiters[index % 3]!.acquire()
            times.push(clock.monotonic())
          }),
        )
        for (const time of times) {
          expect(times.filter((each) => each >= time && each < time + 60_000).length).toBeLessThanOrEqual(10)
        }
      },
    ),
    { numRuns: 30 },
  )
})

it('R-46: a place that would come after the time limit is an error at once, and takes none', async () => {
  const { clock, limiter } = make(undefined, 1)
  await limiter.acquire()
  const failure = await limiter.acquire({ limitMs: 60_000 }).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(DeadlineError)
  expect((failure as Error).message).toMatch(/limit of 1 requests in 60 s.*in 61 s.*Nothing was sent/)
  expect(clock.elapsedMs).toBe(0)
  await limiter.acquire({ limitMs: 61_000 })
})

const heldLog = { update: () => new Promise<never>(() => undefined) }

it.each([
  ['a place, and takes none', undefined],
  ['a log that another caller holds', heldLog],
])('R-03: an abort ends the wait for %s', async (_what, log) => {
  const { clock, limiter } = make(log, 1)
  if (log === undefined) await limiter.acquire()
  const controller = new AbortController()
  const waiting = limiter.acquire({ signal: controller.signal })
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  expect(clock.timers).toBe(0)
})

it('R-46: the wait that the service asks for applies to all limiters that share the log', async () => {
  const { clock, limiter, log } = make()
  await limiter.hold(90_000)
  await new RequestLimiter({ limit: 10, windowMs: 60_000, log, clock, name: 'requests' }).acquire()
  expect(clock.elapsedMs).toBe(90_000)
})

it('R-46: a clock that is set back delays no request for longer than the window', async () => {
  const { clock, limiter } = make(undefined, 1)
  await limiter.acquire()
  await limiter.hold(10)
  clock.setWallTime(clock.now() - 10 * 3_600_000)
  await limiter.acquire()
  expect(clock.elapsedMs).toBe(61_000)
})

it('R-60: each wait is an event, and a free place is none', async () => {
  const clock = virtualClock()
  const events: unknown[] = []
  const limiter = new RequestLimiter({
    limit: 1,
    windowMs: 60_000,
    marginMs: 0,
    log: memoryRequestLog(),
    clock,
    name: 'The token endpoints',
    emit: (event) => events.push(event),
  })
  await limiter.acquire()
  expect(events).toEqual([])
  await limiter.acquire()
  expect(events).toEqual([{ type: 'wait', limit: 'The token endpoints', delayMs: 60_000 }])
})

it('R-46: an aborted signal takes no place', async () => {
  const { limiter, log } = make()
  await expect(limiter.tryAcquire(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  expect(await log.update((record) => ({ record, result: record.timesMs }))).toEqual([])
})

it('R-46: times are sorted, times of the past are forgotten, and a hold is kept until it ends', async () => {
  const { clock, limiter, log } = make(undefined, 2)
  const now = clock.now()
  const write = (timesMs: number[], holdUntilMs?: number) =>
    log.update(() => ({
      record: { timesMs, ...(holdUntilMs === undefined ? {} : { holdUntilMs }) },
      result: undefined,
    }))
  const read = () => log.update((record) => ({ record, result: record }))
  // Exactly a window and a margin old: forgotten.
  await write([now - 61_000, now - 10_000, now - 20_000])
  expect(await limiter.tryAcquire()).toBe(41_000)
  expect(await read()).toEqual({ timesMs: [now - 20_000, now - 10_000] })
  await write([now - 61_000, now - 10_000])
  expect(await limiter.tryAcquire()).toBe(0)
  expect(await read()).toEqual({ timesMs: [now - 10_000, now] })
  await write([now - 61_000], now + 5_000)
  expect(await limiter.tryAcquire()).toBe(5_000)
  expect(await read()).toEqual({ timesMs: [], holdUntilMs: now + 5_000 })
  // A hold that has ended, or that is longer than an hour, is dropped.
  for (const holdUntilMs of [now, now + 3_600_001]) {
    await write([], holdUntilMs)
    expect(await limiter.tryAcquire()).toBe(0)
    expect(await read()).toStrictEqual({ timesMs: [now] })
  }
  await write([], now + 3_600_000)
  expect(await limiter.tryAcquire()).toBe(3_600_000)
})

it('R-46: a hold takes at most an hour', async () => {
  const { limiter } = make()
  await limiter.hold(7_200_000)
  expect(await limiter.tryAcquire()).toBe(3_600_000)
})

it('R-46: a shorter hold does not end a longer one', async () => {
  const { limiter } = make()
  await limiter.hold(90_000)
  await limiter.hold(10_000)
  expect(await limiter.tryAcquire()).toBe(90_000)
})

it('R-46: a wait past the limit is a DeadlineError with the time that has passed', async () => {
  const { clock, limiter } = make()
  await clock.advance(30_000)
  const wait = limiter.waitForPlace(5_000, { limitMs: 10_000, endsAtMs: clock.monotonic() + 4_999 })
  await expect(wait).rejects.toMatchObject({ code: 'deadline', limitMs: 10_000, elapsedMs: 5_001 })
  await limiter.waitForPlace(5_000, { limitMs: 10_000, endsAtMs: clock.monotonic() + 5_000 })
})
