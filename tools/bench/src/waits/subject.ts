import type { JobAddress } from '../server/job-address.ts'

/** Something that can wait for jobs. Each module in `subjects/` has one as `connect`. */
export interface WaitSubject {
  /** Gives what waits for a job, polling with these delays, and answers with the completed job. */
  connect(target: WaitTarget): (jobId: string) => Promise<unknown>
}

/** Where a subject polls, and how. The first poll is sent at once. */
export interface WaitTarget extends JobAddress {
  readonly connections: number
  readonly minDelayMs: number
  readonly maxDelayMs: number
}
