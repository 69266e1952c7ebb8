import type { ReceivesOf, SendsOf } from '../core/channel.ts'
import type { Unsent } from '../core/errors.ts'

/**
 * An open channel. Iterate it to read; reading may stop and start again, and several readers share what arrives.
 *
 * The promises of its sending methods may be ignored: a failure that no one handles ends the connection, so that the
 * reader and `closed` report it. A failure that is handled leaves the connection as it is.
 *
 * @public
 */
export interface Connection<Channel> extends AsyncDisposable {
  readonly state: ConnectionState
  /** Resolves when the connection is over, however it ended; never rejects. */
  readonly closed: Promise<ConnectionEnd>
  /** Bytes that were sent but haven't been written to the network, and bytes that are held back. */
  readonly bufferedBytes: number
  /**
   * Sends a message of the contract. Resolves when there is room for more: at once while less than
   * `sending.highBytes` are buffered.
   *
   * @throws RequestInvalidError when the payload doesn't match the contract; nothing was sent. SocketError
   * `socket-overflow` when too much is already waiting to be sent, `socket-closed` when the connection is over.
   */
  send<Key extends keyof SendsOf<Channel> & string>(
    message: Key,
    payload: SendsOf<Channel>[Key],
  ): Promise<void>
  /** Sends a binary frame; see {@link Connection.send}. Empty ones aren't sent. Don't change the bytes afterwards. */
  sendBinary(bytes: Uint8Array): Promise<void>
  /** Sends every chunk of a source, as fast as the connection takes it. Ends with the source or the connection. */
  sendFrom(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>
  /** Sends a text frame, unchecked. */
  sendText(text: string, options?: RawSendOptions): Promise<void>
  /** Sends a value as JSON, unchecked: for messages that the contract doesn't define. */
  sendJson(value: unknown, options?: RawSendOptions): Promise<void>
  /**
   * Sends a message and waits for the reply that the contract names, success or failure; the reader doesn't get that
   * reply. One request is under way at a time, others wait for their turn.
   *
   * @throws the same as {@link Connection.send}; TimeoutError.
   */
  request<Key extends keyof SendsOf<Channel> & string>(
    message: Key,
    payload: SendsOf<Channel>[Key],
    options?: SocketRequestOptions,
  ): Promise<ReceivedMessage<Channel>>
  /**
   * Closes the connection now: what was sent goes out first, as far as `closeTimeoutMs` allows; what is held back is
   * rejected. The reader gets what still arrives. To close after a recording, use {@link Connection.finish}.
   */
  close(options?: CloseOptions): Promise<ConnectionEnd>
  /**
   * Closes the connection once everything is done: every source was sent to its end, every byte was taken by the server
   * (in browsers: has left), every message that arrived was read, and then nothing came for `quietMs`. Without a reader, messages that arrived stay
   * readable after the end. If a minute passes without progress in either direction, it closes with an error that says
   * what is missing. A server that closes with 1000 or 1005 after taking everything ends it properly, too.
   */
  finish(options?: FinishOptions): Promise<ConnectionEnd>
  /** Messages in the order in which they arrived. Leaving the loop doesn't close the connection. */
  [Symbol.asyncIterator](): AsyncIterator<Received<Channel>, undefined>
}

/** `open`, then perhaps `reconnecting` and `open` again, finally `closed`, after a `close()` by way of `closing`. @public */
export type ConnectionState = 'open' | 'reconnecting' | 'closing' | 'closed'

/** Options of a raw text or JSON message. @public */
export interface RawSendOptions {
  /** Sends it again on each new connection, because it configures the connection. Default false. */
  readonly replay?: boolean
}

/** Options of a single request. @public */
export interface SocketRequestOptions {
  readonly signal?: AbortSignal
  /** Milliseconds to wait for the reply, including the wait for other requests. Default 30,000. */
  readonly timeoutMs?: number
}

/** The code and reason of a close. @public */
export interface CloseOptions {
  /** Default 1000. */
  readonly code?: number
  /** At most 123 bytes. */
  readonly reason?: string
}

/** Options of {@link Connection.finish}. @public */
export interface FinishOptions extends CloseOptions {
  /** Milliseconds of quiet that show that the server has nothing more to say. Default 5,000. */
  readonly quietMs?: number
}

/** How a connection ended. @public */
export interface ConnectionEnd {
  /** The close code of RFC 6455, section 7.4: 1005 without one, 1006 without a closing handshake. */
  readonly closeCode: number
  readonly reason: string
  /** Messages that were not sent. */
  readonly unsent: Unsent
  /** Messages that arrived and were dropped, because there was no room or because of an abort. */
  readonly dropped: number
  /** Why it ended, if it did not end properly or something was lost. The reader gets the same error. */
  readonly error?: unknown
}

/** An item of a connection: messages in the order in which they arrived, and gaps between them. @public */
export type Received<Channel> = ReceivedMessage<Channel> | UnknownMessage | Reconnected

/** A message of the contract; `message` is its key there. @public */
export type ReceivedMessage<Channel> = {
  readonly [Key in keyof ReceivesOf<Channel> & string]: {
    readonly type: 'message'
    readonly message: Key
    readonly data: ReceivesOf<Channel>[Key]
  }
}[keyof ReceivesOf<Channel> & string]

/** A message that the contract doesn't define: parsed JSON, a string that isn't JSON, or bytes. @public */
export interface UnknownMessage {
  readonly type: 'unknown'
  readonly message: undefined
  readonly data: unknown
}

/** The connection was lost at this point of the stream, and replaced by a new one. @public */
export interface Reconnected {
  readonly type: 'reconnected'
  readonly message: undefined
  readonly data: Gap
}

/** A gap between two connections, and what may have been lost in it. @public */
export interface Gap {
  /** The number of the new connection; the first one has 0. */
  readonly connection: number
  /**
   * Milliseconds from the last proof of life of the lost connection (a message, a pong or its close frame) to the
   * opening of the new one. Anything that the server sent in between, or was about to send, is lost.
   */
  readonly gapMs: number
  /** Attempts to connect again. */
  readonly attempts: number
  /** How the lost connection ended. */
  readonly closeCode: number
  readonly reason: string
  /** Bytes of binary messages that were sent on the lost connection. */
  readonly sentBytes: number
  /**
   * Bytes of binary messages that may be lost: sent after the last message that shows that the server has heard what
   * came before (see `reconnect.heard`), or still buffered when it arrived, and not resent. Bytes sent shortly before that
   * message may be missing, too.
   */
  readonly possiblyLostBytes: number
  /** Bytes of binary messages that are sent again on the new connection (see `reconnect.resendBytes`). */
  readonly resentBytes: number
  /**
   * The content of the send buffer when the connection was lost, as an upper bound. It isn't sent again, except for binary
   * messages that were kept for resending.
   */
  readonly unsent: Unsent
  /** Messages that were rejected while there was no connection. */
  readonly rejected: Unsent
  /** Configuration messages that were sent again. */
  readonly replayed: number
  /** Configuration messages that were not sent again because they were too many. 0 unless there were more than 256. */
  readonly forgotten: number
}

/** Where one of several connections begins in the whole stream; for re-basing time stamps. @public */
export interface ConnectionBase {
  /** 0 for the first. */
  readonly connection: number
  /**
   * Milliseconds from the first binary message of the stream to the first one of this connection, measured when the
   * caller sent them: held audio counts from when it was sent to the client. Until this connection has sent a binary
   * message, the time it was opened counts.
   */
  readonly offsetMs: number
  /**
   * Bytes of binary messages of the stream before the first of this connection. Messages that were rejected while there
   * was no connection count, because their time has passed; those that are resent don't.
   */
  readonly binaryBytesBefore: number
}
