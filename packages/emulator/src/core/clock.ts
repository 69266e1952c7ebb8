/**
 * Where every wait of the emulator gets its time from. The clock of the Concord runtime satisfies it too, so
 * that a client, the emulator and a test can share one.
 *
 * @public
 */
export interface Clock {
  /** The wall time, in milliseconds since the Unix epoch. */
  now(): number
  /** A time that never goes back, in milliseconds from an arbitrary start. */
  monotonic(): number
  /** Calls back once after `delayMs`; the answer cancels it. */
  setTimer(callback: () => void, delayMs: number): { cancel(): void }
  /** Tells a virtual clock that work is under way, so that it does not move on meanwhile. */
  track?<T>(work: Promise<T>): Promise<T>
}

/** The host's own clock. @public */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, Math.min(delayMs, 2 ** 31 - 1))
    return { cancel: () => clearTimeout(timer) }
  },
}

/**
 * Makes a clock that stands still. Time then moves only through the emulator's control interface
 * (`control.clock.advance`).
 *
 * @param startMs - What it shows, in milliseconds since the Unix epoch; by default 2026-01-05T09:00:00Z.
 * @public
 */
export function frozenClock(startMs: number = Date.UTC(2026, 0, 5, 9)): Clock {
  return { now: () => startMs, monotonic: () => 0, setTimer: () => ({ cancel() {} }) }
}
