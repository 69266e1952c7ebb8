// One upload of one subject, in a process of its own, so that the memory it takes is its own.
import { pathToFileURL } from 'node:url'

import { answerQuestions } from '../process/answer-questions.ts'
import { type Cost, costOf } from '../process/cost.ts'
import { watchPeakMemory } from '../process/memory.ts'
import type { Upload, UploadSubject, UploadTarget } from './subject.ts'

/** What a large upload cost. */
export interface UploadCost extends Cost {
  /** How far the memory of the process rose above what it was just before. */
  readonly extraPeakBytes: number
}

let upload: Upload | undefined

answerQuestions({
  connect: async ({ subject, target }: { subject: string; target: UploadTarget }) => {
    const { connect } = (await import(pathToFileURL(subject).href)) as UploadSubject
    upload = await connect(target)
  },
  upload: (file: string) => upload?.(file),
  measure: async (file: string): Promise<UploadCost> => {
    const peak = watchPeakMemory()
    const cost = await costOf(async () => void (await upload?.(file)))
    return { ...cost, extraPeakBytes: peak() }
  },
})
