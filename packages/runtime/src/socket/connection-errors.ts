import { ConcordError, SocketError, type Unsent } from '../core/errors.ts'
import type { Scrub } from '../core/redact.ts'
import type { LinkEnd } from './link.ts'

const SAYS: { readonly [code: number]: string } = {
  1000: 'it was closed as it should be',
  1001: 'the server is going away',
  1002: 'the server saw a mistake in the protocol',
  1003: 'the server does not take this kind of message',
  1005: 'it was closed without a code',
  1006: 'it was lost without a closing handshake; open another one, or connect with reconnect',
  1007: 'the server could not read a message',
  1008: 'the server refused a message',
  1009: 'a message was too long',
  1011: 'the server failed',
  1012: 'the server restarts',
  1013: 'the server is overloaded',
}

/** The error for a connection that the server or the network ended. */
export function closedError(channel: string, end: LinkEnd, unsent: Unsent, scrub: Scrub): SocketError {
  const { closeCode } = end
  const reason = scrub(end.reason)
  return new SocketError(
    'socket-closed',
    `${channel}: the connection is over: ${SAYS[closeCode] ?? 'the service ended it'} (close code ${closeCode}).` +
      (reason === '' ? '' : ` It says: ${reason}`),
    { closeCode, reason, unsent },
    { operation: channel, cause: end.error },
  )
}

/** What is told to those who send after, or waited until, the caller's own `close()`. */
export function closingError(channel: string): SocketError {
  return new SocketError(
    'socket-closed',
    `${channel}: the connection was closed by close(). Open another one to go on.`,
    {},
    { operation: channel },
  )
}

/** The reader was too slow for what the server sent. */
export function unreadError(channel: string, messages: number, bytes: number): SocketError {
  return new SocketError(
    'socket-overflow',
    `${channel}: ${messages} messages (${bytes} bytes) wait to be read, so the connection was ended; those can ` +
      "still be read. Read faster, raise the limits in receiving, or set receiving.whenFull to 'pressure'.",
    {},
    { operation: channel },
  )
}

/** What events say of an error: its code, or `aborted` for the caller's own reason. */
export function codeOf(error: unknown): string {
  return ConcordError.is(error) ? error.code : 'aborted'
}
