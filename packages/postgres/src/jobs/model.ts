/**
 * The phase of one job. The job's row is authoritative; tickets in the queue only say when a worker should look at it.
 *
 * - `queued`: not submitted. It has a ticket in the queue of submissions.
 * - `submitting`: an intent is recorded and a worker is sending the request.
 * - `waiting`: the service accepted it. Its row says when to poll next; no process holds resources for it.
 * - `storing`: the service is done, and the result is being stored. It has a ticket in the queue of results.
 * - `done`, `cancelled`: final.
 * - `failed`, `denied`, `unstored`: ended without a stored result. A person can retry.
 * - `expired`: its deadline has passed. The work isn't awaited any longer, but may still finish. A person can retry: a job
 *   with an id is awaited again, and one without an id is submitted.
 * - `uncertain`: it may have been accepted, but nothing shows whether it was. Waits for a person; never sent again
 *   automatically.
 *
 * @public
 */
export type JobPhase =
  | 'queued'
  | 'submitting'
  | 'waiting'
  | 'storing'
  | 'done'
  | 'failed'
  | 'denied'
  | 'unstored'
  | 'expired'
  | 'uncertain'
  | 'cancelled'

/** The name of each phase in reports, in the order in which they show them. */
export const PHASE_NAMES: Readonly<Record<JobPhase, string>> = {
  queued: 'queued',
  submitting: 'submitting',
  waiting: 'waiting',
  storing: 'storing',
  done: 'done',
  failed: 'failed',
  denied: 'denied',
  unstored: 'not stored',
  expired: 'expired',
  uncertain: 'uncertain',
  cancelled: 'canceled',
}

/** All phases. */
export const PHASES = Object.keys(PHASE_NAMES) as readonly JobPhase[]

/** Identifies a job's row: the number of its batch, and its position in the batch. */
export interface JobKey {
  readonly batch: number
  readonly position: number
}

/** A job that this worker may submit. The intent number is a fencing token: a write with an older one changes nothing. */
export interface ClaimedSubmission extends JobKey {
  readonly intent: number
  readonly ticket: string
  readonly request: unknown
  readonly failures: number
}

/** A job that is due for a poll. */
export interface DuePoll extends JobKey {
  readonly intent: number
  readonly remote: string
  readonly batchName: string
  readonly cancelAsked: boolean
  /** Milliseconds until its next poll, if this one finds nothing. */
  readonly nextPollInMs: number
}

/** A job whose result must be stored. */
export interface ClaimedResult extends JobKey {
  readonly intent: number
  /** Absent if the worker that polled the job stores its result at once. */
  readonly ticket: string | undefined
  readonly remote: string
  readonly batchName: string
  readonly failures: number
}

/** A change that a worker wants to make to a job. It is written only if the job is still in the same phase and intent. */
export interface JobChange extends JobKey {
  readonly from: 'submitting' | 'waiting' | 'storing'
  readonly intent: number
  readonly phase: JobPhase
  /** The ticket to remove. */
  readonly ticket?: string | undefined
  /** The ticket for the job's next step. */
  readonly newTicket?: string | undefined
  /** The service's id for the work. */
  readonly remote?: string | undefined
  /** Whether the work may continue at the service, so that its id must be reported. */
  readonly mayContinue?: boolean
  /** The status that the service reported. */
  readonly status?: string | undefined
  /** The reason of a failure, without secrets. */
  readonly reason?: string | undefined
  /** The value that the sink returned, as JSON. */
  readonly stored?: string | undefined
  /** Milliseconds until the next poll, or until the new ticket is due. A poll that is due later stays so. */
  readonly delayMs?: number | undefined
  /** How many times in a row this step has failed. */
  readonly failures?: number | undefined
}
