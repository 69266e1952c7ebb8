import type { JobAddress } from '../server/job-address.ts'

/** Something that can read a job from the server. Each module in `subjects/` has one as `connect`. */
export interface CallSubject {
  /** Makes a client for at most this many connections. */
  connect(target: CallTarget): Promise<() => Promise<unknown>> | (() => Promise<unknown>)
}

/** What a subject reads, and from where. */
export interface CallTarget extends JobAddress {
  readonly connections: number
  /** Where the built stock client is. */
  readonly stockModule: string
}
