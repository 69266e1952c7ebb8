import { expect, it } from 'vitest'

import { OperationFailedError, UnexpectedContentError } from '../core/errors.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { unreadable } from '../retry/test-support/foreign-errors.ts'
import type { PollingOptions } from './operation.ts'
import { httpError, scriptedService, timeline } from './test-support/scripted-service.ts'

const oddPage = () => unreadable(200)

it('R-31: transient errors are retried within the deadline, and reported during the wait', async () => {
  const faults = [httpError(500), httpError(429), httpError(503), undefined, httpError(502)]
  const { jobs, calls } = scriptedService(
    ({ at }, index) => faults[index] ?? timeline([0, 'processing'], [40_000, 'completed'])({ at } as never),
  )
  const seen: unknown[] = []
  await jobs.handle('j1').wait({ onUpdate: (update) => seen.push(update.pollError) })
  expect(calls.length).toBeGreaterThan(5)
  expect(seen.slice(0, 6)).toEqual(faults.concat(undefined))
})

it.each([400, 401, 403, 404])(
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

it('R-31: two unreadable responses in a row are retried, a third ends the wait', async () => {
  const now = scriptedService((_call, index) =>
    index === 5 ? { status: 'completed' } : index === 2 ? { status: 'queued' } : oddPage(),
  )
  await expect(now.jobs.handle('j1').wait()).resolves.toEqual({ status: 'completed' })
  const always = scriptedService(oddPage)
  await expect(always.jobs.handle('j1').wait()).rejects.toBeInstanceOf(UnexpectedContentError)
  expect(always.calls).toHaveLength(3)
})

it.each<[kind: PollingOptions, own: PollingOptions, end: string]>([
  [{ statuses: { pending: ['failed'] } }, {}, 'success: completed'],
  [{ statuses: { pending: ['failed'] } }, { minDelayMs: 1_000 }, 'success: completed'],
  [{ statuses: { pending: ['failed'] } }, { statuses: { failure: ['cancelled'] } }, 'failure: cancelled'],
  [{ statuses: { pending: ['failed'] } }, { statuses: { failure: ['failed'] } }, 'failure: failed'],
  [
    { statuses: { pending: ['failed'], failure: ['odd'] } },
    { statuses: { success: ['odd'] } },
    'success: odd',
  ],
  [
    { statuses: { pending: ['failed'], failure: ['cancelled', 'odd'] } },
    { statuses: { pending: ['cancelled'] } },
    'failure: odd',
  ],
  [
    { minDelayMs: 6_000 },
    { statuses: { pending: ['failed'], success: undefined as never } },
    'success: completed',
  ],
])(
  'R-31: with the polling options %j of the kind and %j of the handle, a wait ends with %s, past unknown statuses',
  async (kind, own, end) => {
    const { jobs } = scriptedService(
      timeline([0, 'failed'], [20_000, 'cancelled'], [40_000, 'odd'], [60_000, 'completed']),
      { kind: { polling: kind } },
    )
    const job = jobs.handle('j1', { polling: own })
    const outcome = await job.wait().then(
      () => 'success',
      () => 'failure',
    )
    expect(`${outcome}: ${job.status}`).toBe(end)
  },
)

it('R-04: a response without a status is an error, whatever the validation mode', async () => {
  const { jobs } = scriptedService(() => ({ data: { state: 'completed' } }) as never)
  await expect(jobs.handle('j1').wait()).rejects.toMatchObject({
    code: 'contract-drift',
    operation: 'getJob',
    issues: [{ path: '/status' }],
  })
  const none = scriptedService(() => ({ data: null }) as never)
  await expect(none.jobs.handle('j1').wait()).rejects.toMatchObject({ code: 'contract-drift' })
})

it('R-33: a failed operation throws the error that the `failure` option makes', async () => {
  class JobFailedError extends OperationFailedError {}
  const { jobs } = scriptedService(timeline([0, { status: 'failed', result: 'ASSET.INVALID.SIZE' }]), {
    kind: {
      failure: ({ id, status, snapshot, operation }) => {
        const reason = snapshot.result ?? ''
        return new JobFailedError(`${id} ${status}`, { id, reason, advice: 'fix-input' }, { operation })
      },
    },
  })
  const error = await rejection(jobs.handle('j1').wait())
  expect(error).toBeInstanceOf(JobFailedError)
  expect(error).toMatchObject({
    code: 'operation-failed',
    id: 'j1',
    reason: 'ASSET.INVALID.SIZE',
    advice: 'fix-input',
  })
})

it('R-33: an error that `failure` throws ends the waits, but not the operation', async () => {
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
