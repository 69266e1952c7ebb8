// One subject of the socket rows, in a process of its own.
import { pathToFileURL } from 'node:url'

import { answerQuestions } from '../process/answer-questions.ts'
import { costOf } from '../process/cost.ts'
import type { SocketHold, SocketSubject } from './subject.ts'

let hold: SocketHold | undefined

function held(): SocketHold {
  if (hold === undefined) throw new Error('there is no connection yet')
  return hold
}

answerQuestions({
  connect: async ({ subject, origin }: { subject: string; origin: string }) => {
    const { connect } = (await import(pathToFileURL(subject).href)) as SocketSubject
    hold = await connect(origin)
  },
  frames: async ({ sizeBytes, count }: { sizeBytes: number; count: number }) => {
    const frame = new Uint8Array(sizeBytes).fill(7)
    let receivedBytes = 0
    const cost = await costOf(async () => void (receivedBytes = await held().sendFrames(frame, count)))
    return { ...cost, result: receivedBytes }
  },
  messages: async ({ count }: { count: number }) => {
    let sum = 0
    const cost = await costOf(async () => void (sum = await held().receive(count)))
    return { ...cost, result: sum }
  },
})
