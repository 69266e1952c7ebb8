import { virtualClock } from '@concord/runtime/testing'
import { expect, it } from 'vitest'

import { testDatabase } from './support/database.ts'
import { requestsOf, startWorker, workUntil } from './support/fleet.ts'
import { stubService } from './support/stub-service.ts'

const database = testDatabase()

it('work whose deadline passes at the service is reported with its id, and retry awaits it again without another submission', async () => {
  using clock = virtualClock()
  let isReady = false
  const stub = stubService({ polls: 1_000_000, delay: 60_000 })
  const service = {
    ...stub.service,
    poll: (id: string, signal: AbortSignal) =>
      isReady
        ? Promise.resolve({ state: 'succeeded' as const, result: { id, index: Number(id.slice(5)) } })
        : stub.service.poll(id, signal),
  }
  const fleet = database.fleet('sent', service, { pool: database.newPool(), clock })
  await fleet.stub.enqueue(requestsOf(3), { batch: 'short', deadline: '10m' })
  await fleet.stub.enqueue(requestsOf(1, 10), { batch: 'open' })
  const worker = startWorker(fleet)
  await database.becomes('sent', { expired: 3, waiting: 1 })
  expect(clock.elapsedMs).toBeGreaterThanOrEqual(10 * 60_000)
  const { attention, batches, orphans } = await fleet.status()
  expect(attention).toMatchObject(
    [0, 1, 2].map((index) => ({
      job: `stub/short/${index}`,
      phase: 'expired',
      id: `work-${index}`,
      reason: expect.stringContaining('may still finish and be charged') as string,
    })),
  )
  expect(batches[0]).toMatchObject({ total: 3, phases: { expired: 3 }, cost: { submitted: { unpriced: 3 } } })
  expect(orphans).toEqual([])

  isReady = true
  expect(await fleet.retry('stub/short/0')).toBe(1)
  await fleet.resolve('stub/short/1', { acceptedAs: 'work-1' })
  await fleet.resolve('stub/short/2', 'abandon')
  await database.becomes('sent', { done: 3, failed: 1 })
  await worker.stop()
  expect(worker.errors).toEqual([])
  expect(stub.submissions.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 10])
  expect([...stub.results.keys()].toSorted()).toEqual(['stub-open-0', 'stub-short-0', 'stub-short-1'])
})

it('a request whose deadline passes in the queue is never sent, leaves no ticket behind, and can be retried', async () => {
  using clock = virtualClock()
  const stub = stubService()
  const fleet = database.fleet('unsent', stub.service, { clock })
  await fleet.stub.enqueue(requestsOf(2_500), { batch: 'late', deadline: '1m' })
  await fleet.stub.enqueue(requestsOf(2, 5_000), { batch: 'open', deadline: '3h' })
  await clock.advance(2 * 60_000)
  const work = (phases: Record<string, number>) => workUntil(fleet, () => database.becomes('unsent', phases))
  await work({ expired: 2_500, done: 2 })
  expect(stub.submissions.toSorted((a, b) => a - b)).toEqual([5_000, 5_001])
  expect(await database.count('unsent_queue.job')).toBe(0)
  const { batches, attention } = await fleet.status()
  expect(batches[0]).toMatchObject({ cost: { submitted: { unpriced: 0 }, all: { unpriced: 2_500 } } })
  expect(attention[0]).toMatchObject({ reason: 'Its deadline passed before it was submitted.' })
  expect(await fleet.retry('stub/late/7')).toBe(1)
  await fleet.resolve('stub/late/8', 'not-sent')
  await work({ expired: 2_498, done: 4 })
  expect(stub.submissions).toHaveLength(4)
})
