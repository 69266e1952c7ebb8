import type { Timer } from '../core/clock.ts'
import { OptionsError, SocketError } from '../core/errors.ts'
import type { RawSocket, SocketFactory, SocketHandlers, SocketRequest } from './socket.ts'

/** The part of a host's `WebSocket` that is used. @public */
export interface PlatformWebSocket {
  binaryType: string
  readonly readyState: number
  /** Absent on some hosts, which then count as having sent everything. */
  readonly bufferedAmount?: number
  send(data: string | Uint8Array<ArrayBuffer>): void
  close(code?: number, reason?: string): void
  addEventListener(type: string, listener: (event: never) => void): void
}

const OPEN = 1

/** How often to read `bufferedAmount`, since the host has no event for sent data. */
const RECHECK_MS = 10

/** How the host's own `WebSocket` is used. @public */
export interface PlatformSocketOptions {
  /** Default: `globalThis.WebSocket`. */
  readonly WebSocket?: new (url: string) => PlatformWebSocket
  /**
   * Leaves out the headers, because a relay of yours at the base address adds the credential. The relay has to know by
   * other means, such as a cookie, who connects. Default false: a handshake that needs headers is rejected.
   */
  readonly relay?: boolean
}

/**
 * Makes sockets from the host's own `WebSocket` (a browser, an edge runtime). It cannot send headers or pings, doesn't
 * show how a handshake was denied, and cannot stop reading.
 *
 * @public
 */
export function platformSocketFactory(options: PlatformSocketOptions = {}): SocketFactory {
  return (request, handlers) => {
    const names = request.headers.filter((_, index) => index % 2 === 0)
    if (names.length > 0 && options.relay !== true) {
      throw new OptionsError(
        'socketFactory',
        `This host's WebSocket cannot send headers, and the handshake needs ${names.join(', ')}.`,
        'Pass a `socketFactory` that can. In a page, connect through a relay of yours that adds the credential, with ' +
          '`platformSocketFactory({ relay: true })`.',
      )
    }
    const Class =
      options.WebSocket ??
      (globalThis as unknown as { WebSocket?: PlatformSocketOptions['WebSocket'] }).WebSocket
    if (Class === undefined) {
      throw new OptionsError('socketFactory', 'This host has no WebSocket.', 'Pass a `socketFactory`.')
    }
    return new PlatformSocket(new Class(request.url), request, handlers)
  }
}

/** A socket on a `WebSocket` of the host. */
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
      else handlers.failed(hidden())
    })
  }

  /** Returns a socket whose `WebSocket` is open from the beginning, so that the host doesn't report it. */
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

  /** There is no other way to end it here. */
  terminate(): void {
    this.#timer?.cancel()
    this.#socket.close()
  }
}

function hidden(): SocketError {
  return new SocketError(
    'socket-denied',
    'The connection was not opened. This host does not say whether the server denied it or was not reached.',
  )
}
