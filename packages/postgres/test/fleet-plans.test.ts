import { expect, it } from 'vitest'

import { ticketId } from '../src/jobs/ticket-id.ts'
import { Tickets } from '../src/jobs/tickets.ts'
import { rehearsal } from '../src/database/database.ts'
import { Schema, sql } from '../src/database/sql.ts'
import { migrateWith } from '../src/schema/migrate.ts'
import { MIGRATIONS } from '../src/schema/migrations.ts'
import { testDatabase } from './support/database.ts'
import { requestsOf, workUntil } from './support/fleet.ts'
import { stubService } from './support/stub-service.ts'

const database = testDatabase()

/** Submits all jobs of a schema. @returns how many index entries and rows of tickets the server has read for it. */
async function readToSubmit(schema: string, jobs: number, batches: number): Promise<number> {
  const stub = stubService({ delay: 24 * 60 * 60_000 })
  const pool = database.newPool()
  const fleet = database.fleet(schema, stub.service, { pool })
  for (let batch = 0; batch < batches; batch++) await fleet.stub.enqueue(requestsOf(jobs / batches))
  await workUntil(fleet, () => expect.poll(() => stub.submissions.length).toBe(jobs))
  // A connection reports what it has read when it ends.
  await pool.end()
  const others =
    "pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'"
  await expect.poll(() => database.count(others)).toBe(0)
  const [row] = await database.rows<{ read: number }>(
    `select (sum(i.idx_tup_read) + (select sum(t.seq_tup_read) from pg_stat_user_tables t where t.schemaname = $1))::int as read
      from pg_stat_user_indexes i where i.schemaname = $1 and i.relname ~ '^j[0-9a-f]{40}'`,
    [`${schema}_queue`],
  )
  return row!.read
}

it.each([
  ['one batch, before the server has made statistics', 'large', 1],
  ['many small batches', 'small', 10],
])('taking and removing tickets of %s reads few others', async (_, schema, batches) => {
  expect(await readToSubmit(schema, 3_000, batches)).toBeLessThan(20 * 3_000)
})

it('a worker that takes 400 of 10,000 tickets reads only these, while the statistics of the server know 10', async () => {
  const fleet = database.fleet('many', stubService().service, { pool: database.newPool() })
  await fleet.stub.enqueue(requestsOf(10))
  await database.pool.query('analyze')
  await fleet.stub.enqueue(requestsOf(10_000))
  // A connection counts what it has read for up to a second, so a new one takes the tickets.
  const pool = database.newPool()
  const tickets = new Tickets(pool, new Schema('many'), ['stub'])
  await tickets.start()
  const { taken, read } = await rehearsal(pool, async (session) => {
    const some = await tickets.take(session, 'stub', 'submit', 400)
    const [row] = await session.rows<{ read: number }>(
      sql`select sum(seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where schemaname = 'many_queue'`,
    )
    return { taken: some.length, read: row!.read }
  })
  await tickets.stop()
  expect(taken).toBe(400)
  expect(read).toBeLessThan(10 * 400)
})

it('the ids of tickets are unique UUIDs in the order of their creation', () => {
  const ids = Array.from({ length: 20_000 }, ticketId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.toSorted()).toEqual(ids)
  expect(
    ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
  ).toBe(true)
})

it('the jobs of an earlier version of the schema go on after the migration', async () => {
  await migrateWith(database.pool, new Schema('earlier'), MIGRATIONS.slice(0, 3))
  await database.pool.query(`insert into earlier.fleet_batches (service, name, added, is_complete, next_turn)
    values ('stub', 'old', 2, true, 2)`)
  const add = `insert into earlier.fleet_jobs (batch, position, service, phase, remote, next_poll_at, stored, request)
    values (1, $1, 'stub', $2, $3, now(), $4, $5)`
  await database.pool.query(add, [0, 'waiting', 'work-0', null, '{"index":0}'])
  await database.pool.query(add, [1, 'done', 'work-1', '"kept"', '{"index":1}'])
  const stub = stubService()
  const fleet = database.fleet('earlier', stub.service, { pool: database.newPool() })
  expect(await fleet.webhook({ service: 'stub', id: 'work-1' })).toBe(false)
  expect(await fleet.webhook({ service: 'stub', id: 'work-0' })).toBe(true)
  await workUntil(fleet, () => stub.stored(1))
  const rows = await database.rows('select phase, stored from earlier.fleet_jobs order by position')
  expect(rows).toEqual([
    { phase: 'done', stored: null },
    { phase: 'done', stored: 'kept' },
  ])
  expect(stub.submissions).toEqual([])
})
