import type { Clock } from '../core/clock.ts'
import type { RawHeaders } from '../http/transport.ts'

/**
 * Opens one WebSocket. The runtime has one for Node (the `ws` package), one for other hosts (their own `WebSocket`)
 * and one for tests (in memory); callers can bring another.
 *
 * It returns at once and reports the rest through the handlers: `opened`, `denied` or `failed` once; after `opened`
 * any number of messages, then `closed` once. It doesn't follow redirects.
 *
 * @public
 */
export type SocketFactory = (request: SocketRequest, handlers: SocketHandlers) => RawSocket

/** A socket to be opened. @public */
export interface SocketRequest {
  /** With the scheme `ws` or `wss`. */
  readonly url: string
  /** Alternating header names (lowercase) and values. */
  readonly headers: readonly string[]
  /** Whether to offer permessage-deflate. */
  readonly compression: boolean
  /** A longer message ends the connection (close code 1009). */
  readonly maxMessageBytes: number
  /** The source of time for waits. */
  readonly clock: Clock
}

/** An open socket, or one that is being opened. None of its methods throws. @public */
export interface RawSocket {
  /** Whether it takes messages: it is open, and neither side has begun to close it. */
  readonly open: boolean
  /** Bytes that were passed to it and have not left for the network. */
  readonly bufferedBytes: number
  /** Sends a string as a text frame, bytes as a binary one. With `notify`, `flushed` is called once this frame has left for the network. */
  send(data: string | Uint8Array, notify: boolean): void
  /** Sends a ping with this number, if the host can. Its pong is reported with the same number. */
  ping?(mark: number): void
  /** Stops reading from the network, if the host can. A few messages that were already read may still arrive. */
  pause?(): void
  resume?(): void
  /** Begins the closing handshake; what was sent before goes out first. */
  close(code: number, reason: string): void
  /** Ends the connection at once. */
  terminate(): void
}

/** The callbacks of a socket. @public */
export interface SocketHandlers {
  opened(): void
  /** The server responded with something other than an upgrade. */
  denied(response: UpgradeResponse): void
  /** There is no connection: the server was not reached, or did not speak the protocol. */
  failed(error: unknown): void
  /** A text frame as a string, a binary frame as bytes. */
  message(data: string | Uint8Array): void
  /** The pong to the ping with this number. */
  pong(mark: number): void
  flushed(): void
  /**
   * It is over, at the latest when the server's close frame arrives: TCP may end later. 1005: without a code, 1006:
   * without a closing handshake; `error` says why, if known.
   */
  closed(code: number, reason: string, error?: unknown): void
}

/** The response to an upgrade that the server denied. @public */
export interface UpgradeResponse {
  readonly status: number
  readonly headers: RawHeaders
  /** At most the first 64 KiB. */
  readonly body: string
}
