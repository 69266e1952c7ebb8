import { type Clock, systemClock } from '@concord/runtime'
import { bounded } from '@concord/runtime/internal'

import { codeOf, DatabaseError, explainDatabaseError, noConnection } from './database-error.ts'
import type { PostgresClient, PostgresPool, PostgresResult } from './pool.ts'
import { sql, type Statement } from './sql.ts'

/** Runs statements on one connection. */
export interface Session {
  /** @throws DatabaseError */
  rows<Row>(statement: Statement): Promise<Row[]>
}

/** Runs one statement on a connection of the pool, as a transaction of its own. @throws DatabaseError */
export function rows<Row>(pool: PostgresPool, statement: Statement): Promise<Row[]> {
  return withSession(pool, (session) => session.rows<Row>(statement))
}

/**
 * Runs work in one transaction: all of it is stored, or nothing.
 *
 * @throws DatabaseError, whose `outcome` is `unknown` if the connection was lost at the commit; or the error of the work.
 */
export function transaction<Result>(
  pool: PostgresPool,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return withSession(pool, async (session) => {
    await session.rows(sql`begin`)
    let result: Result
    try {
      result = await work(session)
    } catch (error) {
      // Otherwise the next user of the connection would be inside of this transaction. If it fails, there is no next user.
      await session.rows(sql`rollback`).catch(() => undefined)
      throw error
    }
    try {
      await session.rows(sql`commit`)
    } catch (error) {
      throw unknownOutcome(error)
    }
    return result
  })
}

/** Runs work in a transaction whose changes are discarded, to see what it would find. @throws DatabaseError, or the error of the work. */
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
 * Runs work with a connection of its own, which returns to the pool unless something failed on it.
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

/** How long a pool may take that has no `connectionTimeoutMillis`, or a longer one: otherwise a wait could be endless. */
const CONNECT_MS = 60_000

/** A connection that was taken from a pool. */
export class OwnConnection implements Session {
  readonly #client: PostgresClient
  #isAlive = true
  #isOver = false

  private constructor(client: PostgresClient) {
    this.#client = client
    // Without a listener, a connection that is lost between two statements would end the process.
    client.on('error', this.#onError)
  }

  /** @throws DatabaseError; on abort the signal's own reason. */
  static async open(
    pool: PostgresPool,
    signal?: AbortSignal,
    clock: Clock = systemClock,
  ): Promise<OwnConnection> {
    return new OwnConnection(await takeClient(pool, signal, clock))
  }

  /** False once it is known to be lost. */
  get isAlive(): boolean {
    return this.#isAlive && !this.#isOver
  }

  async rows<Row>({ text, values }: Statement): Promise<Row[]> {
    try {
      const result: PostgresResult | readonly PostgresResult[] = await this.#client.query({
        text,
        values: [...values],
      })
      // A string with several statements, as pg-boss sends them, has a result for each.
      const results: readonly PostgresResult[] = Array.isArray(result) ? result : [result as PostgresResult]
      return results.length === 1 ? results[0]!.rows : results.flatMap((each) => each.rows as Row[])
    } catch (error) {
      // The state of the connection is known only if the server answered, and it didn't say that it ends.
      if (!isResponse(error)) this.#isAlive = false
      throw explainDatabaseError(error)
    }
  }

  /** Changes settings of the session, as far as the server has them. It must be closed afterward, not returned to the pool. */
  async settings(values: Readonly<Record<string, string>>): Promise<void> {
    const [names, texts] = [Object.keys(values), Object.values(values)]
    await this.rows(
      sql`select set_config(wanted.name, wanted.value, false)
        from unnest(${names}::text[], ${texts}::text[]) as wanted (name, value) join pg_settings using (name)`,
    )
  }

  /** Returns it to the pool, if it can be used again. */
  release(): void {
    this.#end(!this.#isAlive)
  }

  /** Ends it, and with it its locks and statements. */
  close(): void {
    this.#end(true)
  }

  #end(destroy: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#client.release(destroy)
    // A connection that is destroyed can still report an error.
    if (!destroy) this.#client.removeListener('error', this.#onError)
  }

  readonly #onError = (): void => {
    this.#isAlive = false
  }
}

/** Waits for a connection of a pool, for a limited time. @throws DatabaseError; on abort the signal's own reason. */
export async function takeClient(
  pool: PostgresPool,
  signal?: AbortSignal,
  clock: Clock = systemClock,
): Promise<PostgresClient> {
  signal?.throwIfAborted()
  const connecting = pool.connect()
  let isWanted = true
  // One that comes too late returns to the pool.
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

/** Whether the server answered with an error and continues to serve the connection. */
function isResponse(error: unknown): boolean {
  const code = codeOf(error)
  return code?.length === 5 && !/^(57P|08|25P03)/.test(code) && !code.startsWith('E')
}

function unknownOutcome(error: unknown): unknown {
  if (!(error instanceof DatabaseError) || error.reason !== 'unavailable') return error
  return new DatabaseError(
    'unavailable',
    'The connection to the database was lost while it stored a change.',
    {
      remedy: 'The change may or may not be stored; read it again.',
      outcome: 'unknown',
      cause: error,
    },
  )
}
