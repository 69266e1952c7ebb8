import { EmulatorError, type Mismatch } from './errors.ts'
import { isObject, type JsonObject } from './json.ts'
import type { Reply } from './reply.ts'
import type { Body, BodyTooLarge } from './request-body.ts'
import type { SocketService } from './socket-service.ts'
import type { Operation, Specification } from './specification.ts'

/**
 * A request for an operation, as the operation's handler sees it. `Caller` is the type of the account that the
 * credential identifies.
 */
export interface Call<Caller> {
  readonly operation: Operation
  /** The operation's base URL, with the origin that the caller used and without a trailing slash. */
  readonly baseUrl: string
  /** All base URLs of the service, by name. Each has the origin that the caller used. */
  readonly baseUrls: Readonly<Record<string, string>>
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Headers
  readonly body: Body
  /** The caller's IP address; `127.0.0.1` for a caller in the same process. */
  readonly remoteAddress: string
  /** Absent only if the operation is public. */
  readonly caller?: Caller
}

/** Returns the caller of a protected operation. */
export function callerOf<Caller>({ caller, operation }: Call<Caller>): Caller {
  if (caller === undefined)
    throw new EmulatorError(
      'handler-failed',
      `The operation \`${operation.operationId}\` was called without a credential.`,
    )
  return caller
}

export function jsonOf<T = JsonObject>({ body }: Pick<Call<never>, 'body'>): T {
  return (body.kind === 'json' && isObject(body.value) ? body.value : {}) as T
}

/** The IP address that a request came from, and the request's headers. @public */
export interface Sender {
  readonly remoteAddress: string
  readonly headers: Headers
}

export interface Handler<Caller> {
  /**
   * Returns a documented error to send instead of handling the request. `check` is called even if the contract
   * rejects the request, because this error takes precedence over the general error for rejected requests.
   */
  check?(call: Call<Caller>): Reply | undefined
  handle(call: Call<Caller>): Reply | Promise<Reply>
}

/** A page or file whose path isn't in the contract. */
export interface Page {
  /** The name by which faults refer to the page, for instance `page:preview`. */
  readonly name: string
  /** `*` means any method. The response to HEAD is sent without its body, but with the body's `content-length`. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | '*'
  /** The maximum size of a request body, in bytes; by default, 64 KiB. */
  readonly bodyLimitBytes?: number
  /** Whether the request body is read as bytes, regardless of its content type. */
  readonly takesBytes?: boolean
  /** The name of the base URL that the path is appended to; by default, the service's first base URL. */
  readonly baseUrlName?: string
  /** A path template. `{name+}` at the end of the template matches one or more segments. */
  readonly path: string
  handle(call: PageCall): Reply | Promise<Reply>
}

export interface PageCall extends Omit<Call<never>, 'operation' | 'caller' | 'body'> {
  readonly method: string
  /** The path as it was sent, including the base URL's prefix. */
  readonly path: string
  /** The string fields of a form in the request body. Empty if the body isn't a form. */
  readonly form: URLSearchParams
  readonly body: Body | BodyTooLarge
}

/** An error that the emulator's core detects. The service chooses the status and the message of the response. */
export type CoreDenial<Caller> =
  | { kind: 'route-unknown' | 'method-unknown'; allowedMethods: readonly string[] }
  | ({ kind: 'key-missing' | 'key-invalid' } & Sender)
  | { kind: 'body-too-large'; operation: Operation; limitBytes: number; caller?: Caller }
  | { kind: 'request-rejected'; operation: Operation; mismatches: readonly Mismatch[] }
  | { kind: 'server-error' }

/** Choices that all services have in common. They decide what the documentation leaves open about responses. @public */
export interface ResponseChoices<Success, Kind extends string, Facts> {
  /**
   * Undocumented: the statuses of most successful responses, and the shapes of most of their bodies. The function
   * gets the `status` and `body` that the emulator would send, and `value`: the emulator's own object from which
   * `body` was made. It returns a new `status` or `body` (or both), or `undefined` to change nothing. To send no
   * body, return `{ body: undefined }` or the status 204. The returned `status` can also be an error status.
   */
  successResponse(
    success: Success & { status: number },
  ): SuccessResponse | undefined | Promise<SuccessResponse | undefined>
  /**
   * Undocumented: the messages and shapes of most errors, and whether `Retry-After` is sent (by default, it isn't).
   * The function returns changes to the response, or `undefined` to change nothing. `message` replaces the message in
   * the emulator's own body, `body` replaces the whole body, and `headers` are added to the emulator's own headers.
   */
  errorResponse(error: ErrorFacts<Kind, Facts>): ErrorResponse | undefined
}

/** Changes to the response that the emulator would send for a success. @public */
export interface SuccessResponse {
  status?: number
  readonly body?: unknown
}

/** An error that the emulator is about to send. @public */
export interface ErrorFacts<Kind extends string, Facts> {
  readonly kind: Kind
  status: number
  /** The emulator's own message. */
  readonly message: string
  /** The facts that the message is based on. */
  readonly facts: Facts
}

/** The changes to make to the emulator's own response for an error. @public */
export interface ErrorResponse {
  readonly message?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A request body with an undocumented content type or shape. @public */
export interface OpenBody {
  readonly operation: string
  /** The media type without parameters, in lower case; the empty string if the request has no content type. */
  readonly contentType: string
  /** The parsed value, if the body is JSON. */
  readonly json?: unknown
  /** The parsed form, if the body is a form that can be parsed. */
  readonly form?: FormData
  /** The bytes, if the body is neither JSON nor a form. */
  readonly bytes?: Uint8Array<ArrayBuffer>
}

export interface Service<Caller> {
  readonly name: string
  /** If absent, the emulator sends what the handler returns. */
  readonly choices?: Pick<ResponseChoices<never, never, never>, 'successResponse'>
  /** Converts the body to JSON, or returns `undefined` to keep the body. Called only if the contract expects JSON. */
  readBody?(body: OpenBody): unknown
  /**
   * Returns the caller to assume for a request without a valid credential. If it returns `undefined`, the
   * core denies the request, unless the operation or channel is public.
   */
  publicCaller?(operation: string): Caller | undefined
  readonly specification: Specification
  /** The handlers of all operations of the contract, by operationId. */
  readonly handlers: Readonly<Record<string, Handler<Caller>>>
  pages: readonly Page[]
  /** Returns the caller that a credential identifies, or undefined if the credential isn't valid. */
  authenticate(value: string, scheme: string): Caller | undefined
  /** Returns an error if the service denies the call, for instance because the call exceeds the rate limit. */
  admit?(operation: Operation, caller: Caller | undefined, sender: Sender): Reply | undefined
  bodyLimitBytes(operation: Operation, caller: Caller | undefined): number
  deny(denial: CoreDenial<Caller>): Reply
  /** Returns the headers to set on every response; by default, none. */
  responseHeaders?(caller: Caller | undefined): Readonly<Record<string, string>>
  readonly sockets?: SocketService<Caller>
  /** Whether an option or a choice allows a mismatch. By default, no mismatch is allowed. */
  tolerates?(mismatch: Mismatch, operation: Operation): boolean
}
