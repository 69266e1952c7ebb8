import type { Dispatcher } from 'undici'

import { ByteQueue, tooLarge } from '../http/buffered-response.ts'
import type { RawHeaders, TransportRequest, TransportResponse } from '../http/transport.ts'
import { toConnectionError } from './connection-error.ts'
import type { Waiting } from './undici.ts'

const NOTHING = Buffer.alloc(0)

/**
 * Collects one whole response from undici, and then represents it. Nothing is allocated between the parser's buffers
 * and the decoded text: no stream, and no copy if the body comes in one piece.
 */
export class Collector implements Waiting, TransportResponse {
  status = 0
  headers: RawHeaders = {}
  /** @see Waiting */
  stopConnecting: (() => void) | undefined = undefined
  readonly #request: TransportRequest
  readonly #resolve: (response: TransportResponse) => void
  readonly #reject: (reason: unknown) => void
  #controller: Dispatcher.DispatchController | undefined = undefined
  #bodySent = false
  #first: Buffer | undefined = undefined
  #queue: ByteQueue | undefined = undefined
  #sizeBytes = 0

  constructor(
    request: TransportRequest,
    resolve: (response: TransportResponse) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    request.control.onCancel((reason) => {
      reject(reason)
      this.#controller?.abort(toError(reason))
      this.stopConnecting?.()
    })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { control } = this.#request
    // Throws instead of aborting: an abort would destroy a connection on which nothing was sent yet.
    if (control.cancelled) throw new Error('cancelled before it was sent')
    this.#controller = controller
    control.sent = 'maybe'
  }

  onRequestSent(): void {
    this.#bodySent = true
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (status < 200) return
    this.status = status
    this.headers = headers
    this.#request.control.status = status
    this.#request.control.sent = 'yes'
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#sizeBytes += chunk.length
    if (this.#sizeBytes > this.#request.maxResponseBytes) {
      const error = tooLarge(this, this.#request.maxResponseBytes)
      this.#reject(error)
      controller.abort(error)
      return
    }
    if (this.#first === undefined) {
      this.#first = chunk
      return
    }
    if (this.#queue === undefined) {
      this.#queue = new ByteQueue()
      this.#queue.push(this.#first)
    }
    this.#queue.push(chunk)
  }

  onResponseEnd(): void {
    this.#request.control.onCancel(undefined)
    this.#controller = undefined
    this.#resolve(this)
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#request.control.onCancel(undefined)
    this.#controller = undefined
    this.#reject(toConnectionError(error, this.#request, this.#bodySent))
  }

  text(): string {
    const body = this.#body()
    const isMarked = body.length >= 3 && body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf
    return body.toString('utf8', isMarked ? 3 : 0)
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#body() as Uint8Array<ArrayBuffer>
  }

  async *stream(): AsyncIterable<Uint8Array> {
    yield this.bytes()
  }

  #body(): Buffer {
    if (this.#queue !== undefined) {
      this.#first = Buffer.concat(this.#queue.pieces(), this.#sizeBytes)
      this.#queue = undefined
    }
    return this.#first ?? NOTHING
  }
}

/** undici wants an Error; a caller's reason can be anything. */
function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('cancelled')
}

/** The number of unread bytes at which the connection is paused. */
const HIGH_WATER_BYTES = 262_144

/** Passes on the headers of a response at once, and its body piece by piece, as fast as it is read. */
export class Streamer implements Waiting, TransportResponse {
  status = 0
  headers: RawHeaders = {}
  /** @see Waiting */
  stopConnecting: (() => void) | undefined = undefined
  readonly #request: TransportRequest
  readonly #resolve: (response: TransportResponse) => void
  readonly #reject: (reason: unknown) => void
  #controller: Dispatcher.DispatchController | undefined = undefined
  readonly #queue = new ByteQueue()
  #ended = false
  #failure: { readonly reason: unknown } | undefined = undefined
  #wake: (() => void) | undefined = undefined

  constructor(
    request: TransportRequest,
    resolve: (response: TransportResponse) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    request.control.onCancel((reason) => this.#fail(reason))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { control } = this.#request
    if (control.cancelled) throw new Error('cancelled before it was sent')
    this.#controller = controller
    control.sent = 'maybe'
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (status < 200) return
    this.status = status
    this.headers = headers
    this.#request.control.status = status
    this.#request.control.sent = 'yes'
    this.#resolve(this)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#queue.push(chunk)
    if (this.#queue.sizeBytes > HIGH_WATER_BYTES) controller.pause()
    this.#wake?.()
  }

  onResponseEnd(): void {
    this.#ended = true
    this.#request.control.onCancel(undefined)
    this.#wake?.()
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#controller = undefined
    if (this.#failure === undefined) this.#fail(toConnectionError(error, this.#request, true))
  }

  text(): string {
    throw new TypeError("text() isn't available because this response is streamed. Read it with stream().")
  }

  bytes(): Uint8Array<ArrayBuffer> {
    throw new TypeError("bytes() isn't available because this response is streamed. Read it with stream().")
  }

  async *stream(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#queue.shift()
        if (chunk !== undefined) {
          if (this.#queue.empty) this.#controller?.resume()
          yield chunk
        } else if (this.#failure !== undefined) {
          throw this.#failure.reason
        } else if (this.#ended) {
          return
        } else {
          await new Promise<void>((resolve) => (this.#wake = resolve))
          this.#wake = undefined
        }
      }
    } finally {
      // A reader that leaves early doesn't want the rest.
      if (!this.#ended && this.#failure === undefined) this.#fail(new Error('the reader left early'))
    }
  }

  #fail(reason: unknown): void {
    this.#failure = { reason }
    // After an abort, bytes that arrived but were not read are dropped as well.
    if (this.#request.control.cancelled) this.#queue.clear()
    this.#request.control.onCancel(undefined)
    this.#reject(reason)
    this.#controller?.abort(toError(reason))
    this.stopConnecting?.()
    this.#wake?.()
  }
}
