import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

import { onTestFinished } from 'vitest'

import type { ClientOptions } from '../../http/client-options.ts'
import { type Client, createClient } from '../../http/client.ts'
import { KEY } from '../../http/test-support/fixtures.ts'
import { authorizedFetch, type AuthorizedFetch } from '../../session/authorized-fetch.ts'

/** A server on the loopback interface, for the tests of this package. */
export interface Loopback extends AsyncDisposable {
  readonly origin: string
  /** The open sockets of clients. */
  readonly sockets: ReadonlySet<Socket>
  /** The number of connections so far. */
  readonly connections: () => number
}

/** A server that speaks HTTP. */
export function httpServer(listener: RequestListener): Promise<Loopback> {
  return listen(createHttpServer(listener))
}

/** A server on raw sockets, for tests in which the server misbehaves. */
export function socketServer(onSocket: (socket: Socket) => void): Promise<Loopback> {
  return listen(createServer(onSocket))
}

export async function listen(server: Server): Promise<Loopback> {
  const sockets = new Set<Socket>()
  let count = 0
  server.on('connection', (socket: Socket) => {
    count++
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    connections: () => count,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A client with a key, over the transport that Node uses by default. */
export function clientTo(origin: string, options: Partial<ClientOptions> = {}): Client {
  return createClient({
    servers: { api: origin },
    credentials: { key: { in: 'header', name: 'X-API-Key', value: KEY } },
    retry: { baseMs: 0 },
    ...options,
  })
}

/** A server that speaks HTTP, and a client of it. Both are closed when the test has finished. */
export async function serving(listener: RequestListener, options: Partial<ClientOptions> = {}) {
  const server = await httpServer(listener)
  const { origin } = server
  const client = clientTo(origin, options)
  onTestFinished(async () => {
    await client.close()
    await server[Symbol.asyncDispose]()
  })
  return { server, origin, client }
}

/** Returns a `fetch` that adds a key to each request. It sends requests only to this server. */
export function fetchOf(client: Client, origin: string): AuthorizedFetch {
  const credential = { in: 'header', name: 'authorization', value: KEY } as const
  return authorizedFetch(client, { credential, base: origin, addresses: [origin], credentialHeaders: [] })
}
