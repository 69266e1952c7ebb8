// One subject of the calls row, in a process of its own: its heap and its compiled code are nobody else's.
import { pathToFileURL } from 'node:url'

import { answerQuestions } from '../process/answer-questions.ts'
import { costOf } from '../process/cost.ts'
import type { CallSubject, CallTarget } from './subject.ts'

let call: (() => Promise<unknown>) | undefined

answerQuestions({
  connect: async ({ subject, target }: { subject: string; target: CallTarget }) => {
    const { connect } = (await import(pathToFileURL(subject).href)) as CallSubject
    call = await connect(target)
  },
  call: () => call?.(),
  burst: ({ count, inFlight }: Burst) => costOf(() => burst(count, inFlight)),
})

interface Burst {
  readonly count: number
  readonly inFlight: number
}

/** Makes this many calls, so many at a time. */
async function burst(count: number, inFlight: number): Promise<void> {
  const one = call
  if (one === undefined) throw new Error('there is no connection yet')
  let left = count
  const lane = async () => {
    while (left-- > 0) await one()
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
}
