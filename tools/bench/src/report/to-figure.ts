import { cost, costOver, difference, speed } from '../measure/compare.ts'
import { type Spread, spread } from '../measure/stats.ts'
import type { Figure, Line } from './figure.ts'

/** The subject whose targets are reported. */
export const OURS = 'concord'

/** How subjects are compared with the first of them. */
export type Comparison = 'speed' | 'cost' | 'difference' | 'none'

/** What a figure is made of. */
export interface FigureSource<Result> extends Omit<Figure, 'lines' | 'rounds'> {
  /** What each subject measured; the first subject is the base of the comparison. */
  readonly results: ReadonlyMap<string, readonly Result[]>
  readonly value: (result: Result) => number
  readonly compare: Comparison
  /** A subject that all others stand on: it is taken off their values and has no line of its own. */
  readonly floor?: string
}

/** Summarizes what was measured. */
export function toFigure<Result>(source: FigureSource<Result>): Figure {
  const { results, value, compare, floor, ...rest } = source
  const columns = [...results].map(([subject, measured]) => ({ subject, values: measured.map(value) }))
  const under = columns.find(({ subject }) => subject === floor)?.values
  const shown = columns.filter(({ subject }) => subject !== floor)
  const base = shown[0]?.values ?? []
  return {
    ...rest,
    rounds: base.length,
    lines: shown.map(({ subject, values }): Line => {
      const compared =
        under === undefined ? comparisons[compare](values, base) : costOver(under, values, base)
      return {
        subject,
        ours: subject === OURS,
        value: under === undefined ? spread(values) : difference(values, under),
        ...(compared === undefined ? {} : { compared }),
      }
    }),
  }
}

const comparisons: Readonly<
  Record<Comparison, (values: readonly number[], base: readonly number[]) => Spread | undefined>
> = { speed, cost, difference, none: () => undefined }
