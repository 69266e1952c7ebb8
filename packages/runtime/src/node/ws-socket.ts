import type { Agent, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

import { type ClientOptions, WebSocket } from 'ws'

import { ConnectionError } from '../core/errors.ts'
import type { RawHeaders } from '../http/transport.ts'
import type { RawSocket, SocketFactory, SocketHandlers, SocketRequest } from '../socket/socket.ts'
import { connectionPhase, PHASE_ADVICE } from './connection-error.ts'

/** How sockets are opened in Node. @public */
export interface NodeSocketOptions {
  /** An agent of your own, such as one for a proxy. */
  readonly agent?: Agent
}

/** More of the body of a refusal is not read. */
const MOST_REFUSAL_BYTES = 65_536
/** Ours comes first; this one only makes sure that nothing is left of a socket that nobody owns any more. */
const LAST_RESORT_MS = 120_000
/** What is sent in one turn of the event loop goes out in writes of about this size, not one for each frame. */
const BATCH_BYTES = 65_536

/** Makes sockets with the `ws` package. @public */
export function nodeSocketFactory(options: NodeSocketOptions = {}): SocketFactory {
  return (request, handlers) => new WsSocket(request, handlers, options)
}

class WsSocket implements RawSocket {
  readonly #socket: WebSocket
  readonly #handlers: SocketHandlers
  #opened = false
  #settled = false
  #error: Error | undefined = undefined
  /** What the frames are written to. */
  #wire: Socket | undefined = undefined
  /** Bytes that wait for the end of the turn, `undefined` when there is nothing to wait for. */
  #batchBytes: number | undefined = undefined
  readonly #onSent = (): void => this.#handlers.flushed()

  constructor(request: SocketRequest, handlers: SocketHandlers, { agent }: NodeSocketOptions) {
    this.#handlers = handlers
    const settings: ClientOptions & { readonly closeTimeout: number } = {
      headers: toHeaderObject(request.headers),
      perMessageDeflate: request.compression,
      maxPayload: request.maxMessageBytes,
      followRedirects: false,
      closeTimeout: LAST_RESORT_MS,
      ...(agent === undefined ? undefined : { agent }),
    }
    const socket = new WebSocket(request.url, settings)
    this.#socket = socket
    socket.on('open', () => {
      this.#opened = true
      this.#settled = true
      handlers.opened()
    })
    socket.on('upgrade', (response) => (this.#wire = response.socket))
    socket.on('unexpected-response', (_request, response) => void this.#onRefused(response))
    socket.on('message', onMessage(handlers))
    socket.on('error', (error) => (this.#error = error))
    socket.on('close', (code, reason) => {
      if (this.#opened) handlers.closed(code, reason.toString(), this.#error)
      else this.#onFailed(request.url)
    })
  }

  #onFailed(url: string): void {
    if (this.#settled) return
    this.#settled = true
    const error = this.#error ?? new Error('The socket was closed before it was open.')
    const phase = connectionPhase(error, url.startsWith('wss:'))
    const { origin } = new URL(url)
    const what =
      phase === undefined
        ? `the server was reached, but the handshake failed: ${error.message.replace(/[.\s]*$/, '')}. Check that the address is one of a WebSocket.`
        : PHASE_ADVICE[phase]
    this.#handlers.failed(
      new ConnectionError(
        `${origin}: ${what}`,
        { phase: phase ?? 'receive', sent: 'maybe' },
        { cause: error },
      ),
    )
  }

  async #onRefused(response: IncomingMessage): Promise<void> {
    const chunks: Buffer[] = []
    let sizeBytes = 0
    try {
      for await (const chunk of response) {
        chunks.push(chunk as Buffer)
        sizeBytes += (chunk as Buffer).length
        if (sizeBytes >= MOST_REFUSAL_BYTES) break
      }
    } catch {
      // What there is of it will do.
    }
    if (this.#settled) return
    this.#settled = true
    const body = Buffer.concat(chunks).subarray(0, MOST_REFUSAL_BYTES).toString()
    const headers: RawHeaders = response.headers
    this.#handlers.refused({ status: response.statusCode ?? 0, headers, body })
  }

  get open(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount
  }

  send(data: string | Uint8Array, notify: boolean): void {
    this.#batch(data.length)
    this.#socket.send(data, notify ? this.#onSent : undefined)
  }

  #batch(sizeBytes: number): void {
    if (this.#batchBytes === undefined) {
      this.#batchBytes = 0
      this.#wire?.cork()
      process.nextTick(this.#endBatch)
    } else if (this.#batchBytes >= BATCH_BYTES) {
      this.#batchBytes = 0
      this.#wire?.uncork()
      this.#wire?.cork()
    }
    this.#batchBytes += sizeBytes
  }

  readonly #endBatch = (): void => {
    this.#batchBytes = undefined
    this.#wire?.uncork()
    if (this.open) this.#handlers.flushed()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
  }

  terminate(): void {
    this.#socket.terminate()
  }
}

/** Messages are given as plain bytes, as on every other host, over the memory that they were read into. */
function onMessage(handlers: SocketHandlers): (data: WebSocket.RawData, isBinary: boolean) => void {
  return (data, isBinary) => {
    const bytes = data as Buffer
    handlers.message(
      isBinary ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes.toString(),
    )
  }
}

function toHeaderObject(list: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let index = 0; index < list.length; index += 2) headers[list[index] ?? ''] = list[index + 1] ?? ''
  return headers
}
