import type { Clock } from './clock.ts'
import { createTimerHeap, type HeapTimer } from './timer-heap.ts'

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

/** Follows `base`, plus the time that was added with `advance`. */
export function controlledClock(base: Clock): ControlledClock {
  const timers = createTimerHeap()
  const working = new Set<Promise<unknown>>()
  const startMonotonic = base.monotonic()
  let addedMs = 0
  let orders = 0
  let baseTimer: { cancel(): void } | undefined
  let baseTimerDueMs = Infinity

  const elapsed = () => base.monotonic() - startMonotonic + addedMs

  /** Keeps one timer of the base clock, set for the earliest entry. */
  function arm(): void {
    const dueMs = timers.first()?.dueMs ?? Infinity
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
    for (let timer = timers.first(); timer && timer.dueMs <= elapsed() + 0.5; timer = timers.first()) {
      timers.remove(timer)
      timer.callback()
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
      const dueMs = elapsed() + Math.max(0, delayMs)
      const timer: HeapTimer = { dueMs, order: orders++, callback, index: -1 }
      timers.add(timer)
      arm()
      return {
        cancel() {
          if (timers.remove(timer)) arm()
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
      for (let timer = timers.first(); timer && timer.dueMs <= targetMs; timer = timers.first()) {
        addedMs += Math.max(0, timer.dueMs - elapsed())
        runDue()
        await settled()
      }
      addedMs += Math.max(0, targetMs - elapsed())
      runDue()
      await settled()
    },
    clear() {
      timers.clear()
      arm()
    },
  }
}
