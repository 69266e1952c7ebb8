import type { Clock } from '@concord/runtime'
import { bounded, systemClock } from '@concord/runtime/internal'

import { codeOf, DatabaseError, explainDatabaseError, noConnection } from './database-error.ts'
import { guardConnections, type PostgresClient, type PostgresPool, type PostgresResult } from './pool.ts'
import { sql, type Statement } from './sql.ts'

export interface Session {
  /** @throws DatabaseError */
  rows<Row>(statement: Statement): Promise<Row[]>
}

/**
 * Runs one statement as a transaction. Repeats it after a deadlock or a serialization failure.
 *
 * @throws DatabaseError
 */
export function rows<Row>(pool: PostgresPool, statement: Statement): Promise<Row[]> {
  return unlessAborted(() => withSession(pool, (session) => session.rows<Row>(statement)))
}

/**
 * Runs work in one transaction. Repeats the work after a deadlock or a serialization failure, so the work must have
 * no effects outside the database.
 *
 * @throws DatabaseError, or the error of the work. If the connection was lost during the commit, the DatabaseError's
 * `outcome` is `unknown`.
 */
export function transaction<Result>(
  pool: PostgresPool,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return unlessAborted(() =>
    withSession(pool, async (session) => {
      await session.rows(sql`begin`)
      let result: Result
      try {
        result = await work(session)
      } catch (error) {
        // Without a rollback, the connection would return to the pool with this transaction still open. If the
        // rollback fails, the connection isn't reused.
        await session.rows(sql`rollback`).catch(() => undefined)
        throw error
      }
      try {
        await session.rows(sql`commit`)
      } catch (error) {
        throw unknownOutcome(error)
      }
      return result
    }),
  )
}

/** The SQLSTATEs of a deadlock and of a serialization failure. In both cases, the server has stored nothing. */
const ABORTED: readonly unknown[] = ['40P01', '40001']
const MAX_RUNS = 5

/**
 * Runs a transaction again if the server aborted it in favor of another transaction. No pause is needed, because
 * the next run waits for any locks that the other transaction still holds.
 */
async function unlessAborted<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let runs = 1; ; runs++) {
    try {
      return await run()
    } catch (error) {
      const isAborted = DatabaseError.is(error) && ABORTED.includes(error.sqlState)
      if (!isAborted || runs === MAX_RUNS) throw error
    }
  }
}

/**
 * Runs work in a transaction, and then rolls the transaction back.
 *
 * @throws DatabaseError, or the error of the work.
 */
export function rehearsal<Result>(
  pool: PostgresPool,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return withSession(pool, async (session) => {
    await session.rows(sql`begin`)
    try {
      return await work(session)
    } finally {
      await session.rows(sql`rollback`)
    }
  })
}

/**
 * Runs work on one connection. Afterward, the connection returns to the pool if it is still usable.
 *
 * @throws DatabaseError, or the error of the work.
 */
export async function withSession<Result>(
  pool: PostgresPool,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const connection = await OwnConnection.open(pool)
  try {
    return await work(connection)
  } finally {
    connection.release()
  }
}

/** The longest wait for a connection, even if the pool's `connectionTimeoutMillis` is longer or missing. */
const CONNECT_MS = 60_000

export class OwnConnection implements Session {
  readonly #client: PostgresClient
  #isAlive = true
  #isOver = false

  private constructor(client: PostgresClient) {
    this.#client = client
    // Without a listener, the process would crash if the connection broke while no statement was running.
    client.on('error', this.#onError)
  }

  /** @throws DatabaseError, or the signal's reason if the signal is aborted. */
  static async open(pool: PostgresPool, signal?: AbortSignal): Promise<OwnConnection> {
    return new OwnConnection(await takeClient(pool, signal))
  }

  /** False if the connection was lost or closed, or was returned to the pool. */
  get isAlive(): boolean {
    return this.#isAlive && !this.#isOver
  }

  async rows<Row>({ text, values }: Statement): Promise<Row[]> {
    try {
      const result: PostgresResult | readonly PostgresResult[] = await this.#client.query({
        text,
        values: [...values],
      })
      // pg-boss sends several statements in one string. `pg` then returns an array with a result for each statement.
      const results: readonly PostgresResult[] = Array.isArray(result) ? result : [result as PostgresResult]
      return results.length === 1 ? results[0]!.rows : results.flatMap((each) => each.rows as Row[])
    } catch (error) {
      if (!isResponse(error)) this.#isAlive = false
      throw explainDatabaseError(error)
    }
  }

  /**
   * Changes settings of the connection. Skips settings that the server doesn't have. The changes last as long as the
   * connection. So the caller must call `close`, not `release`.
   */
  async settings(values: Readonly<Record<string, string>>): Promise<void> {
    const [names, texts] = [Object.keys(values), Object.values(values)]
    await this.rows(
      sql`select set_config(wanted.name, wanted.value, false)
        from unnest(${names}::text[], ${texts}::text[]) as wanted (name, value) join pg_settings using (name)`,
    )
  }

  /** Returns the connection to the pool if it can be used again. */
  release(): void {
    this.#end(!this.#isAlive)
  }

  /** Closes the connection, which also releases its locks and ends its statements. */
  close(): void {
    this.#end(true)
  }

  #end(destroy: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#client.release(destroy)
    // A destroyed connection can still report an error, so keep the listener.
    if (!destroy) this.#client.removeListener('error', this.#onError)
  }

  readonly #onError = (): void => {
    this.#isAlive = false
  }
}

/**
 * Waits up to `CONNECT_MS` for a connection from a pool.
 *
 * @throws DatabaseError, or the signal's reason if the signal is aborted.
 */
export async function takeClient(
  pool: PostgresPool,
  signal?: AbortSignal,
  clock: Clock = systemClock,
): Promise<PostgresClient> {
  signal?.throwIfAborted()
  guardConnections(pool)
  const connecting = pool.connect()
  let isWanted = true
  // A connection that arrives too late returns to the pool.
  connecting.then(
    (client) => isWanted || client.release(),
    () => undefined,
  )
  try {
    const limit = { clock, ms: CONNECT_MS, error: () => noConnection() }
    return await bounded(connecting, { signals: [signal], limit })
  } catch (error) {
    isWanted = false
    if (signal?.aborted === true) throw error
    throw explainDatabaseError(error)
  }
}

/** Returns true if the server reported the error and didn't close the connection. */
function isResponse(error: unknown): boolean {
  const code = codeOf(error)
  return code?.length === 5 && !/^(57P|08|25P0[34])/.test(code) && !code.startsWith('E')
}

function unknownOutcome(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || error.reason !== 'unavailable') return error
  return new DatabaseError(
    'unavailable',
    'The connection to the database was lost while a change was being stored.',
    {
      remedy:
        'It is unknown whether the change was stored. Check the stored data, then try again if necessary.',
      outcome: 'unknown',
      cause: error,
    },
  )
}
