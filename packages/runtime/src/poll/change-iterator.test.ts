import { expect, it } from 'vitest'

import { DeadlineError, OperationFailedError, OptionsError } from '../core/errors.ts'
import { wait } from '../core/async.ts'
import { countListeners, httpError, scriptedService, timeline } from './test-support/scripted-service.ts'

const steps = timeline(
  [0, 'queued'],
  [12_000, 'processing'],
  [30_000, { status: 'processing', progress: 50 }],
  [60_000, 'completed'],
)

it('R-30: an iteration yields every change that polls find, and ends with the operation', async () => {
  const { clock, jobs, calls } = scriptedService(steps)
  const job = jobs.handle('j1')
  const seen: unknown[] = []
  for await (const { status, snapshot, polls, elapsedMs } of job) {
    seen.push([status, snapshot?.progress])
    expect(polls).toBe(calls.length)
    expect(elapsedMs).toBe(clock.monotonic())
  }
  expect(seen).toEqual([
    ['queued', undefined],
    ['processing', undefined],
    ['processing', 50],
    ['completed', undefined],
  ])
  expect(job.ended).toBe(true)
  expect(calls.length).toBeGreaterThan(4)
  expect(clock.timers).toBe(0)
})

it('R-30: an iteration yields first the snapshot that the handle began with', async () => {
  const { jobs } = scriptedService(timeline([0, 'completed']))
  const seen: unknown[] = []
  const handle = jobs.handle('j1', { snapshot: { status: 'queued', progress: 7 } })
  for await (const { status, snapshot } of handle) seen.push([status, snapshot?.progress])
  expect(seen).toEqual([
    ['queued', 7],
    ['completed', undefined],
  ])
})

it('R-30: iteration over a failed operation yields the last change, then throws the typed error', async () => {
  const { jobs } = scriptedService(timeline([0, 'processing'], [10_000, 'failed']))
  const seen: unknown[] = []
  const run = async () => {
    for await (const { status } of jobs.handle('j1')) seen.push(status)
  }
  await expect(run()).rejects.toBeInstanceOf(OperationFailedError)
  expect(seen).toEqual(['processing', 'failed'])
})

it('R-30: leaving the loop stops polling and leaves nothing behind', async () => {
  const { clock, jobs, calls } = scriptedService(steps)
  const controller = new AbortController()
  const listeners = countListeners(controller.signal)
  for await (const { status } of jobs.handle('j1').changes({ signal: controller.signal })) {
    if (status === 'processing') break
  }
  const polls = calls.length
  expect([clock.timers, listeners()]).toEqual([0, 0])
  await clock.advance(600_000)
  expect(calls).toHaveLength(polls)
})

it('R-30: an iteration polls only while next() is pending, and a slow reader gets the latest state', async () => {
  const { clock, jobs, calls } = scriptedService(steps)
  const changes = jobs.handle('j1').changes()
  expect((await changes.next()).value).toMatchObject({ status: 'queued' })
  const polls = calls.length
  await wait(clock, 45_000)
  expect(calls).toHaveLength(polls)
  expect((await changes.next()).value).toMatchObject({ snapshot: { progress: 50 } })
})

it('R-30: the delays keep growing from one change to the next', async () => {
  const { jobs, gaps } = scriptedService(({ at }) => ({ status: 'processing', progress: at }))
  let count = 0
  for await (const _ of jobs.handle('j1')) if (++count === 6) break
  expect(gaps()[1]).toBeLessThan(7_500)
  for (const gap of gaps().slice(2)) expect(gap).toBeGreaterThan(8_000)
})

it('R-30: return() ends a pending next()', async () => {
  const { clock, jobs } = scriptedService(steps)
  const changes = jobs.handle('j1').changes()
  const pending = changes.next()
  await new Promise((resolve) => setImmediate(resolve))
  expect(clock.timers).toBe(1)
  expect(await changes.return?.()).toEqual({ done: true, value: undefined })
  expect(await pending).toEqual({ done: true, value: undefined })
  expect(clock.monotonic()).toBe(0)
  expect(await changes.next()).toEqual({ done: true, value: undefined })
  expect(clock.timers).toBe(0)
})

it('R-30: overlapping calls of next() resolve in order', async () => {
  const { jobs } = scriptedService(steps)
  const changes = jobs.handle('j1').changes()
  const results = await Promise.all([
    changes.next(),
    changes.next(),
    changes.next(),
    changes.next(),
    changes.next(),
  ])
  expect(
    results.map(({ done, value }) => (done === true ? 'end' : (value as { status: string }).status)),
  ).toEqual(['queued', 'processing', 'processing', 'completed', 'end'])
})

it('R-32: the deadline of an iteration covers all of it, exactly', async () => {
  const { clock, jobs } = scriptedService(({ at }) => ({ status: 'processing', progress: at }))
  const run = async () => {
    for await (const _ of jobs.handle('j1').changes({ deadline: '1m' }));
  }
  await expect(run()).rejects.toBeInstanceOf(DeadlineError)
  expect(clock.monotonic()).toBe(60_000)
  expect(() => jobs.handle('j1').changes({ deadline: -1 })).toThrow(OptionsError)
})

it('R-03: an abort ends an iteration at once, also between two changes', async () => {
  const { clock, jobs } = scriptedService(steps)
  const controller = new AbortController()
  const reason = new Error('enough')
  const changes = jobs.handle('j1').changes({ signal: controller.signal })
  await changes.next()
  controller.abort(reason)
  await expect(changes.next()).rejects.toBe(reason)
  expect(await changes.next()).toEqual({ done: true, value: undefined })
  const other = new AbortController()
  clock.setTimer(() => other.abort(reason), 1_000)
  await expect(jobs.handle('j2').changes({ signal: other.signal }).next()).rejects.toBe(reason)
})

it('R-31: iteration survives transient errors and ends with definite ones', async () => {
  const { jobs } = scriptedService(
    (_call, index) => [httpError(503), { status: 'queued' }, httpError(404)][index] ?? { status: 'queued' },
  )
  const changes = jobs.handle('j1').changes()
  expect((await changes.next()).value).toMatchObject({ status: 'queued' })
  await expect(changes.next()).rejects.toMatchObject({ status: 404 })
})

it('R-30: a change that another wait has seen is yielded at once', async () => {
  const { clock, jobs } = scriptedService(timeline([0, 'processing']))
  const job = jobs.handle('j1')
  await job.wait({ deadline: 10_000 }).catch(() => {})
  const at = clock.monotonic()
  expect((await job.changes().next()).value).toMatchObject({ status: 'processing', polls: 0 })
  expect(clock.monotonic()).toBe(at)
})

it('R-30: an iteration that was ended before its first next() polls nothing', async () => {
  const { jobs, calls } = scriptedService(steps)
  const changes = jobs.handle('j1').changes()
  expect(await changes.return?.()).toEqual({ done: true, value: undefined })
  expect(await changes.next()).toEqual({ done: true, value: undefined })
  expect(calls).toEqual([])
})

it('R-30: an iteration that threw stays ended, even if the operation goes on', async () => {
  const { jobs } = scriptedService((_call, index) => (index === 0 ? httpError(404) : { status: 'queued' }))
  const changes = jobs.handle('j1').changes()
  await expect(changes.next()).rejects.toMatchObject({ status: 404 })
  expect(await changes.next()).toEqual({ done: true, value: undefined })
})
