/**
 * The source of time for every wait. Clients, the emulator and tests can share a clock. With a virtual clock, minutes
 * of polling take milliseconds.
 *
 * @public
 */
export interface Clock {
  /** Returns the wall time, in milliseconds since the Unix epoch. */
  now(): number
  /** Returns a time that never goes backward, in milliseconds from an arbitrary start. */
  monotonic(): number
  /**
   * Calls `callback` once after `delayMs`, unless the returned timer is canceled first. A pending timer keeps the
   * process alive.
   */
  setTimer(callback: () => void, delayMs: number): Timer
  /**
   * Keeps a virtual clock from advancing until `work` settles. Use this method for work that doesn't depend on the
   * clock, such as hashing, reading a file or using a real socket. Never track work that itself waits for this clock.
   */
  track?<T>(work: Promise<T>): Promise<T>
}

/** A pending callback of {@link Clock.setTimer}. @public */
export interface Timer {
  cancel(): void
}

/** The longest delay that the platform's timers support. With a longer delay, the timer would fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/** The system clock. @public */
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

/**
 * A source of random numbers in [0, 1), like `Math.random`. All jitter comes from this source, so a test that passes
 * its own source can predict the jitter.
 *
 * @public
 */
export type RandomSource = () => number

/** Something that expires unless it is removed from its {@link TimeLimits} first. */
export abstract class TimeLimited {
  /** The time of expiry, on the monotonic clock. */
  endsAtMs = 0
  /** @internal */ bucket: Bucket | undefined = undefined
  /** @internal */ previous: TimeLimited | undefined = undefined
  /** @internal */ following: TimeLimited | undefined = undefined

  abstract expire(): void
}

interface Bucket {
  readonly limitMs: number
  head: TimeLimited | undefined
  tail: TimeLimited | undefined
  timer: Timer | undefined
}

/**
 * The time limits of a client's requests in flight. Requests with the same limit share one timer. If each request had
 * its own timer, timers would be set and cleared thousands of times a second.
 *
 * Requests with the same limit expire in the order in which they were added, so a linked list keeps them sorted.
 */
export class TimeLimits {
  readonly #clock: Clock
  readonly #buckets = new Map<number, Bucket>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Sets a time limit, replacing the current one if any. */
  add(limited: TimeLimited, limitMs: number, nowMs: number): void {
    if (limited.bucket !== undefined) this.remove(limited)
    let bucket = this.#buckets.get(limitMs)
    if (bucket === undefined) {
      bucket = { limitMs, head: undefined, tail: undefined, timer: undefined }
      this.#buckets.set(limitMs, bucket)
    }
    limited.endsAtMs = nowMs + limitMs
    limited.bucket = bucket
    limited.previous = bucket.tail
    if (bucket.tail === undefined) bucket.head = limited
    else bucket.tail.following = limited
    bucket.tail = limited
    if (bucket.timer === undefined) this.#arm(bucket, limitMs)
  }

  remove(limited: TimeLimited): void {
    const bucket = limited.bucket
    if (bucket === undefined) return
    const { previous, following } = limited
    if (previous === undefined) bucket.head = following
    else previous.following = following
    if (following === undefined) bucket.tail = previous
    else following.previous = previous
    limited.bucket = limited.previous = limited.following = undefined
    if (bucket.head !== undefined) return
    // A leftover timer would keep the process alive.
    bucket.timer?.cancel()
    this.#buckets.delete(bucket.limitMs)
  }

  #arm(bucket: Bucket, delayMs: number): void {
    bucket.timer = this.#clock.setTimer(() => this.#sweep(bucket), Math.max(delayMs, 1))
  }

  #sweep(bucket: Bucket): void {
    const nowMs = this.#clock.monotonic()
    let next = bucket.head
    while (next !== undefined && next.endsAtMs <= nowMs) {
      this.remove(next)
      next.expire()
      next = bucket.head
    }
    if (bucket.head !== undefined) this.#arm(bucket, bucket.head.endsAtMs - nowMs)
  }
}
