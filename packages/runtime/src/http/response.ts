import type { Quota } from '../core/errors.ts'
import { type Call, loadedFailures } from './call.ts'
import type { ClientCore } from './client-state.ts'
import { headerValue, type RawHeaders, toHeaders, type TransportResponse } from './transport.ts'

/** A successful answer with everything that came with it. @public */
export interface Exchange<Output = unknown> {
  readonly data: Output
  readonly status: number
  /** Built when first asked for. */
  readonly headers: Headers
  /** Where the client was told which header holds it (`requestIdHeader`). */
  readonly requestId?: string
  /** Where the client was told which headers hold it (`quotaHeaders`); values that are no numbers are left out. */
  readonly quota?: Quota
  /** How often the request was sent. */
  readonly attempts: number
  /**
   * How many submissions may exist, this one included. Only set if the request changes something and was repeated after
   * an answer that doesn't say whether it was accepted, such as a 504.
   */
  readonly possibleDuplicates?: number
  /** The body as it came. */
  text(): string
  /** The body as it came. */
  bytes(): Uint8Array<ArrayBuffer>
}

/** Reads the request id, if the caller said where it stands. */
export function readRequestId(core: ClientCore, response: TransportResponse): string | undefined {
  return core.requestIdHeader === undefined ? undefined : headerValue(response.headers, core.requestIdHeader)
}

/** Reads the quota figures, if the caller said where they stand. */
export function readQuota(core: ClientCore, response: TransportResponse): Quota | undefined {
  if (core.quotaHeaders.length === 0) return undefined
  const quota: Record<string, number> = {}
  for (const [name, header] of core.quotaHeaders) {
    const text = headerValue(response.headers, header)?.trim()
    if (text === undefined || text === '') continue
    const value = Number(text)
    if (Number.isFinite(value)) quota[name] = value
  }
  return quota
}

/** Makes the exchange of a success. Bodies and headers are kept where `inspect` does not look. */
export class Answered<Output> implements Exchange<Output> {
  declare readonly requestId?: string
  declare readonly quota?: Quota
  declare readonly possibleDuplicates?: number
  readonly status: number
  readonly attempts: number
  readonly #core: ClientCore
  readonly #data: Output
  readonly #response: TransportResponse
  #headers: Headers | undefined = undefined

  constructor({ core, sends, mayExist }: Call, response: TransportResponse, data: Output) {
    if (mayExist > 0) this.possibleDuplicates = mayExist + 1
    this.#core = core
    this.#data = data
    this.#response = response
    this.status = response.status
    this.attempts = sends
    const requestId = readRequestId(core, response)
    if (requestId !== undefined) this.requestId = requestId
    const quota = readQuota(core, response)
    if (quota !== undefined) this.quota = quota
  }

  /** Removes the client's credentials from a string of this answer that is to be shown. */
  scrub(text: string): string {
    return loadedFailures().credentialScrub(this.#core)(text)
  }

  get data(): Output {
    return this.#data
  }

  get headers(): Headers {
    this.#headers ??= toHeaders(this.#response.headers)
    return this.#headers
  }

  text(): string {
    return this.#response.text()
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#response.bytes()
  }
}

/** What a call returns for a success. */
export function result(call: Call, response: TransportResponse, data: unknown): unknown {
  return call.wanted === 'data' ? data : new Answered(call, response, data)
}

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
