import { AuthenticationError, outcomeOf, RateLimitedError, type Outcome } from '@concord/runtime'
import { isAboutRequest, isTransient, retryAfterOf } from '@concord/runtime/internal'

/** The consequences of an error of a submission. */
export interface SubmissionFailure {
  readonly outcome: Outcome
  /** The id of the work, if the error has one. */
  readonly id: string | undefined
  /** Whether the same request may be accepted later. */
  readonly canRetry: boolean
  /** Whether other requests would fail in the same way now, so that all of them should wait. */
  readonly concernsAll: boolean
  readonly retryAfterMs: number | undefined
  readonly reason: string
}

/** Classifies an error of a submission. */
export function submissionFailure(error: unknown): SubmissionFailure {
  const { id, status = 0 } = error as { readonly id?: unknown; readonly status?: number }
  const canRetry = RateLimitedError.is(error)
    ? error.retryHelps
    : (status >= 400 && status < 500 && !isAboutRequest(status)) || isTransient(error, 'poll')
  return {
    outcome: outcomeOf(error),
    id: typeof id === 'string' && id !== '' ? id : undefined,
    canRetry,
    concernsAll: canRetry,
    retryAfterMs: retryAfterOf(error),
    reason: reasonText(error),
  }
}

/** The consequences of an error of a poll. */
export interface PollFailure {
  /** The service doesn't know the work. */
  readonly isGone: boolean
  /** Whether all requests should wait: the rate, the key, an outage. */
  readonly concernsAll: boolean
  readonly retryAfterMs: number | undefined
  readonly reason: string
}

/** Classifies an error of a poll. A poll can be repeated, so everything but an unknown id is left to the next one. */
export function pollFailure(error: unknown): PollFailure {
  const { status } = error as { readonly status?: unknown }
  return {
    isGone: status === 404 || status === 410,
    concernsAll: AuthenticationError.is(error) || RateLimitedError.is(error) || isTransient(error, 'poll'),
    retryAfterMs: retryAfterOf(error),
    reason: reasonText(error),
  }
}

/** The message of an error, short enough for a row. */
export function reasonText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.length > 500 ? `${text.slice(0, 500)}...` : text
}
