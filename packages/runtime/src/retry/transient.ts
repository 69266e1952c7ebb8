import {
  ApiError,
  ConcordError,
  ConnectionError,
  DeadlineError,
  RateLimitedError,
  SocketError,
  SubmissionUncertainError,
  TimeoutError,
  UnexpectedContentError,
} from '../core/errors.ts'
import type { RetryRule } from '../core/descriptors.ts'
import { isOfCaller } from './caller-errors.ts'

/** The kind of work that is retried after a transient failure. @public */
export type RetryUse = 'call' | 'poll' | 'download' | 'connect'

/**
 * The one table of statuses after which the same request may succeed later: 408 request timeout, 425 too early, 429 too
 * many requests, 500, 502, 503 and 504. The exceptions, each with its reason:
 *
 * - `call`: neither 408 nor 425: no service documents that they should be retried. A contract can name its own
 *   statuses in `x-retry`, which then replace this list.
 * - `poll` and `connect`: every 5xx, since neither changes anything on the service, and both are bounded by a deadline.
 * - `download`: also 206 (a part that doesn't continue the file) and 416 (the file has become shorter): the next attempt
 *   starts over.
 */
const TRANSIENT: readonly number[] = [408, 425, 429, 500, 502, 503, 504]
const NOT_FOR_CALLS: readonly number[] = [408, 425]
const ALSO_FOR_DOWNLOADS: readonly number[] = [206, 416]

/** Returns whether the same request may succeed later, judged by the status of its response. */
export function isTransientStatus(status: number, use: RetryUse): boolean {
  if (use === 'call' && NOT_FOR_CALLS.includes(status)) return false
  if (use === 'download' && ALSO_FOR_DOWNLOADS.includes(status)) return true
  if ((use === 'poll' || use === 'connect') && status >= 500) return true
  return TRANSIENT.includes(status)
}

/** Denials that are about the key, the balance or the permission, all of which can change. */
const ABOUT_THE_CALLER: readonly number[] = [401, 402, 403]

/**
 * Returns whether a denial is about the request itself, so that it would be denied every time. Otherwise it is about
 * the caller, or transient, and the same request may be accepted later.
 *
 * @public
 */
export function isAboutRequest(status: number): boolean {
  const isDenial = status >= 400 && status < 500
  return isDenial && !ABOUT_THE_CALLER.includes(status) && !isTransientStatus(status, 'connect')
}

/**
 * Returns whether a failure says nothing about the next attempt: a connection that failed, a time-out, or a transient
 * status. It does not say whether the request may be sent again; that depends on the operation (`x-retry`).
 *
 * @public
 */
export function isTransient(error: unknown, use: RetryUse): boolean {
  if (isOfCaller(error)) return false
  if (ConnectionError.is(error) || TimeoutError.is(error)) return true
  // The database behind a rate limit or a token store failed, so this request was not sent.
  if (ConcordError.is(error) && error.code === 'database') return true
  // The outcome is uncertain, so only a poll, which changes nothing, is repeated.
  if (SubmissionUncertainError.is(error)) return use === 'poll'
  const status = ApiError.is(error) || SocketError.is(error) ? error.status : undefined
  return status !== undefined && isTransientStatus(status, use)
}

/** How a failed poll affects a wait. */
export type PollFailure = 'transient' | 'unreadable' | 'definite'

/**
 * Classifies a failed poll. Transient failures are those of the table, and a deadline of the poll itself: they say
 * nothing about the operation. A response that can't be read, such as a proxy's page, may be a one-off or the rule, so
 * the poll loop counts them. Everything else is definite and won't get better: a rejected credential, an unknown id, an
 * invalid request, a bug.
 */
export function classifyPollFailure(error: unknown): PollFailure {
  if (!ConcordError.is(error) || isOfCaller(error)) return 'definite'
  if (isTransient(error, 'poll') || DeadlineError.is(error)) return 'transient'
  return UnexpectedContentError.is(error) ? 'unreadable' : 'definite'
}

/** Returns how long the service asked to wait, if the error says so. @public */
export function retryAfterOf(error: unknown): number | undefined {
  if (isOfCaller(error)) return undefined
  const value = (error as { readonly retryAfterMs?: unknown } | null | undefined)?.retryAfterMs
  return typeof value === 'number' && value >= 0 ? value : undefined
}

/** Returns whether the contract allows another attempt of a call after this failure. */
export function mayRetry(rule: RetryRule, error: unknown): boolean {
  if (rule.class === 'never') return false
  if (ApiError.is(error)) {
    if (RateLimitedError.is(error) && !error.retryHelps) return false
    if (rule.statuses !== undefined) return rule.statuses.includes(error.status)
    return rule.class === 'safe' && isTransientStatus(error.status, 'call')
  }
  // This attempt was not sent, so it may be repeated even if the operation isn't `safe`.
  if (ConcordError.is(error) && error.code === 'database') return true
  if (!ConnectionError.is(error) && !TimeoutError.is(error)) return false
  return rule.class === 'safe' || error.sent === 'no'
}
