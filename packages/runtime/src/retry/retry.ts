import { throwIfAborted, wait } from '../core/async.ts'
import type { Clock, RandomSource } from '../core/clock.ts'
import type { RetryEvent } from '../core/events.ts'
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
 * The statuses after which the same request may succeed later. Each {@link RetryUse} has its own exceptions:
 *
 * - `call` excludes 408 and 425, because no service documents that they should be retried. A contract can name its own
 *   statuses in `x-retry`, which then replace this list.
 * - `poll` and `connect` include every 5xx, because polls and attempts to connect change nothing on the service, and
 *   a deadline limits them.
 * - `download` includes 206 and 416. A 206 is a failure if its content doesn't continue the download. Both failures
 *   mean that the file has changed. The next attempt starts over.
 */
const TRANSIENT: readonly number[] = [408, 425, 429, 500, 502, 503, 504]
const NOT_FOR_CALLS: readonly number[] = [408, 425]
const ALSO_FOR_DOWNLOADS: readonly number[] = [206, 416]

export function isTransientStatus(status: number, use: RetryUse): boolean {
  if (use === 'call' && NOT_FOR_CALLS.includes(status)) return false
  if (use === 'download' && ALSO_FOR_DOWNLOADS.includes(status)) return true
  if ((use === 'poll' || use === 'connect') && status >= 500) return true
  return TRANSIENT.includes(status)
}

/** Statuses that deny a request because of the key, the balance or the permission, all of which can change. */
const ABOUT_THE_CALLER: readonly number[] = [401, 402, 403]

/**
 * Returns whether a status denies the request itself. After such a status, the service would deny the same request
 * every time. After any other status, the service may accept the same request later.
 *
 * @public
 */
export function isAboutRequest(status: number): boolean {
  return status >= 400 && !ABOUT_THE_CALLER.includes(status) && !isTransientStatus(status, 'connect')
}

/**
 * Returns whether a failure is transient. After a transient failure, such as a failed connection, a time-out, or a
 * transient status, another attempt can succeed. The operation's `x-retry` decides whether to send the request again.
 *
 * @public
 */
export function isTransient(error: unknown, use: RetryUse): boolean {
  if (isOfCaller(error)) return false
  if (ConnectionError.is(error) || TimeoutError.is(error)) return true
  // The database that stores the rate limit or the tokens failed, so this request was not sent.
  if (ConcordError.is(error) && error.code === 'database') return true
  // The outcome is uncertain, so only a poll, which changes nothing, is repeated.
  if (SubmissionUncertainError.is(error)) return use === 'poll'
  const status = ApiError.is(error) || SocketError.is(error) ? error.status : undefined
  return status !== undefined && isTransientStatus(status, use)
}

export type PollFailure = 'transient' | 'unreadable' | 'definite'

/**
 * Classifies a failed poll.
 *
 * - `transient`: {@link isTransient} returns true, or the poll reached its own deadline. The failure says nothing
 *   about the work.
 * - `unreadable`: the response can't be read, for example because it is a proxy's page. The next poll may succeed, so
 *   the poll loop continues. After several such failures in a row, the loop ends with the error.
 * - `definite`: another poll would fail, too, for example because the credential was rejected or the id is unknown.
 */
export function classifyPollFailure(error: unknown): PollFailure {
  if (!ConcordError.is(error) || isOfCaller(error)) return 'definite'
  if (isTransient(error, 'poll') || DeadlineError.is(error)) return 'transient'
  return UnexpectedContentError.is(error) ? 'unreadable' : 'definite'
}

/** Returns how long the service asked to wait, in milliseconds; `undefined` if the error doesn't say. @public */
export function retryAfterOf(error: unknown): number | undefined {
  if (isOfCaller(error)) return undefined
  const value = (error as { readonly retryAfterMs?: unknown } | null | undefined)?.retryAfterMs
  return typeof value === 'number' && value >= 0 ? value : undefined
}

/** Returns whether the contract allows another attempt at a call after this failure. */
export function mayRetry(rule: RetryRule, error: unknown): boolean {
  if (rule.class === 'never') return false
  if (ApiError.is(error)) {
    if (RateLimitedError.is(error) && !error.retryHelps) return false
    if (rule.statuses !== undefined) return rule.statuses.includes(error.status)
    return rule.class === 'safe' && isTransientStatus(error.status, 'call')
  }
  // The request was not sent, so the attempt may be repeated even if the operation isn't `safe`.
  if (ConcordError.is(error) && error.code === 'database') return true
  if (!ConnectionError.is(error) && !TimeoutError.is(error)) return false
  return rule.class === 'safe' || error.sent === 'no'
}

/**
 * Work that can be attempted several times, and the limits on these attempts. The loop in {@link retry} updates
 * `failures` in this object.
 *
 * @public
 */
export interface Retried<Result> {
  /** Makes one attempt. If it throws, {@link Retried.again} decides whether to make another attempt. */
  attempt(): Promise<Result>
  /** Returns whether another attempt may succeed after this error. Called once for each failure. */
  again(error: unknown): boolean
  /**
   * How many attempts have failed in a row, as counted by the loop. Set `failures` at the start if earlier attempts
   * count, too. Set it to 1 in `again` if there was progress before this failure. Default 0.
   */
  failures?: number
  readonly clock: Clock
  readonly random: RandomSource
  readonly backoff: BackoffOptions
  /** Maximum number of attempts, including the first. Default: no limit. */
  readonly maxAttempts?: number | undefined
  /** Minimum wait in milliseconds, such as the reconnection time of an event stream. Default 0. */
  readonly minDelayMs?: number | undefined
  /**
   * Maximum `Retry-After`, in milliseconds. If the service asks for a longer wait, the error is thrown at once.
   * Default: no limit.
   */
  readonly maxRetryAfterMs?: number | undefined
  /**
   * The deadline, on the monotonic clock. If a wait would reach the deadline, the error is thrown at once, unless
   * {@link Retried.lastAttemptAtEnd} allows a shorter wait.
   */
  readonly endsAtMs?: number | undefined
  /**
   * Whether to shorten a back-off that would pass the deadline, so that the last attempt is made at the deadline.
   * Default false.
   */
  readonly lastAttemptAtEnd?: boolean | undefined
  /**
   * If one of these signals is aborted, a wait ends at once with the signal's reason. An attempt doesn't end unless
   * it observes the signals itself.
   */
  readonly signals?: readonly AbortSignal[] | undefined
  /**
   * The retry budget. `withdraw` is called before each retry. If it returns false, the retry doesn't happen.
   * Default: none.
   */
  readonly budget?: { withdraw(): boolean } | undefined
  /** Called and awaited before each wait. */
  onRetry?(retry: Retry): void | Promise<void>
  /** Creates the error to throw after the last attempt. Default: the error of that attempt. */
  lastError?(error: unknown): unknown
}

/** A failed attempt that is about to be repeated. @public */
export interface Retry {
  /** How many attempts have failed in a row. */
  readonly failures: number
  readonly delayMs: number
  /** The error of the attempt. */
  readonly error: unknown
}

const NO_SIGNALS: readonly AbortSignal[] = []

/**
 * Runs work with retries. Calls, downloads, refreshes, token requests, device flow, batches and reconnects all use this
 * loop. Only polls don't, because they have their own schedule.
 *
 * The wait before a retry is random, with full jitter. It is never shorter than `Retry-After`, so
 * `Retry-After: 0` has no effect. A retry happens only if `again` returns true, and if the number of attempts, the
 * deadline and the budget allow a retry.
 *
 * @example
 * ```ts
 * const session = await retry({
 *   ...clientRetry(client, 'refreshToken'),
 *   attempt: () => client.send(refreshToken, input, { maxAttempts: 1 }),
 *   again: (error) => RateLimitedError.is(error),
 * })
 * ```
 *
 * @throws the error of the last attempt, or the error that `lastError` returns for it; an error of `onRetry`; the
 *   reason of an aborted signal.
 * @public
 */
export async function retry<Result>(job: Retried<Result>): Promise<Result> {
  throwIfAborted(job.signals ?? NO_SIGNALS)
  try {
    return await job.attempt()
  } catch (error) {
    return repeat(job, error)
  }
}

/** Like {@link retry}, for a job whose first attempt was already made and failed. */
export async function repeat<Result>(job: Retried<Result>, firstError: unknown): Promise<Result> {
  const signals = job.signals ?? NO_SIGNALS
  for (let error = firstError; ;) {
    job.failures = (job.failures ?? 0) + 1
    const delayMs = nextDelayMs(job, error)
    if (delayMs === undefined) throw job.lastError === undefined ? error : job.lastError(error)
    await job.onRetry?.({ failures: job.failures, delayMs, error })
    await wait(job.clock, delayMs, signals)
    throwIfAborted(signals)
    try {
      return await job.attempt()
    } catch (failure) {
      error = failure
    }
  }
}

/** Returns the wait before the next attempt; `undefined` if no other attempt should be made. */
function nextDelayMs(job: Retried<unknown>, error: unknown): number | undefined {
  if (!job.again(error)) return undefined
  const { failures = 1, maxAttempts = Infinity, maxRetryAfterMs = Infinity, endsAtMs = Infinity } = job
  if (failures >= maxAttempts) return undefined
  const askedMs = retryAfterOf(error) ?? 0
  // A wait that the service asks for is never shortened.
  if (askedMs > maxRetryAfterMs) return undefined
  const drawnMs = Math.max(job.minDelayMs ?? 0, backoffMs(failures - 1, job.backoff, job.random))
  let delayMs = Math.max(askedMs, drawnMs)
  const leftMs = endsAtMs - job.clock.monotonic()
  if (delayMs >= leftMs) {
    if (job.lastAttemptAtEnd !== true || askedMs > leftMs || leftMs <= 0) return undefined
    delayMs = leftMs
  }
  return job.budget === undefined || job.budget.withdraw() ? delayMs : undefined
}

/** Returns the event that reports a retry to an observer. */
export function retryEvent(
  operation: string,
  attempt: number,
  { delayMs, error }: Pick<Retry, 'delayMs' | 'error'>,
): RetryEvent {
  const { status, code } = (error ?? {}) as { readonly status?: unknown; readonly code?: unknown }
  const cause = typeof status === 'number' ? status : typeof code === 'string' ? code : 'unknown'
  return { type: 'retry', operation, attempt, delayMs, cause }
}

/** Back-off between attempts. @public */
export interface BackoffOptions {
  readonly baseMs: number
  readonly capMs: number
}

/**
 * Retry policy for a 429 from an endpoint with its own rate limit. Such limits are mostly per minute, so the four
 * waits between the five attempts add up to about a minute on average.
 *
 * @public
 */
export const RATE_RETRY = {
  maxAttempts: 5,
  backoff: { baseMs: 10_000, capMs: 60_000 } satisfies BackoffOptions,
} as const

/** Full jitter: a random wait from 0 to a maximum. The maximum doubles with every retry, from `baseMs` to `capMs`. */
export function backoffMs(retry: number, options: BackoffOptions, random: RandomSource): number {
  // With a larger exponent, the power would be Infinity. If `baseMs` is 0, its product with Infinity would be NaN.
  return random() * Math.min(options.capMs, options.baseMs * 2 ** Math.min(retry, 1_023))
}
