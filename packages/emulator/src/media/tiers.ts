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

/** The documented tiers; tier 1 is the default. @public */
export const MEDIA_TIERS: Readonly<Record<MediaTierNumber, MediaTier>> = {
  1: tier('1', [1, 2], [50, 200], 100),
  2: tier('2', [3, 3], [500, 1_000], 500),
  3: tier('3', [5, 5], [1_000, 2_000], 2_000),
  4: tier('4', [10, 10], [5_000, 10_000], 20_000),
  5: tier('5', [20, 20], [25_000, 30_000], 100_000),
}

/** The quota counts the generations of so many milliseconds. */
export const QUOTA_WINDOW_MS = 24 * 60 * 60 * 1_000

function tier(
  name: string,
  [fewest, most]: [number, number],
  [least, greatest]: [number, number],
  monthlyCapUsd: number,
): MediaTier {
  return {
    name,
    concurrency: { min: fewest, max: most },
    dailyGenerations: { min: least, max: greatest },
    monthlyCapUsd,
  }
}
