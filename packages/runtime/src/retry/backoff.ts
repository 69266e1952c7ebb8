import type { RandomSource } from '../core/clock.ts'

/** How long to wait between attempts. @public */
export interface BackoffOptions {
  readonly baseMs: number
  readonly capMs: number
}

/**
 * How an endpoint with a rate limit of its own is asked again after a 429. Such limits are mostly for a minute, so the
 * waits together are about one.
 *
 * @public
 */
export const RATE_RETRY = {
  maxAttempts: 5,
  backoff: { baseMs: 10_000, capMs: 60_000 } satisfies BackoffOptions,
} as const

/** Full jitter: anything from 0 to the cap, which doubles with every retry from `baseMs` to `capMs`. @public */
export function backoffMs(retry: number, options: BackoffOptions, random: RandomSource): number {
  return random() * Math.min(options.capMs, options.baseMs * 2 ** retry)
}
