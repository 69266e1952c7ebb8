import type { Clock } from './clock.ts'

/** The emulator's own clock: it follows another one, and can be moved forward. */
export interface ControlledClock extends Clock {
  /** Moves forward by `byMs`, running what falls due on the way, in order. */
  advance(byMs: number): Promise<void>
  track<T>(work: Promise<T>): Promise<T>
  /** Resolves when no tracked work is under way. */
  settled(): Promise<void>
  /** Drops every pending timer. */
  clear(): void
}

interface Entry {
  dueMs: number
  order: number
  callback: () => void
}

/** Follows `base`, plus the time that was added with `advance`. */
export function controlledClock(base: Clock): ControlledClock {
  const entries = new Set<Entry>()
  const working = new Set<Promise<unknown>>()
  const startMonotonic = base.monotonic()
  let addedMs = 0
  let orders = 0
  let baseTimer: { cancel(): void } | undefined
  let baseTimerDueMs = Infinity

  const elapsed = () => base.monotonic() - startMonotonic + addedMs

  function next(): Entry | undefined {
    let first: Entry | undefined
    for (const entry of entries)
      if (!first || entry.dueMs < first.dueMs || (entry.dueMs === first.dueMs && entry.order < first.order))
        first = entry
    return first
  }

  /** Keeps one timer of the base clock, set for the earliest entry. */
  function arm(): void {
    const dueMs = next()?.dueMs ?? Infinity
    if (dueMs === baseTimerDueMs) return
    baseTimer?.cancel()
    baseTimer = undefined
    baseTimerDueMs = dueMs
    if (dueMs !== Infinity) baseTimer = base.setTimer(runDue, Math.max(0, dueMs - elapsed()))
  }

  function runDue(): void {
    baseTimer?.cancel()
    baseTimer = undefined
    baseTimerDueMs = Infinity
    // A base timer may fire a fraction of a millisecond early; half of one is not worth another round.
    for (let entry = next(); entry && entry.dueMs <= elapsed() + 0.5; entry = next()) {
      entries.delete(entry)
      entry.callback()
    }
    arm()
  }

  async function settled(): Promise<void> {
    do {
      await Promise.allSettled(working)
      // What follows the work, such as setting the next timer, gets its turn too.
      await new Promise<void>((resolve) => setImmediate(resolve))
    } while (working.size > 0)
  }

  return {
    now: () => base.now() + addedMs,
    monotonic: () => startMonotonic + elapsed(),
    setTimer(callback, delayMs) {
      const entry: Entry = { dueMs: elapsed() + Math.max(0, delayMs), order: orders++, callback }
      entries.add(entry)
      arm()
      return {
        cancel() {
          if (entries.delete(entry)) arm()
        },
      }
    },
    track<T>(work: Promise<T>): Promise<T> {
      const watched = work.catch(() => undefined)
      working.add(watched)
      void watched.then(() => working.delete(watched))
      return base.track ? base.track(work) : work
    },
    settled,
    async advance(byMs) {
      if (!(byMs >= 0) || byMs === Infinity)
        throw new RangeError(
          `The clock can only be moved forward by a finite number of milliseconds, not ${byMs}.`,
        )
      const targetMs = elapsed() + byMs
      await settled()
      for (let entry = next(); entry && entry.dueMs <= targetMs; entry = next()) {
        addedMs += Math.max(0, entry.dueMs - elapsed())
        runDue()
        await settled()
      }
      addedMs += Math.max(0, targetMs - elapsed())
      runDue()
      await settled()
    },
    clear() {
      entries.clear()
      arm()
    },
  }
}
