import type { Spread } from '../measure/stats.ts'

/** One thing that was measured for several subjects in the same rounds. */
export interface Figure {
  readonly title: string
  /** What the comparison says, and which way is better. */
  readonly meaning: string
  readonly unit: string
  readonly rounds: number
  readonly lines: readonly Line[]
  readonly targets: readonly Target[]
  /** What a reader has to know about this figure. */
  readonly notes: readonly string[]
}

/** What one subject reached. */
export interface Line {
  readonly subject: string
  readonly ours: boolean
  readonly value: Spread
  /** Beside the base of the figure; absent where nothing is compared. */
  readonly compared?: Spread
}

/** What our own line is to reach. A report says whether it did; nothing fails by it. */
export interface Target {
  readonly direction: 'at least' | 'at most'
  readonly limit: number
  /** Whether the limit is one of the comparison or of the value itself. */
  readonly of: 'compared' | 'value'
}

/** What a row of the bench found. */
export interface RowResult {
  readonly row: string
  readonly title: string
  readonly figures: readonly Figure[]
  readonly seconds: number
}

/** Whether a line reaches a target, by its median. */
export function reaches(line: Line, target: Target): boolean {
  const spread = target.of === 'compared' ? line.compared : line.value
  if (spread === undefined) return false
  return target.direction === 'at least' ? spread.median >= target.limit : spread.median <= target.limit
}
