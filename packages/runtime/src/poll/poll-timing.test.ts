import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import { DeadlineError, OperationFailedError, OptionsError } from '../core/errors.ts'
import { wait } from '../core/async.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import type { PollResponse } from './operation.ts'
import { httpError, type Job, scriptedService, timeline, WAITER } from './test-support/scripted-service.ts'

const forever = timeline([0, 'processing'])

it('R-32: the first poll comes after the first delay, the others between the shortest and the longest delay', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
      fc.nat(3_000),
      async (draws, latencyMs) => {
        const { clock, jobs, times } = scriptedService(forever, {
          latencyMs,
          random: () => draws.next().value as number,
        })
        using _ = clock
        await rejection(jobs.handle('j1').wait())
        const at = times()
        expect(at[0]).toBe(5_000)
        const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0) - latencyMs)
        // The gap of the final poll is measured from when the previous poll was sent, not from its response.
        const lastGap = (gaps.pop() ?? 0) + latencyMs
        for (const gap of gaps) {
          expect(gap).toBeGreaterThanOrEqual(5_000)
          expect(gap).toBeLessThanOrEqual(10_000)
        }
        expect(lastGap).toBeGreaterThanOrEqual(5_000)
        expect(at.at(-1)).toBe(299_000)
        expect(clock.monotonic()).toBe(300_000)
      },
    ),
    { numRuns: 15 },
  )
})

it('R-32: the first delay counts from the submission, not from the call of wait', async () => {
  const { clock, jobs, times } = scriptedService(timeline([0, 'completed']))
  const job = jobs.handle('j1')
  await clock.advance(3_000)
  await job.wait()
  expect(times()).toEqual([5_000])
  const late = jobs.handle('j2')
  await clock.advance(60_000)
  await late.wait()
  expect(times()).toEqual([5_000, 65_000])
})

it('R-32: a deadline shorter than the first delay is exact too, with a poll just before it', async () => {
  const { clock, jobs, times } = scriptedService(forever)
  await expect(jobs.handle('j1').wait({ deadline: '1s' })).rejects.toBeInstanceOf(DeadlineError)
  expect(times()).toEqual([750])
  expect(clock.monotonic()).toBe(1_000)
})

it('R-32: the deadline error has the id and the last state, says what to do, and never calls the operation failed', async () => {
  const { jobs } = scriptedService(({ at }) => (at > 15_000 ? httpError(503) : { status: 'processing' }))
  const error = await rejection(jobs.handle('j1').wait({ deadline: 30_000 }))
  expect(error).toBeInstanceOf(DeadlineError)
  expect(OperationFailedError.is(error)).toBe(false)
  expect(error).toMatchObject({
    code: 'deadline',
    id: 'j1',
    lastState: 'processing',
    limitMs: 30_000,
    elapsedMs: 30_000,
    operation: 'getJob',
    cause: { status: 503 },
  })
  expect((error as Error).message).toContain('The test job continues on the service')
  expect((error as Error).message).not.toMatch(/fail/i)
  expect((error as Error).message).toContain('The last poll ended with an error: ')
})

it('R-32: a poll in flight at the deadline is aborted, and the error comes at the deadline', async () => {
  const { clock, jobs, calls } = scriptedService(forever, { latencyMs: 60_000 })
  await expect(jobs.handle('j1').wait({ deadline: 20_000 })).rejects.toBeInstanceOf(DeadlineError)
  expect(clock.monotonic()).toBe(20_000)
  expect(calls.map((call) => call.signal.aborted)).toEqual([true])
})

it('R-32: waiting again after an aborted poll keeps the shortest delay too', async () => {
  const { jobs, times } = scriptedService(forever, { latencyMs: 60_000 })
  const job = jobs.handle('j1')
  await job.wait({ deadline: 6_000 }).catch(() => {})
  await job.wait({ deadline: 20_000 }).catch(() => {})
  expect(times()).toEqual([5_000, 10_000])
})

it('R-32: waiting again after a deadline keeps the shortest delay from the poll before', async () => {
  const { jobs, gaps } = scriptedService(forever)
  const job = jobs.handle('j1')
  for (let round = 0; round < 12; round++) await job.wait({ deadline: 1_000 }).catch(() => {})
  expect(gaps().length).toBeGreaterThan(1)
  for (const gap of gaps().slice(1)) expect(gap).toBeGreaterThanOrEqual(5_000)
})

it('R-32: Retry-After of a response and of an error is honored, and never shortened', async () => {
  const replies = [
    { data: { status: 'queued' }, retryAfterMs: 30_000 },
    httpError(429, 45_000),
    { data: { status: 'queued' }, headers: new Headers({ 'retry-after': '20' }) },
    { data: { status: 'queued' }, headers: new Headers({ 'retry-after': 'soon' }) },
    { data: { status: 'queued' }, retryAfterMs: undefined, headers: new Headers({ 'retry-after': '20' }) },
    {
      data: { status: 'queued' },
      // A date counts from the clock of the service, which is an hour ahead.
      headers: new Headers({
        'retry-after': 'Thu, 01 Jan 2026 12:01:00 GMT',
        date: 'Thu, 01 Jan 2026 12:00:20 GMT',
      }),
    },
    { data: { status: 'completed' } },
  ]
  const { jobs, gaps } = scriptedService((_call, index) => replies[index] ?? { status: 'completed' })
  await jobs.handle('j1').wait()
  expect(gaps().slice(0, 4)).toEqual([5_000, 30_000, 45_000, 20_000])
  for (const gap of gaps().slice(4, 6)) expect(gap).toBeLessThanOrEqual(10_000)
  expect(gaps()[6]).toBe(40_000)
})

it('R-32: a Retry-After beyond the deadline means no further poll, and the deadline stays exact', async () => {
  const { clock, jobs, times } = scriptedService(() => httpError(429, 3_600_000))
  const error = await rejection(jobs.handle('j1').wait({ deadline: '1m' }))
  expect(error).toMatchObject({ code: 'deadline', cause: { status: 429 } })
  expect(times()).toEqual([5_000])
  expect(clock.monotonic()).toBe(60_000)
})

it('R-32: without a deadline the limit of the contract applies, or else the default of the client', async () => {
  const contract = scriptedService(forever)
  await expect(contract.jobs.handle('j1').wait()).rejects.toMatchObject({ limitMs: 300_000 })
  const { limitMs: _, ...rest } = WAITER
  const none = scriptedService(forever, { waiter: rest })
  await expect(none.jobs.handle('j1').wait()).rejects.toMatchObject({ limitMs: 600_000 })
})

it.each([0, -1, 'soon', Number.NaN, Infinity])(
  'R-32: rejects a deadline that is not a duration: %s',
  async (deadline) => {
    const { jobs, clock } = scriptedService(forever)
    await expect(jobs.handle('j1').wait({ deadline: deadline as number })).rejects.toBeInstanceOf(
      OptionsError,
    )
    expect(clock.timers).toBe(0)
  },
)

it('R-35: a hint polls at once, once, and polling stays the fallback', async () => {
  const { clock, jobs, times, scheduler } = scriptedService(
    timeline([0, 'processing'], [31_000, 'completed']),
  )
  const job = jobs.handle('j1')
  const waiting = job.wait()
  clock.setTimer(() => expect(scheduler.wake('j1')).toBe(1), 1_000)
  clock.setTimer(() => expect(scheduler.wake('other')).toBe(0), 1_500)
  await waiting
  expect(times()[0]).toBe(1_000)
  expect(times()[1]).toBeGreaterThanOrEqual(6_000)
  expect(scheduler.wake('j1')).toBe(0)
})

it('R-35: a flood of hints causes one poll per shortest delay', async () => {
  const { clock, jobs, times, gaps } = scriptedService(forever)
  const job = jobs.handle('j1')
  const waiting = job.wait({ deadline: 60_000 }).catch(() => {})
  const flood = async () => {
    for (let hint = 0; hint < 500; hint++) {
      await wait(clock, 100)
      job.wake()
    }
  }
  await Promise.all([waiting, flood()])
  expect(times()[0]).toBe(100)
  for (const gap of gaps().slice(1)) expect(gap).toBeGreaterThanOrEqual(5_000)
})

it('R-35: a hint during a poll triggers one more poll', async () => {
  const { clock, jobs, times } = scriptedService(timeline([0, 'processing'], [6_000, 'completed']), {
    latencyMs: 2_000,
  })
  const job = jobs.handle('j1')
  clock.setTimer(() => job.wake(), 6_500)
  await job.wait()
  expect(times()).toEqual([5_000, 7_000])
})

it('R-35: a hint while a poll is queued triggers no other poll', async () => {
  const { clock, jobs, calls } = scriptedService(timeline([0, 'processing'], [15_000, 'completed']), {
    latencyMs: 2_000,
    scheduler: { maxInFlight: 1 },
  })
  const [first, second] = [jobs.handle('a'), jobs.handle('b')]
  clock.setTimer(() => second.wake(), 6_000)
  await Promise.all([first.wait(), second.wait()])
  const at = calls.filter(({ id }) => id === 'b').map((call) => call.at)
  expect(at[0]).toBe(7_000)
  expect(at[1]).toBeGreaterThanOrEqual(14_000)
})

it('R-35: a hint does not shorten a Retry-After', async () => {
  const { clock, jobs, times } = scriptedService((_call, index) =>
    index === 0 ? httpError(429, 40_000) : { status: 'completed' },
  )
  const job = jobs.handle('j1')
  clock.setTimer(() => job.wake(), 10_000)
  await job.wait()
  expect(times()).toEqual([5_000, 45_000])
})

it('R-32: the error at a deadline says what was seen, and after how many polls of its own wait', async () => {
  const { jobs } = scriptedService(forever, { kind: { label: undefined } })
  const job = jobs.attach('j1')
  const ends: [deadlineMs: number, seen: string][] = [
    [
      2_000,
      "The wait for the operation j1 ended at its deadline of 2000 ms; after 1 poll, the last status was 'processing'\\.",
    ],
    [30_000, "after [2-9] polls, the last status was 'processing'\\."],
    [6_000, "after 1 poll, the last status was 'processing'\\."],
  ]
  for (const [deadline, seen] of ends) {
    const error = job.wait({ deadline })
    await expect(error).rejects.toThrow(new RegExp(seen))
    await expect(error).rejects.toMatchObject({ limitMs: deadline, elapsedMs: deadline })
  }
  await expect(jobs.handle('j2').wait({ deadline: 1 })).rejects.toThrow(
    /after \d polls?, no status was seen\. Wait again/,
  )
})

it('R-32: an unknown polling option of a kind, and an unlimited wait, are rejected by their full names', () => {
  expect(() => scriptedService(forever, { kind: { polling: { delay: 5 } as never } })).toThrow(
    'polling.delay',
  )
  expect(() => scriptedService(forever, { kind: { polling: { limit: Infinity } } })).toThrow(
    '`polling.limit` is not a duration. Pass a finite number of milliseconds',
  )
})

it('R-34: a wait that joins while a poll is in flight or queued causes no second poll', async () => {
  const { clock, jobs, calls } = scriptedService(timeline([0, 'completed']), {
    latencyMs: 20_000,
    scheduler: { maxInFlight: 1 },
  })
  const slow = scriptedService(timeline([0, 'completed']), { latencyMs: 20_000 })
  const handle = slow.jobs.handle('j1')
  const waiting = handle.wait()
  await slow.clock.advance(6_000)
  await Promise.all([waiting, handle.wait({ deadline: 60_000 })])
  expect(slow.times()).toEqual([5_000])

  const handles = ['a', 'b'].map((id) => jobs.handle(id))
  const first = handles.map((handle) => handle.wait())
  await clock.advance(6_000)
  await Promise.all([...first, ...handles.map((handle) => handle.wait({ deadline: 60_000 }))])
  expect(calls.map(({ id, at }) => [id, at])).toEqual([
    ['a', 5_000],
    ['b', 25_000],
  ])
})

it('R-35: hints that follow each other never postpone a poll', async () => {
  const { clock, jobs, scheduler, times } = scriptedService(forever, { random: () => 0.999 })
  const waiting = jobs.handle('j1').wait({ deadline: 12_000 })
  for (const atMs of [100, 1_100, 2_100]) {
    await clock.advance(atMs - clock.monotonic())
    scheduler.wake('j1')
  }
  await expect(waiting).rejects.toBeInstanceOf(DeadlineError)
  expect(times().slice(0, 2)).toEqual([100, 5_100])
})

it('R-35: a hint wakes an operation once, however many waits it has, until the last one ends', async () => {
  const { jobs, scheduler } = scriptedService(forever)
  const job = jobs.handle('j1')
  const others = [jobs.handle('j1'), jobs.handle('j1')]
  const controllers = Array.from({ length: 4 }, () => new AbortController())
  const waits = [job, job, ...others].map((handle, index) =>
    handle.wait({ signal: controllers[index]!.signal }).catch(() => undefined),
  )
  const woken = [scheduler.wake('j1')]
  for (const controller of controllers) {
    controller.abort()
    woken.push(scheduler.wake('j1'))
  }
  await Promise.all(waits)
  expect(woken).toEqual([3, 3, 2, 1, 0])
})

it.each<[string, (poll: PromiseWithResolvers<PollResponse<Job>>) => void]>([
  ['a response', ({ resolve }) => resolve({ data: { status: 'completed' } })],
  ['an error', ({ reject }) => reject(httpError(503))],
])(
  'R-32: %s that arrives after the end of a wait changes nothing and starts nothing',
  async (_what, settle) => {
    const poll = Promise.withResolvers<PollResponse<Job>>()
    const { clock, jobs } = scriptedService(forever, { kind: { poll: () => poll.promise } })
    const job = jobs.handle('j1', { status: 'queued' })
    await expect(job.wait({ deadline: 10_000 })).rejects.toBeInstanceOf(DeadlineError)
    settle(poll)
    await Promise.resolve()
    expect([job.status, clock.timers]).toEqual(['queued', 0])
  },
)
