import type { SocketFactory } from '../socket/socket.ts'
import { nodeSocketFactory } from './ws-socket.ts'

export function defaultSocketFactory(): SocketFactory {
  return nodeSocketFactory()
}
