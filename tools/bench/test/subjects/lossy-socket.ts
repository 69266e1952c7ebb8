import { connect as honest } from '../../src/sockets/subjects/raw-ws.ts'
import type { SocketHold } from '../../src/sockets/subject.ts'

/** Loses a frame and a message. */
export async function connect(origin: string): Promise<SocketHold> {
  const { sendFrames, receive } = await honest(origin)
  return {
    sendFrames: (frame, count) => sendFrames(frame, count - 1),
    receive: (count) => receive(count - 1),
  }
}
