import type { Clock } from '../core/clock.ts'
import type { RandomSource } from '../core/random.ts'
import type { Reply } from '../core/reply.ts'
import type { MediaChoices } from './choices.ts'
import type { MediaTask, MediaOrganization, UsageEntry, OrganizationFacts } from './model.ts'
import { refuse } from './refusals.ts'
import { limitsOf, QUOTA_WINDOW_MS, type MediaTier } from './tiers.ts'

/** How far back the usage history goes. */
export const USAGE_HISTORY_MS = 90 * 24 * 60 * 60 * 1_000

/** What credits are taken for: a task, or a session. */
export type Chargeable = Pick<
  MediaTask,
  'id' | 'organization' | 'operationId' | 'model' | 'credits' | 'charged'
>

/** The API secrets, the organizations behind them, and what those have used. */
export interface Organizations {
  /** Makes a secret valid; answers it. */
  addSecret(tier: MediaTier, credits: number, secret?: string): string
  /** Whom a secret stands for. */
  bySecret(secret: string): MediaOrganization | undefined
  byName(name: string): MediaOrganization | undefined
  all(): MediaOrganization[]
  factsOf(organization: MediaOrganization): OrganizationFacts
  /** Refuses a generation: for the daily quota, the monthly cap, or the credits. */
  refuseGeneration(organization: MediaOrganization, credits: number): Reply | undefined
  /** Counts an accepted generation towards the daily quota. */
  count(task: MediaTask): void
  /** Takes credits, or gives them back. */
  charge(work: Chargeable): void
  refund(work: Chargeable): void
  /** What was used, oldest first; no further back than the history goes. */
  usageOf(organization: MediaOrganization): UsageEntry[]
  clear(): void
}

/** Makes an empty set of organizations. */
export function createOrganizations(
  clock: Clock,
  random: RandomSource,
  choices: MediaChoices,
): Organizations {
  const organizations = new Map<string, MediaOrganization>()
  const secrets = new Map<string, string>()
  const generations = new Map<string, MediaTask[]>()
  let usage: UsageEntry[] = []

  function recentGenerations({ name }: MediaOrganization): MediaTask[] {
    const since = clock.now() - QUOTA_WINDOW_MS
    const recent = (generations.get(name) ?? []).filter(({ createdAt }) => createdAt > since)
    generations.set(name, recent)
    return recent.filter((task) => choices.countTask(task).countsTowardsQuota ?? true)
  }

  function spentUsd({ name }: MediaOrganization): number {
    const since = choices.credits.monthStartedAt(clock.now())
    const spent = usage
      .filter(({ organization, at }) => organization === name && at >= since)
      .reduce((sum, { credits }) => sum + credits, 0)
    return toCents(spent * choices.credits.usdPerCredit)
  }

  function change(work: Chargeable, credits: number): void {
    const organization = organizations.get(work.organization)
    if (!organization) return
    work.charged = credits > 0
    if (credits === 0) return
    organization.credits -= credits
    const { id, operationId, model } = work
    usage.push({ at: clock.now(), organization: organization.name, id, operationId, model, credits })
  }

  return {
    addSecret(tier, credits, secret = choices.newIdentifier('secret', random)) {
      const name = choices.organizationOf(secret)
      secrets.set(secret, name)
      if (!organizations.has(name)) organizations.set(name, { name, tier, credits })
      return secret
    },
    bySecret: (secret) => organizations.get(secrets.get(secret) ?? ''),
    byName: (name) => organizations.get(name),
    all: () => [...organizations.values()],
    factsOf: (organization) => ({
      organization,
      ...limitsOf(organization.tier, choices),
      generationsToday: recentGenerations(organization).length,
      spentUsd: spentUsd(organization),
    }),
    refuseGeneration(organization, credits) {
      const { dailyGenerations } = limitsOf(organization.tier, choices)
      const recent = recentGenerations(organization)
      if (recent.length >= dailyGenerations) {
        const freeAt = (recent[0]?.createdAt ?? clock.now()) + QUOTA_WINDOW_MS
        return refuse(choices, 'daily-quota', { limit: dailyGenerations, waitMs: freeAt - clock.now() })
      }
      const spent = spentUsd(organization)
      const { monthlyCapUsd } = organization.tier
      if (toCents(spent + credits * choices.credits.usdPerCredit) > monthlyCapUsd)
        return refuse(choices, 'monthly-cap', { limit: monthlyCapUsd, count: spent })
      if (credits > organization.credits)
        return refuse(choices, 'credits-exhausted', { limit: organization.credits, count: credits })
      return undefined
    },
    count(task) {
      const list = generations.get(task.organization)
      if (list) list.push(task)
      else generations.set(task.organization, [task])
    },
    charge: (work) => change(work, work.credits),
    refund: (work) => change(work, -work.credits),
    usageOf({ name }) {
      const since = clock.now() - USAGE_HISTORY_MS
      usage = usage.filter(({ at }) => at >= since)
      return usage.filter(({ organization }) => organization === name)
    },
    clear() {
      for (const map of [organizations, secrets, generations]) map.clear()
      usage = []
    },
  }
}

/** Sums of parts of cents are not exact. */
function toCents(usd: number): number {
  return Math.round(usd * 10_000) / 10_000
}
