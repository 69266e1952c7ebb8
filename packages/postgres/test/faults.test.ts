import { type AddressInfo, createServer } from 'node:net'
import { inspect } from 'node:util'

import type { StoredSession } from '@concord/runtime/session'
import { virtualClock } from '@concord/runtime/testing'
import { expect, it } from 'vitest'

import { rows } from '../src/database/database.ts'
import { trackedPool } from '../src/database/pool.ts'
import { sql } from '../src/database/sql.ts'
import { type DatabaseError, postgresRateLimit, postgresSemaphore, postgresTokenStore } from '../src/index.ts'
import { testDatabase } from './support/database.ts'
import { type Fault, faultyPool } from './support/faulty-pool.ts'

const database = testDatabase()
const OLD: StoredSession = { accessToken: 'access-1', refreshToken: 'refresh-1', obtainedAtMs: 1 }
const NEW: StoredSession = { accessToken: 'access-2', refreshToken: 'refresh-2', obtainedAtMs: 2 }
const CUTS: readonly Fault[] = ['cut-before', 'cut-after']

/** Runs a step repeatedly, and cuts its connection in each of its statements in turn. */
async function cutEverywhere(
  step: (pool: ReturnType<typeof faultyPool>, name: string) => Promise<void>,
): Promise<number> {
  let statements = 0
  for (const cut of CUTS)
    for (let number = 1; ; number++) {
      let isReached = false
      const pool = faultyPool(database.pool, (_, count) => {
        if (count !== number) return 'pass'
        isReached = true
        return cut
      })
      await step(pool, `${cut} ${number}`)
      if (!isReached) break
      statements++
    }
  return statements
}

it('R-42: a connection that is cut in any statement of a refresh loses no pair, and once the token is marked, the new one is stored', async () => {
  const statements = await cutEverywhere(async (pool, name) => {
    const other = postgresTokenStore(database.pool, { name })
    await other.exclusive((held) => held.write(OLD))
    const store = postgresTokenStore(pool, { name, takeoverMs: 2000 })
    let isMarked = false
    let end: unknown
    try {
      await store.exclusive(async (held) => {
        await held.write({ ...(await held.read())!, presented: 1 })
        isMarked = true
        await held.write(NEW)
      })
    } catch (error) {
      end = error
    }
    if (end !== undefined)
      expect(end).toMatchObject({ code: 'database', reason: 'unavailable', remedy: expect.any(String) })
    if (isMarked) expect(end).toBeUndefined()
    const found = await postgresTokenStore(database.pool, { name, takeoverMs: 0 }).exclusive((held) =>
      held.read(),
    )
    if (end === undefined) expect(found).toEqual(NEW)
    else expect([OLD, { ...OLD, presented: 1 }]).toContainEqual(found)
  })
  expect(statements).toBeGreaterThan(15)
})

it('R-47: a connection that is cut in any statement of a reservation wastes at most one slot', async () => {
  await cutEverywhere(async (pool, name) => {
    const rate = postgresRateLimit(pool, { name, limit: 4, windowMs: 60_000 })
    for (let count = 0; count < 3; count++) await rate.acquire({})
    const { rows } = await database.pool.query('select 1 from concord.rate_places where name = $1', [name])
    expect(rows.length).toBeLessThanOrEqual(4)
  })
})

it('R-48: a connection that is cut in any statement of a lease blocks its share for at most one term', async () => {
  const termMs = 1000
  await cutEverywhere(async (pool, name) => {
    const cut = postgresSemaphore(pool, { name, capacity: 1, termMs })
    const lease = await cut.acquire().catch((error: unknown) => error)
    if (lease instanceof Error) expect(lease).toMatchObject({ code: 'database', reason: 'unavailable' })
    else (lease as Disposable)[Symbol.dispose]()
    await cut.settled()
    const other = postgresSemaphore(database.pool, { name, capacity: 1, termMs })
    const next = await other.acquire()
    next[Symbol.dispose]()
    await other.settled()
  })
})

const secret = { ...OLD, accessToken: 'secret-access', refreshToken: 'secret-refresh' }

it('R-42: a full disk rejects the write with a remedy, and the previous session remains', async () => {
  const store = postgresTokenStore(database.pool, { name: 'full' })
  await store.exclusive((held) => held.write(OLD))
  // Instead of filling a disk, a trigger reports what PostgreSQL would report.
  const raise = "raise exception 'No space left on device: %', new.body using errcode = '53100'"
  await database.pool.query(
    `create function disk_full() returns trigger language plpgsql as $$ begin ${raise}; end $$`,
  )
  const isSecret = "when (new.name = 'full' and new.body like '%secret%')"
  await database.pool.query(
    `create trigger disk_full before update on concord.sessions for each row ${isSecret} execute function disk_full()`,
  )
  const error = await store.exclusive((held) => held.write(secret)).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    reason: 'full',
    sqlState: '53100',
    message: expect.stringContaining('Free disk space'),
  })
  await database.pool.query('drop trigger disk_full on concord.sessions')
  expect(await store.exclusive((held) => held.read())).toEqual(OLD)
})

it('R-42: an error that quotes a row is reported without the quote', async () => {
  const store = postgresTokenStore(database.pool, { name: 'quoted' })
  await store.exclusive((held) => held.write(OLD))
  await database.pool.query(
    "alter table concord.sessions add constraint clean check (body not like '%secret%')",
  )
  const error = await store.exclusive((held) => held.write(secret)).catch((thrown: unknown) => thrown)
  await database.pool.query('alter table concord.sessions drop constraint clean')
  expect(error).toMatchObject({ reason: 'failed', sqlState: '23514' })
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret')
})

it('slow statements, exhausted pools and servers, and missing rights are errors with a remedy', async () => {
  const open = (pool = database.pool) => postgresTokenStore(pool, { name: 'slow' })
  await open().read()
  const slow = database.newPool({ statement_timeout: 100 })
  await open(slow).read()
  const locking = await database.pool.connect()
  await locking.query('begin')
  await locking.query('lock table concord.sessions')
  await expect(open(slow).read()).rejects.toMatchObject({ reason: 'timeout', sqlState: '57014' })
  await locking.query('rollback')
  locking.release()

  const narrow = database.newPool({ max: 1, connectionTimeoutMillis: 1_000 })
  await open(narrow).read()
  const taken = await narrow.connect()
  await expect(open(narrow).read()).rejects.toMatchObject({
    reason: 'pool-exhausted',
    message: expect.stringContaining('`max`'),
  })
  taken.release()

  await database.pool.query("create role crowded login password 'local' connection limit 0")
  await database.pool.query("create role stranger login password 'local'")
  const as = (user: string, password = 'local') =>
    database.newPool({ connectionString: database.url.replace(/\/\/[^@]*@/, `//${user}:${password}@`) })
  await expect(open(as('crowded')).read()).rejects.toMatchObject({
    reason: 'pool-exhausted',
    sqlState: '53300',
  })
  await expect(open(as('stranger')).read()).rejects.toMatchObject({ reason: 'denied', sqlState: '42501' })
  const wrong = await open(as('stranger', 'secret-password'))
    .read()
    .catch((thrown: unknown) => thrown)
  expect(wrong).toMatchObject({ reason: 'denied', sqlState: '28P01' })
  expect(JSON.stringify(wrong) + String((wrong as DatabaseError).cause)).not.toContain('secret-password')
})

it('a server that ends a connection in the packet that opens it causes an error, and does not end the process', async () => {
  const message = (type: string, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts)
    const length = Buffer.alloc(4)
    length.writeInt32BE(body.length + 4)
    return Buffer.concat([Buffer.from(type), length, body])
  }
  const opened = [message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]
  const ended = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'))
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(Buffer.concat([...opened, ended])))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  using clock = virtualClock()
  const open = () => database.newPool({ connectionString: `postgres://nobody@127.0.0.1:${port}/nothing` })
  for (const pool of [open(), trackedPool(open(), clock)])
    await expect(rows(pool, sql`select 1`)).rejects.toMatchObject({ reason: 'unavailable' })
  await new Promise((resolve) => server.close(resolve))
})
