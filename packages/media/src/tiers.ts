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
 * @see `specs/media/openapi.yaml#/info/description` "Tiers"
 * @public
 */
export const TIERS: Readonly<Record<Tier, TierLimits>> = {
  1: { concurrency: { min: 1, max: 2 }, dailyGenerations: { min: 50, max: 200 }, monthlyCapUsd: 100 },
  2: { concurrency: { min: 3, max: 3 }, dailyGenerations: { min: 500, max: 1_000 }, monthlyCapUsd: 500 },
  3: { concurrency: { min: 5, max: 5 }, dailyGenerations: { min: 1_000, max: 2_000 }, monthlyCapUsd: 2_000 },
  4: {
    concurrency: { min: 10, max: 10 },
    dailyGenerations: { min: 5_000, max: 10_000 },
    monthlyCapUsd: 20_000,
  },
  5: {
    concurrency: { min: 20, max: 20 },
    dailyGenerations: { min: 25_000, max: 30_000 },
    monthlyCapUsd: 100_000,
  },
}
