/**
 * The part of a `Pool` from the package `pg` that is used. A connection pooler between it and the database must be in session
 * mode.
 *
 * @public
 */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
}

/** The part of a `PoolClient` from the package `pg` that is used. @public */
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
