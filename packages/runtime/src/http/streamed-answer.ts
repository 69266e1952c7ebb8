import type { Quota } from '../core/errors.ts'
import { readQuota, readRequestId } from './answer.ts'
import type { ClientCore } from './core.ts'
import { type RawHeaders, toHeaders, type TransportResponse } from './transport.ts'

/** A success whose body is still on its way. @public */
export interface StreamedExchange {
  readonly status: number
  /** Built when first asked for. */
  readonly headers: Headers
  readonly requestId?: string
  readonly quota?: Quota
  /** How often the request was sent. */
  readonly attempts: number
  /** Must be read to its end, or cancelled. */
  readonly body: ReadableStream<Uint8Array>
}

/** Makes the exchange of a success whose body is read later. */
export class StreamedAnswer implements StreamedExchange {
  declare readonly requestId?: string
  declare readonly quota?: Quota
  readonly status: number
  readonly attempts: number
  readonly #headers: RawHeaders
  readonly #body: ReadableStream<Uint8Array>

  constructor(
    core: ClientCore,
    response: TransportResponse,
    body: ReadableStream<Uint8Array>,
    attempts: number,
  ) {
    this.status = response.status
    this.attempts = attempts
    this.#headers = response.headers
    this.#body = body
    const requestId = readRequestId(core, response)
    if (requestId !== undefined) this.requestId = requestId
    const quota = readQuota(core, response)
    if (quota !== undefined) this.quota = quota
  }

  get headers(): Headers {
    return toHeaders(this.#headers)
  }

  get body(): ReadableStream<Uint8Array> {
    return this.#body
  }
}
