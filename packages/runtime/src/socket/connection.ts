import type { SendsOf } from '../core/channel.ts'
import type { Unsent } from '../core/errors.ts'
import type { Received, ReceivedMessage } from './received.ts'

/**
 * An open channel. Iterate it to read; reading may stop and start again, and several readers share what comes.
 *
 * @public
 */
export interface Connection<Channel> extends AsyncDisposable {
  readonly state: ConnectionState
  /** Settles when it is over, however it ended; it is never rejected. */
  readonly closed: Promise<ConnectionEnd>
  /** Bytes that were sent and have not left for the network, and those that are held back. */
  readonly bufferedBytes: number
  /**
   * Sends a message of the contract. Settles when there is room for more: at once, as long as less than
   * `sending.highBytes` are buffered.
   *
   * @throws RequestInvalidError when the payload is not what the contract says; nothing was sent. SocketError
   * `socket-overflow` when too much waits to be sent already, `socket-closed` when the connection is over.
   */
  send<Key extends keyof SendsOf<Channel> & string>(
    message: Key,
    payload: SendsOf<Channel>[Key],
  ): Promise<void>
  /** Sends a binary frame; see {@link Connection.send}. Empty ones are not sent. The bytes must not be changed any more. */
  sendBinary(bytes: Uint8Array): Promise<void>
  /**
   * Sends all that comes out of a source, as fast as the connection takes it. Ends with the source, or the connection. It
   * need not be awaited for the end of the connection, which the reader is told; what the source throws is told here alone.
   */
  sendFrom(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>
  /** Sends a text frame that the contract does not know, unchecked. */
  sendText(text: string): Promise<void>
  /**
   * Sends a message and waits for the one that the contract says answers it, success or failure; the reader does not
   * get that one. One request at a time is under way, others wait for their turn.
   *
   * @throws the same as {@link Connection.send}; TimeoutError.
   */
  request<Key extends keyof SendsOf<Channel> & string>(
    message: Key,
    payload: SendsOf<Channel>[Key],
    options?: SocketRequestOptions,
  ): Promise<ReceivedMessage<Channel>>
  /**
   * Closes the connection: what was sent goes out first, as far as `closeTimeoutMs` allows; what is held back is
   * refused. The reader gets what still comes.
   */
  close(options?: CloseOptions): Promise<ConnectionEnd>
  /** Messages in the order in which they came. Leaving the loop does not close the connection. */
  [Symbol.asyncIterator](): AsyncIterator<Received<Channel>, undefined>
}

/** @public */
export type ConnectionState = 'open' | 'reconnecting' | 'closing' | 'closed'

/** What can be set for a single request. @public */
export interface SocketRequestOptions {
  readonly signal?: AbortSignal
  /** Milliseconds to wait for the answer, its turn included. Default 30,000. */
  readonly timeoutMs?: number
}

/** What the server is told at the end. @public */
export interface CloseOptions {
  /** Default 1000. */
  readonly code?: number
  /** At most 123 bytes. */
  readonly reason?: string
  /**
   * Closes only when nothing has come for so long, in milliseconds: for a service that does not say when it has answered
   * all. Until then the connection is open. Default 0: at once.
   */
  readonly quietMs?: number
}

/** How a connection ended. @public */
export interface ConnectionEnd {
  /** The close code of RFC 6455, section 7.4: 1005 without one, 1006 without a closing handshake. */
  readonly closeCode: number
  readonly reason: string
  /** What was not sent. */
  readonly unsent: Unsent
  /** Messages that came while it was being closed and found no room. */
  readonly dropped: number
  /** Why it ended, where it did not end as it should. The reader gets the same. */
  readonly error?: unknown
}
