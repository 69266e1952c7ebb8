import type { Reply } from '../core/reply.ts'
import type { Sender } from '../core/service.ts'
import type { StorageTools } from './choices.ts'
import { deny } from './denials.ts'
import { RATE_WINDOW_MS } from './limits.ts'

interface RateTools extends StorageTools {
  /** `Infinity` for no limit. */
  readonly requestsPerMinute: number
}

/** The request limit that the three token endpoints share, for each IP address. */
export class TokenRate {
  readonly #tools: RateTools
  readonly #times = new Map<string, number[]>()

  constructor(tools: RateTools) {
    this.#tools = tools
  }

  /** Counts a request, or denies it. */
  admit(sender: Sender): Reply | undefined {
    const { clock, choices, counters, requestsPerMinute } = this.#tools
    if (requestsPerMinute === Infinity) return undefined
    const now = clock.now()
    const requests = this.#recent(choices.addressOf(sender))
    if (requests.length < requestsPerMinute) {
      requests.push(now)
      return undefined
    }
    counters.rateLimited++
    const { window, countsDenied } = choices.rate
    if (countsDenied) {
      // Dropping the oldest keeps the list from growing beyond the limit.
      requests.shift()
      requests.push(now)
    }
    const startsAt = window === 'sliding' ? (requests[0] ?? now) : now - (now % RATE_WINDOW_MS)
    const waitMs = startsAt + RATE_WINDOW_MS - now
    return deny(choices, 'request-rate', { limit: requestsPerMinute, waitMs })
  }

  /** Returns the number of requests in the current window, by IP address. */
  counts(): Record<string, number> {
    return Object.fromEntries(
      [...this.#times.keys()].map((address) => [address, this.#recent(address).length]),
    )
  }

  clear(): void {
    this.#times.clear()
  }

  /** Returns the times of the requests in the current window. */
  #recent(address: string): number[] {
    const { clock, choices } = this.#tools
    const now = clock.now()
    const opensAfter =
      choices.rate.window === 'sliding' ? now - RATE_WINDOW_MS : now - (now % RATE_WINDOW_MS) - 1
    const recent = (this.#times.get(address) ?? []).filter((at) => at > opensAfter)
    this.#times.set(address, recent)
    return recent
  }
}
