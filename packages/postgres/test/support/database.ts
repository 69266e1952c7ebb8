import type { Clock } from '@concord/runtime'
import { Pool, type PoolConfig } from 'pg'
import { afterAll, beforeAll, expect, inject } from 'vitest'

import type { PostgresPool } from '../../src/database/pool.ts'
import { createFleet, type Fleet } from '../../src/jobs/fleet.ts'
import type { FleetService } from '../../src/jobs/service.ts'

interface TestDatabase {
  /** The connection string, available in tests and in `beforeAll`. */
  readonly url: string
  /** A pool that is closed after the file's tests. */
  readonly pool: Pool
  /** Creates another pool, as another process would have. It is closed after the file's tests too. */
  newPool(config?: PoolConfig): Pool
  /** Creates a pool for a port on which no server listens. */
  unreachablePool(): Pool
  /** Opens a fleet with one service, which is named `stub`. Default: through the file's pool. */
  fleet<Request, Result>(
    schema: string,
    stub: FleetService<Request, Result>,
    options?: { readonly pool?: PostgresPool; readonly clock?: Clock },
  ): Fleet<{ readonly stub: FleetService<Request, Result> }>
  /** Runs a query, and returns its rows. */
  rows<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /** Returns every row of these schemas, as one string. */
  contents(...schemas: string[]): Promise<string>
  /** Counts the rows of `select 1 from ...`. */
  count(from: string): Promise<number>
  /** Counts the jobs of a fleet in each phase. */
  phases(schema: string): Promise<Record<string, number>>
  /** Waits until a fleet has this many jobs in each phase. */
  becomes(schema: string, phases: Record<string, number>): Promise<void>
  /** Waits until one connection waits for a lock. */
  blocked(): Promise<void>
}

/** Creates an empty database for the tests of the file that calls this at its top level. */
export function testDatabase(): TestDatabase {
  const pools: Pool[] = []
  let url = ''
  let pool: Pool | undefined
  const newPool = (config: PoolConfig = {}): Pool => {
    const created = new Pool({ connectionString: url, ...config })
    // The server can close an idle connection. Every user of a pool needs such a listener.
    created.on('error', () => undefined)
    pools.push(created)
    return created
  }
  const rows = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await pool!.query(text, values)).rows as Row[]
  const count = async (from: string): Promise<number> => (await rows(`select 1 from ${from}`)).length
  const phases = async (schema: string): Promise<Record<string, number>> => {
    const found = await rows<{ phase: string; count: number }>(
      `select phase, count(*)::int from ${schema}.fleet_jobs group by phase`,
    )
    return Object.fromEntries(found.map((row) => [row.phase, row.count]))
  }
  beforeAll(async () => {
    url = await createDatabase()
    pool = newPool()
  })
  afterAll(() => Promise.all(pools.map((each) => (each.ended ? undefined : each.end()))))
  return {
    get url() {
      return url
    },
    get pool() {
      return pool!
    },
    newPool,
    unreachablePool() {
      const unreachable = new URL(url)
      unreachable.port = '1'
      return newPool({ connectionString: unreachable.href })
    },
    fleet: (schema, stub, options) => createFleet({ pool: pool!, schema, services: { stub }, ...options }),
    rows,
    async contents(...schemas) {
      const tables = await rows<{ name: string }>(
        "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = any($1)",
        [schemas],
      )
      const found = await Promise.all(
        tables.map(({ name }) => rows<{ row: string }>(`select t::text as row from ${name} t`)),
      )
      return found.flatMap((each) => each.map(({ row }) => row)).join('\n')
    },
    count,
    phases,
    becomes: (schema, expected) => expect.poll(() => phases(schema)).toEqual(expected),
    blocked: () =>
      expect
        .poll(() => count("pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"))
        .toBe(1),
  }
}

/** Creates an empty database and returns its connection string. The server starts with the first one. */
export async function createDatabase(): Promise<string> {
  const response = await fetch(inject('databaseServer'))
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}
