import type { Clock, RandomSource } from '../core/clock.ts'
import { ApiError, ConcordError, SubmissionUncertainError, UnexpectedContentError } from '../core/errors.ts'
import type { OperationDescriptor } from '../core/operation.ts'
import type { Scrub } from '../core/redact.ts'
import type { BackoffOptions } from '../retry/backoff.ts'
import type { RetryBudget } from '../retry/budget.ts'
import { mayRetry } from '../retry/may-retry.ts'
import { findAcceptedId, outcomeOf } from '../retry/outcome.ts'
import { type Retried, type Retry, retryEvent } from '../retry/retry.ts'
import { submissionUncertain } from '../retry/uncertain.ts'
import { Attempt, renew } from './attempt.ts'
import { isReplayable } from './body.ts'
import type { CallInput, CallOptions } from './call-options.ts'
import type { Composed } from './compose.ts'
import type { ClientCore } from './core.ts'
import { emit } from './drift.ts'
import { CallersOwn, deadlineOver, type TimeFrame, toFailure } from './failure.ts'
import type { Wanted } from './pipeline.ts'
import type { Plan } from './prepare.ts'
import { scrubFor } from './secrets.ts'
import { type CallSettings, settingsOf } from './settings.ts'

/** The start of an answer that is kept for {@link SubmissionUncertainError.received}. */
export const RECEIVED_LENGTH = 4_096
const NO_SIGNALS: readonly AbortSignal[] = []

/**
 * One call: what it was given, and how far it has come. It is its own job of the retry loop and its own time frame,
 * which spares an object for each.
 */
export class Call implements Retried<unknown>, TimeFrame {
  readonly core: ClientCore
  readonly plan: Plan
  readonly input: CallInput | undefined
  readonly wanted: Wanted
  readonly settings: CallSettings
  /** The caller's own signals. */
  readonly callerSignals: readonly AbortSignal[]
  readonly callBeganMs: number
  attemptBeganMs: number
  /** The request, once it is composed. */
  composed: Composed | undefined = undefined
  /** How often it was sent. */
  sends = 0
  failures = 0
  /** How many attempts the service may have accepted. */
  mayExist = 0
  /** Whether a refused credential was renewed. */
  renewed = false
  /** The credential of the last attempt. */
  credential: string | undefined = undefined
  #attempt: Attempt = NOT_BEGUN
  /** Its last failure comes from the caller's own functions or signals, so it passes as it is. */
  isCallersOwn = false
  readonly #send: (call: Call) => Promise<unknown>

  constructor(
    target: { readonly core: ClientCore; readonly plan: Plan },
    input: CallInput | undefined,
    options: CallOptions | undefined,
    how: { readonly wanted: Wanted; readonly send: (call: Call) => Promise<unknown> },
  ) {
    this.core = target.core
    this.plan = target.plan
    this.input = input
    this.wanted = how.wanted
    this.#send = how.send
    this.settings = settingsOf(target.core, options)
    this.callerSignals = signalsOf(target.core, options)
    this.callBeganMs = this.attemptBeganMs = target.core.clock.monotonic()
  }

  get operation(): OperationDescriptor {
    return this.plan.operation
  }

  get timeoutMs(): number {
    return this.settings.timeoutMs
  }

  get deadlineMs(): number | undefined {
    return this.settings.deadlineMs
  }

  get clock(): Clock {
    return this.core.clock
  }

  get random(): RandomSource {
    return this.core.random
  }

  get backoff(): BackoffOptions {
    return this.core.backoff
  }

  get maxAttempts(): number {
    return this.settings.maxAttempts
  }

  get maxRetryAfterMs(): number {
    return this.core.maxRetryAfterMs
  }

  get budget(): RetryBudget {
    return this.core.budget
  }

  get endsAtMs(): number {
    const { deadlineMs } = this.settings
    return deadlineMs === undefined ? Infinity : this.callBeganMs + deadlineMs
  }

  get signals(): readonly AbortSignal[] {
    const { closingSignals } = this.core
    return this.callerSignals.length === 0 ? closingSignals : [...this.callerSignals, ...closingSignals]
  }

  attempt(): Promise<unknown> {
    return this.#send(this)
  }

  /** Begins an attempt with its time limit. @throws DeadlineError when there is no time left for one. */
  begin(): Attempt {
    const { core, callerSignals } = this
    if (this.sends > 0) this.attemptBeganMs = core.clock.monotonic()
    const leftMs = this.endsAtMs - this.attemptBeganMs
    if (leftMs <= 0) throw deadlineOver(this.operation.id, this, this.attemptBeganMs)
    this.sends++
    const attempt = (this.#attempt = new Attempt())
    if (callerSignals.length > 0) attempt.follow(callerSignals)
    core.limits.add(attempt, Math.min(this.timeoutMs, leftMs), this.attemptBeganMs)
    const body = this.composed?.body.content
    if (typeof body === 'object') body.onTaken = (times) => this.#renew(attempt, times)
    return attempt
  }

  #renew(attempt: Attempt, times: number): void {
    const sinceMs = this.core.clock.monotonic()
    renew(this.core, attempt, { sinceMs, limitMs: this.timeoutMs * times }, this.endsAtMs - sinceMs)
  }

  /** Says what it means that an attempt brought no answer. */
  toFailure(error: unknown): unknown {
    const body = this.composed?.body.content
    const own = typeof body === 'object' ? body.failure : undefined
    const scrub = (): Scrub => scrubFor(this.plan, this.credential, this.input)
    const nowMs = this.core.clock.monotonic()
    const failure = toFailure(own ?? error, this.#attempt, this.operation.id, this, nowMs, scrub)
    if (!(failure instanceof CallersOwn)) return failure
    this.isCallersOwn = true
    return failure.error
  }

  /** Counts an attempt that the service may have accepted. */
  note(failure: unknown): void {
    if (this.operation.retry.class === 'safe' || this.isCallersOwn) return
    // Counted when it was made.
    if (SubmissionUncertainError.is(failure)) return
    if (outcomeOf(failure, this.#attempt.status) === 'uncertain') this.mayExist++
  }

  get isReplayable(): boolean {
    return this.composed === undefined || isReplayable(this.composed.body)
  }

  again(error: unknown): boolean {
    return !this.isCallersOwn && this.isReplayable && mayRetry(this.operation.retry, error)
  }

  onRetry(retry: Retry): void {
    emit(this.core, retryEvent(this.operation.id, this.sends, retry))
  }

  /** When there is to be no further attempt, an unknown outcome is what the caller has to know first. */
  lastError(error: unknown): unknown {
    if (this.isCallersOwn || this.mayExist === 0 || !ConcordError.is(error)) return error
    if (SubmissionUncertainError.is(error) || outcomeOf(error) === 'accepted') return error
    return this.uncertain(error, UnexpectedContentError.is(error) ? error.text : undefined)
  }

  /** @param text The body of an answer that doesn't prove that it was accepted. */
  uncertain(cause: unknown, text: string | undefined): SubmissionUncertainError {
    const { operation } = this
    const { clock } = this.core
    const answered = ApiError.is(cause) ? cause.text : text
    return submissionUncertain(operation, {
      body: this.input?.body,
      submittedAtMs: clock.now() - (clock.monotonic() - this.attemptBeganMs),
      cause,
      status: this.#attempt.status,
      id: text === undefined ? undefined : findAcceptedId(operation, text.slice(0, RECEIVED_LENGTH)),
      received: answered === undefined ? undefined : this.#shown(answered),
      possibleDuplicates: Math.max(1, this.mayExist),
    })
  }

  /** The start of an answer without its secrets; nothing of one that may hold a secret and can't be searched for it. */
  #shown(text: string): string {
    const { plan, credential, input } = this
    let data: unknown
    if (plan.operation.secrets.length > 0) {
      try {
        data = JSON.parse(text)
      } catch {
        return ''
      }
    }
    return scrubFor(plan, credential, input, data)(text).slice(0, RECEIVED_LENGTH)
  }
}

const NOT_BEGUN = new Attempt()

function signalsOf(core: ClientCore, options: CallOptions | undefined): readonly AbortSignal[] {
  const own = options?.signal
  if (core.signal === undefined) return own === undefined ? NO_SIGNALS : [own]
  return own === undefined ? [core.signal] : [core.signal, own]
}
