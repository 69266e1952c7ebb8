import { junit, type JunitCase } from '../coverage/junit.ts'
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

export function countsText({ counts }: VerifyReport): string {
  const { pass, fail, nothingShown, notRun } = counts
  return `${pass} passed, ${fail} failed, ${nothingShown} showed nothing, ${notRun} not run`
}

export function successesChecked({ what, operations, coverage }: VerifyReport): string {
  const more = operations.some(({ state }) => state === 'not-run' || state === 'nothing-shown')
  const rest = more ? '; to check more, pass --api-key-env, --param or --allow' : ''
  return `${coverage.operations} of ${operations.length} ${what} ${SUCCESS[what]}${rest}`
}

/**
 * Renders the report as JUnit XML: a suite for each operation, with a test case for each request. A request counts as
 * skipped if its state is `not-run` or `nothing-shown`. The last suite has one test case. It fails if the report has
 * shortcomings, for instance because no operation responded with a success.
 *
 * @public
 */
export function verifyJunit(report: VerifyReport): string {
  const { service, operations, shortcomings, hints } = report
  const suites = operations.map(({ operation, checks }) => {
    const cases = checks.map(({ title, state, reasons }): JunitCase => {
      const about = { classname: `verify.${service}.${operation}`, name: title }
      const text = reasons.join('\n')
      if (state === 'pass') return about
      return state === 'fail'
        ? { ...about, failure: { message: reasons[0] ?? '', text } }
        : { ...about, skipped: text }
    })
    return [operation, cases] as const
  })
  const [message] = shortcomings
  const whole: JunitCase = {
    classname: `verify.${service}`,
    name: 'enough was checked',
    ...(message !== undefined && {
      failure: { message, text: [...shortcomings, ...hints].join('\n') },
    }),
  }
  return junit(`verify ${service}`, [...suites, ['the verification as a whole', [whole]]])
}
