import { describe, expect, it } from 'vitest'
import { ContractError, schemaOracle } from '@concord/spec-model'

import { specOf } from '../../test/fixture/documents.ts'
import { htmlPage } from './html.ts'
import { junitXml, xml } from './junit.ts'
import { columns, listRows } from './matrix.ts'
import { readReport } from './read-report.ts'
import { makeReport, type CellResult } from './report.ts'
import { terminalTable } from './terminal.ts'

const content = {
  'application/json': { schema: { type: 'string' }, examples: { one: { value: 'x' } } },
}
const thingsOf = (status: string) =>
  specOf(
    { '/things': { get: { operationId: 'getThings', responses: { [status]: { content } } } } },
    { info: { title: 'Things & more' } },
  )
const spec = thingsOf('200')
const rows = listRows(spec, schemaOracle(spec))
const about = { service: 'things', spec: { name: spec.name } }
const covered = (by = 'prism'): CellResult['cell'] => ({ state: 'covered', by, findings: [] })
const everything: CellResult[] = rows.flatMap((row) =>
  columns
    .filter((column) => row.notApplicable[column] === undefined)
    .map((column) => ({ row: row.key, column, cell: covered() })),
)
const response = 'response | getThings | 200 | application/json | one'
const failing: CellResult = {
  row: response,
  column: 'mock',
  cell: {
    state: 'failed',
    by: 'prism',
    findings: [
      {
        code: 'decoded',
        at: 'outcome.data/<b>',
        message: 'is "not" & <i>what</i> the response contains\u0000',
      },
    ],
  },
}

describe('the report', () => {
  it('passes if every applicable cell is covered', () => {
    const report = makeReport(about, rows, everything)
    expect(report.passed).toBe(true)
    expect(report.totals.all).toEqual({ covered: 6, applicable: 6, failed: 0, missing: 0, unreachable: 0 })
  })

  it('fails below 100 %, and lists what is missing', () => {
    const report = makeReport(about, rows, everything.slice(0, -1))
    expect(report.passed).toBe(false)
    expect(report.problems).toEqual([`not covered: ${response} | validators`])
  })

  it('fails on a finding, with its location and message', () => {
    const report = makeReport(about, rows, [...everything, failing])
    expect(report.problems[0]).toContain(`${response} | mock: [decoded] outcome.data/<b>`)
    expect(report.rows.find((row) => row.key === response)?.cells.mock).toMatchObject({ state: 'failed' })
  })

  it("fails on a result for something that the contract doesn't document", () => {
    const stray = { row: 'response | getOthers | 200 | - | x', column: 'mock' as const, cell: covered() }
    expect(makeReport(about, rows, [...everything, stray]).problems[0]).toMatch(
      /doesn't document: response \| getOthers/,
    )
  })

  it("doesn't fail for a skipped column, and says that it was skipped", () => {
    const results = everything.filter((one) => one.column !== 'emulator')
    const report = makeReport(about, rows, results, { skippedColumns: ['emulator'] })
    expect(report.passed).toBe(true)
    expect(report.totals.emulator.applicable).toBe(0)
    expect(htmlPage(report)).toContain('Not part of this run: emulator')
  })

  it("doesn't count unreachable cells as covered", () => {
    const cell = { state: 'unreachable', note: 'no such state', findings: [] } as const
    const results = everything.map((one) => (one.column === 'emulator' ? { ...one, cell } : one))
    const report = makeReport(about, rows, results)
    expect(report.totals.emulator).toEqual({
      covered: 0,
      applicable: 1,
      failed: 0,
      missing: 0,
      unreachable: 1,
    })
    expect(report.passed).toBe(true)
    for (const text of [terminalTable(report), htmlPage(report), junitXml(report)])
      expect(text).toContain('no such state')
  })
})

describe('a report that is read from a file', () => {
  it('a report read from a file is unchanged with the same spec', () => {
    const report = makeReport(about, rows, [...everything.slice(0, -1), failing])
    expect(readReport(spec, JSON.stringify(report))).toEqual(report)
  })

  it('a report read from a file lists additions to the contract as missing, and removals as problems', () => {
    const report = makeReport(about, rows, everything)
    const { problems } = readReport(thingsOf('201'), JSON.stringify(report))
    expect(problems).toContain('not covered: response | getThings | 201 | application/json | one | mock')
    expect(problems.join('\n')).toMatch(/doesn't document: response \| getThings \| 200/)
  })

  it.each(['nonsense', '{}', '[]'])("a file that isn't a report (%s) is an error", (text) => {
    expect(() => readReport(spec, text)).toThrow(ContractError)
  })
})

describe('the written report', () => {
  const report = makeReport(about, rows, [...everything.slice(0, -1), failing])

  it('the table lists every row and ends with the verdict', () => {
    const lines = terminalTable(report).split('\n')
    expect(lines.find((line) => /^response +getThings/.test(line))).toMatch(/FAIL .*ok +MISSING$/)
    expect(lines.at(-1)).toBe('failed: 2 problems')
    expect(terminalTable(makeReport(about, rows, everything))).toMatch(/\npassed: things conforms to/)
  })

  it("the table labels what Prism didn't serve", () => {
    const results = everything.map((one) => ({ ...one, cell: covered('responder') }))
    expect(terminalTable(makeReport(about, rows, results))).toContain('ok (responder)')
  })

  it("the JUnit report has a failure for each cell that isn't covered, and is well-formed", () => {
    const text = junitXml(report)
    expect(text.match(/<failure /g)).toHaveLength(2)
    expect(text).toContain('&lt;i&gt;what&lt;/i&gt;')
    expect(wellFormed(text)).toEqual([])
  })

  it('the page loads nothing else, and shows states by words, not only by colors', () => {
    const page = htmlPage(report)
    expect(page).not.toMatch(/<script|<link|src=|url\(|https?:/)
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(page.match(/<table/g)?.length).toBe(page.match(/<caption>/g)?.length)
    for (const word of ['covered', 'failed', 'missing'])
      expect(page).toContain(`<span class="word">${word}</span>`)
    expect(page).toContain('Things &amp; more')
    expect(page).not.toContain('<i>')
    expect(wellFormed(page.replace('<!doctype html>', '').replaceAll(/<meta [^>]*>/g, ''))).toEqual([])
  })

  it("reports replace characters that XML doesn't allow", () => {
    expect(xml('a\u0000b\u0008<&">')).toBe('a\uFFFDb\uFFFD&lt;&amp;&quot;&gt;')
  })
})

/** Returns the names of elements that aren't closed, or are closed without being open. */
function wellFormed(text: string): string[] {
  const open: string[] = []
  for (const [, slash, name = '', self] of text.matchAll(/<(\/?)([a-z][\w-]*)[^>]*?(\/?)>/g)) {
    if (self) continue
    if (!slash) open.push(name)
    else if (open.pop() !== name) return [name]
  }
  return open
}
