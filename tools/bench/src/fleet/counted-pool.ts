import type { PostgresClient, PostgresPool } from '@concord/postgres'
import { Pool } from 'pg'

/** A pool that counts the round trips to the database. */
export interface CountedPool extends PostgresPool, AsyncDisposable {
  readonly pool: Pool
  readonly roundTrips: number
}

export function countedPool(connectionString: string, max = 10): CountedPool {
  const pool = new Pool({ connectionString, max })
  pool.on('error', () => undefined)
  let roundTrips = 0
  return {
    pool,
    get roundTrips() {
      return roundTrips
    },
    async connect() {
      const client: PostgresClient = await pool.connect()
      return new Proxy(client, {
        get(target, name) {
          if (name === 'query')
            return (statement: Parameters<PostgresClient['query']>[0]) => {
              roundTrips++
              return target.query(statement)
            }
          const value: unknown = Reflect.get(target, name)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

/** Rows that were inserted, updated and deleted in this database so far. */
export async function rowsWritten(pool: Pool): Promise<number> {
  // Statistics of other sessions arrive when they are idle.
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  const { rows } = await pool.query<{ count: string }>(
    `select sum(n_tup_ins + n_tup_upd + n_tup_del) as count from pg_stat_user_tables`,
  )
  return Number(rows[0]!.count)
}
