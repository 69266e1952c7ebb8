import { platformSocketFactory, type SocketFactory } from './socket.ts'

// This code is in a separate file, for the reason that `http/default-transport.ts` explains.

/** Makes sockets from the platform's own `WebSocket`. Used outside of Node. */
export function defaultSocketFactory(): SocketFactory {
  return platformSocketFactory()
}
