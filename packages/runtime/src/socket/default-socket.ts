import { platformSocketFactory, type SocketFactory } from './socket.ts'

// A file of its own, for the reason in `http/default-transport.ts`.

/** Outside of Node: the host's own `WebSocket`. */
export function defaultSocketFactory(): SocketFactory {
  return platformSocketFactory()
}
