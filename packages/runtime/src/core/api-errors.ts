import { ConcordError, type ConcordErrorOptions } from './error-base.ts'

/** The response that an {@link ApiError} or {@link UnexpectedContentError} describes. @public */
export interface ErrorResponse<Body = unknown, HeaderValues = unknown> {
  readonly status: number
  /** The decoded body, or its text if it can't be decoded. */
  readonly body: Body
  /** The body as received. */
  readonly text: string
  /** Built on first use. */
  readonly headers: () => Headers
  /** Reads the documented headers. Default: none are documented. */
  readonly headerValues?: (() => HeaderValues) | undefined
  readonly requestId?: string | undefined
  readonly quota?: Readonly<Record<string, number>> | undefined
  /** How long the service asked to wait (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** How often the request was sent, including the attempt that got this response. */
  readonly attempts?: number | undefined
}

/**
 * The service responded with an error status.
 *
 * The class depends on `status`:
 *
 * - 400: {@link BadRequestError}
 * - 401: {@link AuthenticationError}
 * - 403: {@link PermissionDeniedError}
 * - 404: {@link NotFoundError}
 * - 413: {@link PayloadTooLargeError}
 * - 429: {@link RateLimitedError}
 * - 500 and above: {@link ServerError}
 * - any other status: this class itself
 *
 * @public
 */
export class ApiError<Body = unknown, HeaderValues = unknown> extends ConcordError {
  static override readonly errorName: string = 'ApiError'

  readonly status: number
  declare readonly requestId?: string
  declare readonly quota?: Readonly<Record<string, number>>
  /** How long the service asked to wait (`Retry-After`), in milliseconds; absent if the service sent no such header. */
  declare readonly retryAfterMs?: number
  /** How often the request was sent. */
  readonly attempts: number
  readonly #response: ErrorResponse<Body, HeaderValues>

  constructor(
    message: string,
    response: ErrorResponse<Body, HeaderValues>,
    options: ConcordErrorOptions = {},
  ) {
    super('http', message, options)
    this.#response = response
    this.status = response.status
    this.attempts = response.attempts ?? 1
    if (response.requestId !== undefined) this.requestId = response.requestId
    if (response.quota !== undefined) this.quota = response.quota
    if (response.retryAfterMs !== undefined) this.retryAfterMs = response.retryAfterMs
  }

  /** The decoded error body, or its text if it doesn't match the contract. Never part of a log of this error. */
  get body(): Body {
    return this.#response.body
  }

  /** The error body as received. Never part of a log of this error. */
  get text(): string {
    return this.#response.text
  }

  /** The response headers. Never part of a log of this error. */
  get headers(): Headers {
    return this.#response.headers()
  }

  /**
   * The documented headers of the response by their names in the contract, read by their schemas: numbers, booleans, arrays.
   * A value that can't be read like that stays a string, and was reported as drift. `isErrorOf` finds their types.
   * Never part of a log of this error.
   */
  get headerValues(): HeaderValues {
    return this.#response.headerValues?.() ?? ({} as HeaderValues)
  }
}

/** 400: the service can't accept this request; sending it again won't help. @public */
export class BadRequestError<Body = unknown, HeaderValues = unknown> extends ApiError<Body, HeaderValues> {
  static override readonly errorName: string = 'BadRequestError'
}

/** 401: the credential is missing or was not accepted. @public */
export class AuthenticationError<Body = unknown, HeaderValues = unknown> extends ApiError<
  Body,
  HeaderValues
> {
  static override readonly errorName: string = 'AuthenticationError'
}

/** 403: the credential was accepted, but it doesn't allow this operation. @public */
export class PermissionDeniedError<Body = unknown, HeaderValues = unknown> extends ApiError<
  Body,
  HeaderValues
> {
  static override readonly errorName: string = 'PermissionDeniedError'
}

/** 404: the service has nothing under this id or address. @public */
export class NotFoundError<Body = unknown, HeaderValues = unknown> extends ApiError<Body, HeaderValues> {
  static override readonly errorName: string = 'NotFoundError'
}

/** 413: the body is larger than the service, or the plan, allows. @public */
export class PayloadTooLargeError<Body = unknown, HeaderValues = unknown> extends ApiError<
  Body,
  HeaderValues
> {
  static override readonly errorName: string = 'PayloadTooLargeError'
}

/** 429: a limit was exceeded. `meaning` says which, if the contract distinguishes them. @public */
export class RateLimitedError<Body = unknown, HeaderValues = unknown> extends ApiError<Body, HeaderValues> {
  static override readonly errorName: string = 'RateLimitedError'

  /** Which limit this 429 is about, as the contract names it in `x-rate-meaning`; absent if the contract doesn't say. */
  declare readonly meaning?: string
  /** Whether waiting alone can help. */
  readonly retryHelps: boolean

  constructor(
    message: string,
    response: ErrorResponse<Body, HeaderValues>,
    rate: { readonly meaning?: string | undefined; readonly retryHelps: boolean },
    options: ConcordErrorOptions = {},
  ) {
    super(message, response, options)
    if (rate.meaning !== undefined) this.meaning = rate.meaning
    this.retryHelps = rate.retryHelps
  }
}

/** 500 and above: the service failed. @public */
export class ServerError<Body = unknown, HeaderValues = unknown> extends ApiError<Body, HeaderValues> {
  static override readonly errorName: string = 'ServerError'
}

/**
 * The service sent a response that can't be read the way the contract describes: it has another media type, its JSON is
 * broken or truncated, or its body is empty.
 *
 * @public
 */
export class UnexpectedContentError extends ConcordError {
  static override readonly errorName: string = 'UnexpectedContentError'

  readonly status: number
  /** The media type of the response; empty if it has none. */
  readonly contentType: string
  /** The start of the body, redacted; empty if the contract marks anything in this response as secret. */
  readonly excerpt: string
  declare readonly requestId?: string
  readonly attempts: number
  readonly #response: ErrorResponse

  constructor(
    message: string,
    response: ErrorResponse,
    content: { readonly contentType: string; readonly excerpt: string },
    options: ConcordErrorOptions = {},
  ) {
    super('unexpected-content', message, options)
    this.#response = response
    this.status = response.status
    this.contentType = content.contentType
    this.excerpt = content.excerpt
    this.attempts = response.attempts ?? 1
    if (response.requestId !== undefined) this.requestId = response.requestId
  }

  /** The body as received. Never part of a log of this error. */
  get text(): string {
    return this.#response.text
  }

  /** The response headers. Never part of a log of this error. */
  get headers(): Headers {
    return this.#response.headers()
  }
}
