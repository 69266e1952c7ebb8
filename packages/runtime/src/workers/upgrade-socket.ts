import { ConnectionError } from '../core/errors.ts'
import {
  PlatformSocket,
  type PlatformWebSocket,
  type RawSocket,
  type SocketFactory,
  type SocketHandlers,
  type SocketRequest,
} from '../socket/socket.ts'

/** The signature of a `fetch` that can upgrade a connection to a WebSocket. @public */
export type UpgradeFetch = (
  input: string,
  init: {
    readonly headers: Record<string, string>
    readonly signal: AbortSignal
    readonly redirect: 'manual'
  },
) => Promise<Response & { readonly webSocket?: (PlatformWebSocket & { accept(): void }) | null }>

/** Options of {@link workersSocketFactory}. @public */
export interface WorkersSocketOptions {
  /** The `fetch` to use, such as the `fetch` of a service binding. Default: `globalThis.fetch`. */
  readonly fetch?: UpgradeFetch
}

/** The maximum number of characters to keep from the response body of a denied handshake. */
const MAX_DENIAL_LENGTH = 65_536

/**
 * Makes sockets in Cloudflare Workers. There, a `fetch` with an `Upgrade` header opens a WebSocket. The request can
 * have other headers, too, so it can carry a credential. Clients in Workers use this factory by default. Pass it as
 * `socketFactory` to use another `fetch`, or if your bundler doesn't know the export condition `workerd`.
 *
 * These sockets can't send pings, and reading from them can't be paused.
 *
 * @example
 * const socketFactory = workersSocketFactory({ fetch: (url, init) => relay.fetch(url, init) })
 * const client = createClient({ servers, credentials, socketFactory })
 *
 * @public
 */
export function workersSocketFactory(options: WorkersSocketOptions = {}): SocketFactory {
  const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
  return (request, handlers) => new UpgradeSocket(request, handlers, fetch)
}

class UpgradeSocket implements RawSocket {
  readonly #abort = new AbortController()
  #socket: PlatformSocket | undefined = undefined

  constructor(request: SocketRequest, handlers: SocketHandlers, fetch: UpgradeFetch) {
    this.#open(request, handlers, fetch).catch((error: unknown) =>
      handlers.failed(notReached(request, error)),
    )
  }

  async #open(request: SocketRequest, handlers: SocketHandlers, fetch: UpgradeFetch): Promise<void> {
    const headers: Record<string, string> = { upgrade: 'websocket' }
    for (let index = 0; index < request.headers.length; index += 2)
      headers[request.headers[index] ?? ''] = request.headers[index + 1] ?? ''
    const { signal } = this.#abort
    // Following a redirect could send the credential to another server.
    const response = await fetch(request.url.replace(/^ws/, 'http'), { headers, signal, redirect: 'manual' })
    const { status, webSocket } = response
    if (webSocket === undefined || webSocket === null) {
      const body = (await response.text()).slice(0, MAX_DENIAL_LENGTH)
      handlers.denied({ status, headers: Object.fromEntries(response.headers), body })
      return
    }
    webSocket.accept()
    if (signal.aborted) webSocket.close()
    else this.#socket = PlatformSocket.accepted(webSocket, request, handlers)
  }

  get open(): boolean {
    return this.#socket?.open ?? false
  }

  get bufferedBytes(): number {
    return this.#socket?.bufferedBytes ?? 0
  }

  send(data: string | Uint8Array, notify: boolean): void {
    this.#socket?.send(data, notify)
  }

  close(code: number, reason: string): void {
    if (this.#socket === undefined) this.#abort.abort()
    else this.#socket.close(code, reason)
  }

  terminate(): void {
    this.#abort.abort()
    this.#socket?.terminate()
  }
}

function notReached({ url }: SocketRequest, cause: unknown): ConnectionError {
  return new ConnectionError(
    `${new URL(url).origin}: the connection was not opened. Check the address and the network.`,
    { phase: 'connect', sent: 'maybe' },
    { cause },
  )
}

/** Returns the default factory in Cloudflare Workers. */
export function defaultSocketFactory(): SocketFactory {
  return workersSocketFactory()
}
