import { virtualClock } from '@concord/runtime/testing'
import { expect, it, vi } from 'vitest'

import { takeClient } from '../src/database/database.ts'
import type { PostgresClient } from '../src/database/pool.ts'
import { testDatabase } from './support/database.ts'
import { type Fault, faultyPool } from './support/faulty-pool.ts'
import { requestsOf, startWorker, workUntil } from './support/fleet.ts'
import { stubService } from './support/stub-service.ts'

const database = testDatabase()

async function phases(schema: string): Promise<Record<string, number[]>> {
  const rows = await database.rows<{ phase: string; positions: number[] }>(
    `select phase, array_agg(position order by position) as positions from ${schema}.fleet_jobs group by phase`,
  )
  return Object.fromEntries(rows.map(({ phase, positions }) => [phase, positions]))
}

/** Returns a short name for a kind of statement, such as `update fleet_jobs`. */
function kindOf(text: string): string {
  const plain = text
    .toLowerCase()
    .replaceAll(/"?\w+"?\.(?=["\w])/g, '')
    .replaceAll(/["\s]+/g, ' ')
    .trim()
  const [kind] =
    /^(begin|commit|rollback|listen)|(delete from|update|insert into) \w+|select/.exec(plain) ?? []
  // A queue has its own table, which is named after a digest.
  return (kind ?? plain).replace(/ j[0-9a-f]{40,}$/, ' tickets')
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index)
const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b)

it('a connection that is cut in any statement loses nothing and duplicates nothing', async () => {
  let storeFailures = 1
  const stub = stubService({
    polls: 2,
    onStore() {
      if (storeFailures-- > 0) throw new Error('the disk is full')
    },
  })
  using clock = virtualClock()
  await database.fleet('cut', stub.service).stub.enqueue(requestsOf(150))
  // The setup isn't tested here, so it runs on a pool without faults.
  const seen = new Map<string, number>()
  let isWorking = false
  const pool = faultyPool(database.newPool(), (text) => {
    if (!isWorking) return 'pass'
    const times = (seen.get(kindOf(text)) ?? 0) + 1
    seen.set(kindOf(text), times)
    if (times > 12) return 'pass'
    return (['cut-after', 'cut-before', 'pass'] as const)[(times - 1) % 3]!
  })
  const fleet = database.fleet('cut', stub.service, { pool, clock })
  await fleet.stub.enqueue([])
  isWorking = true
  const stop = new AbortController()
  const errors: unknown[] = []
  const work = async (): Promise<void> => {
    while (!stop.signal.aborted)
      await fleet.work({ signal: stop.signal, onError: (error) => errors.push(error) }).catch(() => undefined)
  }
  const working = work()
  await stub.stored(149)
  // The ticket of the result that could not be stored is due later.
  const makeDue = () => database.rows('update cut_queue.job set start_after = now() returning 1')
  await expect.poll(makeDue).toHaveLength(1)
  await stub.stored(150)
  stop.abort()
  await working
  expect(await phases('cut')).toEqual({ done: numbers(150) })
  expect(sorted(stub.submissions)).toEqual(numbers(150))
  expect(errors.length).toBeGreaterThan(20)
  expect([...seen.keys()]).toEqual(
    expect.arrayContaining([
      'begin',
      'commit',
      'rollback',
      'listen',
      'update fleet_jobs',
      'delete from tickets',
      'insert into tickets',
    ]),
  )
  await fleet.close()
})

it('a worker that dies at any statement loses nothing and duplicates nothing, and names what is uncertain', async () => {
  const stub = stubService({ polls: 2 })
  await database.fleet('die', stub.service).stub.enqueue(requestsOf(300), { batch: 'all' })
  for (let number = 1; number <= 24; number++) {
    for (const fault of ['die-before', 'die-after'] as const) {
      let from = Infinity
      const pool = faultyPool(database.pool, (text, at): Fault => {
        if (text.includes('fleet_workers')) from = Math.min(from, at)
        return at === from + number ? fault : 'pass'
      })
      database
        .fleet('die', stub.service, { pool })
        .work({ concurrency: 2, onError: () => undefined })
        .catch(() => undefined)
      await pool.died
    }
  }
  const survivor = database.fleet('die', stub.service)
  const ended = () => database.count("die.fleet_jobs where phase in ('done', 'uncertain')")
  await workUntil(survivor, () => expect.poll(ended).toBe(300), { term: '200ms' })
  const { done = [], uncertain = [] } = await phases('die')
  const submitted = new Set(stub.submissions)
  expect(stub.submissions).toHaveLength(submitted.size)
  expect(done.every((position) => submitted.has(position))).toBe(true)
  expect(sorted([...done, ...uncertain])).toEqual(numbers(300))
  // A worker has at most two requests in progress when it dies.
  expect(uncertain.length).toBeLessThanOrEqual(2 * 48)
})

it('a worker that returns after others took over records what it knows, and nothing is sent twice', async () => {
  const response = Promise.withResolvers<void>()
  const stub = stubService({ beforeResponse: () => response.promise })
  const pool = faultyPool(database.pool, () => 'pass')
  const fleet = database.fleet('zombie', stub.service, { pool })
  await fleet.stub.enqueue(requestsOf(3))
  const zombie = startWorker(fleet, { concurrency: 2 })
  await expect.poll(() => stub.submissions).toHaveLength(2)
  const thaw = Promise.withResolvers<void>()
  pool.held = thaw.promise
  const other = startWorker(database.fleet('zombie', stub.service), { term: '200ms' })
  await expect.poll(() => phases('zombie')).toMatchObject({ uncertain: [0, 1] })
  response.resolve()
  thaw.resolve()
  await stub.stored(3)
  await Promise.all([other.stop(), zombie.stop()])
  expect(await phases('zombie')).toEqual({ done: [0, 1, 2] })
  expect(stub.submissions.toSorted()).toEqual([0, 1, 2])
})

it('jobs that a worker took after others had taken over its earlier jobs are freed too when it dies', async () => {
  const stub = stubService()
  const fleet = database.fleet('twice', stub.service)
  await fleet.stub.enqueue(requestsOf(2))
  // Worker 99 has been removed.
  await database.pool.query(
    `update twice.fleet_jobs set phase = 'submitting', intent = 1, worker = 99 where position = 0`,
  )
  await database.pool.query(`update twice_queue.job set state = 'active' where data->>'position' = '0'`)
  const ended = () => expect.poll(() => phases('twice')).toEqual({ uncertain: [0], done: [1] })
  await workUntil(fleet, ended, { term: '200ms' })
  expect(stub.submissions).toEqual([1])
})

it('while all connections are in use, every call of a fleet fails after a limited wait, and a worker reports that and continues', async () => {
  const stub = stubService()
  await database.fleet('exhausted', stub.service).stub.enqueue(requestsOf(2), { batch: 'few' })
  const pool = database.newPool({ max: 2, connectionTimeoutMillis: 1_000 })
  const fleet = database.fleet('exhausted', stub.service, { pool })
  const taken = await Promise.all([pool.connect(), pool.connect()])
  const calls = [
    () => fleet.stub.enqueue(requestsOf(1)),
    () => fleet.work(),
    () => fleet.webhook({ service: 'stub', id: 'a' }),
    () => fleet.cancel('stub/few'),
    () => fleet.retry('stub/few'),
    () => fleet.resolve('stub/few/0', 'abandon'),
    () => fleet.status(),
  ]
  const exhausted = { reason: 'pool-exhausted', remedy: expect.stringContaining('`max`') as string }
  await Promise.all(calls.map((call) => expect(call()).rejects.toMatchObject(exhausted)))
  taken.pop()!.release()
  // One connection is left. Listening takes it, or waits in vain.
  const worker = startWorker(fleet)
  await expect.poll(() => worker.errors).toContainEqual(expect.objectContaining({ reason: 'pool-exhausted' }))
  taken.pop()!.release()
  await stub.stored(2)
  await worker.stop()
  expect(await phases('exhausted')).toEqual({ done: [0, 1] })
  expect(stub.submissions.toSorted()).toEqual([0, 1])
})

it('a pool without a connection timeout gets one, and a connection that arrives later is returned', async () => {
  using clock = virtualClock()
  const late = Promise.withResolvers<PostgresClient>()
  const taking = takeClient({ connect: () => late.promise }, undefined, clock)
  await expect(taking).rejects.toMatchObject({ reason: 'pool-exhausted' })
  expect(clock.elapsedMs).toBe(60_000)
  const release = vi.fn<() => void>()
  late.resolve({ release } as unknown as PostgresClient)
  await late.promise
  expect(release).toHaveBeenCalledOnce()
})

it('slow statements that the server cancels lose nothing and duplicate nothing', async () => {
  const stub = stubService({ polls: 2 })
  await database.fleet('slow', stub.service).stub.enqueue(requestsOf(20))
  const pool = database.newPool({ statement_timeout: 100 })
  const worker = startWorker(database.fleet('slow', stub.service, { pool }), { concurrency: 4 })
  await expect.poll(() => stub.submissions.length).toBeGreaterThan(3)
  const locking = await database.pool.connect()
  await locking.query('begin')
  await locking.query('lock table slow.fleet_jobs')
  await expect.poll(() => worker.errors).toContainEqual(expect.objectContaining({ reason: 'timeout' }))
  await locking.query('rollback')
  locking.release()
  await stub.stored(20)
  await worker.stop()
  expect(await phases('slow')).toEqual({ done: numbers(20) })
  expect(sorted(stub.submissions)).toEqual(numbers(20))
})
