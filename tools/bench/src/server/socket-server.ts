// A server of sockets: it counts the bytes that it is sent, and sends messages that are made in advance.
import { type AddressInfo } from 'node:net'

import { type RawData, WebSocketServer } from 'ws'

import { answerQuestions } from '../process/answer-questions.ts'
import { transcript } from '../sockets/transcript.ts'

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
const listening = new Promise((resolve) => server.once('listening', resolve))

server.on('connection', (socket) => {
  let receivedBytes = 0
  socket.on('message', (data: RawData, isBinary: boolean) => {
    if (isBinary) {
      receivedBytes += (data as Buffer).length
      return
    }
    const asked = JSON.parse((data as Buffer).toString()) as { readonly send?: number }
    if (asked.send === undefined) {
      socket.send(JSON.stringify({ type: 'Count', bytes: receivedBytes }))
      receivedBytes = 0
    }
    for (let index = 0; index < (asked.send ?? 0); index++) socket.send(transcript(index))
  })
})

answerQuestions({
  address: async () => {
    await listening
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
})
