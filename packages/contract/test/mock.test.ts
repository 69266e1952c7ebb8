/** The mock: every documented response from the contract alone, with labels that say where its values come from. */
import { loadSpec, schemaOracle, serviceNames, type Spec } from '@concord/spec-model'
import { describe, expect, it } from 'vitest'

import { mockResponse, type MockResponse } from '../src/http/contract-mock.ts'
import type { HeaderLine } from '../src/http/exchange.ts'
import { buildRequest } from '../src/oracle/build-request.ts'
import { judgeResponse } from '../src/oracle/response-judge.ts'
import { requestCases } from '../src/suite/inputs.ts'
import { specOf } from './fixture/documents.ts'
import { library } from './fixture/record.ts'

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
const label = ({ response }: MockResponse): string | undefined =>
  response.headers.find(([name]) => name === 'x-concord-mock')?.[1]
const json = ({ response }: MockResponse): unknown => JSON.parse(Buffer.from(response.body).toString())

/** A contract with one operation, `GET /a`, whose success has these media types. */
const contractOf = (content: object, components: object = {}): Spec =>
  specOf({ '/a': { get: { responses: { 200: { content } } } } }, { components })
const shown = (one: MockResponse): unknown[] => [one.response.status, label(one), json(one)]

describe('documented responses', () => {
  it.each(serviceNames('openapi.yaml'))(
    'the mock of %s sends every documented response as documented',
    async (service) => {
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
        const schemes = operation.security.find((one) => one.length > 0)
        const credentials = Object.fromEntries((schemes ?? []).map((name) => [name, 'any']))
        const input = { ...plain.input, headers }
        const built = await buildRequest(spec, operation, { ...plain, input, schemes, credentials })
        const plainHeaders = built.headers.filter(([name]) => name !== 'accept')
        for (const { status } of operation.responses) {
          const prefer = [...plainHeaders, ['prefer', `code=${status}`]] as HeaderLine[]
          const { response, findings } = mockResponse(spec, oracle, { ...built, headers: prefer })
          const judged = judgeResponse(operation, oracle, response).findings
          count += 1
          for (const { at, message } of [...findings, ...judged])
            broken.push(`${operation.id} ${status} ${at}: ${message}`)
        }
      }
      expect(broken).toEqual([])
      expect(count).toBeGreaterThan(spec.operations.length)
    },
  )
})

describe('a request that conforms to the contract', () => {
  it('gets the first example of the first success, with a label', () => {
    expect(shown(ask('/v1/books/b1'))).toEqual([
      200,
      'example free',
      { id: 'b1', title: 'One', state: 'free' },
    ])
  })

  it('gets the example or status that its `Prefer` header names', () => {
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
      message: 'the contract has no example named "other" for this response; examples: "free", "lent"',
    })
    const status = ask('/v1/status', { headers: { prefer: 'code=503' } })
    expect(shown(status)).toEqual([503, 'example other', { detail: 'Refused.' }])
  })

  it('can get values generated from the schema, the same for the same seed', () => {
    const made = (seed: string): MockResponse =>
      ask('/v1/books/b1', { headers: { prefer: `dynamic=true, seed=${seed}` } })
    expect(label(made('a'))).toBe('generated from the schema')
    expect(json(made('a'))).toEqual(json(made('a')))
    expect(json(made('a'))).not.toEqual(json(made('b')))
  })

  it('gets the media type that it accepts', () => {
    const two = contractOf({ 'application/json': { example: { a: 1 } }, 'text/csv': { example: 'a;1' } })
    const body = (accept: string): string =>
      Buffer.from(ask('/a', { headers: { accept } }, two).response.body).toString()
    expect(body('text/csv')).toBe('a;1')
    expect(body('text/*;q=0.5, image/png')).toBe('a;1')
    expect(body('*/*')).toBe('{"a":1}')
    expect(ask('/a', { headers: { accept: 'image/png' } }, two).response.status).toBe(406)
  })

  it.each([
    'application/json; charset=utf-8, application/json',
    'application/json',
    'Application/JSON;charset=UTF-8',
    'application/*',
  ])('gets a documented media type with parameters for `Accept: %s`', (accept) => {
    const spec = contractOf({ 'application/json; charset=utf-8': { example: { a: 1 } } })
    const { response, findings } = ask('/a', { headers: { accept } }, spec)
    expect([response.status, findings]).toEqual([200, []])
  })

  it('gets a value for an `allOf` in which one part requires a property of another', () => {
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
    expect(answered.response.status).toBe(200)
    expect(json(answered)).toEqual({ id: expect.any(String), owner: { id: expect.any(String) } })
  })

  it('gets a 501 and a finding if the contract has no example and none can be generated', () => {
    const schema = { type: 'object', required: ['a'], properties: { a: { type: 'string', not: {} } } }
    const { response, findings } = ask('/a', {}, contractOf({ 'application/json': { schema } }))
    expect(response.status).toBe(501)
    expect(findings).toEqual([
      {
        code: 'no-example',
        at: 'response.body',
        message: expect.stringContaining('(/a has a value that the schema forbids'),
      },
    ])
  })
})

describe('a stream of items', () => {
  const text = { type: 'string' }
  const tick = { type: 'object', required: ['n'], properties: { n: { type: 'integer', minimum: 1 } } }
  const event = (data: object) => ({
    type: 'object',
    required: ['event', 'data'],
    properties: { event: { const: 'tick' }, id: { ...text, pattern: '^[a-z]{3}$' }, data },
  })
  const contentSchema = { contentMediaType: 'application/json', contentSchema: tick }
  const sent = (content: object, schemas: object = {}) => {
    const spec = contractOf(content, { schemas })
    const answered = ask('/a', {}, spec)
    const verdict = judgeResponse(spec.operations[0]!, schemaOracle(spec), answered.response)
    return { ...answered, verdict, body: Buffer.from(answered.response.body).toString() }
  }

  it.each<[string, object, RegExp]>([
    ['events as a whole', { 'text/event-stream': { itemSchema: event(text) } }, /^(?:event: tick\nid: [a-z]{3}\n(?:data: .*\n)+\n){3}$/],
    ['events whose data is JSON', { 'text/event-stream': { itemSchema: event({ ...text, ...contentSchema }) } }, /^(?:event: tick\nid: [a-z]{3}\ndata: \{"n":\d+\}\n\n){3}$/],
    ['one of several events', { 'text/event-stream': { itemSchema: { oneOf: [event({ ...text, ...contentSchema })] } } }, /^(?:event: tick\nid: [a-z]{3}\ndata: \{"n":\d+\}\n\n){3}$/],
    ['the data of events', { 'text/event-stream': { schema: { $ref: '#/components/schemas/Tick' } } }, /^(?:data: \{"n":\d+\}\n\n){3}$/],
    ['events in a list', { 'text/event-stream': { schema: { type: 'array', items: event(text) } } }, /^(?:event: tick\nid: [a-z]{3}\n(?:data: .*\n)+\n){3}$/],
    ['text', { 'text/event-stream; charset=utf-8': { schema: { ...text, pattern: '^[a-z]{2}\n[a-z]{2}$' } } }, /^(?:data: [a-z]{2}\ndata: [a-z]{2}\n\n){3}$/],
    ['JSON Lines', { 'application/x-ndjson': { schema: { type: 'array', items: tick } } }, /^(?:\{"n":\d+\}\n){3}$/],
    ['a JSON sequence', { 'application/json-seq': { itemSchema: tick } }, /^(?:\P{L}\{"n":\d+\}\n){3}$/u],
  ])('the mock generates the items of a stream from the schema: %s', (_, content, expected) => {
    const { response, body, verdict } = sent(content, { Tick: tick })
    expect(body).toMatch(expected)
    expect([response.status, verdict.findings]).toEqual([200, []])
    expect(label({ response, findings: [] })).toBe('generated from the schema of the items')
  }) // prettier-ignore

  it.each<[string, object, string]>([
    ['a string', { 'text/event-stream': { example: 'data: 1\n\n' } }, 'data: 1\n\n'],
    ['a list of items', { 'application/jsonl': { itemSchema: tick, example: [{ n: 1 }, { n: 2 }] } }, '{"n":1}\n{"n":2}\n'],
    ['an event', { 'text/event-stream': { itemSchema: event(text), example: { event: 'tick', data: 'a' } } }, 'event: tick\ndata: a\n\n'],
  ])("the mock writes the contract's example as a stream: %s", (_, content, expected) => {
    expect(sent(content).body).toBe(expected)
  }) // prettier-ignore

  it('the mock responds with 501 and the reason if a stream has neither an example nor a schema', () => {
    const { response, body, findings } = sent({ 'text/event-stream': {} })
    expect([response.status, findings.map(({ code }) => code)]).toEqual([501, ['no-example']])
    expect(body).toContain('the contract has no schema for the items of text/event-stream')
  })

  it('each item of a stream is judged', () => {
    const spec = contractOf({ 'text/event-stream': { schema: tick } })
    const body = Buffer.from(
      '\uFEFFid: 1\r\ndata: {"n":\r\ndata: 1}\r\n\r\n: comment\n\ndata: {"n":0}\n\ndata: no\n\n',
    )
    const response = { status: 200, headers: [['content-type', 'text/event-stream']], body } as const
    const { findings } = judgeResponse(spec.operations[0]!, schemaOracle(spec), response)
    expect(findings.map(({ at }) => at)).toEqual(['response.body/1/n', 'response.body/2'])
  })
})

describe('a request that violates the contract', () => {
  it('gets the documented error, with the reason in the label', () => {
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

  it("gets an error of the mock's own if the contract documents no error", () => {
    expect(shown(ask('/v1/books/b1/cover', { method: 'PUT' }))).toEqual([
      400,
      'not from the contract',
      { message: 'request.body: a body is required, but none was sent' },
    ])
    expect(ask('/v1/books/?sort=title', { headers: { 'x-library-key': '' } }).response.status).toBe(200)
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

  it('gets the ordinary response if services ignore the difference', () => {
    expect(ask('/v1/status?trace=1').response.status).toBe(200)
    expect(ask('/v1/status?trace=1').findings.map(({ code }) => code)).toEqual(['query', 'security'])
  })

  it("gets 404 if its path isn't in the contract, and 405 if its method isn't", () => {
    expect(shown(ask('/v1/nothing'))).toEqual([
      404,
      'not from the contract',
      { message: 'the contract has no path /v1/nothing' },
    ])
    const method = ask('/v1/books/b1', { method: 'PATCH' })
    expect(method.response.status).toBe(405)
    expect(method.response.headers).toContainEqual(['allow', 'GET, DELETE'])
  })
})
