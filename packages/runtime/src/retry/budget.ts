/** How many retries a client may spend. @public */
export interface RetryBudgetOptions {
  /** How many retries a full budget allows; after that, only new calls add to it. Default 20. */
  readonly capacity: number
  /** The share of a retry that each call adds: 0.1 allows one retry for every ten calls. Default 0.1. */
  readonly perCall: number
}

/**
 * A token bucket that stops retry storms: each call adds a little, and each retry takes one token. Once the bucket is
 * empty, a server in an outage gets at most `1 + perCall` requests for each call.
 */
export class RetryBudget {
  // Counted in whole millionths, because sums of tenths have rounding errors.
  static readonly #UNIT = 1_000_000
  readonly #capacity: number
  readonly #perCall: number
  #tokens: number

  constructor(options: RetryBudgetOptions) {
    this.#capacity = Math.round(options.capacity * RetryBudget.#UNIT)
    this.#perCall = Math.floor(options.perCall * RetryBudget.#UNIT)
    this.#tokens = this.#capacity
  }

  deposit(): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + this.#perCall)
  }

  /** Spends one retry, if one is left. Returns whether it did. */
  withdraw(): boolean {
    if (this.#tokens < RetryBudget.#UNIT) return false
    this.#tokens -= RetryBudget.#UNIT
    return true
  }
}
