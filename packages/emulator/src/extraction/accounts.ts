import type { Clock } from '../core/clock.ts'
import type { RandomSource } from '../core/random.ts'
import type { Reply } from '../core/reply.ts'
import type { ExtractionChoices } from './choices.ts'
import type { Account } from './model.ts'
import { RATE_WINDOW_MS, toPlan, type Plan } from './plans.ts'
import { refuse } from './refusals.ts'

/** The API keys, and what was used with each. */
export interface Accounts {
  add(plan: Plan, options?: { key?: string; fromDeviceFlow?: boolean }): Account
  find(key: string): Account | undefined
  all(): Account[]
  clear(): void
  /** Refuses a call where the request rate is exceeded; otherwise counts it. Public operations have no account. */
  admit(account: Account | undefined, operation: string): Reply | undefined
  /** The pages that are left in this cycle. */
  pagesLeft(account: Account): number
  take(account: Account, pages: number): void
  /** The four quota headers. */
  quotaHeaders(account: Account | undefined): Record<string, string>
}

/** The pages of a caller without a key. */
const NO_PAGES = { perMonth: 0, remaining: 0, used: 0 }

/** Makes an empty set of accounts. */
export function createAccounts(clock: Clock, random: RandomSource, choices: ExtractionChoices): Accounts {
  const accounts = new Map<string, Account>()
  /** When the calls of the present window came, by the name of what is counted together. */
  const recentCalls = new Map<string, number[]>()

  /** Begins a new cycle where the old one is over. */
  function renew(account: Account): Account {
    if (clock.now() >= account.cycleResetsAt) {
      account.pagesUsed = 0
      account.cycleResetsAt = choices.quota.nextCycleAt(clock.now())
    }
    return account
  }

  return {
    add(plan, { key = choices.newIdentifier('api-key', random), fromDeviceFlow = false } = {}) {
      const { plan: chosen = plan, ...known } = choices.accountOf({ apiKey: key, plan, fromDeviceFlow })
      const account: Account = {
        ...known,
        key,
        plan: toPlan(chosen),
        pagesUsed: 0,
        cycleResetsAt: choices.quota.nextCycleAt(clock.now()),
      }
      accounts.set(key, account)
      return account
    },
    find: (key) => accounts.get(key),
    all: () => [...accounts.values()].map(renew),
    clear() {
      accounts.clear()
      recentCalls.clear()
    },
    admit(account, operation) {
      const scope = choices.rateScope(account, operation)
      if (!scope || scope.requestsPerMinute === Infinity) return undefined
      const { name, requestsPerMinute, window = 'sliding' } = scope
      const now = clock.now()
      const opensAt = window === 'sliding' ? now - RATE_WINDOW_MS : now - (now % RATE_WINDOW_MS) - 1
      const calls = (recentCalls.get(name) ?? []).filter((at) => at > opensAt)
      recentCalls.set(name, calls)
      if (calls.length < requestsPerMinute) {
        calls.push(now)
        return undefined
      }
      const freeAt = window === 'sliding' ? (calls[0] ?? now) : opensAt + 1
      const waitMs = freeAt + RATE_WINDOW_MS - now
      return refuse(choices, 'request-rate', { limit: requestsPerMinute, waitMs })
    },
    pagesLeft: (account) => Math.max(0, renew(account).plan.pagesPerMonth - account.pagesUsed),
    take(account, pages) {
      renew(account).pagesUsed += pages
    },
    quotaHeaders(account) {
      if (!account)
        return { ...choices.quota.headers({ ...NO_PAGES, resetsAt: choices.quota.nextCycleAt(clock.now()) }) }
      const { plan, pagesUsed, cycleResetsAt } = renew(account)
      return {
        ...choices.quota.headers({
          plan,
          perMonth: plan.pagesPerMonth,
          remaining: Math.max(0, plan.pagesPerMonth - pagesUsed),
          used: pagesUsed,
          resetsAt: cycleResetsAt,
        }),
      }
    },
  }
}
