import { randomFillSync } from 'node:crypto'
import type { Agent, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type ClientOptions, WebSocket } from 'ws'
import { load } from '../core/async.ts'
import type { Clock } from '../core/clock.ts'
import { ConnectionError } from '../core/errors.ts'
import { checkOptionNames, methodsOption, type OptionNames } from '../core/option-checks.ts'
import type { RawHeaders } from '../http/transport.ts'
import type { RawSocket, SocketFactory, SocketHandlers, SocketRequest } from '../socket/socket.ts'
import { connectionPhase, PHASE_ADVICE } from './connection-error.ts'

/** Options of {@link nodeSocketFactory}. @public */
export interface NodeSocketOptions {
  /** A custom agent, such as one for a proxy. */
  readonly agent?: Agent
}

/** The maximum number of bytes to read from the response to a declined upgrade. */
const MAX_DENIAL_BYTES = 65_536
/** How long a server may take to close the TCP connection after its close frame, in milliseconds. */
const LINGER_MS = 5_000
/**
 * How long `ws` waits for the end of a closing handshake, in milliseconds. Callers of `close` set a shorter limit
 * themselves, so this limit only ensures that an abandoned socket is closed eventually.
 */
const LAST_RESORT_MS = 3_600_000

const NAMES: OptionNames<NodeSocketOptions> = { agent: true }

/** Returns a factory that makes sockets with the `ws` package. @public */
export function nodeSocketFactory(options: NodeSocketOptions = {}): SocketFactory {
  checkOptionNames(options, NAMES, 'options')
  methodsOption(
    options.agent,
    'agent',
    ['addRequest'],
    'Pass an Agent of node:http or node:https, or omit it.',
  )
  return (request, handlers) => new WsSocket(request, handlers, options)
}

/**
 * Reports the server's close frame right away. `ws` calls the method `close` to answer that frame, but emits the
 * event `close` only after the TCP connection has closed.
 */
class ReportingWebSocket extends WebSocket {
  onPeerClose: ((code: number | undefined, reason: string) => void) | undefined = undefined

  /** Called before `ws` writes a close frame. */
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
  /**
   * Writes the frames. `undefined` if the connection uses extensions, such as compression; `ws` then writes the
   * frames.
   */
  #writer: FrameWriter | undefined = undefined
  /** Whether frames will be written at the end of this turn of the event loop. */
  #isBatching = false
  /** The payload of the server's latest ping, if it still needs a pong. */
  #ping: Buffer | undefined = undefined
  #isSendingPong = false
  /**
   * The client's pings that have no pong yet. A virtual clock doesn't advance until the pongs arrive, because they
   * take real time.
   */
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
      // With `autoPong`, `ws` would close the connection after a burst of pings. Here, only the latest ping gets a pong
      // (RFC 6455, section 5.5.3).
      autoPong: false,
      closeTimeout: LAST_RESORT_MS,
      ...(agent === undefined ? undefined : { agent }),
    }
    const socket = new ReportingWebSocket(request.url, settings)
    this.#socket = socket
    socket.onPeerClose = (code, reason) => {
      // Waits a tick, because `ws` reports a protocol error of the server right after this call.
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

  /** Reports the end of the connection once, without waiting for the server to close the TCP connection. */
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
    const error = this.#error ?? new Error('The socket was closed before it opened.')
    const phase = connectionPhase(error, url.startsWith('wss:'))
    const { origin } = new URL(url)
    const what =
      phase === undefined
        ? `the server was reached, but the handshake failed: ${error.message.replace(/[.\s]*$/, '')}. Check that the URL is a WebSocket URL of this server.`
        : PHASE_ADVICE[phase]
    this.#handlers.failed(
      new ConnectionError(
        `${origin}: ${what}`,
        { phase: phase ?? 'receive', sent: phase === 'dns' || phase === 'connect' ? 'no' : 'maybe' },
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
      // If reading fails, the part of the body that has been read is enough.
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

/**
 * Returns a listener that delivers binary messages as plain Uint8Arrays, as sockets outside Node do. It doesn't copy
 * the bytes.
 */
function onMessage(handlers: SocketHandlers): (data: WebSocket.RawData, isBinary: boolean) => void {
  return (data, isBinary) => {
    const bytes = data as Buffer
    handlers.message(
      isBinary ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes.toString(),
    )
  }
}

/** Returns the decoded body. A server may use content codings even if the client didn't ask for them. */
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

/** The size of the buffers in which frames are collected. */
const CHUNK_BYTES = 65_536
const MAX_HEADER_BYTES = 14
const MASK_POOL_BYTES = 8_192

const TEXT = 1
const BINARY = 2

/**
 * Writes the frames of a client to a socket (RFC 6455, section 5.2). The frames of one turn of the event loop are
 * collected in a buffer, masked there, and written together. Other code that writes to the socket has to call
 * {@link FrameWriter.flush} first.
 */
class FrameWriter {
  readonly #wire: Socket
  readonly #onWritten: () => void
  #chunk: Buffer = Buffer.allocUnsafeSlow(0)
  /** `#chunk` as 32-bit words, so that most of a frame can be masked word by word. */
  #words: Int32Array = new Int32Array(0)
  /** The offset up to which the bytes of `#chunk` were passed to the socket. */
  #written = 0
  #used = 0
  #mustNotify = false
  #masks: Buffer = Buffer.allocUnsafeSlow(MASK_POOL_BYTES)
  #mask = MASK_POOL_BYTES

  /** @param onWritten Called when frames that were added with `notify` have been written to the network. */
  constructor(wire: Socket, onWritten: () => void) {
    this.#wire = wire
    this.#onWritten = onWritten
  }

  get pendingBytes(): number {
    return this.#used - this.#written
  }

  /** Adds a frame, which the next {@link FrameWriter.flush} writes. Returns false if the frame is too large. */
  add(data: string | Uint8Array, notify: boolean): boolean {
    const length = typeof data === 'string' ? Buffer.byteLength(data) : data.length
    const maxBytes = length + MAX_HEADER_BYTES
    if (maxBytes > CHUNK_BYTES) return false
    if (maxBytes > this.#chunk.length - this.#used) this.#begin()
    const start = this.#header(typeof data === 'string' ? TEXT : BINARY, length)
    if (typeof data === 'string') this.#chunk.write(data, start)
    else this.#chunk.set(data, start)
    this.#used = start + length
    this.#applyMask(start)
    if (notify) this.#mustNotify = true
    return true
  }

  flush(): void {
    if (this.#used === this.#written) return
    const frames = this.#chunk.subarray(this.#written, this.#used)
    this.#written = this.#used
    const notify = this.#mustNotify
    this.#mustNotify = false
    if (notify) this.#wire.write(frames, this.#onWritten)
    else this.#wire.write(frames)
  }

  #begin(): void {
    this.flush()
    this.#chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    this.#words = new Int32Array(this.#chunk.buffer, 0, CHUNK_BYTES / 4)
    this.#written = this.#used = 0
  }

  /** Writes the header, including the masking key. Returns the offset of the payload. */
  #header(opcode: number, length: number): number {
    const chunk = this.#chunk
    const at = this.#used
    chunk[at] = 0x80 | opcode
    let start = at + 6
    if (length < 126) chunk[at + 1] = 0x80 | length
    else {
      chunk[at + 1] = 0x80 | 126
      chunk[at + 2] = length >>> 8
      chunk[at + 3] = length & 0xff
      start = at + 8
    }
    if (this.#mask === MASK_POOL_BYTES) {
      randomFillSync(this.#masks)
      this.#mask = 0
    }
    chunk.set(this.#masks.subarray(this.#mask, this.#mask + 4), start - 4)
    this.#mask += 4
    return start
  }

  #applyMask(start: number): void {
    const chunk = this.#chunk
    const end = this.#used
    let at = start
    const key = start - 4
    for (; at < end && (at & 3) !== 0; at++) chunk[at]! ^= chunk[key + ((at - start) & 3)]!
    const shift = (at - start) & 3
    const byte = (index: number): number => chunk[key + ((shift + index) & 3)]!
    // `words` uses the byte order of the CPU. The key is also read through an Int32Array, so the byte orders match.
    const word = new Int32Array(Uint8Array.of(byte(0), byte(1), byte(2), byte(3)).buffer)[0]!
    const words = this.#words
    const lastWord = end >>> 2
    for (let index = at >>> 2; index < lastWord; index++) words[index]! ^= word
    at = Math.max(at, lastWord << 2)
    for (; at < end; at++) chunk[at]! ^= chunk[key + ((at - start) & 3)]!
  }
}

export { nodeSocketFactory as defaultSocketFactory }
