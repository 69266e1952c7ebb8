import type { CheckDescriptor } from './schema.ts'

/**
 * All that the runtime has to know of one WebSocket channel, as plain data generated from the contract.
 *
 * `Query` is the query of the handshake. `Sends` and `Receives` map the message keys of the contract to their
 * payloads, seen from the client: a JSON message to its value, a binary one to `Uint8Array`. The three exist for the
 * compiler only.
 *
 * @public
 */
export interface ChannelDescriptor<Query = unknown, Sends = unknown, Receives = unknown> {
  /** The key of the channel in the contract. */
  readonly id: string
  /** The path as the contract has it: `/v1/listen`. */
  readonly address: string
  /** Which of the client's base addresses it is opened on. */
  readonly server: string
  /** The names of the security schemes, of which one is used at the handshake; empty for a public channel. */
  readonly security: readonly string[]
  /** Whether it may be opened without a credential. A client that has one sends it. Default: false. */
  readonly securityOptional?: boolean
  /** The documented query parameters of the handshake. */
  readonly query: readonly ChannelParameterDescriptor[]
  /** Checks the whole query, before anything is opened. */
  readonly queryCheck?: CheckDescriptor
  /** What the client sends, by message key. */
  readonly sends: { readonly [message: string]: MessageDescriptor }
  /** What the server sends, by message key, in the order in which they are tried. */
  readonly receives: { readonly [message: string]: MessageDescriptor }
  /** Sent messages that the contract says are answered, and by which; the one that means success comes first. */
  readonly replies: { readonly [sent: string]: readonly string[] }
  readonly rules: SocketRules
  /** Names of properties and parameters whose values are never shown; `*` where a whole body is not. */
  readonly secrets: readonly string[]
  /** For the compiler only; never set. */
  readonly types?: { readonly query: Query; readonly sends: Sends; readonly receives: Receives }
}

/** A query parameter of the handshake. @public */
export interface ChannelParameterDescriptor {
  readonly name: string
  readonly required: boolean
}

/** One message of a channel. @public */
export interface MessageDescriptor {
  /** A text frame with JSON, or a binary frame. */
  readonly kind: 'json' | 'binary'
  /** Checks the payload. */
  readonly check?: CheckDescriptor
  /**
   * What distinguishes the message from others of its kind: values at JSON pointers, from `const`. All must match. A
   * received message without tags matches what none of the others matched; of several such, the first whose check
   * accepts it. A message that is sent as raw text counts as the one whose tags it matches.
   */
  readonly tags: readonly { readonly pointer: string; readonly equals: string | number | boolean }[]
}

/** How a channel has to be treated, from `x-socket-rules`. @public */
export interface SocketRules {
  /** A message to send as a text frame while nothing else is sent. */
  readonly keepAlive?: {
    /** A key of `sends`. */
    readonly message: string
    /** The payload to send. */
    readonly payload: unknown
    /** Not more often than this. */
    readonly minIntervalMs: number
    /** At the latest after this. */
    readonly maxIntervalMs: number
  }
  /** Until this message (a key of `sends`) was acknowledged, everything else is held back, on each connection. */
  readonly gate?: { readonly message: string }
  /** Messages (keys of `sends`) that are sent again on a new connection, because they configure it. */
  readonly replay?: readonly string[]
}

/** The query type of a channel. @public */
export type QueryOf<Channel> =
  Channel extends ChannelDescriptor<infer Query, unknown, unknown> ? Query : never
/** What a client may send on a channel, by message key. @public */
export type SendsOf<Channel> =
  Channel extends ChannelDescriptor<infer _Q, infer Sends, unknown> ? Sends : never
/** What a client may receive on a channel, by message key. @public */
export type ReceivesOf<Channel> =
  Channel extends ChannelDescriptor<infer _Q, infer _S, infer Receives> ? Receives : never
