import type { Clock, Timer } from '../core/clock.ts'
import { OptionsError, SocketError } from '../core/errors.ts'
import type { RawHeaders } from '../http/transport.ts'

/**
 * Opens one WebSocket. This package has factories for Node (with the `ws` package), for Cloudflare Workers (with
 * `fetch`), for other platforms (with their own `WebSocket`) and for tests (in memory). You can also write your own.
 *
 * A factory returns at once, and reports all later events by calling the handlers. First, it calls `opened`, `denied`
 * or `failed`. After `opened`, it calls `message` for each message, and finally `closed`. A factory doesn't follow
 * redirects.
 *
 * @public
 */
export type SocketFactory = (request: SocketRequest, handlers: SocketHandlers) => RawSocket

/** A socket to be opened. @public */
export interface SocketRequest {
  /** The URL to connect to, with the scheme `ws` or `wss`. */
  readonly url: string
  /** Alternating header names (lowercase) and values. */
  readonly headers: readonly string[]
  /** Whether to offer compression (permessage-deflate) to the server. */
  readonly compression: boolean
  /** The maximum size of a received message. A larger message ends the connection (close code 1009). */
  readonly maxMessageBytes: number
  /** The clock for any timers that the socket needs. */
  readonly clock: Clock
}

/** A socket that is open or being opened. Its methods never throw. @public */
export interface RawSocket {
  /** Whether the socket accepts messages: it is open, and neither side has begun to close it. */
  readonly open: boolean
  /** The number of bytes that were passed to the socket, but not written to the network yet. */
  readonly bufferedBytes: number
  /**
   * Sends a string as a text frame, or bytes as a binary frame. With `notify`, the socket calls the handler `flushed`
   * when this frame has been written to the network. It may also call `flushed` earlier.
   */
  send(data: string | Uint8Array, notify: boolean): void
  /** Sends a ping. When its pong arrives, the socket calls the handler `pong` with `mark`. Absent if unsupported. */
  ping?(mark: number): void
  /**
   * Stops reading from the network. The socket may still pass on messages that it has already read. Absent if the
   * platform can't stop reading.
   */
  pause?(): void
  resume?(): void
  /** Begins the closing handshake. Messages that were sent earlier go out first. */
  close(code: number, reason: string): void
  /** Ends the connection at once. */
  terminate(): void
}

/** The callbacks of a socket. @public */
export interface SocketHandlers {
  opened(): void
  /** The server responded with something other than an upgrade. */
  denied(response: UpgradeResponse): void
  /** The connection failed: the server was not reached, or did not speak the protocol. */
  failed(error: unknown): void
  /** A message has arrived: a text frame as a string, or a binary frame as bytes. */
  message(data: string | Uint8Array): void
  /** The pong to the ping with this number has arrived. */
  pong(mark: number): void
  /**
   * Bytes were written to the network. A socket that can't detect this may call `flushed` at intervals while bytes
   * are buffered. After each call, the client reads `bufferedBytes` again.
   */
  flushed(): void
  /**
   * The connection is over: the server's close frame has arrived, or the connection has failed. The TCP connection
   * may end later. The code is 1005 if the close frame had no code, and 1006 if there was no closing handshake.
   * `error` is the cause, if known.
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

/** The part of a platform's `WebSocket` that the client uses. @public */
export interface PlatformWebSocket {
  binaryType: string
  readonly readyState: number
  /** Absent on some platforms. Everything then counts as sent. */
  readonly bufferedAmount?: number
  send(data: string | Uint8Array<ArrayBuffer>): void
  close(code?: number, reason?: string): void
  addEventListener(type: string, listener: (event: never) => void): void
}

const OPEN = 1

/** How often to read `bufferedAmount`. Platforms have no event that reports when data was sent. */
const RECHECK_MS = 10

/** Options of {@link platformSocketFactory}. @public */
export interface PlatformSocketOptions {
  /** Default: `globalThis.WebSocket`. */
  readonly WebSocket?: new (url: string) => PlatformWebSocket
  /**
   * Whether to omit the headers of the handshake. Set this to true if the base URL is that of your own relay, which
   * adds the credential. The relay then has to identify your users without these headers, for example by a cookie.
   * Default: false. With `false`, the factory throws an OptionsError if the handshake needs headers.
   */
  readonly relay?: boolean
}

/**
 * Makes sockets from the `WebSocket` of the platform (a browser, an edge runtime). These sockets can't send headers
 * or pings, don't show why a handshake was denied, and can't stop reading.
 *
 * @public
 */
export function platformSocketFactory(options: PlatformSocketOptions = {}): SocketFactory {
  return (request, handlers) => {
    const names = request.headers.filter((_, index) => index % 2 === 0)
    if (names.length > 0 && options.relay !== true) {
      throw new OptionsError(
        'socketFactory',
        `This platform's WebSocket can't send headers, but the handshake needs ${names.map((name) => `\`${name}\``).join(', ')}.`,
        'Pass a `socketFactory` that can send headers. In a browser, pass `platformSocketFactory({ relay: true })`, and ' +
          'connect through your own relay, which adds the credential.',
      )
    }
    const Class =
      options.WebSocket ??
      (globalThis as unknown as { WebSocket?: PlatformSocketOptions['WebSocket'] }).WebSocket
    if (Class === undefined) {
      throw new OptionsError('socketFactory', 'This platform has no WebSocket.', 'Pass a `socketFactory`.')
    }
    return new PlatformSocket(new Class(request.url), request, handlers)
  }
}

export class PlatformSocket implements RawSocket {
  readonly #socket: PlatformWebSocket
  readonly #request: SocketRequest
  readonly #handlers: SocketHandlers
  #timer: Timer | undefined = undefined
  #opened = false

  constructor(socket: PlatformWebSocket, request: SocketRequest, handlers: SocketHandlers) {
    this.#socket = socket
    this.#request = request
    this.#handlers = handlers
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('open', () => {
      this.#opened = true
      handlers.opened()
    })
    socket.addEventListener('message', (event: { readonly data: unknown }) => this.#onMessage(event.data))
    socket.addEventListener('close', (event: { readonly code: number; readonly reason: string }) => {
      this.#timer?.cancel()
      if (this.#opened) handlers.closed(event.code, event.reason)
      else handlers.failed(hiddenReasonError())
    })
  }

  /**
   * Wraps a `WebSocket` that is already open. The platform fires no `open` event for it, so this method calls
   * `opened`.
   */
  static accepted(
    socket: PlatformWebSocket,
    request: SocketRequest,
    handlers: SocketHandlers,
  ): PlatformSocket {
    const accepted = new PlatformSocket(socket, request, handlers)
    accepted.#opened = true
    handlers.opened()
    return accepted
  }

  get open(): boolean {
    return this.#socket.readyState === OPEN
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount ?? 0
  }

  send(data: string | Uint8Array, notify: boolean): void {
    this.#socket.send(data as string | Uint8Array<ArrayBuffer>)
    if (notify && this.#timer === undefined) this.#check()
  }

  #check(): void {
    this.#timer = this.#request.clock.setTimer(() => {
      this.#timer = undefined
      this.#handlers.flushed()
      if (this.open && this.bufferedBytes > 0) this.#check()
    }, RECHECK_MS)
  }

  #onMessage(data: unknown): void {
    if (typeof data === 'string') this.#handlers.message(data)
    else this.#handlers.message(new Uint8Array(data as ArrayBuffer))
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }

  /** A platform's `WebSocket` has no `terminate()`, so this method calls `close()`. */
  terminate(): void {
    this.#timer?.cancel()
    this.#socket.close()
  }
}

function hiddenReasonError(): SocketError {
  return new SocketError(
    'socket-denied',
    "The connection was not opened. This platform doesn't say whether the server denied the connection or couldn't be reached.",
  )
}
