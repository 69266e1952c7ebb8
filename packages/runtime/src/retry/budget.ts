/** How many retries a client may spend. @public */
export interface RetryBudgetOptions {
  /** How many retries can be made before the budget depends on new calls alone; default 20. */
  readonly capacity: number
  /** What each call adds: 0.1 allows one retry for every ten calls; default 0.1. */
  readonly perCall: number
}

/**
 * A token bucket that stops retry storms: each call pays a little in, each retry takes one out. Once it is
 * empty, an outage at the server sees at most `1 + perCall` times the calls.
 */
export class RetryBudget {
  // Counted in whole millionths: a sum of tenths is never a whole number.
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

  /** Takes one retry out, if there is one. */
  withdraw(): boolean {
    if (this.#tokens < RetryBudget.#UNIT) return false
    this.#tokens -= RetryBudget.#UNIT
    return true
  }
}
