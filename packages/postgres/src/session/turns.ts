import { type Clock, DeadlineError } from '@concord/runtime'
import { bounded } from '@concord/runtime/internal'

import type { PostgresPool } from '../database/pool.ts'

const queues = new WeakMap<PostgresPool, Map<string, Promise<unknown>>>()

/** Runs `work` after all earlier calls with the same pool and name have ended. */
export async function inTurn<Result>(
  pool: PostgresPool,
  name: string,
  limits: { readonly signal: AbortSignal | undefined; readonly clock: Clock; readonly limitMs: number },
  work: () => Promise<Result>,
): Promise<Result> {
  const { signal, clock, limitMs } = limits
  signal?.throwIfAborted()
  let names = queues.get(pool)
  if (names === undefined) queues.set(pool, (names = new Map()))
  const { promise: done, resolve: finish } = Promise.withResolvers<void>()
  const before = names.get(name)
  const last = Promise.all([before, done])
  names.set(name, last)
  void last.then(() => names.get(name) === last && names.delete(name))
  try {
    if (before !== undefined)
      await bounded(before, {
        signals: [signal],
        limit: {
          clock,
          ms: limitMs,
          error: (elapsedMs) =>
            new DeadlineError(
              `An earlier call in this process has not released the session within ${limitMs / 1000} s ` +
                '(`lockWaitMs`). Check what that call is waiting for.',
              { limitMs, elapsedMs },
            ),
        },
      })
    return await work()
  } finally {
    finish()
  }
}
