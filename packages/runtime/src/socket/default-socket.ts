import { platformSocketFactory, type SocketFactory } from './socket.ts'

// A separate file, so that bundlers can load it on demand: see `http/default-transport.ts`.

/** Returns the default factory for platforms other than Node and Cloudflare Workers. */
export function defaultSocketFactory(): SocketFactory {
  return platformSocketFactory()
}
