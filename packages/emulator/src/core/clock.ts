/**
 * The source of the emulator's time and timers. The clocks of the Concord runtime implement this interface, so that
 * a client, the emulator and a test can share a clock.
 *
 * @public
 */
export interface Clock {
  /** The wall time, in milliseconds since the Unix epoch. */
  now(): number
  /** Monotonic time, in milliseconds from an arbitrary start. */
  monotonic(): number
  /** Runs the callback once, after `delayMs`, unless `cancel` is called first. */
  setTimer(callback: () => void, delayMs: number): { cancel(): void }
  /** Keeps a virtual clock from advancing until the work has settled. */
  track?<T>(work: Promise<T>): Promise<T>
}

/** The system clock. @public */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, Math.min(delayMs, 2 ** 31 - 1))
    return { cancel: () => clearTimeout(timer) }
  },
}

/**
 * Creates a clock that never advances. If an emulator uses this clock, the emulator's time advances only when you
 * call `control.clock.advance`.
 *
 * @param startMs - The initial time, in milliseconds since the Unix epoch; by default 2026-01-05T09:00:00Z.
 * @public
 */
export function frozenClock(startMs: number = Date.UTC(2026, 0, 5, 9)): Clock {
  return { now: () => startMs, monotonic: () => 0, setTimer: () => ({ cancel() {} }) }
}

interface Timer {
  readonly dueMs: number
  /** The order of creation. Timers that are due at the same time run in this order. */
  readonly order: number
  readonly callback: () => void
}

/** The emulator's clock. It follows another clock, and `advance` moves it forward. */
export class ControlledClock implements Clock {
  readonly #base: Clock
  readonly #startMonotonic: number
  /** The pending timers, in reverse order: the last one runs first. */
  #timers: Timer[] = []
  readonly #working = new Set<Promise<unknown>>()
  #addedMs = 0
  #orders = 0
  #baseTimer: { cancel(): void } | undefined
  #baseTimerDueMs = Infinity

  constructor(base: Clock) {
    this.#base = base
    this.#startMonotonic = base.monotonic()
  }

  now(): number {
    return this.#base.now() + this.#addedMs
  }

  monotonic(): number {
    return this.#startMonotonic + this.#elapsed()
  }

  setTimer(callback: () => void, delayMs: number): { cancel(): void } {
    const dueMs = this.#elapsed() + Math.max(0, delayMs)
    const timer = { dueMs, order: this.#orders++, callback }
    this.#timers.splice(this.#positionOf(timer), 0, timer)
    this.#arm()
    return {
      cancel: () => {
        const position = this.#positionOf(timer)
        if (this.#timers[position] !== timer) return
        this.#timers.splice(position, 1)
        this.#arm()
      },
    }
  }

  track<T>(work: Promise<T>): Promise<T> {
    const watched = work.catch(() => undefined)
    this.#working.add(watched)
    void watched.then(() => this.#working.delete(watched))
    return this.#base.track ? this.#base.track(work) : work
  }

  /** Resolves when no tracked work is under way. */
  async settled(): Promise<void> {
    do {
      await Promise.allSettled(this.#working)
      // Code that awaits the work must run first, because it may set a timer or start more work.
      await new Promise<void>((resolve) => setImmediate(resolve))
    } while (this.#working.size > 0)
  }

  async advance(byMs: number): Promise<void> {
    if (!(byMs >= 0) || byMs === Infinity)
      throw new RangeError(
        `The clock can only advance by a finite number of milliseconds (0 or more), not by ${byMs}.`,
      )
    const targetMs = this.#elapsed() + byMs
    await this.settled()
    for (let timer = this.#first(); timer && timer.dueMs <= targetMs; timer = this.#first()) {
      this.#addedMs += Math.max(0, timer.dueMs - this.#elapsed())
      this.#runDue()
      await this.settled()
    }
    this.#addedMs += Math.max(0, targetMs - this.#elapsed())
    this.#runDue()
    await this.settled()
  }

  clear(): void {
    this.#timers = []
    this.#arm()
  }

  #elapsed(): number {
    return this.#base.monotonic() - this.#startMonotonic + this.#addedMs
  }

  #first(): Timer | undefined {
    return this.#timers.at(-1)
  }

  /** Uses binary search, because thousands of timers can be pending. */
  #positionOf({ dueMs, order }: Timer): number {
    let low = 0
    let high = this.#timers.length
    while (low < high) {
      const middle = (low + high) >> 1
      const other = this.#timers[middle]
      if (other && (other.dueMs > dueMs || (other.dueMs === dueMs && other.order > order))) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Sets one timer on the base clock. It fires when the earliest pending timer is due. */
  #arm(): void {
    const dueMs = this.#first()?.dueMs ?? Infinity
    if (dueMs === this.#baseTimerDueMs) return
    this.#disarm()
    this.#baseTimerDueMs = dueMs
    if (dueMs !== Infinity)
      this.#baseTimer = this.#base.setTimer(() => this.#runDue(), Math.max(0, dueMs - this.#elapsed()))
  }

  #disarm(): void {
    this.#baseTimer?.cancel()
    this.#baseTimer = undefined
    this.#baseTimerDueMs = Infinity
  }

  #runDue(): void {
    this.#disarm()
    // A base timer may fire a fraction of a millisecond early.
    for (let timer = this.#first(); timer && timer.dueMs <= this.#elapsed() + 0.5; timer = this.#first()) {
      this.#timers.pop()
      timer.callback()
    }
    this.#arm()
  }
}

/** Resolves after `delayMs` on the clock. Rejects with the signal's reason if the signal is aborted earlier. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  if (signal.aborted) return Promise.reject(signal.reason)
  const timer = clock.setTimer(() => {
    signal.removeEventListener('abort', abort)
    resolve()
  }, delayMs)
  const abort = () => {
    timer.cancel()
    reject(signal.reason)
  }
  signal.addEventListener('abort', abort, { once: true })
  return promise
}

export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** A timer that runs its callback after a period without activity. */
export interface IdleTimer {
  /** Starts a new period of `delayMs`. */
  touch(delayMs: number): void
}

/** On speech channels, every piece of audio restarts a timer. Restarts must be cheap: most only change `dueMs`. */
export function createIdleTimer(
  clock: Pick<Clock, 'monotonic' | 'setTimer'>,
  callback: () => void,
): IdleTimer {
  let dueMs = 0
  let setForMs = Infinity
  let timer: { cancel(): void } | undefined

  function arm(delayMs: number): void {
    setForMs = clock.monotonic() + delayMs
    timer = clock.setTimer(() => {
      timer = undefined
      const leftMs = dueMs - clock.monotonic()
      // The clock's timer may fire up to half a millisecond early.
      if (leftMs > 0.5) arm(leftMs)
      else callback()
    }, delayMs)
  }

  return {
    touch(delayMs) {
      dueMs = clock.monotonic() + delayMs
      if (timer && setForMs <= dueMs) return
      timer?.cancel()
      arm(delayMs)
    },
  }
}
