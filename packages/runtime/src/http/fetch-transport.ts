import { ConnectionError, UnexpectedContentError } from '../core/errors.ts'
import { BufferedResponse, concat } from './buffered-response.ts'
import type {
  RawHeaders,
  RequestControl,
  StreamedBody,
  Transport,
  TransportBody,
  TransportRequest,
  TransportResponse,
} from './transport.ts'

/** The part of `fetch` that is used. @public */
export type Fetch = (input: string, init: RequestInit) => Promise<Response>

/** Options of {@link fetchTransport}. @public */
export interface FetchTransportOptions {
  /** Default: the platform's. */
  readonly fetch?: Fetch
  /** Whether a request can carry a stream. Where it cannot, an upload goes out as a `Blob`. Default: not in a browser. */
  readonly streams?: boolean
}

/**
 * Makes a transport from `fetch`: for browsers and edge runtimes. There a request counts as possibly sent as
 * soon as it is handed over, since `fetch` does not say how far it came. In a browser an upload goes out as a `Blob`, as
 * requests there carry no streams: a stream is read into memory before it is sent, and the progress of an upload is told
 * once, with the answer that takes it.
 *
 * @public
 */
export function fetchTransport(options: FetchTransportOptions = {}): Transport {
  const send = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
  return { send: (request) => exchange(send, options.streams, request) }
}

async function exchange(
  send: Fetch,
  streams: boolean | undefined,
  request: TransportRequest,
): Promise<TransportResponse> {
  const { control, body } = request
  const whole =
    isStreamed(body) && body.whole !== undefined && !(streams ?? carriesStreams())
      ? await gather(body.whole(), control)
      : undefined
  control.sent = 'maybe'
  try {
    const response = await send(request.origin + request.path, toInit(request, whole))
    control.sent = 'yes'
    control.status = response.status
    if (whole !== undefined && response.ok && isStreamed(body)) tellArrival(body, whole, response)
    const headers = toRaw(response.headers)
    if (response.type === 'opaqueredirect') return new BufferedResponse(302, headers, EMPTY)
    if (request.answer === 'stream') return new FetchedStream(response, headers, control)
    return new BufferedResponse(response.status, headers, await readAll(response, request))
  } catch (error) {
    if (control.cancelled) throw control.reason
    if (error instanceof UnexpectedContentError) throw error
    if (control.sent === 'yes') throw lost(error)
    throw new ConnectionError(
      `${request.method} ${request.origin}: no answer came. Check the base address, the network and, in a browser, ` +
        'whether the service allows this origin.',
      { phase: 'connect', sent: control.sent },
      { cause: error },
    )
  }
}

/** What the caller's function throws passes; the answer is let go of then. */
function tellArrival(body: StreamedBody, whole: Blob, response: Response): void {
  try {
    body.arrived?.(whole.size)
  } catch (error) {
    response.body?.cancel().catch(() => undefined)
    throw error
  }
}

function lost(cause: unknown): ConnectionError {
  return new ConnectionError(
    'The connection was lost before the answer was complete.',
    { phase: 'receive', sent: 'yes' },
    { cause },
  )
}

const EMPTY = new Uint8Array(0)

/**
 * Whether the requests of this host carry streams. Those of browsers do not: some know no streams, others send them over
 * HTTP/2 alone. A browser has a document, or calls itself Mozilla; tests that imitate one run in Node.
 */
function carriesStreams(): boolean {
  const host = globalThis as { process?: { versions?: { node?: unknown } }; document?: unknown }
  if (host.process?.versions?.node !== undefined) return true
  return host.document === undefined && !globalThis.navigator?.userAgent?.startsWith('Mozilla/')
}

/** A body as a whole, unless the request is given up before it is there. */
function gather(whole: Promise<Blob>, control: RequestControl): Promise<Blob> {
  return new Promise<Blob>((resolve, reject) => {
    control.onCancel(reject)
    whole.then(resolve, reject)
  }).finally(() => control.onCancel(undefined))
}

function isStreamed(body: TransportBody | undefined): body is StreamedBody {
  return typeof body === 'object' && !(body instanceof Uint8Array)
}

function toInit({ method, headers, body, control }: TransportRequest, whole: Blob | undefined): RequestInit {
  const pairs: [string, string][] = []
  headers.forEach((name, index) => index % 2 === 0 && pairs.push([name, headers[index + 1] ?? '']))
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
  const cookies = headers.getSetCookie()
  if (cookies.length > 1) raw['set-cookie'] = cookies
  return raw
}

async function readAll(response: Response, request: TransportRequest): Promise<Uint8Array<ArrayBuffer>> {
  if (response.body === null) return EMPTY
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  const reader = response.body.getReader()
  // A body that stalls ends its pending read this way, whoever made it.
  request.control.onCancel(() => void reader.cancel().catch(() => undefined))
  for (let next = await reader.read(); next.done !== true; next = await reader.read()) {
    chunks.push(next.value)
    sizeBytes += next.value.length
    if (sizeBytes > request.maxResponseBytes) {
      void reader.cancel().catch(() => undefined)
      throw tooLarge(response, request)
    }
  }
  request.control.onCancel(undefined)
  if (request.control.cancelled) throw request.control.reason
  return concat(chunks, sizeBytes)
}

function tooLarge(
  { status, headers }: Response,
  { maxResponseBytes }: TransportRequest,
): UnexpectedContentError {
  return new UnexpectedContentError(
    `The service answered ${status} with more than ${maxResponseBytes} bytes (maxResponseBytes), ` +
      'so the rest was not read. Raise the limit if such answers are expected.',
    { status, body: undefined, text: '', headers: () => headers },
    { contentType: headers.get('content-type') ?? '', excerpt: '' },
  )
}

/** An answer whose body is read as it comes. */
class FetchedStream extends BufferedResponse {
  readonly #source: ReadableStream<Uint8Array> | null
  readonly #control: RequestControl

  constructor(response: Response, headers: RawHeaders, control: RequestControl) {
    super(response.status, headers, EMPTY)
    this.#source = response.body
    this.#control = control
  }

  override async *stream(): AsyncGenerator<Uint8Array> {
    if (this.#source === null) return
    const reader = this.#source.getReader()
    const stop = (): void => void reader.cancel().catch(() => undefined)
    this.#control.onCancel(stop)
    try {
      for (let next = await reader.read(); next.done !== true; next = await reader.read()) yield next.value
      if (this.#control.cancelled) throw this.#control.reason
    } catch (error) {
      throw this.#control.cancelled ? this.#control.reason : lost(error)
    } finally {
      stop()
    }
  }
}
