import { bounded } from '../core/async.ts'
import { ConnectionError, UnexpectedContentError } from '../core/errors.ts'
import { checkOptionNames, functionOption, type OptionNames } from '../core/option-checks.ts'
import { BufferedResponse, ByteQueue, tooLarge } from './buffered-response.ts'
import { PLAIN } from './decode.ts'
import { isReactNative } from './binary.ts'
import type {
  RawHeaders,
  RequestControl,
  StreamedBody,
  Transport,
  TransportBody,
  TransportRequest,
  TransportResponse,
} from './transport.ts'

/** A `fetch` function for a transport. It must decode response bodies, as the built-in `fetch` does. @public */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>

/** Options of {@link fetchTransport}. @public */
export interface FetchTransportOptions {
  /** The `fetch` function to use. Default: `globalThis.fetch`. */
  readonly fetch?: Fetch
  /**
   * Whether a request can carry a stream. If not, an upload is sent in one piece. Default: false in browsers and
   * React Native, otherwise true.
   */
  readonly streams?: boolean
}

const NAMES: OptionNames<FetchTransportOptions> = { fetch: true, streams: true }

/**
 * Creates a transport from `fetch`, for browsers and edge runtimes. `fetch` doesn't report progress, so a request
 * counts as possibly sent as soon as `fetch` is called.
 *
 * In a browser, requests can't have stream bodies, so an upload is sent as a `Blob`. A stream is first read into
 * memory. The progress of a `Blob` upload is reported only once, when a successful response arrives.
 *
 * @public
 */
export function fetchTransport(options: FetchTransportOptions = {}): Transport {
  checkOptionNames(options, NAMES, 'options')
  const fetch = functionOption(options.fetch, 'fetch') ?? ((input, init) => globalThis.fetch(input, init))
  const host = { fetch, streams: options.streams, decodes: true }
  return { send: (request) => exchange(host, request) }
}

/**
 * Like {@link fetchTransport}, but for a function that creates responses itself and doesn't decode their bodies.
 */
export function handlerTransport(fetch: Fetch): Transport {
  const host = { fetch, streams: undefined, decodes: false }
  return { send: (request) => exchange(host, request) }
}

interface Host {
  readonly fetch: Fetch
  readonly streams: boolean | undefined
  /** Whether `fetch` decodes compressed responses. */
  readonly decodes: boolean
}

async function exchange(
  { fetch, streams, decodes }: Host,
  request: TransportRequest,
): Promise<TransportResponse> {
  const { control, body } = request
  const reading = wholeOf(body, streams)
  const whole = reading && (await bounded<Whole>(reading, { signals: [control.signal] }))
  control.sent = 'maybe'
  try {
    const response = await fetch(request.origin + request.path, toInit(request, whole, decodes))
    control.sent = 'yes'
    control.status = response.status
    // Some `fetch` functions ignore the signal.
    if (control.cancelled) {
      response.body?.cancel().catch(() => undefined)
      throw control.reason
    }
    if (whole !== undefined && response.ok && isStreamed(body)) reportArrival(body, sizeOf(whole), response)
    const headers = toRaw(response.headers)
    if (response.type === 'opaqueredirect') return new BufferedResponse(302, headers, EMPTY)
    // In React Native, `response.body` is undefined, so the whole body is read below.
    if (request.responseBody === 'stream' && response.body !== undefined)
      return await openStream(response, headers, control, decodes)
    const bytes = await readAll(response, headers, request)
    const decoded = decodes && (isHidden(response, headers) || hasDecoded(headers, bytes))
    return new BufferedResponse(response.status, headers, bytes, decoded)
  } catch (error) {
    if (control.cancelled) throw control.reason
    if (control.sent === 'yes') throw error instanceof UnexpectedContentError ? error : lost(error)
    throw new ConnectionError(
      `${request.method} ${request.origin}: no response arrived. Check the base URL, the network and, in a browser, ` +
        "whether the service allows the page's origin.",
      { phase: 'connect', sent: control.sent },
      { cause: error },
    )
  }
}

/** Returns the whole body if it can't be sent as a stream. */
function wholeOf(body: TransportBody | undefined, streams: boolean | undefined): Promise<Whole> | undefined {
  if (!isStreamed(body)) return undefined
  if (body.native !== undefined) return Promise.resolve(body.native())
  if (body.whole === undefined || (streams ?? carriesStreams())) return undefined
  return isReactNative() ? join(body.open()) : body.whole()
}

/** Calls the caller's progress callback, which may throw. */
function reportArrival(body: StreamedBody, sizeBytes: number, response: Response): void {
  try {
    body.arrived?.(sizeBytes)
  } catch (error) {
    response.body?.cancel().catch(() => undefined)
    throw error
  }
}

function lost(cause: unknown): ConnectionError {
  return new ConnectionError(
    'The connection was lost before the response was complete.',
    { phase: 'receive', sent: 'yes' },
    { cause },
  )
}

const EMPTY = new Uint8Array(0)

/**
 * Returns whether requests on this platform can have stream bodies. Requests in browsers can't: some browsers don't
 * support streams, and others send them only over HTTP/2. A browser is recognized by its `document` or, in a worker,
 * by its user agent. Node is checked first, because tests that imitate a browser run in Node.
 */
function carriesStreams(): boolean {
  const host = globalThis as { process?: { versions?: { node?: unknown } }; document?: unknown }
  if (host.process?.versions?.node !== undefined) return true
  return (
    host.document === undefined &&
    !isReactNative() &&
    !globalThis.navigator?.userAgent?.startsWith('Mozilla/')
  )
}

async function join(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const queue = new ByteQueue()
  for await (const piece of pieces) queue.push(piece)
  return queue.join()
}

/** Returns 0 for a FormData, whose size isn't known. */
function sizeOf(whole: Whole): number {
  if ('byteLength' in whole) return whole.byteLength
  return 'size' in whole ? whole.size : 0
}

type Whole = Blob | Uint8Array<ArrayBuffer> | FormData

function isStreamed(body: TransportBody | undefined): body is StreamedBody {
  return typeof body === 'object' && !(body instanceof Uint8Array)
}

function toInit(
  { method, headers, body, control }: TransportRequest,
  whole: Whole | undefined,
  decodes: boolean,
): RequestInit {
  const pairs: [string, string][] = []
  for (let index = 0; index < headers.length; index += 2) {
    const pair: [string, string] = [headers[index]!, headers[index + 1]!]
    // If `fetch` decodes bodies, it sets `accept-encoding` itself. If the request already had this header, `fetch`
    // might not decode the response.
    if (!decodes || pair[0] !== 'accept-encoding' || pair[1] === PLAIN) pairs.push(pair)
  }
  const init: RequestInit & { duplex?: 'half' } = {
    method,
    headers: pairs,
    redirect: 'manual',
    credentials: 'omit',
    signal: control.signal,
  }
  if (body === undefined) return init
  init.body = whole ?? toFetchBody(body)
  if (whole === undefined && isStreamed(body)) init.duplex = 'half'
  return init
}

function toFetchBody(body: TransportBody): BodyInit {
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>
  const source = body.open()[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await source.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
    async cancel() {
      await source.return?.()
    },
  })
}

function toRaw(headers: Headers): RawHeaders {
  const raw: Record<string, string | readonly string[]> = {}
  headers.forEach((value, name) => (raw[name] = value))
  // Not every platform has `getSetCookie`.
  const cookies = (headers as Partial<Headers>).getSetCookie?.() ?? []
  if (cookies.length > 1) raw['set-cookie'] = cookies
  return raw
}

async function readAll(
  response: Response,
  headers: RawHeaders,
  { control, maxResponseBytes }: TransportRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  if (response.body === null) return EMPTY
  if (response.body === undefined) {
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (bytes.length > maxResponseBytes)
      throw tooLarge({ status: response.status, headers }, maxResponseBytes)
    return bytes
  }
  const queue = new ByteQueue()
  const reader = response.body.getReader()
  // This ends a pending read, even if the `fetch` function ignores the signal.
  control.onCancel(() => void reader.cancel().catch(() => undefined))
  for (let next = await reader.read(); next.done !== true; next = await reader.read()) {
    queue.push(next.value)
    if (queue.sizeBytes > maxResponseBytes) {
      void reader.cancel().catch(() => undefined)
      throw tooLarge({ status: response.status, headers }, maxResponseBytes)
    }
  }
  control.onCancel(undefined)
  if (control.cancelled) throw control.reason
  return queue.join()
}

/** The content codings that every `fetch` decodes. */
const EVERYWHERE = new Set(['gzip', 'x-gzip', 'deflate', 'br'])

/**
 * The first bytes of zstd content (RFC 8878, section 3.1.1). Some runtimes decode zstd in `fetch`, and others don't.
 * The response headers don't show whether the body was decoded.
 */
const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd]

/** Returns whether `fetch` has decoded a body that begins with these bytes. */
function hasDecoded({ 'content-encoding': codings }: RawHeaders, beginning: Uint8Array): boolean {
  if (codings === undefined) return false
  return String(codings)
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .every(
      (coding) =>
        EVERYWHERE.has(coding) ||
        (coding === 'zstd' && !ZSTD_MAGIC.every((byte, index) => beginning[index] === byte)),
    )
}

/**
 * Returns whether a body may have been decoded although no header names a coding. In a response from another origin,
 * a web page sees `content-encoding` only if the server exposes it.
 */
function isHidden({ type }: Response, headers: RawHeaders): boolean {
  return type === 'cors' && headers['content-encoding'] === undefined
}

type Reader = ReadableStreamDefaultReader<Uint8Array>

class FetchedStream extends BufferedResponse {
  readonly #reader: Reader | undefined
  readonly #first: Uint8Array | undefined
  readonly #control: RequestControl

  constructor(
    { status, headers, decoded }: Pick<BufferedResponse, 'status' | 'headers' | 'decoded'>,
    reader: Reader | undefined,
    control: RequestControl,
    first?: Uint8Array,
  ) {
    super(status, headers, EMPTY, decoded)
    this.#reader = reader
    this.#first = first
    this.#control = control
    if (reader !== undefined) control.onCancel(this.#stop)
  }

  readonly #stop = (): void => void this.#reader?.cancel().catch(() => undefined)

  override async *stream(): AsyncGenerator<Uint8Array> {
    const reader = this.#reader
    if (reader === undefined) return
    try {
      if (this.#first !== undefined) yield this.#first
      for (let next = await reader.read(); next.done !== true; next = await reader.read()) yield next.value
      if (this.#control.cancelled) throw this.#control.reason
    } catch (error) {
      throw this.#control.cancelled ? this.#control.reason : lost(error)
    } finally {
      this.#stop()
    }
  }
}

/** For zstd, reads the first bytes, because only they show whether `fetch` has decoded the body. */
async function openStream(
  response: Response,
  headers: RawHeaders,
  control: RequestControl,
  decodes: boolean,
): Promise<FetchedStream> {
  const isDecoded = (beginning: Uint8Array): boolean =>
    decodes && (isHidden(response, headers) || hasDecoded(headers, beginning))
  const reader = response.body?.getReader()
  const head = { status: response.status, headers, decoded: isDecoded(EMPTY) }
  if (!decodes || reader === undefined || !String(headers['content-encoding']).includes('zstd'))
    return new FetchedStream(head, reader, control)
  control.onCancel(() => void reader.cancel().catch(() => undefined))
  const { value: first } = await reader.read()
  if (control.cancelled) throw control.reason
  return new FetchedStream({ ...head, decoded: isDecoded(first ?? EMPTY) }, reader, control, first)
}
