import { cost, costOver, difference, speed, type Spread, spread } from './measure.ts'

/** A table of the report: one measured quantity, with a line for each subject (a compared implementation). */
export interface Figure {
  readonly title: string
  /** The meaning of the values and of the comparison, and which direction is better. */
  readonly meaning: string
  readonly unit: string
  readonly rounds: number
  readonly lines: readonly Line[]
  readonly targets: readonly Target[]
  readonly notes: readonly string[]
}

export interface Line {
  readonly subject: string
  readonly ours: boolean
  readonly value: Spread
  /** The comparison with the first line of the figure. */
  readonly compared?: Spread
}

/** A goal for Concord's line of a figure. A missed target isn't a failure. */
export interface Target {
  readonly direction: 'at least' | 'at most'
  readonly limit: number
  /** The field of {@link Line} that the limit applies to. */
  readonly of: 'compared' | 'value'
}

export interface RowResult {
  readonly row: string
  readonly title: string
  readonly figures: readonly Figure[]
  readonly seconds: number
}

export const OURS = 'concord'

export type Comparison = 'speed' | 'cost' | 'difference' | 'none'

const COMPARISONS: Readonly<
  Record<Comparison, (values: readonly number[], base: readonly number[]) => Spread | undefined>
> = { speed, cost, difference, none: () => undefined }

interface FigureSource<Result> extends Omit<Figure, 'lines' | 'rounds' | 'targets' | 'notes'> {
  readonly targets?: readonly Target[]
  readonly notes?: readonly string[]
  /** The measurements of each subject. The base of the comparison is the first subject other than the `floor`. */
  readonly results: ReadonlyMap<string, readonly Result[]>
  readonly value: (result: Result) => number
  /** Default: `none`. With a `floor`, the comparison is always `cost`. */
  readonly compare?: Comparison
  /**
   * The name of a subject that does only what all subjects have in common, such as starting Node. Its values are
   * subtracted from those of the other subjects. The report doesn't show this subject.
   */
  readonly floor?: string
}

export function toFigure<Result>(source: FigureSource<Result>): Figure {
  const { results, value, compare = 'none', floor, targets = [], notes = [], ...rest } = source
  const columns = [...results].map(([subject, measured]) => ({ subject, values: measured.map(value) }))
  const under = columns.find(({ subject }) => subject === floor)?.values
  const shown = columns.filter(({ subject }) => subject !== floor)
  const base = shown[0]?.values ?? []
  return {
    ...rest,
    targets,
    notes,
    rounds: base.length,
    lines: shown.map(({ subject, values }): Line => {
      const compared =
        under === undefined ? COMPARISONS[compare](values, base) : costOver(under, values, base)
      return {
        subject,
        ours: subject === OURS,
        value: under === undefined ? spread(values) : difference(values, under),
        ...(compared === undefined ? {} : { compared }),
      }
    }),
  }
}

export function reaches(line: Line, target: Target): boolean {
  const found = target.of === 'compared' ? line.compared : line.value
  if (found === undefined) return false
  return target.direction === 'at least' ? found.median >= target.limit : found.median <= target.limit
}

export function formatRow({ row, title, figures, seconds }: RowResult): string {
  return [`${row}: ${title} (${seconds.toFixed(0)} s)`, ...figures.map(formatFigure)].join('\n\n')
}

function formatFigure(figure: Figure): string {
  const { title, meaning, lines, rounds, notes } = figure
  const cells = lines.map((line) => lineCells(line, figure))
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)))
  const [subjectWidth = 0, valueWidth = 0, comparedWidth = 0, betweenWidth = 0] = widths
  const table = cells.map(([subject = '', value = '', compared = '', between = '', verdict = '']) => {
    const columns = [
      subject.padEnd(subjectWidth),
      value.padStart(valueWidth),
      compared.padStart(comparedWidth),
      between.padEnd(betweenWidth),
      verdict,
    ]
    return `    ${columns.join('  ')}`.trimEnd()
  })
  const head = `  ${title}: ${meaning}${rounds > 1 ? `; ${rounds} rounds` : ''}`
  return [head, ...table, ...notes.map((note) => `    (${note})`)].join('\n')
}

function lineCells(line: Line, { unit, targets }: Figure): string[] {
  const { subject, ours, value, compared } = line
  const verdicts = targets.map(
    (target) =>
      `${target.direction} ${formatNumber(target.limit)}: ${reaches(line, target) ? 'target met' : 'target missed'}`,
  )
  return [
    ours ? `> ${subject}` : `  ${subject}`,
    `${formatNumber(value.median)} ${unit}`,
    compared === undefined ? '' : formatNumber(compared.median),
    compared === undefined
      ? ''
      : `(${formatNumber(compared.lowerQuartile)} to ${formatNumber(compared.upperQuartile)})`,
    ours ? verdicts.join(', ') : '',
  ]
}

/** Rounds a number, because the bench isn't precise enough for more digits. */
export function formatNumber(value: number): string {
  const size = Math.abs(value)
  if (size >= 100) return value.toFixed(0)
  return size >= 10 ? value.toFixed(1) : value.toFixed(2)
}
