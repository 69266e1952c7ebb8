import { expect, it } from 'vitest'

import { migrateWith } from '../src/schema/migrate.ts'
import { createFleet, DatabaseError, migrate } from '../src/index.ts'
import { MIGRATIONS } from '../src/schema/migrations.ts'
import { Schema, sql } from '../src/database/sql.ts'
import { testDatabase } from './support/database.ts'
import { requestsOf, workUntil } from './support/fleet.ts'
import { stubService } from './support/stub-service.ts'

const database = testDatabase()
const NEWEST = MIGRATIONS.length
const names = async (text: string, values?: unknown[]): Promise<string[]> =>
  (await database.rows<{ name: string }>(text, values)).map(({ name }) => name)
const tables = (schema: string) =>
  names('select tablename as name from pg_tables where schemaname = $1 order by 1', [schema])
const QUEUES = ['a-store', 'a-submit', 'b-store', 'b-submit']

/** Creates a user who can't create tables, and a pool of the user. */
async function asUser(name: string, rights: string) {
  await database.pool.query(`create role ${name} login password '${name}'`)
  await database.pool.query(rights)
  return database.newPool({ connectionString: database.url.replace(/\/\/[^@]*@/, `//${name}:${name}@`) })
}

it('twelve processes that migrate concurrently create one schema, each step once', async () => {
  const pools = Array.from({ length: 12 }, () => database.newPool({ max: 1 }))
  expect(await Promise.all(pools.map((pool) => migrate(pool)))).toEqual(pools.map(() => NEWEST))
  const rows = await database.rows('select version from concord.migrations order by 1')
  expect(rows).toEqual(MIGRATIONS.map((_, index) => ({ version: index + 1 })))
  expect(await tables('concord')).toContain('sessions')
})

it('twelve workers that start concurrently in an empty database create one queue for each step, with one connection each', async () => {
  const fleets = Array.from({ length: 12 }, () =>
    createFleet({
      pool: database.newPool({ max: 1 }),
      schema: 'started',
      services: { a: stubService().service, b: stubService().service },
    }),
  )
  await Promise.all(fleets.map((fleet) => fleet.a.enqueue([{ index: 0 }], { batch: 'same' })))
  expect(await names('select name from started_queue.queue')).toEqual(expect.arrayContaining(QUEUES))
  expect(await database.count('started_queue.job')).toBe(1)
  // No process kept the lock.
  const own = '(select oid from pg_database where datname = current_database())'
  expect(await database.count(`pg_locks where locktype = 'advisory' and database = ${own}`)).toBe(0)
})

it('a queue that a newer version of pg-boss changed is rejected before anything is added', async () => {
  const open = () => database.fleet('boss', stubService().service)
  await open().stub.enqueue([{ index: 0 }], { batch: 'before' })
  await database.pool.query('update boss_queue.version set version = version + 1')
  const calls = [
    () => open().stub.enqueue([{ index: 1 }], { batch: 'after' }),
    () => open().work(),
    () => open().cancel('stub/before'),
    () => open().retry('stub/before'),
    () => open().resolve('stub/before/0', 'abandon'),
  ]
  for (const call of calls)
    await expect(call()).rejects.toMatchObject({
      reason: 'schema',
      message: expect.stringContaining("of pg-boss's schema") as string,
      remedy: expect.stringMatching(/^Update @concord\/postgres/) as string,
    })
  expect(await database.phases('boss')).toEqual({ queued: 1 })
})

it('a schema that a newer version changed is rejected, and not changed', async () => {
  const schema = new Schema('newer')
  const newer = { title: 'to come', statements: () => [] }
  await migrateWith(database.pool, schema, [...MIGRATIONS, newer])
  const before = await tables('newer')
  const error = await migrate(database.newPool(), { schema: 'newer' }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(DatabaseError)
  expect(error).toMatchObject({
    reason: 'schema',
    remedy: expect.stringMatching(/^Update @concord\/postgres/),
  })
  expect(await tables('newer')).toEqual(before)
})

it('a failing step is rolled back, together with the steps before it', async () => {
  const schema = new Schema('failing')
  const failing = {
    title: 'fails',
    statements: () => [sql`create table ${schema.table('half')} ()`, sql`select 1/0`],
  }
  await expect(migrateWith(database.pool, schema, [...MIGRATIONS, failing])).rejects.toBeInstanceOf(
    DatabaseError,
  )
  expect(await tables('failing')).toEqual([])
  expect(await migrate(database.pool, { schema: 'failing' })).toBe(NEWEST)
})

it('a server that is too old is rejected before anything is created', async () => {
  const error = await migrateWith(database.pool, new Schema('old_server'), MIGRATIONS, 990_000).catch(
    (thrown: unknown) => thrown,
  )
  expect(error).toMatchObject({
    reason: 'unsupported',
    message: expect.stringMatching(/^The server is PostgreSQL \d+\.\d+.*Use PostgreSQL 99 or later/),
  })
  expect(await database.count("pg_namespace where nspname = 'old_server'")).toBe(0)
})

it('a process without the right to create tables uses a schema that was migrated before', async () => {
  await migrate(database.pool, { schema: 'prepared' })
  const pool = await asUser(
    'worker',
    'grant usage on schema prepared to worker; grant select on prepared.migrations to worker',
  )
  expect(await migrate(pool, { schema: 'prepared' })).toBe(NEWEST)
  await expect(migrate(pool, { schema: 'not_there' })).rejects.toMatchObject({
    reason: 'denied',
    sqlState: '42501',
  })
})

/** The grants of the README. */
const GRANTS = `
  grant usage on schema granted, granted_queue to limited;
  grant select, insert, update, delete on all tables in schema granted, granted_queue to limited;
  grant usage on all sequences in schema granted, granted_queue to limited`

it('a worker without the right to create tables does the work of a fleet whose services were named to migrate', async () => {
  const schema = 'granted'
  await migrate(database.pool, { schema, services: ['stub'] })
  const pool = await asUser('limited', GRANTS)
  const stub = stubService()
  const fleet = database.fleet(schema, stub.service, { pool })
  await fleet.stub.enqueue(requestsOf(2))
  expect(await workUntil(fleet, () => stub.stored(2))).toEqual([])
  expect((await fleet.status()).batches).toMatchObject([{ isComplete: true, phases: { done: 2 } }])
  const another = createFleet({ pool, schema, services: { stub: stub.service, other: stub.service } })
  await expect(another.work()).rejects.toMatchObject({
    reason: 'denied',
    remedy: expect.stringContaining('run `migrate(pool, { schema, services })`'),
  })
})

it('migrate adds the queues of further services, and changes nothing if all exist', async () => {
  const queues = () =>
    database.rows<{ name: string }>('select name, created_on from added_queue.queue order by 1')
  for (const services of [['a'], ['a', 'b']]) await migrate(database.pool, { schema: 'added', services })
  const before = await queues()
  expect(before.map(({ name }) => name)).toEqual(expect.arrayContaining(QUEUES))
  expect(await migrate(database.pool, { schema: 'added', services: ['b', 'a'] })).toBe(NEWEST)
  expect(await queues()).toEqual(before)
})

it.each([[['a b']], [['work']], [[3]], ['media'], [null]])('rejects %j as services', async (services) => {
  const options = { schema: 'unnamed', services: services as never }
  await expect(migrate(database.pool, options)).rejects.toMatchObject({ option: 'services' })
  expect(await tables('unnamed')).toEqual([])
})

it.each(['', 'Concord', '1st', 'a"b', 'a b', 'pg_mine', 'concord_queue', 'x'.repeat(41), 'a;drop'])(
  'rejects %j as a schema name',
  async (schema) => {
    await expect(migrate(database.pool, { schema })).rejects.toMatchObject({ option: 'schema' })
  },
)
