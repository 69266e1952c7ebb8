import type { Mismatch } from './errors.ts'
import type { Reply } from './reply.ts'
import type { Body, BodyTooLarge } from './request-body.ts'
import type { SocketService } from './socket-service.ts'
import type { Operation, Specification } from './specification.ts'

/** A request for an operation, as its handler sees it. `Caller` is the type of the account that the credential identifies. */
export interface Call<Caller> {
  readonly operation: Operation
  /** The address of the operation as the emulator was reached, with its path and without a slash at the end. */
  readonly baseUrl: string
  /** Every address of the service as it was reached, by name. */
  readonly addresses: Readonly<Record<string, string>>
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly headers: Headers
  readonly body: Body
  /** Who sent the request, as far as the connection shows: an IP address, or `127.0.0.1` in process. */
  readonly remoteAddress: string
  /** Absent on public operations. */
  readonly caller?: Caller
}

/** Who sent a request, before its credential is looked at. @public */
export interface Sender {
  readonly remoteAddress: string
  readonly headers: Headers
}

/** Answers the calls of one operation. */
export interface Handler<Caller> {
  /**
   * Returns the documented error that comes before the contract's general one. It may be called with
   * a request that the contract rejects.
   */
  check?(call: Call<Caller>): Reply | undefined
  /** Answers a request that the contract accepts. */
  handle(call: Call<Caller>): Reply | Promise<Reply>
}

/** A page or file for people, at an address that the contract does not describe. */
export interface Page {
  /** Its name in faults, for instance `page:preview`. */
  readonly name: string
  /** `*` stands for any. The body of an answer to HEAD is left out by itself, and its length announced. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | '*'
  /** How large the body may be, in bytes; by default 64 KiB. */
  readonly bodyLimitBytes?: number
  /** Whether the body is taken as bytes, whatever its content type says. */
  readonly takesBytes?: boolean
  /** The address that the path belongs to; by default the service's first. */
  readonly address?: string
  /** A template; `{name+}` at its end stands for one segment or more. */
  readonly path: string
  handle(call: PageCall): Reply | Promise<Reply>
}

/** A request for a page. */
export interface PageCall {
  readonly method: string
  /** As it was sent, with the path of the address. */
  readonly path: string
  readonly headers: Headers
  readonly baseUrl: string
  readonly addresses: Readonly<Record<string, string>>
  readonly remoteAddress: string
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The request's form; empty without one. */
  readonly form: URLSearchParams
  /** The request's body. */
  readonly body: Body | BodyTooLarge
}

/** The errors that the core detects; each service chooses the status and message. */
export type CoreDenial<Caller> =
  | { kind: 'route-unknown' | 'method-unknown'; allowedMethods: readonly string[] }
  | ({ kind: 'key-missing' | 'key-invalid' } & Sender)
  | { kind: 'body-too-large'; operation: Operation; limitBytes: number; caller?: Caller }
  | { kind: 'request-rejected'; operation: Operation; mismatches: readonly Mismatch[] }
  | { kind: 'server-error' }

/** The choices that every service has: the form of responses that the documentation leaves open. @public */
export interface ResponseChoices<Success, Kind extends string, Facts> {
  /**
   * Not shown: the statuses of most successes, and the shape of most bodies. `status` and `body` are the emulator's own,
   * and `value` is what the body describes. Return what should differ, or `undefined`. `body: undefined` sends no body, and
   * neither does the status 204. The status may also be that of an error.
   */
  successResponse(
    success: Success & { status: number },
  ): SuccessResponse | undefined | Promise<SuccessResponse | undefined>
  /**
   * Not shown: the words and the shape of most errors, and whether `Retry-After` is sent (by default it isn't). Return
   * what should differ, or `undefined`. A `message` replaces the words in the emulator's own body, a `body` replaces the
   * whole body.
   */
  errorResponse(error: ErrorFacts<Kind, Facts>): ErrorResponse | undefined
}

/** How a success differs from the emulator's own. @public */
export interface SuccessResponse {
  status?: number
  readonly body?: unknown
}

/** An error that is about to be sent. @public */
export interface ErrorFacts<Kind extends string, Facts> {
  readonly kind: Kind
  status: number
  /** The emulator's own words. */
  readonly message: string
  /** The subject of the message. */
  readonly facts: Facts
}

/** How an error differs from the emulator's own. @public */
export interface ErrorResponse {
  readonly message?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The body of a request whose content type or shape the documentation leaves open. @public */
export interface OpenBody {
  readonly operation: string
  /** Without its parameters, in lower case; empty without a content type. */
  readonly contentType: string
  /** The value, if it is JSON. */
  readonly json?: unknown
  /** The parts, if it is a form that can be read. */
  readonly form?: FormData
  /** The bytes, if it is neither. */
  readonly bytes?: Uint8Array<ArrayBuffer>
}

/** One service: its contract, what answers it, and its own ways. */
export interface Service<Caller> {
  readonly name: string
  /** The form of successes; by default as the handlers return them. */
  readonly choices?: Pick<ResponseChoices<never, never, never>, 'successResponse'>
  /** Reads a body if the contract expects JSON; `undefined` leaves it as it is. */
  readBody?(body: OpenBody): unknown
  /** The caller of a protected operation without a valid credential; `undefined` if one is required. */
  publicCaller?(operation: string): Caller | undefined
  readonly specification: Specification
  /** By operationId; exactly the operations of the contract. */
  readonly handlers: Readonly<Record<string, Handler<Caller>>>
  pages: readonly Page[]
  /** The caller of a credential; undefined if it is not valid. */
  authenticate(value: string, scheme: string): Caller | undefined
  /** Rejects a call because of earlier ones, for instance for the rate limit. */
  admit(operation: Operation, caller: Caller | undefined, sender: Sender): Reply | undefined
  bodyLimitBytes(operation: Operation, caller: Caller | undefined): number
  deny(denial: CoreDenial<Caller>): Reply
  /** Headers of every response. */
  responseHeaders(caller: Caller | undefined): Readonly<Record<string, string>>
  /** Its WebSockets, if it has some. */
  readonly sockets?: SocketService<Caller>
  /** Whether a mismatch is one that an option allows. */
  tolerates(mismatch: Mismatch, operation: Operation): boolean
}
