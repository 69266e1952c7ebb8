/**
 * The source of time for every wait. Clients, the emulator and tests can share one, so that minutes of polling take
 * milliseconds in a test.
 *
 * @public
 */
export interface Clock {
  /** Returns the wall time, in milliseconds since the Unix epoch. */
  now(): number
  /** Returns a time that never goes backward, in milliseconds from an arbitrary start. */
  monotonic(): number
  /** Calls back once after `delayMs`; the returned object cancels the call. A pending timer keeps the process alive. */
  setTimer(callback: () => void, delayMs: number): Timer
  /**
   * Tells a virtual clock about work that ends without the clock (hashing, reading a file, a real socket), so that the
   * clock doesn't advance in the meantime. Never track work that itself waits for this clock.
   */
  track?<T>(work: Promise<T>): Promise<T>
}

/** A pending call of {@link Clock.setTimer}. @public */
export interface Timer {
  cancel(): void
}

/** A host timer with a longer delay would fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** The host's own clock. @public */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, delayMs) {
    let timer = setTimeout(fire, Math.min(delayMs, MAX_TIMEOUT_MS))
    let leftMs = delayMs - MAX_TIMEOUT_MS
    function fire(): void {
      if (leftMs <= 0) return callback()
      timer = setTimeout(fire, Math.min(leftMs, MAX_TIMEOUT_MS))
      leftMs -= MAX_TIMEOUT_MS
    }
    return { cancel: () => clearTimeout(timer) }
  },
}

/** A source of numbers in [0, 1), as `Math.random`. Injected wherever jitter is drawn. @public */
export type RandomSource = () => number
