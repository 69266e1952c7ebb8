import { isSameJson } from '../core/json.ts'
import { retryAfterOf } from '../retry/transient.ts'
import { outcomeOf, reportPoll, retryAfterOfAnswer, statusOf } from './poll-answer.ts'
import { classifyPollFailure, ODD_ANSWERS_SURVIVED } from './poll-errors.ts'
import type { PollScheduler, PollTask, ScheduledEntry } from './poll-scheduler.ts'
import type { LoopSettings, OperationExtra, PollAnswer } from './poll-settings.ts'
import type { OperationUpdate, PollWaiter } from './poll-waiter.ts'
import { nextPollAt, type OperationState, pollDelayMs, type PollingPlan } from './polling-plan.ts'

const NOBODY: readonly never[] = []

/** Polls one operation for everybody who waits for it, and for as long as anybody does. */
export class PollLoop<Snapshot, Result> implements PollTask, ScheduledEntry {
  dueAt = 0
  order = 0
  heapIndex = -1
  readonly settings: LoopSettings<Snapshot, Result>
  readonly scheduler: PollScheduler
  readonly plan: PollingPlan
  readonly id: string
  status: string | undefined
  snapshot: Snapshot | undefined
  state: OperationState = 'pending'
  /** The result, or the error, once the operation has ended. */
  outcome: unknown = undefined
  /** Counts the changes that polls have found. */
  version = 0
  polls = 0
  lastError: unknown = undefined
  readonly extra: OperationExtra | undefined
  #waiters: readonly PollWaiter<Snapshot, Result>[] = NOBODY
  #inFlight: AbortController | undefined = undefined
  #inLine = false
  #naturalAt: number
  #earliestAt: number
  #earliestLastAt: number
  /** Not before this may be polled, since the service asked so. */
  #notBefore = 0
  #growth = 0
  #oddAnswers = 0
  #woken = false
  /** A status that the contract does not list, without secrets. The answer itself is not kept, as there are many waits. */
  #unlistedStatus: string | undefined = undefined
  #lastWakeAt: number | undefined = undefined

  constructor(
    settings: LoopSettings<Snapshot, Result>,
    scheduler: PollScheduler,
    plan: PollingPlan,
    id: string,
    extra: OperationExtra | undefined,
    firstDelayMs: number,
  ) {
    this.settings = settings
    this.scheduler = scheduler
    this.plan = plan
    this.id = id
    this.extra = extra
    const now = scheduler.now()
    this.#naturalAt = this.#earliestAt = now + firstDelayMs
    this.#earliestLastAt = now
  }

  get kind(): string {
    return this.settings.kind
  }

  /** The status as errors and events show it: one that the contract does not list can hold anything. */
  get shownStatus(): string | undefined {
    const { status } = this
    if (status === undefined || this.plan.states.has(status)) return status
    return (this.#unlistedStatus ?? status).slice(0, 100)
  }

  get wantsPoll(): boolean {
    return this.#inLine
  }

  join(waiter: PollWaiter<Snapshot, Result>): void {
    if (this.#waiters.length === 0) this.scheduler.register(this)
    // A new list each time: whoever is going through the old one is not disturbed.
    this.#waiters = this.#waiters.length === 0 ? [waiter] : [...this.#waiters, waiter]
    this.scheduler.add(waiter, waiter.dueAt)
    if (waiter.signal !== undefined) this.scheduler.aborts.join(waiter.signal, waiter)
    if (this.#inFlight === undefined && !this.#inLine) this.#schedule()
  }

  /** Answers false when the waiter had left already. */
  leave(waiter: PollWaiter<Snapshot, Result>): boolean {
    if (!waiter.active) return false
    waiter.active = false
    this.#waiters = this.#waiters.length === 1 ? NOBODY : this.#waiters.filter((other) => other !== waiter)
    this.scheduler.remove(waiter)
    if (waiter.signal !== undefined) this.scheduler.aborts.leave(waiter.signal, waiter)
    if (this.#waiters.length === 0) this.#stop()
    return true
  }

  #stop(): void {
    this.scheduler.unregister(this)
    this.scheduler.remove(this)
    this.#inLine = false
    this.#inFlight?.abort()
    this.#inFlight = undefined
  }

  wake(): void {
    if (this.state !== 'pending') return
    this.#woken = true
    if (this.#waiters.length > 0 && this.#inFlight === undefined && !this.#inLine) this.#schedule()
  }

  /** Ends all waits, not the operation. */
  end(error: unknown): void {
    for (const waiter of this.#waiters) waiter.leave(error)
  }

  /** Its time has come: it goes in line for a poll. */
  due(): void {
    this.#inLine = true
    this.scheduler.enqueue(this)
  }

  async runPoll(): Promise<void> {
    const controller = new AbortController()
    this.#inLine = false
    // Hints that came before are answered by this poll; one that comes while it is under way is not.
    this.#woken = false
    this.#inFlight = controller
    this.polls += 1
    // Holds also when the poll is given up before its answer has come. The last poll before a deadline keeps the
    // shortest delay from the sending of the one before, all others from its answer.
    this.#earliestLastAt = this.scheduler.now() + this.plan.minDelayMs
    this.#space(0)
    let answer: PollAnswer<Snapshot>
    try {
      answer = await this.settings.poll(this.id, controller.signal, this.extra)
    } catch (error) {
      if (this.#inFlight === controller) this.#failed(error)
      return
    }
    if (this.#inFlight !== controller) return
    this.#inFlight = undefined
    try {
      this.#answered(answer)
    } catch (error) {
      // No status, or a mistake in what the service's client makes of the answer: polling on would not help.
      this.end(error)
    }
  }

  /** Takes over what another call told of it. Only a whole snapshot can end the operation. */
  adopt(status: string | undefined, snapshot: Snapshot | undefined): void {
    if (snapshot === undefined) this.status = status
    else this.#see(snapshot)
  }

  #answered(answer: PollAnswer<Snapshot>): void {
    this.#oddAnswers = 0
    this.lastError = undefined
    this.#see(answer.data)
    const { status = '' } = this
    this.#unlistedStatus = this.plan.states.has(status) ? undefined : answer.scrub?.(status)
    if (this.state === 'pending') {
      return this.#again(retryAfterOfAnswer(answer, this.scheduler.clock.now()))
    }
    this.#report(undefined)
    this.#tell()
    for (const waiter of this.#waiters) waiter.arrive()
  }

  /** Takes in a snapshot of the operation, and what it means. */
  #see(snapshot: Snapshot): void {
    const { settings, id } = this
    const status = statusOf(settings, id, snapshot)
    const state = this.plan.states.get(status)
    if (state === undefined) settings.onUnknownStatus?.(status, id)
    const ended = state === 'success' || state === 'failure'
    const outcome = ended ? outcomeOf(settings, state, { id, status, snapshot }) : undefined
    if (status !== this.status || this.snapshot === undefined || this.#differs(this.snapshot, snapshot)) {
      this.version += 1
    }
    this.status = status
    this.snapshot = snapshot
    this.state = ended ? state : 'pending'
    this.outcome = outcome
  }

  #differs(before: Snapshot, after: Snapshot): boolean {
    return this.settings.changed?.(before, after) ?? !isSameJson(before, after)
  }

  #failed(error: unknown): void {
    this.#inFlight = undefined
    const kind = this.#survives(error)
    this.#oddAnswers = kind === 'odd-answer' ? this.#oddAnswers + 1 : 0
    if (kind === 'definite' || this.#oddAnswers > ODD_ANSWERS_SURVIVED) {
      this.#report(undefined)
      return this.end(error)
    }
    this.lastError = error
    this.#again(retryAfterOf(error))
  }

  #survives(error: unknown): ReturnType<typeof classifyPollFailure> {
    const told = this.settings.survives?.(error)
    if (told === undefined) return classifyPollFailure(error)
    return told ? 'transient' : 'definite'
  }

  /** Goes on waiting. */
  #again(retryAfterMs: number | undefined): void {
    const { random } = this.scheduler
    const now = this.scheduler.now()
    if (retryAfterMs !== undefined) this.#notBefore = now + retryAfterMs
    this.#space(pollDelayMs(this.plan, this.#growth++, random))
    const version = this.version
    this.#schedule()
    this.#report(this.dueAt - now)
    this.#tell()
    for (const waiter of this.#waiters) {
      if (waiter.isBehind(version)) waiter.arrive()
    }
  }

  /** Keeps the next poll away from now: by `delayMs`, by the shortest delay, and by what the service asked for. */
  #space(delayMs: number): void {
    const now = this.scheduler.now()
    this.#earliestAt = Math.max(now + this.plan.minDelayMs, this.#notBefore)
    this.#earliestLastAt = Math.max(this.#earliestLastAt, this.#notBefore)
    this.#naturalAt = Math.max(now + delayMs, this.#earliestAt)
  }

  #schedule(): void {
    const now = this.scheduler.now()
    const { minDelayMs } = this.plan
    if (this.#woken) {
      this.#woken = false
      const spaced = this.#lastWakeAt === undefined ? now : this.#lastWakeAt + minDelayMs
      const at = Math.max(now, this.#notBefore, spaced)
      if (at < this.#naturalAt) {
        this.#lastWakeAt = at
        this.#naturalAt = this.#earliestAt = this.#earliestLastAt = at
      }
    }
    let lastAt: number | undefined
    for (const { lastPollAt } of this.#waiters) {
      if (lastPollAt > now && (lastAt === undefined || lastPollAt < lastAt)) lastAt = lastPollAt
    }
    const dueAt = nextPollAt({
      now,
      naturalAt: this.#naturalAt,
      earliestAt: this.#earliestAt,
      earliestLastAt: this.#earliestLastAt,
      lastAt,
      minDelayMs,
    })
    this.scheduler.add(this, dueAt)
  }

  #tell(): void {
    for (const waiter of this.#waiters)
      waiter.update(() => this.describe(waiter.startedAt, waiter.pollsBefore))
  }

  /** What is known now, for somebody who has waited since `startedAt`. */
  describe(startedAt: number, pollsBefore: number): OperationUpdate<Snapshot> {
    const now = this.scheduler.now()
    const update = {
      id: this.id,
      status: this.status,
      elapsedMs: now - startedAt,
      polls: this.polls - pollsBefore,
      nextPollInMs: this.state === 'pending' ? Math.max(0, this.dueAt - now) : undefined,
      snapshot: this.snapshot,
    }
    return this.lastError === undefined ? update : { ...update, pollError: this.lastError }
  }

  #report(nextPollInMs: number | undefined): void {
    reportPoll(this.settings, this.polls, this.shownStatus, nextPollInMs)
  }
}
