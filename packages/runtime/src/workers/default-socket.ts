import type { SocketFactory } from '../socket/socket.ts'
import { workersSocketFactory } from './upgrade-socket.ts'

export function defaultSocketFactory(): SocketFactory {
  return workersSocketFactory()
}
