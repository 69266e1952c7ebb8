import type { Reply } from '../core/reply.ts'
import type { MediaTools } from './choices.ts'
import type { MediaOrganization, MediaTask, OrganizationFacts, UsageEntry } from './model.ts'
import { deny } from './denials.ts'
import { limitsOf, QUOTA_WINDOW_MS, type MediaTier } from './tiers.ts'

const USAGE_HISTORY_MS = 90 * 24 * 60 * 60 * 1_000

/** A task or session that costs credits. */
type Chargeable = Pick<MediaTask, 'id' | 'organization' | 'operationId' | 'model' | 'credits' | 'charged'>

export class Organizations {
  readonly #tools: MediaTools
  readonly #organizations = new Map<string, MediaOrganization>()
  readonly #secrets = new Map<string, string>()
  readonly #generations = new Map<string, MediaTask[]>()
  #usage: UsageEntry[] = []

  constructor(tools: MediaTools) {
    this.#tools = tools
  }

  newSecret(): string {
    return this.#tools.choices.newIdentifier('secret', this.#tools.random)
  }

  addSecret(tier: MediaTier, credits: number, secret: string): void {
    const name = this.#tools.choices.organizationOf(secret)
    this.#secrets.set(secret, name)
    if (!this.#organizations.has(name)) this.#organizations.set(name, { name, tier, credits })
  }

  bySecret(secret: string): MediaOrganization | undefined {
    return this.#organizations.get(this.#secrets.get(secret) ?? '')
  }

  byName(name: string): MediaOrganization | undefined {
    return this.#organizations.get(name)
  }

  concurrencyOf(name: string): number {
    const organization = this.#organizations.get(name)
    return organization ? limitsOf(organization.tier, this.#tools.choices).concurrency : 0
  }

  all(): MediaOrganization[] {
    return [...this.#organizations.values()]
  }

  factsOf(organization: MediaOrganization): OrganizationFacts {
    return {
      organization,
      ...limitsOf(organization.tier, this.#tools.choices),
      generationsToday: this.#recentGenerations(organization).length,
      spentUsd: this.#spentUsd(organization),
    }
  }

  denyGeneration(organization: MediaOrganization, credits: number): Reply | undefined {
    const { choices, clock } = this.#tools
    const { dailyGenerations } = limitsOf(organization.tier, choices)
    const recent = this.#recentGenerations(organization)
    if (recent.length >= dailyGenerations) {
      const now = clock.now()
      const waitMs = (recent[0]?.createdAt ?? now) + QUOTA_WINDOW_MS - now
      return deny(choices, 'daily-quota', { limit: dailyGenerations, waitMs })
    }
    const spent = this.#spentUsd(organization)
    const { monthlyCapUsd } = organization.tier
    if (roundUsd(spent + credits * choices.credits.usdPerCredit) > monthlyCapUsd)
      return deny(choices, 'monthly-cap', { limit: monthlyCapUsd, count: spent })
    if (credits > organization.credits)
      return deny(choices, 'credits-exhausted', { limit: organization.credits, count: credits })
    return undefined
  }

  /** Counts a task towards the daily quota. */
  count(task: MediaTask): void {
    const list = this.#generations.get(task.organization)
    if (list) list.push(task)
    else this.#generations.set(task.organization, [task])
  }

  charge(work: Chargeable): void {
    this.#change(work, work.credits)
  }

  refund(work: Chargeable): void {
    this.#change(work, -work.credits)
  }

  /** Returns the usage history, oldest first. */
  usageOf({ name }: MediaOrganization): UsageEntry[] {
    const since = this.#tools.clock.now() - USAGE_HISTORY_MS
    this.#usage = this.#usage.filter(({ at }) => at >= since)
    return this.#usage.filter(({ organization }) => organization === name)
  }

  clear(): void {
    for (const map of [this.#organizations, this.#secrets, this.#generations]) map.clear()
    this.#usage = []
  }

  #recentGenerations({ name }: MediaOrganization): MediaTask[] {
    const since = this.#tools.clock.now() - QUOTA_WINDOW_MS
    const recent = (this.#generations.get(name) ?? []).filter(({ createdAt }) => createdAt > since)
    this.#generations.set(name, recent)
    return recent.filter((task) => this.#tools.choices.countTask(task).countsTowardsQuota ?? true)
  }

  #spentUsd({ name }: MediaOrganization): number {
    const { choices, clock } = this.#tools
    const since = choices.credits.monthStartedAt(clock.now())
    const spent = this.#usage
      .filter(({ organization, at }) => organization === name && at >= since)
      .reduce((sum, { credits }) => sum + credits, 0)
    return roundUsd(spent * choices.credits.usdPerCredit)
  }

  #change(work: Chargeable, credits: number): void {
    const organization = this.#organizations.get(work.organization)
    if (!organization) return
    work.charged = credits > 0
    if (credits === 0) return
    organization.credits -= credits
    const { id, operationId, model } = work
    const at = this.#tools.clock.now()
    this.#usage.push({ at, organization: organization.name, id, operationId, model, credits })
  }
}

/** Rounds to hundredths of a cent, because floating-point sums aren't exact. */
function roundUsd(usd: number): number {
  return Math.round(usd * 10_000) / 10_000
}
