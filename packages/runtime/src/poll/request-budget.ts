import type { Clock } from '../core/clock.ts'
import { OptionsError } from '../core/errors.ts'

/** Decides whether a poll may go out now. The scheduler asks before each. @public */
export interface PollBudget {
  /**
   * If there is room for a poll, reserves it and returns 0. Otherwise, returns how many milliseconds to wait before asking
   * again.
   */
  takePoll(): number
}

/** Options of {@link RequestBudget}. @public */
export interface RequestBudgetOptions {
  readonly clock: Clock
  /** How many requests the account may send in any minute: a whole number of at least 1. */
  readonly requestsPerMinute: number
  /**
   * How many of these requests are reserved for calls other than polls. Default: a fifth, at least 1 (the client's own
   * choice).
   */
  readonly reserve?: number
}

/** A minute, plus a second because requests take different times to reach the server. */
const WINDOW_MS = 61_000

/**
 * Keeps polls within the account's rate limit. All requests of the last minute count, and polls are sent only while they
 * leave the reserve free. Other requests are counted, but never held back.
 *
 * It counts over a sliding minute, which keeps to the rate whether the service uses sliding or fixed windows.
 *
 * @public
 */
export class RequestBudget implements PollBudget {
  readonly #clock: Clock
  readonly #forPolls: number
  /** When the last requests were sent, oldest first, as a ring. */
  readonly #times: Float64Array
  #first = 0
  #count = 0

  /** @throws OptionsError if the numbers leave no room for a poll. */
  constructor(options: RequestBudgetOptions) {
    const { requestsPerMinute } = options
    if (!Number.isInteger(requestsPerMinute) || requestsPerMinute < 1) {
      throw new OptionsError(
        'requestsPerMinute',
        '`requestsPerMinute` must be a whole number of at least 1.',
        'Pass the rate limit of your subscription, in requests per minute.',
      )
    }
    const reserve =
      options.reserve ?? Math.min(requestsPerMinute - 1, Math.max(1, Math.ceil(requestsPerMinute / 5)))
    if (!Number.isInteger(reserve) || reserve < 0 || reserve >= requestsPerMinute) {
      throw new OptionsError(
        'reserve',
        '`reserve` does not leave room for a single poll.',
        'Pass a whole number from 0 to requestsPerMinute - 1.',
      )
    }
    this.#clock = options.clock
    this.#forPolls = requestsPerMinute - reserve
    this.#times = new Float64Array(requestsPerMinute)
  }

  /** Counts a request that is not a poll. */
  note(): void {
    this.#push(this.#clock.monotonic())
  }

  takePoll(): number {
    const now = this.#clock.monotonic()
    while (this.#count > 0 && this.#at(0) <= now - WINDOW_MS) {
      this.#first = (this.#first + 1) % this.#times.length
      this.#count -= 1
    }
    if (this.#count < this.#forPolls) {
      this.#push(now)
      return 0
    }
    // There is room once the window has one request fewer than the share of the polls.
    return Math.max(1, this.#at(this.#count - this.#forPolls) + WINDOW_MS - now)
  }

  #at(index: number): number {
    return this.#times[(this.#first + index) % this.#times.length] ?? 0
  }

  #push(time: number): void {
    if (this.#count === this.#times.length) {
      this.#first = (this.#first + 1) % this.#times.length
      this.#count -= 1
    }
    this.#times[(this.#first + this.#count) % this.#times.length] = time
    this.#count += 1
  }
}
