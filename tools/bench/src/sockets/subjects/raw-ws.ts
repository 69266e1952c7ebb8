import { WebSocket } from 'ws'

import type { SocketHold } from '../subject.ts'
import type { Transcript } from '../transcript.ts'

const HIGH_BYTES = 2 ** 20

/** The base of all ratios: `ws` itself and JSON.parse, with the same bound on the send buffer, and nothing checked. */
export async function connect(origin: string): Promise<SocketHold> {
  const socket = new WebSocket(origin.replace('http', 'ws'), { perMessageDeflate: false })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  let onMessage: (message: Transcript | { readonly type: 'Count'; readonly bytes: number }) => void = () =>
    undefined
  socket.on('message', (data) => onMessage(JSON.parse((data as Buffer).toString())))
  return {
    async sendFrames(frame, count) {
      for (let index = 0; index < count; index++) {
        if (socket.bufferedAmount < HIGH_BYTES) socket.send(frame)
        else await new Promise((resolve) => socket.send(frame, resolve))
      }
      return new Promise((resolve) => {
        onMessage = (message) => message.type === 'Count' && resolve(message.bytes)
        socket.send('{}')
      })
    },
    receive: (count) =>
      new Promise((resolve) => {
        let left = count
        let sum = 0
        onMessage = (message) => {
          if (message.type !== 'Transcript') return
          sum += message.start
          if (--left === 0) resolve(sum)
        }
        socket.send(JSON.stringify({ send: count }))
      }),
  }
}
