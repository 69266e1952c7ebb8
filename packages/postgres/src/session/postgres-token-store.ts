import { type Clock, OptionsError } from '@concord/runtime'
import {
  bounded,
  checkOptionNames,
  clockOption,
  numberOption,
  type OptionNames,
  requiredString,
  retry,
} from '@concord/runtime/internal'
import {
  type HeldTokenStore,
  readStoredSession,
  type RequestLog,
  type StoredSession,
  type TokenStore,
  writeStoredSession,
} from '@concord/runtime/session'

import { DatabaseError, type DatabaseFailure } from '../database/database-error.ts'
import { rows } from '../database/database.ts'
import { poolOption, type PostgresPool } from '../database/pool.ts'
import { Schema, sql, type Statement } from '../database/sql.ts'
import { DEFAULT_SCHEMA, migrated } from '../schema/migrate.ts'
import { type EncryptionKey, type Sealing, sealing } from './sealed-body.ts'
import { type LockPlace, type SessionHolder, withSessionLock } from './session-lock.ts'
import { inTurn } from './turns.ts'

/** Options of {@link postgresTokenStore}. @public */
export interface PostgresTokenStoreOptions {
  /** The name of the session. Processes that pass the same name share the session. Default: `default`. */
  readonly name?: string
  /** The schema of the tables. Default: `concord`. */
  readonly schema?: string
  /**
   * Keys for the encryption of the stored session. The store encrypts with the first key. The other keys only
   * decrypt sessions that were encrypted with them earlier. Without `keys`, the tokens are stored unencrypted.
   */
  readonly keys?: readonly EncryptionKey[]
  /**
   * How long to wait, in milliseconds, if other work in this process or another process is using the session.
   * Default: 180,000.
   */
  readonly lockWaitMs?: number
  /**
   * The time, in milliseconds, in which a process can reconnect after it loses its connection during a refresh.
   * During this time, no other process sends the refresh token, because the first process may have used it. Ideally,
   * this time is longer than a database failover. Default: 15,000.
   */
  readonly takeoverMs?: number
  readonly clock?: Clock
}

const NAMES: OptionNames<PostgresTokenStoreOptions> = {
  name: true,
  schema: true,
  keys: true,
  lockWaitMs: true,
  takeoverMs: true,
  clock: true,
}
const LOCK_WAIT_MS = 180_000
const TAKEOVER_MS = 15_000
const BACKOFF = { baseMs: 50, capMs: 1_000 }
/** After these failures, a retry on another connection may succeed. */
const MAY_PASS: readonly DatabaseFailure[] = ['unavailable', 'pool-exhausted']

/**
 * Stores a session in PostgreSQL, for processes on any number of machines.
 *
 * During a refresh, a process holds a connection of the pool and an advisory lock in the database. A refresh survives
 * the loss of that connection: the new token pair is stored through another connection, unless another process has
 * taken over the session.
 *
 * The first use of the store opens a connection, and creates or updates the schema if necessary.
 *
 * @throws OptionsError if an option is invalid. The store's methods also throw it if they can't decrypt, read or save
 *   the session.
 * @throws DatabaseError from the store's methods, if the database can't be used.
 * @public
 */
export function postgresTokenStore(pool: PostgresPool, options: PostgresTokenStoreOptions = {}): TokenStore {
  checkOptionNames(options, NAMES, 'options')
  const { name = 'default', schema = DEFAULT_SCHEMA, keys } = options
  const clock = clockOption(options.clock)
  requiredString(name, 'name', 'Pass a name for the session, or omit it.')
  const place: LockPlace = {
    pool: poolOption(pool),
    schema: new Schema(schema),
    name,
    clock,
    lockWaitMs: numberOption(options.lockWaitMs, 'lockWaitMs', LOCK_WAIT_MS, { min: 0 }),
    takeoverMs: numberOption(options.takeoverMs, 'takeoverMs', TAKEOVER_MS, { min: 0 }),
  }
  return new PostgresTokenStore(place, sealing(keys, name))
}

class PostgresTokenStore implements TokenStore {
  readonly #place: LockPlace
  readonly #sealing: Sealing
  #holder: SessionHolder | undefined

  constructor(place: LockPlace, sealing: Sealing) {
    this.#place = place
    this.#sealing = sealing
  }

  async read(): Promise<StoredSession | undefined> {
    const { schema, name } = this.#place
    const [row] = await this.#rows<{ body: string | null }>(
      sql`select body from ${schema.table('sessions')} where name = ${name}`,
    )
    if (row === undefined || row.body === null) return undefined
    const sessionOrProblem = readStoredSession(await this.#sealing.open(row.body))
    if (typeof sessionOrProblem !== 'string') return sessionOrProblem
    throw new OptionsError(
      'store',
      `\`store\` cannot use the session ${JSON.stringify(name)}: its row ${sessionOrProblem}.`,
      'Pass another `name`; or, if the row is no longer needed, delete it and sign in again.',
    )
  }

  exclusive<T>(work: (held: HeldTokenStore) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { pool, schema, name, lockWaitMs, clock } = this.#place
    // Only one connection per process waits for the lock, no matter how many callers wait.
    return inTurn(pool, `${schema.name} ${name}`, { signal, clock, limitMs: lockWaitMs }, async () => {
      await bounded(migrated(pool, schema), { signals: [signal] })
      return withSessionLock(
        this.#place,
        async (holder) => {
          this.#holder = holder
          try {
            return await work({
              read: () => this.read(),
              write: (session) => this.#write(holder, session),
              remove: () => this.#replace(holder, null),
            })
          } finally {
            this.#holder = undefined
          }
        },
        signal,
      )
    })
  }

  readonly requestLog: RequestLog = {
    update: async (change) => {
      const { schema, name } = this.#place
      const table = schema.table('request_logs')
      for (;;) {
        const [row] = await this.#rows<LogRow>(
          sql`select revision, times_ms as "timesMs", hold_until_ms as "holdUntilMs" from ${table} where name = ${name}`,
        )
        const { timesMs = [], holdUntilMs = null } = row ?? {}
        const { record, result } = change({ timesMs, ...(holdUntilMs !== null && { holdUntilMs }) })
        const [times, hold] = [record.timesMs, record.holdUntilMs ?? null]
        const changed =
          row === undefined
            ? sql`insert into ${table} (name, revision, times_ms, hold_until_ms)
                values (${name}, 1, ${times}, ${hold}) on conflict do nothing returning 1`
            : sql`update ${table} set revision = revision + 1, times_ms = ${times}, hold_until_ms = ${hold}
                where name = ${name} and revision = ${row.revision} returning 1`
        // If the statement changed no row, another process changed the row first.
        if ((await this.#rows(changed)).length > 0) return result
      }
    },
  }

  toJSON(): Record<string, unknown> {
    const { schema, name } = this.#place
    return { store: 'postgres', schema: schema.name, name }
  }

  async #write(holder: SessionHolder, session: StoredSession): Promise<void> {
    const text = writeStoredSession(session) ?? unstorable(this.#place.name)
    await this.#replace(holder, await this.#sealing.seal(text))
  }

  /**
   * Replaces the stored body. Throws if another holder has taken over the session. If the connection is lost, the
   * statement is retried on another connection, because it is idempotent.
   */
  async #replace(holder: SessionHolder, body: string | null): Promise<void> {
    const { schema, name, clock, takeoverMs } = this.#place
    const statement = sql`update ${schema.table('sessions')} set body = ${body}, changed_at = now()
      where name = ${name} and holder = ${holder.id} returning 1`
    await retry({
      clock,
      random: () => 1,
      backoff: BACKOFF,
      endsAtMs: clock.monotonic() + takeoverMs,
      attempt: async () => {
        if ((await this.#rows(statement)).length === 0) throw replaced(name)
      },
      again: (error) => DatabaseError.is(error) && MAY_PASS.includes(error.reason),
    })
  }

  /**
   * Runs a statement. If the store already holds a connection, the statement runs on that connection, because the
   * pool may have no free connection.
   */
  async #rows<Row>(statement: Statement): Promise<Row[]> {
    const { pool, schema } = this.#place
    const held = this.#holder?.session
    if (held !== undefined) return held.rows<Row>(statement)
    await migrated(pool, schema)
    return rows<Row>(pool, statement)
  }
}

interface LogRow {
  readonly revision: string
  readonly timesMs: readonly number[]
  readonly holdUntilMs: number | null
}

function replaced(name: string): DatabaseError {
  return new DatabaseError(
    'lost',
    `The session ${JSON.stringify(name)} was not changed. This process lost its connection and did not reconnect in time, so another process took over the session.`,
    {
      remedy:
        'Try again. If this happens again, set `takeoverMs` to more than the usual length of a database outage.',
    },
  )
}

function unstorable(name: string): never {
  throw new OptionsError(
    'store',
    `\`store\` cannot save the new tokens of the session ${JSON.stringify(name)}: they are too large, or contain a value that could not be read back.`,
    'The store still contains the previous tokens. Check the tokens that the service issued.',
  )
}
