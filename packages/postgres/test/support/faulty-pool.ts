import {
  guardConnections,
  type PostgresClient,
  type PostgresPool,
  withMethods,
} from '../../src/database/pool.ts'

/**
 * The fate of a statement: the connection is cut, or the process dies, before it is sent or after it is executed; or the server
 * aborts its transaction, because the disk is full.
 */
export type Fault = 'pass' | 'cut-before' | 'cut-after' | 'die-before' | 'die-after' | 'full'

/** A pool that wraps another one and injects faults into its statements. */
interface FaultyPool extends PostgresPool {
  /** Resolves when the process dies. No statement returns after that. */
  readonly died: Promise<void>
  /** Awaited before each statement, as in a suspended process. */
  held: Promise<void> | undefined
}

const NEVER = new Promise<never>(() => undefined)

/** @param decide - Called with the text of each statement and its number, from 1. */
export function faultyPool(
  pool: PostgresPool,
  decide: (text: string, number: number) => Fault | Promise<Fault>,
): FaultyPool {
  guardConnections(pool)
  const death = Promise.withResolvers<void>()
  const held = new Set<PostgresClient>()
  let isDead = false
  let count = 0
  const faulty: FaultyPool = {
    died: death.promise,
    held: undefined,
    async connect() {
      await faulty.held
      if (isDead) return NEVER
      const client = await pool.connect()
      if (isDead) {
        client.release(true)
        return NEVER
      }
      held.add(client)
      return withMethods(client, {
        query: (statement) => query(client, statement),
        release(destroy) {
          if (held.delete(client)) client.release(destroy)
        },
      })
    },
  }
  async function query(
    client: PostgresClient,
    statement: Parameters<PostgresClient['query']>[0],
  ): Promise<never> {
    await faulty.held
    if (isDead) return NEVER
    const fault = await decide(statement.text, ++count)
    if (fault === 'full' && statement.text !== 'rollback') {
      // A transaction that can't be committed is over.
      if (statement.text === 'commit') await client.query({ text: 'rollback', values: [] })
      const text = "do $$ begin raise exception 'no space left on device' using errcode = '53100'; end $$"
      return (await client.query({ text, values: [] })) as never
    }
    if (fault === 'cut-after' || fault === 'die-after') await client.query(statement)
    if (fault === 'cut-before' || fault === 'cut-after') {
      if (held.delete(client)) client.release(true)
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' })
    }
    if (fault === 'die-before' || fault === 'die-after') {
      isDead = true
      // The operating system closes a dead process's connections.
      for (const each of held) each.release(true)
      held.clear()
      death.resolve()
      return NEVER
    }
    return (await client.query(statement)) as never
  }
  return faulty
}
