import type { Clock } from '../core/clock.ts'
import { wait } from '../core/wait.ts'

/** Waits for work that hears of no abort and no deadline: both end the waiting at once. The work itself goes on. */
export async function inTime<T>(
  work: Promise<T>,
  {
    clock,
    leftMs,
    signals,
  }: { readonly clock: Clock; readonly leftMs: number; readonly signals: readonly AbortSignal[] },
  timeIsUp: () => Error,
): Promise<T> {
  if (leftMs === Infinity && signals.length === 0) return work
  const done = new AbortController()
  const limit = wait(clock, leftMs, [...signals, done.signal]).then(() => {
    throw timeIsUp()
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    done.abort()
  }
}
