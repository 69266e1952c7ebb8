import { inspect } from 'node:util'
import { expect, it } from 'vitest'

import { OperationFailedError, OptionsError } from '../core/errors.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { scriptedService, timeline } from './test-support/scripted-service.ts'

const forever = timeline([0, 'processing'])

it('R-30: a handle has its id, the last status and the result', async () => {
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

it('R-30: a handle is not thenable, and polls nothing until a caller waits', async () => {
  const { clock, jobs, calls } = scriptedService(forever)
  const job = jobs.handle('j1')
  expect(await job).toBe(job)
  expect('then' in job).toBe(false)
  await clock.advance(3_600_000)
  expect(calls).toEqual([])
})

it('R-30: a handle that has ended returns the same outcome again, without a poll', async () => {
  const { jobs, calls } = scriptedService(timeline([0, 'failed']))
  const job = jobs.handle('j1')
  const first = await rejection(job.wait())
  const second = await rejection(job.wait())
  expect(first).toBeInstanceOf(OperationFailedError)
  expect(first).toMatchObject({ id: 'j1', reason: '', advice: 'none', operation: 'getJob' })
  expect(second).toBe(first)
  expect(calls).toHaveLength(1)
})

it('R-30: the `result` option makes the result from the last response, once for all waits', async () => {
  let made = 0
  const { jobs } = scriptedService(timeline([0, { status: 'completed', result: 'a' }]), {
    kind: { result: (snapshot, id) => ({ text: snapshot.result, id, made: ++made }) },
  })
  const job = jobs.handle('j1')
  const [one, other] = await Promise.all([job.wait(), job.wait()])
  expect(one).toEqual({ text: 'a', id: 'j1', made: 1 })
  expect(other).toBe(one)
})

it('R-30: a token resumes the operation in another process, with its `extra`, and polls at once', async () => {
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

it("R-30: a snapshot with a final status ends the wait without a poll, but a status alone doesn't", async () => {
  const { jobs, calls } = scriptedService(timeline([0, { status: 'completed', result: 'polled' }]))
  const known = { status: 'completed', result: 'known' }
  expect(await jobs.attach('j1', { snapshot: known }).wait()).toBe(known)
  expect(calls).toHaveLength(0)
  expect(await jobs.attach('j2', { status: 'completed' }).wait()).toMatchObject({ result: 'polled' })
  expect(calls).toHaveLength(1)
})

it('R-11: inspecting a handle shows kind, id and status, never the response', async () => {
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

it('R-30: several waits on one handle share the same polls, each with a deadline of its own', async () => {
  const { clock, jobs, times, gaps } = scriptedService(timeline([0, 'processing'], [100_000, 'completed']))
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
  for (const gap of gaps()) expect(gap).toBeGreaterThanOrEqual(5_000)
})

it('R-30: misspelled options of a wait are rejected by name, and nothing is polled', async () => {
  const { jobs, calls } = scriptedService(forever)
  const job = jobs.handle('j1')
  const rejected = (options: unknown) => rejection(job.wait(options as never))
  expect(await rejected({ timeout: 5_000 })).toMatchObject({ code: 'invalid-options', option: 'timeout' })
  expect(await rejected({ onUpdate: 'log' })).toMatchObject({ option: 'onUpdate' })
  expect(await rejected({ signal: new AbortController() })).toMatchObject({ option: 'signal' })
  expect(await rejected(5)).toMatchObject({ option: 'options' })
  expect(await rejected(null)).toMatchObject({ option: 'options' })
  expect(() => job.changes({ singal: undefined } as never)).toThrow('Did you mean `signal`?')
  expect(() => job.changes({ signal: 'x' as never })).toThrow(/signal/)
  expect(() => jobs.handle('j2', { polling: { minDelay: 1 } as never })).toThrow(
    'Unknown option `polling.minDelay`. Did you mean `minDelayMs`?',
  )
  expect(() => jobs.handle('j2', { polling: { statuses: { done: ['x'] } } as never })).toThrow(
    'polling.statuses.done',
  )
  expect(calls).toEqual([])
})
