import { ConcordError, type ConcordErrorOptions } from './api-errors.ts'

export {
  ConcordError,
  type ConcordErrorClass,
  type ConcordErrorCode,
  type ConcordErrorOptions,
  ApiError,
  AuthenticationError,
  BadRequestError,
  type ErrorResponse,
  NotFoundError,
  PayloadTooLargeError,
  PermissionDeniedError,
  RateLimitedError,
  ServerError,
  UnexpectedContentError,
} from './api-errors.ts'

/** One place where a value doesn't match the contract. @public */
export interface Issue {
  /**
   * JSON pointer to the place; empty for the value itself. The path of a response header has no leading slash, as in
   * `headers/X-Total`.
   */
  readonly path: string
  readonly reason: string
}

/** The input doesn't match the contract. Nothing was sent. @public */
export class RequestInvalidError extends ConcordError {
  static override readonly errorName: string = 'RequestInvalidError'

  readonly issues: readonly Issue[]

  constructor(message: string, issues: readonly Issue[], options: ConcordErrorOptions = {}) {
    super('invalid-request', message, options)
    this.issues = issues
  }
}

/**
 * An option is missing or unusable. Nothing was sent to the service, unless the message says that a request was
 * aborted.
 *
 * @public
 */
export class OptionsError extends ConcordError {
  static override readonly errorName: string = 'OptionsError'

  /** The name of the option. */
  readonly option: string
  /** How to fix the problem. */
  readonly remedy: string

  /**
   * @param option - The name of the option, or the path of a nested option, such as `retry.maxAttempts`.
   * @param problem - The problem as a whole sentence, or as a predicate to put after the name of the option, such as
   *   `must be a function.` A predicate begins with a lowercase letter.
   * @param remedy - A sentence that says how to fix the problem.
   */
  constructor(option: string, problem: string, remedy: string, options: ConcordErrorOptions = {}) {
    const sentence = /^[a-z]/.test(problem) ? `\`${option}\` ${problem}` : problem
    super('invalid-options', `${sentence} ${remedy}`, options)
    this.option = option
    this.remedy = remedy
  }
}

/**
 * A well-formed response or message doesn't match the contract. Without `validate: 'enforce'`, this error occurs only
 * if the client can't continue: for example, if the response to a poll doesn't show the state of the work, or if the
 * next page of a list is on another origin.
 *
 * @public
 */
export class ContractDriftError<Data = unknown> extends ConcordError {
  static override readonly errorName: string = 'ContractDriftError'

  readonly issues: readonly Issue[]
  /** The id of the work that the service has accepted. Set only for a submission. */
  declare readonly id?: string
  /** The status of the response. Absent if the mismatch is in a socket message. */
  declare readonly status?: number
  /** The service may have accepted up to this many submissions. Set only if the number is greater than 1. */
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

  /** The body as received and decoded. Never included when this error is logged. */
  get data(): Data {
    return this.#data
  }
}

/** The step in which a request failed. @public */
export type ConnectionPhase = 'dns' | 'connect' | 'tls' | 'send' | 'receive'

/** Whether a byte of the request may have reached the server. @public */
export type Sent = 'no' | 'maybe' | 'yes'

/** The connection could not be made, or was lost before the complete response arrived. @public */
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

/** Details of a {@link TimeoutError} or {@link DeadlineError}. @public */
export interface TimeSpent {
  readonly limitMs: number
  readonly elapsedMs: number
  /** The last known state of the awaited work. */
  readonly lastState?: string | undefined
  /** The id of the work that was being waited for. */
  readonly id?: string | undefined
}

abstract class TimeSpentError extends ConcordError {
  readonly limitMs: number
  readonly elapsedMs: number
  /** The last known state of the awaited work. The work may continue on the service. */
  declare readonly lastState?: string
  /** The id of the work that was being waited for. */
  declare readonly id?: string
  /** Whether a byte of the request may have reached the server. `no` if the deadline passed between two requests. */
  readonly sent: Sent

  constructor(
    kind: { readonly code: 'timeout' | 'deadline'; readonly sent: Sent },
    message: string,
    time: TimeSpent & { readonly sent?: Sent },
    options: ConcordErrorOptions,
  ) {
    super(kind.code, message, options)
    this.limitMs = time.limitMs
    this.elapsedMs = time.elapsedMs
    if (time.lastState !== undefined) this.lastState = time.lastState
    if (time.id !== undefined) this.id = time.id
    this.sent = time.sent ?? kind.sent
  }
}

/** One attempt (connect, headers and body together) took longer than `timeoutMs`. @public */
export class TimeoutError extends TimeSpentError {
  static override readonly errorName: string = 'TimeoutError'

  constructor(
    message: string,
    time: TimeSpent & { readonly sent?: Sent },
    options: ConcordErrorOptions = {},
  ) {
    super({ code: 'timeout', sent: 'maybe' }, message, time, options)
  }
}

/** All attempts and waits together took longer than `deadline`. Work on the service may continue. @public */
export class DeadlineError extends TimeSpentError {
  static override readonly errorName: string = 'DeadlineError'

  constructor(
    message: string,
    time: TimeSpent & { readonly sent?: Sent },
    options: ConcordErrorOptions = {},
  ) {
    super({ code: 'deadline', sent: 'no' }, message, time, options)
  }
}

/** The request whose outcome is unknown. Contains the names of its fields, but not their values. @public */
export interface Submission {
  readonly method: string
  /** The path template from the contract. */
  readonly path: string
  /** The names of the fields or parts of the body. */
  readonly fields: readonly string[]
}

/** Details of a submission with an unknown outcome. @public */
export interface Uncertainty {
  readonly submitted: Submission
  /** When the request was sent, in milliseconds since the Unix epoch. */
  readonly submittedAtMs: number
  /** How to proceed. */
  readonly remedy: string
  /** The status of the response, if one arrived. */
  readonly status?: number | undefined
  /** The id of the accepted work, if it could be read from the response. */
  readonly id?: string | undefined
  /** The response as received, with secrets redacted. */
  readonly received?: string | undefined
  /** The service may have accepted up to this many submissions. Default: 1. */
  readonly possibleDuplicates?: number | undefined
}

/**
 * A request that changes something or costs money may have taken effect. Its response was lost, could not be read, or
 * doesn't show the outcome. If the client repeated the request, the same work could be done and billed twice. So the
 * client repeats it only after a status for which the documentation asks for a retry. `cause` says what happened to
 * the response.
 *
 * @public
 */
export class SubmissionUncertainError extends ConcordError {
  static override readonly errorName: string = 'SubmissionUncertainError'

  readonly submitted: Submission
  /** When the request was sent, in milliseconds since the Unix epoch. */
  readonly submittedAtMs: number
  /** How to proceed, specific to the operation. */
  readonly remedy: string
  /** The status of the response, if one arrived. */
  declare readonly status?: number
  /** The id of the accepted work, if it could be read from the response. If set, the submission exists. */
  declare readonly id?: string
  /**
   * The service may have accepted up to this many submissions. The number is greater than 1 if the client repeated
   * the request after a 5xx, as the service's documentation recommends.
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
   * The start of the response as received, with its secrets redacted. `undefined` if no response arrived. Never
   * included when this error is logged.
   */
  get received(): string | undefined {
    return this.#received
  }
}

/**
 * The step that can help after work has failed: the same request again, another prompt, corrected input, or none.
 *
 * @public
 */
export type FailureAdvice = 'retry' | 'change-prompt' | 'fix-input' | 'none'

/** The service reports that the work itself failed. Client packages extend this class. @public */
export class OperationFailedError extends ConcordError {
  static override readonly errorName: string = 'OperationFailedError'

  /** The id of the failed work. */
  readonly id: string
  /** The reason that the service sent. Empty if the service sent none. */
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
 * Why a download did not complete.
 *
 * - `expired`: the link has expired.
 * - `denied`: the server denies access and doesn't say why. The link may have expired.
 * - `missing`: nothing exists at the link.
 * - `too-large`: the content is larger than the caller allows.
 * - `checksum`: the content doesn't have the expected length or digest.
 * - `interrupted`: the connection was lost.
 *
 * @public
 */
export type DownloadFailure = 'expired' | 'denied' | 'missing' | 'too-large' | 'checksum' | 'interrupted'

/** A download did not complete. If the target is a file, it was not changed. @public */
export class DownloadError extends ConcordError {
  static override readonly errorName: string = 'DownloadError'

  readonly failure: DownloadFailure
  /** The number of bytes received. */
  readonly bytesSoFar: number
  /** The status of the last response, if any. */
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
 * An authorization was not completed. The user denied it (`authorization-denied`) or did not approve it in time
 * (`authorization-expired`), or it failed in another way (`authorization-failed`).
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
 * - `rejected`: the service rejected the refresh token, because it was used before, has expired, or was revoked.
 * - `outcome-unknown`: the refresh token was sent twice, and both times the response was lost or was a server error.
 * - `no-refresh-token`: the access token has expired, and the session has no refresh token.
 * - `replaced`: the store now contains another user's session.
 * - `removed`: the store no longer contains a session.
 *
 * @public
 */
export type SessionLoss = 'rejected' | 'outcome-unknown' | 'no-refresh-token' | 'replaced' | 'removed'

const LOSS_MESSAGES: Readonly<Record<SessionLoss, string>> = {
  rejected:
    'The service rejected the refresh token, because it was used before, has expired, or was revoked.',
  'outcome-unknown':
    'The refresh token was sent twice, and both times the response was lost or was a server error. A refresh token ' +
    'works only once, and this one may be used up, so it is not sent again.',
  'no-refresh-token': 'The access token has expired, and the session has no refresh token.',
  replaced: "The store now contains another user's session. The client did not use that session.",
  removed: 'The store no longer contains a session. This process or another one removed the session.',
}

/** The session is lost, and the client can't restore it: sign in again. @public */
export class SessionLostError extends ConcordError {
  static override readonly errorName: string = 'SessionLostError'

  readonly reason: SessionLoss
  /** How to proceed. */
  readonly remedy: string

  constructor(
    reason: SessionLoss,
    options: ConcordErrorOptions & { readonly remedy?: string | undefined } = {},
  ) {
    const remedy = options.remedy ?? 'Sign in again.'
    super('session-lost', `The session is lost. ${LOSS_MESSAGES[reason]} ${remedy}`, options)
    this.reason = reason
    this.remedy = remedy
  }
}

/** Messages that were passed to a connection but never left this machine. @public */
export interface Unsent {
  /**
   * How many messages were held back or were still in the send buffer. If the connection was lost, the true number
   * may be lower.
   */
  readonly messages: number
  /** Their total size in bytes. */
  readonly bytes: number
}

/** The response of a server that declined to open a socket. @public */
export interface UpgradeDenial {
  readonly status: number
  readonly headers: () => Headers
  /** The start of the body, at most 64 KiB. */
  readonly body: string
  /** How long the server asked the client to wait (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

interface SocketErrorDetails {
  readonly denial?: UpgradeDenial | undefined
  readonly closeCode?: number | undefined
  readonly reason?: string | undefined
  readonly unsent?: Unsent | undefined
}

/**
 * A server declined to open a socket (`socket-denied`), a socket ended (`socket-closed`), or the send or receive queue
 * of a socket overflowed (`socket-overflow`).
 *
 * @public
 */
export class SocketError extends ConcordError {
  static override readonly errorName: string = 'SocketError'

  /** The status of a declined upgrade, if the WebSocket implementation exposes it. */
  declare readonly status?: number
  /** How long the server asked the client to wait before the next try, in milliseconds. */
  declare readonly retryAfterMs?: number
  /** The close code (RFC 6455, section 7.4). 1006 if the connection was lost without a close code. */
  declare readonly closeCode?: number
  /** The messages that were not sent. */
  declare readonly unsent?: Unsent
  readonly #denial: UpgradeDenial | undefined
  readonly #reason: string

  constructor(
    code: 'socket-denied' | 'socket-closed' | 'socket-overflow',
    message: string,
    details: SocketErrorDetails = {},
    options: ConcordErrorOptions = {},
  ) {
    super(code, message, options)
    const { denial, closeCode, reason, unsent } = details
    this.#denial = denial
    this.#reason = reason ?? ''
    if (denial !== undefined) this.status = denial.status
    if (denial?.retryAfterMs !== undefined) this.retryAfterMs = denial.retryAfterMs
    if (closeCode !== undefined) this.closeCode = closeCode
    if (unsent !== undefined) this.unsent = unsent
  }

  /** The close reason that the server sent. Empty if the server sent none. */
  get reason(): string {
    return this.#reason
  }

  /** If the server declined an upgrade, the headers of its response; otherwise empty. Not logged with this error. */
  get headers(): Headers {
    return this.#denial?.headers() ?? new Headers()
  }

  /**
   * If the server declined an upgrade, the first 64 KiB of the response body; otherwise empty. Never included when
   * this error is logged.
   */
  get body(): string {
    return this.#denial?.body ?? ''
  }
}
