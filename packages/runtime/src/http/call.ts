import type { Clock } from '../core/clock.ts'
import { DeadlineError, type Issue, type Sent } from '../core/errors.ts'
import { load } from '../core/async.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import type { Scrub } from '../core/redact.ts'
import type { RateLimit } from '../limit/limits.ts'
import { Attempt, restartSilenceLimit } from './attempt.ts'
import { type CallInput, type CallOptions, type CallSettings, settingsOf } from './call-options.ts'
import type { ClientCore } from './client-state.ts'
import type { Composed } from './compose.ts'
import type { Plan } from './prepare.ts'
import type { TransportResponse } from './transport.ts'

const NO_SIGNALS: readonly AbortSignal[] = []
const NO_SECRETS: readonly string[] = []

/** A call and its response, whose body hasn't been read yet. */
export interface Opened {
  readonly call: Call
  readonly response: TransportResponse
}

/**
 * Determines what a call returns: the data, an `Exchange`, or the return value of a function. The function receives
 * the response before the body is read. If the function returns `undefined`, the response is read and processed as
 * usual. If the function reads the body itself, it must also release the attempt.
 */
export type ResponseMode = 'data' | 'exchange' | ((opened: Opened) => unknown)

export interface TimeFrame {
  readonly timeoutMs: number
  readonly deadlineMs: number | undefined
  readonly callBeganMs: number
  readonly attemptBeganMs: number
}

/** One call with all its attempts. Implements `TimeFrame` to avoid a second object for each call. */
export class Call implements TimeFrame {
  readonly core: ClientCore
  readonly plan: Plan
  readonly input: CallInput | undefined
  readonly responseMode: ResponseMode
  readonly settings: CallSettings
  readonly callerSignals: readonly AbortSignal[]
  readonly callBeganMs: number
  attemptBeganMs: number
  /** Set before the first attempt. */
  composed!: Composed
  sends = 0
  /** The number of attempts that the service may have accepted. */
  mayExist = 0
  /** Whether the client has tried to refresh a rejected credential. */
  renewed = false
  /** The values of the credentials of the last attempt. */
  secrets: readonly string[]
  attempt: Attempt = NOT_BEGUN
  /** Whether the last failure comes from the caller's own functions or signals. Such a failure is never retried. */
  isCallerError = false

  constructor(
    plan: Plan,
    input: CallInput | undefined,
    options: CallOptions | undefined,
    responseMode: ResponseMode,
  ) {
    const { core } = plan
    this.core = core
    this.plan = plan
    this.secrets = plan.known ?? NO_SECRETS
    this.input = input
    this.responseMode = responseMode
    this.settings = settingsOf(core, options)
    this.callerSignals = signalsOf(core, options)
    this.callBeganMs = this.attemptBeganMs = core.clock.monotonic()
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

  get endsAtMs(): number {
    const { deadlineMs } = this.settings
    return deadlineMs === undefined ? Infinity : this.callBeganMs + deadlineMs
  }

  /** @throws DeadlineError if no time is left. */
  begin(): Attempt {
    const { core, callerSignals } = this
    if (this.sends > 0) this.attemptBeganMs = core.clock.monotonic()
    const leftMs = this.endsAtMs - this.attemptBeganMs
    if (leftMs <= 0) throw deadlineOver(this.operation.id, this, core.clock)
    this.sends++
    const attempt = (this.attempt = new Attempt())
    if (callerSignals.length > 0) attempt.follow(callerSignals)
    core.limits.add(attempt, Math.min(this.timeoutMs, leftMs), this.attemptBeganMs)
    const body = this.composed.body.content
    if (typeof body === 'object') body.onTaken = (times) => this.#renew(attempt, times)
    return attempt
  }

  #renew(attempt: Attempt, times: number): void {
    const sinceMs = this.core.clock.monotonic()
    restartSilenceLimit(
      this.core,
      attempt,
      { sinceMs, limitMs: this.timeoutMs * times },
      this.endsAtMs - sinceMs,
    )
  }
}

const NOT_BEGUN = new Attempt()

function signalsOf(core: ClientCore, options: CallOptions | undefined): readonly AbortSignal[] {
  const own = options?.signal
  if (core.signal === undefined) return own === undefined ? NO_SIGNALS : [own]
  return own === undefined ? [core.signal] : [core.signal, own]
}

export function deadlineOver(
  operation: string,
  frame: Pick<TimeFrame, 'deadlineMs' | 'callBeganMs'>,
  clock: Clock,
  sent: Sent = 'no',
): DeadlineError {
  const limitMs = frame.deadlineMs ?? 0
  return new DeadlineError(
    `${operation}: the call was not completed within its deadline of ${limitMs} ms, which covers all attempts.`,
    { limitMs, elapsedMs: clock.monotonic() - frame.callBeganMs, sent },
    { operation },
  )
}

/** The code of `failure.ts`, which evaluates responses and failures. It is loaded with the first call. */
export interface Failures {
  waitForRate(call: Call, limit: RateLimit): Promise<void>
  failureWithoutResponse(call: Call, error: unknown): unknown
  judge(call: Call, response: TransportResponse, data: unknown): unknown
  isRenewed(call: Call, error: unknown): Promise<boolean>
  retryCall(call: Call, error: unknown, send: (call: Call) => Promise<unknown>): Promise<unknown>
  bufferResponse(response: TransportResponse, maxResponseBytes: number): Promise<TransportResponse>
  bodyFailure(error: unknown, read: ReadBody): unknown
  emptyMedia(call: Call, response: TransportResponse): unknown
  credentialScrub(core: ClientCore): Scrub
  warnOfDrift(operation: string, issues: readonly Issue[]): void
}

/** Details for the error that is thrown if reading a response body fails. */
export interface ReadBody {
  readonly core: ClientCore
  readonly attempt: Attempt
  readonly operation: string
  /** How long the server may be silent while the client waits for the next piece. */
  readonly timeoutMs: number
  /** The start time of the read that failed. */
  readonly beganMs: number
}

let failures: Failures | undefined

export function isReady(core: ClientCore): boolean {
  return core.transport !== undefined && failures !== undefined
}

/**
 * Loads the transport and the code that evaluates failures. Call this before anything is sent, because during a
 * network failure, the code that reports the failure might not load.
 *
 * @throws ConnectionError if either fails to load.
 */
export async function makeReady(core: ClientCore, operation: string): Promise<void> {
  await Promise.all([core.transport ?? core.loadTransport(operation), loadFailures(operation)])
}

/** Call this only after {@link makeReady} or {@link loadFailures}. */
export function loadedFailures(): Failures {
  return failures as Failures
}

export function loadFailures(operation: string): Failures | Promise<Failures> {
  return (
    failures ?? load(import('./failure.ts'), { operation }).then((loaded): Failures => (failures = loaded))
  )
}
