import type { Dispatcher } from 'undici'
import { ByteQueue } from '../http/buffered-response.ts'
import type { RawHeaders, TransportRequest, TransportResponse } from '../http/transport.ts'
import { toError } from './collector.ts'
import { toConnectionError } from './connection-error.ts'
import type { Waiting } from './undici.ts'

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
    throw new TypeError('The body of this response is a stream.')
  }

  bytes(): Uint8Array<ArrayBuffer> {
    throw new TypeError('The body of this response is a stream.')
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
