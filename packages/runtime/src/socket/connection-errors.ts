import { ConcordError, SocketError, TimeoutError, type Unsent } from '../core/errors.ts'
import type { Scrub } from '../core/redact.ts'
import type { LinkEnd } from './link.ts'

const MEANINGS: { readonly [code: number]: string } = {
  1000: 'the server closed it, although the client had not finished',
  1001: 'the server is going away',
  1002: 'the server saw a protocol error',
  1003: "the server doesn't accept this kind of message",
  1005: 'the server closed it without a code, although the client had not finished',
  1006: 'it was lost without a closing handshake',
  1007: 'the server could not read a message',
  1008: 'the server rejected a message',
  1009: 'a message was too long',
  1011: 'the server failed',
  1012: 'the server restarts',
  1013: 'the server is overloaded',
}

/**
 * Returns the error for a connection that the server or the network ended.
 *
 * @param replaced Whether a new connection replaces it.
 */
export function closedError(
  channel: string,
  end: LinkEnd,
  unsent: Unsent,
  { scrub, replaced }: { readonly scrub: Scrub; readonly replaced: boolean },
): SocketError {
  const { closeCode } = end
  const reason = scrub(end.reason)
  const remedy = replaced
    ? ' A new connection is being opened; send again what was under way.'
    : closeCode === 1000 || closeCode === 1005
      ? ' The rest of the stream is missing. If this is how the stream ends, say so with properEnd; else open a new ' +
        'connection, or use reconnect.'
      : closeCode === 1006
        ? ' Open a new connection, or use reconnect.'
        : ''
  return new SocketError(
    'socket-closed',
    `${channel}: the connection is over: ${MEANINGS[closeCode] ?? 'the server ended it'} (close code ${closeCode}).` +
      (reason === '' ? '' : ` The server says: "${reason}".`) +
      remedy,
    { closeCode, reason, unsent },
    { operation: channel, cause: end.error },
  )
}

/** For callers that send after, or wait during, their own `close()`. */
export function closingError(channel: string): SocketError {
  return new SocketError(
    'socket-closed',
    `${channel}: the connection was closed by close() or finish(). Open a new one to continue.`,
    {},
    { operation: channel },
  )
}

/** The caller closed the connection, and not everything got through. */
export function lossError(channel: string, unsent: Unsent, dropped: number): SocketError {
  const lost = [
    ...(unsent.messages > 0
      ? [`up to ${unsent.messages} messages (${unsent.bytes} bytes) were not sent`]
      : []),
    ...(dropped > 0 ? [`${dropped} received messages were dropped`] : []),
  ]
  return new SocketError(
    'socket-closed',
    `${channel}: the connection was closed too early: ${lost.join(', and ')}. Use finish() to close ` +
      'after everything has been sent and read, read faster, or raise closeTimeoutMs.',
    { unsent },
    { operation: channel },
  )
}

/** `finish()` waited, and nothing happened. */
export function stuckError(channel: string, bytes: number, messages: number): SocketError {
  const missing = [
    ...(bytes > 0 ? [`${bytes} bytes have not left`] : []),
    ...(messages > 0 ? [`${messages} received messages were not read`] : []),
  ]
  return new SocketError(
    'socket-closed',
    `${channel}: finish() saw no progress for a minute: ${missing.join(', and ') || "a source hasn't ended, or the server hasn't taken everything"}. ` +
      'Keep reading until the loop ends, and check the network.',
    {},
    { operation: channel },
  )
}

/** The reader was too slow for what the server sent. */
export function unreadError(channel: string, messages: number, bytes: number): SocketError {
  return new SocketError(
    'socket-overflow',
    `${channel}: ${messages} messages (${bytes} bytes) are waiting to be read, so the connection was ended; they can ` +
      "still be read. Read faster, raise the limits in receiving, or set receiving.whenFull to 'pressure'.",
    {},
    { operation: channel },
  )
}

/** The server and the network showed no sign of life. */
export function silenceError(channel: string, silentMs: number): SocketError {
  return new SocketError(
    'socket-closed',
    `${channel}: no sign of life from the server for ${Math.round(silentMs)} ms, so the connection counts as lost.`,
    { closeCode: 1006 },
    { operation: channel },
  )
}

/** No received message was the acknowledgement. */
export function unacknowledgedError(
  channel: string,
  message: string,
  limitMs: number,
  seen: number,
): TimeoutError {
  return new TimeoutError(
    `${channel}: ${message} was not acknowledged within ${limitMs} ms (acknowledgeTimeoutMs); \`acknowledged\` returned ` +
      `true for none of ${seen} messages that have arrived since. Check that it recognizes the acknowledgement, and that the ` +
      `contents of ${message} are valid.`,
    { limitMs, elapsedMs: limitMs },
    { operation: channel },
  )
}

/** Returns what events say about an error: its code, or `aborted` for a reason of the caller. */
export function codeOf(error: unknown): string {
  return ConcordError.is(error) ? error.code : 'aborted'
}
