import type { Clock } from './clock.ts'

interface RateLimit {
  /** `Infinity` for no limit. */
  readonly limit: number
  /**
   * `sliding` (the default): the window always ends at the current time. `fixed`: each window begins when the
   * previous one ends, for instance at every full minute.
   */
  readonly window?: 'sliding' | 'fixed'
  /** Whether denied uses count too; by default false. */
  readonly countsDenied?: boolean
}

/** Counts the recent uses of each name, such as an API key. */
export class RateWindows {
  readonly #clock: Clock
  readonly #windowMs: number
  readonly #uses = new Map<string, { at: number; amount: number }[]>()

  constructor(clock: Clock, windowMs: number) {
    this.#clock = clock
    this.#windowMs = windowMs
  }

  /**
   * Returns undefined if the limit allows the use. Otherwise, returns the milliseconds until the next window begins
   * (`fixed`) or the oldest use leaves the window (`sliding`).
   */
  take(name: string, { limit, window, countsDenied }: RateLimit, amount = 1): number | undefined {
    if (limit === Infinity) return undefined
    const at = this.#clock.now()
    const uses = this.#recent(name, window)
    if (uses.reduce((sum, use) => sum + use.amount, amount) <= limit) {
      uses.push({ at, amount })
      return undefined
    }
    if (countsDenied) {
      // Drop the oldest use, so that the list doesn't grow beyond the limit.
      uses.shift()
      uses.push({ at, amount })
    }
    const startsAt = window === 'fixed' ? at - (at % this.#windowMs) : (uses[0]?.at ?? at)
    return startsAt + this.#windowMs - at
  }

  /** Returns the number of uses in the current window for each name. */
  counts(window: RateLimit['window']): Record<string, number> {
    return Object.fromEntries([...this.#uses.keys()].map((name) => [name, this.#recent(name, window).length]))
  }

  clear(): void {
    this.#uses.clear()
  }

  #recent(name: string, window: RateLimit['window']): { at: number; amount: number }[] {
    const now = this.#clock.now()
    const opensAfter = window === 'fixed' ? now - (now % this.#windowMs) - 1 : now - this.#windowMs
    const recent = (this.#uses.get(name) ?? []).filter(({ at }) => at > opensAfter)
    this.#uses.set(name, recent)
    return recent
  }
}
