import { EmulatorOptionsError } from '../core/errors.ts'
import type { ChoiceOverrides } from '../core/choices.ts'
import type { MediaChoices } from './choices.ts'
import { MEDIA_TIERS, type FigureRange, type MediaTier, type MediaTierNumber } from './tiers.ts'

/** How the media service is set up. @public */
export interface MediaOptions {
  /** The tier of the organization: one of the service's, or figures of your own. By default 1. */
  tier?: MediaTierNumber | MediaTier
  /** The credits at the start; by default as chosen (`credits.atStart`). */
  credits?: number
  /** The API secrets that are valid from the start; by default one new secret. */
  apiSecrets?: readonly string[]
  /** Replaces choices; see `MediaChoices`. */
  choices?: ChoiceOverrides<MediaChoices>
  /** Takes `http://` addresses and IP addresses as inputs too, which the service does not. By default off. */
  allowLocalInputs?: boolean
  /** What every path starts with, for instance `/tenant`; by default nothing. */
  basePath?: string
}

/** Finds the tier that is meant. */
export function toTier(tier: MediaTierNumber | MediaTier): MediaTier {
  if (typeof tier === 'object' && tier !== null) return checked(tier)
  if (Object.hasOwn(MEDIA_TIERS, tier)) return MEDIA_TIERS[tier]
  throw new EmulatorOptionsError(
    `The tier ${String(tier)} does not exist. Use ${Object.keys(MEDIA_TIERS).join(', ')}, or figures of your own.`,
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
    'A tier of your own needs { name, concurrency: { min, max }, dailyGenerations: { min, max }, monthlyCapUsd }.',
  )
}

/** Checks a number of credits. */
export function toCredits(credits: number): number {
  if (Number.isFinite(credits) && credits >= 0) return credits
  throw new EmulatorOptionsError(`credits must be a number, 0 or more, not ${credits}.`)
}
