import { columns, type Cell, type Column, type Row } from './matrix.ts'

/** The number of cells in each state. @public */
export interface Totals {
  readonly covered: number
  /** All cells that apply. */
  readonly applicable: number
  readonly failed: number
  readonly missing: number
  /** Cells of responses that the walk lists as unreachable. They don't count as covered. */
  readonly unreachable: number
}

/** The result of running the contract tests: plain data that `JSON.stringify` can write. @public */
export interface CoverageReport {
  readonly service: string
  readonly spec: { readonly name: string }
  /** Columns that this run skipped. */
  readonly skippedColumns: readonly Column[]
  readonly rows: readonly (Row & { readonly cells: Readonly<Record<Column, Cell>> })[]
  readonly totals: Readonly<Record<Column | 'all', Totals>>
  /** True if `problems` is empty. Unreachable cells and skipped columns aren't problems. */
  readonly passed: boolean
  /** The reasons why `passed` is false. */
  readonly problems: readonly string[]
}

export interface CellResult {
  readonly row: string
  readonly column: Column
  readonly cell: Cell
}

interface ReportExtras {
  readonly skippedColumns?: readonly Column[]
  readonly otherProblems?: readonly string[]
}

export function makeReport(
  about: Pick<CoverageReport, 'service' | 'spec'>,
  rows: readonly Row[],
  results: readonly CellResult[],
  { skippedColumns = [], otherProblems = [] }: ReportExtras = {},
): CoverageReport {
  const known = new Set(rows.map((row) => row.key))
  const byCell = new Map<string, Cell>()
  const problems: string[] = [...otherProblems]
  for (const { row, column, cell } of results) {
    if (!known.has(row))
      problems.push(`there is a result for something that the contract doesn't document: ${row}`)
    const key = `${row} | ${column}`
    const earlier = byCell.get(key)
    byCell.set(key, earlier ? combined(earlier, cell) : cell)
  }
  const filled = rows.map((row) => ({
    ...row,
    cells: Object.fromEntries(
      columns.map((column): [Column, Cell] => {
        const reason = row.notApplicable[column]
        if (reason !== undefined) return [column, { state: 'not-applicable', note: reason, findings: [] }]
        const cell = byCell.get(`${row.key} | ${column}`) ?? { state: 'missing', findings: [] }
        return [column, cell]
      }),
    ) as Record<Column, Cell>,
  }))
  for (const row of filled) {
    for (const column of columns) {
      if (skippedColumns.includes(column)) continue
      const cell = row.cells[column]
      if (cell.state === 'missing') problems.push(`not covered: ${row.key} | ${column}`)
      for (const finding of cell.state === 'failed' ? cell.findings : []) {
        problems.push(`${row.key} | ${column}: [${finding.code}] ${finding.at}: ${finding.message}`)
      }
    }
  }
  return {
    ...about,
    skippedColumns,
    rows: filled,
    totals: totalsOf(filled, skippedColumns),
    passed: problems.length === 0,
    problems,
  }
}

/**
 * Combines reports, for example the report on a client's HTTP operations with the report on its WebSockets.
 *
 * @public
 */
export function mergeReports(first: CoverageReport, ...others: readonly CoverageReport[]): CoverageReport {
  const all = [first, ...others]
  const rows = all.flatMap((one) => one.rows)
  const skipped = first.skippedColumns.filter((column) =>
    all.every((one) => one.skippedColumns.includes(column)),
  )
  const names = [...new Set(all.map((one) => one.spec.name))]
  return {
    service: first.service,
    spec: { name: names.join(' + ') },
    skippedColumns: skipped,
    rows,
    totals: totalsOf(rows, skipped),
    passed: all.every((one) => one.passed),
    problems: all.flatMap((one) => one.problems),
  }
}

function combined(one: Cell, other: Cell): Cell {
  const worst = one.state === 'failed' ? one : other.state === 'failed' ? other : one
  const by = [...new Set([one.by, other.by].filter((name) => name !== undefined))].join(' + ')
  const note = [...new Set([one.note, other.note].filter((text) => text !== undefined))].join(' ')
  return {
    state: worst.state,
    ...(by ? { by } : {}),
    ...(note ? { note } : {}),
    findings: [...one.findings, ...other.findings],
  }
}

function totalsOf(rows: CoverageReport['rows'], skipped: readonly Column[]): CoverageReport['totals'] {
  const count = (of: readonly Column[]): Totals => {
    const cells = rows.flatMap((row) =>
      of.filter((column) => !skipped.includes(column)).map((column) => row.cells[column]),
    )
    const having = (state: Cell['state']): number => cells.filter((cell) => cell.state === state).length
    return {
      covered: having('covered'),
      applicable: cells.length - having('not-applicable'),
      failed: having('failed'),
      missing: having('missing'),
      unreachable: having('unreachable'),
    }
  }
  return Object.fromEntries([
    ...columns.map((column) => [column, count([column])] as const),
    ['all', count(columns)] as const,
  ]) as Record<Column | 'all', Totals>
}
