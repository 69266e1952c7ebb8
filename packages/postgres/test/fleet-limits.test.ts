import { virtualClock } from '@concord/runtime/testing'
import { expect, it, onTestFinished } from 'vitest'

import { release } from '../src/jobs/pace.ts'

import { postgresRateLimit, postgresSemaphore, type ServiceLimits } from '../src/index.ts'
import { testDatabase } from './support/database.ts'
import { faultyPool } from './support/faulty-pool.ts'
import { requestsOf, startWorker } from './support/fleet.ts'
import { stubService } from './support/stub-service.ts'

const database = testDatabase()

/** Creates the same fleet for several workers, each with its own connections and limits, like separate processes. */
function workersOf(
  count: number,
  schema: string,
  limitsOf: (pool: ReturnType<typeof database.newPool>) => ServiceLimits,
  stub: ReturnType<typeof stubService>,
) {
  return Array.from({ length: count }, () => {
    const pool = database.newPool()
    return database.fleet(schema, { ...stub.service, limits: limitsOf(pool) }, { pool })
  })
}

async function work(
  fleets: ReturnType<typeof workersOf>,
  stub: ReturnType<typeof stubService>,
  count: number,
) {
  await fleets[0]!.stub.enqueue(requestsOf(count))
  const workers = fleets.map((fleet) => startWorker(fleet))
  await stub.stored(count)
  await Promise.all(workers.map((worker) => worker.stop()))
}

it('across all workers, the service never has more jobs than the limit, and the limit is used in full', async () => {
  let open = 0
  let most = 0
  const stub = stubService({
    polls: 2,
    onSubmit: () => void (most = Math.max(most, ++open)),
    onEnd: () => void open--,
  })
  await work(
    workersOf(3, 'capped', () => ({ unfinished: 3 }), stub),
    stub,
    40,
  )
  expect(most).toBe(3)
  expect(stub.submissions).toHaveLength(40)
})

it('R-47, R-48: a fleet accepts semaphores and rates as limits, and two workers together stay within them', async () => {
  let sending = 0
  let most = 0
  const two = Promise.withResolvers<void>()
  const sentAtMs: number[] = []
  const stub = stubService({
    beforeResponse: async () => {
      most = Math.max(most, ++sending)
      if (sending === 2) two.resolve()
      await two.promise
      sending--
    },
    onPoll: () => void sentAtMs.push(performance.now()),
  })
  const rate = { name: 'polls', limit: 5, windowMs: 300, marginMs: 1_000 }
  const fleets = workersOf(
    2,
    'budgeted',
    (pool) => ({
      submit: postgresSemaphore(pool, { name: 'submissions', capacity: 2 }),
      poll: postgresRateLimit(pool, rate),
    }),
    stub,
  )
  await work(fleets, stub, 12)
  expect(most).toBe(2)
  // A poll is sent a little later than its slot, which is what the margin is for.
  const spans = sentAtMs.slice(rate.limit).map((at, index) => at - sentAtMs[index]!)
  expect(spans.length).toBeGreaterThan(5)
  expect(Math.min(...spans)).toBeGreaterThan(rate.windowMs)
})

it('an idle worker acquires no limits, and sends at most 150 statements a minute to the database', async () => {
  using clock = virtualClock()
  let acquired = 0
  const limit = { acquire: async () => void acquired++ }
  const stub = stubService({ delay: 24 * 60 * 60_000 })
  const limited = { ...stub.service, limits: { submit: limit, poll: limit } }
  let statements = 0
  const pool = faultyPool(database.pool, () => (statements++, 'pass'))
  const fleet = database.fleet('idle', limited, { pool, clock })
  await fleet.stub.enqueue(requestsOf(50))
  const worker = startWorker(fleet)
  await expect.poll(() => stub.submissions.length).toBe(50)
  const before = { acquired, statements, elapsedMs: clock.elapsedMs }
  await expect.poll(() => clock.elapsedMs - before.elapsedMs).toBeGreaterThan(5 * 60_000)
  const minutes = (clock.elapsedMs - before.elapsedMs) / 60_000
  await worker.stop()
  expect(acquired).toBe(before.acquired)
  // Three with each heartbeat, every 2.5 s; ten to look for work, every 10 s; and a few for maintenance, every minute.
  expect((statements - before.statements) / minutes).toBeLessThan(150)
})

it('R-48: a request that waits for a lease sends at most 15 statements a minute to the database', async () => {
  using clock = virtualClock()
  let statements = 0
  const pool = faultyPool(database.newPool(), () => (statements++, 'pass'))
  const options = { name: 'long', capacity: 1, termMs: 30_000 }
  const holder = postgresSemaphore(database.pool, { ...options, termMs: 24 * 60 * 60_000 })
  const lease = await holder.acquire()
  const stop = new AbortController()
  const waiting = postgresSemaphore(pool, { ...options, clock }).acquire(1, [stop.signal])
  await expect.poll(() => clock.elapsedMs).toBeGreaterThan(20 * 60_000)
  const minutes = clock.elapsedMs / 60_000
  stop.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  // It renews its request and looks for dead holders three times in a term.
  expect(statements / minutes).toBeLessThan(15)
  lease[Symbol.dispose]()
  await holder.settled()
})

it("an error of the caller's limit when a lease is released does not end the process", async () => {
  const thrower = {
    [Symbol.dispose]: () => {
      throw new Error('no')
    },
  }
  const rejecter = { [Symbol.asyncDispose]: () => Promise.reject(new Error('no')) }
  const unhandled: unknown[] = []
  const onRejection = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', onRejection)
  onTestFinished(() => void process.off('unhandledRejection', onRejection))
  expect([release(thrower), release(rejecter), release(undefined)]).toEqual([0, 0, 0])
  await new Promise(setImmediate)
  expect(unhandled).toEqual([])
})
