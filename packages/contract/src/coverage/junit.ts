import { counted } from '../http/exchange.ts'
import type { CoverageReport } from './report.ts'
import { shownColumns } from './terminal.ts'

/** One test case of a JUnit report. It passed if it has neither `failure` nor `skipped`. */
export interface JunitCase {
  readonly classname: string
  readonly name: string
  readonly failure?: { readonly message: string; readonly text: string }
  /** The reason why the test case was skipped. */
  readonly skipped?: string
}

export function junit(title: string, suites: readonly (readonly [string, readonly JunitCase[]])[]): string {
  const rendered = suites.map(([name, cases]) => {
    const count = (member: 'failure' | 'skipped') => cases.filter((one) => one[member] !== undefined).length
    const counts = `tests="${cases.length}" failures="${count('failure')}" skipped="${count('skipped')}" errors="0"`
    const lines = cases.map((one) => `${junitCase(one)}\n`).join('')
    return `  <testsuite name="${xml(name)}" ${counts}>\n${lines}  </testsuite>\n`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xml(title)}">\n${rendered.join('')}</testsuites>\n`
}

function junitCase({ classname, name, failure, skipped }: JunitCase): string {
  const open = `    <testcase classname="${xml(classname)}" name="${xml(name)}"`
  if (failure)
    return `${open}>\n      <failure message="${xml(failure.message)}">${xml(failure.text)}</failure>\n    </testcase>`
  if (skipped === undefined) return `${open}/>`
  return `${open}>\n      <skipped message="${xml(skipped)}"/>\n    </testcase>`
}

/** Renders the coverage matrix as JUnit XML: a suite for each column, a case for each applicable cell. @public */
export function junitXml(report: CoverageReport): string {
  const { service, rows } = report
  const suites = shownColumns(report).map((column) => {
    const applicable = rows.filter(({ cells }) => cells[column].state !== 'not-applicable')
    const cases = applicable.map(({ key, cells }): JunitCase => {
      const { state, findings, note = 'unreachable' } = cells[column]
      const about = { classname: `contract.${service}.${column}`, name: key }
      if (state === 'covered') return about
      if (state === 'unreachable') return { ...about, skipped: note }
      const message = state === 'missing' ? 'not covered' : counted(findings.length, 'finding')
      const text = findings.map((one) => `[${one.code}] ${one.at}: ${one.message}`).join('\n')
      return { ...about, failure: { message, text } }
    })
    return [`${service} ${column}`, cases] as const
  })
  return junit(`contract of ${service}`, suites)
}

/** Escapes a string for XML or HTML, and replaces the characters that XML doesn't allow. */
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
