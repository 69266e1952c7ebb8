import { Pool, type PoolConfig } from 'pg'
import { afterAll, beforeAll, inject } from 'vitest'

/** A database for the tests of one file. */
interface TestDatabase {
  /** The connection string, available in tests and in `beforeAll`. */
  readonly url: string
  /** A pool that is closed after the file's tests. */
  readonly pool: Pool
  /** Creates another pool, as another process would have. It is closed after the file's tests too. */
  newPool(config?: PoolConfig): Pool
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
  }
}

/** Creates an empty database and returns its connection string. The server starts with the first one. */
export async function createDatabase(): Promise<string> {
  const response = await fetch(inject('databaseServer'))
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}
