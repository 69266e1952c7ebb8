import { xml } from '../coverage/junit.ts'
import type { VerifyReport } from './report.ts'

const words = { pass: 'pass', fail: 'FAIL', 'not-run': 'not run' } as const

/** The report as plain text. @public */
export function verifyText(report: VerifyReport): string {
  const lines = [`${report.service} at ${report.baseUrl}`, '']
  for (const { operation, method, path, state, checks } of report.operations) {
    lines.push(`${words[state].padEnd(8)}${operation}  ${method} ${path}`)
    for (const check of checks) {
      const status = check.status === undefined ? '' : ` (${check.status})`
      lines.push(`        ${words[check.state]}: ${check.title}${status}`)
      for (const reason of check.reasons) lines.push(`          - ${reason}`)
    }
  }
  const { pass, fail, notRun } = report.counts
  lines.push('', `${pass} passed, ${fail} failed, ${notRun} not run`, successesChecked(report))
  const why = fail > 0 ? '' : `: ${report.shortcomings.join('; ')}`
  lines.push(report.passed ? 'passed' : `failed${why}`)
  return lines.join('\n')
}

/** For how many operations a success was seen. */
export function successesChecked({ operations, coverage }: VerifyReport): string {
  const rest = coverage.operations === operations.length ? '' : '; pass keys and --param values to check more'
  return `${coverage.operations} of ${operations.length} operations answered with a success${rest}`
}

/** The report as JUnit XML: a suite for each operation, a test case for each request. @public */
export function verifyJunit(report: VerifyReport): string {
  const suites = report.operations.map(({ operation, checks }) => {
    const cases = checks.map((check) => {
      const open = `    <testcase classname="${xml(`verify.${report.service}.${operation}`)}" name="${xml(check.title)}"`
      const reasons = xml(check.reasons.join('\n'))
      if (check.state === 'pass') return `${open}/>`
      if (check.state === 'not-run') return `${open}>\n      <skipped message="${reasons}"/>\n    </testcase>`
      return `${open}>\n      <failure message="${xml(check.reasons[0] ?? '')}">${reasons}</failure>\n    </testcase>`
    })
    const count = (state: string): number => checks.filter((check) => check.state === state).length
    const counts = `tests="${checks.length}" failures="${count('fail')}" skipped="${count('not-run')}" errors="0"`
    return `  <testsuite name="${xml(operation)}" ${counts}>\n${cases.join('\n')}\n  </testsuite>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xml(`verify ${report.service}`)}">\n${suites.join('\n')}\n</testsuites>\n`
}
