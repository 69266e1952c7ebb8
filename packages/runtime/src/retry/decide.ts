import {
  ApiError,
  ConnectionError,
  RateLimitedError,
  type Sent,
  SubmissionUncertainError,
  TimeoutError,
} from '../core/errors.ts'
import type { OperationDescriptor, RetryRule } from '../core/operation.ts'

/** What a `safe` operation is retried on when the contract names no statuses. */
const DEFAULT_STATUSES: readonly number[] = [429, 500, 502, 503, 504]
const NONE: readonly number[] = []

/** Whether an error of an attempt is one after which the contract allows another. */
export function mayRetry(rule: RetryRule, error: unknown): boolean {
  if (rule.class === 'never') return false
  if (ApiError.is(error)) {
    const statuses = rule.statuses ?? (rule.class === 'safe' ? DEFAULT_STATUSES : NONE)
    if (!statuses.includes(error.status)) return false
    return !RateLimitedError.is(error) || error.retryHelps
  }
  const sent = lostAnswer(error)?.sent
  if (sent === undefined) return false
  return rule.class === 'safe' || sent === 'no'
}

/** A failure that came in place of an answer. */
interface LostAnswer {
  readonly sent: Sent
  readonly status?: number
}

function lostAnswer(error: unknown): LostAnswer | undefined {
  return ConnectionError.is(error) || TimeoutError.is(error) ? error : undefined
}

/**
 * What to throw when an operation that must not be sent twice lost its answer. A 4xx whose body was lost
 * still proves that the service refused.
 */
export function asUncertain(
  operation: OperationDescriptor,
  error: unknown,
  at: LostAnswer,
  submission: { readonly body: unknown; readonly submittedAtMs: number },
): unknown {
  if (operation.retry.class === 'safe' || at.sent === 'no') return error
  if (at.status !== undefined && at.status >= 400 && at.status < 500) return error
  const { body } = submission
  const fields = typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype
  return new SubmissionUncertainError(
    `${operation.id}: the answer was lost after the request may have reached the service. It may have been ` +
      'accepted, so it was not sent again: look whether the work exists before you submit it anew.',
    { method: operation.method, path: operation.path, fields: fields ? Object.keys(body) : [] },
    submission.submittedAtMs,
    { operation: operation.id, cause: error },
  )
}
