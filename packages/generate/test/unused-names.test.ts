import { expect, it } from 'vitest'

import { print } from '../src/generate.ts'
import { parseSource } from '../src/read/source.ts'
import type { Service } from '../src/services.ts'
import { errorsIn } from './support/compiler.ts'
import { documentOf, modelOf } from './support/generated.ts'

const content = (type: string, schema: object = { type: 'string' }) => ({ [type]: { schema } })
const get = (responses: object, others: object = {}) => ({
  paths: { '/a': { get: { operationId: 'getA', responses, ...others } } },
})
const ok = (body: object) => ({ 200: { description: '', content: body } })
/** Several tests of one value. Some of them can't pass after others. */
const conflicting: Readonly<Record<string, object>> = {
  Both: { type: ['string', 'number'], allOf: [{ enum: ['a', 1] }, { const: true }] },
  Not: { type: ['boolean', 'object'], not: { type: 'number', prefixItems: [{ type: 'null' }] } },
  When: { if: { additionalProperties: { type: 'string' }, type: 'object' }, then: { const: 1.5 } },
  Map: { type: 'object', additionalProperties: { type: 'number' }, dependentSchemas: { a: { const: -3 } } },
  Nested: { type: 'object', properties: { a: { type: ['number', 'null'], allOf: [{ type: 'string', maxLength: 2 }] } } },
  List: { type: 'object', items: { type: 'object', unevaluatedProperties: { type: 'number', enum: ['a'] } } },
  Itself: { type: 'object', required: ['next'], properties: { next: { $ref: '#/components/schemas/Itself' }, a: false } },
  Never: { type: 'object', properties: { to: { $ref: '#/components/schemas/Ever' } } },
  Ever: { type: 'string', allOf: [{ type: 'number', enum: ['a'] }, { $ref: '#/components/schemas/Never' }] },
} // prettier-ignore
const openapi: Readonly<Record<string, object>> = {
  'only-schemas': { components: { schemas: { Thing: { type: 'object' } } } },
  conflicting: {
    paths: {
      '/a': {
        post: {
          operationId: 'postA',
          requestBody: {
            content: Object.assign(
              {},
              ...Object.keys(conflicting).map((name) =>
                content(`application/${name}+json`, { $ref: `#/components/schemas/${name}` }),
              ),
            ),
          },
          responses: {},
        },
      },
    },
    components: { schemas: conflicting },
  },
  'only-ranges': { paths: { '/a': { post: { operationId: 'postA', requestBody: { required: true, content: { ...content('*/*'), ...content('image/*') } }, responses: {} } } } }, // prettier-ignore
  'no-body': get({ 204: { description: '' } }),
  'several-media-types': get(ok({ ...content('application/json'), ...content('text/plain') })),
  'only-a-stream': get(ok(content('text/event-stream'))),
  'several-streams': get(ok({ ...content('text/event-stream'), ...content('application/json-seq') })),
  'any-media-type-first': get(ok({ ...content('*/*'), ...content('image/*') })),
  'only-bytes': get(ok(content('application/octet-stream'))),
  'only-headers': get({ 204: { description: '', headers: { 'X-A': { schema: { type: 'string' } } } } }),
  'a-key': {
    ...get({ 204: { description: '' } }, { security: [{ key: [] }] }),
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  },
}
const asyncapi = {
  asyncapi: '3.0.0',
  info: { title: 'T', version: '1' },
  channels: { a: { address: '/a', messages: { m: { payload: { type: 'string' } } } } },
}
const socket = { ...asyncapi, servers: { main: { host: 'a.example', protocol: 'wss' } } }

it('generated files compile, and have no import, local or parameter that they do not use', async () => {
  const sources = [
    ...Object.entries(openapi).map(([name, members]) => [name, documentOf(members)] as const),
    ...Object.entries({ 'no-transport': asyncapi, 'only-a-socket': socket }).map(
      ([name, value]) => [name, parseSource(JSON.stringify(value), 'asyncapi.json')] as const,
    ),
  ]
  const files = new Map<string, string>()
  for (const [name, source] of sources) {
    const folders = { client: { folder: name }, validators: { folder: name } }
    const service: Service = { name, openapi: 'a', apiName: 'TheApi', className: 'The', ...folders }
    const printed = await print(await modelOf(source, { apiName: 'TheApi' }), service)
    for (const [file, text] of printed) files.set(file, text)
  }
  expect(await errorsIn(files)).toEqual([])
})
