import type { Clock } from '../core/clock.ts'
import { DeadlineError, type Issue, type Sent } from '../core/errors.ts'
import { load } from '../core/load.ts'
import type { OperationDescriptor } from '../core/operation.ts'
import type { Scrub } from '../core/redact.ts'
import { Attempt, renew } from './attempt.ts'
import { type CallInput, type CallOptions, type CallSettings, settingsOf } from './call-options.ts'
import type { ClientCore } from './client-state.ts'
import type { Composed } from './compose.ts'
import type { Plan } from './prepare.ts'
import type { TransportResponse } from './transport.ts'

const NO_SIGNALS: readonly AbortSignal[] = []

/** An answer whose body is still to come. */
export interface Opened {
  readonly core: ClientCore
  readonly plan: Plan
  readonly response: TransportResponse
  readonly attempt: Attempt
  readonly attempts: number
  readonly timeoutMs: number
}

/**
 * What a call returns: its data, or the whole exchange. A function gets the answer with its body still to come, and
 * returns what the call returns; if it returns `undefined`, the answer is read and judged as usual. A function that
 * takes a body on has to release the attempt.
 */
export type Wanted = 'data' | 'exchange' | ((opened: Opened) => unknown)

/** When a call and its attempt began, and how long they may take. */
export interface TimeFrame {
  readonly timeoutMs: number
  readonly deadlineMs: number | undefined
  readonly callBeganMs: number
  readonly attemptBeganMs: number
}

/** One call: what it was given, and how far it has come. It is its own time frame, which spares an object. */
export class Call implements TimeFrame {
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
  /** How many attempts the service may have accepted. */
  mayExist = 0
  /** Whether a rejected credential was renewed. */
  renewed = false
  /** The credential of the last attempt. */
  credential: string | undefined = undefined
  /** The last attempt. */
  attempt: Attempt = NOT_BEGUN
  /** Its last failure comes from the caller's own functions or signals, so it passes as it is. */
  isCallersOwn = false

  constructor(
    target: { readonly core: ClientCore; readonly plan: Plan },
    input: CallInput | undefined,
    options: CallOptions | undefined,
    wanted: Wanted,
  ) {
    const { core } = target
    this.core = core
    this.plan = target.plan
    this.input = input
    this.wanted = wanted
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

  /** Begins an attempt with its time limit. @throws DeadlineError if no time is left for one. */
  begin(): Attempt {
    const { core, callerSignals } = this
    if (this.sends > 0) this.attemptBeganMs = core.clock.monotonic()
    const leftMs = this.endsAtMs - this.attemptBeganMs
    if (leftMs <= 0) throw deadlineOver(this.operation.id, this, core.clock)
    this.sends++
    const attempt = (this.attempt = new Attempt())
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
}

const NOT_BEGUN = new Attempt()

function signalsOf(core: ClientCore, options: CallOptions | undefined): readonly AbortSignal[] {
  const own = options?.signal
  if (core.signal === undefined) return own === undefined ? NO_SIGNALS : [own]
  return own === undefined ? [core.signal] : [core.signal, own]
}

/** The error for a call whose deadline is over. */
export function deadlineOver(
  operation: string,
  frame: Pick<TimeFrame, 'deadlineMs' | 'callBeganMs'>,
  clock: Clock,
  sent: Sent = 'no',
): DeadlineError {
  const limitMs = frame.deadlineMs ?? 0
  return new DeadlineError(
    `${operation}: not done within the deadline of ${limitMs} ms for all attempts together.`,
    { limitMs, elapsedMs: clock.monotonic() - frame.callBeganMs, sent },
    { operation },
  )
}

/** Everything that a call needs only if it isn't a plain success: `failure.ts`. */
export interface Failures {
  /** The error for an attempt that brought no answer. */
  withoutAnswer(call: Call, error: unknown): unknown
  /** Reads and judges an answer that isn't a plain success. Returns what the call returns, or throws. */
  judge(call: Call, response: TransportResponse, data: unknown): unknown
  /** Whether the failure was a rejected credential that was renewed, so that the call is to be sent again at once. */
  isRenewed(call: Call, error: unknown): Promise<boolean>
  /** Sends the call again as often as it may be, after its first attempt failed. */
  carryOn(call: Call, error: unknown, send: (call: Call) => Promise<unknown>): Promise<unknown>
  /** Reads a streamed body that nothing took on. */
  bufferResponse(response: TransportResponse, maxResponseBytes: number): Promise<TransportResponse>
  /** The error for a body that ended early while it was read piece by piece. */
  ofBody(error: unknown, read: ReadBody): unknown
  /** Makes the function that removes a client's credentials from a string. */
  credentialScrub(core: ClientCore): Scrub
  /** Warns the process of drift that no `onDrift` receives. */
  warnOfDrift(operation: string, issues: readonly Issue[]): void
}

/** A body that is read piece by piece. */
export interface ReadBody {
  readonly core: ClientCore
  readonly attempt: Attempt
  readonly operation: string
  readonly timeoutMs: number
  /** When the read that failed began. */
  readonly beganMs: number
}

let failures: Failures | undefined

/** Whether a call can be sent without loading anything. */
export function isReady(core: ClientCore): boolean {
  return core.transport !== undefined && failures !== undefined
}

/**
 * Loads what sends requests and what judges their failures. Nothing is sent before both are loaded: otherwise a network
 * that fails later would also take away the means to say what became of a request.
 *
 * @throws ConnectionError if something does not load.
 */
export async function makeReady(core: ClientCore, operation: string): Promise<void> {
  await Promise.all([core.transport ?? core.loadTransport(operation), loadFailures(operation)])
}

/** The judge of failures. Loaded before the first request is sent. */
export function loadedFailures(): Failures {
  return failures as Failures
}

/** The judge of failures, or a promise of it if it has to be loaded. */
export function loadFailures(operation: string): Failures | Promise<Failures> {
  return (
    failures ?? load(import('./failure.ts'), { operation }).then((loaded): Failures => (failures = loaded))
  )
}
