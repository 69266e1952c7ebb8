/**
 * Where every wait gets its time from. Clients, the emulator and tests can share one, so that minutes of
 * polling take milliseconds in a test.
 *
 * @public
 */
export interface Clock {
  /** The wall time, in milliseconds since the Unix epoch. */
  now(): number
  /** A time that never goes back, in milliseconds from an arbitrary start. */
  monotonic(): number
  /** Calls back once after `delayMs`; the answer cancels it. A pending timer keeps the process alive. */
  setTimer(callback: () => void, delayMs: number): Timer
  /**
   * Tells a virtual clock that work is under way which ends without it (hashing, reading a file, a real socket), so that
   * it does not move on meanwhile. Never for work that itself waits for this clock.
   */
  track?<T>(work: Promise<T>): Promise<T>
}

/** A pending call of {@link Clock.setTimer}. @public */
export interface Timer {
  cancel(): void
}

/** A host's timer that is set for longer fires at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** The host's own clock. @public */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, delayMs) {
    let timer = setTimeout(arrive, Math.min(delayMs, LONGEST_TIMEOUT_MS))
    let leftMs = delayMs - LONGEST_TIMEOUT_MS
    function arrive(): void {
      if (leftMs <= 0) return callback()
      timer = setTimeout(arrive, Math.min(leftMs, LONGEST_TIMEOUT_MS))
      leftMs -= LONGEST_TIMEOUT_MS
    }
    return { cancel: () => clearTimeout(timer) }
  },
}

/** A source of numbers in [0, 1), as `Math.random`. Injected wherever jitter is drawn. @public */
export type RandomSource = () => number
