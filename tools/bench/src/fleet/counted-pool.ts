import type { PostgresClient, PostgresPool } from '@concord/postgres'
import { Pool } from 'pg'

interface CountedPool extends PostgresPool, AsyncDisposable {
  readonly pool: Pool
  readonly roundTrips: number
}

export function countedPool(connectionString: string, max = 10): CountedPool {
  const pool = new Pool({ connectionString, max })
  // `rowsWritten` ends connections. Without these listeners, the connections' errors would end this process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  let roundTrips = 0
  return {
    pool,
    get roundTrips() {
      return roundTrips
    },
    async connect() {
      const client: PostgresClient = await pool.connect()
      return {
        query(statement) {
          roundTrips++
          return client.query(statement)
        },
        release: client.release.bind(client),
        on: client.on.bind(client),
        removeListener: client.removeListener.bind(client),
      }
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

/**
 * Returns the number of rows that were inserted, updated or deleted in this database so far. First ends all other
 * connections: an idle connection can take seconds to report its statistics, but a connection that ends reports
 * them immediately.
 */
export async function rowsWritten(pool: Pool): Promise<number> {
  const client = await pool.connect()
  try {
    const { rows: ended } = await client.query<{ pid: number }>(
      `select pid, pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    )
    const pids = ended.map(({ pid }) => pid)
    // Waits only for these connections to end, because a running queue soon opens new ones.
    for (let left = pids.length; left > 0;) {
      const { rows } = await client.query<{ left: number }>(
        'select count(*)::int as left from pg_stat_activity where pid = any($1)',
        [pids],
      )
      left = rows[0]!.left
    }
    // Without this flush, the statistics could lack rows that this connection itself has written.
    await client.query('select pg_stat_force_next_flush()')
    const { rows } = await client.query<{ count: string }>(
      `select sum(n_tup_ins + n_tup_upd + n_tup_del) as count from pg_stat_user_tables`,
    )
    return Number(rows[0]!.count)
  } finally {
    client.release()
  }
}
