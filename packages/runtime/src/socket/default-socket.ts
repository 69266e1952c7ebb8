import { platformSocketFactory, type SocketFactory } from './socket.ts'

// Only a separate file can be loaded on demand: see `http/default-transport.ts`.

/** Returns the default factory for platforms other than Node and Cloudflare Workers. */
export function defaultSocketFactory(): SocketFactory {
  return platformSocketFactory()
}
