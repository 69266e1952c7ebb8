/**
 * The phase of one job. The job's row is authoritative. A ticket in a queue only tells workers when to look at the row.
 *
 * - `queued`: not submitted. The job has a ticket in the submission queue.
 * - `submitting`: the intent to submit is recorded, and a worker is sending the request.
 * - `waiting`: the service has accepted the request. The row says when to poll next. No process holds resources for the job.
 * - `storing`: the service has finished the work, and the result is being stored. The job has a ticket in the result queue,
 *   unless the worker that polled the job stores the result itself.
 * - `done`, `cancelled`: final.
 * - `failed`, `denied`, `unstored`: the job ended without a stored result. A person can retry the job.
 * - `expired`: the job's deadline has passed. Workers no longer poll its work, which may still finish. If a person
 *   retries the job, workers poll the work again, or submit the job if the service hasn't accepted it.
 * - `uncertain`: the service may have accepted the request, but the id of the work is unknown; or the service no
 *   longer knows the work. The job waits for a person, and is never submitted again automatically.
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

/** The names that reports use for the phases, in the order in which reports list them. */
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

export const PHASES = Object.keys(PHASE_NAMES) as readonly JobPhase[]

/** Identifies a job's row: the number of its batch, and its position in the batch. */
export interface JobKey {
  readonly batch: number
  readonly position: number
}

/**
 * A job that this worker has claimed, to submit it. `intent` is a number that increases with each submission. It is a
 * fencing token: a write with a lower number changes nothing.
 */
export interface ClaimedSubmission extends JobKey {
  readonly intent: number
  readonly ticket: string
  readonly request: unknown
  readonly failures: number
}

export interface DuePoll extends JobKey {
  readonly intent: number
  readonly remote: string
  readonly batchName: string
  readonly cancelAsked: boolean
  /** Milliseconds until the job's next poll, if this poll finds that the work hasn't ended. */
  readonly nextPollInMs: number
}

export interface ClaimedResult extends JobKey {
  readonly intent: number
  /** Absent if the worker that polled the job stores the result itself. */
  readonly ticket: string | undefined
  readonly remote: string
  readonly batchName: string
  readonly failures: number
}

/**
 * A change that a worker wants to make to a job. The change is written only if the job's row still contains the phase
 * `from` and the number `intent`.
 */
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
  /**
   * Whether the service may still be working on the ended job. If so, `concord-fleet status` lists the work's id.
   */
  readonly mayContinue?: boolean
  /** The status that the service reported. */
  readonly status?: string | undefined
  /** The reason for a failure, without secrets. */
  readonly reason?: string | undefined
  /** The value that the sink returned, as JSON. */
  readonly stored?: string | undefined
  /**
   * Milliseconds until the next poll, or until the new ticket is due. If the poll is already set to a later time, it
   * keeps that time.
   */
  readonly delayMs?: number | undefined
  /** The number of consecutive failures of this step. */
  readonly failures?: number | undefined
}
