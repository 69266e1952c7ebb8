import { ConcordError, type ConcordErrorOptions } from './error-base.ts'
import type { RateMeaning } from './operation.ts'

/** Quota figures from response headers, under the names that the caller gave them in `quotaHeaders`. @public */
export type Quota = Readonly<Record<string, number>>

/** The answer that an {@link ApiError} or {@link UnexpectedContentError} speaks of. @public */
export interface ErrorAnswer<Body = unknown> {
  readonly status: number
  /** The decoded body, where it could be decoded; otherwise its text. */
  readonly body: Body
  /** The body as it came. */
  readonly text: string
  /** Built when first asked for. */
  readonly headers: () => Headers
  readonly requestId?: string | undefined
  readonly quota?: Quota | undefined
  /** How long the service asked to wait (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** How often the request was sent, this answer included. */
  readonly attempts?: number | undefined
}

/**
 * The service answered with an error status.
 *
 * `status` decides the class: 400 {@link BadRequestError}, 401 {@link AuthenticationError},
 * 403 {@link PermissionDeniedError}, 404 {@link NotFoundError}, 413 {@link PayloadTooLargeError},
 * 429 {@link RateLimitedError}, 500 and above {@link ServerError}; every other status this class itself.
 *
 * @public
 */
export class ApiError<Body = unknown> extends ConcordError {
  static override readonly errorName: string = 'ApiError'

  readonly status: number
  declare readonly requestId?: string
  declare readonly quota?: Quota
  /** How long the service asked to wait (`Retry-After`), in milliseconds; not there when it asked nothing. */
  declare readonly retryAfterMs?: number
  /** How often the request was sent. */
  readonly attempts: number
  readonly #answer: ErrorAnswer<Body>

  constructor(message: string, answer: ErrorAnswer<Body>, options: ConcordErrorOptions = {}) {
    super('http', message, options)
    this.#answer = answer
    this.status = answer.status
    this.attempts = answer.attempts ?? 1
    if (answer.requestId !== undefined) this.requestId = answer.requestId
    if (answer.quota !== undefined) this.quota = answer.quota
    if (answer.retryAfterMs !== undefined) this.retryAfterMs = answer.retryAfterMs
  }

  /** The decoded error body; its text where it is not what the contract says. Never part of a log of this error. */
  get body(): Body {
    return this.#answer.body
  }

  /** The error body as it came. Never part of a log of this error. */
  get text(): string {
    return this.#answer.text
  }

  /** The response headers. Never part of a log of this error. */
  get headers(): Headers {
    return this.#answer.headers()
  }
}

/** 400: the service refused the request as it is; sending it again changes nothing. @public */
export class BadRequestError<Body = unknown> extends ApiError<Body> {
  static override readonly errorName: string = 'BadRequestError'
}

/** 401: the credential is missing or was not accepted. @public */
export class AuthenticationError<Body = unknown> extends ApiError<Body> {
  static override readonly errorName: string = 'AuthenticationError'
}

/** 403: the credential was accepted, but does not allow this. @public */
export class PermissionDeniedError<Body = unknown> extends ApiError<Body> {
  static override readonly errorName: string = 'PermissionDeniedError'
}

/** 404: the service does not know what was asked for. @public */
export class NotFoundError<Body = unknown> extends ApiError<Body> {
  static override readonly errorName: string = 'NotFoundError'
}

/** 413: the body is larger than the service, or the plan, allows. @public */
export class PayloadTooLargeError<Body = unknown> extends ApiError<Body> {
  static override readonly errorName: string = 'PayloadTooLargeError'
}

/** 429: too much of something; `meaning` says of what, where the contract tells. @public */
export class RateLimitedError<Body = unknown> extends ApiError<Body> {
  static override readonly errorName: string = 'RateLimitedError'

  /** What this 429 means; not there when the contract does not tell the meanings apart. */
  declare readonly meaning?: RateMeaning
  /** Whether waiting alone can help. */
  readonly retryHelps: boolean

  constructor(
    message: string,
    answer: ErrorAnswer<Body>,
    rate: { readonly meaning?: RateMeaning | undefined; readonly retryHelps: boolean },
    options: ConcordErrorOptions = {},
  ) {
    super(message, answer, options)
    if (rate.meaning !== undefined) this.meaning = rate.meaning
    this.retryHelps = rate.retryHelps
  }
}

/** 500 and above: the service failed. @public */
export class ServerError<Body = unknown> extends ApiError<Body> {
  static override readonly errorName: string = 'ServerError'
}

/**
 * An answer came, but not in the form that the contract gives: another media type, broken or truncated JSON,
 * an empty body.
 *
 * @public
 */
export class UnexpectedContentError extends ConcordError {
  static override readonly errorName: string = 'UnexpectedContentError'

  readonly status: number
  /** The media type of the answer; empty when it had none. */
  readonly contentType: string
  /** The start of the body, redacted; empty where the contract marks something in this answer as secret. */
  readonly excerpt: string
  declare readonly requestId?: string
  readonly attempts: number
  readonly #answer: ErrorAnswer

  constructor(
    message: string,
    answer: ErrorAnswer,
    content: { readonly contentType: string; readonly excerpt: string },
    options: ConcordErrorOptions = {},
  ) {
    super('unexpected-content', message, options)
    this.#answer = answer
    this.status = answer.status
    this.contentType = content.contentType
    this.excerpt = content.excerpt
    this.attempts = answer.attempts ?? 1
    if (answer.requestId !== undefined) this.requestId = answer.requestId
  }

  /** The body as it came. Never part of a log of this error. */
  get text(): string {
    return this.#answer.text
  }

  /** The response headers. Never part of a log of this error. */
  get headers(): Headers {
    return this.#answer.headers()
  }
}
