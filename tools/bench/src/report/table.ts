import type { Spread } from '../measure/stats.ts'
import { type Figure, type Line, reaches, type RowResult } from './figure.ts'

/** A row as text for a terminal: its figures, each with a line per subject and the targets beside ours. */
export function formatRow({ row, title, figures, seconds }: RowResult): string {
  return [`${row}: ${title} (${seconds.toFixed(0)} s)`, ...figures.map(formatFigure)].join('\n\n')
}

function formatFigure(figure: Figure): string {
  const { title, meaning, lines, rounds, notes } = figure
  const cells = lines.map((line) => lineCells(line, figure))
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)))
  const head = `  ${title}: ${meaning}${rounds > 1 ? `; ${rounds} rounds` : ''}`
  return [
    head,
    ...cells.map(([subject = '', value = '', compared = '', between = '', verdict = '']) =>
      [
        '    ',
        subject.padEnd(widths[0] ?? 0),
        '  ',
        value.padStart(widths[1] ?? 0),
        '  ',
        compared.padStart(widths[2] ?? 0),
        '  ',
        between.padEnd(widths[3] ?? 0),
        '  ',
        verdict,
      ]
        .join('')
        .trimEnd(),
    ),
    ...notes.map((note) => `    (${note})`),
  ].join('\n')
}

function lineCells(line: Line, { unit, targets }: Figure): string[] {
  const { subject, ours, value, compared } = line
  const verdicts = targets.map(
    (target) =>
      `${target.direction} ${formatNumber(target.limit)}: ${reaches(line, target) ? 'reached' : 'not reached'}`,
  )
  return [
    ours ? `> ${subject}` : `  ${subject}`,
    `${formatNumber(value.median)} ${unit}`,
    compared === undefined ? '' : formatNumber(compared.median),
    compared === undefined ? '' : `(${between(compared)})`,
    ours ? verdicts.join(', ') : '',
  ]
}

function between({ lowerQuartile, upperQuartile }: Spread): string {
  return `${formatNumber(lowerQuartile)} to ${formatNumber(upperQuartile)}`
}

/** Three digits that count, which is more than a bench on a shared machine can vouch for. */
export function formatNumber(value: number): string {
  const size = Math.abs(value)
  if (size >= 100) return value.toFixed(0)
  return size >= 10 ? value.toFixed(1) : value.toFixed(2)
}
