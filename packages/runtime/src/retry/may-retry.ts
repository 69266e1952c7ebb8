import { ApiError, ConnectionError, RateLimitedError, TimeoutError } from '../core/errors.ts'
import type { RetryRule } from '../core/operation.ts'
import { isTransientStatus } from './transient.ts'

/** Whether the contract allows another attempt of a call after this failure. */
export function mayRetry(rule: RetryRule, error: unknown): boolean {
  if (rule.class === 'never') return false
  if (ApiError.is(error)) {
    if (RateLimitedError.is(error) && !error.retryHelps) return false
    if (rule.statuses !== undefined) return rule.statuses.includes(error.status)
    return rule.class === 'safe' && isTransientStatus(error.status, 'call')
  }
  if (!ConnectionError.is(error) && !TimeoutError.is(error)) return false
  return rule.class === 'safe' || error.sent === 'no'
}
