import type { RandomSource } from '../core/random.ts'

/** How long to wait between attempts. @public */
export interface BackoffOptions {
  readonly baseMs: number
  readonly capMs: number
}

/** Full jitter: anything from 0 to the cap, which doubles with every retry from `baseMs` to `capMs`. @public */
export function backoffMs(retry: number, options: BackoffOptions, random: RandomSource): number {
  return random() * Math.min(options.capMs, options.baseMs * 2 ** retry)
}
