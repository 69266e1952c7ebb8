import { throwIfAborted, wait } from '../core/async.ts'
import type { Clock, RandomSource } from '../core/clock.ts'
import type { RetryEvent } from '../core/events.ts'
import { retryAfterOf } from './transient.ts'

/**
 * Work that is attempted until it succeeds or another attempt can't help, and the limits for it.
 * Settings and state (`failures`) are in one object, which the loop changes.
 *
 * @public
 */
export interface Retried<Result> {
  /** Makes one attempt. {@link Retried.again} decides about an error that it throws. */
  attempt(): Promise<Result>
  /** Returns whether another attempt may succeed where this one failed. It is called once for each failure. */
  again(error: unknown): boolean
  /**
   * How many attempts have failed in a row. The loop counts them. Set `failures` to carry on from earlier ones; in
   * `again`, set it to 1 if there was progress before this failure. Default 0.
   */
  failures?: number
  readonly clock: Clock
  readonly random: RandomSource
  readonly backoff: BackoffOptions
  /** Maximum number of attempts, including the first. Default: no limit. */
  readonly maxAttempts?: number | undefined
  /** Minimum wait in milliseconds, such as the interval of a poll. Default 0. */
  readonly minDelayMs?: number | undefined
  /** If the service asks for a longer wait (`Retry-After`), the error is thrown at once. Default: no limit. */
  readonly maxRetryAfterMs?: number | undefined
  /** The deadline, on the monotonic clock. A wait that would reach it isn't begun: the error is thrown at once. */
  readonly endsAtMs?: number | undefined
  /** Shortens a back-off that would pass the deadline, so that one last attempt is made right at it. Default false. */
  readonly lastAttemptAtEnd?: boolean | undefined
  /** Aborting one of them ends a wait at once, with its reason. An attempt has to handle them itself. */
  readonly signals?: readonly AbortSignal[] | undefined
  /** Must allow each retry. Default: no budget. */
  readonly budget?: { withdraw(): boolean } | undefined
  /** Called before each wait, and awaited. */
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
 * Runs work with retries. It is the only loop that retries, except for polls, which have a schedule of their own: calls,
 * downloads, refreshes, token requests, device flow, batches and reconnects all run in it.
 *
 * The wait before a retry is drawn with full jitter. It is never shorter than `Retry-After`;
 * `Retry-After: 0` therefore asks for nothing beyond the ordinary back-off. A retry happens only if `again` returns
 * true, and attempts, deadline and budget allow it.
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
 * @throws the error of the last attempt (or what `lastError` makes of it), what `onRetry` throws, or the reason of an aborted
 * signal.
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

/** Returns the wait before the next attempt; `undefined` if there won't be one. */
function nextDelayMs(job: Retried<unknown>, error: unknown): number | undefined {
  if (!job.again(error)) return undefined
  const { failures = 1, maxAttempts = Infinity, maxRetryAfterMs = Infinity, endsAtMs = Infinity } = job
  if (failures >= maxAttempts) return undefined
  const askedMs = retryAfterOf(error) ?? 0
  // A wait that the service asks for is never shortened. If it is longer than `maxRetryAfterMs`, the caller gets
  // the error and decides when to try again.
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
 * Retry policy for a 429 from an endpoint that has a rate limit of its own. Such limits are mostly per minute, so the
 * four waits add up to about a minute on average.
 *
 * @public
 */
export const RATE_RETRY = {
  maxAttempts: 5,
  backoff: { baseMs: 10_000, capMs: 60_000 } satisfies BackoffOptions,
} as const

/** Full jitter: a random wait from 0 to a cap, which doubles with every retry from `baseMs` to `capMs`. */
export function backoffMs(retry: number, options: BackoffOptions, random: RandomSource): number {
  // A larger power would be Infinity, and 0 times that is not a number.
  return random() * Math.min(options.capMs, options.baseMs * 2 ** Math.min(retry, 1_023))
}
