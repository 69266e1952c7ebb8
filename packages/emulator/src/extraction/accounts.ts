import { RateWindows } from '../core/rate-windows.ts'
import type { Reply } from '../core/reply.ts'
import type { Account } from './model.ts'
import { RATE_WINDOW_MS, toPlan, type Plan } from './plans.ts'
import { deny } from './denials.ts'
import type { ExtractionTools } from './choices.ts'

const NO_PAGES = { perMonth: 0, remaining: 0, used: 0 }

/** Stores each API key's plan and used pages, and counts calls for the request rate limits. */
export class Accounts {
  readonly #tools: ExtractionTools
  readonly #accounts = new Map<string, Account>()
  readonly #calls: RateWindows

  constructor(tools: ExtractionTools) {
    this.#tools = tools
    this.#calls = new RateWindows(tools.clock, RATE_WINDOW_MS)
  }

  add(plan: Plan, options: { key?: string; fromDeviceFlow?: boolean } = {}): Account {
    const { choices, random } = this.#tools
    const { key = choices.newIdentifier('api-key', random), fromDeviceFlow = false } = options
    const { plan: chosen = plan, ...known } = choices.accountOf({ apiKey: key, plan, fromDeviceFlow })
    const cycleResetsAt = this.#nextCycleAt()
    const account: Account = { ...known, key, plan: toPlan(chosen), pagesUsed: 0, cycleResetsAt }
    this.#accounts.set(key, account)
    return account
  }

  find(key: string): Account | undefined {
    return this.#accounts.get(key)
  }

  all(): Account[] {
    return [...this.#accounts.values()].map((account) => this.#renew(account))
  }

  clear(): void {
    this.#accounts.clear()
    this.#calls.clear()
  }

  /** Counts a call, or denies it if it exceeds the request rate. `account` is undefined for a public operation. */
  admit(account: Account | undefined, operation: string): Reply | undefined {
    const { choices } = this.#tools
    const scope = choices.rateScope(account, operation)
    if (!scope) return undefined
    const { name, requestsPerMinute: limit } = scope
    const waitMs = this.#calls.take(name, { ...scope, limit })
    return waitMs === undefined ? undefined : deny(choices, 'request-rate', { limit, waitMs })
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

  /** Starts a new quota cycle if the account's current cycle is over. */
  #renew(account: Account): Account {
    if (this.#tools.clock.now() < account.cycleResetsAt) return account
    account.pagesUsed = 0
    account.cycleResetsAt = this.#nextCycleAt()
    return account
  }
}
