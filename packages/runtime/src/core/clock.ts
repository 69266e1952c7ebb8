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
  /** Tells a virtual clock that work is under way, so that it does not move on meanwhile. */
  track?<T>(work: Promise<T>): Promise<T>
}

/** A pending call of {@link Clock.setTimer}. @public */
export interface Timer {
  cancel(): void
}

/** The host's own clock. @public */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}
