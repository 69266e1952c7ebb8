import type { ChannelDescriptor, ParametersOf, QueryOf } from '../core/descriptors.ts'
import type { SocketError } from '../core/errors.ts'
import type { Duration, OptionNames } from '../core/option-checks.ts'
import type { ValidationMode } from '../http/call-options.ts'
import type { ConcurrencyLimit } from '../limit/limits.ts'
import type { ConnectionBase, Received } from './connection.ts'
import type { SocketFactory } from './socket.ts'

/** Options of a socket that don't depend on its channel, for a client that takes them from its callers. @public */
export interface SocketOptions {
  /** Parameters that the contract leaves open, passed through as they are. */
  readonly extra?: {
    readonly query?: Readonly<Record<string, unknown>>
    readonly headers?: Readonly<Record<string, string>>
  }
  /** Aborting it ends the connection at once, and everything that waits for it, with the signal's own reason. */
  readonly signal?: AbortSignal
  /** Milliseconds for one handshake, including the time to read the credential. Default: 30,000. */
  readonly handshakeTimeoutMs?: number
  /** Milliseconds that the closing handshake may take before the socket is terminated. Default: 5,000. */
  readonly closeTimeoutMs?: number
  /** How received messages are checked. Default: the client's. */
  readonly validate?: ValidationMode
  /** Offers permessage-deflate. Default: false, because on audio it costs far more time than it saves. */
  readonly compression?: boolean
  /** A longer message ends the connection. Default: 16,777,216 (16 MiB). */
  readonly maxMessageBytes?: number
  readonly sending?: SendingOptions
  readonly receiving?: ReceivingOptions
  /**
   * Returns true if a close by the server is the proper end of this stream, which then ends without an error. Default:
   * false, unless `finish()` is in progress and the server has received everything.
   */
  readonly properEnd?: (end: CloseInfo) => boolean
  /** Replaces a lost connection with a new one. Default: false, so it stays lost. */
  readonly reconnect?: ReconnectOptions | boolean
  /** How to notice that the server or the network has gone silent; `false` turns this off. */
  readonly liveness?: LivenessOptions | false
  /** How much of the connection limit this connection takes. Default: 1. */
  readonly weight?: number
  /** Milliseconds to wait for a share of the connection limit before a TimeoutError is thrown. Default: no limit. */
  readonly connectionLimitTimeoutMs?: number
  /** Opens the socket. Default: the client's, else that of the host. */
  readonly socketFactory?: SocketFactory
}

/** The names of {@link SocketOptions}, for a client that also has options of its own. @public */
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
  /** The values of the parameters in the address, checked before anything is opened. */
  readonly parameters?: ParametersOf<Channel>
  /**
   * The query of the handshake. A function is called for each connection, including those after a loss. The query is
   * checked before anything is opened.
   */
  readonly query?: QueryOf<Channel> | (() => QueryOf<Channel> | Promise<QueryOf<Channel>>)
  /**
   * Returns true for the message that acknowledges the gating message. Until then, on each connection, everything but the
   * gating message is held back. Required on a channel that has a gate.
   */
  readonly acknowledged?: (message: Received<Channel>) => boolean
  /**
   * Milliseconds to wait for the acknowledgement after the gating message was sent. After that, the connection ends with a
   * TimeoutError, without reconnecting. Default: 10,000.
   */
  readonly acknowledgeTimeoutMs?: number
  /**
   * Receives each message, and the error of a closed or denied connection. Returns an error to end the connection with for
   * good, or `undefined` to continue.
   */
  readonly finalError?: (cause: Received<Channel> | SocketError) => Error | undefined
  /**
   * Changes the payload of messages of later connections before it is checked, because services may count time from the
   * beginning of each connection. Not called for messages of the first connection.
   */
  readonly rebase?: (data: unknown, base: ConnectionBase) => unknown
  /**
   * Limits how many connections are open at once, for example a `Semaphore` that they share. A connection keeps its share
   * until its socket is gone.
   */
  readonly connectionLimit?: ConcurrencyLimit
}

/** How the server or the network ended a connection. @public */
export interface CloseInfo {
  /** The close code of RFC 6455, section 7.4: 1005 without one, 1006 without a closing handshake. */
  readonly closeCode: number
  readonly reason: string
}

/** How to notice a dead connection. @public */
export interface LivenessOptions {
  /** Milliseconds without any sign of life after which the server is pinged, if the host can ping (Node). Default: 10,000. */
  readonly pingIntervalMs?: number
  /** Milliseconds after the ping without any sign of life after which the connection counts as lost. Default: 10,000. */
  readonly pongTimeoutMs?: number
  /**
   * Milliseconds without any sign of life after which the connection counts as lost. It replaces `pingIntervalMs` and
   * `pongTimeoutMs`: for hosts that can't ping, and for servers that are never silent for so long. Default: no limit.
   */
  readonly inactivityMs?: number
}

/** How much may wait to be sent. @public */
export interface SendingOptions {
  /** At this many buffered bytes, `send` begins to wait. Default: 1,048,576 (1 MiB). */
  readonly highBytes?: number
  /** `send` waits until no more than this many bytes are buffered. Default: 262,144 (256 KiB). */
  readonly lowBytes?: number
  /** At this many buffered or held bytes, messages of callers who don't wait are rejected. Default: 4,194,304 (4 MiB). */
  readonly maxBytes?: number
}

/** How much may be waiting to be read. @public */
export interface ReceivingOptions {
  /**
   * How to treat a reader that is too slow: `pressure`, the default, stops reading from the network, so that the server has to
   * wait. `overflow` ends the connection with a `socket-overflow` error. A host that can't stop reading (a browser) always
   * overflows.
   */
  readonly whenFull?: 'pressure' | 'overflow'
  /** Default: 1,048,576 (1 MiB), counted as received. Up to twice as many while something waits for a reply. */
  readonly maxBytes?: number
  /** Default: 4,096. Up to twice as many while something waits for a reply. */
  readonly maxMessages?: number
}

/** How to replace a lost connection. @public */
export interface ReconnectOptions {
  /** How long to try. The time starts over once a connection has lasted 5 s. Default: 2 minutes. */
  readonly deadline?: Duration
  /** The upper bound of the first random delay, in milliseconds; doubles with each attempt. Default: 500. */
  readonly baseMs?: number
  /** The largest upper bound of a delay, in milliseconds. Default: 20,000. */
  readonly capMs?: number
  /** Whether messages that are sent without a connection wait (default) or are rejected. */
  readonly sends?: 'wait' | 'fail'
  /** Returns whether to reconnect after the connection ended like this. Not called after a proper end. Default: always true. */
  readonly when?: (end: CloseInfo) => boolean
  /**
   * Keeps up to this many bytes of binary messages until the server has heard them, and sends them again on a new
   * connection before anything else. Default: 0, so nothing is resent.
   */
  readonly resendBytes?: number
  /** Returns true for a message that shows that the server has heard what it had received before. Default: every message. */
  readonly heard?: (message: Received<ChannelDescriptor>) => boolean
}
