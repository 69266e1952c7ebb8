import { DeadlineError } from '../core/errors.ts'
import type { PollLoop } from './poll-loop.ts'
import type { ScheduledEntry } from './poll-scheduler.ts'
import { lastPollMs } from './polling-plan.ts'

/** What is known of an operation, as given to `onUpdate` and to iteration. @public */
export interface OperationUpdate<Snapshot> {
  readonly id: string
  /** As the service gave it; undefined as long as no poll has succeeded and the submission told none. */
  readonly status: string | undefined
  /** Since this wait began. */
  readonly elapsedMs: number
  /** How many polls were sent in this wait, failed ones included. */
  readonly polls: number
  /** Undefined when the operation has ended. It can become later when many polls are in line. */
  readonly nextPollInMs: number | undefined
  /** The whole answer of the last poll that succeeded. */
  readonly snapshot: Snapshot | undefined
  /** Why the last poll failed, when it did. The operation is not affected by it. */
  readonly pollError?: unknown
}

/** What a wait is made of. */
export interface WaitTerms<Snapshot> {
  /** It is over when the operation has changed since this version; `Infinity`: only when it has ended. */
  readonly seenVersion: number
  /** When the wait as a whole began. */
  readonly startedAt: number
  readonly limitMs: number
  /** How many polls had been sent then. */
  readonly pollsBefore: number
  readonly signal: AbortSignal | undefined
  readonly onUpdate: ((update: OperationUpdate<Snapshot>) => void) | undefined
}

/** One party that waits for an operation. It is its own entry in the scheduler's heap, for its deadline. */
export class PollWaiter<Snapshot, Result> implements ScheduledEntry {
  dueAt: number
  order = 0
  heapIndex = -1
  /** Until it has left the loop. */
  active = true
  readonly seenVersion: number
  readonly startedAt: number
  readonly limitMs: number
  readonly pollsBefore: number
  readonly #loop: PollLoop<Snapshot, Result>
  readonly #onUpdate: ((update: OperationUpdate<Snapshot>) => void) | undefined
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  readonly #signal: AbortSignal | undefined
  readonly #onAbort: (() => void) | undefined

  constructor(
    loop: PollLoop<Snapshot, Result>,
    wait: WaitTerms<Snapshot>,
    resolve: () => void,
    reject: (error: unknown) => void,
  ) {
    this.#loop = loop
    this.seenVersion = wait.seenVersion
    this.startedAt = wait.startedAt
    this.limitMs = wait.limitMs
    this.pollsBefore = wait.pollsBefore
    this.dueAt = wait.startedAt + wait.limitMs
    this.#onUpdate = wait.onUpdate
    this.#resolve = resolve
    this.#reject = reject
    this.#signal = wait.signal
    if (wait.signal !== undefined) {
      this.#onAbort = () => this.leave(wait.signal?.reason)
      wait.signal.addEventListener('abort', this.#onAbort)
    }
  }

  /** When the last poll before its deadline is due. */
  get lastPollAt(): number {
    return this.startedAt + lastPollMs(this.limitMs)
  }

  /** Tells it what a poll found. What `onUpdate` throws ends this wait, and only this one. */
  update(update: () => OperationUpdate<Snapshot>): void {
    if (this.#onUpdate === undefined || !this.active) return
    try {
      this.#onUpdate(update())
    } catch (error) {
      this.leave(error)
    }
  }

  /** The deadline. */
  due(): void {
    const loop = this.#loop
    const elapsedMs = loop.scheduler.clock.monotonic() - this.startedAt
    const polls = loop.polls - this.pollsBefore
    const seen = loop.status === undefined ? 'no status was seen yet' : `the last status was '${loop.status}'`
    this.leave(
      new DeadlineError(
        `${loop.settings.label} ${loop.id} had not ended when the ${this.limitMs} ms for this wait were over; ` +
          `${seen}, after ${polls} ${polls === 1 ? 'poll' : 'polls'}. It goes on at the service. ` +
          'Wait again with a longer deadline, or keep its resume token and come back later.',
        { limitMs: this.limitMs, elapsedMs, lastState: loop.status, id: loop.id },
        { operation: loop.settings.operation, cause: loop.lastError },
      ),
    )
  }

  /** Ends this wait with an error, whatever becomes of the operation. */
  leave(error: unknown): void {
    if (this.#loop.leave(this)) this.#finish(() => this.#reject(error))
  }

  /** What it waited for has come. */
  arrive(): void {
    if (this.#loop.leave(this)) this.#finish(this.#resolve)
  }

  #finish(settle: () => void): void {
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort)
    settle()
  }
}
