import type { ErrorAnswer, Quota } from '../core/errors.ts'
import { parseRetryAfter } from '../retry/retry-after.ts'
import { credentialScrub } from './authorize.ts'
import type { ClientCore } from './core.ts'
import { headerValue, toHeaders, type TransportResponse } from './transport.ts'

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

  /** @param answered.mayExist How many earlier attempts the service may have accepted. */
  constructor(
    core: ClientCore,
    answered: {
      readonly response: TransportResponse
      readonly data: Output
      readonly attempts: number
      readonly mayExist: number
    },
  ) {
    const { response, data, attempts, mayExist } = answered
    if (mayExist > 0) this.possibleDuplicates = mayExist + 1
    this.#core = core
    this.#data = data
    this.#response = response
    this.status = response.status
    this.attempts = attempts
    const requestId = readRequestId(core, response)
    if (requestId !== undefined) this.requestId = requestId
    const quota = readQuota(core, response)
    if (quota !== undefined) this.quota = quota
  }

  /** Removes the client's credentials from a text of this answer that is to be shown. */
  scrub(text: string): string {
    return credentialScrub(this.#core)(text)
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

/** What an error carries of an answer. */
export function toErrorAnswer(
  core: ClientCore,
  response: TransportResponse,
  body: unknown,
  attempts: number,
): ErrorAnswer {
  let headers: Headers | undefined
  return {
    status: response.status,
    body,
    text: response.text(),
    headers: () => (headers ??= toHeaders(response.headers)),
    requestId: readRequestId(core, response),
    quota: readQuota(core, response),
    retryAfterMs: parseRetryAfter(
      headerValue(response.headers, 'retry-after'),
      headerValue(response.headers, 'date'),
      core.clock.now(),
    ),
    attempts,
  }
}
