import type { Sent } from '../core/errors.ts'

/**
 * Sends one request to a server and returns the response. The library has transports for Node (undici), for browsers
 * and edge runtimes (fetch), and for tests (in memory). Callers can pass their own.
 *
 * An implementation must:
 *
 * - reject at once with `control.reason` when the request is canceled,
 * - keep `control.sent` accurate,
 * - reject with a `ConnectionError` if no complete response arrives,
 * - and follow no redirects.
 *
 * @public
 */
export interface Transport {
  send(request: TransportRequest): Promise<TransportResponse>
  /** Closes all connections. Calls in flight reject. */
  close?(): Promise<void>
}

/** One attempt of one call. @public */
export interface TransportRequest {
  readonly method: string
  /** Scheme, host and port: `https://api.example.com`. */
  readonly origin: string
  /** Path and query, ready for the request line. */
  readonly path: string
  /** Alternating names and values. Names are in lower case. Must not be modified. */
  readonly headers: readonly string[]
  readonly body: TransportBody | undefined
  /** With `buffer`, `send` resolves when the whole body has arrived. With `stream`, it resolves after the headers. */
  readonly responseBody: 'buffer' | 'stream'
  /** Maximum size of a buffered body in bytes. A longer body causes an `UnexpectedContentError`. */
  readonly maxResponseBytes: number
  readonly control: RequestControl
}

/** A request body: a string, bytes, or a body that is opened when the request is sent. @public */
export type TransportBody = string | Uint8Array | StreamedBody

/** A body that is read while it is being sent. @public */
export interface StreamedBody {
  /** The exact length. If it is `undefined`, the body is sent in chunks, without `Content-Length`. */
  readonly sizeBytes: number | undefined
  /** Starts a read from the beginning. */
  open(): AsyncIterable<Uint8Array>
  /**
   * Returns the whole body, for JavaScript environments that can't send a stream. Content that is neither in memory
   * nor a Blob is read first.
   */
  whole?(): Promise<Blob>
  /**
   * Returns the body as an object that `fetch` can send. This method exists only for content that the library can't
   * read itself, such as a file in React Native.
   */
  native?(): FormData | Promise<Blob>
  /** The transport calls this after a successful response, but only if it sent the body as a whole. */
  arrived?(sizeBytes: number): void
}

/** The shared state of caller and transport while a request is in flight. @public */
export interface RequestControl {
  /** Set by the transport: `no` until a byte may have left, then `maybe`, and `yes` once a response has begun. */
  sent: Sent
  /** Set by the transport as soon as the status line has arrived. */
  status: number | undefined
  /** Set when the request is canceled. The transport then rejects with `reason`. */
  readonly cancelled: boolean
  readonly reason: unknown
  /**
   * Registers a function that is called with the reason when the request is canceled. A new function replaces the
   * previous one.
   */
  onCancel(callback: ((reason: unknown) => void) | undefined): void
  /** The cancellation as an AbortSignal, which is created on first use. */
  readonly signal: AbortSignal
}

/** Header names in lower case, with their value or values. @public */
export type RawHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * A response. If the request's `responseBody` is `buffer`, the methods `text` and `bytes` return the whole body. If it
 * is `stream`, only the method `stream` works.
 *
 * @public
 */
export interface TransportResponse {
  readonly status: number
  readonly headers: RawHeaders
  /**
   * Whether the transport has already decoded the body according to `content-encoding`, as `fetch` does. If not, the
   * client decodes the body.
   */
  readonly decoded?: boolean
  text(): string
  bytes(): Uint8Array<ArrayBuffer>
  /** Yields the body as it arrives. The connection is closed if the reader stops early or the request is canceled. */
  stream(): AsyncIterable<Uint8Array>
}

export function headerValue(headers: RawHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' || value === undefined ? value : value.join(', ')
}

export function toHeaders(raw: RawHeaders): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(raw)) {
    if (typeof value === 'string') headers.append(name, value)
    else if (value !== undefined) for (const each of value) headers.append(name, each)
  }
  return headers
}
