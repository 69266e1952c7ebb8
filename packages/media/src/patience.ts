import {
  ApiError,
  backoffMs,
  ConnectionError,
  RateLimitedError,
  TimeoutError,
  wait,
  type Clock,
  type RandomSource,
} from '@concord/runtime'

/** Between 0 and this, doubled each time. */
const BACKOFF = { baseMs: 1_000, capMs: 60_000 }

/** Keeps trying what was refused, for as long as that can help. What one learns of a quota holds for all. */
export class Patience {
  readonly #clock: Clock
  readonly #random: RandomSource
  readonly #limitMs: number
  #refusedUntilMs = 0

  constructor(clock: Clock, random: RandomSource, limitMs: number) {
    this.#clock = clock
    this.#random = random
    this.#limitMs = limitMs
  }

  /**
   * Calls until it succeeds, its failure is one that another try does not help, or the limit is over.
   *
   * @param statuses The statuses that say "refused, try again".
   * @throws what the last try threw; the signal's own reason on abort.
   */
  async keep<Result>(
    call: () => Promise<Result>,
    statuses: readonly number[],
    signal: AbortSignal,
  ): Promise<Result> {
    const endsAtMs = this.#clock.monotonic() + this.#limitMs
    for (let tries = 0; ; tries++) {
      const pauseMs = this.#refusedUntilMs - this.#clock.monotonic()
      if (pauseMs > 0) await wait(this.#clock, pauseMs, [signal])
      try {
        return await call()
      } catch (error) {
        if (!wasRefused(error, statuses)) throw error
        const askedMs = ApiError.is(error) ? (error.retryAfterMs ?? 0) : 0
        // Not less than half of the backoff: here is nobody who would rather have the error soon.
        const backoff = backoffMs(tries, BACKOFF, () => 0.5 + this.#random() / 2)
        const delayMs = Math.max(askedMs, backoff)
        const atMs = this.#clock.monotonic() + delayMs
        if (atMs > endsAtMs) throw error
        if (RateLimitedError.is(error)) this.#refusedUntilMs = Math.max(this.#refusedUntilMs, atMs)
        await wait(this.#clock, delayMs, [signal])
      }
    }
  }
}

/** Whether the request certainly was not accepted, and the same request may be later. */
function wasRefused(error: unknown, statuses: readonly number[]): boolean {
  if (RateLimitedError.is(error) && !error.retryHelps) return false
  if (ApiError.is(error)) return statuses.includes(error.status)
  return (ConnectionError.is(error) || TimeoutError.is(error)) && error.sent === 'no'
}
