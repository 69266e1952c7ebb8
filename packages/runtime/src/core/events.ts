import type { Issue } from './errors.ts'

/**
 * What a client tells an `observe` function. Nothing in an event is secret: paths are the templates of the
 * contract, and no header, body or parameter value is ever part of one.
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

/** One attempt is over. @public */
export interface RequestEvent {
  readonly type: 'request'
  /** Its id in the contract; `fetch` for a request of the caller's own that went with a credential of the client. */
  readonly operation: string
  readonly method: string
  /** The path template; `*` for a request of the caller's own. */
  readonly path: string
  /** 1 for the first. */
  readonly attempt: number
  readonly durationMs: number
  /** Not there when no answer came. */
  readonly status?: number
  /** The code of the error, or `aborted`; not there when an answer came. */
  readonly failure?: string
  readonly requestId?: string
}

/** An attempt failed and will be repeated: a request, a poll, a download, a refresh, a connection. @public */
export interface RetryEvent {
  readonly type: 'retry'
  readonly operation: string
  /** The attempt, or the poll, that failed; 1 for the first. */
  readonly attempt: number
  readonly delayMs: number
  /** A status, or the code of the error. */
  readonly cause: number | string
}

/** A request waits for its turn, because the client keeps to a rate of the service. @public */
export interface WaitEvent {
  readonly type: 'wait'
  /** What is limited, such as `The token endpoints`. */
  readonly limit: string
  readonly delayMs: number
}

/** An answer is not quite what the contract says. @public */
export interface DriftEvent extends DriftReport {
  readonly type: 'drift'
}

/** Where an answer departs from the contract. @public */
export interface DriftReport {
  readonly operation: string
  readonly status: number
  readonly issues: readonly Issue[]
}

/** A poll has ended. If it failed and will be repeated, a `retry` event follows. @public */
export interface PollEvent {
  readonly type: 'poll'
  readonly operation: string
  /** 1 for the first. */
  readonly poll: number
  /** The last status that was seen; absent if there is none yet. */
  readonly state?: string
  /** Absent if there is no further poll. */
  readonly nextPollInMs?: number
}

/** A credential was renewed, or was not. @public */
export interface RefreshEvent {
  readonly type: 'refresh'
  readonly outcome: 'refreshed' | 'taken-over' | 'failed'
  /** The code of the error. */
  readonly failure?: string
}

/** Something happened to a socket. @public */
export interface SocketEvent {
  readonly type: 'socket'
  readonly channel: string
  /** `waiting`: for a share of the limit of open connections. */
  readonly state: 'waiting' | 'connecting' | 'open' | 'reconnecting' | 'reconnected' | 'closed'
  readonly closeCode?: number
  /** The code of the error that it ended with; not there when it ended as it should. */
  readonly failure?: string
}

/** Receives the events of a client. It is called synchronously; what it throws is ignored. @public */
export type Observe = (event: ClientEvent) => void

interface WarningHost {
  emitWarning?: (message: string, options: { type: string; code: string }) => void
}

/** Emits a process warning where the host has those, and writes to the console elsewhere. @public */
export function warn(message: string, code: string): void {
  const host = (globalThis as { process?: WarningHost }).process
  if (typeof host?.emitWarning === 'function') host.emitWarning(message, { type: 'ConcordWarning', code })
  else console.warn(`${code}: ${message}`)
}
