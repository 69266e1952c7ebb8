import { describe, expect, it } from 'vitest'

import {
  ContractError,
  loadSpec,
  verify,
  verifyJunit,
  verifyPage,
  verifyText,
  type VerifyReport,
} from '../src/index.ts'
import { libraryFile } from './fixture/client.ts'
import { answerOfBooks, libraryKey, standIn, type Asked, type StandInAnswer } from './fixture/stand-in.ts'

const spec = await loadSpec(libraryFile.href)
const credentials = { apiKey: libraryKey }
const params = { book_id: 'b1' }
const writes = ['addBook', 'removeBook', 'putCover']

async function against(
  answer: ((asked: Asked) => StandInAnswer | undefined) | undefined,
  options: Partial<Parameters<typeof verify>[0]> = {},
): Promise<{ report: VerifyReport; asked: readonly Asked[] }> {
  await using service = await standIn(answer)
  const servers = { '{files_url}': service.url }
  const report = await verify({ spec, baseUrl: service.url, servers, credentials, params, ...options })
  return { report, asked: service.asked }
}
const verdict = (report: VerifyReport, operation: string) =>
  report.operations.find((one) => one.operation === operation)
const reasons = (report: VerifyReport): string[] =>
  report.operations.flatMap((one) =>
    one.checks.filter((check) => check.state === 'fail').flatMap((check) => check.reasons),
  )

describe('a service that keeps to its contract', () => {
  it('passes, and nothing is sent that could change something', async () => {
    const { report, asked } = await against(undefined)
    expect(reasons(report)).toEqual([])
    expect(report.passed).toBe(true)
    expect(report.counts).toEqual({ pass: 5, fail: 0, nothingShown: 0, notRun: 3 })
    expect(new Set(asked.map((one) => one.method))).toEqual(new Set(['GET']))
    expect(verdict(report, 'addBook')?.checks[0]?.reasons[0]).toMatch("add --allow 'addBook' to call it once")
  })

  it('may answer with another success where the status is open, and only there', async () => {
    const { report } = await against((one) => ({ ...answerOfBooks(one), status: 202 }), {
      credentials: {},
      params: {},
    })
    expect(verdict(report, 'getStatus')?.checks[0]).toMatchObject({ status: 202, state: 'pass' })
    const { report: fixed } = await against((one) => ({ ...answerOfBooks(one), status: 202 }))
    expect(verdict(fixed, 'getBook')?.checks[0]).toMatchObject({
      state: 'fail',
      reasons: [expect.stringContaining('202 is not documented for getBook')],
    })
  })

  it('is asked without a key, with a wrong key and for something unknown', async () => {
    const { report } = await against(undefined)
    expect(
      verdict(report, 'getBook')?.checks.map(({ title, status, state }) => ({ title, status, state })),
    ).toEqual([
      { title: 'as documented', status: 200, state: 'pass' },
      { title: 'without a key', status: 401, state: 'pass' },
      { title: 'with a wrong key', status: 401, state: 'pass' },
      { title: 'with an unknown id', status: 404, state: 'pass' },
    ])
  })

  it('is sent the documented examples of operations that are allowed, and files only when they are given', async () => {
    const without = await against(undefined, { allow: writes })
    expect(verdict(without.report, 'addBook')?.state).toBe('pass')
    expect(without.asked.some((one) => one.method === 'DELETE')).toBe(true)
    expect(verdict(without.report, 'putCover')?.checks[0]?.reasons).toEqual(['needs --file image=PATH'])

    const image = new File(['png'], 'cover.png', { type: 'image/png' })
    const { report, asked } = await against(undefined, { allow: writes, files: { image } })
    expect(verdict(report, 'putCover')?.state).toBe('pass')
    expect(asked.find((one) => one.method === 'PUT')?.body.toString()).toMatch(/filename="cover.png"[^]*png/)
  })

  it('without parameters or a key the rest is not run, with the reason', async () => {
    const { report } = await against(undefined, { credentials: {}, params: {} })
    expect(verdict(report, 'getBook')?.checks[0]).toMatchObject({
      state: 'not-run',
      reasons: ['needs --param book_id=...'],
    })
    expect(verdict(report, 'listBooks')?.checks[0]?.reasons[0]).toMatch(
      /needs a credential \(apiKey\).*--api-key-env/,
    )
    expect(report.passed).toBe(true)
  })

  it('is asked under the path of its address, and bodies are sent with their length', async () => {
    const asked: Asked[] = []
    await using service = await standIn((one) => {
      asked.push(one)
      return answerOfBooks({ ...one, url: one.url.replace('/tenant%20a', '') })
    })
    const baseUrl = `${service.url}/tenant%20a/`
    const report = await verify({ spec, baseUrl, credentials, params, allow: writes })
    expect(reasons(report)).toEqual([])
    expect(asked.every((one) => /^\/tenant%20a\/(v1|no-such-path-[\w-]+)/.test(one.url))).toBe(true)
    const added = asked.find((one) => one.method === 'POST')
    expect(added?.headers['content-length']).toBe(String(added?.body.length))
    expect(added?.headers['transfer-encoding']).toBeUndefined()
  })

  it('an operation that reads, but may be called only once, is not called', async () => {
    const operations = spec.operations.map((one) => (one.id === 'getBook' ? { ...one, retry: 'never' } : one))
    const { report } = await against(undefined, { spec: { ...spec, operations } })
    expect(verdict(report, 'getBook')?.state).toBe('not-run')
  })

  it('nothing that was run is not a pass', async () => {
    const operations = spec.operations.filter((one) => one.id === 'addBook')
    const report = await verify({ spec: { ...spec, operations }, baseUrl: 'http://127.0.0.1:9' })
    expect(report).toMatchObject({ passed: false, counts: { pass: 0, fail: 0, nothingShown: 0, notRun: 1 } })
    expect(verifyText(report)).toMatch(/failed: none of the operations answered with a success$/)
  })

  it('a server of its own that was not named is not asked', async () => {
    const { report } = await against(undefined, { servers: {} })
    expect(verdict(report, 'getCover')?.checks[0]?.reasons[0]).toMatch(/--server '\{files_url\}=URL'/)
  })
})

describe('a service that breaks its contract', () => {
  const broken: [what: string, path: string, answer: StandInAnswer, reason: RegExp][] = [
    [
      'another shape',
      '/v1/books/',
      { json: { items: [{ id: 'b1' }], next: null } },
      /required property 'title'/,
    ],
    [
      'another media type',
      '/v1/status',
      { body: 'up', headers: { 'content-type': 'text/html' } },
      /expected application\/json, got text\/html/,
    ],
    [
      'broken JSON',
      '/v1/status',
      { body: '{', headers: { 'content-type': 'application/json' } },
      /is not JSON/,
    ],
    ['an undocumented success', '/v1/books/', { status: 202, json: {} }, /202 is not documented/],
    [
      'a redirect',
      '/v1/books/',
      { status: 302, headers: { location: '/elsewhere' } },
      /302 is not documented/,
    ],
    [
      'a value outside of an enum',
      '/v1/books/',
      { json: { items: [{ id: 'b', title: 'B', state: 'lost' }], next: null } },
      /items\/0\/state.*"free","lent"/,
    ],
  ]
  it.each(broken)('%s fails', async (_what, path, answer, reason) => {
    const { report } = await against((asked) => (asked.url.split('?')[0] === path ? answer : undefined))
    expect(report.passed).toBe(false)
    expect(reasons(report).join('\n')).toMatch(reason)
  })

  it('a required header that is missing fails', async () => {
    const { report } = await against(
      ({ method, headers }) =>
        method === 'POST' && headers['x-library-key'] === libraryKey
          ? { status: 201, json: { id: 'b1', title: 'One', state: 'free' } }
          : undefined,
      { allow: writes },
    )
    expect(reasons(report)).toEqual(['response.headers.Location: is required and was not sent'])
  })

  it('an answer without a key fails where a key is documented', async () => {
    const { report } = await against((asked) =>
      answerOfBooks({ ...asked, headers: { 'x-library-key': libraryKey } }),
    )
    expect(verdict(report, 'getBook')?.checks[1]).toMatchObject({
      state: 'fail',
      reasons: ['expected 401, got 404'],
    })
  })

  it('an enum that the contract leaves open may have more values', async () => {
    const { report } = await against((asked) =>
      asked.url === '/v1/status' ? { json: { state: 'half open' } } : undefined,
    )
    expect(report.passed).toBe(true)
  })

  it("a rate limit isn't a failure, but proves nothing either", async () => {
    const { report } = await against(({ url }) =>
      url.startsWith('/v1/books/?') ? { status: 429, json: { detail: 'Slow down.' } } : undefined,
    )
    expect(verdict(report, 'listBooks')?.checks[0]).toMatchObject({
      state: 'nothing-shown',
      status: 429,
    })
  })

  it('a service that does not answer in time fails', async () => {
    const { report } = await against(undefined, {
      baseUrl: await silent(),
      servers: {},
      timeoutMs: 40,
    }).catch((error: unknown) => ({ report: error as never }))
    expect(report).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/did not send a complete response within 40 ms/),
    })
  })
})

it('the pace is kept', async () => {
  const waits: number[] = []
  const sleep = async (delayMs: number): Promise<void> => void waits.push(delayMs)
  const { asked } = await against(undefined, { requestsPerMinute: 10, sleep })
  expect(waits).toEqual(Array<number>(asked.length - 1).fill(6_000))
})

it.each([
  ['an unknown parameter', { params: { book: 'b1' } }, /no parameter book.*book_id/],
  ['an unknown scheme', { credentials: { key: 'k' } }, /no security scheme key.*apiKey, bearer/],
  ['an unknown server', { servers: { other: 'http://x.example' } }, /no server other/],
  ['an address with a password', { baseUrl: 'http://user:word@x.example' }, /without user name, password/],
  ['an address with a query', { baseUrl: 'http://x.example?key=k' }, /without user name, password and query/],
  ['an operation that is not there', { allow: ['addBooks'] }, /no operation addBooks.*addBook/],
  ['no address', { baseUrl: 'x.example' }, /begins with http:\/\/ or https:/],
  [
    'an address without a scheme',
    { baseUrl: 'localhost:80' },
    /localhost:80 cannot be used.*begins with http/,
  ],
] as const)('%s is an error that names the remedy', async (_what, options, message) => {
  const failing = verify({ spec, baseUrl: 'http://127.0.0.1:9', ...options })
  await expect(failing).rejects.toThrow(ContractError)
  await expect(failing).rejects.toThrow(message)
})

describe('the reports', () => {
  it('show every operation, and never a secret', async () => {
    const { report } = await against((asked) =>
      asked.url.startsWith('/v1/books/?') ? { json: { items: 5, next: libraryKey } } : undefined,
    )
    for (const text of [
      verifyText(report),
      verifyJunit(report),
      verifyPage(report),
      JSON.stringify(report),
    ]) {
      for (const { operation } of report.operations) expect(text).toContain(operation)
      expect(text).not.toContain(libraryKey)
      expect(text).toContain('must be array')
    }
    expect(verifyText(report)).toMatch(/FAIL +listBooks/)
  })
})

async function silent(): Promise<string> {
  const { createServer } = await import('node:net')
  const server = createServer(() => undefined).unref()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

it('says how many operations answered with a success', async () => {
  const { report } = await against(undefined)
  expect(report.coverage).toEqual({ operations: 5, percent: 62.5 })
  expect(verifyText(report)).toContain('5 of 8 operations answered with a success; pass keys and --param')
})

describe('a check that proves nothing does not pass', () => {
  it('an expected error without a success of the operation shows nothing, with the reason', async () => {
    const { report } = await against(undefined, { params: {} })
    expect(verdict(report, 'getBook')?.checks.at(-1)).toMatchObject({
      title: 'with an unknown id',
      state: 'nothing-shown',
      status: 404,
      reasons: [expect.stringContaining('no success of this operation was seen')],
    })
  })

  it('a rejected credential is named where an unknown id was asked for', async () => {
    const { report } = await against(undefined, { credentials: { apiKey: 'another' } })
    expect(verdict(report, 'getBook')?.checks.at(-1)).toMatchObject({
      state: 'fail',
      reasons: ['expected 404, got 401: the credential was rejected'],
    })
  })

  it('a 404 for an operation without parameters points to the base address', async () => {
    const { report } = await against(({ url }) =>
      url === '/v1/status' ? { status: 404, json: { detail: 'No.' } } : undefined,
    )
    expect(reasons(report).join()).toContain(
      '/v1/status has no parameters, so the path of the base address is probably wrong',
    )
  })
})

describe('how much has to be checked', () => {
  it('a minimum coverage that is not reached fails, with both percentages', async () => {
    const { report } = await against(undefined, { minCoverage: 63 })
    expect(report).toMatchObject({ passed: false, counts: { fail: 0 } })
    expect(verifyText(report)).toMatch(
      /failed: 62 % of the operations answered with a success, 63 % are required$/,
    )
    expect((await against(undefined, { minCoverage: 62 })).report.passed).toBe(true)
  })

  it('strict fails when anything was not run', async () => {
    const { report } = await against(undefined, { strict: true })
    expect(report.passed).toBe(false)
    expect(report.shortcomings[0]).toMatch(/checks were not run or show nothing, and --strict allows none/)
  })

  it('a minimum coverage above 100 is rejected', async () => {
    await expect(against(undefined, { minCoverage: 101 })).rejects.toMatchObject({ code: 'invalid-options' })
  })
})

it('sends required headers that have one possible value', async () => {
  const template = spec.operations.flatMap(({ parameters }) => parameters)[0]!
  const version = { ...template, name: 'X-Version', in: 'header' as const, constant: '2024-11-06' }
  const operations = spec.operations.map((one) => ({ ...one, parameters: [...one.parameters, version] }))
  const { asked } = await against(undefined, { spec: { ...spec, operations } })
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.every(({ headers }) => headers['x-version'] === '2024-11-06')).toBe(true)
})
