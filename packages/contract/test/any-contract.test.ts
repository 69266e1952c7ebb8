/** Contracts by other teams: without our extensions, in other versions, or in several files. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { loadSpec, readSpec, schemaOracle, type Spec } from '@concord/spec-model'
import { describe, expect, it } from 'vitest'

import { buildRequest } from '../src/oracle/build-request.ts'
import { judgeRequest } from '../src/oracle/request-judge.ts'
import { judgeResponse } from '../src/oracle/response-judge.ts'

const read = (paths: object, more: object = {}): Spec =>
  readSpec({ openapi: '3.1.0', info: { title: 'T' }, paths, ...more }, { file: 'test.yaml' })
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
  const spec = readSpec(
    {
      openapi: '3.0.3',
      info: { title: 'Old' },
      paths: { '/a': { get: { responses: { 200: json({ $ref: '#/components/schemas/Thing' }) } } } },
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
    { file: 'old.yaml' },
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

describe('statuses', () => {
  const spec = read({
    '/a': {
      get: { responses: { 200: {}, '4XX': json({ type: 'object' }), default: json({ type: 'string' }) } },
    },
  })

  it('match their range before they match `default`', () => {
    expect(reasons(spec, response(418, {}))).toEqual([])
    expect(reasons(spec, response(500, {}))).toEqual(['response.body: must be string'])
    expect(reasons(spec, response(201, {}))[0]).toMatch('201 is not documented')
  })

  it('match `default` if no success is documented', () => {
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
      way: ['session'],
      credentials: { session: 's3' },
    })

  it('are sent in one header: parameters and credentials', async () => {
    expect((await request('dark')).headers).toContainEqual(['cookie', 'theme=dark; sid=s3'])
  })

  it('are validated by their schemas', async () => {
    const oracle = schemaOracle(spec)
    expect(judgeRequest(spec, oracle, await request('dark')).findings).toEqual([])
    const { findings } = judgeRequest(spec, oracle, await request('blue'))
    expect(findings.map(({ at, code }) => [code, at])).toEqual([['cookie', 'request.cookie.theme']])
  })
})

it('basic credentials may be a user name and a password', async () => {
  const spec = read(
    { '/a': { get: { security: [{ login: [] }], responses: {} } } },
    { components: { securitySchemes: { login: { type: 'http', scheme: 'basic' } } } },
  )
  const { headers } = await buildRequest(spec, spec.operations[0]!, {
    input: { path: {}, query: {}, headers: {} },
    way: ['login'],
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
  const folder = await mkdtemp(join(tmpdir(), 'contract-files-'))
  try {
    await writeFile(
      join(folder, 'openapi.yaml'),
      `openapi: 3.1.0
info: { title: T }
paths:
  /a: { $ref: ./a.yaml }
`,
    )
    await writeFile(
      join(folder, 'a.yaml'),
      `get:
  responses:
    '200': { content: { application/json: { schema: { $ref: '#/Thing' } } } }
Thing: { type: object, required: [id], properties: { parent: { $ref: '#/Thing' } } }
`,
    )
    const spec = await loadSpec(join(folder, 'openapi.yaml'))
    expect(reasons(spec, response(200, { id: 1, parent: {} }))).toEqual([
      "response.body/parent: must have required property 'id'",
    ])
  } finally {
    await rm(folder, { recursive: true })
  }
})
