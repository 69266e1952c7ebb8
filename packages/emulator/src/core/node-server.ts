import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ReadableStream as NodeReadableStream } from 'node:stream/web'

import { ConnectionBrokenError, EmulatorOptionsError } from './errors.ts'
import { headersOf } from './reply.ts'
import type { SocketEndpoint } from './socket-service.ts'
import { serveSockets } from './socket-server.ts'

export interface Dispatcher {
  /** @param remoteAddress - The caller's IP address. Absent if the request didn't use the network. */
  dispatch(request: Request, remoteAddress?: string): Promise<Response>
  /** Returns the response to a request that failed. */
  failure(): Response
  readonly sockets?: SocketEndpoint
}

export interface NodeServer {
  readonly url: string
  /** Closes immediately: accepts no new connections, and destroys the open connections. */
  close(): Promise<void>
}

/** Port 0 picks a free port. */
export async function serveOverHttp(app: Dispatcher, host: string, port: number): Promise<NodeServer> {
  const server = createServer((incoming, outgoing) => void exchange(app, incoming, outgoing, url))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  const url = `http://${reachableHost(address)}:${address.port}`
  const endSockets = app.sockets
    ? serveSockets(server, app.sockets, {
        toUrl: (incoming) => urlOf(incoming, url),
        failure: () => app.failure(),
      })
    : () => {}
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        endSockets()
      }),
  }
}

/** Replaces a wildcard address with the loopback address, because clients can't connect to a wildcard address. */
function reachableHost({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return family === 'IPv6' ? `[${address}]` : address
}

async function exchange(
  app: Dispatcher,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  url: string,
): Promise<void> {
  const aborter = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableEnded) aborter.abort(new DOMException('The caller disconnected.', 'AbortError'))
  })
  outgoing.on('error', () => {})
  try {
    const request = toRequest(incoming, url, aborter.signal)
    const response = await app.dispatch(request, incoming.socket.remoteAddress).catch((error: unknown) => {
      if (error instanceof ConnectionBrokenError || request.signal.aborted) throw error
      return app.failure()
    })
    await write(response, outgoing)
  } catch (error) {
    const { socket } = outgoing
    if (!(error instanceof ConnectionBrokenError) || error.phase === 'mid-body') socket?.destroy()
    else socket?.resetAndDestroy()
  }
}

function toRequest(incoming: IncomingMessage, url: string, signal: AbortSignal): Request {
  const headers = headersOf(incoming.rawHeaders)
  const method = incoming.method ?? 'GET'
  const init: RequestInit & { duplex: 'half' } = { method, headers, signal, duplex: 'half' }
  const hasBody =
    incoming.headers['content-length'] !== undefined || incoming.headers['transfer-encoding'] !== undefined
  if (method !== 'GET' && method !== 'HEAD' && hasBody)
    // This stream reads nothing in advance. After the response, Node discards any unread part of the body.
    init.body = NodeReadableStream.from(incoming) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>
  return new Request(urlOf(incoming, url), init)
}

/** Returns the URL with the host that the caller used, so that links in responses work for the caller. */
function urlOf(incoming: IncomingMessage, url: string): string {
  const target = incoming.url?.startsWith('/') ? incoming.url : `/${incoming.url ?? ''}`
  const host = incoming.headers.host ?? ''
  if (/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.test(host) && URL.canParse(`http://${host}${target}`))
    return `http://${host}${target}`
  return url + target
}

async function write(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, [...response.headers].flat())
  if (!response.body) {
    outgoing.end()
    return
  }
  outgoing.flushHeaders()
  // Each chunk is flushed before the next is read, because a fault may break the connection in between.
  for await (const chunk of response.body)
    await new Promise<void>((resolve) => {
      outgoing.write(chunk, () => resolve())
    })
  outgoing.end()
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const why =
    error.code === 'EADDRINUSE'
      ? 'another program is listening there. Choose another port, or 0 for any free port'
      : error.code === 'EACCES'
        ? "you don't have permission to use this port. Choose a port above 1023, or 0 for any free port"
        : `${error.message}. Check the host`
  return new EmulatorOptionsError(`The emulator can't listen on ${host}:${port}: ${why}.`, { cause: error })
}
