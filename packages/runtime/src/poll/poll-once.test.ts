import { expect, it } from 'vitest'

import { DeadlineError, OperationFailedError, OptionsError } from '../core/errors.ts'
import { httpError, scriptedService, timeline } from './test-support/scripted-service.ts'

it('R-23, R-30: poll() sends one poll, and its update contains how long the service asks to wait', async () => {
  const { clock, jobs, calls } = scriptedService((_call, index) =>
    index === 0
      ? { data: { status: 'queued' }, retryAfterMs: 120_000 }
      : { status: 'completed', result: 'text' },
  )
  const job = jobs.attach('j1')
  expect(await job.poll()).toMatchObject({ status: 'queued', polls: 1, retryAfterMs: 120_000 })
  expect([clock.monotonic(), clock.timers, calls.length, job.ended]).toEqual([0, 0, 1, false])
  const update = await job.poll()
  expect(clock.monotonic()).toBe(120_000)
  expect([update.status, update.retryAfterMs, job.ended]).toEqual(['completed', undefined, true])
  expect(await job.wait()).toMatchObject({ result: 'text' })
  await job.poll()
  expect(calls).toHaveLength(2)
})

it('R-30: poll() sends its poll at once, even before the first delay, and nothing once the scheduler is closed', async () => {
  const { clock, jobs, calls, scheduler } = scriptedService(() => ({ status: 'queued' }))
  const job = jobs.handle('j1')
  await job.poll()
  expect([clock.monotonic(), calls.length]).toEqual([0, 1])
  const reason = new Error('closed')
  scheduler.close(reason)
  await expect(job.poll()).rejects.toBe(reason)
  expect(calls).toHaveLength(1)
})

it('R-23, R-31: poll() rejects at once with the error of the service, even a transient one', async () => {
  const { clock, jobs, calls } = scriptedService(
    (_call, index) =>
      [httpError(429, 120_000), httpError(503), httpError(404)][index] ?? { status: 'queued' },
  )
  await expect(jobs.attach('j1').poll()).rejects.toMatchObject({ status: 429, retryAfterMs: 120_000 })
  await expect(jobs.attach('j1').poll()).rejects.toMatchObject({ status: 503 })
  await expect(jobs.attach('j1').poll()).rejects.toMatchObject({ status: 404 })
  expect([clock.monotonic(), clock.timers, calls.length]).toEqual([0, 0, 3])
})

it('R-30: poll() resolves if the operation failed, and the wait throws its error without another poll', async () => {
  const { jobs, calls } = scriptedService(timeline([0, 'failed']))
  const job = jobs.handle('j1')
  expect(await job.poll()).toMatchObject({ status: 'failed', nextPollInMs: undefined })
  await expect(job.wait()).rejects.toBeInstanceOf(OperationFailedError)
  expect(calls).toHaveLength(1)
})

it('R-03, R-32: poll() ends at its deadline or an abort, and leaves nothing behind', async () => {
  const { clock, jobs, calls } = scriptedService(timeline([0, 'queued']), { latencyMs: 5_000 })
  await expect(jobs.attach('j1').poll({ deadline: '1s' })).rejects.toBeInstanceOf(DeadlineError)
  expect(clock.monotonic()).toBe(1_000)
  const controller = new AbortController()
  const reason = new Error('enough')
  clock.setTimer(() => controller.abort(reason), 1_000)
  await expect(jobs.attach('j1').poll({ signal: controller.signal })).rejects.toBe(reason)
  expect([clock.timers, calls.every(({ signal }) => signal.aborted)]).toEqual([0, true])
  await expect(jobs.attach('j1').poll({ deadlin: 1 } as never)).rejects.toBeInstanceOf(OptionsError)
})

it('R-30: poll() and a wait share the poll that is in progress', async () => {
  const { jobs, calls } = scriptedService(timeline([0, 'queued'], [5_000, 'completed']), { latencyMs: 100 })
  const job = jobs.attach('j1')
  const [, update] = await Promise.all([job.wait(), job.poll()])
  expect([update.status, update.polls]).toEqual(['queued', 1])
  expect(calls).toHaveLength(2)
})
