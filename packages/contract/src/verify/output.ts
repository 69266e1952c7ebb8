import { xml } from '../coverage/junit.ts'
import { SUCCESS, type VerifyCheck, type VerifyReport } from './report.ts'

const words = { pass: 'pass', fail: 'FAIL', 'nothing-shown': 'nothing shown', 'not-run': 'not run' } as const
const width = 'nothing shown  '.length
const indent = ' '.repeat(width)

/** Renders the report as plain text. @public */
export function verifyText(report: VerifyReport): string {
  const lines = [`${report.service} at ${report.baseUrl}`, '']
  for (const { operation, method, path, state, checks } of report.operations) {
    const route = `${method} ${path}`
    lines.push(`${words[state].padEnd(width)}${operation === route ? route : `${operation}  ${route}`}`)
    for (const [titles, { state: result, reasons }] of grouped(checks)) {
      lines.push(`${indent}${words[result]}: ${titles.join(', ')}`)
      for (const reason of reasons) lines.push(`${indent}  - ${reason}`)
    }
  }
  lines.push('', countsText(report), successesChecked(report), ...report.hints.map((hint) => `hint: ${hint}`))
  const why = report.shortcomings.length > 0 ? `: ${report.shortcomings.join('; ')}` : ''
  lines.push(report.passed ? 'passed' : `failed${why}`)
  return lines.join('\n')
}

/** Groups consecutive checks that have the same verdict and reasons. */
function grouped(
  checks: readonly VerifyCheck[],
): readonly (readonly [titles: string[], check: VerifyCheck])[] {
  const groups: [string[], VerifyCheck][] = []
  for (const check of checks) {
    const title = check.status === undefined ? check.title : `${check.title} (${check.status})`
    const last = groups.at(-1)
    const same = last?.[1].state === check.state && last[1].reasons.join() === check.reasons.join()
    if (same) last?.[0].push(title)
    else groups.push([[title], check])
  }
  return groups
}

/** Says how many operations have each state. */
export function countsText({ counts }: VerifyReport): string {
  const { pass, fail, nothingShown, notRun } = counts
  return `${pass} passed, ${fail} failed, ${nothingShown} showed nothing, ${notRun} not run`
}

/** Says how many operations responded with a success, and how to check more. */
export function successesChecked({ what, operations, coverage }: VerifyReport): string {
  const more = operations.some(({ state }) => state === 'not-run' || state === 'nothing-shown')
  const rest = more ? '; to check more, pass --api-key-env, --param or --allow' : ''
  return `${coverage.operations} of ${operations.length} ${what} ${SUCCESS[what]}${rest}`
}

/**
 * Renders the report as JUnit XML, with a suite for each operation and a test case for each request. One more test case
 * fails if the verification as a whole fails, for instance because no operation responded with a success. Checks that
 * weren't run or showed nothing are skipped, never passed.
 *
 * @public
 */
export function verifyJunit(report: VerifyReport): string {
  const suites = report.operations.map(({ operation, checks }) => {
    const cases = checks.map((check) => {
      const open = `    <testcase classname="${xml(`verify.${report.service}.${operation}`)}" name="${xml(check.title)}"`
      const reasons = xml(check.reasons.join('\n'))
      if (check.state === 'pass') return `${open}/>`
      if (check.state === 'not-run' || check.state === 'nothing-shown')
        return `${open}>\n      <skipped message="${reasons}"/>\n    </testcase>`
      return `${open}>\n      <failure message="${xml(check.reasons[0] ?? '')}">${reasons}</failure>\n    </testcase>`
    })
    const count = (...states: string[]): number => checks.filter(({ state }) => states.includes(state)).length
    const counts = `tests="${checks.length}" failures="${count('fail')}" skipped="${count('not-run', 'nothing-shown')}" errors="0"`
    return `  <testsuite name="${xml(operation)}" ${counts}>\n${cases.join('\n')}\n  </testsuite>`
  })
  const { shortcomings } = report
  const failure = `<failure message="${xml(shortcomings[0] ?? '')}">${xml([...shortcomings, ...report.hints].join('\n'))}</failure>`
  const enough = `    <testcase classname="${xml(`verify.${report.service}`)}" name="enough was checked"`
  const whole = [
    `  <testsuite name="the verification as a whole" tests="1" failures="${shortcomings.length > 0 ? 1 : 0}" skipped="0" errors="0">`,
    shortcomings.length > 0 ? `${enough}>\n      ${failure}\n    </testcase>` : `${enough}/>`,
    '  </testsuite>',
  ].join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xml(`verify ${report.service}`)}">\n${[...suites, whole].join('\n')}\n</testsuites>\n`
}
