import { invalidOptions, isObject, schemaOracle, type SocketSpec, type Spec } from '@concord/spec-model'
import { readJson } from '../http/exchange.ts'
import { listSocketRows } from '../socket/suite/socket-rows.ts'
import { columns, listRows, type Row } from './matrix.ts'
import { makeReport, type CellResult, type CoverageReport } from './report.ts'

/**
 * Reads the report of an earlier run, and compares it with the current contract. If something was added to the
 * contract after that run, its results are reported as missing. If something was removed, its old results are
 * reported as problems.
 *
 * @param spec the OpenAPI document, or the AsyncAPI document of a service without HTTP operations.
 * @param sockets the AsyncAPI document, if the report also covers WebSockets.
 * @throws ContractError if `text` isn't a coverage report.
 * @public
 */
export function readReport(
  spec: Spec | SocketSpec,
  text: string,
  { file = 'The file', sockets }: { readonly file?: string; readonly sockets?: SocketSpec | undefined } = {},
): CoverageReport {
  const read = readJson(text)?.value
  if (!isObject(read) || !Array.isArray(read['rows']) || typeof read['service'] !== 'string') {
    throw invalidOptions(`${file} is not a coverage report.`, 'Pass the report of a contract suite, as JSON.')
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
  return makeReport(about, contractRows(spec, sockets), results, {
    skippedColumns: report.skippedColumns,
    otherProblems: others,
  })
}

export function contractRows(spec: Spec | SocketSpec, sockets?: SocketSpec): Row[] {
  const own = 'operations' in spec ? listRows(spec, schemaOracle(spec)) : listSocketRows(spec)
  return [...own, ...(sockets ? listSocketRows(sockets) : [])]
}
