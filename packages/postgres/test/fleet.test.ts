import { OptionsError } from '@concord/runtime'
import { virtualClock } from '@concord/runtime/testing'
import { expect, it } from 'vitest'

import { createFleet } from '../src/jobs/fleet.ts'
import { faultyPool } from './support/faulty-pool.ts'
import { testDatabase } from './support/database.ts'
import { requestsOf, workUntil } from './support/fleet.ts'
import { stubService } from './support/stub-service.ts'

const database = testDatabase()

it('each request of a batch is submitted, awaited and stored exactly once, and leaves no ticket behind', async () => {
  const stub = stubService({ polls: 2 })
  const fleet = database.fleet('basic', stub.service)
  expect(await fleet.stub.enqueue(requestsOf(100), { batch: 'first' })).toEqual({
    batch: 'first',
    total: 100,
    added: 100,
  })
  expect(await workUntil(fleet, () => stub.stored(100))).toEqual([])
  expect(stub.submissions.toSorted((a, b) => a - b)).toEqual(requestsOf(100).map(({ index }) => index))
  expect([...stub.results.values()]).toEqual(Array.from({ length: 100 }, () => 1))
  expect(await database.phases('basic')).toEqual({ done: 100 })
  expect(await database.count('basic_queue.job')).toBe(0)
  expect(await database.count('basic.fleet_workers')).toBe(0)
  await fleet.close()
})

it('results of two services have different names, also for batches of one name', async () => {
  const stub = stubService()
  const services = { images: stub.service, videos: stub.service }
  const fleet = createFleet({ pool: database.pool, schema: 'named', services })
  for (const name of ['images', 'videos'] as const)
    await fleet[name].enqueue(requestsOf(1), { batch: 'boats' })
  expect(await workUntil(fleet, () => stub.stored(2))).toEqual([])
  expect([...stub.results.keys()].toSorted()).toEqual(['images-boats-0', 'videos-boats-0'])
  await fleet.close()
})

it('repeating an interrupted enqueue call completes it, and other requests under the same name are rejected', async () => {
  const stub = stubService()
  const requests = requestsOf(2_500)
  // The connection is lost in the second of three chunks.
  let parts = 0
  const cut = faultyPool(database.pool, (text) =>
    text.includes('with ordinality') && ++parts === 2 ? 'cut-before' : 'pass',
  )
  const interrupted = database.fleet('enqueued', stub.service, { pool: cut })
  const batch = 'long'
  await expect(interrupted.stub.enqueue(requests, { batch })).rejects.toMatchObject({ reason: 'unavailable' })
  const fleet = database.fleet('enqueued', stub.service)
  const others = [requestsOf(2_500, 1), requestsOf(2_499), requestsOf(2_501)]
  await expect(fleet.stub.enqueue(others[0]!, { batch })).rejects.toThrow(OptionsError)
  expect(await fleet.stub.enqueue(requests, { batch })).toMatchObject({ total: 2_500, added: 1_500 })
  expect(await fleet.stub.enqueue(requests, { batch })).toMatchObject({ total: 2_500, added: 0 })
  for (const other of others)
    await expect(fleet.stub.enqueue(other, { batch })).rejects.toThrow(/exists with other requests/)
  const lossy = fleet.stub.enqueue([{ index: 1n } as never])
  await expect(lossy).rejects.toThrow(/`requests\[0\].index` is not plain data/)
  expect(await database.phases('enqueued')).toEqual({ queued: 2_500 })
})

it('estimate adds nothing, and a batch that may cost too much is rejected as a whole', async () => {
  const stub = stubService()
  const cost = ({ index }: { index: number }) => (index < 3 ? { min: index, max: 10 } : ('unknown' as const))
  const fleet = database.fleet('priced', { ...stub.service, cost })
  expect(await fleet.stub.estimate(requestsOf(4))).toEqual({
    requests: 4,
    cost: { min: 3, max: 30, unpriced: 1 },
  })
  await expect(fleet.stub.estimate([{ index: Number.NaN }])).rejects.toThrow(/is not plain data/)
  await expect(fleet.stub.enqueue(requestsOf(3), { maxCost: 29 })).rejects.toThrow(
    /^These requests can cost 30, .* Nothing was added/,
  )
  await expect(fleet.stub.enqueue(requestsOf(4), { maxCost: 99 })).rejects.toThrow(
    /The price of 1 of these requests is unknown/,
  )
  const { batch } = await fleet.stub.enqueue(requestsOf(3), { maxCost: 30 })
  expect(await database.phases('priced')).toEqual({ queued: 3 })
  expect((await fleet.status()).batches).toMatchObject([{ batch, cost: { all: { max: 30, unpriced: 0 } } }])
})

it('requests of many megabytes are added in transactions of a limited size', async () => {
  const stub = stubService()
  let parts = 0
  const pool = faultyPool(database.pool, (text) => {
    if (text.includes('with ordinality')) parts++
    return 'pass'
  })
  const fleet = database.fleet('large', stub.service, { pool })
  const requests = Array.from({ length: 3 }, (_, index) => ({ index, image: 'A'.repeat(4_500_000) }))
  expect(await fleet.stub.enqueue(requests, { batch: 'large' })).toMatchObject({ added: 3 })
  expect(await fleet.stub.enqueue(requests, { batch: 'large' })).toMatchObject({ added: 0 })
  expect(parts).toBe(2)
})

it('a small batch that is enqueued later does not wait for a large one', async () => {
  const stub = stubService()
  const fleet = database.fleet('fair', stub.service)
  await fleet.stub.enqueue(requestsOf(200), { batch: 'large' })
  await fleet.stub.enqueue(requestsOf(10, 1_000), { batch: 'small' })
  await workUntil(fleet, () => stub.stored(210), { concurrency: 4 })
  const last = stub.submissions.findLastIndex((index) => index >= 1_000)
  expect(last).toBeLessThan(40)
})

it('fleets with different schemas in one database are independent', async () => {
  const [one, two] = [stubService(), stubService()]
  const first = database.fleet('fleet_one', one.service)
  const second = database.fleet('fleet_two', two.service)
  await first.stub.enqueue(requestsOf(20))
  await second.stub.enqueue(requestsOf(20, 100))
  await Promise.all([workUntil(first, () => one.stored(20)), workUntil(second, () => two.stored(20))])
  expect(one.submissions.every((index) => index < 100)).toBe(true)
  expect(two.submissions.every((index) => index >= 100)).toBe(true)
  expect([one.submissions.length, two.submissions.length]).toEqual([20, 20])
})

it('a request that was certainly not sent goes back to the queue, and the service is paused for all workers', async () => {
  let denials = 2
  const stub = stubService({
    onSubmit() {
      if (denials-- > 0)
        throw Object.assign(new OptionsError('rate', 'is used up.', 'Wait.'), {
          status: 429,
          retryAfterMs: 300,
        })
    },
  })
  const fleet = database.fleet('paused', stub.service)
  await fleet.stub.enqueue(requestsOf(3))
  expect(await workUntil(fleet, () => stub.stored(3), { concurrency: 2 })).toEqual([])
  expect(stub.submissions.toSorted()).toEqual([0, 1, 2])
  const rows = await database.rows(`select pauses, pause_reason from paused.fleet_services`)
  expect(rows).toEqual([{ pauses: 2, pause_reason: '`rate` is used up. Wait.' }])
})

it('a job of a repeatable service is submitted again if its response is lost, or its worker dies or takes too long', async () => {
  let failures = 1
  const stub = stubService({
    repeatable: true,
    beforeResponse(index) {
      if (index === 0 && failures-- > 0) throw new Error('the connection was lost')
    },
  })
  const fleet = database.fleet('repeated', stub.service)
  await fleet.stub.enqueue(requestsOf(3))
  // Worker 99 has died while it sent request 1. Worker 100 is alive, but the ticket of request 2 can be taken again.
  await database.pool.query(
    `insert into repeated.fleet_workers (id, name) overriding system value values (100, 'slow')`,
  )
  await database.pool.query(
    `update repeated.fleet_jobs set phase = 'submitting', intent = 1, worker = position + 98 where position > 0`,
  )
  await database.pool.query(`update repeated_queue.job set state = 'active' where data->>'position' = '1'`)
  expect(await workUntil(fleet, () => stub.stored(3))).toEqual([])
  expect(stub.submissions.toSorted()).toEqual([0, 0, 1, 2])
  expect(await database.phases('repeated')).toEqual({ done: 3 })
  expect(await database.count('repeated_queue.job')).toBe(0)
})

it('a result that a worker takes too long to store is stored by another one, and counted once', async () => {
  const stuck = Promise.withResolvers<void>()
  const [slow, other] = [stubService({ delay: 1 }), stubService({ delay: 1 })]
  let isStoring = false
  const service = {
    ...slow.service,
    async store() {
      isStoring = true
      await stuck.promise
    },
  }
  const fleet = database.fleet('stuck', service)
  await fleet.stub.enqueue(requestsOf(1))
  await workUntil(
    fleet,
    async () => {
      await expect.poll(() => isStoring).toBe(true)
      // A job that its own worker stores has no ticket, so that two rows less are written.
      expect(await database.count('stuck_queue.job')).toBe(0)
      await database.pool.query(`update stuck.fleet_jobs set changed_at = now() - interval '11 minutes'`)
      await workUntil(database.fleet('stuck', other.service), () => other.stored(1))
      expect(await database.phases('stuck')).toEqual({ done: 1 })
      stuck.resolve()
    },
    { concurrency: 1 },
  )
  expect(slow.submissions).toEqual([0])
  expect(await database.phases('stuck')).toEqual({ done: 1 })
  expect(await database.count('stuck_queue.job')).toBe(0)
})

it('waiting jobs hold no resources in a process: minutes later, another worker finds their results', async () => {
  const stop = new AbortController()
  const stub = stubService({
    delay: 60_000,
    polls: 3,
    beforeResponse: (index) => void (index === 29 && stop.abort()),
  })
  using clock = virtualClock()
  const fleet = database.fleet('minutes', stub.service, { clock })
  await fleet.stub.enqueue(requestsOf(30))
  await fleet.work({ signal: stop.signal })
  expect(await database.phases('minutes')).toEqual({ waiting: 30 })
  await workUntil(fleet, () => stub.stored(30))
  expect(clock.elapsedMs).toBeGreaterThan(2 * 60_000)
  expect(stub.submissions).toHaveLength(30)
})
