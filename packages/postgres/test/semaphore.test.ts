import { expect, it } from 'vitest'

import { type LimitEvent, type PostgresLease, postgresSemaphore } from '../src/index.ts'
import { testDatabase } from './support/database.ts'

const database = testDatabase()
const open = (name: string, capacity: number, more: { termMs?: number; max?: number } = {}) => {
  const { max = 3, ...options } = more
  return postgresSemaphore(database.newPool({ max }), { name, capacity, ...options })
}

it('R-48: processes that share a semaphore never hold more than its capacity, and each gets its share', async () => {
  const processes = Array.from({ length: 4 }, () => open('shared', 3))
  let held = 0
  let most = 0
  const done = await Promise.all(
    processes.flatMap((semaphore) =>
      Array.from({ length: 8 }, async (_, index) => {
        const weight = 1 + (index % 2) / 2
        const lease = await semaphore.acquire(weight)
        held += weight
        most = Math.max(most, held)
        await new Promise(setImmediate)
        held -= weight
        lease[Symbol.dispose]()
        lease[Symbol.dispose]()
        return lease.token
      }),
    ),
  )
  expect(new Set(done).size).toBe(32)
  expect(most).toBeLessThanOrEqual(3)
  expect(most).toBeGreaterThan(1)
  await Promise.all(processes.map((each) => each.settled()))
  expect(await database.count("concord.leases where name = 'shared'")).toBe(0)
})

it('R-48: requests are served in order, a heavy one before later, lighter ones', async () => {
  const [first, second] = [open('order', 2), open('order', 2)]
  const lease = await first.acquire(1)
  const order: string[] = []
  const heavy = second.acquire(2).then((each) => noted(order, 'heavy', each))
  await expect.poll(() => waiting('order')).toBe(1)
  const light = first.acquire(1).then((each) => noted(order, 'light', each))
  await expect.poll(() => waiting('order')).toBe(2)
  expect(order).toEqual([])
  lease[Symbol.dispose]()
  ;(await heavy)[Symbol.dispose]()
  ;(await light)[Symbol.dispose]()
  expect(order).toEqual(['heavy', 'light'])
  await Promise.all([first.settled(), second.settled()])
})

it('R-48: an aborted request leaves the line, and those behind it move up', async () => {
  const semaphore = open('abort', 2)
  const lease = await semaphore.acquire(1)
  const stop = new AbortController()
  const heavy = semaphore.acquire(2, [stop.signal]).catch((error: unknown) => error)
  await expect.poll(() => waiting('abort')).toBe(1)
  const light = semaphore.acquire(1)
  const reason = new Error('no more')
  stop.abort(reason)
  expect(await heavy).toBe(reason)
  const granted = await light
  await expect(semaphore.acquire(1, [AbortSignal.abort(reason)])).rejects.toBe(reason)
  for (const each of [lease, granted]) each[Symbol.dispose]()
  await semaphore.settled()
})

it('R-48: the lease of a dead process goes to the next one a term after its last renewal, and not earlier', async () => {
  const termMs = 1000
  // Its own renewals would be much too late to notice this.
  const next = open('dead', 1, { termMs: 600_000 })
  await next.acquire().then((lease) => lease[Symbol.dispose]())
  await next.settled()
  // A dead holder and a dead waiting process: rows that nothing renews.
  await database.pool.query(
    `insert into concord.leases (name, weight, is_granted, expires_at) values
      ('dead', 1, true, clock_timestamp() + interval '1 s'), ('dead', 1, false, clock_timestamp() + interval '1 s')`,
  )
  const now = async () =>
    (await database.rows<{ now: Date }>('select clock_timestamp() as now'))[0]!.now.getTime()
  const beganMs = await now()
  const lease = await next.acquire()
  expect((await now()) - beganMs).toBeGreaterThan(termMs - 100)
  lease[Symbol.dispose]()
  await next.settled()
})

it('R-48: a lease is renewed for as long as it is held, and its holder is notified if it is lost', async () => {
  const termMs = 1000
  const semaphore = open('renewed', 1, { termMs })
  const lease = await semaphore.acquire()
  const expiry = async () =>
    (
      await database.rows<{ at: Date }>("select expires_at as at from concord.leases where name = 'renewed'")
    )[0]!.at
  const first = await expiry()
  await expect.poll(async () => (await expiry()) > first).toBe(true)
  expect(lease.lost.aborted).toBe(false)
  await database.pool.query("delete from concord.leases where name = 'renewed'")
  await new Promise((resolve) => lease.lost.addEventListener('abort', resolve))
  expect(lease.lost.reason).toMatchObject({ code: 'database', reason: 'lost' })
  lease[Symbol.dispose]()
  await semaphore.settled()
})

it('R-48: requests survive the loss of every connection, and keep their places in line', async () => {
  const [holder, other] = [open('cut', 1), open('cut', 1)]
  const lease = await holder.acquire()
  const order: number[] = []
  const requests: Promise<PostgresLease>[] = []
  for (const number of [1, 2]) {
    requests.push(other.acquire().then((each) => noted(order, number, each)))
    await expect.poll(() => waiting('cut')).toBe(number)
  }
  await database.pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  lease[Symbol.dispose]()
  for (const request of requests) (await request)[Symbol.dispose]()
  expect(order).toEqual([1, 2])
  await Promise.all([holder.settled(), other.settled()])
})

it('R-48: while the database is unreachable, a closed semaphore fails and an open one lets work through uncounted', async () => {
  const unreachable = database.unreachablePool()
  const events: LimitEvent[] = []
  const observe = (event: LimitEvent) => void events.push(event)
  const closed = postgresSemaphore(unreachable, { name: 'a', capacity: 1, observe })
  await expect(closed.acquire()).rejects.toMatchObject({ code: 'database', reason: 'unavailable' })
  const warned = new Promise((resolve) => process.once('warning', resolve))
  const semaphore = postgresSemaphore(unreachable, { name: 'b', capacity: 1, whenDown: 'open', observe })
  const leases = [await semaphore.acquire(), await semaphore.acquire()]
  await warned
  expect(leases.map(({ token }) => token)).toEqual([undefined, undefined])
  expect(events.map((event) => event.type === 'limit-down' && event.whenDown)).toEqual(['closed', 'open'])
})

/** Runs code while each insertion into the leases of a schema first runs a statement. */
async function whileInserting(schema: string, statement: string, work: () => Promise<void>): Promise<void> {
  await database.pool.query(
    `create function ${schema}.before_insert() returns trigger language plpgsql as 'begin ${statement}; return new; end';
     create trigger before_insert before insert on ${schema}.leases for each row execute function ${schema}.before_insert()`,
  )
  await work()
  await database.pool.query(`drop function ${schema}.before_insert() cascade`)
}

it('R-48: a waiting request that expired is queued again, even if the first attempt fails', async () => {
  const events: LimitEvent[] = []
  const options = { name: 'again', capacity: 1, termMs: 1000, schema: 'again' }
  const holder = postgresSemaphore(database.newPool({ max: 3 }), options)
  const waiter = postgresSemaphore(database.newPool({ max: 3 }), {
    ...options,
    observe: (event) => void events.push(event),
  })
  const lease = await holder.acquire()
  const waits = waiter.acquire()
  await expect.poll(() => database.count('again.leases')).toBe(2)
  await whileInserting('again', "raise exception ''no''", async () => {
    await database.pool.query('delete from again.leases where not is_granted')
    await expect.poll(() => events.map(({ type }) => type)).toEqual(['limit-down'])
  })
  await expect.poll(() => database.count('again.leases')).toBe(2)
  lease[Symbol.dispose]()
  ;(await waits)[Symbol.dispose]()
  await Promise.all([holder.settled(), waiter.settled()])
})

it('R-48: a request that is aborted while it is queued again leaves nothing behind', async () => {
  const options = { name: 'gone', capacity: 1, termMs: 1000, schema: 'gone' }
  const semaphore = postgresSemaphore(database.newPool({ max: 3 }), options)
  const lease = await semaphore.acquire()
  const stop = new AbortController()
  const waits = semaphore.acquire(1, [stop.signal]).catch((error: unknown) => error)
  await expect.poll(() => database.count('gone.leases')).toBe(2)
  await whileInserting('gone', 'perform pg_sleep(0.3)', async () => {
    await database.pool.query('delete from gone.leases where not is_granted')
    const sleeping = "pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
    await expect.poll(() => database.count(sleeping), { interval: 10 }).toBe(1)
    stop.abort(new Error('enough'))
    expect(await waits).toMatchObject({ message: 'enough' })
    await expect.poll(() => database.count(sleeping)).toBe(0)
  })
  await expect.poll(() => database.count('gone.leases')).toBe(1)
  lease[Symbol.dispose]()
  await semaphore.settled()
})

it('R-48: a request that waits in an open semaphore fails if the setup becomes wrong', async () => {
  const schema = 'open_setup'
  const pool = database.newPool({ max: 3 })
  const options = { name: 'setup', capacity: 1, termMs: 1000, whenDown: 'open', schema } as const
  const semaphore = postgresSemaphore(pool, options)
  const lease = await semaphore.acquire()
  const waits = semaphore.acquire().catch((error: unknown) => error)
  await expect.poll(() => database.count(`${schema}.leases`)).toBe(2)
  await database.pool.query(`drop schema ${schema} cascade`)
  expect(await waits).toMatchObject({ code: 'database', reason: 'schema' })
  expect(lease.lost.aborted).toBe(false)
  lease[Symbol.dispose]()
  await semaphore.settled()
})

it.each([0, -1, 2, Number.NaN])('rejects the weight %d of a capacity of 1', async (weight) => {
  await expect(open('weight', 1).acquire(weight)).rejects.toMatchObject({ option: 'weight' })
})

function noted<Item>(list: Item[], item: Item, lease: PostgresLease): PostgresLease {
  list.push(item)
  return lease
}

const waiting = (name: string) => database.count(`concord.leases where name = '${name}' and not is_granted`)
