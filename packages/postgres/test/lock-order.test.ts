import type { PoolClient } from 'pg'
import { expect, it } from 'vitest'

import { rows, type Session, transaction } from '../src/database/database.ts'
import { Schema } from '../src/database/sql.ts'
import { Interventions } from '../src/jobs/interventions.ts'
import { Journal } from '../src/jobs/journal.ts'
import type { JobChange } from '../src/jobs/model.ts'
import { Tickets } from '../src/jobs/tickets.ts'
import { testDatabase } from './support/database.ts'
import { stubService } from './support/stub-service.ts'

const database = testDatabase()
const COUNT = 10
const MIDDLE = 5
const below = [0, 1, 2, 3, 4]
const positions = Array.from({ length: COUNT }, (_, index) => index)
const schema = new Schema('ordered')
const journal = new Journal(schema, () => null)
const all = { batches: undefined, jobs: [] }

/** Changes of all jobs, in the wrong order. */
const changes = (from: JobChange['from'], remote: string): readonly JobChange[] =>
  positions
    .toReversed()
    .map((position) => ({ batch: 1, position, intent: 0, from, phase: 'waiting', remote }))

/** Creates ten jobs in a phase, whose order in the table is the opposite of that of their keys. */
async function prepare(phase: string): Promise<void> {
  const fleet = database.fleet('ordered', stubService().service)
  await fleet.stub.enqueue(
    positions.map((index) => ({ index })),
    { batch: 'all' },
  )
  await database.pool.query('delete from ordered.fleet_orphans')
  for (const position of positions.toReversed())
    await database.pool.query(
      `with gone as (delete from ordered.fleet_jobs where position = $1 returning *)
        insert into ordered.fleet_jobs select * from gone`,
      [position],
    )
  const { rows: stored } = await database.pool.query<{ position: number }>(
    'select position from ordered.fleet_jobs order by ctid',
  )
  expect(stored.map(({ position }) => position)).not.toEqual(positions)
  await database.pool.query(
    `update ordered.fleet_jobs set phase = $1, worker = case when $1 in ('submitting', 'storing') then 99 end,
      intent = 0, remote = 'work', cancel_asked = false, next_poll_at = now(), deadline_at = now() - interval '1 hour'`,
    [phase],
  )
}

async function interventions(): Promise<Interventions> {
  const tickets = new Tickets(database.pool, schema, ['stub'])
  await tickets.start()
  return new Interventions(database.pool, schema, tickets)
}

/**
 * Runs an act while another transaction has the lock of the middle job, or has added its orphan, until the act waits for it.
 *
 * @param probe - Returns whether the act has locked a position.
 * @returns the positions that the act has locked by then.
 */
async function lockedBy(
  act: () => Promise<unknown>,
  obstacle: string,
  probe: (client: PoolClient, position: number) => Promise<unknown>,
): Promise<readonly number[]> {
  const other = await database.pool.connect()
  await other.query('begin')
  await other.query(obstacle)
  const acting = act()
  await database.blocked()
  const locked: number[] = []
  const client = await database.pool.connect()
  for (const position of positions.filter((each) => each !== MIDDLE)) {
    await client.query('begin')
    // A lock that is free is granted without waiting.
    await client.query("set local lock_timeout = '10ms'")
    await probe(client, position).catch((error: unknown) => {
      expect(error).toMatchObject({ code: '55P03' })
      locked.push(position)
    })
    await client.query('rollback')
  }
  client.release()
  await other.query('rollback')
  other.release()
  await acting
  return locked
}

const inTransaction = (work: (session: Session) => Promise<unknown>) => () => transaction(database.pool, work)

it.each<[name: string, phase: string, act: () => Promise<unknown>]>([
  [
    'takes over the jobs of dead workers',
    'submitting',
    inTransaction((session) => journal.abandoned(session, [])),
  ],
  [
    'takes over the results of dead workers',
    'storing',
    inTransaction((session) => journal.abandoned(session, [])),
  ],
  [
    'returns jobs that it never sent',
    'submitting',
    inTransaction((session) => journal.unsent(session, 'stub', 99, [])),
  ],
  [
    'ends jobs whose deadlines have passed',
    'waiting',
    inTransaction((session) => journal.expire(session, 100)),
  ],
  [
    'settles jobs',
    'submitting',
    inTransaction((session) => journal.settle(session, 1, changes('submitting', 'work'))),
  ],
  ['wakes jobs', 'waiting', () => rows(database.pool, journal.wake('stub', 'work'))],
  ['retries jobs', 'failed', async () => (await interventions()).retry(all)],
  ['cancels jobs', 'waiting', async () => (await interventions()).cancel(all)],
])('a transaction that %s locks them in the order of their keys', async (_, phase, act) => {
  await prepare(phase)
  const locked = await lockedBy(
    act,
    `select 1 from ordered.fleet_jobs where position = ${MIDDLE} for update`,
    (client, position) =>
      client.query('select 1 from ordered.fleet_jobs where position = $1 for update', [position]),
  )
  expect(locked).toEqual(below)
})

it.each<[name: string, remote: string, act: () => Promise<unknown>]>([
  [
    'of jobs that have moved on',
    'work',
    inTransaction((session) => journal.orphans(session, changes('submitting', 'orphan'))),
  ],
  [
    'of work that goes on at a service that cannot cancel',
    'orphan',
    inTransaction((session) => journal.keepIds(session, changes('waiting', 'orphan'))),
  ],
  ['of jobs that are submitted again', 'orphan', async () => (await interventions()).retry(all)],
])('the ids %s are kept in the order of their keys', async (_, remote, act) => {
  await prepare('failed')
  const add = (position: number) => `insert into ordered.fleet_orphans values (1, ${position}, 'orphan')`
  await database.pool.query('update ordered.fleet_jobs set remote = $1', [remote])
  const locked = await lockedBy(act, add(MIDDLE), (client, position) => client.query(add(position)))
  expect(locked).toEqual(below)
})

it('workers record their turns in the order of the names of the services', async () => {
  await prepare('done')
  const names = positions.map((position) => `service${position}`)
  const record = (turns: readonly string[]) =>
    rows(database.pool, journal.serviceStates(Object.fromEntries(turns.map((name) => [name, 1]))))
  await record(names)
  const lock = (position: number) =>
    `select 1 from ordered.fleet_services where service = 'service${position}' for update`
  const locked = await lockedBy(
    () => record(names.toReversed()),
    lock(MIDDLE),
    (client, position) => client.query(lock(position)),
  )
  expect(locked).toEqual(below)
})
