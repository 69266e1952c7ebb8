// One of many processes that work on a batch, one after the other. The test can kill it at any moment.
import { flushCompileCache } from 'node:module'

import { Media, type BatchOptions, type BatchReport, type BatchRequest } from '../../src/index.ts'
import { fileJournal } from '../../src/node.ts'

/** The work that a worker is started with. */
export interface Work {
  readonly baseUrl: string
  readonly apiSecret: string
  readonly journal: string
  readonly folder: string
  /** Starts each prompt, so that the emulator can count the requests. */
  readonly prefix: string
  readonly count: number
}

/** The messages of a worker. */
export type Report = 'started' | 'killed' | { readonly error: string } | { readonly done: number }

export const promptOf = (prefix: string, index: number): string => `${prefix} ${index}`

function requestsOf({ prefix, count }: Work): BatchRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    operation: 'textToImage',
    request: { model: 'gen4_image_turbo', promptText: promptOf(prefix, index) },
  }))
}

/** Starts the batch or resumes it. Every process runs this. */
export async function runWork(work: Work, options: BatchOptions = {}): Promise<BatchReport> {
  const { baseUrl, apiSecret, journal, folder } = work
  await using media = new Media({
    baseUrl,
    apiSecret,
    polling: { task: { firstDelayMs: 1, minDelayMs: 1, maxDelayMs: 4 } },
  })
  return await media.batch(requestsOf(work), {
    journal: fileJournal(journal),
    store: { folder },
    concurrency: 4,
    ...options,
  })
}

if (process.send !== undefined && process.argv[2] === 'work') {
  const say = (report: Report): void => void process.send?.(report)
  process.on('message', (work: Work) => {
    runWork(work).then(
      ({ outcomes }) => say({ done: outcomes.length }),
      (error: unknown) => say({ error: String(error) }),
    )
  })
  process.on('disconnect', () => process.exit(0))
  process.on('error', () => process.exit(0))
  // A killed process would leave no cache for the next one.
  flushCompileCache()
  say('started')
}
