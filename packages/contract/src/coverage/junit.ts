import { columns } from './matrix.ts'
import type { CoverageReport } from './report.ts'

/** Renders the matrix as JUnit XML: a suite for each column, a test case for each cell. @public */
export function junitXml(report: CoverageReport): string {
  const suites = columns
    .filter((column) => !report.skippedColumns.includes(column))
    .map((column) => {
      const rows = report.rows.filter((row) => row.cells[column].state !== 'not-applicable')
      const cases = rows.map((row) => {
        const cell = row.cells[column]
        const open = `    <testcase classname="${xml(`contract.${report.service}.${column}`)}" name="${xml(row.key)}"`
        if (cell.state === 'covered') return `${open}/>`
        if (cell.state === 'unreachable') {
          return `${open}>\n      <skipped message="${xml(cell.note ?? 'unreachable')}"/>\n    </testcase>`
        }
        const message = cell.state === 'missing' ? 'not covered' : `${cell.findings.length} findings`
        const text = cell.findings.map((one) => `[${one.code}] ${one.at}: ${one.message}`).join('\n')
        return `${open}>\n      <failure message="${xml(message)}">${xml(text)}</failure>\n    </testcase>`
      })
      const { failed, missing, unreachable, applicable } = report.totals[column]
      const counts = `tests="${applicable}" failures="${failed + missing}" skipped="${unreachable}" errors="0"`
      return `  <testsuite name="${xml(`${report.service} ${column}`)}" ${counts}>\n${cases.join('\n')}\n  </testsuite>`
    })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xml(`contract of ${report.service}`)}">\n${suites.join('\n')}\n</testsuites>\n`
}

/** Escapes text for an attribute or an element, and replaces control characters, which XML doesn't allow. */
export function xml(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '\uFFFD')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  )
}
