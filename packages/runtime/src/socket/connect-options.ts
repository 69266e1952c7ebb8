import type { ChannelDescriptor, QueryOf } from '../core/channel.ts'
import type { SocketError } from '../core/errors.ts'
import type { Duration } from '../core/option-checks.ts'
import type { ValidationMode } from '../http/call-options.ts'
import type { Semaphore } from '../limit/semaphore.ts'
import type { ConnectionBase, Received } from './connection.ts'
import type { SocketFactory } from './socket.ts'

/** How a socket is opened and treated. @public */
export interface ConnectOptions<Channel> {
  /**
   * The query of the handshake. A function is called for each connection, so also after a loss. The query is checked
   * before anything is opened.
   */
  readonly query?: QueryOf<Channel> | (() => QueryOf<Channel> | Promise<QueryOf<Channel>>)
  /** What the contract leaves open, passed through as it is. */
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
   * Returns true for the received message that acknowledges the one that the contract's gate waits for. Until then
   * everything but that message is held back, on each connection. Required on a channel that has a gate.
   */
  readonly acknowledged?: (message: Received<Channel>) => boolean
  /**
   * Milliseconds to wait for the acknowledgement after the gating message was sent. Then the connection ends with a
   * TimeoutError and isn't tried again. Default 10,000.
   */
  readonly acknowledgeTimeoutMs?: number
  /**
   * Returns an error if a received message, or the error that a connection was closed or refused with, is the end of
   * the channel for good. The connection then ends with that error, without trying again.
   */
  readonly finalError?: (cause: Received<Channel> | SocketError) => Error | undefined
  /**
   * Returns true if a close by the server is the proper end of this stream, which then ends without an error. Default:
   * none is, unless `finish()` is under way and the server has taken everything.
   */
  readonly properEnd?: (end: CloseInfo) => boolean
  /** Replaces a lost connection by a new one. Default: it stays lost. */
  readonly reconnect?: ReconnectOptions | boolean
  /** How to notice a server or network that went silent; `false` turns it off. */
  readonly liveness?: LivenessOptions | false
  /**
   * Changes the payload of messages of later connections, before it is checked: services may count time from the
   * beginning of each connection. Not called for messages of the first one.
   */
  readonly rebase?: (data: unknown, base: ConnectionBase) => unknown
  /** Limits how many connections are open at once. This connection keeps its share until its socket is gone. */
  readonly semaphore?: Semaphore
  /** How much of the semaphore this connection takes. Default 1. */
  readonly weight?: number
  /** Milliseconds to wait for the semaphore; then a TimeoutError is thrown. Default: no limit. */
  readonly semaphoreTimeoutMs?: number
  /** Opens the socket. Default: the client's, else that of the host. */
  readonly socketFactory?: SocketFactory
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
   * Milliseconds without a message after which the connection counts as lost, without a ping: for hosts that cannot
   * ping, and servers that never stay silent for so long. Default: no limit.
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

/** How much may wait to be read. @public */
export interface ReceivingOptions {
  /**
   * What happens when the reader is too slow. `pressure`, the default: nothing more is read from the network, so that
   * the server has to wait. `overflow`: the connection ends with a `socket-overflow` error. A host that cannot stop
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
  /** How long to try; the time goes on when a connection holds for less than 5 s. Default 2 minutes. */
  readonly deadline?: Duration
  /** Upper bound of the first random delay; doubles with each attempt. Default 500. */
  readonly baseMs?: number
  /** The largest upper bound of a delay. Default 20,000. */
  readonly capMs?: number
  /** What happens to messages that are sent in between: they wait (default), or are rejected. */
  readonly sends?: 'wait' | 'fail'
  /** Whether to try after the connection ended like this. Default: always. It isn't asked after a proper end. */
  readonly when?: (end: CloseInfo) => boolean
  /**
   * Keeps up to so many bytes of binary messages until the server has heard them, and sends them again on a new
   * connection before anything else. Default 0: nothing is resent.
   */
  readonly resendBytes?: number
  /** Returns true for a message that shows that the server has heard what was sent before. Default: every message. */
  readonly heard?: (message: Received<ChannelDescriptor>) => boolean
}
