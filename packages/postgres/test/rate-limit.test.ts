import { expect, it, onTestFinished } from 'vitest'

import { LimitGuard } from '../src/budget/when-down.ts'
import { DatabaseError, type DatabaseFailure } from '../src/database/database-error.ts'
import { type LimitEvent, postgresRateLimit } from '../src/index.ts'
import { testDatabase } from './support/database.ts'

const database = testDatabase()
/** No margin, because the test counts when slots are reserved, not when requests arrive. */
const QUICK = { windowMs: 300, marginMs: 0 }

it('R-47: processes that share a rate never send more in any window, and take turns', async () => {
  const limit = 5
  await database.pool.query(
    'create table sent (at timestamptz not null default clock_timestamp(), process int, began timestamptz)',
  )
  const processes = Array.from({ length: 4 }, () => {
    const pool = database.newPool({ max: 1 })
    return { pool, rate: postgresRateLimit(pool, { name: 'shared', limit, ...QUICK }) }
  })
  await Promise.all(
    processes.map(async ({ pool, rate }, index) => {
      for (let count = 0; count < 5; count++) {
        await rate.acquire({})
        await pool.query('insert into sent (process) values ($1)', [index])
      }
    }),
  )
  const rows = await database.rows<{ at: number }>(
    'select extract(epoch from at)::float8 * 1000 as at from sent order by at',
  )
  expect(rows).toHaveLength(20)
  // At least four windows; the slots of the first one are used immediately. The insert is later than the slot, by at most the
  // allowed lateness.
  const spans = rows.slice(limit).map(({ at }, index) => at - rows[index]!.at)
  expect(Math.min(...spans)).toBeGreaterThan(QUICK.windowMs - 200)
  expect(await database.count('concord.rate_places')).toBe(limit)
})

it('R-47: a slot is reserved a whole window after its last use, no matter which process used it', async () => {
  const waits: number[] = []
  const stop = new AbortController()
  const [first, second, third] = [1, 2, 3].map(() =>
    postgresRateLimit(database.newPool({ max: 1 }), {
      name: 'exact',
      limit: 2,
      windowMs: 60_000,
      observe: (event) =>
        event.type === 'wait' && waits.push(event.delayMs) && stop.abort(new Error('enough')),
    }),
  )
  await first!.acquire({})
  await second!.acquire({})
  await expect(third!.acquire({ signal: stop.signal })).rejects.toThrow('enough')
  // 60 s plus the margin of 1 s, minus the time that the three statements took.
  expect(waits).toEqual([expect.closeTo(61_000, -4)])
})

it('R-47: a process with a hundred waiting requests reserves one slot at a time, so another process comes next', async () => {
  const [busy, other] = ['busy', 'other'].map(() =>
    postgresRateLimit(database.newPool({ max: 1 }), { name: 'fair', limit: 1, windowMs: 100, marginMs: 0 }),
  )
  const stop = new AbortController()
  const order: string[] = []
  const requests = Array.from({ length: 100 }, () =>
    busy!.acquire({ signal: stop.signal }).then(
      () => order.push('busy'),
      () => undefined,
    ),
  )
  await expect.poll(() => order.length).toBeGreaterThan(0)
  await other!.acquire({})
  const before = order.length
  stop.abort(new Error('enough'))
  await Promise.all(requests)
  expect(before).toBeLessThan(50)
})

it('R-47: while the database is unreachable, a closed rate fails, an open one lets requests through, and both report it once', async () => {
  const unreachable = database.unreachablePool()
  const events: LimitEvent[] = []
  const observe = (event: LimitEvent) => void events.push(event)
  const closed = postgresRateLimit(unreachable, { name: 'a', limit: 1, observe })
  for (let count = 0; count < 2; count++)
    await expect(closed.acquire({})).rejects.toMatchObject({ code: 'database', reason: 'unavailable' })
  expect(events).toEqual([{ type: 'limit-down', limit: 'a', whenDown: 'closed', reason: 'unavailable' }])
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
  const open = postgresRateLimit(unreachable, { name: 'b', limit: 1, observe, whenDown: 'open' })
  for (let count = 0; count < 3; count++) await open.acquire({})
  expect(events.slice(1)).toEqual([
    { type: 'limit-down', limit: 'b', whenDown: 'open', reason: 'unavailable' },
  ])
  expect(await warned).toMatchObject({ code: 'CONCORD_LIMIT_DOWN', message: expect.stringContaining('"b"') })
})

it('R-47: an outage that begins with a setup mistake warns as soon as requests pass uncounted, and only once', async () => {
  const warnings: string[] = []
  const onWarning = (warning: Error) => void warnings.push(warning.message)
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  const guard = new LimitGuard(database.pool, { name: 'mixed', whenDown: 'open' })
  const fails = (reason: DatabaseFailure) => () =>
    Promise.reject(new DatabaseError(reason, 'The step failed.', { remedy: 'Repair it.' }))
  await expect(guard.step(fails('denied'))).rejects.toMatchObject({ reason: 'denied' })
  await new Promise(setImmediate)
  expect(warnings).toEqual([])
  for (let count = 0; count < 2; count++) expect(await guard.step(fails('failed'))).toBeUndefined()
  await new Promise(setImmediate)
  expect(warnings).toEqual([expect.stringContaining('The limit "mixed" is not applied')])
})
