import { counted } from '../http/exchange.ts'
import { columns, type Cell, type Column } from './matrix.ts'
import type { CoverageReport, Totals } from './report.ts'

const marks: Readonly<Record<Cell['state'], string>> = {
  covered: 'ok',
  failed: 'FAIL',
  missing: 'MISSING',
  unreachable: 'unreachable',
  'not-applicable': '.',
}

/** Renders the coverage matrix as a plain-text table, followed by the totals and all problems. @public */
export function terminalTable(report: CoverageReport): string {
  const shown = shownColumns(report)
  const head = ['direction', 'operation', 'status', 'media type', 'example', ...shown]
  const rows = report.rows
    .filter((row) => shown.some((column) => row.cells[column].state !== 'not-applicable'))
    .map((row) => [
      row.direction,
      row.operation,
      row.status,
      row.mediaType,
      row.example,
      ...shown.map((column) => label(row.cells[column])),
    ])
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  return [
    line(head),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map(line),
    '',
    ...figures(report, shown),
    mockSources(report),
    '',
    ...verdict(report),
  ].join('\n')
}

export function shownColumns({ skippedColumns }: CoverageReport): readonly Column[] {
  return columns.filter((column) => !skippedColumns.includes(column))
}

export function shareOf({ covered, applicable }: Totals): string {
  return `${(applicable === 0 ? 100 : (100 * covered) / applicable).toFixed(1)} %`
}

export function unreachableCells({ rows }: CoverageReport): string[] {
  return rows.flatMap(({ key, cells }) =>
    columns
      .filter((column) => cells[column].state === 'unreachable')
      .map((column) => `${key} | ${column}: ${cells[column].note ?? ''}`),
  )
}

const label = (cell: Cell): string => {
  const by = cell.state === 'covered' && cell.by?.includes('responder') ? ` (${cell.by})` : ''
  return `${marks[cell.state]}${by}`
}

function figures(report: CoverageReport, shown: readonly Column[]): string[] {
  return [...shown, 'all' as const].map((column) => {
    const { covered, applicable, failed, missing, unreachable } = report.totals[column]
    const rest = [
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(missing > 0 ? [`${missing} missing`] : []),
      ...(unreachable > 0 ? [`${unreachable} unreachable`] : []),
    ]
    return `${column.padEnd(10)} ${covered} of ${applicable} (${shareOf(report.totals[column])})${rest.length > 0 ? `: ${rest.join(', ')}` : ''}`
  })
}

export function mockSources(report: CoverageReport): string {
  const by = report.rows.map((row) => row.cells.mock.by)
  const prism = by.filter((name) => name === 'prism').length
  const responder = by.filter((name) => name === 'responder').length
  return `Of the mock cells, ${prism} were served by Prism, and ${responder} by Concord's own responder.`
}

function verdict(report: CoverageReport): string[] {
  const unreachable = unreachableCells(report).map((cell) => `unreachable: ${cell}`)
  if (report.passed) return [...unreachable, `passed: ${report.service} conforms to ${report.spec.name}`]
  return [...unreachable, ...report.problems, `failed: ${counted(report.problems.length, 'problem')}`]
}
