import { accepts } from '../core/check.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { ApiError } from '../core/errors.ts'
import { type Call, loadedFailures, type Opened } from './call.ts'
import type { ClientCore } from './client-state.ts'
import { responsePlan, type Plan } from './prepare.ts'
import { headerValue, type RawHeaders, toHeaders, type TransportResponse } from './transport.ts'

/** A successful response with all its details. @public */
export interface Exchange<Output = unknown, HeaderValues = unknown> {
  readonly data: Output
  readonly status: number
  /** The response headers, built on first use. */
  readonly headers: Headers
  /**
   * The documented headers of the response, by their names in the contract. Each value is converted to the type in its
   * schema, such as a number, a boolean or an array. A value that can't be converted stays a string; if validation is
   * on, the client reports it as drift. Each access to this property builds a new object.
   */
  readonly headerValues: HeaderValues
  /** The request id from the response. Set only if the client has a `requestIdHeader`. */
  readonly requestId?: string
  /** The numbers from the headers that are named in the client's `quotaHeaders`. Set only if the client has this option. */
  readonly quota?: Readonly<Record<string, number>>
  /** The number of times the request was sent. */
  readonly attempts: number
  /**
   * The number of times that the service may have carried out the request, including this time. Set only if the
   * request changes something and was repeated after an attempt whose outcome is unknown, such as one that ended with
   * a 504.
   */
  readonly possibleDuplicates?: number
  /** Returns the unparsed body as a string. */
  text(): string
  /** Returns the unparsed body as bytes. */
  bytes(): Uint8Array<ArrayBuffer>
}

export function readRequestId(core: ClientCore, response: TransportResponse): string | undefined {
  return core.requestIdHeader === undefined ? undefined : headerValue(response.headers, core.requestIdHeader)
}

export function readQuota(
  core: ClientCore,
  response: TransportResponse,
): Readonly<Record<string, number>> | undefined {
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

export function headerValues(plan: Plan, { status, headers }: TransportResponse): unknown {
  const described = responsePlan(plan, status).descriptor.headers
  return described?.read(headers, described.kinds) ?? {}
}

/** The details that buffered and streamed exchanges share. `#raw` is private, so that `inspect` shows no headers. */
export class ResponseDetails {
  declare readonly requestId?: string
  declare readonly quota?: Readonly<Record<string, number>>
  readonly status: number
  readonly attempts: number
  readonly #raw: RawHeaders
  #headers: Headers | undefined = undefined

  constructor({ core, sends }: Call, response: TransportResponse) {
    this.status = response.status
    this.attempts = sends
    this.#raw = response.headers
    const requestId = readRequestId(core, response)
    if (requestId !== undefined) this.requestId = requestId
    const quota = readQuota(core, response)
    if (quota !== undefined) this.quota = quota
  }

  get headers(): Headers {
    this.#headers ??= toHeaders(this.#raw)
    return this.#headers
  }
}

class BufferedExchange<Output> extends ResponseDetails implements Exchange<Output> {
  declare readonly possibleDuplicates?: number
  readonly #call: Call
  readonly #data: Output
  readonly #response: TransportResponse

  constructor(call: Call, response: TransportResponse, data: Output) {
    super(call, response)
    if (call.mayExist > 0) this.possibleDuplicates = call.mayExist + 1
    this.#call = call
    this.#data = data
    this.#response = response
  }

  /** Removes the client's credentials from a string of this response, so that the string can be shown. */
  scrub(text: string): string {
    return loadedFailures().credentialScrub(this.#call.core)(text)
  }

  get data(): Output {
    return this.#data
  }

  get headerValues(): unknown {
    return headerValues(this.#call.plan, this.#response)
  }

  text(): string {
    return this.#response.text()
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#response.bytes()
  }
}

export function result(call: Call, response: TransportResponse, data: unknown): unknown {
  return call.responseMode === 'data' ? data : new BufferedExchange(call, response, data)
}

/** A successful response whose body is still arriving. @public */
export interface StreamedExchange {
  readonly status: number
  /** The response headers, built on first use. */
  readonly headers: Headers
  readonly requestId?: string
  readonly quota?: Readonly<Record<string, number>>
  /** The number of times the request was sent. */
  readonly attempts: number
  /** The body. It must be read to its end or canceled. */
  readonly body: ReadableStream<Uint8Array>
}

export class StreamedResponse extends ResponseDetails implements StreamedExchange {
  readonly #body: ReadableStream<Uint8Array>

  constructor({ call, response }: Opened, body: ReadableStream<Uint8Array>) {
    super(call, response)
    this.#body = body
  }

  get body(): ReadableStream<Uint8Array> {
    return this.#body
  }
}

/**
 * Returns whether an error is the response that the contract documents for this operation and status. The status is a
 * number, a range such as `4XX`, or `default`. If the function returns true, `error.body` and `error.headerValues`
 * have the documented types. The function checks the body against its schema, but not the headers.
 *
 * If an operation isn't safe to repeat, a 5xx response causes a `SubmissionUncertainError`. In this case, pass the
 * `cause` of that error to this function.
 *
 * @example
 * ```ts
 * if (isErrorOf(error, getThing, 404)) console.log(error.body.title)
 * ```
 *
 * @public
 */
export function isErrorOf<Errors, Status extends keyof Errors & (string | number), ErrorHeaders = unknown>(
  error: unknown,
  operation: OperationDescriptor<unknown, unknown, Errors, unknown, ErrorHeaders>,
  status: Status,
): error is ApiError<Errors[Status], Status extends keyof ErrorHeaders ? ErrorHeaders[Status] : unknown> {
  if (!ApiError.is(error) || error.operation !== operation.id) return false
  const { responses } = operation
  const keys = [String(error.status), `${Math.floor(error.status / 100)}XX`, 'default']
  const key = keys.find((each) => responses[each] !== undefined)
  if (key === undefined || key !== String(status)) return false
  const check = responses[key]?.check
  return check === undefined || accepts(check, error.body) === true
}
