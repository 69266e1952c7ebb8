import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createContractSuite, type ContractSuite, type CoverageReport } from '../src/index.ts'
import { booksSubject } from './fixture/client.ts'
import { specOf } from './fixture/documents.ts'
import { library as spec } from './fixture/record.ts'

describe('a correct client', () => {
  let suite: ContractSuite
  let report: CoverageReport
  beforeAll(async () => {
    suite = await createContractSuite({ spec, subject: booksSubject() })
    await suite.runAll()
    report = suite.report({ skip: ['emulator'] })
  })
  afterAll(() => suite.close())
  const cell = (row: string, column: 'mock' | 'dynamic' | 'request' | 'validators') =>
    report.rows.find((one) => one.key === row)?.cells[column]

  it('passes, and covers everything that the contract documents', () => {
    expect(report.problems).toEqual([])
    expect(report.passed).toBe(true)
    expect(report.totals.all.covered).toBe(report.totals.all.applicable)
  })

  it("is tested with Prism, and with our responder (which is labeled) if Prism can't serve the contract", () => {
    expect(cell('response | getBook | 404 | application/json | unknown', 'mock')?.by).toBe('prism')
    expect(cell('response | removeBook | default | application/json | other', 'mock')).toMatchObject({
      by: 'responder',
      note: "Prism can't serve `default`.",
    })
    expect(cell('response | getCover | 200 | image/png | cover', 'mock')?.note).toBe(
      "Prism can't serve bytes.",
    )
  })

  it('can read random responses from Prism and from our own generator', () => {
    expect(cell('response | listBooks | 200 | application/json | two', 'dynamic')?.note).toMatch(
      /^[1-4] valid responses from Prism\. 6 valid responses from the responder\.$/,
    )
  })

  it('is compared with Ajv on changed copies of every example and schema', () => {
    expect(cell('response | getBook | 200 | application/json | lent', 'validators')?.note).toMatch(
      /\d\d changed copies/,
    )
    expect(cell('schema | Book | - | - | -', 'validators')?.note).toMatch(/\d{3,} values compared/)
  })

  it("doesn't pass without the walk, since the emulator's column is missing", () => {
    const whole = suite.report()
    expect(whole.passed).toBe(false)
    expect(whole.totals.emulator).toMatchObject({ covered: 0, missing: whole.totals.emulator.applicable })
  })
})

it('the same seed produces the same run, a different seed a different one', async () => {
  const seen = async (seed: string): Promise<string[]> => {
    const values: string[] = []
    const right = booksSubject()
    const suite = await createContractSuite({
      spec,
      seed,
      subject: {
        ...right,
        async call(...args) {
          const outcome = await right.call(...args)
          values.push(JSON.stringify(outcome.kind === 'data' ? outcome.data : outcome.body))
          return outcome
        },
      },
    })
    for (const check of suite.checks) if (check.column === 'dynamic') await check.run()
    await suite.close()
    return values
  }
  const once = await seen('a')
  expect(once.length).toBeGreaterThan(50)
  expect(await seen('a')).toEqual(once)
  expect(await seen('b')).not.toEqual(once)
})

it('a check runs only once, even if it is called again', async () => {
  let calls = 0
  const right = booksSubject()
  const suite = await createContractSuite({
    spec,
    subject: { ...right, call: (...args) => ((calls += 1), right.call(...args)) },
  })
  const [check] = suite.checks
  await Promise.all([check?.run(), check?.run()])
  await suite.close()
  expect(calls).toBe(1)
})

it("a subject that throws is a finding, and doesn't end the suite", async () => {
  const subject = { ...booksSubject(), call: () => Promise.reject(new Error('no client')) }
  const suite = await createContractSuite({ spec, subject })
  const findings = await suite.checks[0]?.run()
  await suite.close()
  expect(findings?.map((one) => one.message).join()).toMatch(
    /threw instead of returning an outcome: Error: no client/,
  )
})

it("random responses from Prism that Ajv rejects don't count against the client", async () => {
  // Prism doesn't support `contains`.
  const schema = { type: 'array', items: { type: 'string' }, contains: { const: 'keel' } }
  const content = { 'application/json': { schema, examples: { one: { value: ['keel'] } } } }
  const paths = {
    '/words': { get: { operationId: 'getWords', responses: { 200: { description: '', content } } } },
  }
  const suite = await createContractSuite({
    spec: specOf(paths),
    subject: {
      service: 'words',
      validators: {},
      async call(_id, _input, { baseUrl }) {
        const response = await fetch(`${baseUrl}/words`)
        const data = (await response.json()) as string[]
        const drift = data.includes('keel') ? [] : [{ path: '', reason: 'no keel' }]
        return { kind: 'data', status: response.status, data, drift }
      },
    },
  })
  await suite.runAll()
  const report = suite.report({ skip: ['emulator', 'validators'] })
  await suite.close()
  expect(report.problems).toEqual([])
  const cells = report.rows.find((row) => row.direction === 'response')?.cells
  expect(cells?.dynamic.note).toMatch(
    /^[0-3] valid responses from Prism\. 6 valid responses from the responder\.$/,
  )
})
