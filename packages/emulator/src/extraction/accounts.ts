import type { Reply } from '../core/reply.ts'
import type { Account } from './model.ts'
import { RATE_WINDOW_MS, toPlan, type Plan } from './plans.ts'
import { deny } from './denials.ts'
import type { ExtractionTools } from './tools.ts'

/** The pages of a caller without a key. */
const NO_PAGES = { perMonth: 0, remaining: 0, used: 0 }

/** The API keys, and their use of pages and requests. */
export class Accounts {
  readonly #tools: ExtractionTools
  readonly #accounts = new Map<string, Account>()
  /** The times of the calls in the current window, by the name of their rate scope. */
  readonly #recentCalls = new Map<string, number[]>()

  constructor(tools: ExtractionTools) {
    this.#tools = tools
  }

  add(plan: Plan, options: { key?: string; fromDeviceFlow?: boolean } = {}): Account {
    const { key = this.newKey(), fromDeviceFlow = false } = options
    const { accountOf } = this.#tools.choices
    const { plan: chosen = plan, ...known } = accountOf({ apiKey: key, plan, fromDeviceFlow })
    const cycleResetsAt = this.#nextCycleAt()
    const account: Account = { ...known, key, plan: toPlan(chosen), pagesUsed: 0, cycleResetsAt }
    this.#accounts.set(key, account)
    return account
  }

  newKey(): string {
    return this.#tools.choices.newIdentifier('api-key', this.#tools.random)
  }

  find(key: string): Account | undefined {
    return this.#accounts.get(key)
  }

  all(): Account[] {
    return [...this.#accounts.values()].map((account) => this.#renew(account))
  }

  clear(): void {
    this.#accounts.clear()
    this.#recentCalls.clear()
  }

  /** Denies a call that exceeds the request rate, and counts any other call. Public operations have no account. */
  admit(account: Account | undefined, operation: string): Reply | undefined {
    const scope = this.#tools.choices.rateScope(account, operation)
    if (!scope || scope.requestsPerMinute === Infinity) return undefined
    const { name, requestsPerMinute, window = 'sliding' } = scope
    const now = this.#tools.clock.now()
    const opensAt = window === 'sliding' ? now - RATE_WINDOW_MS : now - (now % RATE_WINDOW_MS) - 1
    const calls = (this.#recentCalls.get(name) ?? []).filter((at) => at > opensAt)
    this.#recentCalls.set(name, calls)
    if (calls.length < requestsPerMinute) {
      calls.push(now)
      return undefined
    }
    const freeAt = window === 'sliding' ? (calls[0] ?? now) : opensAt + 1
    const waitMs = freeAt + RATE_WINDOW_MS - now
    return deny(this.#tools.choices, 'request-rate', { limit: requestsPerMinute, waitMs })
  }

  pagesLeft(account: Account): number {
    return Math.max(0, this.#renew(account).plan.pagesPerMonth - account.pagesUsed)
  }

  take(account: Account, pages: number): void {
    this.#renew(account).pagesUsed += pages
  }

  quotaHeaders(account: Account | undefined): Readonly<Record<string, string>> {
    const { headers } = this.#tools.choices.quota
    if (!account) return headers({ ...NO_PAGES, resetsAt: this.#nextCycleAt() })
    const remaining = this.pagesLeft(account)
    const { plan, pagesUsed, cycleResetsAt } = account
    return headers({
      plan,
      perMonth: plan.pagesPerMonth,
      remaining,
      used: pagesUsed,
      resetsAt: cycleResetsAt,
    })
  }

  #nextCycleAt(): number {
    return this.#tools.choices.quota.nextCycleAt(this.#tools.clock.now())
  }

  /** Starts a new cycle if the old one is over. */
  #renew(account: Account): Account {
    if (this.#tools.clock.now() < account.cycleResetsAt) return account
    account.pagesUsed = 0
    account.cycleResetsAt = this.#nextCycleAt()
    return account
  }
}
