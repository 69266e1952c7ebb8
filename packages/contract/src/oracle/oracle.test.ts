import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Operation, type Parameter, type SchemaAt, schemaOracle, type Spec } from '@concord/spec-model'

import { specOf as documentOf } from '../../test/fixture/documents.ts'
import { readForm } from '../http/multipart.ts'
import type { RecordedRequest } from '../http/exchange.ts'
import { buildRequest } from './build-request.ts'
import { compareRequest } from './compare-request.ts'
import { generateValid } from './generate.ts'
import { mutantsOf } from './mutate.ts'
import { matchOperation, queryPairs, represents } from './parameters.ts'
import { stringFromPattern } from './pattern.ts'
import { seededRandom } from './random.ts'
import { judgeRequest } from './request-judge.ts'
import { judgeResponse } from './response-judge.ts'
import { judgeSecurity } from './security.ts'

const specOf = (paths: object, components: object = {}): Spec => documentOf(paths, { components })
const first = (spec: Spec): Operation => spec.operations[0] as Operation
const requestOf = (
  method: string,
  target: string,
  headers: RecordedRequest['headers'] = [],
): RecordedRequest => ({
  method,
  target,
  headers,
  body: new Uint8Array(),
})

describe('credentials', () => {
  it('a credential can be a key in the header of the schemes', () => {
    const schemes = {
      bot: { type: 'apiKey', in: 'header', name: 'Authorization' },
      user: { type: 'http', scheme: 'bearer' },
    }
    const get = { operationId: 'get', security: [{ bot: [] }, { user: [] }], responses: {} }
    const spec = specOf({ '/a': { get } }, { securitySchemes: schemes })
    const judged = (value: string) =>
      judgeSecurity(spec, first(spec), requestOf('GET', '/a', [['authorization', value]]), {
        bot: 'b',
        user: 'u',
      })
    expect(judged('Bearer u')).toEqual([])
    expect(judged('b')).toEqual([])
    expect(judged('Bearer b')).toMatchObject([{ code: 'security' }])
  })

  it.each([
    [{ type: 'http', scheme: 'bearer' }, 'authorization', 'bearer Secret', 'Bearer SECRET'],
    [{ type: 'apiKey', in: 'header', name: 'X-Key' }, 'x-key', 'Secret', 'SECRET'],
  ])('a credential has to be sent in its own letter case: %j', (scheme, header, right, wrong) => {
    const get = { operationId: 'get', security: [{ key: [] }], responses: {} }
    const spec = specOf({ '/a': { get } }, { securitySchemes: { key: scheme } })
    const judged = (value: string) =>
      judgeSecurity(spec, first(spec), requestOf('GET', '/a', [[header, value]]), { key: 'Secret' })
    expect(judged(right)).toEqual([])
    expect(judged(wrong)).toMatchObject([{ code: 'security' }])
  })
})

describe('generated values', () => {
  const schemas = {
    Everything: {
      type: 'object',
      required: ['id', 'kind'],
      not: { required: ['left', 'right'] },
      properties: {
        id: { type: 'string', format: 'uuid' },
        kind: { enum: ['a', 'b', null] },
        code: { type: 'string', pattern: '^[A-Z]{2}-\\d{3}(x|y)?$' },
        count: { type: 'integer', minimum: 3, exclusiveMaximum: 9, multipleOf: 2 },
        list: { type: 'array', minItems: 2, maxItems: 3, items: { type: ['string', 'null'] } },
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'boolean' }], items: false },
        map: { type: 'object', additionalProperties: { type: 'number' }, minProperties: 2 },
        either: {
          oneOf: [{ type: 'string' }, { type: 'object', required: ['x'], properties: { x: { const: 1 } } }],
        },
        both: {
          allOf: [
            { type: 'object', required: ['p'], properties: { p: { type: 'string' } } },
            { $ref: '#/components/schemas/Part' },
          ],
        },
        left: { type: 'string' },
        right: { type: 'string' },
        self: { $ref: '#/components/schemas/Everything' },
      },
    },
    Part: { type: 'object', required: ['q'], properties: { q: { type: 'number', exclusiveMinimum: 0 } } },
  }
  const oracle = schemaOracle(specOf({}, { schemas }))

  it('generated values are valid, and the same for the same seed', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('required', 'full', 'random' as const), (seed, fullness) => {
        const at: SchemaAt = oracle.component('Everything')
        const made = generateValid(oracle, at, seededRandom(seed), fullness)
        expect(made && oracle.accepts(at, made.value)).toBe(true)
        expect(generateValid(oracle, at, seededRandom(seed), fullness)).toEqual(made)
      }),
      { numRuns: 60 },
    )
  })

  it("generated values have only the required properties, or as many as don't exclude each other", () => {
    const at = oracle.component('Everything')
    const least = generateValid(oracle, at, seededRandom('x'), 'required')?.value as object
    expect(Object.keys(least).sort()).toEqual(['id', 'kind'])
    const full = generateValid(oracle, at, seededRandom('x'), 'full')?.value as object
    expect(Object.keys(full)).toEqual(
      expect.arrayContaining(['code', 'count', 'list', 'pair', 'map', 'either', 'both']),
    )
    expect('left' in full !== 'right' in full).toBe(true)
  })

  const generated = (schema: object, seed: string, fullness: 'required' | 'full') => {
    const one = schemaOracle(specOf({}, { schemas: { One: schema } }))
    return generateValid(one, one.component('One'), seededRandom(seed), fullness)
  }

  it.each([
    [{ allOf: [{ properties: { a: { enum: ['x', 'y'] } }, required: ['a'] }, { properties: { a: { type: 'string' } } }] }],
    [{ allOf: [{ properties: { a: { format: 'uri' } } }, { properties: { a: { type: 'string' } } }], required: ['a'] }],
    [{ allOf: [{ enum: ['a', 'b', 'c'] }, { enum: ['c', 'd'] }] }],
    [{ allOf: [{ type: 'number', minimum: 7 }, { type: 'integer', minimum: 2, maximum: 8 }] }],
    [{ allOf: [{ type: 'array', items: { type: 'string' }, minItems: 2 }, { type: 'array', items: { maxLength: 2 } }] }],
    [{ type: 'object', required: ['a'], properties: { a: { const: 1 } }, anyOf: [{ type: 'null' }, { required: ['b'] }] }],
    [{ allOf: [{ type: ['string', 'null'] }, { oneOf: [{ type: 'number' }, { type: 'boolean' }, { type: 'null' }] }] }],
    [{ allOf: [{ additionalProperties: { type: 'number' } }, { additionalProperties: { minimum: 5 } }], minProperties: 3 }],
    [{ oneOf: [{ allOf: [{ type: 'string' }, { minLength: 3 }] }], maxLength: 4 }],
    [{ type: 'array', minItems: 40, items: { type: 'string', format: 'uri-template' } }],
    [{ type: 'array', minItems: 40, items: { type: 'string', format: 'json-pointer' } }],
    [{ type: 'array', minItems: 40, items: { type: 'string', format: 'regex' } }],
    [{ type: 'array', minItems: 20, items: { type: 'integer', examples: [284.02] } }],
    [{ type: 'array', minItems: 10, items: { type: 'string', pattern: '^[a-z]+-[0-9]*$', minLength: 30, maxLength: 50 } }],
    [{ type: 'array', minItems: 10, items: { type: 'string', pattern: '^(ab)*$', maxLength: 2 } }],
  ])('a generated value suits every part of %j', (schema) => {
    for (const seed of 'abcdefgh') {
      expect(generated(schema, seed, 'required')).toBeDefined()
      expect(generated(schema, seed, 'full')).toBeDefined()
    }
  }) // prettier-ignore

  it('no value is generated if the parts of a schema contradict each other', () => {
    expect(generated({ allOf: [{ type: 'string' }, { type: 'object' }] }, 'a', 'full')).toBeUndefined()
  })

  it.each([
    '^.{4}-.{4}$',
    '^https://',
    '^[a-f0-9]{2,4}$',
    '^(on|off)\\.v\\d+$',
    '^a?b*c+$',
    '^[^a]$',
    '^[^\\s/]+\\.(json|yaml)$',
    '^[^\\x00-\\x7F]+$',
    '^[^A-Za-z0-9]$',
    '^\\p{Lu}\\p{L}+$',
    '^(?=.*[A-Z])(?=.*\\d).{8,}$',
    '^(?!x)[xy]$',
    '^(?<year>\\d{4})-\\u{e9}\\u00e9\\n$',
    '^[\\w-.]+?\\b$',
    '^\\S+\\s\\D\\W$',
    '^[^]$',
  ])('a generated string matches the pattern %s', (pattern) => {
    for (const seed of 'abcdefgh') {
      const text = stringFromPattern(pattern, seededRandom(seed))
      expect(text).toBeDefined()
      // A range that ends in a class is valid only without Unicode mode.
      expect(text).toMatch(new RegExp(pattern, pattern.includes('\\w-') ? '' : 'u'))
    }
  })

  it.each([
    '^((a{1000}){1000}){1000}$',
    `${'('.repeat(100_000)}a${')'.repeat(100_000)}`,
    '^(?=a)b',
    '^a(?<=b)',
    '[',
    '^[]$',
    '^[^\\s\\S]$',
    '(?i)a',
  ])('no string is generated for the pattern %.40s', (pattern) => {
    expect(stringFromPattern(pattern, seededRandom('x'))).toBeUndefined()
  })

  it('each mutant differs in one place, and the original stays unchanged', () => {
    const value = { a: [1, 2], b: { c: 'x' } }
    const before = structuredClone(value)
    const mutants = mutantsOf(value, { d: 1 })
    expect(value).toEqual(before)
    expect(new Set(mutants.map((one) => JSON.stringify(one.value)))).not.toContain(JSON.stringify(value))
    const changes = mutants.map((one) => one.change)
    expect(changes).toEqual(
      expect.arrayContaining([
        '(root): with d',
        '(root): without a',
        '/b/c: null',
        '/a/0: a fraction',
        '/a: only the first item',
        '/b: an unknown property',
      ]),
    )
  })
})

describe('paths', () => {
  const spec = specOf({
    '/v1/things/': { get: { operationId: 'list' } },
    '/v1/things/{id}': {
      get: {
        operationId: 'one',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      },
    },
    '/v1/{kind}/jobs/{id}': { get: { operationId: 'other' } },
    '/v1/things/jobs/{id}': { get: { operationId: 'job' } },
    '/v1/things/{id}?draft=true': { get: { operationId: 'draft' } },
  })
  it.each([
    ['/v1/things/', 'list'],
    ['/v1/things/a%2Fb', 'one'],
    ['/v1/things/jobs/5', 'job'],
    ['/v1/books/jobs/5', 'other'],
    ['/v1/things/5?page=2&draft=true', 'draft'],
    ['/v1/things/5?draft=false', 'one'],
  ])('the path %s belongs to %s', (path, id) => {
    expect(matchOperation(spec.operations, 'GET', path)?.operation.id).toBe(id)
  })

  it.each(['/v1/things', '/v1/things/a/', '/v1/things/a/b/c', '/v2/things/'])(
    'the path %s belongs to no operation',
    (path) => {
      expect(matchOperation(spec.operations, 'GET', path)).toBeUndefined()
      expect(judgeRequest(spec, schemaOracle(spec), requestOf('GET', path)).findings[0]?.code).toBe(
        'unknown-operation',
      )
    },
  )
})

describe('query parameters', () => {
  const parameter = (style: string, explode: boolean): Parameter => ({
    name: 'p',
    in: 'query',
    required: false,
    style,
    explode,
    schema: { pointer: '', schema: {} },
    examples: [],
  })
  it.each([
    ['form', true, ['a b', 'c'], ['p=a%20b', 'p=c']],
    ['form', false, ['a,b', 'c'], ['p=a%2Cb,c']],
    ['spaceDelimited', false, ['a', 'b'], ['p=a%20b']],
    ['pipeDelimited', false, ['a', 'b'], ['p=a|b']],
    ['deepObject', true, { x: 1, y: 'z' }, ['p[x]=1', 'p[y]=z']],
    ['form', true, { x: 1 }, ['x=1']],
    ['form', true, 'one & two', ['p=one%20%26%20two']],
  ] as const)('reads a query parameter with style %s and explode %s', (style, explode, value, spelled) => {
    const pairs = queryPairs(parameter(style, explode), value)
    expect(pairs).toHaveLength(spelled.length)
    pairs.forEach((pair, at) => {
      const [name, raw = ''] = (spelled[at] ?? '').split(/=(.*)/)
      expect(pair.name).toBe(name)
      expect(represents(raw, pair)).toBe(true)
      expect(represents(`${raw}x`, pair)).toBe(false)
    })
  })

  it('a comma within the value of a query parameter must be encoded', () => {
    const [pair] = queryPairs(parameter('form', false), ['a,b', 'c'])
    expect(pair && represents('a,b,c', pair)).toBe(false)
  })

  it('query parameters are checked by type, and undocumented ones are found', () => {
    const spec = specOf({
      '/a': {
        get: {
          operationId: 'a',
          parameters: [{ name: 'n', in: 'query', required: true, schema: { type: 'integer', minimum: 2 } }],
        },
      },
    })
    const codes = (target: string) =>
      judgeRequest(spec, schemaOracle(spec), requestOf('GET', target)).findings.map(
        (one) => `${one.code} ${one.at}`,
      )
    expect(codes('/a?n=2')).toEqual([])
    expect(codes('/a?n=1')).toEqual(['query request.query.n'])
    expect(codes('/a?n=two')).toEqual(['query request.query.n'])
    expect(codes('/a')).toEqual(['query request.query.n'])
    expect(codes('/a?n=2&m=1')).toEqual(['query request.query.m'])
  })
})

describe('the status and body of a response', () => {
  const content = (type: string) => ({ 'application/json': { schema: { type } } })
  const codes = (success: object, status: number, value: unknown, error: object = {}): string[] => {
    const responses = {
      '204': { description: 'Nothing.' },
      '200': { description: 'A text.', content: content('string'), ...success },
      default: { description: 'Another error.', content: content('object'), ...error },
    }
    const spec = specOf({ '/a': { get: { operationId: 'a', responses } } })
    const body = value === undefined ? '' : JSON.stringify(value)
    const headers = value === undefined ? [] : [['content-type', 'application/json'] as const]
    const response = { status, headers, body: Buffer.from(body) }
    return judgeResponse(first(spec), schemaOracle(spec), response).findings.map((one) => one.code)
  }
  const status = 'The status of a success; 200 is written here.'
  const open = { 'x-not-shown': [status] }
  const openBody = { 'x-not-shown': [status, 'The body. A record is written here.'] }

  it('a response may have any success status if the contract leaves the status open', () => {
    for (const status of [200, 201, 202, 206]) {
      expect(codes(open, status, 'x')).toEqual([])
      expect(codes(open, status, 7)).toEqual(['response-body'])
    }
    expect(codes(open, 204, 'x')).toEqual(['response-body'])
  })

  it('a response must have a documented status if the contract has one, or for an error', () => {
    expect(codes({}, 202, 'x')).toEqual(['status'])
    expect(codes(open, 302, 'x')).toEqual(['status'])
    expect(codes(open, 199, 'x')).toEqual(['status'])
    expect(codes(open, 404, {})).toEqual([])
    expect(codes(open, 404, 'x')).toEqual(['response-body'])
  })

  it('a success may have any body if its body is undocumented, and otherwise only the documented one', () => {
    expect(codes({ ...openBody, content: undefined }, 202, 'x')).toEqual([])
    expect(codes({ ...open, content: undefined }, 202, 'x')).toEqual(['response-body'])
    expect(codes(openBody, 202, undefined)).toEqual([])
    expect(codes(openBody, 202, 7)).toEqual(['response-body'])
    expect(codes(open, 202, undefined)).toEqual(['media-type'])
  })

  it('the body of an error is checked, even if `x-not-shown` says that it is open', () => {
    expect(codes({}, 404, undefined, { 'x-not-shown': ['The body.'] })).toEqual(['media-type'])
  })
})

const spec = specOf({
  '/a/{id}': {
    post: {
      operationId: 'a',
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'tags', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
      ],
      requestBody: { content: { 'multipart/form-data': { schema: { type: 'object' } } } },
    },
  },
})

it('requests built from the contract are equal to it, for any text and bytes', async () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => one.isWellFormed())
  const body = fc.record({
    file: fc
      .uint8Array()
      .map((bytes) => new File([bytes as Uint8Array<ArrayBuffer>], 'f.bin', { type: 'image/png' })),
    note: text.map((one) => one.replaceAll(/\r\n|\r|\n/g, '\r\n')),
  })
  await fc.assert(
    fc.asyncProperty(text, fc.array(text, { minLength: 2 }), body, async (id, tags, given) => {
      const operation = first(spec)
      const media = operation.body?.media[0]
      const input = { path: { id }, query: { tags }, headers: {}, body: given }
      const request = await buildRequest(spec, operation, { media, input })
      expect(await compareRequest(operation, media, input, request)).toEqual([])
    }),
    { numRuns: 100 },
  )
})

it('a sent value that differs from the input is reported once, for the query, fields and constant headers', async () => {
  const form = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } }
  const operation = first(
    specOf({
      '/a': {
        post: {
          parameters: [
            { name: 'q', in: 'query', schema: { type: 'string' } },
            { name: 'X-Version', in: 'header', required: true, schema: { const: '1' } },
          ],
          requestBody: { content: { 'application/x-www-form-urlencoded': { schema: form } } },
          responses: {},
        },
      },
    }),
  )
  const request = {
    ...requestOf('POST', '/a?q=2', [
      ['content-type', 'application/x-www-form-urlencoded'],
      ['x-version', '2'],
    ]),
    body: Buffer.from('a=2&c=3'),
  }
  const input = { path: {}, query: { q: '1' }, headers: {}, body: { a: '1', b: '1' } }
  const findings = await compareRequest(operation, operation.body?.media[0], input, request)
  expect(findings.map(({ at, message }) => `${at} ${message}`)).toEqual([
    'request.query.q differs from the value that was passed to the client',
    'request.headers.X-Version differs from the fixed value in the contract',
    'request.body/a differs from the value that was passed to the client',
    'request.body/b was passed to the client, but not sent',
    'request.body/c was sent, although the caller did not pass it',
  ])
})

describe('lists in a request', () => {
  const list = (items: object) => ({ type: 'array', items, maxItems: 1 })
  const query = (style: string, explode: boolean, schema: object) => ({
    name: 'tags',
    in: 'query',
    style,
    explode,
    schema,
  })
  const findingsOf = (parameter: object, target: string) => {
    const spec = specOf({ '/a': { get: { operationId: 'a', parameters: [parameter], responses: {} } } })
    return judgeRequest(spec, schemaOracle(spec), requestOf('GET', target)).findings.map(
      ({ message }) => message,
    )
  }

  it('an item of a repeated parameter can contain a comma', () => {
    const parameter = query('form', true, list({ enum: ['a,b'] }))
    expect(findingsOf(parameter, '/a?tags=a%2Cb')).toEqual([])
    expect(findingsOf(parameter, '/a?tags=a')).toHaveLength(1)
  })

  it.each([
    ['form', '1,2'],
    ['pipeDelimited', '1|2'],
    ['pipeDelimited', '1%7C2'],
    ['spaceDelimited', '1%202'],
    ['spaceDelimited', '1+2'],
  ])('the items of a list in the style %s are separated in %s', (style, value) => {
    const parameter = query(style, false, { type: 'array', items: { type: 'integer' }, minItems: 2 })
    expect(findingsOf(parameter, `/a?tags=${value}`)).toEqual([])
    expect(findingsOf(parameter, '/a?tags=1')).toHaveLength(1)
  })

  it('a field of a form can contain a comma', async () => {
    const form = { type: 'object', properties: { tags: list({ type: 'string' }) } }
    const body = { content: { 'application/x-www-form-urlencoded': { schema: form } } }
    const spec = specOf({ '/a': { post: { operationId: 'a', requestBody: body, responses: {} } } })
    const request = {
      ...requestOf('POST', '/a', [['content-type', 'application/x-www-form-urlencoded']]),
      body: Buffer.from('tags=a%2Cb'),
    }
    expect(judgeRequest(spec, schemaOracle(spec), request).findings).toEqual([])
  })
})

describe('multipart forms', () => {
  const type = 'multipart/form-data; boundary="b"'
  const part = (head: string, body = 'x'): string => `--b\r\n${head}\r\n\r\n${body}\r\n`
  const named = 'Content-Disposition: form-data; name="a"'

  it('a multipart form is read part by part, with unescaped names', () => {
    const body = `${part(`${named}; filename="q%22.txt"\r\nContent-Type: text/plain`, 'one\r\n--not the end')}--b--\r\n`
    const read = readForm(type, Buffer.from(body))
    expect(
      read.problem === undefined &&
        read.parts.map((one) => ({ ...one, body: Buffer.from(one.body).toString() })),
    ).toEqual([{ name: 'a', fileName: 'q".txt', contentType: 'text/plain', body: 'one\r\n--not the end' }])
  })

  it.each([
    ['no boundary', 'multipart/form-data', `${part(named)}--b--`],
    ['another boundary', 'multipart/form-data; boundary=c', `${part(named)}--b--`],
    ['no disposition', type, `${part('X: y')}--b--`],
    ['no name', type, `${part('Content-Disposition: form-data')}--b--`],
    ['a malformed header', type, `${part(`${named}\r\nnonsense`)}--b--`],
    ['no end of headers', type, '--b\r\nContent-Disposition: form-data; name="a"\r\n--b--'],
    ['no closing boundary', type, part(named)],
    ['an end within a part', type, `--b\r\n${named}\r\n\r\nx`],
    ['nothing', type, ''],
  ])('a multipart form with %s is a problem, never a guess', (_what, contentType, body) => {
    expect(readForm(contentType, Buffer.from(body)).problem).toBeTypeOf('string')
  })

  it('no bytes crash the reader of multipart forms', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, noise) => {
        const body = Buffer.concat([Buffer.from(`--b\r\n${noise}`), bytes, Buffer.from('\r\n--b--')])
        expect(() => readForm(type, body)).not.toThrow()
      }),
    )
  })
})
