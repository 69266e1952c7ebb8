import { EmulatorOptionsError } from '../core/errors.ts'
import { factOf } from '../core/specification.ts'

/** A documented number or range of numbers. For a single number, `min` and `max` are the same. @public */
export interface FigureRange {
  readonly min: number
  readonly max: number
}

/** The limits of an organization. Some limits are documented as ranges. @public */
export interface MediaTier {
  readonly name: string
  /** How many tasks may be active at the same time. */
  readonly concurrency: FigureRange
  /** How many generations are allowed in 24 hours. */
  readonly dailyGenerations: FigureRange
  readonly monthlyCapUsd: number
}

/** The numbers of the documented tiers. @public */
export type MediaTierNumber = 1 | 2 | 3 | 4 | 5

type TierFacts = Readonly<Record<MediaTierNumber, Omit<MediaTier, 'name'>>>

/** The documented tiers, from the contract. By default, the emulator uses tier 1. @public */
export const MEDIA_TIERS: Readonly<Record<MediaTierNumber, MediaTier>> = Object.fromEntries(
  Object.entries(factOf<TierFacts>('media/openapi.yaml', 'tiers')).map(([name, tier]) => [
    name,
    { name, ...tier },
  ]),
) as Record<MediaTierNumber, MediaTier>

export const QUOTA_WINDOW_MS =
  factOf<{ hours: number }>('media/openapi.yaml', 'quotaWindow').hours * 3_600_000

/** Returns a tier's exact limits. */
export function limitsOf(
  tier: MediaTier,
  choices: { tierLimits(tier: MediaTier): { concurrency?: number; dailyGenerations?: number } },
): { concurrency: number; dailyGenerations: number } {
  const { concurrency = tier.concurrency.min, dailyGenerations = tier.dailyGenerations.min } =
    choices.tierLimits(tier)
  return { concurrency, dailyGenerations }
}

/** @throws EmulatorOptionsError if the number is unknown or a custom limit is invalid. */
export function toTier(tier: MediaTierNumber | MediaTier): MediaTier {
  if (typeof tier === 'object' && tier !== null) return checked(tier)
  if (Object.hasOwn(MEDIA_TIERS, tier)) return MEDIA_TIERS[tier]
  throw new EmulatorOptionsError(
    `Unknown tier \`${String(tier)}\`. Use ${Object.keys(MEDIA_TIERS).join(', ')}, or custom limits.`,
  )
}

function checked(tier: MediaTier): MediaTier {
  const { name, concurrency, dailyGenerations, monthlyCapUsd } = tier
  const isFigure = (figure: unknown) => typeof figure === 'number' && figure >= 0
  const isRange = (range: FigureRange | undefined) =>
    isFigure(range?.min) && isFigure(range?.max) && Number(range?.min) <= Number(range?.max)
  if (
    typeof name === 'string' &&
    isRange(concurrency) &&
    isRange(dailyGenerations) &&
    isFigure(monthlyCapUsd)
  )
    return tier
  throw new EmulatorOptionsError(
    'The custom tier is invalid. Pass `{ name, concurrency: { min, max }, dailyGenerations: { min, max }, monthlyCapUsd }`. `name` must be a string. The other values must be numbers that are 0 or more, and `min` must not be above `max`.',
  )
}

export function toCredits(credits: number): number {
  if (Number.isFinite(credits) && credits >= 0) return credits
  throw new EmulatorOptionsError(`\`credits\` must be a finite number that is 0 or more, not ${credits}.`)
}
