import { ConcordError, DeadlineError } from '../core/errors.ts'
import type { Abortable } from './abort-groups.ts'
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
  /** It is over when the operation has changed since this version; undefined: only when it has ended. */
  readonly seenVersion: number | undefined
  /** When the wait as a whole began. */
  readonly startedAt: number
  readonly limitMs: number
  /** How many polls had been sent then. */
  readonly pollsBefore: number
  readonly signal: AbortSignal | undefined
  readonly onUpdate: ((update: OperationUpdate<Snapshot>) => void) | undefined
}

/** One party that waits for an operation. It is its own entry in the scheduler's heap, for its deadline. */
export class PollWaiter<Snapshot, Result> implements ScheduledEntry, Abortable {
  dueAt: number
  order = 0
  heapIndex = -1
  /** Until it has left the loop. */
  active = true
  readonly startedAt: number
  readonly pollsBefore: number
  readonly signal: AbortSignal | undefined
  readonly #limitMs: number
  readonly #seenVersion: number | undefined
  readonly #loop: PollLoop<Snapshot, Result>
  readonly #onUpdate: ((update: OperationUpdate<Snapshot>) => void) | undefined
  readonly #resolve: (result: Result) => void
  readonly #reject: (error: unknown) => void

  /** `resolve` gets the result only when the wait is for the end. */
  constructor(
    loop: PollLoop<Snapshot, Result>,
    terms: WaitTerms<Snapshot>,
    resolve: (result: Result) => void,
    reject: (error: unknown) => void,
  ) {
    this.#loop = loop
    this.startedAt = terms.startedAt
    this.pollsBefore = terms.pollsBefore
    this.signal = terms.signal
    this.dueAt = terms.startedAt + terms.limitMs
    this.#limitMs = terms.limitMs
    this.#seenVersion = terms.seenVersion
    this.#onUpdate = terms.onUpdate
    this.#resolve = resolve
    this.#reject = reject
  }

  /** When the last poll before its deadline is due. */
  get lastPollAt(): number {
    return this.startedAt + lastPollMs(this.#limitMs)
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
    const elapsedMs = loop.scheduler.now() - this.startedAt
    const polls = loop.polls - this.pollsBefore
    const { shownStatus: status, lastError } = loop
    const seen = status === undefined ? 'no status was seen' : `the last status was '${status}'`
    // Only what was seen to be there can be said to go on.
    const after = status === undefined ? '' : ' It goes on at the service.'
    const failed = ConcordError.is(lastError) ? ` The last poll brought no status: ${lastError.message}` : ''
    this.leave(
      new DeadlineError(
        `${loop.settings.label} ${loop.id} had not ended when the ${this.#limitMs} ms for this wait were over; ` +
          `${seen}, after ${polls} ${polls === 1 ? 'poll' : 'polls'}.${after}${failed} ` +
          'Wait again with a longer deadline, or keep its resume token and come back later.',
        { limitMs: this.#limitMs, elapsedMs, lastState: status, id: loop.id },
        { operation: loop.settings.operation, cause: loop.lastError },
      ),
    )
  }

  /** Whether a wait for a change has come to its end with this version. */
  isBehind(version: number): boolean {
    return this.#seenVersion !== undefined && version > this.#seenVersion
  }

  abort(reason: unknown): void {
    this.leave(reason)
  }

  /** Ends this wait with an error, whatever becomes of the operation. */
  leave(error: unknown): void {
    if (this.#loop.leave(this)) this.#reject(error)
  }

  /** What it waited for has come. */
  arrive(): void {
    const loop = this.#loop
    if (!loop.leave(this)) return
    // A wait for a change looks itself at what has become of the operation.
    if (this.#seenVersion === undefined && loop.state === 'failure') this.#reject(loop.outcome)
    else this.#resolve(loop.outcome as Result)
  }
}
