import { platformSocketFactory, type SocketFactory } from './socket.ts'

// This is a separate file, for the reason in `http/default-transport.ts`.

/** Makes sockets from the platform's own `WebSocket`. Used outside of Node. */
export function defaultSocketFactory(): SocketFactory {
  return platformSocketFactory()
}
