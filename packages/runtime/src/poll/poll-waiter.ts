import { ConcordError, DeadlineError } from '../core/errors.ts'
import type { OperationUpdate, TrackedOperation } from './operation.ts'
import type { Abortable, ScheduledEntry } from './poll-queue.ts'

/** The final poll is sent this long before the deadline, or a quarter of the wait before it if that is shorter. */
const FINAL_POLL_LEAD_MS = 1_000

/** The part of a poll loop that its waiters use. */
interface PolledOperation<Snapshot, Result> {
  readonly tracked: TrackedOperation<Snapshot, Result>
  /** The current time on the monotonic clock, in milliseconds. */
  readonly nowMs: number
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
    const { shownStatus: status, nowMs, tracked } = this.#loop
    const { id, lastError } = tracked
    const { label, operation } = tracked.settings
    const polls = tracked.polls - this.pollsBefore
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
    const { state, outcome } = this.#loop.tracked
    this.#loop.remove(this)
    // A wait for a change always resolves; its caller then checks the state of the operation.
    if (this.#seenVersion === undefined && state === 'failure') this.#reject(outcome)
    else this.#resolve(outcome as Result)
  }
}

/** Returns when the final poll of a wait is due, in milliseconds from its start. */
export function finalPollMs(limitMs: number): number {
  return Math.floor(limitMs - Math.min(FINAL_POLL_LEAD_MS, limitMs / 4))
}
