import { randomUUID } from 'node:crypto'

import { type Clock, DeadlineError } from '@concord/runtime'
import { bounded, wait } from '@concord/runtime/internal'

import { codeOf, DatabaseError } from '../database/database-error.ts'
import { OwnConnection, rows, type Session } from '../database/database.ts'
import type { PostgresPool } from '../database/pool.ts'
import { type Schema, sql } from '../database/sql.ts'

export interface LockPlace {
  readonly pool: PostgresPool
  readonly schema: Schema
  readonly name: string
  readonly lockWaitMs: number
  readonly takeoverMs: number
  readonly clock: Clock
}

export interface SessionHolder {
  /**
   * The id of the work. The session's row contains this id until the work ends or another holder writes its own id.
   * Every write checks that the row still contains it.
   */
  readonly id: string
  /** The connection that has the lock. `undefined` after the connection is lost. */
  readonly session: Session | undefined
}

/**
 * After a process gets the lock, the row may still contain the id of an earlier holder. At this interval, the process
 * checks whether it can replace that id.
 */
const CHECK_INTERVAL_MS = 250
/** The server closes a holder's connection if no statement arrives for this time. */
const IDLE_MS = 120_000
/** The time limit of each statement is the longest wait for the lock plus this time. */
const STATEMENT_MS = 30_000

/**
 * Runs work as the only holder of a session.
 *
 * An advisory lock makes other processes wait. But the lock ends with its connection. So the session's row also has a
 * column `holder`: only the work whose id is in this column can change the row. A holder that loses its connection
 * can still store new tokens through another connection, until its id is replaced. The next holder replaces the id
 * only after `takeoverMs`.
 */
export async function withSessionLock<Result>(
  place: LockPlace,
  work: (holder: SessionHolder) => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const id = randomUUID()
  const beganMs = place.clock.monotonic()
  const connection = await prepared(place, signal)
  try {
    try {
      await acquire(place, { id, connection, signal, beganMs })
    } catch (error) {
      // If only the server's response was lost, the row already contains this id. So remove the id.
      void leave(place, id, connection)
      throw error
    }
    try {
      return await work({
        id,
        get session() {
          return connection.isAlive ? connection : undefined
        },
      })
    } finally {
      await leave(place, id, connection)
    }
  } finally {
    // Close the connection instead of returning it to the pool: its settings were changed, and closing it always
    // frees the lock.
    connection.close()
  }
}

interface Attempt {
  readonly id: string
  readonly connection: OwnConnection
  readonly signal: AbortSignal | undefined
  readonly beganMs: number
}

async function prepared(
  { pool, lockWaitMs }: LockPlace,
  signal: AbortSignal | undefined,
): Promise<OwnConnection> {
  // A timeout of 0 would mean no limit.
  const waitMs = Math.max(1, Math.ceil(lockWaitMs))
  for (let tries = 1; ; tries++) {
    const connection = await OwnConnection.open(pool, signal)
    try {
      await connection.settings({
        lock_timeout: `${waitMs}ms`,
        // The server's default limit may be shorter than the wait for the lock.
        statement_timeout: `${waitMs + STATEMENT_MS}ms`,
        idle_session_timeout: `${IDLE_MS}ms`,
        // With these three settings, the server notices within half a minute that a holder's machine is gone.
        tcp_keepalives_idle: '10s',
        tcp_keepalives_interval: '5s',
        tcp_keepalives_count: '4',
      })
      return connection
    } catch (error) {
      connection.close()
      // A pool can contain connections that the server has closed, so try a second time.
      if (tries === 2 || !DatabaseError.is(error) || error.reason !== 'unavailable') throw error
    }
  }
}

async function acquire(place: LockPlace, attempt: Attempt): Promise<void> {
  const { connection, signal } = attempt
  const key = `concord session ${place.schema.name} ${place.name}`
  const locking = connection.rows(sql`select pg_advisory_lock(hashtextextended(${key}, 0))`)
  try {
    await bounded(locking, { signals: [signal] })
  } catch (error) {
    if (DatabaseError.is(error) && codeOf(error.cause) === '55P03') throw tooLong(place, attempt)
    throw error
  }
  while (!(await take(place, attempt))) {
    if (place.clock.monotonic() - attempt.beganMs > place.lockWaitMs) throw tooLong(place, attempt)
    await wait(
      place.clock,
      Math.min(CHECK_INTERVAL_MS, place.takeoverMs),
      signal === undefined ? [] : [signal],
    )
  }
}

/** Tries to become the holder. Returns false if an earlier holder may still store a token pair. */
async function take({ schema, name, takeoverMs }: LockPlace, { id, connection }: Attempt): Promise<boolean> {
  const table = schema.table('sessions')
  const taken = await connection.rows(
    sql`insert into ${table} as row (name, holder) values (${name}, ${id})
      on conflict (name) do update set holder = excluded.holder, free_at = null
      where row.holder is null or row.free_at <= now() returning 1`,
  )
  if (taken.length > 0) return true
  await connection.rows(
    sql`update ${table} set free_at = now() + ${takeoverMs} * interval '1 millisecond'
      where name = ${name} and holder is not null and free_at is null`,
  )
  return false
}

/** Removes the holder from the row, and frees the lock. If this fails, the next holder waits for `takeoverMs`. */
async function leave(
  { pool, schema, name }: LockPlace,
  id: string,
  connection: OwnConnection,
): Promise<void> {
  const leaving = sql`update ${schema.table('sessions')} set holder = null, free_at = null
    where name = ${name} and holder = ${id}`
  try {
    await connection.rows(leaving)
    await connection.rows(sql`select pg_advisory_unlock_all()`)
  } catch {
    // The loss of the connection freed the lock. Remove the holder through another connection.
    void rows(pool, leaving).catch(() => undefined)
  }
}

function tooLong({ name, lockWaitMs, clock }: LockPlace, { beganMs }: Attempt): DeadlineError {
  return new DeadlineError(
    `The session ${JSON.stringify(name)} is held by another process, which has not released it within ${lockWaitMs / 1000} s ` +
      '(`lockWaitMs`). Check what that process is doing. The session is free once that process has ended.',
    { limitMs: lockWaitMs, elapsedMs: clock.monotonic() - beganMs },
  )
}
