import { ConcordError, DeadlineError } from '../core/errors.ts'
import type { Abortable, ScheduledEntry } from './poll-scheduler.ts'
import { finalPollMs, type OperationState } from './polling-plan.ts'

/** The state of an operation, as passed to `onUpdate` and yielded by iteration. @public */
export interface OperationUpdate<Snapshot> {
  readonly id: string
  /** As the service returned it; `undefined` until a poll succeeds, unless the submission returned one. */
  readonly status: string | undefined
  /** Since this wait began. */
  readonly elapsedMs: number
  /** How many polls were sent in this wait, including failed ones. */
  readonly polls: number
  /** `undefined` once the operation has ended. The poll can come later than this if many are queued. */
  readonly nextPollInMs: number | undefined
  /** The full body of the most recent successful poll. */
  readonly snapshot: Snapshot | undefined
  /** Why the last poll failed, if it did. That doesn't affect the operation. */
  readonly pollError?: unknown
  /** How long the service asked to wait after the last poll, in milliseconds, if it did. */
  readonly retryAfterMs?: number
}

/** The part of a poll loop that its waiters use. */
export interface PolledOperation<Snapshot, Result> {
  readonly id: string
  readonly label: string
  readonly operation: string | undefined
  /** The current time on the monotonic clock, in milliseconds. */
  readonly nowMs: number
  readonly polls: number
  readonly state: OperationState
  /** The result, or the error, once the operation has ended. */
  readonly outcome: unknown
  readonly lastError: unknown
  /** The last status, as errors may show it. */
  readonly shownStatus: string | undefined
  /** Removes a waiter, unless it was removed before. */
  remove(waiter: PollWaiter<Snapshot, Result>): void
}

interface WaitTerms<Snapshot> {
  /** The wait ends once the operation's version is newer than this; if `undefined`, only when the operation has ended. */
  readonly seenVersion: number | undefined
  /** When the wait as a whole began. */
  readonly startedAt: number
  readonly limitMs: number
  /** How many polls had been sent when it began. */
  readonly pollsBefore: number
  readonly signal: AbortSignal | undefined
  readonly onUpdate: ((update: OperationUpdate<Snapshot>) => void) | undefined
}

/** One caller that is waiting for an operation. It sits directly in the scheduler's heap, ordered by its deadline. */
export class PollWaiter<Snapshot, Result> implements ScheduledEntry, Abortable {
  dueAt: number
  order = 0
  heapIndex = -1
  /** False once it is removed from the loop. */
  active = true
  readonly startedAt: number
  readonly pollsBefore: number
  readonly signal: AbortSignal | undefined
  readonly #limitMs: number
  readonly #seenVersion: number | undefined
  readonly #loop: PolledOperation<Snapshot, Result>
  readonly #onUpdate: ((update: OperationUpdate<Snapshot>) => void) | undefined
  readonly #resolve: (result: Result) => void
  readonly #reject: (error: unknown) => void

  /** @param resolve - Receives the result, if the wait is for the end of the operation. */
  constructor(
    loop: PolledOperation<Snapshot, Result>,
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

  /** When the final poll before its deadline is due. */
  get finalPollAt(): number {
    return this.startedAt + finalPollMs(this.#limitMs)
  }

  /** Reports what a poll found. An error that `onUpdate` throws ends this wait, and only this one. */
  update(describe: () => OperationUpdate<Snapshot>): void {
    if (this.#onUpdate === undefined || !this.active) return
    try {
      this.#onUpdate(describe())
    } catch (error) {
      this.fail(error)
    }
  }

  onDue(): void {
    const { label, id, operation, shownStatus: status, lastError, nowMs, polls: allPolls } = this.#loop
    const polls = allPolls - this.pollsBefore
    const seen = status === undefined ? 'no status was seen' : `the last status was '${status}'`
    // Without a status, nothing shows that the operation exists.
    const kind = label.toLowerCase()
    const after = status === undefined ? '' : ` The ${kind} continues on the service.`
    const failed = ConcordError.is(lastError)
      ? ` The last poll ended with an error: ${lastError.message}`
      : ''
    this.fail(
      new DeadlineError(
        `The wait for the ${kind} ${id} ended at its deadline of ${this.#limitMs} ms; ` +
          `${seen}, after ${polls} ${polls === 1 ? 'poll' : 'polls'}.${after}${failed} ` +
          'Wait again with a longer deadline, or save its resume token and come back later.',
        { limitMs: this.#limitMs, elapsedMs: nowMs - this.startedAt, lastState: status, id },
        { operation, cause: lastError },
      ),
    )
  }

  /** Returns whether this version is new enough to end a wait for a change. */
  isBehind(version: number): boolean {
    return this.#seenVersion !== undefined && version > this.#seenVersion
  }

  abort(reason: unknown): void {
    this.fail(reason)
  }

  /** Ends this wait with an error. The operation isn't affected. */
  fail(error: unknown): void {
    this.#loop.remove(this)
    this.#reject(error)
  }

  /** Ends this wait without an error, or with that of the operation if it failed. */
  finish(): void {
    const loop = this.#loop
    loop.remove(this)
    // A wait for a change always resolves; its caller then checks the state of the operation.
    if (this.#seenVersion === undefined && loop.state === 'failure') this.#reject(loop.outcome)
    else this.#resolve(loop.outcome as Result)
  }
}
