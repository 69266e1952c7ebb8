import { isSameJson } from '../core/json.ts'
import { retryEvent } from '../retry/retry.ts'
import { classifyPollFailure, retryAfterOf } from '../retry/transient.ts'
import {
  finalOutcome,
  type OperationExtra,
  type OperationSettings,
  type PollResponse,
  report,
  retryAfterOfResponse,
  statusOf,
} from './operation-options.ts'
import type { PollScheduler, PollTask, ScheduledEntry } from './poll-scheduler.ts'
import type { OperationUpdate, PolledOperation, PollWaiter } from './poll-waiter.ts'
import { nextPollAt, type OperationState, pollDelayMs, type PollingPlan } from './polling-plan.ts'

/**
 * How many responses in a row may be unreadable before the wait ends with the error; our choice, not from any service's
 * documentation.
 */
const MAX_UNREADABLE = 2

const NO_WAITERS: readonly never[] = []

/**
 * Polls one operation for all its waiters, and only as long as there are any.
 *
 * How the next poll is timed, from sending a poll to the earliest deadline of a waiter:
 *
 * ```
 *  poll sent       response                                            final poll     deadline
 *      |---- minDelay ----> earliestFinalAt                                 |--- lead ---|
 *      |               |---- minDelay ----> earliestAt                      |            |
 *      |               |------- random delay --------> naturalAt            |            |
 *      |               |------------- Retry-After -------------> notBefore  |            |
 * ```
 *
 * The next poll is sent at `naturalAt`, or at the time reserved for the final poll if that is sooner. Ordinary polls
 * wait for `earliestAt`, the final poll for `earliestFinalAt`, and both for `notBefore`. A poll that would be too close
 * to the final poll is sent earlier, or skipped ({@link nextPollAt}). A hint (`wake`) moves the next poll up to now, or
 * to `notBefore`, or to `minDelay` after the poll of the previous hint, whichever is latest.
 */
export class PollLoop<Snapshot, Result>
  implements PollTask, ScheduledEntry, PolledOperation<Snapshot, Result>
{
  dueAt = 0
  order = 0
  heapIndex = -1
  readonly settings: OperationSettings<Snapshot, Result>
  readonly scheduler: PollScheduler
  readonly plan: PollingPlan
  readonly id: string
  status: string | undefined
  snapshot: Snapshot | undefined
  state: OperationState = 'pending'
  outcome: unknown = undefined
  /** How many changes polls have found. */
  version = 0
  polls = 0
  lastError: unknown = undefined
  readonly extra: OperationExtra | undefined
  #waiters: readonly PollWaiter<Snapshot, Result>[] = NO_WAITERS
  #inFlight: AbortController | undefined = undefined
  #isQueued = false
  #naturalAt: number
  #earliestAt: number
  #earliestFinalAt: number
  #notBefore = 0
  /** How long the service asked to wait after the last poll. */
  #retryAfterMs: number | undefined = undefined
  /** How many random delays have been picked so far. The range widens with each. */
  #delaysPicked = 0
  /** Unreadable responses in a row. */
  #unreadable = 0
  #woken = false
  /**
   * The current status with secrets removed, if the contract doesn't list it. The response itself isn't kept, to save
   * memory when there are many waits.
   */
  #unlistedStatus: string | undefined = undefined
  #lastWakeAt: number | undefined = undefined

  constructor(
    settings: OperationSettings<Snapshot, Result>,
    plan: PollingPlan,
    id: string,
    start: { readonly extra: OperationExtra | undefined; readonly firstDelayMs: number },
  ) {
    this.settings = settings
    this.scheduler = settings.scheduler
    this.plan = plan
    this.id = id
    this.extra = start.extra
    this.#naturalAt = this.#earliestAt = this.nowMs + start.firstDelayMs
    this.#earliestFinalAt = this.nowMs
  }

  get kind(): string {
    return this.settings.kind
  }

  get label(): string {
    return this.settings.label
  }

  get operation(): string | undefined {
    return this.settings.operation
  }

  get nowMs(): number {
    return this.scheduler.now()
  }

  /** A status that the contract doesn't list can contain anything, so it is scrubbed and shortened. */
  get shownStatus(): string | undefined {
    const { status } = this
    if (status === undefined || this.plan.states.has(status)) return status
    return (this.#unlistedStatus ?? status).slice(0, 100)
  }

  get wantsPoll(): boolean {
    return this.#isQueued
  }

  join(waiter: PollWaiter<Snapshot, Result>): void {
    if (this.#waiters.length === 0) this.scheduler.register(this)
    // A new list each time, so that a loop over the old one isn't disturbed.
    // Of the exact size: a spread would leave room for 16 more, 128 bytes for each wait.
    this.#waiters = this.#waiters.concat(waiter)
    this.scheduler.add(waiter, waiter.dueAt)
    if (waiter.signal !== undefined) this.scheduler.aborts.join(waiter.signal, waiter)
    if (this.#inFlight === undefined && !this.#isQueued) this.#schedule()
  }

  remove(waiter: PollWaiter<Snapshot, Result>): void {
    if (!waiter.active) return
    waiter.active = false
    this.#waiters =
      this.#waiters.length === 1 ? NO_WAITERS : this.#waiters.filter((other) => other !== waiter)
    this.scheduler.remove(waiter)
    if (waiter.signal !== undefined) this.scheduler.aborts.leave(waiter.signal, waiter)
    if (this.#waiters.length === 0) this.#stop()
  }

  #stop(): void {
    this.scheduler.unregister(this)
    this.scheduler.remove(this)
    this.#isQueued = false
    this.#inFlight?.abort()
    this.#inFlight = undefined
  }

  wake(): void {
    this.#woken = true
    if (this.#waiters.length > 0 && this.#inFlight === undefined && !this.#isQueued) this.#schedule()
  }

  /** Ends all waits, not the operation. */
  end(error: unknown): void {
    for (const waiter of this.#waiters) waiter.fail(error)
  }

  /** Called when the next poll is due: queues this operation for it. */
  onDue(): void {
    this.#isQueued = true
    this.scheduler.enqueue(this)
  }

  async runPoll(): Promise<void> {
    const controller = new AbortController()
    this.#isQueued = false
    // This poll covers all earlier hints, but not one that comes during it.
    this.#woken = false
    this.#inFlight = controller
    this.polls += 1
    // Set now, because the poll may be aborted before its response arrives.
    this.#earliestFinalAt = this.nowMs + this.plan.minDelayMs
    this.#setEarliestTimes(0)
    let response: PollResponse<Snapshot>
    try {
      response = await this.settings.poll(this.id, controller.signal, this.extra)
    } catch (error) {
      if (this.#inFlight === controller) this.#onFailure(error)
      return
    }
    if (this.#inFlight !== controller) return
    this.#inFlight = undefined
    try {
      this.#onResponse(response)
    } catch (error) {
      // The response has no status, or the `result` or `failure` option threw: another poll would not help.
      this.end(error)
    }
  }

  /**
   * Starts from a status or snapshot that the caller already has, such as from the submission. Only a full snapshot can
   * show that the operation has ended.
   */
  adopt(status: string | undefined, snapshot: Snapshot | undefined): void {
    if (snapshot === undefined) this.status = status
    else this.#store(snapshot)
  }

  #onResponse(response: PollResponse<Snapshot>): void {
    this.#unreadable = 0
    this.lastError = undefined
    this.#store(response.data)
    const { status = '' } = this
    this.#unlistedStatus = this.plan.states.has(status) ? undefined : response.scrub?.(status)
    if (this.state === 'pending') {
      return this.#continue(retryAfterOfResponse(response, this.scheduler.clock.now()))
    }
    this.#reportPoll(undefined)
    this.#update()
    for (const waiter of this.#waiters) waiter.finish()
  }

  /**
   * Stores a snapshot of the operation, and what it means.
   *
   * @throws ContractDriftError if it has no status, and what the `result` or `failure` option throws.
   */
  #store(snapshot: Snapshot): void {
    const { settings, id } = this
    const status = statusOf(settings, id, snapshot)
    // Unknown statuses count as pending.
    const state = this.plan.states.get(status) ?? 'pending'
    const outcome = state === 'pending' ? undefined : finalOutcome(settings, state, { id, status, snapshot })
    if (this.snapshot === undefined || !isSameJson(this.snapshot, snapshot)) this.version += 1
    this.status = status
    this.snapshot = snapshot
    this.state = state
    this.outcome = outcome
  }

  #onFailure(error: unknown): void {
    this.#inFlight = undefined
    const kind = classifyPollFailure(error)
    this.#unreadable = kind === 'unreadable' ? this.#unreadable + 1 : 0
    if (kind === 'definite' || this.#unreadable > MAX_UNREADABLE) {
      this.#reportPoll(undefined)
      return this.end(error)
    }
    this.lastError = error
    this.#continue(retryAfterOf(error))
  }

  #continue(retryAfterMs: number | undefined): void {
    const { nowMs: now, version } = this
    this.#retryAfterMs = retryAfterMs
    if (retryAfterMs !== undefined) this.#notBefore = now + retryAfterMs
    this.#setEarliestTimes(pollDelayMs(this.plan, this.#delaysPicked++, this.scheduler.random))
    this.#schedule()
    const delayMs = this.dueAt - now
    this.#reportPoll(delayMs)
    if (this.lastError !== undefined) this.#reportRetry(delayMs)
    this.#update()
    for (const waiter of this.#waiters) {
      if (waiter.isBehind(version)) waiter.finish()
    }
  }

  /** Sets when the next poll may be sent: after `delayMs`, and no sooner than the minimum delay and `Retry-After` allow. */
  #setEarliestTimes(delayMs: number): void {
    const { nowMs: now } = this
    this.#earliestAt = Math.max(now + this.plan.minDelayMs, this.#notBefore)
    this.#earliestFinalAt = Math.max(this.#earliestFinalAt, this.#notBefore)
    this.#naturalAt = Math.max(now + delayMs, this.#earliestAt)
  }

  #schedule(): void {
    const { nowMs: now } = this
    const { minDelayMs } = this.plan
    if (this.#woken) {
      this.#woken = false
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
    this.scheduler.add(this, dueAt)
  }

  #update(): void {
    for (const waiter of this.#waiters)
      waiter.update(() => this.describe(waiter.startedAt, waiter.pollsBefore))
  }

  /** Returns the update for a wait that began at `startedAt`, after `pollsBefore` polls. */
  describe(startedAt: number, pollsBefore: number): OperationUpdate<Snapshot> {
    const { nowMs: now } = this
    const retryAfterMs = this.state === 'pending' ? this.#retryAfterMs : undefined
    const update = {
      id: this.id,
      status: this.status,
      elapsedMs: now - startedAt,
      polls: this.polls - pollsBefore,
      nextPollInMs: this.state === 'pending' ? Math.max(0, this.dueAt - now) : undefined,
      snapshot: this.snapshot,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }
    return this.lastError === undefined ? update : { ...update, pollError: this.lastError }
  }

  #reportPoll(nextPollInMs: number | undefined): void {
    const { polls: poll, shownStatus: state } = this
    report(this.settings, (operation) => ({
      type: 'poll',
      operation,
      poll,
      ...(state === undefined ? {} : { state }),
      ...(nextPollInMs === undefined ? {} : { nextPollInMs }),
    }))
  }

  /** Reports the next poll as the retry of a failed one. */
  #reportRetry(delayMs: number): void {
    const { polls, lastError: error } = this
    report(this.settings, (operation) => retryEvent(operation, polls, { delayMs, error }))
  }
}
