import { inspect } from 'node:util'

import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { DeadlineError, OperationFailedError, OptionsError, UnexpectedContentError } from '../core/errors.ts'
import { wait } from '../core/wait.ts'
import { longestPrefixMatch } from './prefix-match.ts'
import {
  countListeners,
  httpError,
  scriptedService,
  timeline,
  WAITER,
} from './scripted-service.test-support.ts'

const forever = timeline([0, 'processing'])
const oddPage = () =>
  new UnexpectedContentError(
    'a page',
    { status: 200, body: '', text: '', headers: () => new Headers() },
    { contentType: 'text/html', excerpt: '' },
  )

test('R-30: a handle gives its id, the status as last seen, and the result', async () => {
  const done = { status: 'completed', result: 'text' }
  const { clock, jobs } = scriptedService(timeline([0, 'processing'], [20_000, done]))
  const job = jobs.handle('j1', { status: 'queued' })
  expect([job.kind, job.id, job.status, job.snapshot, job.ended]).toEqual([
    'test.job',
    'j1',
    'queued',
    undefined,
    false,
  ])
  expect(await job.wait()).toBe(done)
  expect([job.status, job.snapshot, job.ended]).toEqual(['completed', done, true])
  expect(clock.timers).toBe(0)
})

test('R-30: a handle is not thenable, and polls nothing until somebody waits', async () => {
  const { clock, jobs, calls } = scriptedService(forever)
  const job = jobs.handle('j1')
  expect(await job).toBe(job)
  expect('then' in job).toBe(false)
  await clock.advance(3_600_000)
  expect(calls).toEqual([])
})

test('R-30: a handle that has ended gives the same outcome again, without a poll', async () => {
  const { jobs, calls } = scriptedService(timeline([0, 'failed']))
  const job = jobs.handle('j1')
  const first = await job.wait().catch((error: unknown) => error)
  const second = await job.wait().catch((error: unknown) => error)
  expect(first).toBeInstanceOf(OperationFailedError)
  expect(second).toBe(first)
  expect(calls).toHaveLength(1)
})

test('R-30: the result can be made from the last answer, once for all who wait', async () => {
  let made = 0
  const { jobs } = scriptedService(timeline([0, { status: 'completed', result: 'a' }]), {
    kind: { result: (snapshot, id) => ({ text: snapshot.result, id, made: ++made }) },
  })
  const job = jobs.handle('j1')
  const [one, other] = await Promise.all([job.wait(), job.wait()])
  expect(one).toEqual({ text: 'a', id: 'j1', made: 1 })
  expect(other).toBe(one)
})

test('R-30: a token resumes the operation elsewhere, with what it carries, and polls at once', async () => {
  const here = scriptedService(forever)
  const token = here.jobs.handle('j1', { extra: { blueprint: 'b7' } }).resumeToken()
  const there = scriptedService(timeline([0, 'completed']))
  const resumed = there.jobs.resume(token)
  expect(resumed.extra).toEqual({ blueprint: 'b7' })
  expect(resumed.resumeToken()).toBe(token)
  await resumed.wait()
  expect(there.calls).toMatchObject([{ id: 'j1', at: 0, extra: { blueprint: 'b7' } }])
  expect(() => there.jobs.resume('cr1.x.y')).toThrow(OptionsError)
})

test('R-30: a whole answer that shows the end is believed without a poll, a status alone is not', async () => {
  const { jobs, calls } = scriptedService(timeline([0, { status: 'completed', result: 'polled' }]))
  const known = { status: 'completed', result: 'known' }
  expect(await jobs.attach('j1', { snapshot: known }).wait()).toBe(known)
  expect(calls).toHaveLength(0)
  expect(await jobs.attach('j2', { status: 'completed' }).wait()).toMatchObject({ result: 'polled' })
  expect(calls).toHaveLength(1)
})

test('R-11: what is shown of a handle is kind, id and status, never the answer', async () => {
  const { jobs } = scriptedService(timeline([0, { status: 'completed', result: 'private text' }]))
  const job = jobs.handle('j1')
  await job.wait()
  expect(JSON.parse(JSON.stringify(job))).toEqual({
    kind: 'test.job',
    id: 'j1',
    status: 'completed',
    ended: true,
  })
  expect(inspect(job, { showHidden: true, depth: 9 })).not.toContain('private')
  expect(inspect(job)).toContain('j1')
})

test('R-31: transient errors are survived within the deadline, and reported while the wait goes on', async () => {
  const faults = [httpError(500), httpError(429), httpError(503), undefined, httpError(502)]
  const { jobs, calls } = scriptedService(
    ({ at }, index) => faults[index] ?? timeline([0, 'processing'], [40_000, 'completed'])({ at } as never),
  )
  const seen: unknown[] = []
  await jobs.handle('j1').wait({ onUpdate: (update) => seen.push(update.pollError) })
  expect(calls.length).toBeGreaterThan(5)
  expect(seen.slice(0, 6)).toEqual(faults.concat(undefined))
})

test.each([400, 401, 403, 404])(
  'R-31: %i ends the wait at once with that error, and the handle can be waited for again',
  async (status) => {
    const { jobs, times } = scriptedService((_call, index) =>
      index === 0 ? httpError(status) : { status: 'completed' },
    )
    const job = jobs.handle('j1')
    await expect(job.wait()).rejects.toMatchObject({ code: 'http', status })
    expect(times()).toEqual([5_000])
    expect(job.ended).toBe(false)
    await expect(job.wait()).resolves.toEqual({ status: 'completed' })
  },
)

test('R-31: an unreadable answer now and then is survived, three in a row are not', async () => {
  const now = scriptedService((_call, index) =>
    index === 5 ? { status: 'completed' } : index === 2 ? { status: 'queued' } : oddPage(),
  )
  await expect(now.jobs.handle('j1').wait()).resolves.toEqual({ status: 'completed' })
  const always = scriptedService(oddPage)
  await expect(always.jobs.handle('j1').wait()).rejects.toBeInstanceOf(UnexpectedContentError)
  expect(always.calls).toHaveLength(3)
})

test('R-31: what counts as survivable can be decided by the service', async () => {
  const { jobs } = scriptedService(
    (_call, index) => (index === 0 ? httpError(404) : { status: 'completed' }),
    {
      kind: { survives: (error) => ((error as { status?: number }).status === 404 ? true : undefined) },
    },
  )
  await expect(jobs.handle('j1').wait()).resolves.toBeDefined()
})

test('R-31: an unknown status stays pending and is reported', async () => {
  const unknown: string[] = []
  const { jobs } = scriptedService(timeline([0, 'REVIEWING'], [30_000, 'completed']), {
    kind: { onUnknownStatus: (status, id) => unknown.push(`${id} ${status}`) },
  })
  await expect(jobs.handle('j1').wait()).resolves.toEqual({ status: 'completed' })
  expect(new Set(unknown)).toEqual(new Set(['j1 REVIEWING']))
})

test('R-31: further waiting statuses can be named, for a kind and for a single handle', async () => {
  const { clock, jobs } = scriptedService(
    timeline([0, 'failed'], [30_000, 'cancelled'], [50_000, 'completed']),
    {
      kind: { polling: { statuses: { pending: ['THROTTLED', 'failed'] } } },
    },
  )
  const endOf = (id: string, failure: string[]) =>
    jobs
      .handle(id, { polling: { statuses: { failure } } })
      .wait()
      .then(
        () => ['completed', clock.monotonic() >= 50_000],
        (error: unknown) => [
          (error as Error).message.match(/status '(.*)'/)?.[1],
          clock.monotonic() >= 30_000,
        ],
      )
  expect(await Promise.all([endOf('j1', []), endOf('j2', ['cancelled']), endOf('j3', ['failed'])])).toEqual([
    ['completed', true],
    ['cancelled', true],
    ['failed', false],
  ])
})

test('R-31: what is said for a single handle comes before what is said for the kind', async () => {
  const { clock, jobs } = scriptedService(timeline([0, 'cancelled'], [30_000, 'completed']), {
    kind: { polling: { statuses: { failure: ['cancelled', 'rejected'] } } },
  })
  await jobs.handle('j1', { polling: { statuses: { pending: ['cancelled'] } } }).wait()
  expect(clock.monotonic()).toBeGreaterThanOrEqual(30_000)
})

test('R-04: an answer without a status is an error, whatever the validation mode', async () => {
  const { jobs } = scriptedService(() => ({ data: { state: 'completed' } }) as never)
  await expect(jobs.handle('j1').wait()).rejects.toMatchObject({
    code: 'contract-drift',
    issues: [{ path: '/status' }],
  })
  const none = scriptedService(() => ({ data: null }) as never)
  await expect(none.jobs.handle('j1').wait()).rejects.toMatchObject({ code: 'contract-drift' })
})

test('R-31: where the status stands can be said by an accessor, which then decides alone', async () => {
  const { jobs } = scriptedService(() => ({ status: 'queued', result: 'completed' }), {
    kind: { statusOf: (job) => job.result },
  })
  await expect(jobs.handle('j1').wait()).resolves.toBeDefined()
  const missing = scriptedService(() => ({ status: 'completed' }), {
    kind: { statusOf: (job) => job.result },
  })
  await expect(missing.jobs.handle('j1').wait()).rejects.toMatchObject({ code: 'contract-drift' })
})

test('R-32: the first poll comes after the first delay, the others between the shortest and the longest', async () => {
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
        await jobs
          .handle('j1')
          .wait()
          .catch(() => {})
        const at = times()
        expect(at[0]).toBe(5_000)
        const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0) - latencyMs)
        // The last one keeps its distance from the sending of the one before, not from its answer.
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

test('R-32: the first delay counts from the submission, not from the call of wait', async () => {
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

test('R-32: a deadline shorter than the first delay is exact too, with a poll just before it', async () => {
  const { clock, jobs, times } = scriptedService(forever)
  await expect(jobs.handle('j1').wait({ deadline: '1s' })).rejects.toBeInstanceOf(DeadlineError)
  expect(times()).toEqual([750])
  expect(clock.monotonic()).toBe(1_000)
})

test('R-32: the deadline error carries id and last state, says what to do, and never calls the operation failed', async () => {
  const { jobs } = scriptedService(({ at }) => (at > 15_000 ? httpError(503) : { status: 'processing' }))
  const error = await jobs
    .handle('j1')
    .wait({ deadline: 30_000 })
    .catch((reason: unknown) => reason)
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
  expect((error as Error).message).toContain('It goes on at the service')
  expect((error as Error).message).not.toMatch(/fail/i)
  expect((error as Error).message).toContain('The last poll brought no status: ')
})

test('R-32: of an operation of which nothing was seen, the deadline error does not say that it goes on', async () => {
  const { jobs } = scriptedService(() => httpError(503))
  const error = await jobs
    .handle('j1')
    .wait({ deadline: 30_000 })
    .catch((reason: unknown) => reason)
  expect((error as Error).message).toContain('no status was seen')
  expect((error as Error).message).not.toContain('goes on')
})

test('R-32: a poll in flight at the deadline is given up, and the error comes at the deadline', async () => {
  const { clock, jobs, calls } = scriptedService(forever, { latencyMs: 60_000 })
  await expect(jobs.handle('j1').wait({ deadline: 20_000 })).rejects.toBeInstanceOf(DeadlineError)
  expect(clock.monotonic()).toBe(20_000)
  expect(calls.map((call) => call.signal.aborted)).toEqual([true])
})

test('R-32: an answer that comes after the wait was given up changes nothing', async () => {
  let answer: ((data: { status: string }) => void) | undefined
  const { jobs } = scriptedService(forever, {
    kind: { poll: () => new Promise((resolve) => (answer = (data) => resolve({ data }))) },
  })
  const job = jobs.handle('j1', { status: 'queued' })
  await expect(job.wait({ deadline: 10_000 })).rejects.toBeInstanceOf(DeadlineError)
  answer?.({ status: 'completed' })
  await Promise.resolve()
  expect(job.status).toBe('queued')
})

test('R-32: an error that comes after the wait was given up starts nothing', async () => {
  let fail: ((error: unknown) => void) | undefined
  const { clock, jobs } = scriptedService(forever, {
    kind: { poll: () => new Promise((_resolve, reject) => (fail = reject)) },
  })
  await expect(jobs.handle('j1').wait({ deadline: 10_000 })).rejects.toBeInstanceOf(DeadlineError)
  fail?.(httpError(503))
  await Promise.resolve()
  expect(clock.timers).toBe(0)
})

test('R-32: waiting again while the poll before was given up keeps the shortest delay too', async () => {
  const { jobs, times } = scriptedService(forever, { latencyMs: 60_000 })
  const job = jobs.handle('j1')
  await job.wait({ deadline: 6_000 }).catch(() => {})
  await job.wait({ deadline: 20_000 }).catch(() => {})
  expect(times()).toEqual([5_000, 10_000])
})

test('R-32: what was submitted long ago is polled at once, however short the deadline', async () => {
  const { jobs, times } = scriptedService(forever)
  await jobs
    .attach('j1')
    .wait({ deadline: 4_000 })
    .catch(() => {})
  expect(times()).toEqual([0])
})

test('R-32: waiting again after a deadline keeps the shortest delay from the poll before', async () => {
  const { jobs, times } = scriptedService(forever)
  const job = jobs.handle('j1')
  for (let round = 0; round < 12; round++) await job.wait({ deadline: 1_000 }).catch(() => {})
  const gaps = times().map((time, index, all) => time - (all[index - 1] ?? -Infinity))
  expect(times().length).toBeGreaterThan(1)
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(5_000)
})

test('R-32: Retry-After of an answer and of an error is honoured, and never shortened', async () => {
  const replies = [
    { data: { status: 'queued' }, retryAfterMs: 30_000 },
    httpError(429, 45_000),
    { data: { status: 'queued' }, headers: new Headers({ 'retry-after': '20' }) },
    { data: { status: 'queued' }, headers: new Headers({ 'retry-after': 'soon' }) },
    { data: { status: 'queued' }, retryAfterMs: undefined, headers: new Headers({ 'retry-after': '20' }) },
    { data: { status: 'completed' } },
  ]
  const { jobs, times } = scriptedService((_call, index) => replies[index] ?? { status: 'completed' })
  await jobs.handle('j1').wait()
  const gaps = times().map((time, index, all) => time - (all[index - 1] ?? 0))
  expect(gaps.slice(0, 4)).toEqual([5_000, 30_000, 45_000, 20_000])
  for (const gap of gaps.slice(4)) expect(gap).toBeLessThanOrEqual(10_000)
})

test('R-32: a Retry-After beyond the deadline means no further poll, and the deadline stays exact', async () => {
  const { clock, jobs, times } = scriptedService(() => httpError(429, 3_600_000))
  const error = await jobs
    .handle('j1')
    .wait({ deadline: '1m' })
    .catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'deadline', cause: { status: 429 } })
  expect(times()).toEqual([5_000])
  expect(clock.monotonic()).toBe(60_000)
})

test('R-32: without a deadline the limit of the contract holds, without one there the default of the client', async () => {
  const contract = scriptedService(forever)
  await expect(contract.jobs.handle('j1').wait()).rejects.toMatchObject({ limitMs: 300_000 })
  const { limitMs: _, ...rest } = WAITER
  const none = scriptedService(forever, { waiter: rest })
  await expect(none.jobs.handle('j1').wait()).rejects.toMatchObject({ limitMs: 600_000 })
})

test.each([0, -1, 'soon', Number.NaN, Infinity])(
  'R-32: a deadline that is no span of time is refused: %s',
  async (deadline) => {
    const { jobs, clock } = scriptedService(forever)
    await expect(jobs.handle('j1').wait({ deadline: deadline as number })).rejects.toBeInstanceOf(
      OptionsError,
    )
    expect(clock.timers).toBe(0)
  },
)

test("R-33: a failed operation is the service's typed error, by the longest code", async () => {
  class JobFailedError extends OperationFailedError {}
  const { jobs } = scriptedService(timeline([0, { status: 'failed', result: 'ASSET.INVALID.SIZE' }]), {
    kind: {
      failure: ({ id, status, snapshot, operation }) => {
        const reason = snapshot.result ?? ''
        const advice =
          longestPrefixMatch(reason, { ASSET: 'retry', 'ASSET.INVALID': 'fix-input' } as const) ?? 'none'
        return new JobFailedError(`${id} ${status}`, { id, reason, advice }, { operation })
      },
    },
  })
  const error = await jobs
    .handle('j1')
    .wait()
    .catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(JobFailedError)
  expect(error).toMatchObject({
    code: 'operation-failed',
    id: 'j1',
    reason: 'ASSET.INVALID.SIZE',
    advice: 'fix-input',
  })
})

test('R-33: without a mapping the error is still typed', async () => {
  const { jobs } = scriptedService(timeline([0, 'failed']))
  await expect(jobs.handle('j1').wait()).rejects.toMatchObject({
    code: 'operation-failed',
    id: 'j1',
    reason: '',
    advice: 'none',
    operation: 'getJob',
  })
})

test('R-33: a mistake in a mapping reaches whoever waits, and is not taken for an end', async () => {
  const mistake = new TypeError('mapping')
  const { jobs } = scriptedService(timeline([0, 'failed']), {
    kind: {
      failure: () => {
        throw mistake
      },
    },
  })
  const job = jobs.handle('j1')
  await expect(job.wait()).rejects.toBe(mistake)
  expect(job.ended).toBe(false)
})

test('R-35: a hint polls at once, once, and polling stays the fallback', async () => {
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

test('R-35: a hint is never believed: only what the poll finds counts', async () => {
  const { clock, jobs } = scriptedService(forever)
  const job = jobs.handle('j1')
  clock.setTimer(() => job.wake(), 1_000)
  await expect(job.wait({ deadline: 20_000 })).rejects.toBeInstanceOf(DeadlineError)
})

test('R-35: a flood of hints leads to one poll per shortest delay', async () => {
  const { clock, jobs, times } = scriptedService(forever)
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
  for (const [index, time] of times().slice(1).entries()) {
    expect(time - (times()[index] ?? 0)).toBeGreaterThanOrEqual(5_000)
  }
})

test('R-35: a hint during a poll leads to another one right after it, since the answer may be older', async () => {
  const { clock, jobs, times } = scriptedService(timeline([0, 'processing'], [6_000, 'completed']), {
    latencyMs: 2_000,
  })
  const job = jobs.handle('j1')
  clock.setTimer(() => job.wake(), 6_500)
  await job.wait()
  expect(times()).toEqual([5_000, 7_000])
})

test('R-35: a hint for a poll that is in line already leads to no other one', async () => {
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

test('R-35: a hint that comes before anybody waits is remembered', async () => {
  const { jobs, times } = scriptedService(timeline([0, 'completed']))
  const job = jobs.handle('j1')
  job.wake()
  await job.wait()
  expect(times()).toEqual([0])
})

test('R-35: a hint does not shorten a Retry-After', async () => {
  const { clock, jobs, times } = scriptedService((_call, index) =>
    index === 0 ? httpError(429, 40_000) : { status: 'completed' },
  )
  const job = jobs.handle('j1')
  clock.setTimer(() => job.wake(), 10_000)
  await job.wait()
  expect(times()).toEqual([5_000, 45_000])
})

test('R-36: onUpdate gets state, elapsed time, polls made, the next poll and the whole answer', async () => {
  const { jobs, times } = scriptedService(
    timeline([0, 'queued'], [8_000, { status: 'processing', progress: 3 }], [15_000, 'completed']),
    {
      random: () => 0,
    },
  )
  const updates: unknown[] = []
  await jobs.handle('j1').wait({ onUpdate: (update) => updates.push(update) })
  expect(times()).toEqual([5_000, 10_000, 16_667])
  expect(updates).toEqual([
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

test('R-36: an update counts for the wait that it belongs to', async () => {
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

test('R-36: what onUpdate throws ends that wait, and no other', async () => {
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

test('R-30: several waits on one handle share the same polls, each with a deadline of its own', async () => {
  const { clock, jobs, times } = scriptedService(timeline([0, 'processing'], [100_000, 'completed']))
  const job = jobs.handle('j1')
  const ends: number[] = []
  const noteEnd = () => ends.push(clock.monotonic())
  await Promise.all([
    job.wait({ deadline: 20_000 }).catch(noteEnd),
    job.wait({ deadline: 50_000 }).catch(noteEnd),
    job.wait().then(noteEnd),
  ])
  expect(ends.slice(0, 2)).toEqual([20_000, 50_000])
  expect(times()).toContain(19_000)
  expect(times()).toContain(49_000)
  for (const [index, time] of times().slice(1).entries()) {
    expect(time - (times()[index] ?? 0)).toBeGreaterThanOrEqual(5_000)
  }
})

test('R-03: an abort ends a wait at once with its own reason, leaves no listener, and no poll follows', async () => {
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

test('R-03: an abort during a poll gives the poll up, unless somebody else waits for it', async () => {
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
  await jobs
    .handle('j2')
    .wait({ signal: alone.signal })
    .catch(() => {})
  expect(calls.map((call) => call.signal.aborted)).toEqual([false, true])
})

test('R-03: 200 waits on one signal leave no listener, however they end', async () => {
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

test('R-03: a signal that is aborted already means no poll at all', async () => {
  const { jobs, calls, clock } = scriptedService(forever)
  const reason = new Error('before')
  await expect(jobs.handle('j1').wait({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  expect([calls.length, clock.timers]).toEqual([0, 0])
})

test('R-03: an abort from within onUpdate ends all waits of that signal, and nothing is told to them any more', async () => {
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

test('R-60: every poll is an event without contents, and an observer that throws disturbs nothing', async () => {
  const events: unknown[] = []
  const { jobs } = scriptedService(
    (_call, index) =>
      [httpError(503), { status: 'processing' }, { status: 'completed', result: 'private' }][index] ??
      httpError(500),
    {
      random: () => 0,
      kind: {
        observe: (event) => {
          events.push(event)
          throw new Error('observer')
        },
      },
    },
  )
  await jobs.handle('j1').wait()
  expect(events).toEqual([
    { type: 'poll', operation: 'getJob', poll: 1, nextPollInMs: 5_000 },
    { type: 'poll', operation: 'getJob', poll: 2, state: 'processing', nextPollInMs: 6_667 },
    { type: 'poll', operation: 'getJob', poll: 3, state: 'completed' },
  ])
})

test('R-30: misspelt options of a wait are refused by name, and nothing is polled', async () => {
  const { jobs, calls } = scriptedService(forever)
  const job = jobs.handle('j1')
  const refused = (options: unknown) => job.wait(options as never).catch((error: unknown) => error)
  expect(await refused({ timeout: 5_000 })).toMatchObject({ code: 'invalid-options', option: 'timeout' })
  expect(await refused({ onUpdate: 'log' })).toMatchObject({ option: 'onUpdate' })
  expect(await refused({ signal: new AbortController() })).toMatchObject({ option: 'signal' })
  expect(await refused(5)).toMatchObject({ option: 'options' })
  expect(await refused(null)).toMatchObject({ option: 'options' })
  expect(() => job.changes({ singal: undefined } as never)).toThrow('Did you mean signal?')
  expect(() => jobs.handle('j2', { polling: { minDelay: 1 } as never })).toThrow(
    'Option polling.minDelay: is not known. Did you mean minDelayMs?',
  )
  expect(() => jobs.handle('j2', { polling: { statuses: { done: ['x'] } } as never })).toThrow(
    'polling.statuses.done',
  )
  expect(calls).toEqual([])
})
