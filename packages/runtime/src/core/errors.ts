import { ConcordError, type ConcordErrorOptions } from './error-base.ts'

/** The error catalog. Each code has one class; each status has a class under `ApiError`. */
export {
  ConcordError,
  type ConcordErrorClass,
  type ConcordErrorCode,
  type ConcordErrorOptions,
} from './error-base.ts'
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  type ErrorAnswer,
  NotFoundError,
  PayloadTooLargeError,
  PermissionDeniedError,
  type Quota,
  RateLimitedError,
  ServerError,
  UnexpectedContentError,
} from './api-errors.ts'

/** One place at which a value is not what the contract says. @public */
export interface Issue {
  /** JSON pointer to the place; empty for the value itself. */
  readonly path: string
  readonly reason: string
}

/** The input is not what the contract says. Nothing was sent. @public */
export class RequestInvalidError extends ConcordError {
  static override readonly errorName: string = 'RequestInvalidError'

  readonly issues: readonly Issue[]

  constructor(message: string, issues: readonly Issue[], options: ConcordErrorOptions = {}) {
    super('invalid-request', message, options)
    this.issues = issues
  }
}

/** An option is missing or unusable. Nothing was sent to the service. @public */
export class OptionsError extends ConcordError {
  static override readonly errorName: string = 'OptionsError'

  /** The name of the option. */
  readonly option: string
  /** What to do about it. */
  readonly remedy: string

  /**
   * @param option - The name of the option; for a nested one its path, such as `retry.maxAttempts`.
   * @param problem - What is wrong: either a whole sentence, or, beginning with a lowercase letter, a predicate that is
   *   put after the name of the option: `must be a function.`
   * @param remedy - A sentence that says what to do about it.
   */
  constructor(option: string, problem: string, remedy: string, options: ConcordErrorOptions = {}) {
    const sentence = /^[a-z]/.test(problem) ? `\`${option}\` ${problem}` : problem
    super('invalid-options', `${sentence} ${remedy}`, options)
    this.option = option
    this.remedy = remedy
  }
}

/** A well-formed answer does not have the shape that the contract gives, and the caller chose to be strict. @public */
export class ContractDriftError<Data = unknown> extends ConcordError {
  static override readonly errorName: string = 'ContractDriftError'

  readonly issues: readonly Issue[]
  /** The id of what the service accepted, if the answer was one to a submission: the submission exists. */
  declare readonly id?: string
  /** The status of the answer, if it was one to a call. */
  declare readonly status?: number
  /** How many submissions may exist; only set if it may be more than one. */
  declare readonly possibleDuplicates?: number
  readonly #data: Data

  constructor(
    message: string,
    issues: readonly Issue[],
    data: Data,
    options: ConcordErrorOptions &
      Partial<Pick<ContractDriftError, 'id' | 'status' | 'possibleDuplicates'>> = {},
  ) {
    super('contract-drift', message, options)
    this.issues = issues
    if (options.id !== undefined) this.id = options.id
    if (options.status !== undefined) this.status = options.status
    if (options.possibleDuplicates !== undefined) this.possibleDuplicates = options.possibleDuplicates
    this.#data = data
  }

  /** The body as received and decoded. Never part of a log of this error. */
  get data(): Data {
    return this.#data
  }
}

/** How far a request had come. @public */
export type ConnectionPhase = 'dns' | 'connect' | 'tls' | 'send' | 'receive'

/** Whether a byte of the request can have reached the server. @public */
export type Sent = 'no' | 'maybe' | 'yes'

/** No answer: the connection could not be made, or was lost. @public */
export class ConnectionError extends ConcordError {
  static override readonly errorName: string = 'ConnectionError'

  readonly phase: ConnectionPhase
  readonly sent: Sent

  constructor(
    message: string,
    at: { readonly phase: ConnectionPhase; readonly sent: Sent },
    options: ConcordErrorOptions = {},
  ) {
    super('connection', message, options)
    this.phase = at.phase
    this.sent = at.sent
  }
}

/** What {@link TimeoutError} and {@link DeadlineError} carry. @public */
export interface TimeSpent {
  readonly limitMs: number
  readonly elapsedMs: number
  /** The last state seen of the piece of work that was waited for. */
  readonly lastState?: string | undefined
  /** The id of the piece of work that was waited for. */
  readonly id?: string | undefined
}

abstract class TimeSpentError extends ConcordError {
  readonly limitMs: number
  readonly elapsedMs: number
  /** The last state seen of the piece of work that was waited for. It goes on at the service. */
  declare readonly lastState?: string
  /** The id of the piece of work that was waited for. */
  declare readonly id?: string

  constructor(code: 'timeout' | 'deadline', message: string, time: TimeSpent, options: ConcordErrorOptions) {
    super(code, message, options)
    this.limitMs = time.limitMs
    this.elapsedMs = time.elapsedMs
    if (time.lastState !== undefined) this.lastState = time.lastState
    if (time.id !== undefined) this.id = time.id
  }
}

/** One attempt (connect, headers and body together) took longer than `timeoutMs`. @public */
export class TimeoutError extends TimeSpentError {
  static override readonly errorName: string = 'TimeoutError'

  /** Whether a byte of the request can have reached the server. */
  readonly sent: Sent

  constructor(
    message: string,
    time: TimeSpent & { readonly sent?: Sent },
    options: ConcordErrorOptions = {},
  ) {
    super('timeout', message, time, options)
    this.sent = time.sent ?? 'maybe'
  }
}

/** All attempts and waits together reached the `deadline`. It says nothing about the work at the service. @public */
export class DeadlineError extends TimeSpentError {
  static override readonly errorName: string = 'DeadlineError'

  /** Whether a byte of the request can have reached the server; `no` if it came between two requests. */
  readonly sent: Sent

  constructor(
    message: string,
    time: TimeSpent & { readonly sent?: Sent },
    options: ConcordErrorOptions = {},
  ) {
    super('deadline', message, time, options)
    this.sent = time.sent ?? 'no'
  }
}

/** The request whose outcome is unknown. Names only, no values. @public */
export interface Submission {
  readonly method: string
  /** The path template of the contract. */
  readonly path: string
  /** The names of the fields or parts of the body. */
  readonly fields: readonly string[]
}

/** What is known of a submission whose outcome is not. @public */
export interface Uncertainty {
  readonly submitted: Submission
  /** When it was sent, in milliseconds since the Unix epoch. */
  readonly submittedAtMs: number
  /** What to do about it. */
  readonly remedy: string
  /** The status of the answer, if one came. */
  readonly status?: number | undefined
  /** The id of what was accepted, if it could be read from the answer. */
  readonly id?: string | undefined
  /** The answer as received, without its secrets. */
  readonly received?: string | undefined
  /** How many submissions may exist at the service. Default 1. */
  readonly possibleDuplicates?: number | undefined
}

/**
 * A request that changes something, or costs money, may or may not have taken effect: its answer was lost, could not be
 * read, or doesn't say. It was not sent again, since that could do, and bill, the same work twice. `cause` says what
 * happened to the answer.
 *
 * @public
 */
export class SubmissionUncertainError extends ConcordError {
  static override readonly errorName: string = 'SubmissionUncertainError'

  readonly submitted: Submission
  /** When it was sent, in milliseconds since the Unix epoch. */
  readonly submittedAtMs: number
  /** What to do about it; fits the operation. */
  readonly remedy: string
  /** The status of the answer, if one came. */
  declare readonly status?: number
  /** The id of what was accepted, if it could be read from the answer. The submission exists then. */
  declare readonly id?: string
  /**
   * How many submissions may exist at the service: 1, or more if the request was repeated after a 502, 503 or 504 as the
   * documentation asks.
   */
  readonly possibleDuplicates: number
  readonly #received: string | undefined

  constructor(message: string, known: Uncertainty, options: ConcordErrorOptions = {}) {
    super('submission-uncertain', message, options)
    this.submitted = known.submitted
    this.submittedAtMs = known.submittedAtMs
    this.remedy = known.remedy
    this.possibleDuplicates = known.possibleDuplicates ?? 1
    if (known.status !== undefined) this.status = known.status
    if (known.id !== undefined) this.id = known.id
    this.#received = known.received
  }

  /**
   * The start of the answer as received, without its secrets; `undefined` if none came. Never part of a log of this
   * error.
   */
  get received(): string | undefined {
    return this.#received
  }
}

/** What can be done about a failed piece of work. @public */
export type FailureAdvice = 'retry' | 'change-prompt' | 'fix-input' | 'none'

/** The service reports that the work itself failed. Services extend it. @public */
export class OperationFailedError extends ConcordError {
  static override readonly errorName: string = 'OperationFailedError'

  /** The id of the piece of work. */
  readonly id: string
  /** The service's own reason; empty when it gave none. */
  readonly reason: string
  readonly advice: FailureAdvice

  constructor(
    message: string,
    failure: { readonly id: string; readonly reason: string; readonly advice: FailureAdvice },
    options: ConcordErrorOptions = {},
  ) {
    super('operation-failed', message, options)
    this.id = failure.id
    this.reason = failure.reason
    this.advice = failure.advice
  }
}

/**
 * Why a download did not complete: the link has expired, or is refused in a way that does not say why (it may have
 * expired), or nothing is there; there is more than the caller allows; the content does not have the expected length or
 * digest; or the connection was lost.
 *
 * @public
 */
export type DownloadFailure = 'expired' | 'refused' | 'missing' | 'too-large' | 'checksum' | 'interrupted'

/** A download did not complete; the target was not touched. @public */
export class DownloadError extends ConcordError {
  static override readonly errorName: string = 'DownloadError'

  readonly failure: DownloadFailure
  /** How much had come. */
  readonly bytesSoFar: number
  /** The status of the last answer, where there was one. */
  declare readonly status?: number

  constructor(
    message: string,
    at: {
      readonly failure: DownloadFailure
      readonly bytesSoFar: number
      readonly status?: number | undefined
    },
    options: ConcordErrorOptions = {},
  ) {
    super('download', message, options)
    this.failure = at.failure
    this.bytesSoFar = at.bytesSoFar
    if (at.status !== undefined) this.status = at.status
  }
}

/**
 * An authorization did not come about: the user denied it (`authorization-denied`), did not give it in time
 * (`authorization-expired`), or it ended in another way (`authorization-failed`).
 *
 * @public
 */
export class AuthorizationError extends ConcordError {
  static override readonly errorName: string = 'AuthorizationError'

  constructor(
    outcome: 'authorization-denied' | 'authorization-expired' | 'authorization-failed',
    message: string,
    options: ConcordErrorOptions = {},
  ) {
    super(outcome, message, options)
  }
}

/**
 * Why a session cannot continue.
 *
 * - `refused`: the service rejected the refresh token: it was used before, has expired, or was revoked.
 * - `outcome-unknown`: the refresh token was presented twice, and both times the answer was lost or a server error.
 * - `no-refresh-token`: the access token has expired, and there is no refresh token.
 * - `replaced`: the store now contains another user's session.
 * - `removed`: the store no longer contains a session.
 *
 * @public
 */
export type SessionLoss = 'refused' | 'outcome-unknown' | 'no-refresh-token' | 'replaced' | 'removed'

const WHAT_HAPPENED: Readonly<Record<SessionLoss, string>> = {
  refused: 'The service rejected the refresh token: it was used before, has expired, or was revoked.',
  'outcome-unknown':
    'The refresh token was presented twice, and both times the answer was lost or a server error. It works only once, ' +
    'so it is not presented again.',
  'no-refresh-token': 'The access token has expired, and there is no refresh token.',
  replaced: "The store now contains another user's session; it was not used.",
  removed: 'The store no longer contains a session: it was removed, here or by another process.',
}

/** The session is lost, and the client cannot bring it back by itself: sign in again. @public */
export class SessionLostError extends ConcordError {
  static override readonly errorName: string = 'SessionLostError'

  readonly reason: SessionLoss
  /** What to do about it. */
  readonly remedy: string

  constructor(
    reason: SessionLoss,
    options: ConcordErrorOptions & { readonly remedy?: string | undefined } = {},
  ) {
    const remedy = options.remedy ?? 'Sign in again.'
    super('session-lost', `The session is lost. ${WHAT_HAPPENED[reason]} ${remedy}`, options)
    this.reason = reason
    this.remedy = remedy
  }
}

/** What was given to a connection and never left this machine. @public */
export interface Unsent {
  /** Messages that were held back or stood in the send buffer; at the most, where a connection was lost. */
  readonly messages: number
  /** Their bytes. */
  readonly bytes: number
}

/** The answer with which a server refused to open a socket. @public */
export interface SocketRefusal {
  readonly status: number
  readonly headers: () => Headers
  /** At most the first 64 KiB. */
  readonly body: string
  /** How long the server asked to wait (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** What a {@link SocketError} is made from. */
export interface SocketErrorDetails {
  readonly refusal?: SocketRefusal | undefined
  readonly closeCode?: number | undefined
  readonly reason?: string | undefined
  readonly unsent?: Unsent | undefined
}

/**
 * A socket was refused by the server (`socket-refused`), ended (`socket-closed`), or was given more than it may hold,
 * in one direction or the other (`socket-overflow`).
 *
 * @public
 */
export class SocketError extends ConcordError {
  static override readonly errorName: string = 'SocketError'

  /** The status of a refused upgrade, where the host shows it. */
  declare readonly status?: number
  /** How long the server asked to wait before the next try, in milliseconds. */
  declare readonly retryAfterMs?: number
  /** The close code of RFC 6455, section 7.4; 1006 where the connection was lost without one. */
  declare readonly closeCode?: number
  /** What was not sent. */
  declare readonly unsent?: Unsent
  readonly #refusal: SocketRefusal | undefined
  readonly #reason: string

  constructor(
    code: 'socket-refused' | 'socket-closed' | 'socket-overflow',
    message: string,
    details: SocketErrorDetails = {},
    options: ConcordErrorOptions = {},
  ) {
    super(code, message, options)
    const { refusal, closeCode, reason, unsent } = details
    this.#refusal = refusal
    this.#reason = reason ?? ''
    if (refusal !== undefined) this.status = refusal.status
    if (refusal?.retryAfterMs !== undefined) this.retryAfterMs = refusal.retryAfterMs
    if (closeCode !== undefined) this.closeCode = closeCode
    if (unsent !== undefined) this.unsent = unsent
  }

  /** The close reason as the server gave it; empty where there was none. */
  get reason(): string {
    return this.#reason
  }

  /** The headers of a refused upgrade; empty otherwise. Never part of a log of this error. */
  get headers(): Headers {
    return this.#refusal?.headers() ?? new Headers()
  }

  /** The body of a refused upgrade as text; empty otherwise. Never part of a log of this error. */
  get body(): string {
    return this.#refusal?.body ?? ''
  }
}
