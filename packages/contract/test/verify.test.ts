import { createServer } from 'node:net'

import { describe, expect, it } from 'vitest'

import {
  ContractError,
  verify,
  verifyJunit,
  verifyPage,
  verifyText,
  type VerifyReport,
} from '../src/index.ts'
import { fileBytes } from '../src/http/responder.ts'
import { specOf } from './fixture/documents.ts'
import { listen } from './fixture/local.ts'
import { library as spec } from './fixture/record.ts'
import {
  respondWithBooks,
  libraryKey,
  standIn,
  type Asked,
  type StandInResponse,
} from './fixture/stand-in.ts'

const credentials = { apiKey: libraryKey }
const params = { book_id: 'b1' }
const writes = ['addBook', 'removeBook', 'putCover']

async function against(
  response: ((asked: Asked) => StandInResponse | undefined) | undefined,
  options: Partial<Parameters<typeof verify>[0]> = {},
): Promise<{ report: VerifyReport; asked: readonly Asked[] }> {
  await using service = await standIn(response)
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

describe('a service that conforms to its contract', () => {
  it('passes, without any request that could change something', async () => {
    const { report, asked } = await against(undefined)
    expect(reasons(report)).toEqual([])
    expect(report.passed).toBe(true)
    expect(report.counts).toEqual({ pass: 5, fail: 0, nothingShown: 0, notRun: 3 })
    expect(new Set(asked.map((one) => one.method))).toEqual(new Set(['GET']))
    expect(verdict(report, 'addBook')?.checks[0]?.reasons[0]).toMatch("add --allow 'addBook' to call it once")
  })

  it('may respond with another success only if the status is open', async () => {
    const { report } = await against((one) => ({ ...respondWithBooks(one), status: 202 }), {
      credentials: {},
      params: {},
    })
    expect(verdict(report, 'getStatus')?.checks[0]).toMatchObject({ status: 202, state: 'pass' })
    const { report: fixed } = await against((one) => ({ ...respondWithBooks(one), status: 202 }))
    expect(verdict(fixed, 'getBook')?.checks[0]).toMatchObject({
      state: 'fail',
      reasons: [expect.stringContaining('202 is not documented for getBook')],
    })
  })

  it('is also called without a credential, with a wrong credential, and with an unknown id', async () => {
    const { report } = await against(undefined)
    expect(
      verdict(report, 'getBook')?.checks.map(({ title, status, state }) => ({ title, status, state })),
    ).toEqual([
      { title: 'as documented', status: 200, state: 'pass' },
      { title: 'without a credential', status: 401, state: 'pass' },
      { title: 'with a wrong credential', status: 401, state: 'pass' },
      { title: 'with an unknown id', status: 404, state: 'pass' },
    ])
  })

  it('gets the documented examples of allowed operations, and files only if they are passed', async () => {
    const without = await against(undefined, { allow: writes })
    expect(verdict(without.report, 'addBook')?.state).toBe('pass')
    expect(without.asked.some((one) => one.method === 'DELETE')).toBe(true)
    expect(without.asked.filter((one) => one.method === 'POST')).toHaveLength(1)
    expect(verdict(without.report, 'addBook')?.checks[1]?.reasons).toEqual([
      'an operation that may change something is called only once',
    ])
    expect(verdict(without.report, 'putCover')?.checks[0]?.reasons).toEqual(['needs --file image=PATH'])

    const image = new File(['png'], 'cover.png', { type: 'image/png' })
    const { report, asked } = await against(undefined, { allow: writes, files: { image } })
    expect(verdict(report, 'putCover')?.state).toBe('pass')
    expect(asked.find((one) => one.method === 'PUT')?.body.toString()).toMatch(/filename="cover.png"[^]*png/)
  })

  it('gets no requests without their parameters and key, and the report says why', async () => {
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

  it('is called below the path of its base URL, and bodies are sent with their length', async () => {
    const asked: Asked[] = []
    await using service = await standIn((one) => {
      asked.push(one)
      return respondWithBooks({ ...one, url: one.url.replace('/tenant%20a', '') })
    })
    const baseUrl = `${service.url}/tenant%20a/`
    const report = await verify({ spec, baseUrl, credentials, params, allow: writes })
    expect(reasons(report)).toEqual([])
    expect(asked.every((one) => /^\/tenant%20a\/(v1|no-such-path-[\w-]+)/.test(one.url))).toBe(true)
    const added = asked.find((one) => one.method === 'POST')
    expect(added?.headers['content-length']).toBe(String(added?.body.length))
    expect(added?.headers['transfer-encoding']).toBeUndefined()
  })

  it("gets no call of a GET whose `x-retry` isn't safe", async () => {
    const operations = spec.operations.map((one) => (one.id === 'getBook' ? { ...one, retry: 'never' } : one))
    const { report } = await against(undefined, { spec: { ...spec, operations } })
    expect(verdict(report, 'getBook')?.state).toBe('not-run')
  })

  it("doesn't pass if nothing was run", async () => {
    const operations = spec.operations.filter((one) => one.id === 'addBook')
    const report = await verify({ spec: { ...spec, operations }, baseUrl: 'http://127.0.0.1:9' })
    expect(report).toMatchObject({ passed: false, counts: { pass: 0, fail: 0, nothingShown: 0, notRun: 1 } })
    expect(verifyText(report)).toMatch(/failed: none of the operations responded with a success$/)
  })

  it("gets no call of an operation whose server's URL is missing", async () => {
    const { report } = await against(undefined, { servers: {} })
    expect(verdict(report, 'getCover')?.checks[0]?.reasons[0]).toMatch(/--server '\{files_url\}=URL'/)
  })
})

describe('a service that violates its contract', () => {
  const broken: [what: string, path: string, response: StandInResponse, reason: RegExp][] = [
    [
      'a body of another shape',
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
      'malformed JSON',
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
  it.each(broken)('%s fails', async (_what, path, response, reason) => {
    const { report } = await against((asked) => (asked.url.split('?')[0] === path ? response : undefined))
    expect(report.passed).toBe(false)
    expect(reasons(report).join('\n')).toMatch(reason)
  })

  it('a missing required header fails', async () => {
    const { report } = await against(
      ({ method, headers }) =>
        method === 'POST' && headers['x-library-key'] === libraryKey
          ? { status: 201, json: { id: 'b1', title: 'One', state: 'free' } }
          : undefined,
      { allow: writes },
    )
    expect(reasons(report)).toEqual(['response.headers.Location: is required and was not sent'])
  })

  it('a success without a credential fails if one is required', async () => {
    const { report } = await against((asked) =>
      respondWithBooks({ ...asked, headers: { 'x-library-key': libraryKey } }),
    )
    expect(verdict(report, 'getBook')?.checks[1]).toMatchObject({
      state: 'fail',
      reasons: ['expected 401, got 404'],
    })
  })

  it('an open enum may have other values', async () => {
    const { report } = await against((asked) =>
      asked.url === '/v1/status' ? { json: { state: 'half open' } } : undefined,
    )
    expect(report.passed).toBe(true)
  })

  it("a rate limit isn't a failure, but doesn't prove anything either", async () => {
    const { report } = await against(({ url }) =>
      url.startsWith('/v1/books/?') ? { status: 429, json: { detail: 'Slow down.' } } : undefined,
    )
    expect(verdict(report, 'listBooks')?.checks[0]).toMatchObject({
      state: 'nothing-shown',
      status: 429,
    })
  })

  it("a service that doesn't respond in time fails", async () => {
    const baseUrl = await listen(createServer(() => undefined))
    await expect(against(undefined, { baseUrl, servers: {}, timeoutMs: 40 })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/did not send a complete response within 40 ms/),
    })
  })
})

it('the request rate is limited', async () => {
  const waits: number[] = []
  const sleep = async (delayMs: number): Promise<void> => void waits.push(delayMs)
  const { asked } = await against(undefined, { requestsPerMinute: 10, sleep })
  expect(waits).toEqual(Array<number>(asked.length - 1).fill(6_000))
})

it.each([
  ['an unknown parameter', { params: { book: 'b1' } }, /no parameter `book`.*book_id/],
  ['an unknown scheme', { credentials: { key: 'k' } }, /no security scheme `key`.*apiKey, bearer/],
  ['an unknown server', { servers: { other: 'http://x.example' } }, /no server `other`/],
  ['a URL with a password', { baseUrl: 'http://user:word@x.example' }, /without a user name, password/],
  ['a URL with only a password', { baseUrl: 'http://:word@x.example' }, /without a user name, password/],
  [
    'a URL with a query',
    { baseUrl: 'http://x.example?key=k' },
    /without a user name, password, query or fragment/,
  ],
  ['an operation that is not there', { allow: ['addBooks'] }, /no operation `addBooks`.*addBook/],
  ['a minimum coverage above 100', { minCoverage: 101 }, /Pass a percentage from 0 to 100/],
  ['no URL', { baseUrl: 'x.example' }, /begins with http:\/\/ or https:/],
  [
    'a URL without a scheme',
    { baseUrl: 'localhost:80' },
    /localhost:80 doesn't begin with a supported scheme.*begins with http/,
  ],
] as const)('%s is an error that names the remedy', async (_what, options, message) => {
  const failing = verify({ spec, baseUrl: 'http://127.0.0.1:9', ...options })
  await expect(failing).rejects.toThrow(ContractError)
  await expect(failing).rejects.toThrow(message)
})

it('every report shows each operation, and never a secret', async () => {
  const { report } = await against((asked) =>
    asked.url.startsWith('/v1/books/?') ? { json: { items: 5, next: libraryKey } } : undefined,
  )
  for (const text of [verifyText(report), verifyJunit(report), verifyPage(report), JSON.stringify(report)]) {
    for (const { operation } of report.operations) expect(text).toContain(operation)
    expect(text).not.toContain(libraryKey)
    expect(text).toContain('must be array')
  }
  expect(verifyText(report)).toMatch(/FAIL +listBooks/)
})

it('says how many operations responded with a success', async () => {
  const { report } = await against(undefined)
  expect(report.coverage).toEqual({ operations: 5, percent: 62.5 })
  expect(verifyText(report)).toContain(
    '5 of 8 operations responded with a success; to check more, pass --api-key-env, --param or --allow',
  )
  // Keys don't help operations that fail.
  const failed = report.operations.map((one) => ({
    ...one,
    state: one.state === 'pass' ? one.state : ('fail' as const),
  }))
  expect(verifyText({ ...report, operations: failed })).not.toContain('to check more')
})

describe('a check that proves nothing does not pass', () => {
  it('an expected error shows nothing if the operation never succeeded, and the report says why', async () => {
    const { report } = await against(undefined, { params: {} })
    expect(verdict(report, 'getBook')?.checks.at(-1)).toMatchObject({
      title: 'with an unknown id',
      state: 'nothing-shown',
      status: 404,
      reasons: [expect.stringContaining('this operation never succeeded')],
    })
  })

  it('a rejected credential is reported for a request with an unknown id', async () => {
    const { report } = await against(undefined, { credentials: { apiKey: 'another' } })
    expect(verdict(report, 'getBook')?.checks.at(-1)).toMatchObject({
      state: 'fail',
      reasons: ['expected 404, got 401: the credential was rejected'],
    })
  })

  it('a 404 for an operation without parameters points to the base URL', async () => {
    const { report } = await against(({ url }) =>
      url === '/v1/status' ? { status: 404, json: { detail: 'No.' } } : undefined,
    )
    expect(reasons(report).join()).toContain(
      "/v1/status has no path parameters, so either the service doesn't have this path, or the path of the base URL is wrong",
    )
  })
})

describe('how much has to be checked', () => {
  it('the verification fails below the minimum coverage, with both percentages', async () => {
    const { report } = await against(undefined, { minCoverage: 63 })
    expect(report).toMatchObject({ passed: false, counts: { fail: 0 } })
    expect(verifyText(report)).toMatch(
      /failed: 62 % of the operations responded with a success, but 63 % are required$/,
    )
    expect((await against(undefined, { minCoverage: 62 })).report.passed).toBe(true)
  })

  it('the option `strict` fails if any check was not run', async () => {
    const { report } = await against(undefined, { strict: true })
    expect(report.passed).toBe(false)
    expect(report.shortcomings[0]).toMatch(/checks showed nothing or were not run, which --strict/)
  })
})

it('sends required headers with only one possible value', async () => {
  const template = spec.operations.flatMap(({ parameters }) => parameters)[0]!
  const version = { ...template, name: 'X-Version', in: 'header' as const, constant: '2024-11-06' }
  const operations = spec.operations.map((one) => ({
    ...one,
    parameters: [...one.parameters, version],
    // Also in the requests without a credential, which every operation then has.
    responses: [...one.responses, { ...one.responses[0]!, status: '401' }],
  }))
  const { asked } = await against(undefined, { spec: { ...spec, operations } })
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.every(({ headers }) => headers['x-version'] === '2024-11-06')).toBe(true)
})

it('sends bytes as they are, and other values as JSON, where a contract leaves the media type open', async () => {
  const put = (operationId: string, schema: object, value: unknown) => ({
    put: {
      operationId,
      requestBody: { required: true, content: { '*/*': { schema, examples: { one: { value } } } } },
      responses: { 204: { description: 'Done.' } },
    },
  })
  const paths = {
    '/photo': put('putPhoto', { type: 'string', contentMediaType: 'image/png' }, '(the bytes of photo.png)'),
    '/ports': put('putPorts', { type: 'array', items: { type: 'string' } }, ['Kiel', 'Oslo']),
  }
  const { asked } = await against(() => ({ status: 204, body: '' }), {
    spec: specOf(paths),
    servers: {},
    credentials: {},
    params: {},
    allow: ['putPhoto', 'putPorts'],
  })
  const sentTo = (path: string) => asked.find(({ url }) => url === path)
  expect(sentTo('/photo')?.body).toEqual(Buffer.from(fileBytes('(the bytes of photo.png)')))
  expect(sentTo('/ports')?.headers['content-type']).toBe('application/json')
  expect(sentTo('/ports')?.body.toString()).toBe('["Kiel","Oslo"]')
})
