import type { PoolClient } from 'pg'
import { expect, it } from 'vitest'

import { rows, transaction, withSession } from '../src/database/database.ts'
import { sql } from '../src/database/sql.ts'
import { migrate } from '../src/index.ts'
import { testDatabase } from './support/database.ts'
import { faultyPool } from './support/faulty-pool.ts'
import { requestsOf, startWorker } from './support/fleet.ts'
import { stubService } from './support/stub-service.ts'

const database = testDatabase()

/** Runs statements in a transaction of their own, which stays open until `end`. */
async function openTransaction() {
  const client: PoolClient = await database.newPool({ max: 1 }).connect()
  await client.query("set deadlock_timeout = '10ms'")
  await client.query('begin')
  return {
    run: (text: string) => client.query(text),
    async end() {
      await client.query('commit')
      client.release()
    },
  }
}

it.each(['submit', 'store'] as const)(
  'a worker that has taken a ticket of the queue "%s" does not wait for a job whose transaction waits for the ticket',
  async (step) => {
    const schema = `claimed_${step}`
    const stub = stubService({ delay: 60_000 })
    let takes = 0
    const pool = faultyPool(database.newPool(), (text) => {
      if (text === 'rollback') takes++
      return 'pass'
    })
    const fleet = database.fleet(schema, stub.service, { pool })
    await fleet.stub.enqueue(requestsOf(2))
    if (step === 'store') {
      await database.pool.query(
        `update ${schema}.fleet_jobs set phase = 'storing', remote = 'work-' || position`,
      )
      await database.pool.query(`update ${schema}_queue.job set name = 'stub-store'`)
    }
    const other = await openTransaction()
    await other.run(`select 1 from ${schema}.fleet_jobs where position = 0 for update`)
    const worker = startWorker(fleet)
    // The worker has tried, and put the tickets back.
    await expect.poll(() => takes).toBeGreaterThan(2)
    const deleted = await other.run(`delete from ${schema}_queue.job where data->>'position' = '0'`)
    expect(deleted.rowCount).toBe(1)
    await other.run(`update ${schema}.fleet_jobs set phase = 'cancelled' where position = 0`)
    await other.end()
    if (step === 'submit') await expect.poll(() => stub.submissions).toEqual([1])
    else await stub.stored(1)
    await worker.stop()
    expect(worker.errors).toEqual([])
    expect([...stub.submissions, ...stub.results.keys()]).toHaveLength(1)
  },
)

it('a transaction that the server aborted in favor of another one is run again', async () => {
  await database.pool.query('create table pairs (name text primary key, value int not null)')
  await database.pool.query("insert into pairs values ('a', 0), ('b', 0)")
  const pool = database.newPool({ max: 3, options: '-c deadlock_timeout=10ms' })
  const met = Promise.withResolvers<void>()
  let arrived = 0
  let runs = 0
  const cross = (first: string, second: string) =>
    transaction(pool, async (session) => {
      runs++
      await session.rows(sql`update pairs set value = value + 1 where name = ${first}`)
      if (++arrived === 2) met.resolve()
      await met.promise
      await session.rows(sql`update pairs set value = value + 1 where name = ${second}`)
    })
  await Promise.all([cross('a', 'b'), cross('b', 'a')])
  // The transaction that runs again can meet the other one once more.
  expect(runs).toBeGreaterThan(2)
  expect(await database.rows('select value from pairs')).toEqual([{ value: 2 }, { value: 2 }])

  let statements = 0
  const always = faultyPool(pool, (text) => {
    if (text.startsWith('do')) statements++
    return 'pass'
  })
  const conflict = sql`do $$ begin raise exception 'conflict' using errcode = '40001'; end $$`
  await expect(rows(always, conflict)).rejects.toMatchObject({ reason: 'failed', sqlState: '40001' })
  expect(statements).toBe(5)
})

it('R-48: leases are renewed and released without locking a lease that the holder of the lock of its semaphore needs', async () => {
  await migrate(database.pool)
  const pool = database.newPool({ max: 2 })
  const ask = () =>
    rows<{ ticket: string }>(
      pool,
      sql`select ticket from concord.request_lease ('crowd', 1::numeric, 1::numeric, interval '1 minute', 'leases')`,
    )
  const [[held], [waiting]] = [await ask(), await ask()]
  for (const act of [
    sql`select * from concord.renew_leases (
      ${[waiting!.ticket, held!.ticket]}::bigint[], interval '1 minute', 'crowd', 'leases')`,
    sql`select concord.release_lease (${waiting!.ticket}::bigint, 'crowd', 1::numeric, 'leases')`,
  ]) {
    const other = await openTransaction()
    await other.run(`select pg_advisory_xact_lock(hashtextextended('leases' || 'crowd', 0))`)
    await withSession(pool, async (session) => {
      const [own] = await session.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      const acting = session.rows(act)
      const waiting = `pg_stat_activity where pid = ${own!.pid} and wait_event_type = 'Lock'`
      await expect.poll(() => database.count(waiting)).toBe(1)
      await other.run(`update concord.leases set weight = weight where name = 'crowd'`)
      await other.end()
      await acting
    })
  }
  const left = await database.rows("select ticket from concord.leases where name = 'crowd'")
  expect(left).toEqual([{ ticket: held!.ticket }])
})
