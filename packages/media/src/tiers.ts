import { tiers } from './gen/facts.gen.ts'

/** A tier of an organization. @public */
export type Tier = 1 | 2 | 3 | 4 | 5

/** What the documentation says of a tier. Ranges stay ranges. @public */
export interface TierLimits {
  /** How many tasks run at once; more are throttled. */
  readonly concurrency: { readonly min: number; readonly max: number }
  /** Generations in the last 24 hours; more are refused with 429. */
  readonly dailyGenerations: { readonly min: number; readonly max: number }
  readonly monthlyCapUsd: number
}

/**
 * The tiers; 1 is the default. Whether the figures hold per organization or per model, and how a tier is reported, is not
 * documented.
 *
 * @see `specs/media/openapi.yaml#/x-facts/tiers`
 * @public
 */
export const TIERS: Readonly<Record<Tier, TierLimits>> = tiers
