import { EmulatorError, type Mismatch } from './errors.ts'
import { isObject, type JsonObject } from './json.ts'
import type { Reply } from './reply.ts'
import type { Body, BodyTooLarge } from './request-body.ts'
import type { SocketService } from './socket-service.ts'
import type { Operation, Specification } from './specification.ts'

/**
 * A request for an operation, as its handler sees it. `Caller` is the type of the account that the credential identifies.
 */
export interface Call<Caller> {
  readonly operation: Operation
  /** The operation's base URL, with the origin that the caller used, and without a trailing slash. */
  readonly baseUrl: string
  /** All base URLs of the service by name, with the origin that the caller used. */
  readonly baseUrls: Readonly<Record<string, string>>
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Headers
  readonly body: Body
  /** The IP address of the connection; `127.0.0.1` in process. */
  readonly remoteAddress: string
  /** Absent on public operations. */
  readonly caller?: Caller
}

/** Returns the caller of a protected operation. */
export function callerOf<Caller>({ caller, operation }: Call<Caller>): Caller {
  if (caller === undefined)
    throw new EmulatorError('handler-failed', `${operation.operationId} was called without a credential.`)
  return caller
}

/** Returns the JSON object in the body of a call, or an empty object. */
export function jsonOf<T = JsonObject>({ body }: Pick<Call<never>, 'body'>): T {
  return (body.kind === 'json' && isObject(body.value) ? body.value : {}) as T
}

/** The sender of a request, without its credential. @public */
export interface Sender {
  readonly remoteAddress: string
  readonly headers: Headers
}

export interface Handler<Caller> {
  /**
   * Returns a documented error that takes precedence over the general error for an invalid request. It is also called for
   * requests that the contract rejects.
   */
  check?(call: Call<Caller>): Reply | undefined
  handle(call: Call<Caller>): Reply | Promise<Reply>
}

/** A page or file whose path isn't in the contract. */
export interface Page {
  /** The page's name in faults, for instance `page:preview`. */
  readonly name: string
  /** `*` means any method. For HEAD, the body is dropped automatically and `content-length` kept. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | '*'
  /** The largest request body, in bytes; by default 64 KiB. */
  readonly bodyLimitBytes?: number
  /** Whether the request body is read as bytes, regardless of its content type. */
  readonly takesBytes?: boolean
  /** The name of the base URL; by default the service's first base URL. */
  readonly baseUrlName?: string
  /** A path template. `{name+}` at its end matches one or more segments. */
  readonly path: string
  handle(call: PageCall): Reply | Promise<Reply>
}

export interface PageCall extends Omit<Call<never>, 'operation' | 'caller' | 'body'> {
  readonly method: string
  /** The path as it was sent, including the base URL's prefix. */
  readonly path: string
  /** The request's form, which may be empty. */
  readonly form: URLSearchParams
  readonly body: Body | BodyTooLarge
}

/** The errors that the core detects. Each service decides on the status and the message. */
export type CoreDenial<Caller> =
  | { kind: 'route-unknown' | 'method-unknown'; allowedMethods: readonly string[] }
  | ({ kind: 'key-missing' | 'key-invalid' } & Sender)
  | { kind: 'body-too-large'; operation: Operation; limitBytes: number; caller?: Caller }
  | { kind: 'request-rejected'; operation: Operation; mismatches: readonly Mismatch[] }
  | { kind: 'server-error' }

/** The choices that every service has: the parts of responses that the documentation leaves open. @public */
export interface ResponseChoices<Success, Kind extends string, Facts> {
  /**
   * Undocumented: the statuses of most successes, and the shapes of most bodies. The function gets the emulator's own
   * `status` and `body`, and as `value` the object that the body represents. It returns the members that should differ, or
   * `undefined`. The response has no body if the returned `body` is `undefined` or the returned `status` is 204. The returned
   * status may also be that of an error.
   */
  successResponse(
    success: Success & { status: number },
  ): SuccessResponse | undefined | Promise<SuccessResponse | undefined>
  /**
   * Undocumented: the messages and shapes of most errors, and whether `Retry-After` is sent (by default it isn't). The
   * function returns the members that should differ, or `undefined`. `message` replaces the message in the emulator's own
   * body, `body` replaces the whole body, and `headers` are added.
   */
  errorResponse(error: ErrorFacts<Kind, Facts>): ErrorResponse | undefined
}

/** How a success should differ from the emulator's own. @public */
export interface SuccessResponse {
  status?: number
  readonly body?: unknown
}

/** An error that is about to be sent. @public */
export interface ErrorFacts<Kind extends string, Facts> {
  readonly kind: Kind
  status: number
  /** The emulator's own message. */
  readonly message: string
  /** The facts that the message is based on. */
  readonly facts: Facts
}

/** How an error should differ from the emulator's own. @public */
export interface ErrorResponse {
  readonly message?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A request body whose content type or shape the documentation leaves open. @public */
export interface OpenBody {
  readonly operation: string
  /** The media type without parameters, in lower case; the empty string without a content type. */
  readonly contentType: string
  /** The value, if the body is JSON. */
  readonly json?: unknown
  /** The parts, if the body is a readable form. */
  readonly form?: FormData
  /** The bytes, if the body is neither JSON nor a form. */
  readonly bytes?: Uint8Array<ArrayBuffer>
}

/** A service: its contract, its handlers, and everything that differs between services. */
export interface Service<Caller> {
  readonly name: string
  /** The choices that change successes. Without them, successes are sent as the handlers return them. */
  readonly choices?: Pick<ResponseChoices<never, never, never>, 'successResponse'>
  /** Converts a body to JSON if the contract expects JSON. `undefined` leaves the body as it is. */
  readBody?(body: OpenBody): unknown
  /**
   * Returns the caller of a protected operation for a request without a valid credential, or `undefined` if the operation
   * requires a credential.
   */
  publicCaller?(operation: string): Caller | undefined
  readonly specification: Specification
  /** The handlers of all operations of the contract, by operationId. */
  readonly handlers: Readonly<Record<string, Handler<Caller>>>
  pages: readonly Page[]
  /** Returns the caller that a credential identifies, or undefined if it isn't valid. */
  authenticate(value: string, scheme: string): Caller | undefined
  /** Denies a call because of earlier calls, for instance because of the rate limit. */
  admit?(operation: Operation, caller: Caller | undefined, sender: Sender): Reply | undefined
  bodyLimitBytes(operation: Operation, caller: Caller | undefined): number
  deny(denial: CoreDenial<Caller>): Reply
  /** Returns the headers that every response has; by default none. */
  responseHeaders?(caller: Caller | undefined): Readonly<Record<string, string>>
  readonly sockets?: SocketService<Caller>
  /** Whether an option or a choice allows a mismatch; by default no mismatch is allowed. */
  tolerates?(mismatch: Mismatch, operation: Operation): boolean
}
