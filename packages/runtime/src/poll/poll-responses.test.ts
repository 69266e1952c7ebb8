import { expect, it } from 'vitest'

import { OperationFailedError, UnexpectedContentError } from '../core/errors.ts'
import { httpError, scriptedService, timeline } from './test-support/scripted-service.ts'

const oddPage = () =>
  new UnexpectedContentError(
    'a page',
    { status: 200, body: '', text: '', headers: () => new Headers() },
    { contentType: 'text/html', excerpt: '' },
  )

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

it('R-31: an unknown status counts as pending', async () => {
  const { jobs, calls } = scriptedService(timeline([0, 'REVIEWING'], [30_000, 'completed']))
  const job = jobs.handle('j1')
  const seen: unknown[] = []
  await job.wait({ onUpdate: ({ status }) => seen.push(status) })
  expect(new Set(seen)).toEqual(new Set(['REVIEWING', 'completed']))
  expect(calls.length).toBeGreaterThan(3)
})

it('R-31: further waiting statuses can be named, for a kind and for a single handle', async () => {
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

it('R-31: statuses of a single handle override those of the kind', async () => {
  const { clock, jobs } = scriptedService(timeline([0, 'cancelled'], [30_000, 'completed']), {
    kind: { polling: { statuses: { failure: ['cancelled', 'rejected'] } } },
  })
  await jobs.handle('j1', { polling: { statuses: { pending: ['cancelled'] } } }).wait()
  expect(clock.monotonic()).toBeGreaterThanOrEqual(30_000)
})

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

it("R-33: a failed operation is the service's typed error", async () => {
  class JobFailedError extends OperationFailedError {}
  const { jobs } = scriptedService(timeline([0, { status: 'failed', result: 'ASSET.INVALID.SIZE' }]), {
    kind: {
      failure: ({ id, status, snapshot, operation }) => {
        const reason = snapshot.result ?? ''
        return new JobFailedError(`${id} ${status}`, { id, reason, advice: 'fix-input' }, { operation })
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

it('R-33: without a mapping the error is still typed', async () => {
  const { jobs } = scriptedService(timeline([0, 'failed']))
  await expect(jobs.handle('j1').wait()).rejects.toMatchObject({
    code: 'operation-failed',
    id: 'j1',
    reason: '',
    advice: 'none',
    operation: 'getJob',
  })
})

it('R-33: an error in a mapping ends the waits, but not the operation', async () => {
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

it('R-31: a list of a single handle adds to the lists of the kind, and needs no other list', async () => {
  const kind = { polling: { minDelayMs: 2_000, statuses: { pending: ['held'], failure: ['failed', 'odd'] } } }
  const steps = timeline([0, 'held'], [20_000, 'parked'], [40_000, 'odd'], [60_000, 'completed'])
  const { clock, jobs } = scriptedService(steps, { kind })
  await jobs.handle('j1', { polling: { statuses: { pending: ['parked'], success: ['odd'] } } }).wait()
  expect(clock.monotonic()).toBeGreaterThanOrEqual(40_000)
  expect(clock.monotonic()).toBeLessThan(60_000)
  const plain = scriptedService(timeline([0, 'queued'], [10_000, 'completed']), { kind })
  await plain.jobs.handle('j1', { polling: { minDelayMs: 1_000 } }).wait()
  const bare = scriptedService(timeline([0, 'queued'], [10_000, 'completed']))
  await bare.jobs.handle('j1', { polling: { statuses: { pending: ['queued'] } } }).wait()
})

it('R-31: a list of a single handle may be undefined, and the kind may have other polling options', async () => {
  const { jobs } = scriptedService(timeline([0, 'done']), { kind: { polling: { minDelayMs: 6_000 } } })
  const statuses = { pending: undefined, success: ['done'] } as { success: string[] }
  await jobs.handle('j1', { polling: { statuses } }).wait()
  const other = scriptedService(timeline([0, 'done']), {
    kind: { polling: { statuses: { failure: ['done'] } } },
  })
  await other.jobs.handle('j1', { polling: { statuses } }).wait()
})
