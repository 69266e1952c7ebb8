import { factOf } from '../core/specification.ts'

/** Two figures between which the documented one lies; the same twice where it is exact. @public */
export interface FigureRange {
  min: number
  max: number
}

/** What an organization may do, as the documentation has it: some figures are ranges. @public */
export interface MediaTier {
  name: string
  /** Tasks at a time. */
  concurrency: FigureRange
  /** Generations in 24 hours. */
  dailyGenerations: FigureRange
  monthlyCapUsd: number
}

/** The numbers of the documented tiers. @public */
export type MediaTierNumber = 1 | 2 | 3 | 4 | 5

type TierFacts = Readonly<Record<MediaTierNumber, Omit<MediaTier, 'name'>>>

/** The documented tiers, from the contract; tier 1 is the default. @public */
export const MEDIA_TIERS: Readonly<Record<MediaTierNumber, MediaTier>> = Object.fromEntries(
  Object.entries(factOf<TierFacts>('media/openapi.yaml', 'tiers')).map(([name, tier]) => [
    name,
    { name, ...tier },
  ]),
) as Record<MediaTierNumber, MediaTier>

/** The quota counts the generations of so many milliseconds. */
export const QUOTA_WINDOW_MS =
  factOf<{ hours: number }>('media/openapi.yaml', 'quotaWindow').hours * 3_600_000

/** The exact limits of a tier: the chosen ones, otherwise the lower ends of the documented ranges. */
export function limitsOf(
  tier: MediaTier,
  choices: { tierLimits(tier: MediaTier): { concurrency?: number; dailyGenerations?: number } },
): { concurrency: number; dailyGenerations: number } {
  const { concurrency = tier.concurrency.min, dailyGenerations = tier.dailyGenerations.min } =
    choices.tierLimits(tier)
  return { concurrency, dailyGenerations }
}
