/** Contracts by other teams: without our extensions, in other versions, or in several files. */
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { loadSpec, schemaOracle, type Spec } from '@concord/spec-model'
import { describe, expect, it, onTestFinished } from 'vitest'

import { buildRequest } from '../src/oracle/build-request.ts'
import { startPrism } from '../src/http/prism.ts'
import { judgeRequest } from '../src/oracle/request-judge.ts'
import { judgeResponse } from '../src/oracle/response-judge.ts'
import { specOf as read } from './fixture/documents.ts'
import { temporaryFile } from './fixture/local.ts'

const json = (schema: object) => ({ content: { 'application/json': { schema } } })
const response = (status: number, body: unknown, type = 'application/json') => ({
  status,
  headers: [['content-type', type] as const],
  body: Buffer.from(JSON.stringify(body)),
})

function reasons(spec: Spec, given: ReturnType<typeof response>): string[] {
  return judgeResponse(spec.operations[0]!, schemaOracle(spec), given).findings.map(
    ({ at, message }) => `${at}: ${message}`,
  )
}

describe('an OpenAPI 3.0 document', () => {
  const spec = read(
    { '/a': { get: { responses: { 200: json({ $ref: '#/components/schemas/Thing' }) } } } },
    {
      openapi: '3.0.3',
      components: {
        schemas: {
          Name: { type: 'string', nullable: true, example: 'one' },
          Thing: {
            type: 'object',
            properties: {
              name: { $ref: '#/components/schemas/Name', description: 'ignored', maxLength: 1 },
              size: { type: 'number', minimum: 0, exclusiveMinimum: true },
              kind: { type: 'string', enum: ['a'], nullable: true },
              parent: { nullable: true, allOf: [{ $ref: '#/components/schemas/Thing' }] },
              nullable: { type: 'boolean' },
              example: { type: 'string', nullable: true },
            },
          },
        },
      },
    },
  )

  it('is read with the 3.0 meaning of nullable, bounds and references', () => {
    const nulls = { name: null, kind: null, parent: null, example: null }
    expect(reasons(spec, response(200, { ...nulls, size: 0.1, nullable: true }))).toEqual([])
    expect(reasons(spec, response(200, { name: 'longer than one' }))).toEqual([])
    expect(reasons(spec, response(200, { size: 0 }))).toEqual(['response.body/size: must be > 0'])
    expect(reasons(spec, response(200, { nullable: null }))).toEqual([
      'response.body/nullable: must be boolean',
    ])
  })

  it('has operations without an operationId, which are named by method and path', () => {
    expect(spec.operations.map(({ id }) => id)).toEqual(['GET /a'])
  })
})

describe('an OpenAPI 3.2 document', () => {
  const page = {
    name: 'page',
    in: 'querystring',
    content: {
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', properties: { page: { type: 'integer' } } },
        examples: { second: { dataValue: { page: 2 }, serializedValue: 'page=2' } },
      },
    },
  }
  const spec = read(
    {
      '/a/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        query: { operationId: 'find', parameters: [page], requestBody: json({ type: 'string' }), responses: { 200: json({ const: 1 }) } },
        additionalOperations: { COPY: { operationId: 'copy', responses: { 201: { description: 'Copied.' } } } },
      },
    },
    { openapi: '3.2.0' },
  ) // prettier-ignore
  const sent = (method: string, target: string) => ({
    method,
    target,
    headers: [['accept', 'application/json'] as const],
    body: new Uint8Array(),
  })
  const judged = (method: string, target: string) =>
    judgeRequest(spec, schemaOracle(spec), sent(method, target)).findings.map(({ at }) => at)

  it('has operations with methods of any name, and the parameters of their path', () => {
    expect(spec.operations.map(({ id, method }) => [id, method])).toEqual([
      ['find', 'QUERY'],
      ['copy', 'COPY'],
    ])
    for (const method of ['QUERY', 'COPY']) {
      expect(judged(method, '/a/7')).toEqual([])
      expect(judged(method, '/a/x')).toEqual(['request.path.id'])
    }
    expect(judged('MOVE', '/a/7')).toEqual(['request.path'])
  })

  it('has a parameter that is the whole query, with its examples', () => {
    expect(spec.operations[0]?.parameters.at(-1)).toMatchObject({
      in: 'query',
      examples: [{ value: { page: 2 } }],
    })
    expect(judged('QUERY', '/a/7?page=2')).toEqual([])
    expect(judged('COPY', '/a/7?page=2')).toEqual(['request.query.page'])
    const other = { ...page, content: { 'application/json': { schema: {} } } }
    expect(() => read({ '/a': { get: { parameters: [other] } } }, { openapi: '3.2.0' })).toThrow(
      /the parameter `page` with `in: querystring` \(\/paths\/~1a\/get\/parameters\/0\)/,
    )
  })

  it('is served by Prism', async () => {
    const prism = await startPrism(spec)
    onTestFinished(() => prism.close())
    const exchange = async (method: string, target: string) => {
      const { response, findings } = await prism.exchange(sent(method, target))
      return [response.status, findings.length]
    }
    expect(await exchange('QUERY', '/a/7?page=2')).toEqual([200, 0])
    expect(await exchange('COPY', '/a/7')).toEqual([201, 0])
    expect((await exchange('COPY', '/a/x'))[0]).toBe(422)
  })
})

describe('statuses', () => {
  const spec = read({
    '/a': {
      get: { responses: { 200: {}, '4XX': json({ type: 'object' }), default: json({ type: 'string' }) } },
    },
  })

  it('a status matches its range before it matches `default`', () => {
    expect(reasons(spec, response(418, {}))).toEqual([])
    expect(reasons(spec, response(500, {}))).toEqual(['response.body: must be string'])
    expect(reasons(spec, response(201, {}))[0]).toMatch('201 is not documented')
  })

  it('a status matches `default` if no success is documented', () => {
    const only = read({ '/a': { get: { responses: { default: json({ type: 'string' }) } } } })
    expect(reasons(only, response(200, 'text'))).toEqual([])
    expect(reasons(only, response(200, 5))).toEqual(['response.body: must be string'])
  })
})

it('a media type may have parameters in the document', () => {
  const spec = read({
    '/a': {
      get: {
        responses: {
          200: { content: { 'application/json; charset=utf-8': { schema: { type: 'string' } } } },
        },
      },
    },
  })
  expect(reasons(spec, response(200, 5))).toEqual(['response.body: must be string'])
})

it('the response to a HEAD needs no body', () => {
  const spec = read({ '/a': { head: { responses: { 200: json({ type: 'object' }) } } } })
  expect(reasons(spec, { ...response(200, {}), body: Buffer.alloc(0) })).toEqual([])
})

describe('cookies', () => {
  const spec = read(
    {
      '/a': {
        get: {
          parameters: [{ name: 'theme', in: 'cookie', required: true, schema: { enum: ['dark', 'light'] } }],
          security: [{ session: [] }],
          responses: { 200: {} },
        },
      },
    },
    { components: { securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'sid' } } } },
  )
  const operation = spec.operations[0]!
  const request = (theme: string) =>
    buildRequest(spec, operation, {
      input: { path: {}, query: {}, headers: {}, cookies: { theme } },
      schemes: ['session'],
      credentials: { session: 's3' },
    })

  it('cookies of parameters and credentials are sent in one header', async () => {
    expect((await request('dark')).headers).toContainEqual(['cookie', 'theme=dark; sid=s3'])
  })

  it('cookies of the style `cookie` are sent and read without escapes', async () => {
    const schema = { const: 'a%20b+c' }
    const parameters = [{ name: 'plain', in: 'cookie', style: 'cookie', required: true, schema }]
    const own = read({ '/a': { get: { parameters, responses: { 200: {} } } } }, { openapi: '3.2.0' })
    const sent = await buildRequest(own, own.operations[0]!, {
      input: { path: {}, query: {}, headers: {}, cookies: { plain: 'a%20b+c' } },
    })
    expect(sent.headers).toContainEqual(['cookie', 'plain=a%20b+c'])
    expect(judgeRequest(own, schemaOracle(own), sent).findings).toEqual([])
  })

  it('cookies are validated by their schemas', async () => {
    const oracle = schemaOracle(spec)
    expect(judgeRequest(spec, oracle, await request('dark')).findings).toEqual([])
    const { findings } = judgeRequest(spec, oracle, await request('blue'))
    expect(findings.map(({ at, code }) => [code, at])).toEqual([['cookie', 'request.cookie.theme']])
  })
})

describe('parameters with JSON', () => {
  const schema = { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } }
  const content = { 'application/json': { schema, examples: { one: { value: { a: 1 } } } } }
  const spec = read({
    '/a': {
      get: { parameters: [{ name: 'filter', in: 'query', content }, { name: 'X-Filter', in: 'header', content }], responses: { 200: {} } },
    },
  }) // prettier-ignore
  const request = (value: unknown) =>
    buildRequest(spec, spec.operations[0]!, {
      input: { path: {}, query: { filter: value }, headers: { 'X-Filter': value } },
    })

  it('parameters with JSON are sent as JSON, and their examples are values', async () => {
    const { target, headers } = await request({ a: 1 })
    expect(target).toBe('/a?filter=%7B%22a%22%3A1%7D')
    expect(headers).toContainEqual(['X-Filter', '{"a":1}'])
    expect(spec.operations[0]?.parameters[0]).toMatchObject({ isJson: true, examples: [{ value: { a: 1 } }] })
  })

  it('parameters with JSON are validated by the schema of their content', async () => {
    const places = async (value: unknown) =>
      judgeRequest(spec, schemaOracle(spec), await request(value)).findings.map(({ at }) => at)
    expect(await places({ a: 1 })).toEqual([])
    expect(await places({ a: 'x' })).toEqual(['request.query.filter', 'request.header.X-Filter'])
    const { target, ...sent } = await request({ a: 1 })
    expect(
      judgeRequest(spec, schemaOracle(spec), { ...sent, target: '/a?filter=a,b' }).findings,
    ).toHaveLength(1)
    expect(target).not.toContain(',')
  })
})

it('basic credentials may be a user name and a password', async () => {
  const spec = read(
    { '/a': { get: { security: [{ login: [] }], responses: {} } } },
    { components: { securitySchemes: { login: { type: 'http', scheme: 'basic' } } } },
  )
  const { headers } = await buildRequest(spec, spec.operations[0]!, {
    input: { path: {}, query: {}, headers: {} },
    schemes: ['login'],
    credentials: { login: 'kim:word' },
  })
  expect(headers).toContainEqual(['authorization', `Basic ${btoa('kim:word')}`])
})

it("a pattern that JavaScript doesn't support accepts every string", () => {
  const spec = read({
    '/a': { get: { responses: { 200: json({ type: 'string', pattern: '(?i)[a-z]+' }) } } },
    '/b': { get: { responses: { 200: json({ type: 'string', pattern: '^\\-a$' }) } } },
  })
  expect(reasons(spec, response(200, '5'))).toEqual([])
  const other = { ...spec, operations: [spec.operations[1]!] }
  expect(reasons(other, response(200, '-b'))).toEqual(['response.body: must match pattern "^\\-a$"'])
})

it('a contract may consist of several files', async () => {
  const file = temporaryFile('openapi.yaml', {
    openapi: '3.1.0',
    info: {},
    paths: { '/a': { $ref: './a.yaml' } },
  })
  await writeFile(
    join(dirname(file), 'a.yaml'),
    `get:
  responses:
    '200': { content: { application/json: { schema: { $ref: '#/Thing' } } } }
Thing: { type: object, required: [id], properties: { parent: { $ref: '#/Thing' } } }
`,
  )
  expect(reasons(await loadSpec(file), response(200, { id: 1, parent: {} }))).toEqual([
    "response.body/parent: must have required property 'id'",
  ])
})
