import type { Clock } from '../core/clock.ts'
import type { RawHeaders } from '../http/transport.ts'

/**
 * Opens one WebSocket. The runtime has one for Node (the `ws` package), one for other hosts (their own `WebSocket`)
 * and one for tests (in memory); a caller can bring another.
 *
 * It returns at once and tells the rest through the handlers: `opened`, `refused` or `failed` once; after `opened`
 * any number of messages, and then `closed` once. It follows no redirect.
 *
 * @public
 */
export type SocketFactory = (request: SocketRequest, handlers: SocketHandlers) => RawSocket

/** A socket to be opened. @public */
export interface SocketRequest {
  /** With the scheme `ws` or `wss`. */
  readonly url: string
  /** Names, in lower case, and values by turns. */
  readonly headers: readonly string[]
  /** Whether to offer permessage-deflate. */
  readonly compression: boolean
  /** A longer message ends the connection (close code 1009). */
  readonly maxMessageBytes: number
  /** Where waits get their time from. */
  readonly clock: Clock
}

/** An open socket, or one that is being opened. None of its methods throws. @public */
export interface RawSocket {
  /** Whether it takes messages: it is open, and neither side has begun to close it. */
  readonly open: boolean
  /** Bytes that were given to it and did not yet leave for the network. */
  readonly bufferedBytes: number
  /** Sends a text or a binary frame. With `notify`, `flushed` is called once `bufferedBytes` has fallen behind it. */
  send(data: string | Uint8Array, notify: boolean): void
  /** Stops reading from the network, where the host can. A few messages that were read already may still come. */
  pause?(): void
  resume?(): void
  /** Begins the closing handshake; what was sent before goes out first. */
  close(code: number, reason: string): void
  /** Ends the connection at once. */
  terminate(): void
}

/** What a socket tells. @public */
export interface SocketHandlers {
  opened(): void
  /** The server answered with something else than an upgrade. */
  refused(answer: SocketAnswer): void
  /** There is no connection: the server was not reached, or did not speak the protocol. */
  failed(error: unknown): void
  /** A text frame as a string, a binary frame as bytes. */
  message(data: string | Uint8Array): void
  flushed(): void
  /** It is over. 1005: without a code, 1006: without a closing handshake; `error` says why where that is known. */
  closed(code: number, reason: string, error?: unknown): void
}

/** The answer to an upgrade that was refused. @public */
export interface SocketAnswer {
  readonly status: number
  readonly headers: RawHeaders
  /** At most the first 64 KiB. */
  readonly body: string
}
