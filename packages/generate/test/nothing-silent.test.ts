import { describe, expect, it } from 'vitest'

import type { OperationModel } from '../src/normalize/model.ts'
import { type Source, parseSource } from '../src/read/source.ts'
import {
  accepted,
  departuresOf,
  documentOf,
  loadSchemas,
  modelOf,
  printed,
  testService,
} from './support/generated.ts'
import { effectsOf } from './support/problems.ts'

const text = { type: 'string' }
const file = { ...text, contentMediaType: 'application/octet-stream' }
const json = (schema: unknown) => ({ 'application/json': { schema } })
const ok = { '200': { description: '', content: json(text) } }
const at = '#/paths/~1a/get'

/** A document with one operation. */
function withOperation(operation: object, more: object = {}) {
  return documentOf({
    paths: { '/a': { get: { operationId: 'doIt', responses: ok, ...operation } } },
    ...more,
  })
}

/** The effects of a document beyond those of every operation without x-words. */
async function listedOf(source: Source): Promise<string[]> {
  return (await effectsOf(source)).filter((effect) => effect !== `noted ${at}`)
}

describe('the report on unused parts of a document', () => {
  const header = (name: string) => ({ name, in: 'header', required: true, schema: text })
  const query = { name: 'q', in: 'query', schema: text }
  const get = { operationId: 'doIt', responses: ok }
  const cases: Readonly<Record<string, readonly [source: object, departure: string]>> = {
    'a header with an object': [{ responses: { '200': { description: '', headers: { 'X-Left': { schema: { type: 'object' } } } } } }, `noted ${at}/responses/200/headers/X-Left`],
    'a header that every object has': [{ responses: { '200': { description: '', headers: { constructor: { schema: text } } } } }, `noted ${at}/responses/200/headers/constructor`],
    'a header with an object, of an error': [{ responses: { ...ok, '429': { description: '', headers: { 'X-Left': { schema: { type: 'object' } } } } } }, `noted ${at}/responses/429/headers/X-Left`],
    'a body in XML': [{ requestBody: { content: { 'application/xml': { schema: { type: 'object' } } } } }, `widened ${at}/requestBody/content/application~1xml/schema`],
    'a response in XML': [{ responses: { '200': { description: '', content: { 'application/xml': { schema: { type: 'object' } } } } } }, `widened ${at}/responses/200/content/application~1xml/schema`],
    'a response in a range with JSON': [{ responses: { '200': { description: '', content: { '*/*': { schema: { allOf: [{ type: 'object' }] } } } } } }, `noted ${at}/responses/200/content/*~1*`],
    'a response in a range without JSON': [{ responses: { '200': { description: '', content: { 'application/*+xml': { schema: { type: 'object' } } } } } }, `widened ${at}/responses/200/content/application~1*+xml`],
    'a response in a range with text': [{ responses: { '200': { description: '', content: { '*/*': { schema: text } } } } }, `widened ${at}/responses/200/content/*~1*`],
    'a link': [{ responses: { '200': { description: '', links: { next: { operationId: 'doIt' } } } } }, `noted ${at}/responses/200/links/next`],
    'the header Accept': [{ parameters: [header('Accept')] }, `noted ${at}/parameters/0`],
    'the header Host': [{ parameters: [header('Host')] }, `noted ${at}/parameters/0`],
    'the header Content-Type': [{ parameters: [header('content-type')] }, `noted ${at}/parameters/0`],
    'the header Authorization': [{ parameters: [header('Authorization')] }, `noted ${at}/parameters/0`],
    'parameters that are an object': [{ parameters: { q: query } }, `widened ${at}/parameters`],
    'a parameter that is none': [{ parameters: ['q'] }, `widened ${at}/parameters/0`],
    'the same parameter twice': [{ parameters: [query, query] }, `noted ${at}/parameters/1`],
    'a style that does not exist': [{ parameters: [{ ...query, style: 'commas' }] }, `noted ${at}/parameters/0/style`],
    'a second media type of a parameter': [{ parameters: [{ ...query, schema: undefined, content: { ...json(text), 'text/plain': {} } }] }, `noted ${at}/parameters/0/content/text~1plain`],
    'a parameter in another form than JSON': [{ parameters: [{ ...query, schema: undefined, content: { 'text/csv': { schema: text } } }] }, `noted ${at}/parameters/0/content/text~1csv`],
    'an unknown member of an operation': [{ sumary: 'a' }, `noted ${at}/sumary`],
    'an unknown member of a parameter': [{ parameters: [{ ...query, type: 'string' }] }, `noted ${at}/parameters/0/type`],
    'an unknown member of a response': [{ responses: { '200': { description: '', schema: text } } }, `noted ${at}/responses/200/schema`],
    'an unknown member of a media type': [{ responses: { '200': { description: '', content: { 'application/json': { schema: text, shema: 1 } } } } }, `noted ${at}/responses/200/content/application~1json/shema`],
    'an unknown member of a request body': [{ requestBody: { content: json(text), schema: text } }, `noted ${at}/requestBody/schema`],
    'an unknown member of an encoding': [{ requestBody: { content: { 'multipart/form-data': { schema: { type: 'object', properties: { a: text } }, encoding: { a: { type: 'a' } } } } } }, `noted ${at}/requestBody/content/multipart~1form-data/encoding/a/type`],
    'an informational response': [{ responses: { ...ok, '103': { description: '', content: json(text) } } }, `noted ${at}/responses/103`],
    'a response that is none': [{ responses: { ...ok, '400': 'no' } }, `widened ${at}/responses/400`],
  } // prettier-ignore

  it.each(Object.entries(cases))('lists %s', async (_, [operation, departure]) => {
    expect(await listedOf(withOperation(operation))).toContain(departure)
  })

  const documents: Readonly<Record<string, readonly [members: object, departure: string]>> = {
    'an unknown member of the document': [{ path: {} }, 'noted #/path'],
    'another dialect for all schemas': [{ jsonSchemaDialect: 'https://a.example/dialect', components: { schemas: { A: text } } }, 'widened #/jsonSchemaDialect'],
    'a path item that is a string': [{ paths: { '/a': 'get' } }, 'widened #/paths/~1a'],
    'an operation that is a string': [{ paths: { '/a': { get: 'a' } } }, 'widened #/paths/~1a/get'],
    'two paths that are the same': [{ paths: { '/a/{b}': { get }, '/a/{c}': {} } }, 'noted #/paths/~1a~1{c}'],
    'a path without a slash': [{ paths: { a: { get } } }, 'noted #/paths/a'],
    'an optional part of a path': [{ paths: { '/a/{b}': { get: { ...get, parameters: [{ name: 'b', in: 'path', required: false, schema: text }] } } } }, 'noted #/paths/~1a~1{b}/get/parameters/0'],
    'a method that no client has': [{ paths: { '/a': { trace: get } } }, 'widened #/paths/~1a/trace'],
    'a parameter of a webhook': [{ webhooks: { done: { parameters: [header('X-Id')], post: { parameters: [header('X-Signature')] } } } }, 'noted #/webhooks/done/post/parameters/0'],
    'a parameter of all methods of a webhook': [{ webhooks: { done: { parameters: [header('X-Id')], post: {} } } }, 'noted #/webhooks/done/parameters/0'],
    'a parameter of a callback': [{ paths: { '/a': { get: { ...get, callbacks: { done: { '{$url}': { post: { parameters: [header('X-Signature')] } } } } } } } }, `noted ${at}/callbacks/done/{$url}/post/parameters/0`],
    'a webhook that is not JSON': [{ webhooks: { done: { post: { requestBody: { content: { 'text/plain': {} } } } } } }, 'widened #/webhooks/done/post/requestBody/content/text~1plain'],
  } // prettier-ignore

  it.each(Object.entries(documents))('lists %s', async (_, [members, departure]) => {
    expect(await listedOf(documentOf(members))).toContain(departure)
  })

  it('leaves out words that begin with x-', async () => {
    expect(await listedOf(withOperation({ 'x-own': 1 }, { 'x-own': 1 }))).toEqual([])
  })
})

describe('the generated files', () => {
  const first = async (operation: object, more?: object): Promise<OperationModel | undefined> =>
    (await modelOf(withOperation(operation, more))).operations[0]

  it('have types and schemas for the bodies of callbacks', async () => {
    const body = (schema: object) => ({ post: { requestBody: { content: json(schema) } } })
    const callbacks = {
      onDone: {
        '{$request.body#/url}': body({ type: 'object', required: ['id'], properties: { id: text } }),
      },
      onOther: { $ref: '#/components/callbacks/Other' },
    }
    const components = { callbacks: { Other: { '{$request.body#/url}': body({ type: 'integer' }) } } }
    const model = await modelOf(withOperation({ callbacks }, { components }))
    const schemas = await loadSchemas(await printed(model))
    expect(accepted(schemas, 'doItOnDonePayload', [{ id: 'a' }, {}])).toEqual([{ id: 'a' }])
    expect(accepted(schemas, 'doItOnOtherPayload', [1, 'a'])).toEqual([1])
  })

  it('document the headers of a success at its method', async () => {
    const headers = { Location: { description: 'Where it is.', schema: text } }
    const model = await modelOf(withOperation({ responses: { '201': { description: '', headers } } }))
    expect((await printed(model)).get('api.gen.ts')).toContain('`Location`: Where it is.')
    expect(model.departures.map(({ place }) => place.pointer)).not.toContain(`${at}/responses/201/headers/Location`)
  }) // prettier-ignore

  it('mark deprecated properties and parameters that have no description', async () => {
    const parameters = [{ name: 'q', in: 'query', deprecated: true, schema: text }]
    const content = json({ type: 'object', properties: { old: { ...text, deprecated: true } } })
    const model = await modelOf(
      withOperation({ parameters, responses: { '200': { description: '', content } } }),
    )
    const types = (await printed(model)).get('types.gen.ts')
    expect(types).toMatch(/\* @deprecated\n\s+\*\/\n\s+old\?: string \| undefined/)
    expect(types).toMatch(/\* @deprecated\n\s+\*\/\n\s+q\?: string \| undefined/)
  })

  it('follow merge keys of YAML', async () => {
    const lines = [
      'openapi: 3.1.0',
      'info: { title: Test, version: 1.0.0 }',
      'x-shared: &shared',
      '  parameters: [{ name: q, in: query, required: true, schema: { type: string } }]',
      'paths:',
      '  /a:',
      '    get:',
      '      <<: *shared',
      '      operationId: doIt',
      "      responses: { '204': { description: None. } }",
    ]
    const source = parseSource(lines.join('\n'), testService.openapi)
    expect((await modelOf(source)).operations[0]?.parameters).toEqual([{ name: 'q', in: 'query', required: true }])
  }) // prettier-ignore

  it('add a missing slash to a path', async () => {
    const source = documentOf({ paths: { a: { get: { operationId: 'doIt', responses: ok } } } })
    expect((await modelOf(source)).operations[0]?.path).toBe('/a')
  })

  it('read a `default` that is the only response, and the body of a redirect as that of an error', async () => {
    const only = await modelOf(withOperation({ responses: { default: { description: '', content: json(text) } } }))
    expect(only.schemas.get('DoItOutput')).toMatchObject({ $ref: '#/components/schemas/DoItResponseDefault' })
    const redirect = { '302': { description: '' }, '300': { description: '', content: json(text) } }
    const model = await modelOf(withOperation({ responses: { ...ok, ...redirect } }))
    expect(model.schemas.get('DoItError')).toMatchObject({ $ref: '#/components/schemas/DoItResponse300' })
  }) // prettier-ignore

  it.each([
    ['allOf', { allOf: [{ type: 'object', properties: { a: text } }, { type: 'object', properties: { file } }] }],
    ['anyOf', { anyOf: [{ type: 'object', properties: { a: text } }, { type: 'object', properties: { file } }] }],
    ['references', { allOf: [{ $ref: '#/components/schemas/Base' }, { type: 'object', properties: { a: text } }] }],
  ])('allow a form to be combined with %s', async (_, schema) => {
    const requestBody = { content: { 'multipart/form-data': { schema } } }
    const components = { schemas: { Base: { type: 'object', properties: { file } } } }
    const operation = await first({ requestBody }, { components })
    expect(operation?.body?.parts).toEqual({ a: { kind: 'text' }, file: { kind: 'file' } })
    const model = await modelOf(withOperation({ requestBody }, { components }))
    expect((await printed(model)).get('types.gen.ts')).toMatch(/file\?: BinaryInput/)
    expect(departuresOf(model)).toEqual([])
  }) // prettier-ignore

  it.each([
    ['null', [file, { type: 'null' }], undefined],
    ['files', [{ type: 'array', items: file }, file], undefined],
    ['objects', [file, { type: 'object' }], 'json'],
    ['text', [{ type: 'string', format: 'uri' }, file, { type: 'object' }], 'text'],
    ['anything', [file, {}], 'text'],
  ])('allow a part of a form to be a file or something else: %s', async (_, oneOf, alternative) => {
    const schema = { type: 'object', properties: { a: { oneOf } } }
    const operation = await first({ requestBody: { content: { 'multipart/form-data': { schema } } } })
    expect(operation?.body?.parts).toEqual({ a: { kind: 'file', ...(alternative && { alternative }) } })
  })

  it('allow a form to be a map of files', async () => {
    const schema = { type: 'object', additionalProperties: file }
    const model = await modelOf(
      withOperation({ requestBody: { content: { 'multipart/form-data': { schema } } } }),
    )
    expect((await printed(model)).get('types.gen.ts')).toMatch(/\[key: string\]: BinaryInput/)
  })
})
