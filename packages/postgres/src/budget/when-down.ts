import type { Clock } from '@concord/runtime'
import {
  bounded,
  choiceOption,
  clockOption,
  functionOption,
  numberOption,
  requiredString,
  type WaitEvent,
  warn,
} from '@concord/runtime/internal'

import { DatabaseError, type DatabaseFailure } from '../database/database-error.ts'
import { poolOption, type PostgresPool } from '../database/pool.ts'
import { Schema } from '../database/sql.ts'
import { DEFAULT_SCHEMA, migrated } from '../schema/migrate.ts'

/** An event of a shared limit. Events contain no secrets. @public */
export type LimitEvent = WaitEvent | LimitDownEvent | LimitUpEvent

/** Sent once at the start of an outage: the database can't be used, so nothing is counted. @public */
export interface LimitDownEvent {
  readonly type: 'limit-down'
  /** The name of the limit. */
  readonly limit: string
  /**
   * `open`: work continues without a limit, unless the cause is a mistake in the setup, such as a missing permission.
   * `closed`: new work fails during the outage.
   */
  readonly whenDown: 'open' | 'closed'
  readonly reason: DatabaseFailure
}

/** Sent at the end of an outage: the database can be used again. @public */
export interface LimitUpEvent {
  readonly type: 'limit-up'
  readonly limit: string
}

/** The options that all shared limits (rate limits and semaphores) have. @public */
export interface SharedLimitOptions {
  /** The name of the limit. Processes that pass the same name share it. */
  readonly name: string
  /** The schema of the tables. Default `concord`. */
  readonly schema?: string
  /**
   * The behavior while the database can't be used. `closed` (the default) throws a `DatabaseError`. `open` lets work through
   * without counting it, and emits a process warning. Both send a `limit-down` event. Even with `open`, a setup
   * mistake, such as a missing permission, throws.
   */
  readonly whenDown?: 'open' | 'closed'
  /** How long the database may take to respond, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number
  /** Receives the events. Errors that this function throws are ignored. */
  readonly observe?: (event: LimitEvent) => void
  /** The clock for waits. Counting always uses the database's clock. */
  readonly clock?: Clock
}

export const SHARED_NAMES = {
  name: true,
  schema: true,
  whenDown: true,
  timeoutMs: true,
  observe: true,
  clock: true,
} as const

const TIMEOUT_MS = 10_000

/** The failures after which `whenDown: 'open'` lets work through. Other failures don't go away by themselves. */
const MAY_PASS: ReadonlySet<DatabaseFailure> = new Set([
  'unavailable',
  'pool-exhausted',
  'timeout',
  'full',
  'failed',
])

/**
 * Runs the database steps of a shared limit, each with a time limit. Decides whether work may continue after a
 * failure.
 */
export class LimitGuard {
  readonly name: string
  readonly pool: PostgresPool
  readonly schema: Schema
  readonly whenDown: 'open' | 'closed'
  readonly clock: Clock
  readonly #timeoutMs: number
  readonly #observe: ((event: LimitEvent) => void) | undefined
  #isDown = false
  #hasWarned = false

  /** @throws OptionsError */
  constructor(pool: PostgresPool, options: SharedLimitOptions) {
    this.name = requiredString(
      options.name,
      'name',
      'Pass the name of the limit, such as the name of the account.',
    )
    this.pool = poolOption(pool)
    this.schema = new Schema(options.schema ?? DEFAULT_SCHEMA)
    this.whenDown = choiceOption(options.whenDown, 'whenDown', { open: true, closed: true }, 'closed')
    this.clock = clockOption(options.clock)
    this.#timeoutMs = numberOption(options.timeoutMs, 'timeoutMs', TIMEOUT_MS, { min: 1 })
    this.#observe = functionOption(options.observe, 'observe')
  }

  emit(event: LimitEvent): void {
    try {
      this.#observe?.(event)
    } catch {
      // A failing observer must not make the work fail.
    }
  }

  /**
   * Runs one step in the database.
   *
   * @returns the result, or `undefined` if the step failed and `whenDown: 'open'` lets work through.
   * @throws DatabaseError; on abort, the signal's own reason.
   */
  async step<Result>(
    work: () => Promise<Result>,
    signals: readonly AbortSignal[] = [],
  ): Promise<Result | undefined> {
    try {
      const result = await this.ask(work, signals)
      this.up()
      return result
    } catch (error) {
      if (!DatabaseError.is(error)) throw error
      this.down(error)
      if (!this.mayPass(error)) throw error
      return undefined
    }
  }

  /** Runs one step in the database, within the time limit. @throws DatabaseError; on abort, the signal's own reason. */
  ask<Result>(work: () => Promise<Result>, signals: readonly AbortSignal[] = []): Promise<Result> {
    const { clock, pool, schema } = this
    const asking = this.#retryOnce(() => migrated(pool, schema).then(work))
    return bounded(clock.track?.(asking) ?? asking, {
      signals,
      limit: { clock, ms: this.#timeoutMs, error: () => this.#tooSlow() },
    })
  }

  /**
   * Retries a step once, because a pool can contain connections that the server has closed. If the server counted the
   * step before the retry, the step counts twice. This is safe, because it never lets more work through.
   */
  async #retryOnce<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (!DatabaseError.is(error) || error.reason !== 'unavailable') throw error
      return work()
    }
  }

  mayPass({ reason }: DatabaseError): boolean {
    return this.whenDown === 'open' && MAY_PASS.has(reason)
  }

  /** Reports once per outage that the database can't be used. */
  down(error: DatabaseError): void {
    const { name: limit, whenDown } = this
    const { reason } = error
    if (!this.#isDown) this.emit({ type: 'limit-down', limit, whenDown, reason })
    this.#isDown = true
    if (this.#hasWarned || !this.mayPass(error)) return
    this.#hasWarned = true
    warn(
      `The limit ${JSON.stringify(limit)} is not applied: its database cannot be used (${reason}), and \`whenDown\` is "open".`,
      'CONCORD_LIMIT_DOWN',
    )
  }

  up(): void {
    if (!this.#isDown) return
    this.#isDown = false
    this.#hasWarned = false
    this.emit({ type: 'limit-up', limit: this.name })
  }

  #tooSlow(): DatabaseError {
    return new DatabaseError(
      'timeout',
      `The database did not respond for ${this.#timeoutMs / 1000} s, so the limit ${JSON.stringify(this.name)} could not be checked.`,
      {
        remedy: 'Find out why the database is slow, add connections to the pool, or raise `timeoutMs`.',
        outcome: 'unknown',
      },
    )
  }
}
