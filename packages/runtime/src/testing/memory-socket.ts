import type {
  RawSocket,
  UpgradeResponse,
  SocketFactory,
  SocketHandlers,
  SocketRequest,
} from '../socket/socket.ts'

/**
 * How the server handles a handshake:
 *
 * - `undefined`: it accepts the handshake.
 * - an object: it denies the handshake with this response.
 * - `unreachable`: the client can't reach it.
 * - `silent`: it never responds.
 *
 * @public
 */
export type MemoryHandshake =
  | undefined
  | void
  | 'unreachable'
  | 'silent'
  | (Partial<UpgradeResponse> & { status: number })

/**
 * The server's end of a socket in memory. Messages, pongs and close frames reach the client in order, in a later
 * microtask. A `drop()` takes effect at once.
 *
 * @public
 */
export interface MemoryPeer {
  readonly request: SocketRequest
  /** The headers of the handshake. */
  readonly headers: Headers
  readonly url: URL
  /** Messages from the client that the server has read, in order. */
  readonly received: readonly (string | Uint8Array)[]
  /** The client's close code and reason; undefined until the client closes the connection. */
  readonly closedBy: { readonly code: number; readonly reason: string } | undefined
  /** Whether the client has stopped reading. Messages from the server then wait until it reads again. */
  readonly paused: boolean
  /** The number of messages from the server that haven't reached the client yet. */
  readonly waiting: number
  /** Called for every message from the client. Set it in `onConnect`, so that no message is missed. */
  onMessage: ((data: string | Uint8Array) => void) | undefined
  /** Called when the client closes the connection, or terminates it (with the code 1006). */
  onClose: ((code: number, reason: string) => void) | undefined
  send(data: string | Uint8Array): void
  /** Closes the connection with a closing handshake. */
  close(code?: number, reason?: string): void
  /** Drops the connection without a closing handshake. */
  drop(): void
  /** Makes the network go silent: from now on, nothing arrives at either end, and neither end notices. */
  freeze(): void
  /** Stops reading: messages from the client stay in the client's send buffer. */
  stall(): void
  /** Starts to read again, beginning with the messages in the client's send buffer. */
  unstall(): void
}

/** Sockets in memory, and their peers. @public */
export interface MemorySockets {
  readonly socketFactory: SocketFactory
  /** The peers of all connections so far, in order. */
  readonly peers: readonly MemoryPeer[]
  /** All handshakes, including denied ones. */
  readonly requests: readonly SocketRequest[]
}

/**
 * Makes sockets that work in memory, without a network.
 *
 * @param onConnect Called for each handshake. Receives the server's end of the socket, and may keep it for later use.
 * Returns how the server handles the handshake. Default: the server accepts every handshake.
 * @public
 */
export function memorySockets(
  onConnect: (peer: MemoryPeer) => MemoryHandshake = () => undefined,
): MemorySockets {
  const peers: MemoryPeer[] = []
  const requests: SocketRequest[] = []
  return {
    peers,
    requests,
    socketFactory(request, handlers) {
      requests.push(request)
      const pair = new MemorySocket(request, handlers)
      queueMicrotask(() => {
        if (pair.over) return
        const response = onConnect(pair.peer)
        // The client may have given up while `onConnect` ran.
        if (response === 'silent' || pair.over) return
        if (response === undefined) {
          peers.push(pair.peer)
          pair.opened()
        } else pair.deny(response)
      })
      return pair
    },
  }
}

class MemorySocket implements RawSocket {
  readonly #handlers: SocketHandlers
  readonly peer: Peer
  #state: 'connecting' | 'open' | 'closing' | 'closed' = 'connecting'
  /** Functions that each let the peer read one message, ping or close frame in the send buffer. */
  #unread: (() => void)[] = []
  #incoming: { readonly event: () => void; readonly isMessage: boolean }[] = []
  #delivering = false
  bufferedBytes = 0
  paused = false

  constructor(request: SocketRequest, handlers: SocketHandlers) {
    this.#handlers = handlers
    this.peer = new Peer(request, this)
  }

  get open(): boolean {
    return this.#state === 'open'
  }

  get over(): boolean {
    return this.#state === 'closed'
  }

  get waiting(): number {
    return this.#incoming.filter(({ isMessage }) => isMessage).length
  }

  opened(): void {
    this.#state = 'open'
    this.#handlers.opened()
  }

  deny(response: 'unreachable' | (Partial<UpgradeResponse> & { status: number })): void {
    this.#state = 'closed'
    if (response === 'unreachable') this.#handlers.failed(new Error('unreachable'))
    else this.#handlers.denied({ headers: {}, body: '', ...response })
  }

  send(data: string | Uint8Array, notify: boolean): void {
    if (this.#state !== 'open') return
    // A copy, because the sender may change its buffer later.
    const sent = typeof data === 'string' ? data : data.slice()
    const sizeBytes = byteLength(data)
    this.bufferedBytes += sizeBytes
    this.#post(() => {
      this.bufferedBytes -= sizeBytes
      this.peer.take(sent)
      if (notify) this.#handlers.flushed()
    })
  }

  ping(mark: number): void {
    if (this.#state === 'open') this.#post(() => this.deliver(() => this.#handlers.pong(mark)))
  }

  #post(event: () => void): void {
    this.#unread.push(event)
    queueMicrotask(() => this.flush())
  }

  flush(): void {
    while (!this.peer.stalled && this.#state !== 'closed') {
      const next = this.#unread.shift()
      if (next === undefined) return
      next()
    }
  }

  /** Queues an event for the client. Events arrive in order, and wait while the client has stopped reading. */
  deliver(event: () => void, isMessage = false): void {
    if (this.peer.frozen) return
    this.#incoming.push({ event, isMessage })
    if (!this.#delivering) queueMicrotask(() => this.#run())
  }

  #run(): void {
    if (this.#delivering) return
    this.#delivering = true
    while (!this.paused && this.#state !== 'closed') {
      const next = this.#incoming.shift()
      if (next === undefined) break
      next.event()
    }
    this.#delivering = false
  }

  message(data: string | Uint8Array): void {
    this.#handlers.message(data)
  }

  end(code: number, reason: string): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#handlers.closed(code, reason)
  }

  /** Called when the server closes the connection: the client may no longer send. */
  closing(): void {
    if (this.#state === 'open') this.#state = 'closing'
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
    queueMicrotask(() => this.#run())
  }

  close(code: number, reason: string): void {
    if (this.#state !== 'open') return
    this.#state = 'closing'
    this.#post(() => {
      this.peer.closing(code, reason)
      this.deliver(() => this.end(code, reason))
    })
  }

  terminate(): void {
    if (this.#state === 'closed') return
    const wasOpen = this.#state !== 'connecting'
    this.#state = 'closed'
    this.#unread = []
    if (!wasOpen) return
    if (!this.peer.frozen) this.peer.closing(1006, '')
    queueMicrotask(() => this.#handlers.closed(1006, ''))
  }
}

class Peer implements MemoryPeer {
  readonly request: SocketRequest
  readonly headers = new Headers()
  readonly url: URL
  readonly received: (string | Uint8Array)[] = []
  closedBy: { readonly code: number; readonly reason: string } | undefined = undefined
  onMessage: ((data: string | Uint8Array) => void) | undefined = undefined
  onClose: ((code: number, reason: string) => void) | undefined = undefined
  stalled = false
  frozen = false
  readonly #socket: MemorySocket

  constructor(request: SocketRequest, socket: MemorySocket) {
    this.request = request
    this.url = new URL(request.url)
    this.#socket = socket
    const { headers } = request
    for (let index = 0; index < headers.length; index += 2)
      this.headers.append(headers[index] ?? '', headers[index + 1] ?? '')
  }

  get paused(): boolean {
    return this.#socket.paused
  }

  get waiting(): number {
    return this.#socket.waiting
  }

  take(data: string | Uint8Array): void {
    if (this.frozen) return
    this.received.push(data)
    this.onMessage?.(data)
  }

  closing(code: number, reason: string): void {
    if (this.closedBy !== undefined) return
    this.closedBy = { code, reason }
    this.onClose?.(code, reason)
  }

  send(data: string | Uint8Array): void {
    this.#socket.deliver(() => this.#socket.message(data), true)
  }

  close(code = 1000, reason = ''): void {
    this.#socket.deliver(() => {
      this.#socket.closing()
      this.#socket.end(code, reason)
    })
  }

  drop(): void {
    this.#socket.end(1006, '')
  }

  freeze(): void {
    this.frozen = true
  }

  stall(): void {
    this.stalled = true
  }

  unstall(): void {
    this.stalled = false
    this.#socket.flush()
  }
}

const encoder = new TextEncoder()

function byteLength(data: string | Uint8Array): number {
  return typeof data === 'string' ? encoder.encode(data).length : data.length
}
