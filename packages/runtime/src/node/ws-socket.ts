import type { Agent, IncomingMessage } from 'node:http'
import { type ClientOptions, WebSocket } from 'ws'
import type { Clock } from '../core/clock.ts'
import { ConnectionError } from '../core/errors.ts'
import { load } from '../core/async.ts'
import type { RawHeaders } from '../http/transport.ts'
import type { RawSocket, SocketFactory, SocketHandlers, SocketRequest } from '../socket/socket.ts'
import { connectionPhase, PHASE_ADVICE } from './connection-error.ts'
import { FrameWriter } from './frame-writer.ts'

/** How sockets are opened in Node. @public */
export interface NodeSocketOptions {
  /** A custom agent, such as one for a proxy. */
  readonly agent?: Agent
}

/** The number of bytes to read of the response to a declined upgrade. */
const MAX_DENIAL_BYTES = 65_536
/** How long a server may take to end TCP after its close frame. */
const LINGER_MS = 5_000
/** The owner of a socket limits its closing handshake; this only ensures that an abandoned one is closed eventually. */
const LAST_RESORT_MS = 3_600_000

/** Makes sockets with the `ws` package. @public */
export function nodeSocketFactory(options: NodeSocketOptions = {}): SocketFactory {
  return (request, handlers) => new WsSocket(request, handlers, options)
}

/**
 * Reports the close frame of the server right away: `ws` answers it with this method, but reports it only after TCP has
 * ended.
 */
class ReportingWebSocket extends WebSocket {
  onPeerClose: ((code: number | undefined, reason: string) => void) | undefined = undefined

  /** Called before `ws` itself writes to the network. */
  beforeWrite: (() => void) | undefined = undefined

  override close(code?: number, data?: string | Buffer): void {
    this.beforeWrite?.()
    super.close(code, data)
    this.onPeerClose?.(code, data?.toString() ?? '')
  }

  closeOwn(code: number, reason: string): void {
    this.beforeWrite?.()
    super.close(code, reason)
  }
}

class WsSocket implements RawSocket {
  readonly #socket: ReportingWebSocket
  readonly #handlers: SocketHandlers
  readonly #clock: Clock
  #opened = false
  #settled = false
  #closed = false
  #error: Error | undefined = undefined
  /** Writes the frames; undefined if they are compressed, which is left to `ws`. */
  #writer: FrameWriter | undefined = undefined
  /** Whether the frames of this turn of the event loop will be written at its end. */
  #isBatching = false
  /** The payload of the latest ping that still needs a pong. */
  #ping: Buffer | undefined = undefined
  #isSendingPong = false
  /** Lets a virtual clock wait for the pongs of a real network. */
  #pongs: { readonly mark: number; readonly resolve: () => void }[] = []
  readonly #onSent = (): void => this.#handlers.flushed()

  constructor(request: SocketRequest, handlers: SocketHandlers, { agent }: NodeSocketOptions) {
    this.#handlers = handlers
    this.#clock = request.clock
    const settings: ClientOptions & { readonly closeTimeout: number } = {
      headers: toHeaderObject(request.headers),
      perMessageDeflate: request.compression,
      maxPayload: request.maxMessageBytes,
      followRedirects: false,
      // `ws` would close the connection after a burst of pings. Here, only the latest one gets a pong (RFC 6455,
      // section 5.5.3).
      autoPong: false,
      closeTimeout: LAST_RESORT_MS,
      ...(agent === undefined ? undefined : { agent }),
    }
    const socket = new ReportingWebSocket(request.url, settings)
    this.#socket = socket
    socket.onPeerClose = (code, reason) => {
      // After a protocol error of the server, the error is reported right after this.
      process.nextTick(() => this.#end(this.#error === undefined ? (code ?? 1005) : 1006, reason))
    }
    socket.beforeWrite = () => this.#writer?.flush()
    socket.on('open', () => {
      this.#opened = true
      this.#settled = true
      handlers.opened()
    })
    socket.on('upgrade', (response) => {
      if (response.headers['sec-websocket-extensions'] === undefined)
        this.#writer = new FrameWriter(response.socket, this.#onSent)
    })
    socket.on('unexpected-response', (_request, response) => void this.#onDenied(response))
    socket.on('message', onMessage(handlers))
    socket.on('ping', (data) => this.#onPing(data))
    socket.on('pong', (data) => this.#onPong(Number(data.toString())))
    socket.on('error', (error) => (this.#error = error))
    socket.on('close', (code, reason) => {
      if (this.#opened) this.#end(code, reason.toString())
      else this.#onFailed(request.url)
    })
  }

  /** Reports the end once, with the close frame of the server, no matter when it ends TCP. */
  #end(code: number, reason: string): void {
    if (!this.#opened || this.#closed) return
    this.#closed = true
    for (const { resolve } of this.#pongs) resolve()
    this.#pongs = []
    if (this.#socket.readyState !== WebSocket.CLOSED) {
      const timer = this.#clock.setTimer(() => this.#socket.terminate(), LINGER_MS)
      this.#socket.once('close', () => timer.cancel())
    }
    this.#handlers.closed(code, code === 1006 ? '' : reason, this.#error)
  }

  #onPing(data: Buffer): void {
    this.#ping = Buffer.from(data)
    if (this.#isSendingPong) return
    this.#isSendingPong = true
    process.nextTick(() => this.#sendPong())
  }

  /** Sends a pong for the latest ping; pings that arrive before the pong has left share the next one. */
  #sendPong(): void {
    const data = this.#ping
    this.#ping = undefined
    this.#isSendingPong = data !== undefined && this.open
    if (!this.#isSendingPong) return
    this.#writer?.flush()
    this.#socket.pong(data, true, () => this.#sendPong())
  }

  #onPong(mark: number): void {
    while (this.#pongs[0] !== undefined && this.#pongs[0].mark <= mark) this.#pongs.shift()?.resolve()
    if (!this.#closed) this.#handlers.pong(mark)
  }

  #onFailed(url: string): void {
    if (this.#settled) return
    this.#settled = true
    const error = this.#error ?? new Error('The socket was closed before it was open.')
    const phase = connectionPhase(error, url.startsWith('wss:'))
    const { origin } = new URL(url)
    const what =
      phase === undefined
        ? `the server was reached, but the handshake failed: ${error.message.replace(/[.\s]*$/, '')}. Check that it is the address of a WebSocket.`
        : PHASE_ADVICE[phase]
    this.#handlers.failed(
      new ConnectionError(
        `${origin}: ${what}`,
        { phase: phase ?? 'receive', sent: 'maybe' },
        { cause: error },
      ),
    )
  }

  async #onDenied(response: IncomingMessage): Promise<void> {
    const chunks: Uint8Array[] = []
    let sizeBytes = 0
    const status = response.statusCode ?? 0
    const headers: RawHeaders = response.headers
    try {
      for await (const chunk of await decodedBody(status, headers, response)) {
        chunks.push(chunk)
        sizeBytes += chunk.length
        if (sizeBytes >= MAX_DENIAL_BYTES) break
      }
    } catch {
      // The part that was read is enough.
    }
    if (this.#settled) return
    this.#settled = true
    const body = Buffer.concat(chunks).subarray(0, MAX_DENIAL_BYTES).toString()
    this.#handlers.denied({ status, headers, body })
  }

  get open(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount + (this.#writer?.pendingBytes ?? 0)
  }

  send(data: string | Uint8Array, notify: boolean): void {
    const writer = this.#writer
    if (writer?.add(data, notify) !== true) {
      writer?.flush()
      this.#socket.send(data, notify ? this.#onSent : undefined)
    }
    if (this.#isBatching) return
    this.#isBatching = true
    process.nextTick(this.#endBatch)
  }

  readonly #endBatch = (): void => {
    this.#isBatching = false
    if (!this.open) return
    this.#writer?.flush()
    this.#handlers.flushed()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  ping(mark: number): void {
    const answered = new Promise<void>((resolve) => this.#pongs.push({ mark, resolve }))
    void this.#clock.track?.(answered)
    this.#writer?.flush()
    this.#socket.ping(String(mark))
  }

  close(code: number, reason: string): void {
    this.#socket.closeOwn(code, reason)
  }

  terminate(): void {
    this.#socket.terminate()
  }
}

/** Returns messages as a plain Uint8Array, as on every other host, over the same memory. */
function onMessage(handlers: SocketHandlers): (data: WebSocket.RawData, isBinary: boolean) => void {
  return (data, isBinary) => {
    const bytes = data as Buffer
    handlers.message(
      isBinary ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes.toString(),
    )
  }
}

/**
 * Returns the body without content codings, which a server may use unasked; nothing of a body that can't be decoded.
 */
async function decodedBody(
  status: number,
  headers: RawHeaders,
  body: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  if (headers['content-encoding'] === undefined) return body
  const { decodeStreamed } = await load(import('../http/content-coding.ts'))
  const source = { status, headers, stream: () => body }
  return decodeStreamed(source, { cancelled: false, reason: undefined }).stream()
}

function toHeaderObject(list: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let index = 0; index < list.length; index += 2) headers[list[index] ?? ''] = list[index + 1] ?? ''
  return headers
}

/** The default in Node. */
export function defaultSocketFactory(): SocketFactory {
  return nodeSocketFactory()
}
