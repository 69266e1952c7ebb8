import type { Clock } from '../core/clock.ts'
import type { Reply } from '../core/reply.ts'
import type { Sender } from '../core/service.ts'
import type { StorageAuthChoices } from './choices.ts'
import type { Counters } from './counters.ts'
import { RATE_WINDOW_MS } from './limits.ts'
import { refuse } from './refusals.ts'

/** The limit that the three token endpoints share: one count for each IP address. */
export interface TokenRate {
  /** Counts a request, or refuses it. */
  admit(sender: Sender): Reply | undefined
  /** The requests that count at this moment, by IP address. */
  counts(): Record<string, number>
  clear(): void
}

/** Makes the limit; `Infinity` switches it off. */
export function createTokenRate(parts: {
  clock: Clock
  choices: StorageAuthChoices
  counters: Counters
  requestsPerMinute: number
}): TokenRate {
  const { clock, choices, counters, requestsPerMinute } = parts
  const times = new Map<string, number[]>()

  /** The requests of the present window. */
  function recent(address: string): number[] {
    const now = clock.now()
    const opensAfter =
      choices.rate.window === 'sliding' ? now - RATE_WINDOW_MS : now - (now % RATE_WINDOW_MS) - 1
    const inWindow = (times.get(address) ?? []).filter((at) => at > opensAfter)
    times.set(address, inWindow)
    return inWindow
  }

  return {
    admit(sender) {
      if (requestsPerMinute === Infinity) return undefined
      const now = clock.now()
      const requests = recent(choices.addressOf(sender))
      if (requests.length < requestsPerMinute) {
        requests.push(now)
        return undefined
      }
      counters.rateLimited++
      if (choices.rate.countsRefused) {
        // The oldest leaves so that what is kept stays as small as the limit.
        requests.shift()
        requests.push(now)
      }
      const freeAt =
        choices.rate.window === 'sliding'
          ? (requests[0] ?? now) + RATE_WINDOW_MS
          : now - (now % RATE_WINDOW_MS) + RATE_WINDOW_MS
      return refuse(choices, 'request-rate', { limit: requestsPerMinute, waitMs: freeAt - now })
    },
    counts: () => Object.fromEntries([...times.keys()].map((address) => [address, recent(address).length])),
    clear: () => times.clear(),
  }
}
