import { ConcordError, type ConcordErrorOptions } from './error-base.ts'

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
