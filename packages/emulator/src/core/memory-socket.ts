import { headersOf } from './reply.ts'
import type { SocketEndpoint, Wire, WireEvents } from './socket-service.ts'

/**
 * Opens a WebSocket to a service of the emulator, without using the network. The function has the signature of a
 * Concord client's `socketFactory` option.
 *
 * @public
 */
export type EmulatorSocketFactory = (
  request: EmulatorSocketRequest,
  handlers: EmulatorSocketHandlers,
) => EmulatorSocket

/** A request to open a socket. @public */
export interface EmulatorSocketRequest {
  /** The URL, with the scheme `ws` or `wss`. */
  readonly url: string
  /** Header names and values, alternating. */
  readonly headers: readonly string[]
  /**
   * The maximum size of a received message; by default, unlimited. A larger message closes the socket with code 1009.
   */
  readonly maxMessageBytes?: number
}

/** The client's end of a WebSocket. None of its methods throws. @public */
export interface EmulatorSocket {
  /** Whether messages can be sent. */
  readonly open: boolean
  /** How many bytes are still in the send buffer. The buffer empties as the emulator reads. */
  readonly bufferedBytes: number
  /** Sends a frame, as text or as bytes. If `notify` is true, calls `flushed` when the frame has left the buffer. */
  send(data: string | Uint8Array, notify: boolean): void
  /** Stops receiving messages until `resume` is called. */
  pause(): void
  resume(): void
  /** Starts the closing handshake. Everything that was sent earlier is delivered first. */
  close(code: number, reason: string): void
  /** Ends the connection immediately. */
  terminate(): void
}

/** The callbacks of a socket. @public */
export interface EmulatorSocketHandlers {
  opened(): void
  /** The emulator denied the upgrade. */
  denied(response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }): void
  failed(error: unknown): void
  message(data: string | Uint8Array): void
  flushed(): void
  closed(code: number, reason: string, error?: unknown): void
}

/** How many unread bytes the simulated network can hold. Any further bytes remain in the sender's buffer. */
const WINDOW_BYTES = 64 * 1024

type Item = { data: string | Uint8Array; bytes: number } | { code: number; reason: string }

export function memorySockets(app: SocketEndpoint): EmulatorSocketFactory {
  return (request, handlers) => {
    const gone = new AbortController()
    const client = new SocketEnd(request.maxMessageBytes ?? Infinity)
    const server = new SocketEnd(app.messageLimitBytes)
    client.peer = server
    server.peer = client
    let isConnecting = true
    const settle = (callback: () => void) => {
      if (!isConnecting) return
      isConnecting = false
      callback()
    }
    const fail = (error: unknown) => settle(() => handlers.failed(error))

    async function connect(): Promise<void> {
      const url = new URL(request.url.replace(/^ws/, 'http'))
      const headers = headersOf(request.headers)
      const result = await app.upgrade({ url, headers, signal: gone.signal })
      if (result.denial) {
        const { status, headers: own } = result.denial
        const body = await result.denial.text()
        settle(() => handlers.denied({ status, headers: Object.fromEntries(own), body }))
        return
      }
      if (gone.signal.aborted) {
        result.abandon()
        return
      }
      isConnecting = false
      server.open({ ...result.accept(server.wire), flushed() {} })
      client.open({
        frame: (data) => handlers.message(data),
        closed: (code, reason, error) => handlers.closed(code, reason, error),
        flushed: () => handlers.flushed(),
      })
      handlers.opened()
    }
    connect().catch(fail)

    return {
      get open() {
        return client.isOpen
      },
      get bufferedBytes() {
        return client.bufferedBytes
      },
      send: (data, notify) => client.send(data, notify),
      pause: () => client.setPaused(true),
      resume: () => client.setPaused(false),
      close: (code, reason) => (isConnecting ? cancel() : client.wire.close(code, reason)),
      terminate: () => (isConnecting ? cancel() : client.wire.terminate()),
    }

    function cancel(): void {
      const error = new DOMException('The connection was canceled before it opened.', 'AbortError')
      gone.abort(error)
      queueMicrotask(() => fail(error))
    }
  }
}

interface EndEvents extends WireEvents {
  closed(code: number, reason: string, error?: unknown): void
  flushed(): void
}

/** One end of a socket. It processes its queue of received items in order, one item per microtask. */
class SocketEnd {
  peer: SocketEnd | undefined
  readonly wire: Wire = {
    send: (frame) => this.send(frame, false),
    close: (code, reason) => this.#close(code, reason),
    fail: (error) => {
      this.peer?.scheduleFinish(1011, error.message, error)
      this.scheduleFinish(1011, error.message)
    },
    terminate: () => {
      this.scheduleFinish(1006, '')
      this.peer?.scheduleFinish(1006, '')
    },
    pause: () => this.setPaused(true),
  }
  readonly #limitBytes: number
  #state: 'connecting' | 'open' | 'closing' | 'closed' = 'connecting'
  #events: EndEvents | undefined
  #queue: Item[] = []
  #head = 0
  /** How many bytes the other end has sent in total, and how many of them this end has read. */
  #offeredBytes = 0
  #takenBytes = 0
  /** For each pending call of `notify`, the value of `#offeredBytes` at the time of the call. */
  #marks: number[] = []
  #isPaused = false
  #isPumping = false

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get isOpen(): boolean {
    return this.#state === 'open'
  }

  get bufferedBytes(): number {
    return this.peer?.excessBytes ?? 0
  }

  /** How many bytes are still in the other end's send buffer. */
  get excessBytes(): number {
    return Math.max(0, this.#offeredBytes - this.#takenBytes - WINDOW_BYTES)
  }

  open(events: EndEvents): void {
    if (this.#state === 'connecting') this.#state = 'open'
    this.#events = events
    void this.#pump()
  }

  send(data: string | Uint8Array, notify: boolean): void {
    if (this.#state !== 'open') return
    // Copy the bytes, because the sender may reuse its buffer.
    const own = typeof data === 'string' ? data : data.slice()
    this.peer?.offer({ data: own, bytes: typeof own === 'string' ? Buffer.byteLength(own) : own.length })
    if (notify) this.peer?.notify()
  }

  setPaused(paused: boolean): void {
    this.#isPaused = paused
    if (!paused) void this.#pump()
  }

  offer(item: Item): void {
    if (this.#state === 'closed') return
    this.#queue.push(item)
    if ('bytes' in item) this.#offeredBytes += item.bytes
    void this.#pump()
  }

  /** Calls the peer's `flushed` when the bytes that the peer has sent so far have left its buffer. */
  notify(): void {
    this.#marks.push(this.#offeredBytes)
    queueMicrotask(() => this.#notifyFlushed())
  }

  flushed(): void {
    this.#events?.flushed()
  }

  scheduleFinish(code: number, reason: string, error?: unknown): void {
    queueMicrotask(() => this.#finish(code, reason, error))
  }

  #close(code: number, reason: string): void {
    if (this.#state !== 'open') return
    this.#state = 'closing'
    this.peer?.offer({ code, reason })
  }

  #next(): Item | undefined {
    if (this.#isPaused || this.#state === 'closed' || !this.#events) return undefined
    const item = this.#queue[this.#head]
    if (!item) return undefined
    this.#head++
    if (this.#head > 1_024 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    return item
  }

  async #pump(): Promise<void> {
    if (this.#isPumping) return
    this.#isPumping = true
    await undefined
    for (let item = this.#next(); item; item = this.#next()) {
      this.#take(item)
      await undefined
    }
    this.#isPumping = false
  }

  #take(item: Item): void {
    if ('code' in item) {
      const isReply = this.#state === 'closing'
      this.#finish(item.code, item.reason)
      if (!isReply) this.peer?.offer(item)
      return
    }
    this.#takenBytes += item.bytes
    this.#notifyFlushed()
    if (item.bytes > this.#limitBytes) this.wire.close(1009, 'The message is too long.')
    else this.#events?.frame(item.data)
  }

  #notifyFlushed(): void {
    while (this.#marks[0] !== undefined && this.#marks[0] <= this.#takenBytes + WINDOW_BYTES) {
      this.#marks.shift()
      this.peer?.flushed()
    }
  }

  #finish(code: number, reason: string, error?: unknown): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#queue = []
    this.#head = 0
    this.#marks = []
    this.#events?.closed(code, reason, error)
  }
}
