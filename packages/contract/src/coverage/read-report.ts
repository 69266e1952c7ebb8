import { ContractError, isObject, schemaOracle, type SocketSpec, type Spec } from '@concord/spec-model'
import { listSocketRows } from '../socket/suite/socket-rows.ts'
import { columns, listRows } from './matrix.ts'
import { makeReport, type CellResult, type CoverageReport } from './report.ts'

/**
 * Reads a report that a run has written, and holds it to the spec as it is now: what the spec has gained since is
 * missing, and what it has lost is a problem.
 *
 * @param sockets the document of the sockets, where the report is of them too.
 * @throws ContractError when the text is not such a report.
 * @public
 */
export function readReport(spec: Spec, text: string, sockets?: SocketSpec): CoverageReport {
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
      'Pass the report of a contract suite as JSON.stringify writes it.',
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
  const rows = [...listRows(spec, schemaOracle(spec)), ...(sockets ? listSocketRows(sockets) : [])]
  return makeReport(about, rows, results, {
    skippedColumns: report.skippedColumns,
    otherProblems: others,
  })
}
