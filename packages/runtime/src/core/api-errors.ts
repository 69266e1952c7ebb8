import type { Scrub } from './redact.ts'

/**
 * The values of {@link ConcordError.code}, which are stable across versions. Client packages don't add codes: their
 * error classes inherit the code of the class that they extend.
 *
 * @public
 */
export type ConcordErrorCode =
  | 'invalid-request'
  | 'invalid-options'
  | 'http'
  | 'unexpected-content'
  | 'contract-drift'
  | 'connection'
  | 'timeout'
  | 'deadline'
  | 'submission-uncertain'
  | 'operation-failed'
  | 'download'
  | 'authorization-denied'
  | 'authorization-expired'
  | 'authorization-failed'
  | 'session-lost'
  | 'socket-denied'
  | 'socket-closed'
  | 'socket-overflow'
  | 'database'

/** The options that the constructors of all Concord errors share. @public */
export interface ConcordErrorOptions {
  /** The operationId of the call that failed. */
  readonly operation?: string | undefined
  /**
   * The error that led to this error. If it isn't a `ConcordError`, only a few safe properties are kept, such as its
   * name, message, stack and code (see `safeCause`).
   */
  readonly cause?: unknown
}

const LINEAGE = Symbol.for('@concord/runtime/error-lineage')

/** The type of an error class on which {@link ConcordError.is} can be called. @public */
export interface ConcordErrorClass<Instance> {
  readonly prototype: Instance
  readonly errorName: string
}

/**
 * The base class of all errors that a Concord client creates. A call can also throw the reason of the caller's
 * aborted signal, or an error from one of the caller's own functions. The client doesn't change these errors.
 *
 * Enumerable properties contain no secrets. Bodies and headers are available as properties, but don't appear in the
 * stack or in the output of `inspect`, `JSON.stringify` or `String`.
 *
 * @public
 */
export abstract class ConcordError extends Error {
  /**
   * The name by which `is` recognizes this class. A subclass outside this package sets a name that begins with the
   * name of its service, as in `media.TaskFailedError`.
   */
  static readonly errorName: string = 'ConcordError'

  /** The kind of failure; stable across versions. */
  readonly code: ConcordErrorCode
  /** The operationId of the call that failed, if any. */
  declare readonly operation?: string

  protected constructor(code: ConcordErrorCode, message: string, options: ConcordErrorOptions = {}) {
    super(message)
    this.code = code
    if (options.operation !== undefined) this.operation = options.operation
    if (options.cause !== undefined) {
      const cause = safeCause(options.cause, undefined, (value) => ConcordError.is(value))
      Object.defineProperty(this, 'cause', { value: cause, writable: true, configurable: true })
    }
  }

  /**
   * Returns true if the value is an instance of this class or a subclass, even if another copy of the package created
   * it.
   */
  static is<Instance>(this: ConcordErrorClass<Instance>, value: unknown): value is Instance {
    if (typeof value !== 'object' || value === null) return false
    // Without this check, a subclass without its own `errorName` would match all instances of its parent class.
    if (!Object.hasOwn(this, 'errorName')) return value instanceof (this as unknown as typeof Error)
    const lineage: unknown = (value as Record<symbol, unknown>)[LINEAGE]
    return Array.isArray(lineage) && lineage.includes(this.errorName)
  }

  override get name(): string {
    return (this.constructor as typeof ConcordError).errorName
  }

  get [LINEAGE](): readonly string[] {
    const names: string[] = []
    let current: unknown = this.constructor
    while (typeof current === 'function' && current !== Function.prototype) {
      if (Object.hasOwn(current, 'errorName')) names.push((current as typeof ConcordError).errorName)
      current = Object.getPrototypeOf(current)
    }
    return names
  }

  /**
   * Returns an object that is safe to log. It contains the name, the message and the enumerable properties. If the
   * cause is a `ConcordError`, the object also contains the cause.
   */
  toJSON(): Record<string, unknown> {
    const json: Record<string, unknown> = { name: this.name, message: this.message }
    for (const [key, value] of Object.entries(this)) json[key] = value
    if (ConcordError.is(this.cause)) json['cause'] = (this.cause as ConcordError).toJSON()
    return json
  }
}

const KEPT_PROPERTIES = ['code', 'errno', 'syscall', 'address', 'port', 'hostname'] as const

/**
 * Returns a copy of another library's error that is safe to use as a `cause`. The copy has the name, message, stack and
 * cause of the error, and a few properties that contain only names and numbers, such as `code`. `scrub` removes secrets
 * from each string. If `keep` returns true for an error, this function returns that error unchanged.
 *
 * @public
 */
export function safeCause(
  cause: unknown,
  scrub: Scrub = (text) => text,
  keep: (cause: object) => boolean = () => false,
  depth = 0,
): unknown {
  if (cause === undefined || cause === null) return cause
  if (typeof cause !== 'object') return typeof cause === 'string' ? scrub(cause) : `[${typeof cause}]`
  if (keep(cause)) return cause
  if (!(cause instanceof Error)) return `[${Object.prototype.toString.call(cause).slice(8, -1)}]`
  const copy = new Error(scrub(String(cause.message)))
  define(copy, 'name', scrub(String(cause.name)))
  define(copy, 'stack', scrub(String(cause.stack ?? '')))
  const source = cause as unknown as Record<string, unknown>
  for (const property of KEPT_PROPERTIES) {
    const value = source[property]
    if (typeof value === 'number') define(copy, property, value, true)
    if (typeof value === 'string') define(copy, property, scrub(value), true)
  }
  if (depth < 4 && cause.cause !== undefined) {
    define(copy, 'cause', safeCause(cause.cause, scrub, keep, depth + 1))
  }
  return copy
}

function define(target: Error, name: string, value: unknown, enumerable = false): void {
  Object.defineProperty(target, name, { value, enumerable, writable: true, configurable: true })
}

/** The response that an {@link ApiError} or {@link UnexpectedContentError} describes. @public */
export interface ErrorResponse<Body = unknown, HeaderValues = unknown> {
  readonly status: number
  /** The decoded body. If the body can't be decoded, this is the same string as `text`. */
  readonly body: Body
  /** The body as received. */
  readonly text: string
  /** Returns all headers. */
  readonly headers: () => Headers
  /** Returns the converted values of the headers that the contract documents. */
  readonly headerValues?: (() => HeaderValues) | undefined
  readonly requestId?: string | undefined
  readonly quota?: Readonly<Record<string, number>> | undefined
  /** How long the service asked the client to wait (`Retry-After`), in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** The number of times the request was sent, including the attempt that got this response. */
  readonly attempts?: number | undefined
}

/**
 * The service responded with an error status or a redirect.
 *
 * The class of the error depends on `status`, unless the client package creates a more specific error:
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
 * For a download, only {@link ServerError} and this class itself are used.
 *
 * @public
 */
export class ApiError<Body = unknown, HeaderValues = unknown> extends ConcordError {
  static override readonly errorName: string = 'ApiError'

  readonly status: number
  declare readonly requestId?: string
  declare readonly quota?: Readonly<Record<string, number>>
  /**
   * How long the service asked the client to wait, in milliseconds. Absent if the response has no valid `Retry-After`
   * header.
   */
  declare readonly retryAfterMs?: number
  /** The number of times the request was sent. */
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

  /**
   * The decoded error body. If the body can't be decoded, this is the same string as `text`. Not shown when this
   * error is logged.
   */
  get body(): Body {
    return this.#response.body
  }

  /** The error body as received. Not shown when this error is logged. */
  get text(): string {
    return this.#response.text
  }

  /** The response headers. Not shown when this error is logged. */
  get headers(): Headers {
    return this.#response.headers()
  }

  /**
   * The documented response headers, keyed by their names in the contract. Each value is converted to the type in its
   * schema, such as a number, a boolean or an array. A value that can't be converted stays a string. If validation is
   * on, the client reports this value as drift.
   *
   * After `isErrorOf` has returned true, TypeScript knows the documented types of the values. The headers
   * aren't shown when this error is logged.
   */
  get headerValues(): HeaderValues {
    return this.#response.headerValues?.() ?? ({} as HeaderValues)
  }
}

/** 400: the service can't accept this request, and sending it again won't help. @public */
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

/** 404: the service found nothing with this id or at this URL. @public */
export class NotFoundError<Body = unknown, HeaderValues = unknown> extends ApiError<Body, HeaderValues> {
  static override readonly errorName: string = 'NotFoundError'
}

/** 413: the request body exceeds a size limit of the service or of the customer's plan. @public */
export class PayloadTooLargeError<Body = unknown, HeaderValues = unknown> extends ApiError<
  Body,
  HeaderValues
> {
  static override readonly errorName: string = 'PayloadTooLargeError'
}

/** 429: a limit was exceeded. `meaning` names the limit, if known. @public */
export class RateLimitedError<Body = unknown, HeaderValues = unknown> extends ApiError<Body, HeaderValues> {
  static override readonly errorName: string = 'RateLimitedError'

  /**
   * The name of the exceeded limit, usually from `x-rate-meaning` in the contract. Absent if the contract names no
   * limit, or if the response doesn't show which of several limits was exceeded.
   */
  declare readonly meaning?: string
  /** Whether the same request can succeed after a wait. */
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
 * The client can't read a response in the way that the contract describes. For example, the response has an
 * unexpected media type, its JSON is broken or truncated, or its body is empty or too large.
 *
 * @public
 */
export class UnexpectedContentError extends ConcordError {
  static override readonly errorName: string = 'UnexpectedContentError'

  readonly status: number
  /** The media type of the response. Empty if the response has none. */
  readonly contentType: string
  /**
   * The start of the body, with secrets redacted. Empty if the body isn't available, or if the contract marks any value
   * of this operation as secret.
   */
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

  /** The body as received. Not shown when this error is logged. */
  get text(): string {
    return this.#response.text
  }

  /** The response headers. Not shown when this error is logged. */
  get headers(): Headers {
    return this.#response.headers()
  }
}
