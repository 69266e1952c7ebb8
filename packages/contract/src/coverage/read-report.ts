import { ContractError } from '../errors.ts'
import { schemaOracle } from '../oracle/schema-oracle.ts'
import { isObject } from '../spec/json.ts'
import type { Spec } from '../spec/model.ts'
import { columns, listRows } from './matrix.ts'
import { makeReport, type CellResult, type CoverageReport } from './report.ts'

/**
 * Reads a report that a run has written, and holds it to the spec as it is now: what the spec has gained since is
 * missing, and what it has lost is a problem.
 *
 * @throws ContractError when the text is not such a report.
 * @public
 */
export function readReport(spec: Spec, text: string): CoverageReport {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch {
    read = undefined
  }
  if (!isObject(read) || !Array.isArray(read['rows']) || typeof read['service'] !== 'string') {
    throw new ContractError(
      'invalid-options',
      'The file is not a coverage report.',
      'Give the JSON that JSON.stringify makes of the report of a contract suite.',
    )
  }
  const report = read as unknown as CoverageReport
  const results = report.rows.flatMap((row) =>
    columns.flatMap((column): CellResult[] => {
      const cell = row.cells[column]
      return cell.state === 'missing' || cell.state === 'not-applicable'
        ? []
        : [{ row: row.key, column, cell }]
    }),
  )
  const about = { service: report.service, spec: { name: spec.name } }
  const others = report.problems.filter((problem) => problem.startsWith('walk | '))
  return makeReport(about, listRows(spec, schemaOracle(spec)), results, report.skippedColumns, others)
}
