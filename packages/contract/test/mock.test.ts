/** The mock: every documented response from the contract alone, with labels that say where its values come from. */
import { loadSpec, readSpec, schemaOracle, serviceNames, type Spec } from '@concord/spec-model'
import { describe, expect, it } from 'vitest'

import { mockResponse, type MockResponse } from '../src/http/contract-mock.ts'
import type { HeaderLine } from '../src/http/exchange.ts'
import { buildRequest } from '../src/oracle/build-request.ts'
import { judgeResponse } from '../src/oracle/response-judge.ts'
import { requestCases } from '../src/suite/inputs.ts'
import { libraryFile } from './fixture/client.ts'

const library = await loadSpec(libraryFile.href)

function ask(
  target: string,
  {
    method = 'GET',
    body = '',
    headers = {},
  }: { method?: string; body?: string; headers?: Record<string, string> } = {},
  spec: Spec = library,
): MockResponse {
  const lines = Object.entries({ 'x-library-key': 'any', ...headers }) as HeaderLine[]
  return mockResponse(spec, schemaOracle(spec), { method, target, headers: lines, body: Buffer.from(body) })
}
const label = ({ answer }: MockResponse): string | undefined =>
  answer.headers.find(([name]) => name === 'x-concord-mock')?.[1]
const json = ({ answer }: MockResponse): unknown => JSON.parse(Buffer.from(answer.body).toString())

/** A contract with one operation, `GET /a`, whose success has these media types. */
const contractOf = (content: object, components: object = {}): Spec =>
  readSpec(
    {
      openapi: '3.1.0',
      info: { title: 'T' },
      paths: { '/a': { get: { responses: { 200: { content } } } } },
      components,
    },
    { file: 'one.yaml' },
  )
const shown = (one: MockResponse): unknown[] => [one.answer.status, label(one), json(one)]

describe('the mock can send every documented response of', () => {
  it.each(serviceNames('openapi.yaml'))('%s, each as documented', async (service) => {
    const spec = await loadSpec(service)
    const oracle = schemaOracle(spec)
    const broken: string[] = []
    let count = 0
    for (const operation of spec.operations) {
      const plain = requestCases(operation, oracle)[0]!
      const constants = operation.parameters.filter(
        (one) => one.in === 'header' && one.constant !== undefined,
      )
      const headers = {
        ...plain.input.headers,
        ...Object.fromEntries(constants.map((one) => [one.name, one.constant])),
      }
      const way = operation.security.find((one) => one.length > 0)
      const credentials = Object.fromEntries((way ?? []).map((name) => [name, 'any']))
      const input = { ...plain.input, headers }
      const built = await buildRequest(spec, operation, { ...plain, input, way, credentials })
      const plainHeaders = built.headers.filter(([name]) => name !== 'accept')
      for (const { status } of operation.responses) {
        const prefer = [...plainHeaders, ['prefer', `code=${status}`]] as HeaderLine[]
        const { answer, findings } = mockResponse(spec, oracle, { ...built, headers: prefer })
        const judged = judgeResponse(operation, oracle, answer).findings
        count += 1
        for (const { at, message } of [...findings, ...judged])
          broken.push(`${operation.id} ${status} ${at}: ${message}`)
      }
    }
    expect(broken).toEqual([])
    expect(count).toBeGreaterThan(spec.operations.length)
  })
})

describe('a request that conforms to the contract gets', () => {
  it('the first example of the first success, labeled', () => {
    expect(shown(ask('/v1/books/b1'))).toEqual([
      200,
      'example free',
      { id: 'b1', title: 'One', state: 'free' },
    ])
  })

  it('the example or status that Prefer names', () => {
    const prefer = (value: string): MockResponse => ask('/v1/books/b1', { headers: { prefer: value } })
    expect(shown(prefer('example=lent'))[1]).toBe('example lent')
    expect(shown(prefer('code=404'))).toEqual([404, 'example unknown', { detail: 'There is no such book.' }])
    expect(shown(prefer('code=404, example=unknown'))[0]).toBe(404)
    expect(shown(prefer('code=418'))).toEqual([
      400,
      'not from the contract',
      { message: 'getBook has no response 418; documented: 200, 401, 404' },
    ])
    expect(shown(prefer('example=other'))[2]).toEqual({
      message: 'the contract has no example other for this response; it has: free, lent',
    })
    const status = ask('/v1/status', { headers: { prefer: 'code=503' } })
    expect(shown(status)).toEqual([503, 'example other', { detail: 'Refused.' }])
  })

  it('values generated from the schema, the same for the same seed', () => {
    const made = (seed: string): MockResponse =>
      ask('/v1/books/b1', { headers: { prefer: `dynamic=true, seed=${seed}` } })
    expect(label(made('a'))).toBe('generated from the schema')
    expect(json(made('a'))).toEqual(json(made('a')))
    expect(json(made('a'))).not.toEqual(json(made('b')))
  })

  it('the media type that it accepts', () => {
    const two = contractOf({ 'application/json': { example: { a: 1 } }, 'text/csv': { example: 'a;1' } })
    const body = (accept: string): string =>
      Buffer.from(ask('/a', { headers: { accept } }, two).answer.body).toString()
    expect(body('text/csv')).toBe('a;1')
    expect(body('text/*;q=0.5, image/png')).toBe('a;1')
    expect(body('*/*')).toBe('{"a":1}')
    expect(ask('/a', { headers: { accept: 'image/png' } }, two).answer.status).toBe(406)
  })

  it.each([
    'application/json; charset=utf-8, application/json',
    'application/json',
    'Application/JSON;charset=UTF-8',
    'application/*',
  ])('a documented media type with parameters, for Accept: %s', (accept) => {
    const spec = contractOf({ 'application/json; charset=utf-8': { example: { a: 1 } } })
    const { answer, findings } = ask('/a', { headers: { accept } }, spec)
    expect([answer.status, findings]).toEqual([200, []])
  })

  it('a value from a schema with `allOf` in which one part requires what another describes', () => {
    const spec = contractOf(
      { 'application/json': { schema: { $ref: '#/components/schemas/File' } } },
      {
        schemas: {
          Base: { type: 'object', properties: { id: { type: 'string' } } },
          Owner: { allOf: [{ $ref: '#/components/schemas/Base' }], required: ['id'], type: 'object' },
          File: {
            allOf: [
              { $ref: '#/components/schemas/Base' },
              { properties: { owner: { allOf: [{ $ref: '#/components/schemas/Owner' }, { title: 'O' }] } } },
            ],
            required: ['id', 'owner'],
            type: 'object',
          },
        },
      },
    )
    const answered = ask('/a', {}, spec)
    expect(answered.answer.status).toBe(200)
    expect(json(answered)).toEqual({ id: expect.any(String), owner: { id: expect.any(String) } })
  })

  it('501 and a finding if the contract has no example and none can be generated', () => {
    const schema = { type: 'object', required: ['a'], properties: { a: { type: 'string', not: {} } } }
    const { answer, findings } = ask('/a', {}, contractOf({ 'application/json': { schema } }))
    expect(answer.status).toBe(501)
    expect(findings).toEqual([
      { code: 'no-example', at: 'response.body', message: expect.stringContaining('(/a must not be') },
    ])
  })
})

describe('a request that violates the contract gets', () => {
  it('the documented error, with the reason in the label', () => {
    const missing = ask('/v1/books/', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(shown(missing)).toEqual([
      422,
      "example no_title; request.body: must have required property 'title'",
      { detail: 'A title is needed.' },
    ])
  })

  it('a response of the mock if no error is documented', () => {
    expect(shown(ask('/v1/books/b1/cover', { method: 'PUT' }))).toEqual([
      400,
      'not from the contract',
      { message: 'request.body: a body is required, but none was sent' },
    ])
    expect(ask('/v1/books/?sort=title', { headers: { 'x-library-key': '' } }).answer.status).toBe(200)
    const anonymous = mockResponse(library, schemaOracle(library), {
      method: 'GET',
      target: '/v1/books/b1',
      headers: [],
      body: Buffer.alloc(0),
    })
    expect(shown(anonymous).slice(0, 2)).toEqual([
      401,
      'example no_key; request.headers: expected apiKey; got no credential',
    ])
  })

  it('the ordinary response if services ignore the difference', () => {
    expect(ask('/v1/status?trace=1').answer.status).toBe(200)
    expect(ask('/v1/status?trace=1').findings.map(({ code }) => code)).toEqual(['query', 'security'])
  })

  it("404 for a path and 405 for a method that isn't in the contract", () => {
    expect(shown(ask('/v1/nothing'))).toEqual([
      404,
      'not from the contract',
      { message: 'the contract has no path /v1/nothing' },
    ])
    const method = ask('/v1/books/b1', { method: 'PATCH' })
    expect(method.answer.status).toBe(405)
    expect(method.answer.headers).toContainEqual(['allow', 'GET, DELETE'])
  })
})
