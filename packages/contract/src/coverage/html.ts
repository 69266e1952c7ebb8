import { counted } from '../http/exchange.ts'
import { columnMeanings, type Cell, type Column } from './matrix.ts'
import { xml } from './junit.ts'
import { page, verdictLine } from './page.ts'
import type { CoverageReport } from './report.ts'
import { mockSources, shareOf, shownColumns, unreachableCells } from './terminal.ts'

const words: Readonly<Record<Cell['state'], string>> = {
  covered: 'covered',
  failed: 'failed',
  missing: 'missing',
  unreachable: 'unreachable',
  'not-applicable': 'does not apply',
}
const signs: Readonly<Record<Cell['state'], string>> = {
  covered: '✓',
  failed: '✗',
  missing: '?',
  unreachable: '∅',
  'not-applicable': '–',
}

/**
 * Renders the coverage matrix as one self-contained HTML page: no scripts, no fonts, and no links to other pages. The
 * page is accessible, can be printed, and supports dark mode. Each cell shows its state with words and signs, not
 * only with color.
 * Tables have captions, and their header cells have a `scope`.
 *
 * @public
 */
export function htmlPage(report: CoverageReport): string {
  const shown = shownColumns(report)
  const verdict = report.passed
    ? `Passed: everything in the contract is covered${report.totals.all.unreachable > 0 ? ', except for the responses listed as unreachable' : ''}.`
    : `Failed: ${counted(report.problems.length, 'problem')}.`
  const body = `<a class="skip" href="#matrix">Skip to the matrix</a>
<header>
<h1>Contract coverage of ${xml(report.service)}</h1>
<p>Contract: <strong>${xml(report.spec.name)}</strong>.</p>
${verdictLine(report.passed, verdict)}
</header>
<main>
${problems(report)}
<section aria-labelledby="figures">
<h2 id="figures">Figures</h2>
${figuresTable(report, shown)}
<p>${xml(mockSources(report))}</p>
${skipped(report)}
</section>
${unreachable(report)}
<section aria-labelledby="matrix">
<h2 id="matrix">Matrix</h2>
<p class="legend">${(Object.keys(words) as Cell['state'][]).map((state) => `<span class="cell ${state}"><span aria-hidden="true">${signs[state]}</span> ${words[state]}</span>`).join(' ')}</p>
${groups(report)
  .map(([title, rows]) => groupTable(title, rows, shown))
  .join('\n')}
</section>
</main>`
  return page(`Contract coverage of ${report.service}: ${report.passed ? 'passed' : 'failed'}`, body)
}

type ReportRow = CoverageReport['rows'][number]

function groups(report: CoverageReport): [string, ReportRow[]][] {
  const byTitle = new Map<string, ReportRow[]>()
  for (const row of report.rows) {
    const title =
      row.direction === 'schema'
        ? 'Component schemas'
        : row.direction === 'webhook'
          ? `Webhook ${row.operation}`
          : row.operation
    byTitle.set(title, [...(byTitle.get(title) ?? []), row])
  }
  return [...byTitle]
}

function groupTable(title: string, rows: readonly ReportRow[], shown: readonly Column[]): string {
  const schemas = title === 'Component schemas'
  const used = schemas ? shown.filter((column) => column === 'validators') : shown
  const counts = rows.flatMap((row) => used.map((column) => row.cells[column].state))
  const open = counts.filter((state) => state === 'failed' || state === 'missing').length
  const covered = counts.filter((state) => state === 'covered').length
  const head = schemas ? ['Component'] : ['Direction', 'Status', 'Media type', 'Example']
  return `<details${open > 0 ? ' open' : ''}>
<summary>${xml(title)} <span class="count">${covered} covered${open > 0 ? `, ${open} not covered` : ''}</span></summary>
<div class="scroll" role="region" aria-label="${xml(title)}" tabindex="0">
<table>
<caption>${xml(title)}</caption>
<thead><tr>${[...head, ...used].map((name) => `<th scope="col">${xml(name)}</th>`).join('')}</tr></thead>
<tbody>
${rows.map((row) => tableRow(row, used, schemas)).join('\n')}
</tbody>
</table>
</div>
</details>`
}

function tableRow(row: ReportRow, used: readonly Column[], schemas: boolean): string {
  const names = schemas
    ? `<th scope="row">${xml(row.operation)}</th>`
    : `<td>${row.direction}</td><td>${xml(row.status)}</td><td>${xml(row.mediaType)}</td><th scope="row">${xml(row.example)}</th>`
  return `<tr>${names}${used.map((column) => tableCell(row.cells[column])).join('')}</tr>`
}

function tableCell(cell: Cell): string {
  const about = [...(cell.by ? [cell.by] : []), ...(cell.note ? [cell.note] : [])].join('; ')
  const findings = cell.findings
    .map((one) => `<li><code>${xml(one.code)}</code> ${xml(one.at)}: ${xml(one.message)}</li>`)
    .join('')
  const detail = cell.state === 'not-applicable' ? '' : about ? `<small>${xml(about)}</small>` : ''
  return `<td class="cell ${cell.state}"${cell.state === 'not-applicable' && cell.note ? ` title="${xml(cell.note)}"` : ''}><span aria-hidden="true">${signs[cell.state]}</span> <span class="word">${words[cell.state]}</span>${detail}${findings ? `<ul>${findings}</ul>` : ''}</td>`
}

function figuresTable(report: CoverageReport, shown: readonly Column[]): string {
  const rows = [...shown, 'all' as const].map((column) => {
    const { covered, applicable, failed, missing, unreachable } = report.totals[column]
    const meaning = column === 'all' ? 'All cells.' : columnMeanings[column]
    return `<tr><th scope="row">${column}</th><td>${covered} of ${applicable}</td><td>${shareOf(report.totals[column])}</td><td>${failed}</td><td>${missing}</td><td>${unreachable}</td><td>${meaning}</td></tr>`
  })
  return `<div class="scroll" role="region" aria-label="Figures" tabindex="0">
<table class="figures">
<caption>Cells covered, by kind of evidence</caption>
<thead><tr><th scope="col">Evidence</th><th scope="col">Covered</th><th scope="col">Share</th><th scope="col">Failed</th><th scope="col">Missing</th><th scope="col">Unreachable</th><th scope="col">Shows</th></tr></thead>
<tbody>${rows.join('\n')}</tbody>
</table>
</div>`
}

function problems(report: CoverageReport): string {
  if (report.problems.length === 0) return ''
  const items = report.problems.map((problem) => `<li>${xml(problem)}</li>`).join('\n')
  return `<section aria-labelledby="problems"><h2 id="problems">Problems</h2><ol class="problems">${items}</ol></section>`
}

function unreachable(report: CoverageReport): string {
  const items = unreachableCells(report).map((cell) => `<li>${xml(cell)}</li>`)
  if (items.length === 0) return ''
  return `<section aria-labelledby="unreachable"><h2 id="unreachable">Unreachable (not counted as covered)</h2><ul>${items.join('\n')}</ul></section>`
}

function skipped(report: CoverageReport): string {
  if (report.skippedColumns.length === 0) return ''
  return `<p>Not part of this run: ${report.skippedColumns.join(', ')}.</p>`
}
