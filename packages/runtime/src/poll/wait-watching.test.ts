import { expect, it } from 'vitest'

import { ConnectionError } from '../core/errors.ts'
import { wait } from '../core/async.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { countListeners, httpError, scriptedService, timeline } from './test-support/scripted-service.ts'

const forever = timeline([0, 'processing'])

it('R-36: onUpdate receives state, elapsed time, number of polls, next poll and the whole response', async () => {
  const { jobs, times } = scriptedService(
    timeline([0, 'queued'], [8_000, { status: 'processing', progress: 3 }], [15_000, 'completed']),
    {
      random: () => 0,
    },
  )
  const updates: unknown[] = []
  await jobs.handle('j1').wait({ onUpdate: (update) => updates.push(update) })
  expect(times()).toEqual([5_000, 10_000, 16_667])
  expect(updates).toStrictEqual([
    {
      id: 'j1',
      status: 'queued',
      elapsedMs: 5_000,
      polls: 1,
      nextPollInMs: 5_000,
      snapshot: { status: 'queued' },
    },
    {
      id: 'j1',
      status: 'processing',
      elapsedMs: 10_000,
      polls: 2,
      nextPollInMs: 6_667,
      snapshot: { status: 'processing', progress: 3 },
    },
    {
      id: 'j1',
      status: 'completed',
      elapsedMs: 16_667,
      polls: 3,
      nextPollInMs: undefined,
      snapshot: { status: 'completed' },
    },
  ])
})

it('R-36: an update counts time and polls from the start of its own wait', async () => {
  const { clock, jobs } = scriptedService(forever)
  const job = jobs.handle('j1')
  const late: { elapsedMs: number; polls: number }[] = []
  const first = job.wait({ deadline: 100_000 }).catch(() => {})
  await wait(clock, 60_000)
  await job
    .wait({ deadline: 20_000, onUpdate: ({ elapsedMs, polls }) => late.push({ elapsedMs, polls }) })
    .catch(() => {})
  await first
  expect(late[0]?.polls).toBe(1)
  expect(late[0]?.elapsedMs).toBeLessThanOrEqual(10_000)
})

it('R-36: an error from onUpdate ends that wait, and no other', async () => {
  const { jobs } = scriptedService(timeline([0, 'processing'], [20_000, 'completed']))
  const job = jobs.handle('j1')
  const mistake = new Error('in the callback')
  const [one, other] = await Promise.allSettled([
    job.wait({
      onUpdate: () => {
        throw mistake
      },
    }),
    job.wait(),
  ])
  expect(one).toEqual({ status: 'rejected', reason: mistake })
  expect(other.status).toBe('fulfilled')
})

it('R-03: an abort ends a wait at once with its own reason, leaves no listener, and no poll follows', async () => {
  const { clock, jobs, calls } = scriptedService(forever)
  const controller = new AbortController()
  const listeners = countListeners(controller.signal)
  const reason = new Error('enough')
  const waiting = jobs.handle('j1').wait({ signal: controller.signal })
  expect(listeners()).toBe(1)
  clock.setTimer(() => controller.abort(reason), 3_000)
  await expect(waiting).rejects.toBe(reason)
  expect(clock.monotonic()).toBe(3_000)
  expect(listeners()).toBe(0)
  expect(clock.timers).toBe(0)
  await clock.advance(600_000)
  expect(calls).toEqual([])
})

it('R-03: an abort during a poll aborts the poll, unless another wait needs it', async () => {
  const { clock, jobs, calls } = scriptedService(timeline([0, 'completed']), { latencyMs: 2_000 })
  const controller = new AbortController()
  const job = jobs.handle('j1')
  clock.setTimer(() => controller.abort(), 6_000)
  const [aborted, kept] = await Promise.allSettled([job.wait({ signal: controller.signal }), job.wait()])
  expect(aborted.status).toBe('rejected')
  expect(kept.status).toBe('fulfilled')
  expect(calls.map((call) => call.signal.aborted)).toEqual([false])
  const alone = new AbortController()
  clock.setTimer(() => alone.abort(), 6_000)
  await rejection(jobs.handle('j2').wait({ signal: alone.signal }))
  expect(calls.map((call) => call.signal.aborted)).toEqual([false, true])
})

it('R-03: 200 waits on one signal leave no listener, however they end', async () => {
  const { clock, jobs } = scriptedService(({ id }) => ({
    status: Number(id) % 2 === 0 ? 'completed' : 'failed',
  }))
  const controller = new AbortController()
  const listeners = countListeners(controller.signal)
  const waits = Array.from({ length: 200 }, (_, index) =>
    jobs.handle(String(index)).wait({ signal: controller.signal, deadline: index < 20 ? 1_000 : 60_000 }),
  )
  // They share one.
  expect(listeners()).toBe(1)
  await Promise.allSettled(waits)
  expect(listeners()).toBe(0)
  expect(clock.timers).toBe(0)
})

it('R-03: an abort ends the remaining waits of a signal after another wait has ended', async () => {
  const { jobs } = scriptedService(({ id }) => ({ status: id === 'j1' ? 'completed' : 'processing' }))
  const controller = new AbortController()
  const { signal } = controller
  const ended = jobs.attach('j1').wait({ signal })
  const waiting = Promise.allSettled([jobs.attach('j2').wait({ signal }), jobs.attach('j3').wait({ signal })])
  await ended
  controller.abort(new Error('enough'))
  const reason: unknown = signal.reason
  expect(await waiting).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ])
})

it('R-03: an already aborted signal rejects the wait without a poll', async () => {
  const { jobs, calls, clock } = scriptedService(forever)
  const reason = new Error('before')
  await expect(jobs.handle('j1').wait({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  expect([calls.length, clock.timers]).toEqual([0, 0])
})

it('R-03: an abort from within onUpdate ends all waits of that signal, without further updates', async () => {
  const { jobs, calls } = scriptedService(forever)
  const controller = new AbortController()
  const job = jobs.handle('j1')
  let told = 0
  const terms = {
    signal: controller.signal,
    onUpdate: () => {
      told += 1
      controller.abort()
    },
  }
  const ends = await Promise.allSettled([job.wait(terms), job.wait(terms)])
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect([told, calls.length]).toEqual([1, 1])
})

it('R-60: every poll is an event without contents, and every retry of a failed one a second event', async () => {
  const events: unknown[] = []
  const lost = new ConnectionError('lost', { phase: 'receive', sent: 'yes' })
  const { jobs } = scriptedService(
    (_call, index) =>
      [httpError(503), lost, { status: 'processing' }, { status: 'completed', result: 'private' }][index] ??
      httpError(500),
    { random: () => 0, kind: { observe: (event) => events.push(event) } },
  )
  await jobs.handle('j1').wait()
  expect(events).toStrictEqual([
    { type: 'poll', operation: 'getJob', poll: 1, nextPollInMs: 5_000 },
    { type: 'retry', operation: 'getJob', attempt: 1, delayMs: 5_000, cause: 503 },
    { type: 'poll', operation: 'getJob', poll: 2, nextPollInMs: 6_667 },
    { type: 'retry', operation: 'getJob', attempt: 2, delayMs: 6_667, cause: 'connection' },
    { type: 'poll', operation: 'getJob', poll: 3, state: 'processing', nextPollInMs: expect.any(Number) },
    { type: 'poll', operation: 'getJob', poll: 4, state: 'completed' },
  ])
})

it('R-60: a failed poll that ends the wait is not reported as a retry', async () => {
  const events: unknown[] = []
  const { jobs } = scriptedService(() => httpError(404), { kind: { observe: (event) => events.push(event) } })
  await expect(jobs.handle('j1').wait()).rejects.toMatchObject({ status: 404 })
  expect(events).toStrictEqual([{ type: 'poll', operation: 'getJob', poll: 1 }])
})

it('R-60: events name the kind if the operation has no name, and an observer that throws disturbs nothing', async () => {
  const events: unknown[] = []
  const { jobs } = scriptedService(timeline([0, 'completed']), {
    kind: {
      operation: undefined,
      observe: (event) => {
        events.push(event)
        throw new Error('observer')
      },
    },
  })
  await jobs.handle('j1').wait()
  expect(events).toStrictEqual([{ type: 'poll', operation: 'test.job', poll: 1, state: 'completed' }])
})

it('R-35: a hint for an operation that has no wait polls nothing; the next wait then polls at once', async () => {
  const { clock, jobs, times } = scriptedService(timeline([0, 'queued'], [90_000, 'completed']))
  const job = jobs.handle('j1')
  job.wake()
  await wait(clock, 60_000)
  expect([times(), clock.timers]).toEqual([[], 0])
  await job.wait()
  expect(times()[0]).toBe(60_000)
})

it('R-32: with several waits, a poll comes just before the deadline of each', async () => {
  const { jobs, times } = scriptedService(timeline([0, 'queued']))
  const job = jobs.handle('j1', { polling: { minDelayMs: 5_000, maxDelayMs: 100_000, firstDelayMs: 50_000 } })
  const waits = ['60s', '20s', '40s'].map((deadline) => job.wait({ deadline: deadline as '60s' }))
  for (const { status } of await Promise.allSettled(waits)) expect(status).toBe('rejected')
  expect(times()).toEqual(expect.arrayContaining([19_000, 39_000, 59_000]))
})
