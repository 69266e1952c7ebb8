import { codeOf, DatabaseError, explainDatabaseError } from './database-error.ts'
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
      // Otherwise the next user of the connection would be inside of this transaction.
      await session.rows(sql`rollback`)
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

/**
 * Runs work with a connection of its own, which returns to the pool unless something failed on it.
 *
 * @throws DatabaseError, or the error of the work.
 */
export async function withSession<Result>(
  pool: PostgresPool,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const client = await connected(pool)
  let broken = false
  const onError = (): void => {
    broken = true
  }
  // Without a listener, a connection that is lost between two statements would end the process.
  client.on('error', onError)
  const session: Session = {
    async rows<Row>({ text, values }: Statement): Promise<Row[]> {
      try {
        const result: PostgresResult | readonly PostgresResult[] = await client.query({
          text,
          values: [...values],
        })
        // A text with several statements, as pg-boss sends them, has a result for each.
        return (
          Array.isArray(result)
            ? result.flatMap(({ rows }) => rows as Row[])
            : (result as PostgresResult).rows
        ) as Row[]
      } catch (error) {
        // The state of the connection is known only if the server answered, and it didn't say that it ends.
        if (!isAnswer(error)) broken = true
        throw explainDatabaseError(error)
      }
    },
  }
  try {
    return await work(session)
  } finally {
    client.removeListener('error', onError)
    client.release(broken)
  }
}

async function connected(pool: PostgresPool): Promise<PostgresClient> {
  try {
    return await pool.connect()
  } catch (error) {
    throw explainDatabaseError(error)
  }
}

/** Whether the server answered with an error and continues to serve the connection. */
function isAnswer(error: unknown): boolean {
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
