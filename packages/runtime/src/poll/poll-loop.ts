import { ConcordError, DeadlineError } from '../core/errors.ts'
import { isSameJson } from '../core/json.ts'
import type { ClientEvent } from '../core/events.ts'
import { classifyPollFailure, retryAfterOf, retryEvent } from '../retry/retry.ts'
import { parseRetryAfter } from '../retry/retry-after.ts'
import type {
  OperationKindOptions,
  OperationUpdate,
  PollSchedule,
  PollResponse,
  TrackedOperation,
} from './operation.ts'
import type { Abortable, PollQueue, PollTask, ScheduledEntry } from './poll-queue.ts'
import type { RandomSource } from '../core/clock.ts'

/**
 * How many responses in a row may be unreadable. One more unreadable response ends all waits with its error. The
 * number is our own choice, not from any service's documentation.
 */
const MAX_UNREADABLE = 2

/** The upper bound of delays grows by this factor with each poll. The factor is our own choice. */
const GROWTH = 1.5

/** The final poll of a wait is sent at most this many milliseconds before the wait's deadline. */
const FINAL_POLL_LEAD_MS = 1_000

const NO_WAITERS: readonly never[] = []

/**
 * Polls one operation for all its waiters (callers that wait for it), and only while it has waiters.
 *
 * This timeline shows the constraints on the time of the next poll. If several waiters have deadlines, the earliest
 * deadline counts:
 *
 * ```
 *  poll sent       response                                            final poll     deadline
 *      |---- minDelay ----> earliestFinalAt                                 |--- lead ---|
 *      |               |---- minDelay ----> earliestAt                      |            |
 *      |               |------- random delay --------> naturalAt            |            |
 *      |               |------------- Retry-After -------------> notBefore  |            |
 * ```
 *
 * The next poll is sent at `naturalAt`, or at the time of the final poll if that is sooner. An ordinary poll isn't
 * sent before `earliestAt`, the final poll isn't sent before `earliestFinalAt`, and neither is sent before
 * `notBefore`. For ordinary polls shortly before the final poll, see {@link nextPollAt}.
 *
 * A hint (a call of `wake`) can make the next poll earlier, but not earlier than `notBefore`. Polls that hints cause
 * are at least `minDelay` apart.
 */
export class PollLoop<Snapshot, Result> implements PollTask, ScheduledEntry {
  dueAt = 0
  order = 0
  heapIndex = -1
  readonly tracked: TrackedOperation<Snapshot, Result>
  readonly #queue: PollQueue
  #waiters: readonly PollWaiter<Snapshot, Result>[] = NO_WAITERS
  #inFlight: AbortController | undefined = undefined
  #isQueued = false
  #naturalAt: number
  #earliestAt: number
  #earliestFinalAt: number
  #notBefore = 0
  #retryAfterMs: number | undefined = undefined
  #delaysPicked = 0
  /** How many unreadable responses arrived in a row; see {@link MAX_UNREADABLE}. */
  #unreadable = 0
  /** The current status with secrets removed, if the status isn't in `schedule.states`. */
  #unlistedStatus: string | undefined = undefined
  #lastWakeAt: number | undefined = undefined

  constructor(tracked: TrackedOperation<Snapshot, Result>, queue: PollQueue) {
    this.tracked = tracked
    this.#queue = queue
    this.#naturalAt = this.#earliestAt = tracked.firstPollAt
    this.#earliestFinalAt = this.nowMs
  }

  get kind(): string {
    return this.tracked.settings.kind
  }

  get id(): string {
    return this.tracked.id
  }

  get nowMs(): number {
    return this.tracked.scheduler.now()
  }

  /**
   * The last status, in a form that is safe to show in errors. A status that isn't in `schedule.states` can contain
   * anything, so it is shortened, and secrets are removed from it.
   */
  get shownStatus(): string | undefined {
    const { status, schedule } = this.tracked
    if (status === undefined || schedule.states.has(status)) return status
    return (this.#unlistedStatus ?? status).slice(0, 100)
  }

  get wantsPoll(): boolean {
    return this.#isQueued
  }

  join(waiter: PollWaiter<Snapshot, Result>): void {
    if (this.#waiters.length === 0) this.#queue.register(this)
    // A new list doesn't disturb a loop over the old list. Unlike a spread, `concat` reserves no room for more
    // waiters, which saves 128 bytes for each wait.
    this.#waiters = this.#waiters.concat(waiter)
    this.#queue.add(waiter, waiter.dueAt)
    if (waiter.signal !== undefined) this.#queue.aborts.join(waiter.signal, waiter)
    if (this.#inFlight === undefined && !this.#isQueued) this.#schedule()
  }

  remove(waiter: PollWaiter<Snapshot, Result>): void {
    if (!waiter.active) return
    waiter.active = false
    this.#waiters =
      this.#waiters.length === 1 ? NO_WAITERS : this.#waiters.filter((other) => other !== waiter)
    this.#queue.remove(waiter)
    if (waiter.signal !== undefined) this.#queue.aborts.leave(waiter.signal, waiter)
    if (this.#waiters.length === 0) this.#stop()
  }

  #stop(): void {
    this.#queue.unregister(this)
    this.#queue.remove(this)
    this.#isQueued = false
    this.#inFlight?.abort()
    this.#inFlight = undefined
  }

  wake(): void {
    this.tracked.woken = true
    if (this.#waiters.length > 0 && this.#inFlight === undefined && !this.#isQueued) this.#schedule()
  }

  end(error: unknown): void {
    for (const waiter of this.#waiters) waiter.fail(error)
  }

  onDue(): void {
    this.#isQueued = true
    this.#queue.enqueue(this)
  }

  async runPoll(): Promise<void> {
    const { tracked } = this
    const controller = new AbortController()
    this.#isQueued = false
    // This poll covers all earlier hints, but not a hint that arrives during the poll.
    this.tracked.woken = false
    this.#inFlight = controller
    this.tracked.polls += 1
    // These times are set now, because the poll may be aborted before its response arrives.
    this.#earliestFinalAt = this.nowMs + this.tracked.schedule.minDelayMs
    this.#setEarliestTimes(0)
    let response: PollResponse<Snapshot>
    try {
      response = await tracked.settings.poll(tracked.id, controller.signal, tracked.extra)
    } catch (error) {
      if (this.#inFlight === controller) this.#onFailure(error)
      return
    }
    if (this.#inFlight !== controller) return
    this.#inFlight = undefined
    try {
      this.#onResponse(response)
    } catch (error) {
      // The response has no status, or one of the options `result` and `failure` threw. Another poll would not help.
      this.end(error)
    }
  }

  #onResponse(response: PollResponse<Snapshot>): void {
    this.#unreadable = 0
    this.tracked.lastError = undefined
    const { tracked } = this
    tracked.store(
      response.data,
      tracked.snapshot === undefined || !isSameJson(tracked.snapshot, response.data),
    )
    const { status = '' } = tracked
    this.#unlistedStatus = tracked.schedule.states.has(status) ? undefined : response.scrub?.(status)
    if (tracked.state === 'pending') {
      return this.#continue(retryAfterOfResponse(response, tracked.scheduler.clock.now()))
    }
    this.#reportPoll(undefined)
    this.#update()
    for (const waiter of this.#waiters) waiter.finish()
  }

  #onFailure(error: unknown): void {
    this.#inFlight = undefined
    const kind = classifyPollFailure(error)
    this.#unreadable = kind === 'unreadable' ? this.#unreadable + 1 : 0
    if (kind === 'definite' || this.#unreadable > MAX_UNREADABLE) {
      this.#reportPoll(undefined)
      return this.end(error)
    }
    this.tracked.lastError = error
    this.#continue(retryAfterOf(error))
  }

  #continue(retryAfterMs: number | undefined): void {
    const { nowMs: now, tracked } = this
    const { version } = tracked
    this.#retryAfterMs = retryAfterMs
    if (retryAfterMs !== undefined) this.#notBefore = now + retryAfterMs
    this.#setEarliestTimes(pollDelayMs(tracked.schedule, this.#delaysPicked++, tracked.scheduler.random))
    this.#schedule()
    const delayMs = this.dueAt - now
    this.#reportPoll(delayMs)
    if (tracked.lastError !== undefined) this.#reportRetry(delayMs)
    this.#update()
    for (const waiter of this.#waiters) {
      if (waiter.isBehind(version)) waiter.finish()
    }
  }

  #setEarliestTimes(delayMs: number): void {
    const { nowMs: now } = this
    this.#earliestAt = Math.max(now + this.tracked.schedule.minDelayMs, this.#notBefore)
    this.#earliestFinalAt = Math.max(this.#earliestFinalAt, this.#notBefore)
    this.#naturalAt = Math.max(now + delayMs, this.#earliestAt)
  }

  #schedule(): void {
    const { nowMs: now } = this
    const { minDelayMs } = this.tracked.schedule
    if (this.tracked.woken) {
      this.tracked.woken = false
      const spaced = this.#lastWakeAt === undefined ? now : this.#lastWakeAt + minDelayMs
      const at = Math.max(now, this.#notBefore, spaced)
      if (at < this.#naturalAt) {
        this.#lastWakeAt = at
        this.#naturalAt = this.#earliestAt = this.#earliestFinalAt = at
      }
    }
    let finalAt: number | undefined
    for (const { finalPollAt } of this.#waiters) {
      if (finalPollAt > now && (finalAt === undefined || finalPollAt < finalAt)) finalAt = finalPollAt
    }
    const dueAt = nextPollAt({
      now,
      naturalAt: this.#naturalAt,
      earliestAt: this.#earliestAt,
      earliestFinalAt: this.#earliestFinalAt,
      finalAt,
      minDelayMs,
    })
    this.#queue.add(this, dueAt)
  }

  #update(): void {
    for (const waiter of this.#waiters)
      waiter.update(() => this.describe(waiter.startedAt, waiter.pollsBefore))
  }

  describe(startedAt: number, pollsBefore: number): OperationUpdate<Snapshot> {
    const { nowMs: now } = this
    const { id, status, snapshot, state, lastError } = this.tracked
    const isPending = state === 'pending'
    const retryAfterMs = isPending ? this.#retryAfterMs : undefined
    const update = {
      id,
      status,
      elapsedMs: now - startedAt,
      polls: this.tracked.polls - pollsBefore,
      nextPollInMs: isPending ? Math.max(0, this.dueAt - now) : undefined,
      snapshot,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }
    return lastError === undefined ? update : { ...update, pollError: lastError }
  }

  #reportPoll(nextPollInMs: number | undefined): void {
    const { shownStatus: state } = this
    const { polls: poll, settings } = this.tracked
    report(settings, (operation) => ({
      type: 'poll',
      operation,
      poll,
      ...(state === undefined ? {} : { state }),
      ...(nextPollInMs === undefined ? {} : { nextPollInMs }),
    }))
  }

  /** Reports the next poll as the retry of a failed poll. */
  #reportRetry(delayMs: number): void {
    const { polls, lastError: error, settings } = this.tracked
    report(settings, (operation) => retryEvent(operation, polls, { delayMs, error }))
  }
}

function retryAfterOfResponse(response: PollResponse<unknown>, nowMs: number): number | undefined {
  if ('retryAfterMs' in response) return retryAfterOf(response)
  const { headers } = response
  return parseRetryAfter(headers?.get('retry-after') ?? undefined, headers?.get('date') ?? undefined, nowMs)
}

function report(
  { kind, operation = kind, observe }: Pick<OperationKindOptions<never>, 'kind' | 'operation' | 'observe'>,
  eventOf: (operation: string) => ClientEvent,
): void {
  if (observe === undefined) return
  try {
    observe(eventOf(operation))
  } catch {
    // Errors of an observer are ignored.
  }
}

/** Returns the delay before the next poll. It is random, to spread out the polls of waits that began together. */
export function pollDelayMs(schedule: PollSchedule, delaysPicked: number, random: RandomSource): number {
  const ceiling = Math.min(schedule.maxDelayMs, schedule.minDelayMs * GROWTH ** (delaysPicked + 1))
  const floor = Math.max(schedule.minDelayMs, ceiling / GROWTH)
  const picked = Math.round(floor + random() * (ceiling - floor))
  return Math.min(schedule.maxDelayMs, Math.max(schedule.minDelayMs, picked))
}

/** See the timeline in the comment of {@link PollLoop}. */
interface NextPoll {
  readonly now: number
  /** The time at which the poll would be sent if no waiter had a deadline. */
  readonly naturalAt: number
  readonly earliestAt: number
  readonly earliestFinalAt: number
  /** The time of the final poll before the nearest deadline; `undefined` without a deadline. */
  readonly finalAt: number | undefined
  readonly minDelayMs: number
}

/**
 * Returns when to send the next poll. If an ordinary poll is due less than `minDelayMs` before the final poll, the
 * ordinary poll is sent earlier: `minDelayMs` before the final poll. If that time is in the past or before
 * `earliestAt`, the ordinary poll is skipped. The delay before the final poll can then be longer than the maximum.
 */
export function nextPollAt(next: NextPoll): number {
  const { now, naturalAt, earliestAt, earliestFinalAt, finalAt, minDelayMs } = next
  if (naturalAt <= now) return now
  if (finalAt === undefined || finalAt < earliestFinalAt) return naturalAt
  if (naturalAt >= finalAt) return finalAt
  if (finalAt - naturalAt >= minDelayMs) return naturalAt
  const sooner = finalAt - minDelayMs
  return sooner >= Math.max(now, earliestAt) ? sooner : finalAt
}

interface WaitTerms<Snapshot> {
  /**
   * The version that the caller has already seen. The wait ends once the operation has a greater version. If
   * `seenVersion` is `undefined`, the wait ends when the operation ends.
   */
  readonly seenVersion: number | undefined
  /** When the wait began. If the wait is one step of a `ChangeIterator`, this is when the whole iteration began. */
  readonly startedAt: number
  readonly limitMs: number
  /** How many polls had been sent when the wait began. */
  readonly pollsBefore: number
  readonly signal: AbortSignal | undefined
  readonly onUpdate: ((update: OperationUpdate<Snapshot>) => void) | undefined
}

/** One caller that is waiting for an operation. As an entry of the queue's heap, a waiter is due at its deadline. */
export class PollWaiter<Snapshot, Result> implements ScheduledEntry, Abortable {
  dueAt: number
  order = 0
  heapIndex = -1
  /** False once the waiter is removed from the loop. */
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

  /** @param resolve - Called when the wait ends without an error. Receives the result if the operation succeeded. */
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

  get finalPollAt(): number {
    return this.startedAt + finalPollMs(this.#limitMs)
  }

  /** Reports a poll to `onUpdate`. An error that `onUpdate` throws ends this wait, but no other waits. */
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
    const kind = label.toLowerCase()
    // Without a status, nothing shows that the operation exists, so the message doesn't say that it continues.
    const after = status === undefined ? '' : ` The ${kind} continues on the service.`
    const failed = ConcordError.is(lastError)
      ? ` The last poll ended with an error: ${lastError.message}`
      : ''
    this.fail(
      new DeadlineError(
        `The wait for the ${kind} ${id} ended at its deadline of ${this.#limitMs} ms; ` +
          `after ${polls} ${polls === 1 ? 'poll' : 'polls'}, ${seen}.${after} ` +
          `Wait again with a longer deadline, or save the resume token and come back later.${failed}`,
        { limitMs: this.#limitMs, elapsedMs: nowMs - this.startedAt, lastState: status, id },
        { operation, cause: lastError },
      ),
    )
  }

  isBehind(version: number): boolean {
    return this.#seenVersion !== undefined && version > this.#seenVersion
  }

  abort(reason: unknown): void {
    this.fail(reason)
  }

  fail(error: unknown): void {
    this.#loop.remove(this)
    this.#reject(error)
  }

  finish(): void {
    const { state, outcome } = this.#loop.tracked
    this.#loop.remove(this)
    // A wait for a change resolves even if the operation failed; its caller then checks the state of the operation.
    if (this.#seenVersion === undefined && state === 'failure') this.#reject(outcome)
    else this.#resolve(outcome as Result)
  }
}

/** Returns the time from the start of a wait to its final poll, in milliseconds. */
function finalPollMs(limitMs: number): number {
  return Math.floor(limitMs - Math.min(FINAL_POLL_LEAD_MS, limitMs / 4))
}
