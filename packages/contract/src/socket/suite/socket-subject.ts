import type { Credentials } from '../../oracle/security.ts'
import type { Drift } from '../../suite/subject.ts'

/** The input of a connection. The suite creates it from the AsyncAPI document. @public */
export interface SocketInput {
  readonly query: { readonly [name: string]: unknown }
  /** Present if the path of the channel has parameters. */
  readonly parameters?: { readonly [name: string]: string }
}

/** The destination of a connection, and the credentials and the clock to use. @public */
export interface SocketTarget {
  /**
   * The `http://` URL of the channel's own server. The client must append the channel's path to this URL's path.
   */
  readonly baseUrl: string
  /** The URLs that replace the document's servers. Each key is a server's `host` followed by its `pathname`. */
  readonly servers: { readonly [template: string]: string }
  /** The secrets to use, by the name of the security scheme. */
  readonly credentials: Credentials
  /** The clock that the client must use. Only the contract tests advance it. */
  readonly clock: SubjectClock
  /**
   * Returns whether a received message acknowledges the gate's message (the message that the client must send first).
   * If your client doesn't need this function, ignore it.
   */
  readonly acknowledges: (message: string, data: unknown) => boolean
  /** Whether the client should replace a lost connection. Default: false. */
  readonly reconnect?: boolean
}

/** A source of time and timers. @public */
export interface SubjectClock {
  /** Milliseconds since the Unix epoch. */
  now(): number
  /** Milliseconds from a clock that never goes backward. */
  monotonic(): number
  setTimer(callback: () => void, delayMs: number): { cancel(): void }
}

/** The result of opening a connection. @public */
export type SocketOpening =
  | { readonly kind: 'open'; readonly session: SocketSession }
  | {
      readonly kind: 'error'
      /** The names of the error's class and its superclasses, most specific first. */
      readonly errorNames: readonly string[]
      /** The status of a denied upgrade. */
      readonly status?: number
      readonly body?: string
      readonly message?: string
    }

/** An open connection of the client under test. @public */
export interface SocketSession {
  /**
   * Sends a message of the channel. The payload of a binary message is a `Uint8Array`. Settles when the message has
   * been sent or, for a message with a reply, when the reply has arrived. Must not reject: return the client's errors
   * as outcomes.
   */
  send(message: string, payload: unknown): Promise<SendOutcome>
  /** Returns the next message, or the end of the connection. */
  receive(): Promise<SocketOutcome>
  close(): Promise<void>
}

/** The result of sending a message. @public */
export type SendOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'replied'; readonly message: string; readonly data: unknown }
  | { readonly kind: 'error'; readonly errorNames: readonly string[]; readonly message?: string }

/** A received message, or the end of the connection. @public */
export type SocketOutcome =
  | {
      readonly kind: 'message'
      /** The key of the message in the channel, or `unknown` if the data matches no message of the channel. */
      readonly message: string
      /** A JSON value, or the bytes of a binary message. */
      readonly data: unknown
      readonly drift: readonly Drift[]
    }
  | { readonly kind: 'closed'; readonly code?: number; readonly errorNames: readonly string[] }

/**
 * An adapter through which the suite uses your WebSocket client and its validators. The list of things to cover comes
 * from the AsyncAPI document, not from the adapter.
 *
 * @public
 */
export interface SocketSubject {
  /** The name that the report shows. */
  readonly service: string
  /** Opens exactly one connection. The client may replace a lost connection only if `target.reconnect` is set. */
  open(channel: string, input: SocketInput, target: SocketTarget): Promise<SocketOpening>
  /** Validators of the queries, by channel. They return whether a query is valid. Omit channels without a query. */
  readonly queries: { readonly [channel: string]: (query: unknown) => boolean }
  /**
   * For each channel, the groups of messages that the client can't distinguish. Each group has the name that the
   * client returns for these messages, and lists the messages' keys in the document. The validators of these messages
   * must agree on every payload. Default: no groups.
   */
  readonly unions?: {
    readonly [channel: string]: { readonly [name: string]: readonly string[] }
  }
  /** Validators of the JSON messages, by channel and message key. They return whether a payload is valid. */
  readonly messages: {
    readonly [channel: string]: { readonly [message: string]: (payload: unknown) => boolean }
  }
}
