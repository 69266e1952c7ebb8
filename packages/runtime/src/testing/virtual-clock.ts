import type { Clock, Timer } from '../core/clock.ts'
import { isLoading } from '../core/load.ts'
import { type HeapEntry, MinHeap } from '../poll/min-heap.ts'
import { hostIsBusy, hostTurn, onNextTurn } from './event-loop.ts'

/** Options of {@link virtualClock}. @public */
export interface VirtualClockOptions {
  /** The wall time at which it starts, in milliseconds since the Unix epoch. Default: 2026-01-01T00:00:00Z. */
  readonly start?: number
  /** Whether it moves on by itself when nothing is pending. Default: true. */
  readonly autoAdvance?: boolean
  /** How many turns of the event loop without activity count as "nothing is pending". Default: 5. */
  readonly quietTurns?: number
}

/**
 * A clock that stands still until it is moved, or until nothing else can happen.
 *
 * @public
 */
export interface VirtualClock extends Clock, Disposable {
  /**
   * Keeps the clock from moving on by itself until `work` has settled. Meant for work that ends without this
   * clock and that the event loop does not show: hashing, compression, a small file, a real socket. Work that
   * itself waits for this clock, such as a request to an emulator with a latency, must not be tracked: each would
   * wait for the other.
   */
  track<T>(work: Promise<T>): Promise<T>
  /** Keeps the clock from moving on by itself until the answer is disposed of. */
  hold(): Disposable
  /**
   * Moves on by `ms`, running every timer on the way at its own time, and letting what each one starts settle
   * before the next.
   */
  advance(ms: number): Promise<void>
  /** Moves on to the next timer and runs all that are due then. Answers false when there is none. */
  runToNextTimer(): Promise<boolean>
  /** Settles once nothing is pending: tracked work is done and the event loop is quiet. Does not move the clock. */
  settle(): Promise<void>
  /** Changes the wall time alone, as when somebody sets the host's clock: timers and `monotonic()` do not notice. */
  setWallTime(epochMs: number): void
  /** How many timers are waiting. */
  readonly timers: number
  /** When the next timer is due, on the scale of `monotonic()`; undefined when there is none. */
  readonly nextTimerAt: number | undefined
  /** How many milliseconds it has moved since it was made. */
  readonly elapsedMs: number
  /** Drops all timers and stops moving. */
  [Symbol.dispose](): void
}

interface PendingTimer extends HeapEntry {
  readonly callback: () => void
}

/**
 * Makes a clock on which minutes take milliseconds. Shared by a client, the emulator and a test in one process,
 * it moves on by itself to the next timer whenever nothing is pending, so that code which waits runs at full
 * speed and in the same order every time.
 *
 * Timers run in the order of their times; timers for the same moment run in the order in which they were set,
 * one per turn of the event loop.
 *
 * @public
 */
export function virtualClock(options: VirtualClockOptions = {}): VirtualClock {
  const { start = Date.UTC(2026, 0, 1), autoAdvance = true, quietTurns = 5 } = options
  const heap = new MinHeap<PendingTimer>()
  let elapsed = 0
  let wallOffset = start
  /** Counts everything that shows that something is going on, so that a quiet spell can be told. */
  let activity = 0
  let tracked = 0
  let driving = false
  let disposed = false
  let whenUntracked: (() => void)[] = []

  function release(): void {
    tracked -= 1
    activity += 1
    if (tracked > 0) return
    const waiting = whenUntracked
    whenUntracked = []
    for (const resolve of waiting) resolve()
    wakeDriver()
  }

  async function quiet(): Promise<void> {
    let seen = activity
    for (let turns = 0; turns < quietTurns; turns++) {
      await hostTurn()
      if (tracked > 0) await new Promise<void>((resolve) => whenUntracked.push(resolve))
      if (seen !== activity || hostIsBusy() || isLoading()) turns = -1
      seen = activity
    }
  }

  /** Runs the timers that are due at `dueAt`, those that are added meanwhile for the same moment included. */
  async function runDue(dueAt: number): Promise<void> {
    elapsed = Math.max(elapsed, dueAt)
    for (;;) {
      const next = heap.peek()
      if (next === undefined || next.dueAt > elapsed) return
      heap.remove(next)
      activity += 1
      try {
        next.callback()
      } catch (error) {
        // As with the host's timers, what a callback throws is nobody's rejection but an uncaught error.
        onNextTurn(() => {
          throw error
        })
      }
      await hostTurn()
    }
  }

  // One loop at a time moves the clock; a manual move waits for its turn, and the automatic one starts again after.
  let queue: Promise<unknown> = Promise.resolve()
  let manual = 0

  function move<T>(work: () => Promise<T>): Promise<T> {
    manual += 1
    const moved = queue.then(work).finally(() => {
      manual -= 1
      wakeDriver()
    })
    queue = moved.catch(() => undefined)
    return moved
  }

  function wakeDriver(): void {
    if (!autoAdvance || driving || disposed || manual > 0 || tracked > 0 || heap.size === 0) return
    driving = true
    queue = queue.then(drive)
  }

  async function drive(): Promise<void> {
    try {
      for (;;) {
        await quiet()
        const next = heap.peek()
        if (disposed || manual > 0 || next === undefined) return
        await runDue(next.dueAt)
      }
    } finally {
      driving = false
    }
  }

  return {
    now: () => wallOffset + elapsed,
    monotonic: () => elapsed,
    get timers() {
      return heap.size
    },
    get nextTimerAt() {
      return heap.peek()?.dueAt
    },
    get elapsedMs() {
      return elapsed
    },
    setTimer(callback, delayMs): Timer {
      const timer: PendingTimer = { callback, dueAt: 0, order: 0, heapIndex: -1 }
      if (!disposed && delayMs !== Infinity) heap.add(timer, elapsed + Math.max(0, delayMs || 0))
      activity += 1
      wakeDriver()
      return {
        cancel() {
          if (heap.remove(timer)) activity += 1
        },
      }
    },
    track(work) {
      tracked += 1
      activity += 1
      work.then(release, release)
      return work
    },
    hold() {
      tracked += 1
      let held = true
      return {
        [Symbol.dispose]() {
          if (held) release()
          held = false
        },
      }
    },
    advance(ms) {
      if (!(ms >= 0) || ms === Infinity) {
        throw new RangeError(
          `A virtual clock moves forward by a finite number of milliseconds, not by ${ms}.`,
        )
      }
      return move(async () => {
        const target = elapsed + ms
        await quiet()
        for (;;) {
          const next = heap.peek()
          if (next === undefined || next.dueAt > target) break
          await runDue(next.dueAt)
          await quiet()
        }
        elapsed = target
      })
    },
    runToNextTimer() {
      return move(async () => {
        await quiet()
        const next = heap.peek()
        if (next === undefined) return false
        await runDue(next.dueAt)
        await quiet()
        return true
      })
    },
    settle: () => move(quiet),
    setWallTime(epochMs) {
      wallOffset = epochMs - elapsed
    },
    [Symbol.dispose]() {
      disposed = true
      while (heap.pop() !== undefined);
    },
  }
}
