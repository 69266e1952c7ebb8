import { Extraction } from '@concord/extraction'

import type { WaitTarget } from '../subject.ts'

/** Ours: the public `wait` of a job that is known by its id. */
export function connect(target: WaitTarget): (jobId: string) => Promise<unknown> {
  const { baseUrl, apiKey, connections, minDelayMs, maxDelayMs } = target
  const extraction = new Extraction({
    baseUrl,
    apiKey,
    connections,
    polling: { job: { minDelayMs, maxDelayMs }, connections },
  })
  return (jobId) => extraction.job(jobId).wait()
}
