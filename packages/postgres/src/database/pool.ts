import { type Clock, OptionsError } from '@concord/runtime'

/**
 * The methods of a `Pool` (from the package `pg`) that this package uses. If you use a connection pooler, such as
 * PgBouncer, it must be in session mode.
 *
 * @public
 */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
}

/** The methods of a `PoolClient` (from the package `pg`) that this package uses. @public */
export interface PostgresClient {
  query(statement: { text: string; values: unknown[] }): Promise<PostgresResult>
  /** `true` closes the connection instead of returning it to the pool. */
  release(destroy?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'notification', listener: (message: PostgresNotification) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'notification', listener: (message: PostgresNotification) => void): unknown
}

/** The result of a statement. @public */
export interface PostgresResult {
  // oxlint-disable-next-line typescript/no-explicit-any -- as `pg` declares it
  readonly rows: any[]
  readonly rowCount: number | null
}

/** A NOTIFY message. @public */
export interface PostgresNotification {
  readonly channel: string
  readonly payload?: string | undefined
}

/** @throws OptionsError if the value isn't a pool. */
export function poolOption(pool: unknown): PostgresPool {
  if (typeof (pool as Partial<PostgresPool> | null | undefined)?.connect === 'function')
    return pool as PostgresPool
  throw new OptionsError(
    'pool',
    pool === undefined ? '`pool` is missing.' : '`pool` is not a pool.',
    'Pass a `Pool` from the package `pg`.',
  )
}

const guarded = new WeakSet<object>()

/**
 * Adds an error listener to each connection as soon as the connection is open. The server can end a connection right
 * after accepting it. The caller of `pool.connect()` would then add its listener too late, and the unhandled error
 * would crash the process.
 */
export function guardConnections(pool: PostgresPool): void {
  const { on } = pool as { on?(event: 'connect', listener: (client: PostgresClient) => void): unknown }
  if (guarded.has(pool) || typeof on !== 'function') return
  guarded.add(pool)
  on.call(pool, 'connect', (client) => void client.on('error', () => undefined))
}

export function withMethods(client: PostgresClient, methods: Partial<PostgresClient>): PostgresClient {
  return new Proxy(client, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name) as unknown
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Wraps a pool so that a virtual clock doesn't advance while a connection opens or a statement runs. */
export function trackedPool(pool: PostgresPool, clock: Clock): PostgresPool {
  if (clock.track === undefined) return pool
  guardConnections(pool)
  const track = <Result>(work: Promise<Result>): Promise<Result> => clock.track!(work)
  return {
    async connect() {
      const client = await track(pool.connect())
      return withMethods(client, { query: (statement) => track(client.query(statement)) })
    },
  }
}
