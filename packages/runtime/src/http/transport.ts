import type { Sent } from '../core/errors.ts'

/**
 * Carries one request to a server and brings the answer back. The runtime has one for Node (undici), one for
 * browsers and edge runtimes (fetch) and one for tests (in memory); a caller can bring another.
 *
 * What it must do: settle at once when `control` is cancelled, rejecting with the reason; keep `control.sent`
 * true to what it did; reject with a `ConnectionError` when no whole answer came; follow no redirect.
 *
 * @public
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>
  /** Ends all connections. Calls in flight are rejected. */
  close?(): Promise<void>
}

/** One attempt of one call. @public */
export interface TransportRequest {
  readonly method: string
  /** Scheme, host and port: `https://api.example.com`. */
  readonly origin: string
  /** Path and query, ready for the request line. */
  readonly path: string
  /** Names and values by turns. Names are in lower case. Not to be changed. */
  readonly headers: readonly string[]
  readonly body: TransportBody | undefined
  /** `buffer`: settle when the whole body is there. `stream`: settle at the headers. */
  readonly answer: 'buffer' | 'stream'
  /** A buffered body that is longer is an `UnexpectedContentError`. */
  readonly maxResponseBytes: number
  readonly control: RequestControl
}

/** What is sent: text, bytes, or something that is opened when it is its turn. @public */
export type TransportBody = string | Uint8Array | StreamedBody

/** A body that is read while it is sent. @public */
export interface StreamedBody {
  /** Its exact length, where it is known; then it is sent with `Content-Length`, otherwise chunked. */
  readonly sizeBytes: number | undefined
  /** Starts reading from the beginning. */
  open(): AsyncIterable<Uint8Array>
  /** All of it, for a host whose requests carry no streams. What is not in memory or a Blob already is read. */
  whole?(): Promise<Blob>
  /** Told by a transport that sent the whole, when the server took it. */
  arrived?(sizeBytes: number): void
}

/** What caller and transport tell each other while a request is under way. @public */
export interface RequestControl {
  /** Set by the transport: `no` until the first byte may leave, `yes` once an answer has begun. */
  sent: Sent
  /** Set by the transport as soon as the status line is there. */
  status: number | undefined
  /** Set when the request is given up; the transport rejects with `reason`. */
  readonly cancelled: boolean
  readonly reason: unknown
  /** Has the function called with the reason when the request is given up. One function at a time. */
  onCancel(callback: ((reason: unknown) => void) | undefined): void
  /** The same as an AbortSignal; made when first asked for. */
  readonly signal: AbortSignal
}

/** Header names in lower case, with their value or values. @public */
export type RawHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** An answer. For `buffer`, `text` and `bytes` work at once; for `stream`, only `stream` does. @public */
export interface TransportResponse {
  readonly status: number
  readonly headers: RawHeaders
  /**
   * Whether the transport has removed the content codings that the headers name, as `fetch` does. If not, the runtime
   * decodes the body.
   */
  readonly decoded?: boolean
  text(): string
  bytes(): Uint8Array<ArrayBuffer>
  /** The body as it comes. Leaving the loop, or `control` being cancelled, ends the connection. */
  stream(): AsyncIterable<Uint8Array>
}

/** An answer whose content coding couldn't be removed. */
export interface UndecodableResponse extends TransportResponse {
  /** Why, as the end of a sentence. */
  readonly undecodable: string
}

export function isUndecodable(response: TransportResponse): response is UndecodableResponse {
  return 'undecodable' in response
}

/** One value of a header; several are joined as HTTP says. */
export function headerValue(headers: RawHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' || value === undefined ? value : value.join(', ')
}

/** The headers as the platform's own class. */
export function toHeaders(raw: RawHeaders): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(raw)) {
    if (typeof value === 'string') headers.append(name, value)
    else if (value !== undefined) for (const each of value) headers.append(name, each)
  }
  return headers
}
