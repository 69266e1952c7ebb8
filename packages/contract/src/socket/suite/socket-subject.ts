import type { Credentials } from '../../oracle/security.ts'
import type { Drift } from '../../suite/subject.ts'

/** The input of a connection, made from the document. @public */
export interface SocketInput {
  readonly query: { readonly [name: string]: unknown }
}

/** Where a connection goes, with which secrets, and whose time it keeps. @public */
export interface SocketTarget {
  /** The address of the channel's own server, as `http://`. It has a path, to which the channel's is appended. */
  readonly baseUrl: string
  /** The address of each server of the document, by its host template. */
  readonly servers: { readonly [template: string]: string }
  /** The secrets to use, by the name of the security scheme. */
  readonly credentials: Credentials
  /** Moves only when the contract tests move it. */
  readonly clock: SubjectClock
  /** Whether a received message acknowledges the one that gates audio, for a flow that needs to know. */
  readonly acknowledges: (message: string, data: unknown) => boolean
  /** Whether to replace a lost connection. Default: no. */
  readonly reconnect?: boolean
}

/** A source of time, in the shape that a client of any maker can be given. @public */
export interface SubjectClock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds that never go back. */
  monotonic(): number
  setTimer(callback: () => void, delayMs: number): { cancel(): void }
}

/** The result of opening a connection. @public */
export type SocketOpening =
  | { readonly kind: 'open'; readonly session: SocketSession }
  | {
      readonly kind: 'error'
      /** The names of the error's class and of those above it, the most specific one first. */
      readonly errorNames: readonly string[]
      /** The status of a denied upgrade. */
      readonly status?: number
      readonly body?: string
      readonly message?: string
    }

/** An open connection of the client under test. @public */
export interface SocketSession {
  /**
   * Sends one message of the channel; a binary one is given as `Uint8Array`. Settles when it was handed over, or, for a
   * message that is answered, with the answer. Every error of the client is an outcome.
   */
  send(message: string, payload: unknown): Promise<SendOutcome>
  /** The next message, or the end. */
  receive(): Promise<SocketOutcome>
  close(): Promise<void>
}

/** The result of sending a message. @public */
export type SendOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'answered'; readonly message: string; readonly data: unknown }
  | { readonly kind: 'error'; readonly errorNames: readonly string[]; readonly message?: string }

/** What came in. @public */
export type SocketOutcome =
  | {
      readonly kind: 'message'
      /** The key of the message in the channel. */
      readonly message: string
      /** A JSON value, or the bytes of a binary message. */
      readonly data: unknown
      readonly drift: readonly Drift[]
    }
  | { readonly kind: 'closed'; readonly code?: number; readonly errorNames: readonly string[] }

/**
 * The sockets of a package for its contract test: the client under test, and the validators that are published
 * with it. Nothing in it says what has to be covered; that is listed from the document.
 *
 * @public
 */
export interface SocketSubject {
  /** The name that the report shows. */
  readonly service: string
  /** Opens one connection, and never a second one, unless `target.reconnect` says so and the first was lost. */
  open(channel: string, input: SocketInput, target: SocketTarget): Promise<SocketOpening>
  /** The verdict of the validator of the query of each channel that has one. */
  readonly queries: { readonly [channel: string]: (query: unknown) => boolean }
  /** The verdict of the validator of each JSON message, by channel and message. */
  readonly messages: {
    readonly [channel: string]: { readonly [message: string]: (payload: unknown) => boolean }
  }
}
