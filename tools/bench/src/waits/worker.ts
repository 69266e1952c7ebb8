// Many waits of one subject, in a process of its own, so that the memory they take is their own.
import { randomUUID } from 'node:crypto'
import { pathToFileURL } from 'node:url'

import { answerQuestions } from '../process/answer-questions.ts'
import { type Cost, costOf } from '../process/cost.ts'
import { usedHeapBytes, watchPeakMemory } from '../process/memory.ts'
import type { WaitSubject, WaitTarget } from './subject.ts'

/** What many waits at once cost, from the first poll to the last. */
export interface WaitsCost extends Cost {
  readonly extraPeakBytes: number
}

let wait: ((jobId: string) => Promise<unknown>) | undefined
let begun: { readonly all: Promise<unknown>; readonly count: number; readonly heapBytes: number } | undefined

answerQuestions({
  connect: async ({ subject, target }: { subject: string; target: WaitTarget }) => {
    const { connect } = (await import(pathToFileURL(subject).href)) as WaitSubject
    wait = connect(target)
  },
  wait: (jobId: string) => wait?.(jobId),
  cost: async (count: number): Promise<WaitsCost> => {
    const peak = watchPeakMemory()
    const cost = await costOf(async () => void (await Promise.all(waits(count))))
    return { ...cost, extraPeakBytes: peak() }
  },
  begin: (count: number) => {
    const heapBytes = usedHeapBytes()
    begun = { all: Promise.all(waits(count)), count, heapBytes }
  },
  heapBytesEach: () => (begun === undefined ? NaN : (usedHeapBytes() - begun.heapBytes) / begun.count),
  finish: async () => {
    await begun?.all
    begun = undefined
  },
})

function waits(count: number): Promise<unknown>[] {
  const one = wait
  if (one === undefined) throw new Error('there is no connection yet')
  return Array.from({ length: count }, () => one(randomUUID()))
}
