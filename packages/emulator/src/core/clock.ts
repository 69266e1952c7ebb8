import { createTimerHeap, type HeapTimer } from './timer-heap.ts'

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
  /** Calls back once after `delayMs`. The returned function cancels it. */
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

/** The emulator's own clock: it follows another one, and can be moved forward. */
export class ControlledClock implements Clock {
  readonly #base: Clock
  readonly #startMonotonic: number
  readonly #timers = createTimerHeap()
  readonly #working = new Set<Promise<unknown>>()
  #addedMs = 0
  #orders = 0
  #baseTimer: { cancel(): void } | undefined
  #baseTimerDueMs = Infinity

  /** Follows `base`, plus the time that is added with `advance`. */
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
    const timer: HeapTimer = { dueMs, order: this.#orders++, callback, index: -1 }
    this.#timers.add(timer)
    this.#arm()
    return {
      cancel: () => {
        if (this.#timers.remove(timer)) this.#arm()
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
      // Whatever follows the work, such as setting the next timer, gets its turn too.
      await new Promise<void>((resolve) => setImmediate(resolve))
    } while (this.#working.size > 0)
  }

  /** Moves forward by `byMs` and runs the timers that become due on the way, in order. */
  async advance(byMs: number): Promise<void> {
    if (!(byMs >= 0) || byMs === Infinity)
      throw new RangeError(
        `The clock can only be moved forward by a finite number of milliseconds, not ${byMs}.`,
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

  /** Drops every pending timer. */
  clear(): void {
    this.#timers.clear()
    this.#arm()
  }

  #elapsed(): number {
    return this.#base.monotonic() - this.#startMonotonic + this.#addedMs
  }

  #first(): HeapTimer | undefined {
    return this.#timers.first()
  }

  /** Keeps one timer of the base clock, set for the earliest entry. */
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
    // A base timer may fire a fraction of a millisecond early; half of one is not worth another round.
    for (let timer = this.#first(); timer && timer.dueMs <= this.#elapsed() + 0.5; timer = this.#first()) {
      this.#timers.remove(timer)
      timer.callback()
    }
    this.#arm()
  }
}

/** Calls back when nothing was heard for some time. */
export interface RestTimer {
  /** Something was heard: counts from now on. */
  touch(delayMs: number): void
  cancel(): void
}

/**
 * Makes a timer that is cheap to put off, as it is with every piece of audio: it is set again only when it fires, for the
 * time that is left.
 */
export function createRestTimer(
  clock: Pick<Clock, 'monotonic' | 'setTimer'>,
  callback: () => void,
): RestTimer {
  let dueMs = 0
  let setForMs = Infinity
  let timer: { cancel(): void } | undefined

  function arm(delayMs: number): void {
    setForMs = clock.monotonic() + delayMs
    timer = clock.setTimer(() => {
      timer = undefined
      const leftMs = dueMs - clock.monotonic()
      // Clocks may be half a millisecond early.
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
    cancel() {
      timer?.cancel()
      timer = undefined
    },
  }
}
