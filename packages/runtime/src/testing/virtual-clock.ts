import type { Clock, Timer } from '../core/clock.ts'
import { isLoading } from '../core/async.ts'
import { type HeapEntry, MinHeap } from '../poll/poll-queue.ts'

/** Options of {@link virtualClock}. @public */
export interface VirtualClockOptions {
  /** The wall time at which the clock starts, in milliseconds since the Unix epoch. Default: 2026-01-01T00:00:00Z. */
  readonly start?: number
  /** Whether the clock advances to the next timer by itself when no work is pending. Default: true. */
  readonly autoAdvance?: boolean
  /**
   * After this many consecutive turns of the event loop without activity, the clock assumes that no work is pending.
   * Default: 5.
   */
  readonly quietTurns?: number
}

/**
 * A clock that advances only on request, or (with `autoAdvance`) when no work is pending.
 *
 * @public
 */
export interface VirtualClock extends Clock, Disposable {
  /**
   * Keeps the clock from advancing by itself until `work` has settled. Returns `work`. Track work that the clock
   * can't detect: hashing, compression, reading a small file, traffic on a real socket. Never track work that waits
   * for a timer of this clock, such as a request to an emulator that delays its responses. The clock and the work
   * would then wait for each other.
   */
  track<T>(work: Promise<T>): Promise<T>
  /** Keeps the clock from advancing by itself until the returned object is disposed of. */
  hold(): Disposable
  /**
   * Advances by `ms` milliseconds. Runs each timer that becomes due, at the timer's own time. Before each timer,
   * waits until no work is pending.
   */
  advance(ms: number): Promise<void>
  /** Advances to the time of the next timer and runs all timers that are due then. Returns false if no timer is set. */
  runToNextTimer(): Promise<boolean>
  /** Waits until no work is pending: tracked work is done, and the event loop is quiet. Doesn't move the clock. */
  settle(): Promise<void>
  /** Changes only the wall time, like setting the system clock: timers and `monotonic()` aren't affected. */
  setWallTime(epochMs: number): void
  /** The number of waiting timers. */
  readonly timers: number
  /** The time of the next timer, on the scale of `monotonic()`; undefined if no timer is set. */
  readonly nextTimerAt: number | undefined
  /** How many milliseconds the clock has advanced since its creation. */
  readonly elapsedMs: number
  /** Cancels all timers and stops the clock. */
  [Symbol.dispose](): void
}

interface PendingTimer extends HeapEntry {
  readonly callback: () => void
}

/**
 * Makes a clock for tests. A client, the emulator and a test in one process can share it. The clock advances to the
 * next timer whenever no work is pending. So code with timers runs at full speed, and in the same order every time.
 *
 * Timers run in the order of their times; timers for the same moment run in the order in which they were set,
 * one per turn of the event loop.
 *
 * @public
 */
export function virtualClock(options: VirtualClockOptions = {}): VirtualClock {
  const driver = new Driver(options)
  let wallOffsetMs = options.start ?? Date.UTC(2026, 0, 1)
  // Nothing here depends on `this`, because tests wrap clocks: they spread a clock, or derive an object from it.
  return {
    now: () => wallOffsetMs + driver.elapsedMs,
    monotonic: () => driver.elapsedMs,
    setTimer: (callback, delayMs) => driver.setTimer(callback, delayMs),
    track(work) {
      const release = driver.acquire()
      work.then(release, release)
      return work
    },
    hold: () => ({ [Symbol.dispose]: driver.acquire() }),
    advance: (ms) => driver.advance(ms),
    runToNextTimer: () => driver.runToNextTimer(),
    settle: () => driver.settle(),
    setWallTime(epochMs) {
      wallOffsetMs = epochMs - driver.elapsedMs
    },
    [Symbol.dispose]: () => driver.dispose(),
    get timers() {
      return driver.heap.size
    },
    get nextTimerAt() {
      return driver.heap.peek()?.dueAt
    },
    get elapsedMs() {
      return driver.elapsedMs
    },
  }
}

/** Runs the timers of a virtual clock. */
class Driver {
  readonly #autoAdvance: boolean
  readonly #quietTurns: number
  readonly heap = new MinHeap<PendingTimer>()
  elapsedMs = 0
  /** Counts every sign of activity, so that a quiet period can be detected. */
  #activity = 0
  #tracked = 0
  #whenUntracked: (() => void)[] = []
  /**
   * Manual moves (such as `advance()`) and automatic moves run one at a time. This promise settles after the last
   * move. A waiting manual move stops the automatic moves until it is done.
   */
  #queue: Promise<unknown> = Promise.resolve()
  #manualMoves = 0
  #isDriving = false
  #isDisposed = false

  constructor({ autoAdvance = true, quietTurns = 5 }: VirtualClockOptions) {
    this.#autoAdvance = autoAdvance
    this.#quietTurns = quietTurns
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    const timer: PendingTimer = { callback, dueAt: 0, order: 0, heapIndex: -1 }
    if (!this.#isDisposed && delayMs !== Infinity)
      this.heap.add(timer, this.elapsedMs + Math.max(0, delayMs || 0))
    this.#activity += 1
    this.#wakeDriver()
    return {
      cancel: () => {
        if (this.heap.remove(timer)) this.#activity += 1
      },
    }
  }

  advance(ms: number): Promise<void> {
    if (!(ms >= 0) || ms === Infinity) {
      throw new RangeError(
        `A virtual clock can't advance by ${ms}. Pass a finite number of milliseconds (0 or more).`,
      )
    }
    return this.#move(async () => {
      const target = this.elapsedMs + ms
      await this.#quiet()
      for (let next = this.heap.peek(); next !== undefined && next.dueAt <= target; next = this.heap.peek()) {
        await this.#runDue(next.dueAt)
        await this.#quiet()
      }
      this.elapsedMs = target
    })
  }

  runToNextTimer(): Promise<boolean> {
    return this.#move(async () => {
      await this.#quiet()
      const next = this.heap.peek()
      if (next === undefined) return false
      await this.#runDue(next.dueAt)
      await this.#quiet()
      return true
    })
  }

  settle(): Promise<void> {
    return this.#move(() => this.#quiet())
  }

  dispose(): void {
    this.#isDisposed = true
    while (this.heap.pop() !== undefined);
  }

  /** Makes the clock wait until the returned function is called. */
  acquire(): () => void {
    this.#tracked += 1
    this.#activity += 1
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#tracked -= 1
      this.#activity += 1
      if (this.#tracked > 0) return
      const waiting = this.#whenUntracked
      this.#whenUntracked = []
      for (const resolve of waiting) resolve()
      this.#wakeDriver()
    }
  }

  async #quiet(): Promise<void> {
    let seen = this.#activity
    for (let turns = 0; turns < this.#quietTurns; turns++) {
      await hostTurn()
      if (this.#tracked > 0) await new Promise<void>((resolve) => this.#whenUntracked.push(resolve))
      if (seen !== this.#activity || hostIsBusy() || isLoading()) turns = -1
      seen = this.#activity
    }
  }

  /** Runs the timers that are due at `dueAt`, including timers that a callback adds for the same time. */
  async #runDue(dueAt: number): Promise<void> {
    this.elapsedMs = Math.max(this.elapsedMs, dueAt)
    for (;;) {
      const next = this.heap.peek()
      if (next === undefined || next.dueAt > this.elapsedMs) return
      this.heap.remove(next)
      this.#activity += 1
      try {
        next.callback()
      } catch (error) {
        // As with real timers, an error in a callback is an uncaught error, not a rejection.
        onNextTurn(() => {
          throw error
        })
      }
      await hostTurn()
    }
  }

  #move<T>(work: () => Promise<T>): Promise<T> {
    this.#manualMoves += 1
    const moved = this.#queue.then(work).finally(() => {
      this.#manualMoves -= 1
      this.#wakeDriver()
    })
    this.#queue = moved.catch(() => undefined)
    return moved
  }

  #wakeDriver(): void {
    const isStill = this.#manualMoves > 0 || this.#tracked > 0 || this.heap.size === 0
    if (!this.#autoAdvance || this.#isDriving || this.#isDisposed || isStill) return
    this.#isDriving = true
    this.#queue = this.#queue.then(() => this.#drive())
  }

  async #drive(): Promise<void> {
    try {
      for (;;) {
        await this.#quiet()
        const next = this.heap.peek()
        if (this.#isDisposed || this.#manualMoves > 0 || next === undefined) return
        await this.#runDue(next.dueAt)
      }
    } finally {
      this.#isDriving = false
    }
  }
}

const TURNS = Symbol.for('@concord/runtime virtual clock turns')

/**
 * The number of pending calls of {@link hostTurn}. Their immediates don't count as activity. All copies of this
 * module share the number. Otherwise, the clocks of two copies would wait for each other forever.
 */
const turns = ((globalThis as { [TURNS]?: { pending: number } })[TURNS] ??= { pending: 0 })

/** Waits for one turn of the event loop: all microtasks run, and I/O that is ready is handled. */
export function hostTurn(): Promise<void> {
  return new Promise((resolve) => {
    turns.pending += 1
    onNextTurn(() => {
      turns.pending -= 1
      resolve()
    })
  })
}

const onNextTurn: (callback: () => void) => void =
  typeof setImmediate === 'function'
    ? (callback) => {
        setImmediate(callback)
      }
    : (callback) => {
        const { port1, port2 } = new MessageChannel()
        port1.addEventListener('message', () => {
          port1.close()
          callback()
        })
        port1.start()
        port2.postMessage(null)
      }

/**
 * Returns whether the platform reports pending work that will finish by itself: a callback for the next turn of the
 * event loop, or an I/O operation in progress, such as most file access. Long-lived resources (sockets, servers, real
 * timers) don't count. Hashing, compression and some small reads aren't visible.
 */
function hostIsBusy(): boolean {
  if (typeof process === 'undefined' || typeof process.getActiveResourcesInfo !== 'function') return false
  let immediates = 0
  for (const name of process.getActiveResourcesInfo()) {
    if (name === 'Immediate') immediates += 1
    else if (name.includes('Req') || name === 'FileHandleReadWrap') return true
  }
  return immediates > turns.pending
}
