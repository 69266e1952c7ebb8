import type { Clock } from '@concord/runtime'

import { guardConnections, type PostgresClient, type PostgresPool } from '../database/pool.ts'

/** Wraps a pool so that a virtual clock knows about statements in progress, and doesn't advance in the meantime. */
export function trackedPool(pool: PostgresPool, clock: Clock): PostgresPool {
  if (clock.track === undefined) return pool
  guardConnections(pool)
  const track = <Result>(work: Promise<Result>): Promise<Result> => clock.track!(work)
  return {
    async connect() {
      const client = await track(pool.connect())
      return new Proxy(client, {
        get(target, name) {
          if (name === 'query')
            return (statement: Parameters<PostgresClient['query']>[0]) => track(target.query(statement))
          const value: unknown = Reflect.get(target, name)
          return typeof value === 'function' ? value.bind(target) : value
        },
      })
    },
  }
}
