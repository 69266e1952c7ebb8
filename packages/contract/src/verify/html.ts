import { xml } from '../coverage/junit.ts'
import { page, verdictLine } from '../coverage/page.ts'
import { countsText, successesChecked } from './output.ts'
import type { VerifyReport } from './report.ts'

const words = {
  pass: 'passed',
  fail: 'failed',
  'nothing-shown': 'nothing shown',
  'not-run': 'not run',
} as const
const signs = { pass: '✓', fail: '✗', 'nothing-shown': '?', 'not-run': '–' } as const
const looks = {
  pass: 'covered',
  fail: 'failed',
  'nothing-shown': 'not-applicable',
  'not-run': 'not-applicable',
} as const

/** Renders the report as one self-contained HTML page. @public */
export function verifyPage(report: VerifyReport): string {
  const verdict = `${report.passed ? 'Passed' : 'Failed'}: ${countsText(report)}; ${successesChecked(report)}.`
  const notes = [...report.shortcomings, ...report.hints].map((note) => `<li>${xml(note)}</li>`).join('')
  const rows = report.operations.flatMap(({ operation, method, path, checks }) =>
    checks.map((check) => {
      const reasons = check.reasons.map((reason) => `<li>${xml(reason)}</li>`).join('')
      return `<tr><th scope="row">${xml(operation)}</th><td><code>${xml(`${method} ${path}`)}</code></td><td>${xml(check.title)}</td><td>${check.status ?? '–'}</td><td class="cell ${looks[check.state]}"><span aria-hidden="true">${signs[check.state]}</span> ${words[check.state]}${reasons ? `<ul>${reasons}</ul>` : ''}</td></tr>`
    }),
  )
  const body = `<main>
<h1>${xml(report.service)} against its contract</h1>
<p>Base URL: ${xml(report.baseUrl)}</p>
${verdictLine(report.passed, verdict)}${notes ? `\n<ul>${notes}</ul>` : ''}
<div class="scroll" role="region" aria-label="Requests" tabindex="0">
<table>
<caption>All requests. For a request that was not sent, the verdict shows the reason.</caption>
<thead><tr><th scope="col">Operation</th><th scope="col">Request</th><th scope="col">Attempt</th><th scope="col">Status</th><th scope="col">Verdict</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</div>
</main>`
  return page(`${report.service} against its contract: ${report.passed ? 'passed' : 'failed'}`, body)
}
