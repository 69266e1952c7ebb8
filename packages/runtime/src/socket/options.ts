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
  /** Milliseconds for one handshake, reading the credential included. Default 30,000. */
  readonly handshakeTimeoutMs?: number
  /** Milliseconds that the closing handshake may take before the connection is cut. Default 5,000. */
  readonly closeTimeoutMs?: number
  /** How received messages are checked. Default: the client's. */
  readonly validate?: ValidationMode
  /** Offers permessage-deflate. Default false: on audio it costs far more time than it saves. */
  readonly compression?: boolean
  /** A longer message ends the connection. Default 16,777,216 (16 MiB). */
  readonly maxMessageBytes?: number
  readonly sending?: SendingOptions
  readonly receiving?: ReceivingOptions
  /**
   * Returns true if a close by the server is the proper end of this stream, which then ends without an error. Default:
   * false, unless `finish()` is under way and the server has taken everything.
   */
  readonly properEnd?: (end: CloseInfo) => boolean
  /** Replaces a lost connection by a new one. Default: it stays lost. */
  readonly reconnect?: ReconnectOptions | boolean
  /** How to notice a server or network that went silent; `false` turns it off. */
  readonly liveness?: LivenessOptions | false
  /** How much of the connection limit this connection takes. Default 1. */
  readonly weight?: number
  /** Milliseconds to wait for a place in the connection limit; then a TimeoutError is thrown. Default: no limit. */
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

/** How a channel is opened and treated. @public */
export interface ConnectOptions<Channel> extends SocketOptions {
  /** The values of the parameters in the address, checked before anything is opened. */
  readonly parameters?: ParametersOf<Channel>
  /**
   * The query of the handshake. A function is called for each connection, so also after a loss. The query is checked
   * before anything is opened.
   */
  readonly query?: QueryOf<Channel> | (() => QueryOf<Channel> | Promise<QueryOf<Channel>>)
  /**
   * Returns true for the message that acknowledges the gating message. Until then
   * everything but that message is held back, on each connection. Required on a channel that has a gate.
   */
  readonly acknowledged?: (message: Received<Channel>) => boolean
  /**
   * Milliseconds to wait for the acknowledgement after the gating message was sent. Then the connection ends with a
   * TimeoutError and isn't tried again. Default 10,000.
   */
  readonly acknowledgeTimeoutMs?: number
  /**
   * Looks at each received message, and at the error of a closed or denied connection. If that means the end for good,
   * it returns the error to end with; otherwise `undefined`.
   */
  readonly finalError?: (cause: Received<Channel> | SocketError) => Error | undefined
  /**
   * Changes the payload of messages of later connections, before it is checked: services may count time from the
   * beginning of each connection. Not called for messages of the first one.
   */
  readonly rebase?: (data: unknown, base: ConnectionBase) => unknown
  /**
   * Limits how many connections are open at once, such as a `Semaphore` that they share. This connection keeps its share
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

/** How a dead connection is noticed. @public */
export interface LivenessOptions {
  /** Milliseconds without any sign of life after which the server is pinged, if the host can (Node). Default 10,000. */
  readonly pingIntervalMs?: number
  /** Milliseconds that the server then has for a sign of life before the connection counts as lost. Default 10,000. */
  readonly pongTimeoutMs?: number
  /**
   * Milliseconds without any sign of life after which the connection counts as lost. It replaces `pingIntervalMs` and
   * `pongTimeoutMs`: for hosts that cannot ping, and for servers that are never silent for so long. Default: no limit.
   */
  readonly inactivityMs?: number
}

/** How much may wait to be sent. @public */
export interface SendingOptions {
  /** At this many buffered bytes, `send` begins to wait. Default 1,048,576 (1 MiB). */
  readonly highBytes?: number
  /** It waits until no more than this are buffered. Default 262,144 (256 KiB). */
  readonly lowBytes?: number
  /** For callers who don't wait: at this many buffered or held bytes, a message is rejected. Default 4,194,304 (4 MiB). */
  readonly maxBytes?: number
}

/** How much may be waiting to be read. @public */
export interface ReceivingOptions {
  /**
   * How to treat a reader that is too slow. `pressure`, the default: reading from the network stops, so that the server
   * has to wait. `overflow`: the connection ends with a `socket-overflow` error. A host that cannot stop
   * reading (a browser) overflows either way.
   */
  readonly whenFull?: 'pressure' | 'overflow'
  /** Default 1,048,576 (1 MiB), counted as received. Up to twice as many while something waits for a reply. */
  readonly maxBytes?: number
  /** Default 4,096. Up to twice as many while something waits for a reply. */
  readonly maxMessages?: number
}

/** How a lost connection is replaced. @public */
export interface ReconnectOptions {
  /** How long to try. The time starts over once a connection has held for 5 s. Default 2 minutes. */
  readonly deadline?: Duration
  /** Upper bound of the first random delay; doubles with each attempt. Default 500. */
  readonly baseMs?: number
  /** The largest upper bound of a delay. Default 20,000. */
  readonly capMs?: number
  /** Whether messages that are sent in between wait (default) or are rejected. */
  readonly sends?: 'wait' | 'fail'
  /** Whether to try after the connection ended like this. Default: always. It isn't asked after a proper end. */
  readonly when?: (end: CloseInfo) => boolean
  /**
   * Keeps up to this many bytes of binary messages until the server has heard them, and sends them again on a new
   * connection before anything else. Default 0: nothing is resent.
   */
  readonly resendBytes?: number
  /** Returns true for a message that shows that the server has heard what it had received before. Default: every message. */
  readonly heard?: (message: Received<ChannelDescriptor>) => boolean
}
