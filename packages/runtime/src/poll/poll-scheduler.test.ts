import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import type { Clock } from '../core/clock.ts'
import { DeadlineError, OptionsError } from '../core/errors.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { PollScheduler } from './poll-scheduler.ts'
import { RequestBudget } from '../limit/limits.ts'
import { scriptedService, timeline } from './test-support/scripted-service.ts'

const forever = timeline([0, 'processing'])

/** A clock that counts the timers set on it at the same time. */
function countTimers(clock: Clock) {
  let now = 0
  const counted = { most: 0, all: 0 }
  const counting: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    setTimer(callback, delayMs) {
      counted.all += 1
      counted.most = Math.max(counted.most, ++now)
      let over = false
      const end = () => {
        if (!over) now -= 1
        over = true
      }
      const timer = clock.setTimer(() => {
        end()
        callback()
      }, delayMs)
      return {
        cancel() {
          end()
          timer.cancel()
        },
      }
    },
  }
  return { counting, counted }
}

it('R-34: 1,000 waits share one timer and never more polls at once than allowed', async () => {
  using clock = virtualClock()
  const { counting, counted } = countTimers(clock)
  let inFlight = 0
  let most = 0
  async function poll() {
    most = Math.max(most, ++inFlight)
    expect(scheduler.inFlight).toBe(inFlight)
    await new Promise((resolve) => setImmediate(resolve))
    inFlight -= 1
    return { data: { status: clock.monotonic() > 20_000 ? 'completed' : 'processing' } }
  }
  const { jobs, scheduler } = scriptedService(forever, {
    clock,
    scheduler: { clock: counting, maxInFlight: 7 },
    kind: { poll },
  })
  await Promise.all(Array.from({ length: 1_000 }, (_, index) => jobs.handle(String(index)).wait()))
  expect(most).toBe(7)
  expect(counted.most).toBe(1)
  expect(counted.all).toBeLessThan(100)
  expect([scheduler.inFlight, clock.timers]).toEqual([0, 0])
})

it('R-34: at most 64 polls are in flight by default', async () => {
  let most = 0
  const { jobs, scheduler } = scriptedService(timeline([0, 'completed']), {
    latencyMs: 100,
    kind: { observe: () => (most = Math.max(most, scheduler.inFlight)) },
  })
  await Promise.all(Array.from({ length: 200 }, (_, index) => jobs.handle(String(index)).wait()))
  expect(most).toBe(64)
})

it('R-34: queued polls are sent in the order in which they became due, and polls without a wait are skipped', async () => {
  const { clock, jobs, calls } = scriptedService(timeline([0, 'completed']), {
    latencyMs: 1_000,
    scheduler: { maxInFlight: 1 },
  })
  const controller = new AbortController()
  const waits = ['a', 'b', 'c', 'd'].map((id) =>
    jobs.handle(id).wait(id === 'b' ? { signal: controller.signal } : {}),
  )
  clock.setTimer(() => controller.abort(), 5_500)
  await Promise.allSettled(waits)
  expect(calls.map(({ id, at }) => `${id}@${at}`)).toEqual(['a@5000', 'c@6000', 'd@7000'])
})

it('R-34: a deadline does not wait in the queue', async () => {
  const { clock, jobs } = scriptedService(timeline([0, 'processing']), {
    latencyMs: 50_000,
    scheduler: { maxInFlight: 1 },
  })
  const ends: [string, number][] = []
  const waits = ['a', 'b'].map((id) =>
    jobs
      .handle(id)
      .wait({ deadline: 8_000 })
      .catch((error: unknown) => {
        expect(error).toBeInstanceOf(DeadlineError)
        ends.push([id, clock.monotonic()])
      }),
  )
  await Promise.all(waits)
  expect(ends).toEqual([
    ['a', 8_000],
    ['b', 8_000],
  ])
})

it('R-34: polls never use the part of the request budget that is reserved for submissions', async () => {
  using clock = virtualClock()
  const budget = new RequestBudget({ clock, requestsPerMinute: 10, reserve: 4 })
  const { jobs, times } = scriptedService(forever, { clock, scheduler: { budget } })
  const waits = Array.from({ length: 20 }, (_, index) =>
    jobs
      .handle(String(index))
      .wait({ deadline: '5m' })
      .catch(() => {}),
  )
  clock.setTimer(() => {
    for (let submission = 0; submission < 4; submission++) budget.note()
  }, 90_000)
  await Promise.all(waits)
  for (const time of times()) {
    const inMinute = times().filter((other) => other >= time && other < time + 60_000)
    expect(inMinute.length).toBeLessThanOrEqual(6)
  }
  // Polls use the whole remaining budget, except in the minute in which submissions took part of it.
  expect(times().length).toBeGreaterThanOrEqual(6 * 4)
})

it('R-35: a hint wakes every handle with its id, and can be limited to a kind', async () => {
  const { clock, jobs, scheduler } = scriptedService(timeline([0, 'completed']))
  const first = jobs.handle('same')
  const second = jobs.handle('same')
  const third = jobs.handle('same')
  const waits = [first.wait(), second.wait(), third.wait()]
  expect(scheduler.wake('same', 'another.kind')).toBe(0)
  expect(scheduler.wake('same', 'test.job')).toBe(3)
  await Promise.all(waits)
  expect(clock.monotonic()).toBe(0)
  expect(scheduler.wake('same')).toBe(0)
})

const closed = new Error('closed')
it.each([
  [closed, undefined],
  [undefined, { code: 'connection', phase: 'connect', sent: 'no' }],
])('R-03: closing with the reason %s ends all current and later waits', async (reason, otherwise) => {
  const { clock, jobs, calls, scheduler } = scriptedService(forever)
  const start = () => [jobs.handle('a').wait(), jobs.handle('b').wait(), jobs.handle('c').changes().next()]
  const waits = [...start(), jobs.handle('a').wait()]
  clock.setTimer(() => scheduler.close(reason), 1_000)
  const ends = await Promise.allSettled(waits)
  expect([clock.monotonic(), clock.timers]).toEqual([1_000, 0])
  for (const end of [...ends, ...(await Promise.allSettled(start()))])
    expect(end).toEqual({ status: 'rejected', reason: reason ?? expect.objectContaining(otherwise) })
  expect(calls).toEqual([])
})

it('R-34: thousands of queued polls are all sent, once and in order, even if others join in the meantime', async () => {
  const { jobs, calls } = scriptedService(timeline([0, 'completed']), { scheduler: { maxInFlight: 1 } })
  const waits = Array.from({ length: 2_100 }, (_, index) => jobs.attach(String(index)).wait())
  await jobs.attach('1500').wait()
  await Promise.all([
    ...waits,
    ...Array.from({ length: 50 }, (_, index) => jobs.attach(`late ${index}`).wait()),
  ])
  const first = Array.from({ length: 2_100 }, (_, index) => String(index))
  expect(calls.map(({ id }) => id)).toEqual([
    ...first,
    '1500',
    ...Array.from({ length: 50 }, (_, index) => `late ${index}`),
  ])
})

it('R-34: a wait of months is not cut short by the longest timer of the host', async () => {
  using clock = virtualClock()
  const host: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    // Like the host's timers: a delay that is too long fires at once.
    setTimer: (callback, delayMs) => clock.setTimer(callback, delayMs > 2 ** 31 - 1 ? 1 : delayMs),
  }
  const { jobs } = scriptedService(timeline([0, 'completed']), {
    clock,
    scheduler: { clock: host },
    kind: { polling: { firstDelayMs: 40 * 86_400_000, limit: '90d' } },
  })
  await jobs.handle('j1').wait()
  expect(clock.monotonic()).toBe(40 * 86_400_000)
})

it('R-34: as waits start and end, no poll is lost, sent twice or sent early, and nothing is left behind', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          startMs: fc.nat(20_000),
          doneMs: fc.nat(60_000),
          deadlineMs: fc.integer({ min: 1, max: 60_000 }),
          abortMs: fc.option(fc.nat(60_000), { nil: undefined }),
        }),
        { minLength: 1, maxLength: 12 },
      ),
      fc.integer({ min: 1, max: 4 }),
      fc.nat(3_000),
      async (plans, maxInFlight, latencyMs) => {
        const { clock, jobs, calls, scheduler } = scriptedService(
          ({ id, at }) => ({ status: at >= (plans[Number(id)]?.doneMs ?? 0) ? 'completed' : 'processing' }),
          { latencyMs, scheduler: { maxInFlight } },
        )
        using _ = clock
        await Promise.all(
          plans.map(
            ({ startMs, deadlineMs, abortMs }, index) =>
              new Promise<unknown>((resolve, reject) => {
                clock.setTimer(() => {
                  const controller = new AbortController()
                  if (abortMs !== undefined) clock.setTimer(() => controller.abort(), abortMs)
                  jobs
                    .handle(String(index))
                    .wait({ deadline: deadlineMs, signal: controller.signal })
                    .catch((error: unknown) => {
                      const limit = Math.min(deadlineMs, abortMs ?? Infinity)
                      expect(clock.monotonic()).toBe(startMs + limit)
                      if (!controller.signal.aborted) expect(error).toBeInstanceOf(DeadlineError)
                    })
                    .then(resolve, reject)
                }, startMs)
              }),
          ),
        )
        await clock.advance(100_000)
        expect([scheduler.inFlight, clock.timers]).toEqual([0, 0])
        for (const [index] of plans.entries()) {
          const at = calls.filter(({ id }) => id === String(index)).map((call) => call.at)
          for (const [poll, time] of at.slice(1).entries())
            expect(time - (at[poll] ?? 0)).toBeGreaterThanOrEqual(5_000)
        }
      },
    ),
    { numRuns: 30 },
  )
})

it('R-32: nothing fires early on a clock with fractional milliseconds either', async () => {
  using clock = virtualClock()
  const fractions: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic() + 0.4,
    setTimer: (callback, delayMs) => clock.setTimer(callback, delayMs),
  }
  const { jobs, gaps } = scriptedService(forever, {
    clock,
    random: () => 0,
    scheduler: { clock: fractions },
  })
  const elapsed: number[] = []
  await jobs
    .handle('j1')
    .wait({ deadline: '20s', onUpdate: ({ elapsedMs }) => elapsed.push(elapsedMs) })
    .catch((error: unknown) => expect(error).toBeInstanceOf(DeadlineError))
  expect(clock.monotonic()).toBeGreaterThanOrEqual(20_000)
  expect(clock.monotonic()).toBeLessThan(20_002)
  for (const gap of gaps()) expect(gap).toBeGreaterThanOrEqual(5_000)
  expect(elapsed.length).toBeGreaterThan(1)
  for (const each of elapsed) expect(Number.isInteger(each)).toBe(true)
})

it.each([0, 1.5, Number.NaN])('R-34: rejects an unusable `maxInFlight`: %s', (maxInFlight) => {
  expect(() => new PollScheduler({ maxInFlight })).toThrow(OptionsError)
})
