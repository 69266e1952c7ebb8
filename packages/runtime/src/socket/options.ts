import type { ChannelDescriptor, ParametersOf, QueryOf } from '../core/descriptors.ts'
import type { SocketError } from '../core/errors.ts'
import type { Duration, OptionNames } from '../core/option-checks.ts'
import type { ValidationMode } from '../http/call-options.ts'
import type { ConcurrencyLimit } from '../limit/limits.ts'
import type { ConnectionBase, Received } from './connection.ts'
import type { SocketFactory } from './socket.ts'

/**
 * The socket options that apply to any channel. A client for a particular service can accept them from its callers.
 *
 * @public
 */
export interface SocketOptions {
  /** Query parameters and headers that the contract doesn't define. They are sent unchanged. */
  readonly extra?: {
    readonly query?: Readonly<Record<string, unknown>>
    readonly headers?: Readonly<Record<string, string>>
  }
  /** Aborting this signal ends the connection at once. A reading loop and pending calls throw the signal's reason. */
  readonly signal?: AbortSignal
  /** Milliseconds for one handshake, including the time to read the credential. Default: 30,000. */
  readonly handshakeTimeoutMs?: number
  /** Milliseconds that the closing handshake may take before the socket is terminated. Default: 5,000. */
  readonly closeTimeoutMs?: number
  /** How received messages are checked. Default: the client's `validate`. */
  readonly validate?: ValidationMode
  /**
   * Whether to offer compression (permessage-deflate) to the server. Default: false, because compressing audio costs
   * far more time than it saves.
   */
  readonly compression?: boolean
  /** The maximum size of a received message. A longer message ends the connection. Default: 16,777,216 (16 MiB). */
  readonly maxMessageBytes?: number
  readonly sending?: SendingOptions
  readonly receiving?: ReceivingOptions
  /**
   * Returns true if this close code and reason mean that the server ended the stream properly. In this case, the
   * connection ends without an error. Default: always false. During `finish()`, a close with code 1000 or 1005 also
   * counts as proper if the server has received everything.
   */
  readonly properEnd?: (end: CloseInfo) => boolean
  /** Replaces a lost connection with a new one. Default: false. */
  readonly reconnect?: ReconnectOptions | boolean
  /** How to detect that the server or the network has gone silent. `false` turns the detection off. */
  readonly liveness?: LivenessOptions | false
  /** How much of the connection limit this connection takes. Default: 1. */
  readonly weight?: number
  /** Milliseconds to wait for a share of the connection limit before a TimeoutError is thrown. Default: no limit. */
  readonly connectionLimitTimeoutMs?: number
  /** Opens the socket. Default: the client's `socketFactory`, or the platform's own sockets if the client has none. */
  readonly socketFactory?: SocketFactory
}

/**
 * The names of the options in {@link SocketOptions}. A client with additional options can use these names to reject
 * unknown options.
 *
 * @public
 */
export const SOCKET_OPTIONS: OptionNames<SocketOptions> = {
  extra: true,
  signal: true,
  handshakeTimeoutMs: true,
  closeTimeoutMs: true,
  validate: true,
  compression: true,
  maxMessageBytes: true,
  sending: true,
  receiving: true,
  properEnd: true,
  reconnect: true,
  liveness: true,
  weight: true,
  connectionLimitTimeoutMs: true,
  socketFactory: true,
}

/** Options of `connect`. @public */
export interface ConnectOptions<Channel> extends SocketOptions {
  /** The values of the parameters in the channel's address. They are checked before the connection is opened. */
  readonly parameters?: ParametersOf<Channel>
  /**
   * The query parameters of the handshake. If you pass a function, it is called for each connection, including those
   * that replace a lost connection. The query is checked before the connection is opened.
   */
  readonly query?: QueryOf<Channel> | (() => QueryOf<Channel> | Promise<QueryOf<Channel>>)
  /**
   * Returns true if a received message acknowledges the channel's gating message. On each connection, the client
   * sends no other message until the server has acknowledged the gating message. This option is required if the
   * contract names a gating message for the channel.
   */
  readonly acknowledged?: (message: Received<Channel>) => boolean
  /**
   * Milliseconds to wait for the acknowledgement after the gating message is sent. If no acknowledgement arrives in
   * time, the connection ends with a TimeoutError and isn't replaced. Default: 10,000.
   */
  readonly acknowledgeTimeoutMs?: number
  /**
   * Called with each received message, and with the error of a connection that was closed or denied. If this function
   * returns an error, the connection ends with that error and isn't replaced. If it returns `undefined`, the call has
   * no effect.
   */
  readonly finalError?: (cause: Received<Channel> | SocketError) => Error | undefined
  /**
   * Changes the payload of each message that arrives after a reconnect, before the payload is checked. For example, it
   * can shift timestamps that the service counts from the beginning of each connection. Not called on the first
   * connection.
   */
  readonly rebase?: (data: unknown, base: ConnectionBase) => unknown
  /**
   * Limits how many connections are open at once. Pass the same object, such as a `Semaphore`, for all connections that
   * share the limit. A connection keeps its share of the limit until its socket is gone.
   */
  readonly connectionLimit?: ConcurrencyLimit
}

/** How the server or the network ended a connection. @public */
export interface CloseInfo {
  /** The close code (RFC 6455, section 7.4). 1005: a close frame without a code. 1006: no closing handshake. */
  readonly closeCode: number
  readonly reason: string
}

/** How to detect a dead connection. @public */
export interface LivenessOptions {
  /**
   * Milliseconds without a sign of life, such as a message or a pong, before the client pings the server. Applies to
   * platforms that can ping (Node). Default: 10,000.
   */
  readonly pingIntervalMs?: number
  /**
   * Milliseconds to wait for a sign of life after the ping. If the server shows no sign of life in this time, the
   * connection counts as lost. Default: 10,000.
   */
  readonly pongTimeoutMs?: number
  /**
   * Milliseconds without a sign of life before the connection counts as lost. This option replaces `pingIntervalMs` and
   * `pongTimeoutMs`. Use it on platforms that can't ping, or if the server always sends something within this time.
   * Default: no limit.
   */
  readonly inactivityMs?: number
}

/** Limits for messages that are waiting to be sent. @public */
export interface SendingOptions {
  /** At this many buffered bytes, `send` begins to wait. Default: 1,048,576 (1 MiB). */
  readonly highBytes?: number
  /** A waiting `send` resolves once at most this many bytes are buffered. Default: a quarter of `highBytes`. */
  readonly lowBytes?: number
  /**
   * Once this many bytes are buffered or held back, further messages are rejected. A caller that awaits each `send`
   * stays below this limit. Default: four times `highBytes`.
   */
  readonly maxBytes?: number
}

/** Limits for messages that are waiting to be read. @public */
export interface ReceivingOptions {
  /**
   * How to treat a reader that is too slow. `pressure`, the default, stops reading from the network, so that the server
   * has to wait. `overflow` ends the connection with a `socket-overflow` error. On a platform that can't stop
   * reading, such as a browser, `overflow` always applies.
   */
  readonly whenFull?: 'pressure' | 'overflow'
  /**
   * How many bytes may be waiting to be read. Text messages count in UTF-16 code units instead. Default: 1,048,576
   * (1 MiB). The limit is doubled while the client waits for a reply to a request or to a ping.
   */
  readonly maxBytes?: number
  /**
   * How many messages may be waiting to be read. Default: 4,096. The limit is doubled while the client waits for a
   * reply to a request or to a ping.
   */
  readonly maxMessages?: number
}

/** How to replace a lost connection. @public */
export interface ReconnectOptions {
  /**
   * How long to keep trying after a loss. If the new connection is lost within 5 s, the time doesn't start over.
   * Default: 2 minutes.
   */
  readonly deadline?: Duration
  /**
   * The upper bound of the random delay before the first attempt, in milliseconds. It doubles with each attempt.
   * Default: 500.
   */
  readonly baseMs?: number
  /** The value at which the upper bound of the delay stops doubling, in milliseconds. Default: 20,000. */
  readonly capMs?: number
  /**
   * How to treat messages that you send while the client is disconnected. `wait`, the default, holds the messages
   * back until the client has reconnected. `fail` rejects them.
   */
  readonly sends?: 'wait' | 'fail'
  /**
   * Returns whether to reconnect after the connection ended with this close code and reason. Not called if the server
   * ended the stream properly (see `properEnd`). Default: always true.
   */
  readonly when?: (end: CloseInfo) => boolean
  /**
   * How many bytes of binary messages the client keeps until the server has heard them (see `heard`). On a new
   * connection, the client first replays the messages that configure the channel. Then it resends the kept messages.
   * Then it sends the messages that were held back. Default: 0, so no binary messages are resent.
   */
  readonly resendBytes?: number
  /**
   * Returns true if the server sends this message only after hearing (processing) every binary message that it has
   * received. Default: true for every message.
   */
  readonly heard?: (message: Received<ChannelDescriptor>) => boolean
}
