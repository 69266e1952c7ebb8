import type { Dispatcher } from 'undici'

import type { Transport, TransportBody, TransportRequest, TransportResponse } from '../http/transport.ts'
import { Collector, type ConnectionPool, loadPools, Streamer } from './undici.ts'

/** Options of {@link nodeTransport}. @public */
export interface NodeTransportOptions {
  /** Maximum number of connections to each server. Default 64. */
  readonly connections?: number
  /**
   * A custom dispatcher instead of the pools, such as an `Agent`, a `ProxyAgent` or a `MockAgent` of undici. It isn't
   * closed with the client.
   */
  readonly dispatcher?: UndiciDispatcher
}

/**
 * The part of a dispatcher of undici that is used. Declared here, so that only those who pass one install undici.
 *
 * @public
 */
export interface UndiciDispatcher {
  /** Sends a request and reports its response to the handler, as undici 7 and later do. */
  dispatch(options: never, handler: never): boolean
}

/**
 * Makes the transport for Node: undici, HTTP/1.1 with keep-alive, one pool for each server. Loads undici with the first
 * request.
 *
 * @public
 */
export function nodeTransport(options: NodeTransportOptions = {}): Transport {
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

/** undici knows the length of strings and bytes, but not that of a stream. */
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

export { nodeTransport as defaultTransport }
