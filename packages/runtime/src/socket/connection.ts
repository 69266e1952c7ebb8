import type { ReceivesOf, SendsOf } from '../core/descriptors.ts'
import { ConcordError, SocketError, TimeoutError, type Unsent } from '../core/errors.ts'
import type { LinkEnd } from './link.ts'

/**
 * An open channel. Iterate over it to read. You can stop reading and start again. If several loops read, each message
 * goes to one of them.
 *
 * You can ignore the promises that the sending methods return. In this case, a failure ends the connection, and the
 * reading loop and `closed` report the failure. If you await a promise or call its `then`, the connection stays open
 * after a failure, and your code has to handle the failure.
 *
 * @public
 */
export interface Connection<Channel> extends AsyncDisposable {
  readonly state: ConnectionState
  /** Resolves when the connection is over, however it ended; never rejects. */
  readonly closed: Promise<ConnectionEnd>
  /**
   * How many bytes are waiting to be written to the network. Includes messages that are held back while there is no
   * connection, or until the server acknowledges the gating message (see `acknowledged` in `ConnectOptions`).
   */
  readonly bufferedBytes: number
  /**
   * Sends a message of the contract. Resolves when there is room for more messages: at once if less than
   * `sending.highBytes` are buffered.
   *
   * @throws RequestInvalidError, before sending, if the payload doesn't match the contract; SocketError
   * `socket-overflow` if too much is already waiting to be sent; SocketError `socket-closed` if the connection is over.
   */
  send<Key extends keyof SendsOf<Channel> & string>(
    message: Key,
    payload: SendsOf<Channel>[Key],
  ): Promise<void>
  /**
   * Sends a binary frame. Resolves and throws like {@link Connection.send}. Skips empty frames. Don't change `bytes`
   * after the call.
   */
  sendBinary(bytes: Uint8Array): Promise<void>
  /**
   * Sends every chunk of a source, as fast as the connection accepts them. Resolves when the source ends; rejects when
   * the source fails or the connection ends. To close the connection after the source has ended, call
   * {@link Connection.finish}. You don't have to await `sendFrom()` first: `finish()` waits for the source.
   */
  sendFrom(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void>
  /** Sends a text frame, without checking it against the contract. */
  sendText(text: string, options?: RawSendOptions): Promise<void>
  /** Sends a value as JSON, without checking it. Use this method for messages that the contract doesn't define. */
  sendJson(value: unknown, options?: RawSendOptions): Promise<void>
  /**
   * Sends a message and waits for a reply that the contract defines for the message. The reply may report success or
   * failure. A loop that reads the connection doesn't get this reply. Only one request is in progress at a time;
   * further requests wait.
   *
   * @throws The errors of {@link Connection.send}; TimeoutError if no reply arrives in time.
   */
  request<Key extends keyof SendsOf<Channel> & string>(
    message: Key,
    payload: SendsOf<Channel>[Key],
    options?: SocketRequestOptions,
  ): Promise<ReceivedMessage<Channel>>
  /**
   * Closes the connection now. Messages in the send buffer are still sent, as far as `closeTimeoutMs` allows. Messages
   * that are held back are rejected. Messages that still arrive can be read. To close only after everything has been
   * sent and read, use {@link Connection.finish}.
   */
  close(options?: CloseOptions): Promise<ConnectionEnd>
  /**
   * Closes the connection once everything is done: every source of `sendFrom()` has ended, the server has received
   * every byte, every message that arrived was read, and then nothing was sent or received for `quietMs`. A platform
   * that can't ping, such as a browser, doesn't show what the server has received. There, the client waits until
   * every byte has been written to the network.
   *
   * You can call this method while a source is being sent, however long the source takes. If no code is reading
   * messages, the method doesn't wait for a reader; messages can still be read after the connection has ended. If the
   * server closes the connection with code 1000 or 1005 after it has received everything, the connection ends without
   * an error. If nothing is sent, received or read for a minute although data or messages are pending, the connection
   * ends with an error that says what is missing.
   */
  finish(options?: FinishOptions): Promise<ConnectionEnd>
  /** Messages in the order in which they arrived. Leaving the loop doesn't close the connection. */
  [Symbol.asyncIterator](): AsyncIterator<Received<Channel>, undefined>
}

/**
 * A connection starts as `open`, may change to `reconnecting` and back, and ends as `closed`. After `close()`, an open
 * connection is `closing` first.
 *
 * @public
 */
export type ConnectionState = 'open' | 'reconnecting' | 'closing' | 'closed'

/** Options of a raw text or JSON message. @public */
export interface RawSendOptions {
  /**
   * Whether to send the message again on each new connection. Set this for messages that configure the channel.
   * Default: false.
   */
  readonly replay?: boolean
}

/** Options of a single request. @public */
export interface SocketRequestOptions {
  readonly signal?: AbortSignal
  /** Milliseconds to wait for the reply, including the wait for other requests. Default: 30,000. */
  readonly timeoutMs?: number
}

/** The close code and the reason to send to the server. @public */
export interface CloseOptions {
  /** Default: 1000. */
  readonly code?: number
  /** At most 123 bytes. */
  readonly reason?: string
}

/** Options of {@link Connection.finish}. @public */
export interface FinishOptions extends CloseOptions {
  /** The connection is closed once nothing was sent or received for this many milliseconds. Default: 5,000. */
  readonly quietMs?: number
}

/** How a connection ended. @public */
export interface ConnectionEnd {
  /** The close code (RFC 6455, section 7.4). 1005: a close frame without a code. 1006: no closing handshake. */
  readonly closeCode: number
  readonly reason: string
  /** Messages that were not sent. */
  readonly unsent: Unsent
  /** How many messages arrived but were dropped, because there was no room or because of an abort. */
  readonly dropped: number
  /** Why the connection ended, if it didn't end properly or something was lost. A reading loop throws this error. */
  readonly error?: unknown
}

/** An item that a connection yields: a message, or the gap at which a new connection replaced a lost one. @public */
export type Received<Channel> = ReceivedMessage<Channel> | UnknownMessage | Reconnected

/** A message that the contract defines. `message` is the key of the message in the contract. @public */
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
  /** The number of the new connection. The first connection of the channel has number 0. */
  readonly connection: number
  /**
   * Milliseconds from the server's last sign of life on the lost connection (a message, a pong or the close frame) to
   * the opening of the new connection. Anything that the server sent in this time, or was about to send, is lost.
   */
  readonly gapMs: number
  /** How many attempts to reconnect were made. */
  readonly attempts: number
  /** How the lost connection ended. */
  readonly closeCode: number
  readonly reason: string
  /** Bytes of binary messages that were sent on the lost connection. */
  readonly sentBytes: number
  /**
   * Bytes of binary messages that may be lost: everything sent on the lost connection, except bytes that are resent and
   * bytes that the server has heard (processed). If `reconnect.heard` returns true for a message from the
   * server, everything that the server received before it sent this message counts as heard. In Node, the client
   * sends a ping about every second to find out how much the server has received. On other platforms, bytes count as
   * received 5 seconds after they were written to the network. So on a slow network, more bytes may be lost than this
   * number says.
   */
  readonly possiblyLostBytes: number
  /** Bytes of binary messages that are sent again on the new connection (see `reconnect.resendBytes`). */
  readonly resentBytes: number
  /**
   * The messages that were in the send buffer when the connection was lost. Some of them may already have been sent.
   * They aren't sent again, except for binary messages that `reconnect.resendBytes` keeps and messages that are
   * marked for replay.
   */
  readonly unsent: Unsent
  /** Messages that were rejected while there was no connection. */
  readonly rejected: Unsent
  /** How many configuration messages (marked for replay by the contract or by `replay: true`) were sent again. */
  readonly replayed: number
  /** How many configuration messages were not sent again because there were more than 256. */
  readonly forgotten: number
}

/** Where a connection begins in the stream of all binary messages. For use in `rebase`. @public */
export interface ConnectionBase {
  /** The number of the connection. The first connection of the channel has number 0. */
  readonly connection: number
  /**
   * Milliseconds from the first binary message of the stream to the first binary message of this connection. A
   * message's time is when your code sent it, even if the client held the message back at first. Until a binary
   * message is sent on this connection, the time at which the connection was opened is used instead.
   */
  readonly offsetMs: number
  /**
   * How many bytes of binary messages precede the first binary message of this connection in the stream. Includes
   * messages that were rejected while there was no connection: they are part of the stream, although they were never
   * sent. Excludes messages that are resent on this connection.
   */
  readonly binaryBytesBefore: number
}

const AGAIN = 'Open a new connection, or use `reconnect`.'
const UNFINISHED =
  'The rest of the stream may be missing. If the server also closes like this when the stream is complete, ' +
  'pass `properEnd`. Otherwise, open a new connection, or use `reconnect`.'
const CHECK_SENT = 'Check what you sent: a new connection would probably end the same way.'

const MEANINGS: { readonly [code: number]: readonly [what: string, remedy: string] } = {
  1000: ['the server closed it, although the client had not finished', UNFINISHED],
  1001: ['the server is going away', AGAIN],
  1002: ['the server detected a protocol error', AGAIN],
  1003: ["the server doesn't accept this kind of message", CHECK_SENT],
  1005: ['the server closed it without a code, although the client had not finished', UNFINISHED],
  1006: ['it was lost without a closing handshake', AGAIN],
  1007: ['the server could not read a message', CHECK_SENT],
  1008: ['the server rejected a message', CHECK_SENT],
  1009: [
    'a message was too long',
    'If you sent it, send shorter messages. If the server sent it, raise `maxMessageBytes`.',
  ],
  1011: ['the server failed', AGAIN],
  1012: ['the server is restarting', AGAIN],
  1013: ['the server is overloaded', 'Open a new connection later, or use `reconnect`.'],
}

export function endedError(
  channel: string,
  what: string,
  details?: ConstructorParameters<typeof SocketError>[2],
  cause?: unknown,
): SocketError {
  return new SocketError('socket-closed', `${channel}: ${what}`, details, { operation: channel, cause })
}

/** Returns the error for a connection that the server or the network ended. */
export function closedError(channel: string, end: LinkEnd, unsent: Unsent, replaced: boolean): SocketError {
  const { closeCode, reason } = end
  const [what, remedy] = MEANINGS[closeCode] ?? ['the server ended it', AGAIN]
  return endedError(
    channel,
    `the connection ended because ${what} (close code ${closeCode}).` +
      (reason === '' ? '' : ` The server says: "${reason}".`) +
      ` ${replaced ? 'A new connection is being opened. Send the unfinished messages and requests again.' : remedy}`,
    { closeCode, reason, unsent },
    end.error,
  )
}

export function closingError(channel: string): SocketError {
  return endedError(
    channel,
    'the connection was closed by `close()` or `finish()`. Open a new connection to continue.',
  )
}

export function lossError(channel: string, unsent: Unsent, dropped: number): SocketError {
  const lost = listed(
    [unsent.messages, `up to ${unsent.messages} messages (${unsent.bytes} bytes) were not sent`],
    [dropped, `${dropped} received messages were dropped`],
  )
  return endedError(
    channel,
    `the connection was closed too early: ${lost}. To close after everything is sent and ` +
      'read, call `finish()`. To keep using `close()`, either read faster or raise `closeTimeoutMs`.',
    { unsent },
  )
}

export function stuckError(channel: string, bytes: number, messages: number): SocketError {
  const missing = listed(
    [bytes, `${bytes} bytes were not sent`],
    [messages, `${messages} received messages were not read`],
  )
  return endedError(
    channel,
    `\`finish()\` made no progress for a minute: ${missing || "the server hasn't received everything"}. ` +
      'Keep reading messages until the connection ends, and check the network.',
  )
}

function listed(...parts: readonly (readonly [count: number, text: string])[]): string {
  return parts.flatMap(([count, text]) => (count > 0 ? [text] : [])).join(', and ')
}

export function unreadError(channel: string, messages: number, bytes: number): SocketError {
  return new SocketError(
    'socket-overflow',
    `${channel}: ${messages} messages (${bytes} bytes) are waiting to be read, so the connection was closed. The ` +
      "messages can still be read. Read faster, raise the limits in `receiving`, or set `receiving.whenFull` to 'pressure'.",
    {},
    { operation: channel },
  )
}

export function silenceError(channel: string, silentMs: number): SocketError {
  const what = `no sign of life from the server for ${Math.round(silentMs)} ms, so the connection counts as lost.`
  return endedError(channel, what, { closeCode: 1006 })
}

export function unacknowledgedError(
  channel: string,
  message: string,
  limitMs: number,
  seen: number,
): TimeoutError {
  const outcome =
    seen === 0
      ? 'The service sent no message in that time'
      : `\`acknowledged\` returned false for ${seen === 1 ? 'the only message' : `all ${seen} messages`} that arrived in that time`
  return new TimeoutError(
    `${channel}: the message \`${message}\` was not acknowledged within ${limitMs} ms (\`acknowledgeTimeoutMs\`). ${outcome}. ` +
      (seen === 0
        ? `Check that the contents of \`${message}\` are valid, or raise \`acknowledgeTimeoutMs\`.`
        : `Check that \`acknowledged\` recognizes the acknowledgement, and that the contents of \`${message}\` are valid.`),
    { limitMs, elapsedMs: limitMs },
    { operation: channel },
  )
}

/** Returns the error code that a `socket` event contains. */
export function codeOf(error: unknown): string {
  return ConcordError.is(error) ? error.code : 'aborted'
}
