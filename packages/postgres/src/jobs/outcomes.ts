import { outcomeOf, RateLimitedError, type Outcome } from '@concord/runtime'
import { isAboutRequest, isOfCaller, isTransient, retryAfterOf } from '@concord/runtime/internal'

interface SubmissionFailure {
  readonly outcome: Outcome
  /** The service's id for the work, if the error contains the id. */
  readonly id: string | undefined
  /** Whether the service might accept the same request later. */
  readonly canRetry: boolean
  readonly retryAfterMs: number | undefined
  readonly reason: string
}

export function submissionFailure(error: unknown): SubmissionFailure {
  const { id, status = 0 } = factsOf(error) as { readonly id?: unknown; readonly status?: number }
  const outcome = outcomeOf(error)
  let canRetry = (status >= 400 && status < 500 && !isAboutRequest(status)) || isTransient(error, 'poll')
  // If the caller's own function failed (for example, a function that reads a credential), retry only if nothing was
  // sent.
  if (isOfCaller(error)) canRetry = outcome === 'not-sent'
  else if (RateLimitedError.is(error)) canRetry = error.retryHelps
  return {
    outcome,
    id: typeof id === 'string' && id !== '' ? id : undefined,
    canRetry,
    retryAfterMs: retryAfterOf(error),
    reason: reasonText(error),
  }
}

export interface PollFailure {
  /**
   * - `all`: the service asked clients to wait, or it denied the poll for a reason that concerns all other requests
   *   too (the key, balance or rate).
   * - `perhaps-all`: either an outage or a problem with this job alone.
   * - `gone`: the service doesn't know the work.
   * - `job`: any other error; it concerns only this job.
   */
  readonly concerns: 'all' | 'perhaps-all' | 'gone' | 'job'
  readonly retryAfterMs: number | undefined
  readonly reason: string
}

const DENIES_ALL: readonly unknown[] = [401, 402, 429]
const GONE: readonly unknown[] = [404, 410]

/** Classifies the error from a poll. Only `gone` ends the job. After any other error, the job is polled again. */
export function pollFailure(error: unknown): PollFailure {
  const { status } = factsOf(error) as { readonly status?: unknown }
  const retryAfterMs = retryAfterOf(error)
  let concerns: PollFailure['concerns'] = 'job'
  if (GONE.includes(status)) concerns = 'gone'
  else if (DENIES_ALL.includes(status) || (retryAfterMs ?? 0) > 0) concerns = 'all'
  else if (status === 403 || isTransient(error, 'poll')) concerns = 'perhaps-all'
  return { concerns, retryAfterMs, reason: reasonText(error) }
}

/** Returns the error, or `{}` if the caller's own function threw it, because that error isn't about the request. */
function factsOf(error: unknown): object {
  return typeof error === 'object' && error !== null && !isOfCaller(error) ? error : {}
}

/** Returns the message of an error, short enough for a job's row. */
export function reasonText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.length > 500 ? `${text.slice(0, 500)}...` : text
}
