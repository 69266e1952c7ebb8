import { OptionsError, type RateLimit, Semaphore } from '@concord/runtime'
import { checkOptionNames, numberOption, type OptionNames, wait } from '@concord/runtime/internal'

import { DatabaseError } from '../database/database-error.ts'
import { rows } from '../database/database.ts'
import type { PostgresPool } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import { LimitGuard, SHARED_NAMES, type SharedLimitOptions } from './when-down.ts'

/** Options of {@link postgresRateLimit}. @public */
export interface PostgresRateLimitOptions extends SharedLimitOptions {
  /** The maximum number of requests in a window: a whole number. All processes must pass the same value. */
  readonly limit: number
  /** The length of the window, in milliseconds. Default 60,000. */
  readonly windowMs?: number
  /**
   * A margin that is added to the window, in milliseconds. It is needed because some requests reach the service
   * faster than others, and because a request can be sent late: by up to 50 ms or half of `marginMs`, whichever is
   * more. Use at least 50. Default 1,000.
   */
  readonly marginMs?: number
}

const NAMES: OptionNames<PostgresRateLimitOptions> = {
  ...SHARED_NAMES,
  limit: true,
  windowMs: true,
  marginMs: true,
}

/**
 * Limits the requests of processes on any number of machines. Together, these processes never send more than `limit`
 * requests in any window, by the database's clock. Pass the rate limit to a client as `rateLimit`, or call `acquire`
 * before each request.
 *
 * There are `limit` slots, which are used in turn. A slot can be used again one window later. A process reserves one
 * slot at a time, with one SQL statement, and waits until the slot is free. So nothing is polled, and a process that
 * dies wastes at most one slot. Processes take turns, no matter how many requests each of them has.
 *
 * @throws OptionsError
 * @public
 */
export function postgresRateLimit(pool: PostgresPool, options: PostgresRateLimitOptions): RateLimit {
  checkOptionNames(options, NAMES, 'options')
  const { limit } = options
  if (!(Number.isSafeInteger(limit) && limit >= 1))
    throw new OptionsError(
      'limit',
      limit === undefined ? '`limit` is missing.' : '`limit` must be a whole number of at least 1.',
      'Pass the maximum number of requests per time window (`windowMs`).',
    )
  const guard = new LimitGuard(pool, options)
  const { clock, name } = guard
  const windowMs = numberOption(options.windowMs, 'windowMs', 60_000, { min: 1 })
  const marginMs = numberOption(options.marginMs, 'marginMs', 1000, { min: 0 })
  // This process's requests wait for each other, so that the process has only one reservation at a time.
  const turns = new Semaphore(1)
  return {
    async acquire({ signal } = {}) {
      const signals = signal === undefined ? [] : [signal]
      const turn = await turns.acquire(1, signals)
      try {
        for (let tries = 1; ; tries++) {
          const beganMs = clock.monotonic()
          const waitMs = await guard.step(() => reserve(guard, limit, windowMs + marginMs), signals)
          if (waitMs === undefined) return
          if (waitMs > 0) {
            guard.emit({ type: 'wait', limit: name, delayMs: waitMs })
            await wait(clock, waitMs, signals)
          }
          // This process may have been suspended during the wait. A late request is unsafe: the next request in the
          // same slot could follow in less than one window.
          const lateMs = clock.monotonic() - beganMs - waitMs
          if (lateMs <= Math.max(marginMs / 2, MIN_LATE_MS)) return
          if (tries === MAX_TRIES) return void (await guard.step(() => Promise.reject(tooLate(lateMs))))
        }
      } finally {
        turn[Symbol.dispose]()
      }
    },
  }
}

/** A request that is at most this late is always sent, because the database and this process always need some time. */
const MIN_LATE_MS = 50
const MAX_TRIES = 10

/** Reserves the next slot. @returns the milliseconds until the slot is free. */
async function reserve({ pool, schema, name }: LimitGuard, limit: number, spanMs: number): Promise<number> {
  const [row] = await rows<{ wait_ms: number }>(
    pool,
    sql`with taken as (
        insert into ${schema.table('rates')} as rate (name, turn) values (${name}, 0)
        on conflict (name) do update set turn = rate.turn + 1 returning turn
      )
      insert into ${schema.table('rate_places')} as place (name, place, free_at)
      select ${name}, taken.turn % ${limit}, clock_timestamp() + ${spanMs} * interval '1 millisecond' from taken
      on conflict (name, place) do update
      set free_at = greatest(place.free_at, clock_timestamp()) + ${spanMs} * interval '1 millisecond'
      returning greatest(0, extract(epoch from free_at - clock_timestamp()) * 1000 - ${spanMs})::float8 as wait_ms`,
  )
  return row!.wait_ms
}

function tooLate(lateMs: number): DatabaseError {
  return new DatabaseError(
    'timeout',
    `${MAX_TRIES} attempts to send a request under this rate limit were delayed by more than half of ` +
      `\`marginMs\`. The last attempt was delayed by ${Math.ceil(lateMs)} ms.`,
    {
      remedy:
        'Raise `marginMs` to more than twice the last delay, or find out why the database or this process is slow.',
    },
  )
}
