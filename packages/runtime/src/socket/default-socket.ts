import { platformSocketFactory } from './platform-socket.ts'
import type { SocketFactory } from './socket.ts'

/** Where there is no Node: the host's own `WebSocket`. */
export function defaultSocketFactory(): SocketFactory {
  return platformSocketFactory()
}
