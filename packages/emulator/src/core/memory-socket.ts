import type { ConnectionBrokenError } from './errors.ts'
import type { SocketApp } from './socket-app.ts'
import type { Wire, WireEvents } from './wire.ts'

/**
 * Opens a WebSocket to a service of the emulator without a port. The socket factory of a Concord client has this
 * form, so it can be handed to one as it is.
 *
 * @public
 */
export type EmulatorSocketFactory = (
  request: EmulatorSocketRequest,
  handlers: EmulatorSocketHandlers,
) => EmulatorSocket

/** A socket to be opened. @public */
export interface EmulatorSocketRequest {
  /** With the scheme `ws` or `wss`. */
  readonly url: string
  /** Names and values by turns. */
  readonly headers: readonly string[]
  /** A longer message ends the connection with close code 1009. By default there is no limit. */
  readonly maxMessageBytes?: number
}

/** The client's end of a WebSocket. None of its methods throws. @public */
export interface EmulatorSocket {
  /** Whether it takes messages. */
  readonly open: boolean
  /** Bytes that did not leave yet, because the emulator takes no more. */
  readonly bufferedBytes: number
  /** Sends a text or a binary frame. With `notify`, `flushed` is called once it has left. */
  send(data: string | Uint8Array, notify: boolean): void
  /** Takes no more messages for now. */
  pause(): void
  resume(): void
  /** Begins the closing handshake; what was sent before goes first. */
  close(code: number, reason: string): void
  /** Ends the connection at once. */
  terminate(): void
}

/** What a socket tells. @public */
export interface EmulatorSocketHandlers {
  opened(): void
  /** The emulator refused the upgrade. */
  refused(answer: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }): void
  failed(error: unknown): void
  message(data: string | Uint8Array): void
  flushed(): void
  closed(code: number, reason: string, error?: unknown): void
}

/**
 * As on a network, this many bytes are under way at once, and what is under way has left the sender: more is buffered by
 * it until the other end has taken some.
 */
const WINDOW_BYTES = 64 * 1024

type Item = { data: string | Uint8Array; bytes: number } | { code: number; reason: string }

/** Makes the factory of one service. */
export function memorySockets(app: SocketApp): EmulatorSocketFactory {
  return (request, handlers) => {
    const gone = new AbortController()
    const client = createEnd(request.maxMessageBytes ?? Infinity)
    const server = createEnd(app.messageLimitBytes)
    client.peer = server
    server.peer = client
    let isConnecting = true
    const fail = (error: unknown) => {
      if (!isConnecting) return
      isConnecting = false
      handlers.failed(error)
    }

    async function connect(): Promise<void> {
      const url = new URL(request.url.replace(/^ws/, 'http'))
      const headers = new Headers()
      for (let index = 0; index < request.headers.length; index += 2)
        headers.append(request.headers[index] ?? '', request.headers[index + 1] ?? '')
      const answer = await app.upgrade({ url, headers, remoteAddress: '127.0.0.1', signal: gone.signal })
      if (answer.refusal) {
        const body = await answer.refusal.text()
        if (!isConnecting) return
        isConnecting = false
        const { status } = answer.refusal
        handlers.refused({ status, headers: Object.fromEntries(answer.refusal.headers), body })
        return
      }
      if (gone.signal.aborted) {
        answer.abandon()
        return
      }
      isConnecting = false
      server.open({ ...answer.accept(server.wire), flushed() {} })
      client.open({
        frame: (data) => handlers.message(data),
        closed: (code, reason, error) => handlers.closed(code, reason, error),
        flushed: () => handlers.flushed(),
      })
      handlers.opened()
    }
    connect().catch((error: ConnectionBrokenError | Error) => fail(error))

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
      close(code, reason) {
        if (isConnecting) cancel()
        else client.wire.close(code, reason)
      },
      terminate() {
        if (isConnecting) cancel()
        else client.wire.terminate()
      },
    }

    function cancel(): void {
      const error = new DOMException('The connection was given up before it was open.', 'AbortError')
      gone.abort(error)
      queueMicrotask(() => fail(error))
    }
  }
}

interface EndEvents extends WireEvents {
  closed(code: number, reason: string, error?: unknown): void
  flushed(): void
}

interface End {
  peer: End | undefined
  readonly isOpen: boolean
  /** Bytes that this end was given and that did not leave yet. */
  readonly bufferedBytes: number
  readonly wire: Wire
  open(events: EndEvents): void
  send(data: string | Uint8Array, notify: boolean): void
  setPaused(paused: boolean): void
  /** Puts what the other end sent into this end's queue. */
  offer(item: Item): void
  /** Bytes that the other end sent and that cannot be under way yet. */
  readonly excessBytes: number
  /** Calls the other end's `flushed` once everything that it sent so far is under way. */
  notify(): void
  flushed(): void
  end(code: number, reason: string, error?: unknown): void
}

/** One of the two ends: a queue of what came, taken in order, one message a microtask. */
function createEnd(limitBytes: number): End {
  let state: 'connecting' | 'open' | 'closing' | 'closed' = 'connecting'
  let events: EndEvents | undefined
  let queue: Item[] = []
  let head = 0
  /** Bytes that were offered and taken since the beginning. */
  let offeredBytes = 0
  let takenBytes = 0
  /** Where in `offeredBytes` somebody waits to be told. */
  let marks: number[] = []
  let isPaused = false
  let isPumping = false

  /** The next item, if any may be taken now. */
  function next(): Item | undefined {
    if (isPaused || state === 'closed' || !events) return undefined
    const item = queue[head]
    if (!item) return undefined
    head++
    if (head > 1_024 && head * 2 > queue.length) {
      queue = queue.slice(head)
      head = 0
    }
    return item
  }

  async function pump(): Promise<void> {
    if (isPumping) return
    isPumping = true
    await undefined
    for (let item = next(); item; item = next()) {
      take(item)
      await undefined
    }
    isPumping = false
  }

  function take(item: Item): void {
    if ('code' in item) {
      const isAnswer = state === 'closing'
      finish(item.code, item.reason)
      if (!isAnswer) end.peer?.offer(item)
      return
    }
    takenBytes += item.bytes
    tellFlushed()
    if (item.bytes > limitBytes) {
      end.wire.close(1009, 'The message is too long.')
      return
    }
    events?.frame(item.data)
  }

  function tellFlushed(): void {
    while (marks[0] !== undefined && marks[0] <= takenBytes + WINDOW_BYTES) {
      marks.shift()
      end.peer?.flushed()
    }
  }

  function finish(code: number, reason: string, error?: unknown): void {
    if (state === 'closed') return
    state = 'closed'
    queue = []
    head = 0
    marks = []
    events?.closed(code, reason, error)
  }

  const end: End = {
    peer: undefined,
    get isOpen() {
      return state === 'open'
    },
    get bufferedBytes() {
      return end.peer?.excessBytes ?? 0
    },
    get excessBytes() {
      return Math.max(0, offeredBytes - takenBytes - WINDOW_BYTES)
    },
    open(own) {
      if (state === 'connecting') state = 'open'
      events = own
      void pump()
    },
    send(data, notify) {
      if (state !== 'open') return
      // A copy: the sender may use its memory again.
      const own = typeof data === 'string' ? data : data.slice()
      end.peer?.offer({ data: own, bytes: typeof own === 'string' ? Buffer.byteLength(own) : own.length })
      if (notify) end.peer?.notify()
    },
    setPaused(paused) {
      isPaused = paused
      if (!paused) void pump()
    },
    offer(item) {
      if (state === 'closed') return
      queue.push(item)
      if ('bytes' in item) offeredBytes += item.bytes
      void pump()
    },
    notify() {
      marks.push(offeredBytes)
      queueMicrotask(tellFlushed)
    },
    flushed: () => events?.flushed(),
    end(code, reason, error) {
      queueMicrotask(() => finish(code, reason, error))
    },
    wire: {
      send: (frame) => end.send(frame, false),
      close(code, reason) {
        if (state !== 'open') return
        state = 'closing'
        end.peer?.offer({ code, reason })
      },
      fail(error) {
        if (end.peer) end.peer.end(1011, error.message, error)
        end.end(1011, error.message)
      },
      terminate() {
        end.end(1006, '')
        end.peer?.end(1006, '')
      },
      pause: () => end.setPaused(true),
    },
  }
  return end
}
