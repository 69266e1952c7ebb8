import type { QueryOf } from '../core/channel.ts'
import type { Duration } from '../core/duration.ts'
import type { ValidationMode } from '../http/call-options.ts'
import type { Semaphore } from '../limit/semaphore.ts'
import type { ConnectionBase, Received } from './received.ts'
import type { SocketFactory } from './socket.ts'

/** How a socket is opened and treated. @public */
export interface ConnectOptions<Channel> {
  /**
   * The query of the handshake. A function is asked for each connection, also when it is made again. It is checked
   * before anything is opened.
   */
  readonly query?: QueryOf<Channel> | (() => QueryOf<Channel> | Promise<QueryOf<Channel>>)
  /** What the contract leaves open, passed through as it is. */
  readonly extra?: {
    readonly query?: Readonly<Record<string, unknown>>
    readonly headers?: Readonly<Record<string, string>>
  }
  /** Aborting it ends the connection, and everything that waits for it, with the signal's own reason. */
  readonly signal?: AbortSignal
  /** Milliseconds for one handshake, reading the credential included. Default 30,000. */
  readonly handshakeTimeoutMs?: number
  /** Milliseconds that the closing handshake may take before the connection is cut. Default 5,000. */
  readonly closeTimeoutMs?: number
  /** How received messages are checked. Default: the client's. */
  readonly validate?: ValidationMode
  /** Offers permessage-deflate. Default false: it costs far more time than it saves on audio. */
  readonly compression?: boolean
  /** A longer message ends the connection. Default 16,777,216 (16 MiB). */
  readonly maxMessageBytes?: number
  readonly sending?: SendingOptions
  readonly receiving?: ReceivingOptions
  /**
   * Says which received message acknowledges the one that the contract's gate waits for. Until then binary messages
   * are held back. Required on a channel that has a gate.
   */
  readonly acknowledged?: (message: Received<Channel>) => boolean
  /** Makes a lost connection again. Default: it stays lost. */
  readonly reconnect?: ReconnectOptions | boolean
  /**
   * Changes the payload of messages that came over a later connection, before it is checked: services may count time
   * from the beginning of each connection. Not called for those of the first.
   */
  readonly rebase?: (data: unknown, base: ConnectionBase) => unknown
  /** Limits how many connections are open at once; it is held until this one is over. */
  readonly semaphore?: Semaphore
  /** How much of the semaphore this connection takes. Default 1. */
  readonly weight?: number
  /** Opens the socket. Default: the client's, else that of the host. */
  readonly socketFactory?: SocketFactory
}

/** How much may wait to be sent. @public */
export interface SendingOptions {
  /** From this many buffered bytes on, `send` waits. Default 1,048,576 (1 MiB). */
  readonly highBytes?: number
  /** Until no more than this are buffered. Default 262,144 (256 KiB). */
  readonly lowBytes?: number
  /** For callers who do not wait: a message is refused when this many bytes are buffered or held. Default 4,194,304 (4 MiB). */
  readonly maxBytes?: number
}

/** How much may wait to be read. @public */
export interface ReceivingOptions {
  /**
   * What happens when the reader is too slow. `pressure`, the default: nothing more is read from the network, so that
   * the server has to wait. `overflow`: the connection ends with a `socket-overflow` error. A host that cannot stop
   * reading (a browser) ends in an overflow either way.
   */
  readonly whenFull?: 'pressure' | 'overflow'
  /** Default 1,048,576 (1 MiB), counted as they came. */
  readonly maxBytes?: number
  /** Default 4,096. */
  readonly maxMessages?: number
}

/** How a lost connection is made again. @public */
export interface ReconnectOptions {
  /** How long it is tried; counted on when a connection holds less than 5 s. Default 2 minutes. */
  readonly deadline?: Duration
  /** Upper bound of the first random delay; doubles with every try. Default 500. */
  readonly baseMs?: number
  /** The largest upper bound of a delay. Default 20,000. */
  readonly capMs?: number
  /** What becomes of messages that are sent meanwhile: they wait (default), or are refused. */
  readonly sends?: 'wait' | 'fail'
  /** Whether to try after the connection ended like this. Default: after everything but close code 1000. */
  readonly when?: (end: { readonly closeCode: number; readonly reason: string }) => boolean
}
