import { describe, expect, it } from 'vitest'

import { documentOf, modelOf } from '../../test/support/generated.ts'
import { effectsOf, problemsOf } from '../../test/support/problems.ts'
import type { JsonObject } from '../read/json.ts'
import { type Source, parseSource } from '../read/source.ts'
import { rulesKey } from './rules.ts'
import { readService } from './service.ts'

const retry = { class: 'safe' }
const text = { type: 'string' }
const json = (schema: unknown) => ({ 'application/json': { schema } })
const ok = { '200': { description: 'Yes.', content: json(text) } }

/** A document with one operation, `POST /things/{id}`. */
function withOperation(operation: object, more: object = {}) {
  const id = { name: 'id', in: 'path', required: true, schema: text }
  return documentOf({
    paths: {
      '/things/{id}': {
        parameters: [id],
        post: { operationId: 'doThing', 'x-retry': retry, responses: ok, ...operation },
      },
    },
    ...more,
  })
}

const at = '#/paths/~1things~1{id}/post'

/** An operation, the effect and the pointer of its problem, and a part of the reason. */
type Rejection = readonly [name: string, operation: object, effect: string, reason: RegExp]

const rejections: readonly Rejection[] = [
  ['no operationId', { operationId: undefined }, `noted ${at}`, /no operationId; the function is called `postThingsById`/],
  ["an operationId that isn't a name", { operationId: 'do-thing' }, `noted ${at}/operationId`, /`do-thing` isn't in camelCase; the function is called `doThing`/],
  ['an operationId that begins with a capital', { operationId: 'GetCost' }, `noted ${at}/operationId`, /the function is called `getCost`/],
  ['an operationId that the files need themselves', { operationId: 'send' }, `noted ${at}/operationId`, /the function is called `sendOperation`/],
  ['an operationId that every object has', { operationId: 'toString' }, `noted ${at}/operationId`, /the function is called `toStringOperation`/],
  ['an operationId that is a reserved word', { operationId: 'delete' }, `noted ${at}/operationId`, /reserved word/],
  ['no x-retry', { 'x-retry': undefined, 'x-outcome': { again: 'repeats' } }, `noted ${at}`, /`x-retry` is missing/],
  ['no x-outcome', { 'x-retry': { class: 'never' } }, `noted ${at}`, /needs x-outcome/],
  ['x-outcome of a safe operation', { 'x-outcome': { again: 'repeats' } }, `rejected ${at}/x-outcome`, /change something/],
  ['x-outcome that refers to no operation', { 'x-retry': { class: 'never' }, 'x-outcome': { lookUp: 'other' } }, `rejected ${at}/x-outcome/lookUp`, /`other` isn't the id/],
  ['a parameter in a place of its own', { parameters: [{ name: 'a', in: 'session', schema: text }] }, `widened ${at}/parameters/0`, /`session` is not sent/],
  ['a parameter with reserved characters', { parameters: [{ name: 'a', in: 'query', allowReserved: true, schema: text }] }, `noted ${at}/parameters/0/allowReserved`, /are escaped/],
  ['a keyword without effect inside of a parameter', { parameters: [{ name: 'a', in: 'query', schema: { ...text, then: {} } }] }, `noted ${at}/parameters/0/schema/then`, /no effect/],
  ['a keyword without effect inside of a response', { responses: { '200': { description: '', content: json({ type: 'array', minContains: 2 }) } } }, `noted ${at}/responses/200/content/application~1json/schema/minContains`, /no effect/],
  ['a status that is none', { responses: { ...ok, '20': { description: '' } } }, `widened ${at}/responses/20`, /^`20` is not a status; write a number such as 404, a range such as 4XX, or `default`$/],
  ['a parameter that is not in the path', { parameters: [{ name: 'other', in: 'path', required: true, schema: text }] }, `noted ${at}`, /`other` is not in the path/],
  ['a parameter with a name that every object has', { parameters: [{ name: 'constructor', in: 'query', schema: text }] }, `widened ${at}/parameters/0`, /already/],
  ['a reference to nothing', { parameters: [{ $ref: '#/components/parameters/Missing' }] }, `widened ${at}/parameters/0`, /not in this file/],
  ['a body without a media type', { requestBody: { content: {} } }, `widened ${at}/requestBody`, /needs a media type/],
  ['a second media type of an error', { responses: { ...ok, '404': { description: '', content: { ...json(text), 'text/plain': { schema: text } } } } }, `noted ${at}/responses/404/content/text~1plain`, /errors are read as `application\/json`/],
  ['a response in parts', { responses: { '200': { description: '', content: { 'multipart/mixed': { schema: text } } } } }, `widened ${at}/responses/200/content/multipart~1mixed`, /don't read `multipart\/mixed` responses/],
  ['a scheme that is not described', { security: [{ one: [] }] }, `widened ${at}/security/0`, /not in this file/],
  ['a hint for a part that is not there', { requestBody: { content: { 'multipart/form-data': { schema: { type: 'object' }, encoding: { a: {} } } } } }, `noted ${at}/requestBody/content/multipart~1form-data/encoding/a`, /no part of this name/],
  ['a header of a part', { requestBody: { content: { 'multipart/form-data': { schema: { type: 'object', properties: { a: text } }, encoding: { a: { headers: {} } } } } } }, `widened ${at}/requestBody/content/multipart~1form-data/encoding/a/headers`, /clients ignore `headers`/],
] // prettier-ignore

const getA = { get: { operationId: 'getA', 'x-retry': retry, responses: ok } }
const withPaths = (paths: object) => documentOf({ paths })
const withSchemas = (schemas: object) => documentOf({ components: { schemas } })

/** A document, the pointer of its only problem, and a part of the reason. */
type WholeRejection = readonly [name: string, source: Source, pointer: string, reason: RegExp]

const wholeRejections: readonly WholeRejection[] = [
  ['a path parameter that is not described', withPaths({ '/a/{b}': getA }), '#/paths/~1a~1{b}/get', /^the path parameter `b` is not described$/],
  ['two operations with one name', withPaths({ '/a': getA, '/b': getA }), '#/paths/~1b/get', /#\/paths\/~1a\/get/],
  ['an unsupported member of a path', withPaths({ '/a': { trace: {} } }), '#/paths/~1a/trace', /^`trace` of a path is ignored$/],
  ['a misspelled member, with the right spelling', withOperation({ responces: {} }), `${at}/responces`, /^`responces` isn't a member that OpenAPI allows in an operation, so it is ignored; did you mean `responses`\?$/],
  ['an unknown type, without advice to add a type', withSchemas({ A: { type: 'strng', minLength: 1 } }), '#/components/schemas/A/type', /^`"strng"` is not a type of JSON Schema$/],
  ['a component with the name of a type that an operation defines', withOperation({}, { components: { schemas: { DoThingInput: text } } }), at, /`DoThingInput` is defined twice/],
  ['a component whose name is not in PascalCase', withSchemas({ thing: text }), '#/components/schemas/thing', /PascalCase.*its type is called `Thing`/],
  ['a component whose name the files need themselves', withSchemas({ BinaryInput: text }), '#/components/schemas/BinaryInput', /need the name .* this type is called `BinaryInput2`/],
  ['two components whose schemas would have one name', withSchemas({ JSONValue: text, JsonValue: text }), '#/components/schemas/JsonValue', /^the type `JsonValue` is defined twice; this one is called `JsonValue2`$/],
] // prettier-ignore

describe('the generator, in strict mode,', () => {
  it.each(rejections)('rejects %s, with its place', async (_, operation, effect, reason) => {
    expect(await effectsOf(withOperation(operation))).toEqual([effect])
    const found = await problemsOf(withOperation(operation))
    expect(found.map(({ place }) => place.pointer)).toEqual([effect.slice(effect.indexOf('#'))])
    expect(found[0]?.reason).toMatch(reason)
  })

  it.each(wholeRejections)('rejects %s', async (_, source, pointer, reason) => {
    expect(await problemsOf(source)).toMatchObject([
      { place: { pointer }, reason: expect.stringMatching(reason) },
    ])
  })

  it('rejects versions of OpenAPI other than 3.0, 3.1 and 3.2', async () => {
    const reasonOf = async (openapi: string) => (await problemsOf(documentOf({ openapi })))[0]?.reason
    for (const openapi of ['3.0.3', '3.1.0', '3.2.0']) expect(await reasonOf(openapi)).toBeUndefined()
    expect(await reasonOf('2.0')).toBe('the version is 2.0, and only OpenAPI 3.0, 3.1 and 3.2 are read')
  })

  it('rejects a form with bytes that is also used as JSON', async () => {
    const form = {
      type: 'object',
      properties: { file: { ...text, contentMediaType: 'application/octet-stream' } },
    }
    const reference = { $ref: '#/components/schemas/Form' }
    const source = withOperation(
      {
        requestBody: { content: { 'multipart/form-data': { schema: reference } } },
        responses: { '200': { description: '', content: json(reference) } },
      },
      { components: { schemas: { Form: form } } },
    )
    const found = await problemsOf(source)
    expect(found[0]).toMatchObject({
      place: { pointer: `${at}/responses/200/content/application~1json/schema` },
      reason: expect.stringContaining('form with bytes'),
    })
  })
})

describe('an operation', () => {
  const read = async (operation: object, more?: object) =>
    (await readService(withOperation(operation, more))).operations[0]

  it('has the parameters of its path and its own, which win', async () => {
    const own = { name: 'id', in: 'path', required: true, description: 'Mine.', schema: { type: 'integer' } }
    const model = await read({ parameters: [own, { name: 'q', in: 'query', schema: text }] })
    expect(model?.parameters).toEqual([
      { name: 'id', in: 'path', required: true, doc: 'Mine.' },
      { name: 'q', in: 'query', required: false },
    ])
  })

  it("doesn't take a required header with one value, which the client sends by itself", async () => {
    const header = (required: boolean, schema: object) => ({
      parameters: [{ name: 'X-Version', in: 'header', required, schema }],
    })
    const version = { ...text, const: '2024-11-06' }
    const sent = await readService(withOperation(header(true, version)))
    expect(sent.operations[0]?.parameters[1]).toMatchObject({ name: 'X-Version', value: '2024-11-06' })
    expect(sent.schemas.get('DoThingInput')?.properties).not.toHaveProperty('headers')
    for (const asked of [header(false, version), header(true, text), header(true, { const: 4 })]) {
      const model = await readService(withOperation(asked))
      expect(model.operations[0]?.parameters[1]).not.toHaveProperty('value')
      expect(model.schemas.get('DoThingInput')?.properties).toHaveProperty('headers')
    }
  })

  it('has no parameter for a header that belongs to HTTP itself', async () => {
    const source = withOperation({ parameters: [{ name: 'Content-Type', in: 'header', schema: text }] })
    const model = await modelOf(source)
    expect(model.operations[0]?.parameters.map(({ name }) => name)).toEqual(['id'])
  })

  it('is sent to the server that its address names, to baseUrl where it names none', async () => {
    expect((await read({ servers: [{ url: '{data_url}/v1' }] }))?.server).toBe('dataUrl')
    expect((await read({ servers: [{ url: 'https://a.example' }] }))?.server).toBe('baseUrl')
    expect((await read({}, { servers: [{ url: '{auth_url}' }] }))?.server).toBe('authUrl')
  })

  it('is public with an empty list of security, and has that of the document without one', async () => {
    const more = {
      security: [{ key: [] }],
      components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'K' } } },
    }
    expect((await read({ security: [] }, more))?.security).toEqual([])
    expect((await read({}, more))?.security).toEqual(['key'])
  })

  it('knows the secrets in its parameters, its body and its responses, at any depth, once each', async () => {
    const secret = { ...text, 'x-secret': true }
    const deep: JsonObject = {
      type: 'array',
      items: { type: 'object', properties: { code: secret, more: { $ref: '#/components/schemas/Deep' } } },
    }
    const model = await read(
      {
        parameters: [{ name: 'pin', in: 'query', 'x-secret': true, schema: text }],
        requestBody: { content: json({ type: 'object', properties: { password: secret } }) },
        responses: { '200': { description: '', content: json({ $ref: '#/components/schemas/Deep' }) } },
      },
      { components: { schemas: { Deep: deep } } },
    )
    expect(model?.secrets).toEqual(['code', 'password', 'pin'])
  })

  it('knows that a whole body is secret', async () => {
    const model = await read({
      responses: { '200': { description: '', content: json({ 'x-secret': true }) } },
    })
    expect(model?.secrets).toEqual(['*'])
  })

  it('lists the values of an open enum of two branches once', async () => {
    const branch = (values: string[]) => ({
      type: 'object',
      properties: { kind: { ...text, enum: values, 'x-open-enum': true } },
    })
    const model = await read({
      responses: {
        '200': { description: '', content: json({ anyOf: [branch(['a', 'b']), branch(['b', 'c'])] }) },
      },
    })
    expect(model?.responses[0]?.openEnums).toEqual([{ path: ['kind'], values: ['a', 'b', 'c'] }])
  })

  it('needs an input only where some part of it is required', async () => {
    const source = documentOf({
      paths: {
        '/a': {
          get: { operationId: 'getA', 'x-retry': retry, responses: ok, requestBody: { content: json(text) } },
        },
      },
    })
    expect((await readService(source)).operations[0]).toMatchObject({ hasInput: true, inputRequired: false })
    expect(await read({})).toMatchObject({ hasInput: true, inputRequired: true })
  })
})

describe('an AsyncAPI document beside it', () => {
  const events = (body: string) =>
    parseSource(`asyncapi: 3.0.0\ninfo: { title: Test, version: 1.0.0 }\n${body}`, 'specs/test/asyncapi.yaml')
  const requests = () => documentOf({ components: { schemas: { Thing: text } } })

  it('adds the payloads that have no name in the OpenAPI document, and no others', async () => {
    const model = await readService(
      requests(),
      events(
        `components:\n  messages:\n    moved:\n      payload: { $ref: './openapi.yaml#/components/schemas/Thing' }\n    lost:\n      payload: { type: object }\n`,
      ),
    )
    expect([...model.schemas.keys()]).toEqual(['Thing', 'LostPayload'])
    expect(model.sources.map(({ file }) => file)).toEqual([
      'specs/test/openapi.yaml',
      'specs/test/asyncapi.yaml',
    ])
  })

  it("rejects a payload that doesn't exist", async () => {
    const payload = `{ $ref: './openapi.yaml#/components/schemas/Missing' }`
    const found = await problemsOf(
      requests(),
      events(`components:\n  messages:\n    a:\n      payload: ${payload}\n`),
    )
    expect(found).toMatchObject([
      {
        place: { file: 'specs/test/asyncapi.yaml', pointer: '#/components/messages/a/payload/$ref' },
        reason: expect.stringContaining('leads to nothing; correct the reference'),
      },
    ])
  })

  it("rejects documents that aren't AsyncAPI", async () => {
    const found = await problemsOf(requests(), events(`channels: 7\n`))
    expect(found[0]).toMatchObject({
      place: { pointer: '#/channels' },
      reason: expect.stringContaining('not valid AsyncAPI'),
    })
  })
})

it('the parts of a form that are files are those that hold bytes, in each way to write that', async () => {
  const image = { type: 'string', contentMediaType: 'image/png' }
  const properties = {
    older: { type: 'string', format: 'binary' },
    optional: { anyOf: [{ type: 'string', format: 'binary' }, { type: 'null' }] },
    image,
    untyped: { contentMediaType: 'image/png' },
    list: { type: 'array', items: image },
    anything: {},
    encoded: { ...image, contentEncoding: 'base64' },
    document: { type: 'string', contentMediaType: 'application/json' },
    text,
    open: {},
  }
  const encoding = { anything: { contentType: 'image/png, image/webp' } }
  const requestBody = {
    content: { 'multipart/form-data': { schema: { type: 'object', properties }, encoding } },
  }
  const { operations, departures, schemas } = await modelOf(withOperation({ requestBody }))
  const parts = Object.entries(operations[0]?.body?.parts ?? {})
  expect(parts.flatMap(([name, { kind }]) => (kind === 'file' ? [name] : []))).toEqual(
    ['older', 'optional', 'image', 'untyped', 'list', 'anything'],
  )
  expect(departures.filter(({ effect }) => effect === 'widened')).toEqual([])
  const input = schemas.get('DoThingInput')?.properties?.['body']?.properties ?? {}
  const bytes = { type: 'string', [rulesKey]: { binary: true } }
  expect([input['older'], input['image'], input['untyped'], input['list']?.items]).toEqual([bytes, bytes, bytes, bytes])
  expect([input['encoded'], input['document']]).toEqual([text, text])
}) // prettier-ignore
