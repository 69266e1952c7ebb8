import type { Socket } from 'node:net'
import type { buildConnector, Client, Dispatcher, Pool } from 'undici'
import { OptionsError } from '../core/errors.ts'
import { checkOptionNames, methodsOption, numberOption, type OptionNames } from '../core/option-checks.ts'
import { ByteQueue, tooLarge } from '../http/buffered-response.ts'
import type {
  RawHeaders,
  Transport,
  TransportBody,
  TransportRequest,
  TransportResponse,
} from '../http/transport.ts'
import { toConnectionError } from './connection-error.ts'

/** Options of {@link nodeTransport}. @public */
export interface NodeTransportOptions {
  /** Maximum number of connections to each server. Default 64. */
  readonly connections?: number
  /**
   * A custom dispatcher, such as an undici `Agent`, `ProxyAgent` or `MockAgent`, to use instead of the built-in
   * connection pools. Closing the client doesn't close this dispatcher.
   */
  readonly dispatcher?: UndiciDispatcher
}

/**
 * The part of an undici dispatcher that the transport uses. It is declared here, so that only callers who pass a
 * dispatcher have to install undici.
 *
 * @public
 */
export interface UndiciDispatcher {
  /** Sends a request and reports its response to the handler. The handler has the interface of undici 7 and later. */
  dispatch(options: never, handler: never): boolean
}

const NAMES: OptionNames<NodeTransportOptions> = { connections: true, dispatcher: true }

/**
 * Makes the transport for Node, which sends requests with undici. It uses HTTP/1.1 with keep-alive, and one pool of
 * connections for each server. The undici modules are bundled in this package, and are loaded on the first request.
 *
 * @public
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
  checkOptionNames(options, NAMES, 'options')
  numberOption(options.connections, 'connections', 64, { min: 1, whole: true })
  methodsOption(options.dispatcher, 'dispatcher', ['dispatch'], 'Pass an Agent of undici, or omit it.')
  return new UndiciTransport(options)
}

class UndiciTransport implements Transport {
  readonly #connections: number
  readonly #own: Dispatcher | undefined
  readonly #pools = new Map<string, ConnectionPool>()
  #makePool: ((origin: string, connections: number) => ConnectionPool) | undefined = undefined

  constructor(options: NodeTransportOptions) {
    this.#connections = options.connections ?? 64
    this.#own = options.dispatcher as Dispatcher | undefined
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    const dispatcher = this.#own ?? this.#pools.get(request.origin)?.dispatcher
    if (dispatcher === undefined) return this.#connect(request)
    return dispatch(dispatcher, request)
  }

  async #connect(request: TransportRequest): Promise<TransportResponse> {
    this.#makePool ??= await loadPools()
    if (request.control.cancelled) throw request.control.reason
    let pool = this.#pools.get(request.origin)
    if (pool === undefined) {
      pool = this.#makePool(request.origin, this.#connections)
      this.#pools.set(request.origin, pool)
    }
    return dispatch(pool.dispatcher, request)
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()]
    this.#pools.clear()
    await Promise.all(pools.map((pool) => pool.destroy()))
  }
}

function dispatch(dispatcher: Dispatcher, request: TransportRequest): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(
      {
        origin: request.origin,
        method: request.method as Dispatcher.HttpMethod,
        path: request.path,
        headers: toUndiciHeaders(request),
        body: toUndiciBody(request.body) as null,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      request.responseBody === 'stream'
        ? new Streamer(request, resolve, reject)
        : new Collector(request, resolve, reject),
    )
  })
}

/** Adds the length of a streamed body. undici knows the length of other bodies. */
function toUndiciHeaders({ headers, body }: TransportRequest): string[] {
  if (typeof body !== 'object' || body instanceof Uint8Array || body.sizeBytes === undefined)
    return headers as string[]
  return [...headers, 'content-length', String(body.sizeBytes)]
}

function toUndiciBody(
  body: TransportBody | undefined,
): string | Uint8Array | AsyncIterable<Uint8Array> | null {
  if (body === undefined) return null
  return typeof body === 'string' || body instanceof Uint8Array ? body : body.open()
}

interface ConnectionPool {
  readonly dispatcher: Pool
  /** Closes all connections, including those that are still being opened. */
  destroy(): Promise<void>
}

/** A request that may have to wait for a new connection. */
interface Waiting extends Dispatcher.DispatchHandler {
  /** Ends the connection attempt for this request; set only during the attempt. */
  stopConnecting: (() => void) | undefined
}

type Connector = ReturnType<typeof buildConnector>

const CONNECT_LIMIT_MS = 60_000

/** @throws OptionsError if undici fails to load. */
async function loadPools(): Promise<(origin: string, connections: number) => ConnectionPool> {
  const undici = (await import('./undici-modules.ts').catch((error: unknown) => {
    throw notLoaded(error)
  })) as { Pool: typeof Pool; Client: typeof Client; buildConnector: typeof buildConnector }
  return (origin, connections) => {
    const build = undici.buildConnector({ timeout: CONNECT_LIMIT_MS, allowH2: false })
    const { connect, destroyPending } = trackPending(build)
    const dispatcher = new undici.Pool(origin, {
      connections,
      pipelining: 1,
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect,
      factory: (url, options) => makeClient(undici.Client, url, { ...options, connect }),
    })
    return {
      dispatcher,
      async destroy() {
        destroyPending()
        await dispatcher.destroy()
      },
    }
  }
}

function notLoaded(cause: unknown): OptionsError {
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
  return new OptionsError(
    'transport',
    `The transport for Node needs undici, which could not be loaded (${reason}). Nothing was sent.`,
    'Pass `transport: fetchTransport()`.',
    { cause },
  )
}

/**
 * Makes an undici client that stops connecting if the request that needs the connection is aborted. An unmodified
 * client would keep connecting, and attempts to reach a stalled server would fill the pool.
 */
function makeClient(
  ClientClass: typeof Client,
  origin: URL,
  options: Client.Options & { readonly connect: Connector },
): Client {
  const { connect } = options
  let latest: Waiting | undefined
  let connected = false
  const client = new ClientClass(origin, {
    ...options,
    connect(target, callback) {
      const waiting = latest
      const done = ((...results: Parameters<typeof callback>) => {
        if (waiting !== undefined) waiting.stopConnecting = undefined
        connected = results[0] === null
        latest = undefined
        callback(...results)
      }) as typeof callback
      const socket = connect(target, done) as unknown as Socket
      // The socket is destroyed with an error, because undici doesn't notice a socket that closes without an error.
      if (waiting !== undefined)
        waiting.stopConnecting = () => void socket.destroy(new Error('The request was aborted.'))
    },
  })
  client.on('disconnect', () => (connected = false))
  const { dispatch } = client
  client.dispatch = (target, handler) => {
    if (!connected) latest = handler as Waiting
    return dispatch.call(client, target, handler)
  }
  return client
}

/**
 * Tracks sockets that are still connecting, so that they can be destroyed with the pool. undici itself doesn't
 * destroy these sockets, and they would keep the process alive.
 */
function trackPending(build: Connector): { connect: Connector; destroyPending: () => void } {
  const pending = new Set<Socket>()
  const connect: Connector = (options, callback) => {
    const done: typeof callback = (...results) => {
      pending.delete(socket)
      callback(...results)
    }
    const socket = build(options, done) as unknown as Socket
    pending.add(socket)
    return socket as never
  }
  return {
    connect,
    destroyPending() {
      for (const socket of pending) socket.destroy()
    },
  }
}

/** Receives a response from undici, for one request. Afterward, this object itself is the `TransportResponse`. */
abstract class ResponseHandler implements Waiting, TransportResponse {
  status = 0
  headers: RawHeaders = {}
  stopConnecting: (() => void) | undefined = undefined
  readonly #request: TransportRequest
  protected readonly resolve: (response: TransportResponse) => void
  protected readonly reject: (reason: unknown) => void
  #controller: Dispatcher.DispatchController | undefined = undefined

  constructor(
    request: TransportRequest,
    resolve: (response: TransportResponse) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#request = request
    this.resolve = resolve
    this.reject = reject
    request.control.onCancel((reason) => this.fail(reason))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { control } = this.#request
    // Throws instead of aborting: an abort would destroy a connection on which nothing was sent yet.
    if (control.cancelled) throw new Error('The request was canceled before it was sent.')
    this.#controller = controller
    control.sent = 'maybe'
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: RawHeaders): void {
    if (status < 200) return
    this.status = status
    this.headers = headers
    this.#request.control.status = status
    this.#request.control.sent = 'yes'
  }

  /** A getter, so that `inspect` doesn't show the credentials of the request. */
  protected get request(): TransportRequest {
    return this.#request
  }

  protected resume(): void {
    this.#controller?.resume()
  }

  /** After this call, the request can no longer be canceled. */
  protected settle(): void {
    this.#request.control.onCancel(undefined)
    this.#controller = undefined
  }

  protected fail(reason: unknown): void {
    this.reject(reason)
    // undici requires an Error, but a caller's reason can be any value.
    this.#controller?.abort(reason instanceof Error ? reason : new Error('The request was canceled.'))
    this.stopConnecting?.()
  }

  abstract onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void
  abstract onResponseEnd(): void
  abstract onResponseError(controller: unknown, error: Error): void
  abstract text(): string
  abstract bytes(): Uint8Array<ArrayBuffer>
  abstract stream(): AsyncIterable<Uint8Array>
}

const NOTHING = Buffer.alloc(0)

/**
 * Collects a whole response. To save allocations, it uses no stream, and doesn't copy a body that arrives in one
 * piece.
 */
class Collector extends ResponseHandler {
  #bodySent = false
  #first: Buffer | undefined = undefined
  #queue: ByteQueue | undefined = undefined
  #sizeBytes = 0

  onRequestSent(): void {
    this.#bodySent = true
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#sizeBytes += chunk.length
    if (this.#sizeBytes > this.request.maxResponseBytes) {
      const error = tooLarge(this, this.request.maxResponseBytes)
      this.reject(error)
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
    this.settle()
    this.resolve(this)
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.settle()
    this.reject(toConnectionError(error, this.request, this.#bodySent))
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

const HIGH_WATER_BYTES = 262_144

/**
 * Makes a response available as soon as its headers arrive. The body is received in chunks, as fast as the caller
 * reads them.
 */
class Streamer extends ResponseHandler {
  readonly #queue = new ByteQueue()
  #ended = false
  #failure: { readonly reason: unknown } | undefined = undefined
  #wake: (() => void) | undefined = undefined

  override onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: RawHeaders,
  ): void {
    super.onResponseStart(controller, status, headers)
    if (status >= 200) this.resolve(this)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#queue.push(chunk)
    if (this.#queue.sizeBytes > HIGH_WATER_BYTES) controller.pause()
    this.#wake?.()
  }

  onResponseEnd(): void {
    this.#ended = true
    this.settle()
    this.#wake?.()
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.settle()
    if (this.#failure === undefined) this.fail(toConnectionError(error, this.request, true))
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
          if (this.#queue.empty) this.resume()
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
      if (!this.#ended && this.#failure === undefined) this.fail(new Error('The reader stopped early.'))
    }
  }

  protected override fail(reason: unknown): void {
    this.#failure = { reason }
    // After a cancellation, unread bytes are dropped. After a failure, the reader gets them before the error.
    if (this.request.control.cancelled) this.#queue.clear()
    this.request.control.onCancel(undefined)
    super.fail(reason)
    this.#wake?.()
  }
}

export { nodeTransport as defaultTransport }
