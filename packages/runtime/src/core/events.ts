import type { Issue } from './errors.ts'

/**
 * The events that a client passes to an `observe` function. They contain no secrets: each path is the template in the
 * contract, and no header, body or parameter value is ever part of an event.
 *
 * @public
 */
export type ClientEvent =
  | RequestEvent
  | RetryEvent
  | WaitEvent
  | DriftEvent
  | PollEvent
  | RefreshEvent
  | SocketEvent

/** An attempt at a request ended. @public */
export interface RequestEvent {
  readonly type: 'request'
  /** The operationId, or `fetch` for a request that was sent with `authorizedFetch`. */
  readonly operation: string
  readonly method: string
  /** The path template, or `*` if `operation` is `fetch`. */
  readonly path: string
  /** The number of the attempt; 1 for the first. */
  readonly attempt: number
  readonly durationMs: number
  /** Absent if no response arrived. */
  readonly status?: number
  /** The code of the error that the attempt ended with, or `aborted`; absent if it ended without an error. */
  readonly failure?: string
  readonly requestId?: string
}

/** An attempt at a request, poll, download, refresh or connection failed and will be repeated. @public */
export interface RetryEvent {
  readonly type: 'retry'
  readonly operation: string
  /** The number of the attempt or poll that failed; 1 for the first. */
  readonly attempt: number
  readonly delayMs: number
  /** The status of the response, or the code of the error. */
  readonly cause: number | string
}

/** A request waits, because the client respects a rate limit of the service. @public */
export interface WaitEvent {
  readonly type: 'wait'
  /** A name for what is limited, such as `The token endpoints`. */
  readonly limit: string
  readonly delayMs: number
}

/** A response or a socket message doesn't quite match the contract. @public */
export interface DriftEvent extends DriftReport {
  readonly type: 'drift'
}

/** The places where a response or a socket message departs from the contract. @public */
export interface DriftReport {
  readonly operation: string
  readonly status: number
  readonly issues: readonly Issue[]
}

/** A poll has ended. If it failed and will be retried, a `retry` event follows. @public */
export interface PollEvent {
  readonly type: 'poll'
  readonly operation: string
  /** The number of the poll; 1 for the first. */
  readonly poll: number
  /** The last known state of the work; absent until a poll succeeds. */
  readonly state?: string
  /** The delay until the next poll, in milliseconds; absent after the last poll. */
  readonly nextPollInMs?: number
}

/** A credential was refreshed, or its refresh failed. @public */
export interface RefreshEvent {
  readonly type: 'refresh'
  /** `taken-over`: another process had already refreshed the credential. */
  readonly outcome: 'refreshed' | 'taken-over' | 'failed'
  /** The code of the error. */
  readonly failure?: string
}

/** Something happened to a socket. @public */
export interface SocketEvent {
  readonly type: 'socket'
  readonly channel: string
  /** `waiting`: the socket waits until `connectionLimit` allows another connection. */
  readonly state: 'waiting' | 'connecting' | 'open' | 'reconnecting' | 'reconnected' | 'closed'
  readonly closeCode?: number
  /** The code of the error that ended the connection; absent if the connection ended normally. */
  readonly failure?: string
}

/**
 * Receives the events of a client. The function is called synchronously, and errors that it throws are ignored.
 *
 * @public
 */
export type Observe = (event: ClientEvent) => void

interface WarningHost {
  emitWarning?: (message: string, options: { type: string; code: string }) => void
}

/** Emits a process warning, or writes to the console if the platform doesn't support process warnings. @public */
export function warn(message: string, code: string): void {
  const host = (globalThis as { process?: WarningHost }).process
  if (typeof host?.emitWarning === 'function') host.emitWarning(message, { type: 'ConcordWarning', code })
  else console.warn(`${code}: ${message}`)
}
