import type { SecurityRequirement } from './operation.ts'
import type { CheckDescriptor } from './check.ts'

/**
 * Everything the runtime needs to know about one WebSocket channel, as plain data generated from the contract.
 *
 * `Query` is the query of the handshake. `Sends` and `Receives` map the message keys of the contract to their payloads,
 * from the client's point of view: a JSON message to its value, another text message to a string, a binary one to
 * `Uint8Array`. `Parameters` are those in the address. The four exist for the compiler only.
 *
 * @public
 */
export interface ChannelDescriptor<
  Query = unknown,
  Sends = unknown,
  Receives = unknown,
  Parameters = unknown,
> {
  /** The channel's key in the contract. */
  readonly id: string
  /** The path as written in the contract: `/v1/listen`, `/rooms/{room}`. */
  readonly address: string
  /** The name of the client's base address that it is opened on. */
  readonly server: string
  /** Credentials: one of these alternatives is used in the handshake. Empty for a public channel. */
  readonly security: readonly SecurityRequirement[]
  /** Whether it may be opened without a credential. A client that has a credential sends it. Default: false. */
  readonly securityOptional?: boolean
  /** The parameters in the address. Default: none. */
  readonly parameters?: readonly AddressParameterDescriptor[]
  /** Validates the parameters before anything is opened. */
  readonly parametersCheck?: CheckDescriptor
  /** The documented query parameters of the handshake. */
  readonly query: readonly ChannelParameterDescriptor[]
  /** Validates the whole query before anything is opened. */
  readonly queryCheck?: CheckDescriptor
  /** The messages that the client sends, by message key. */
  readonly sends: { readonly [message: string]: MessageDescriptor }
  /** The messages that the server sends, by message key, in the order in which they are tried. */
  readonly receives: { readonly [message: string]: MessageDescriptor }
  /**
   * Sent messages that the contract says get a reply, each with its replies; the one that means success comes first.
   */
  readonly replies: { readonly [sent: string]: readonly string[] }
  readonly rules: SocketRules
  /** Names of properties and parameters whose values are never shown; `*` if a whole body is secret. */
  readonly secrets: readonly string[]
  /** For the compiler only; never set. */
  readonly types?: {
    readonly query: Query
    readonly sends: Sends
    readonly receives: Receives
    readonly parameters: Parameters
  }
}

/** A parameter in the address of a channel. @public */
export interface AddressParameterDescriptor {
  readonly name: string
  /** The value that it has if the caller passes none. */
  readonly default?: string
}

/** A query parameter of the handshake. @public */
export interface ChannelParameterDescriptor {
  readonly name: string
  readonly required: boolean
}

/** One message of a channel. @public */
export interface MessageDescriptor {
  /** A text frame with JSON, a text frame with anything else, or a binary frame. */
  readonly kind: 'json' | 'text' | 'binary'
  /** Validates the payload. */
  readonly check?: CheckDescriptor
  /**
   * The values that distinguish the message from others of its kind: constants in the contract (`const`), by JSON
   * pointer. All must match. A received message that matches no tags is taken for one without tags; if there are
   * several of these, for the first whose check accepts it. A message sent as raw text counts as the one whose tags it
   * matches.
   */
  readonly tags: readonly { readonly pointer: string; readonly equals: string | number | boolean }[]
  /**
   * Where in the payload the value is that a message and its reply have in common, as a JSON pointer. A reply with another
   * value belongs to another message. Default: replies are matched in the order of the messages.
   */
  readonly correlation?: string
}

/** Rules for using a channel, from `x-socket-rules`. @public */
export interface SocketRules {
  /** A message to send as a text frame while nothing else is being sent. */
  readonly keepAlive?: {
    /** A key of `sends`. */
    readonly message: string
    /** The payload to send. */
    readonly payload: unknown
    /** Minimum interval. */
    readonly minIntervalMs: number
    /** Maximum interval. */
    readonly maxIntervalMs: number
  }
  /** Until this message (a key of `sends`) is acknowledged, everything else is held back, on each connection. */
  readonly gate?: { readonly message: string }
  /** Messages (keys of `sends`) that are sent again on a new connection, because they configure it. */
  readonly replay?: readonly string[]
}

/** The query type of a channel. @public */
export type QueryOf<Channel> =
  Channel extends ChannelDescriptor<infer Query, unknown, unknown, unknown> ? Query : never
/** The messages that a client may send on a channel, by message key. @public */
export type SendsOf<Channel> =
  Channel extends ChannelDescriptor<infer _Q, infer Sends, unknown, unknown> ? Sends : never
/** The messages that a client may receive on a channel, by message key. @public */
export type ReceivesOf<Channel> =
  Channel extends ChannelDescriptor<infer _Q, infer _S, infer Receives, unknown> ? Receives : never
/** The parameters in the address of a channel. @public */
export type ParametersOf<Channel> =
  Channel extends ChannelDescriptor<infer _Q, infer _S, infer _R, infer Parameters> ? Parameters : never
