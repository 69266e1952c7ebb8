import { describe, expect, it } from 'vitest'

import { createContractSuite, startContractMock, type CoverageReport, type Walk } from '../src/index.ts'
import { booksSubject } from './fixture/client.ts'
import { library as spec } from './fixture/record.ts'
import { libraryKey, standIn, type Asked, type StandInResponse } from './fixture/stand-in.ts'

type Step = Walk['steps'][number]

const getBook: Step = {
  operation: 'getBook',
  status: '200',
  title: 'a book',
  run: async (at) => void (await at.call({ path: { book_id: 'b1' } })),
}

async function walk(
  steps: readonly Step[],
  response?: (asked: Asked) => StandInResponse | undefined,
  more: Partial<Walk> = {},
) {
  await using service = await standIn(response)
  const prism = await startContractMock(spec)
  const suite = await createContractSuite({ spec, subject: booksSubject(), prism })
  try {
    const results = await suite.walk({
      upstream: service.url,
      credentials: { apiKey: libraryKey, bearer: 'unused' },
      steps,
      ...more,
    })
    return { results, report: suite.report({ skip: ['mock', 'dynamic', 'request', 'validators'] }) }
  } finally {
    await suite.close()
    await prism.close()
  }
}
const cell = (report: CoverageReport, operation: string, status: string) =>
  report.rows.find(
    (row) => row.operation === operation && row.status === status && row.direction === 'response',
  )?.cells.emulator

describe('the walk', () => {
  it('covers the responses that its steps reach, and lists the others as missing', async () => {
    const { report, results } = await walk([getBook])
    expect(results).toEqual([
      {
        name: 'getBook 200: a book',
        findings: [],
        exchanges: [{ operation: 'getBook', status: 200, throughPrism: true }],
      },
    ])
    expect(cell(report, 'getBook', '200')).toMatchObject({ state: 'covered', by: 'emulator' })
    expect(cell(report, 'getBook', '404')?.state).toBe('missing')
    expect(report.problems).toContain(
      'not covered: response | getBook | 404 | application/json | unknown | emulator',
    )
    expect(report.passed).toBe(false)
  })

  it('finds a response that violates the contract, with both Ajv and Prism', async () => {
    const { results, report } = await walk([getBook], () => ({ json: { id: 'b1', title: 5, state: 'free' } }))
    expect(results[0]?.findings.map((finding) => `${finding.code} ${finding.at}`)).toEqual([
      'response-body response.body/title',
      'prism exchange',
    ])
    expect(cell(report, 'getBook', '200')?.state).toBe('failed')
    expect(report.passed).toBe(false)
  })

  it('finds what Prism misses: an undocumented error', async () => {
    const { results } = await walk([getBook], () => ({ status: 418, json: { detail: 'Tea.' } }))
    expect(results[0]?.findings.map((finding) => finding.code)).toContain('status')
  })

  it("finds a step that doesn't reach its response", async () => {
    const { results } = await walk([{ ...getBook, status: '404' }])
    expect(results[0]?.findings).toEqual([{ code: 'step', at: 'step', message: 'expected 404, got 200' }])
  })

  it('finds a step that throws, and one for an operation that does not exist', async () => {
    const { results } = await walk([
      { ...getBook, run: () => Promise.reject(new Error('no book')) },
      { operation: 'nothing', status: '200', title: 'nothing', run: async () => undefined },
    ])
    expect(results[0]?.findings[0]?.message).toBe('threw Error: no book')
    expect(results[1]?.findings[0]?.message).toBe('expected 200, got no response')
  })

  it('requires a step that declares a violation to violate the contract in this way only', async () => {
    const run: Step['run'] = async ({ target }) => {
      await fetch(`${target.baseUrl}/v1/books/b1`)
    }
    const [unsaid, said] = (
      await walk([
        { ...getBook, status: '401', run },
        { ...getBook, status: '401', breaks: ['security'], run },
      ])
    ).results
    expect(unsaid?.findings.map((finding) => finding.code)).toEqual(['security', 'prism'])
    expect(said?.findings).toEqual([])

    const kept = (await walk([{ ...getBook, breaks: ['security'] }])).results[0]
    expect(kept?.findings[0]?.message).toMatch(/was meant to violate the contract/)
  })

  it('forwards bytes unchanged, without Prism', async () => {
    const step: Step = {
      operation: 'putCover',
      status: '200',
      title: 'a cover',
      run: async (at) => {
        const image = new File([new Uint8Array([255, 254, 0, 13, 10])], 'c.png', { type: 'image/png' })
        await at.call({ path: { book_id: 'b1' }, body: { image } })
      },
    }
    let body: Buffer = Buffer.alloc(0)
    const { results } = await walk([step], (asked) => {
      body = asked.body
      return undefined
    })
    expect(results[0]).toMatchObject({ findings: [], exchanges: [{ throughPrism: false }] })
    expect(body.includes(Buffer.from([255, 254, 0, 13, 10]))).toBe(true)
  })

  it("lists unreachable responses with their reasons, and doesn't count them as covered", async () => {
    const unreachable = [{ operation: 'getBook', status: '404', reason: 'every book is there' }]
    const { report } = await walk([getBook], undefined, { unreachable })
    expect(cell(report, 'getBook', '404')).toMatchObject({
      state: 'unreachable',
      note: 'every book is there',
    })
    expect(report.totals.emulator.covered).toBe(2)
    expect(report.totals.emulator.unreachable).toBe(1)
  })

  it('finds a response that is listed as unreachable, but was reached', async () => {
    const unreachable = [{ operation: 'getBook', status: '200', reason: 'there are no books' }]
    const { report } = await walk([getBook], undefined, { unreachable })
    expect(report.problems.join('\n')).toMatch(/is listed as unreachable, but was reached/)
  })

  it('checks delivered webhooks', async () => {
    const delivering = (body: object, type = 'application/json'): Step => ({
      ...getBook,
      run: async (at) => {
        await getBook.run(at)
        const bytes = Buffer.from(JSON.stringify(body))
        at.delivered('bookReturned', { method: 'POST', headers: [['content-type', type]], body: bytes })
      },
    })
    const right = await walk([delivering({ event: 'book.returned', book_id: 'b1' })])
    expect(right.results[0]?.findings).toEqual([])
    const webhook = right.report.rows.find((row) => row.direction === 'webhook')
    expect(webhook?.cells.emulator.state).toBe('covered')

    const wrong = await walk([
      delivering({ event: 'book.back', book_id: 'b1' }),
      delivering({}, 'text/plain'),
    ])
    expect(wrong.results.map((one) => one.findings.map((finding) => finding.code))).toEqual([
      ['body'],
      ['content-type'],
    ])
  })
})
