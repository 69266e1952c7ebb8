import { describe, expect, it } from 'vitest'

import type { Source } from '../src/read/source.ts'
import { accepted, documentOf, loadSchemas, modelOf, printed, schemasOf } from './support/generated.ts'

const text = { type: 'string' }
/** A schema that can only be widened: its pattern is none. */
const open = { type: 'string', pattern: '[' }

async function departuresOf(source: Source) {
  const { departures } = await modelOf(source)
  return departures.map(({ place, effect }) => `${effect} ${place.pointer}`)
}

describe('a schema is widened, or noted, at its place:', () => {
  const cases: Readonly<Record<string, readonly [schema: unknown, departure: string, accepts: readonly unknown[]]>> = {
    'a pattern that is none': [open, 'widened /pattern', ['a', '']],
    'a pattern that takes exponential time': [{ ...text, pattern: '^(a+)+$' }, 'widened /pattern', ['aa', 'b']],
    'a pattern with escapes that the u flag does not allow': [{ ...text, pattern: '^\\-a\\@b$' }, 'noted /pattern', ['-a@b']],
    'a type that is none': [{ type: 'file' }, 'widened /type', ['a', 1]],
    'a limit that is none': [{ ...text, maxLength: 'long' }, 'widened /maxLength', ['a']],
    'a dialect that is not known': [{ $schema: 'https://a.example/dialect', maxLength: 1 }, 'widened /$schema', ['ab', 7]],
    'a dynamic reference': [{ $dynamicRef: '#a' }, 'widened /$dynamicRef', [1, 'a']],
    'a number instead of a schema': [7, 'widened ', [1, 'a']],
    'a property called __proto__': [{ type: 'object', required: ['__proto__'] }, 'widened ', [{ a: 1 }]],
    'an unknown keyword': [{ ...text, maxLenght: 1 }, 'noted /maxLenght', ['ab']],
    'an unknown format': [{ ...text, format: 'email' }, 'noted /format', ['ab']],
    'a keyword of another type': [{ ...text, minItems: 3 }, 'noted /minItems', ['a']],
    'a keyword without a type': [{ minLength: 2 }, 'noted /minLength', ['ab', 7, null]],
    'a discriminator': [{ ...text, discriminator: { propertyName: 'a' } }, 'noted /discriminator', ['a']],
    'xml': [{ ...text, xml: { name: 'a' } }, 'noted /xml', ['a']],
    'then without if': [{ ...text, then: { const: 'a' } }, 'noted /then', ['b']],
    'an empty enum': [{ enum: [] }, 'noted /enum', []],
  } // prettier-ignore

  it.each(Object.entries(cases).map(([name, [schema, departure, accepts]]) => ({ name, schema, departure, accepts })))(
    '$name',
    async ({ schema, departure, accepts }) => {
      const model = await modelOf(schemasOf({ Thing: schema }))
      const [effect = '', pointer = ''] = departure.split(' ')
      expect(model.departures.map(({ place, effect: found }) => `${found} ${place.pointer}`)).toContain(
        `${effect} #/components/schemas/Thing${pointer}`,
      )
      expect(accepted(await loadSchemas(await printed(model)), 'thing', accepts)).toEqual(accepts)
    },
  ) // prettier-ignore
})

describe('an operation is widened, or noted, at its place:', () => {
  const at = '#/paths/~1a/post'
  const ok = { responses: { '204': { description: '' } } }
  const cases: Readonly<Record<string, readonly [operation: object, departure: string]>> = {
    'no operationId': [{ operationId: undefined }, `noted ${at}`],
    'an operationId with a hyphen': [{ operationId: 'do-it' }, `noted ${at}/operationId`],
    'a parameter in a place of its own': [{ parameters: [{ name: 'a', in: 'session' }] }, `widened ${at}/parameters/0`],
    'a hint for a part that is not there': [{ requestBody: { content: { 'multipart/form-data': { schema: { type: 'object' }, encoding: { a: {} } } } } }, `noted ${at}/requestBody/content/multipart~1form-data/encoding/a`],
    'a body in XML': [{ requestBody: { content: { 'application/xml': { schema: { type: 'object' } } } } }, `widened ${at}/requestBody/content/application~1xml/schema`],
    'a response in XML': [{ responses: { '200': { description: '', content: { 'application/xml': { schema: { type: 'object' } } } } } }, `widened ${at}/responses/200/content/application~1xml/schema`],
    'a response in parts': [{ responses: { '200': { description: '', content: { 'multipart/mixed': { schema: text } } } } }, `widened ${at}/responses/200/content/multipart~1mixed`],
    'a response in a range with JSON': [{ responses: { '200': { description: '', content: { '*/*': { schema: { allOf: [{ type: 'object' }] } } } } } }, `noted ${at}/responses/200/content/*~1*`],
    'a response in a range with text': [{ responses: { '200': { description: '', content: { '*/*': { schema: text } } } } }, `widened ${at}/responses/200/content/*~1*`],
    'headers of a part': [{ requestBody: { content: { 'multipart/form-data': { schema: { type: 'object', properties: { a: text } }, encoding: { a: { headers: { 'X-A': { schema: text } } } } } } } }, `widened ${at}/requestBody/content/multipart~1form-data/encoding/a/headers`],
    'several servers': [{ servers: [{ url: 'https://a.example' }, { url: 'https://b.example' }] }, `noted ${at}`],
    'a status that is none': [{ responses: { '20': { description: '' } } }, `widened ${at}/responses/20`],
  } // prettier-ignore

  it.each(Object.entries(cases).map(([name, [operation, departure]]) => ({ name, operation, departure })))(
    '$name',
    async ({ operation, departure }) => {
      const post = { operationId: 'doIt', ...ok, ...operation }
      expect(await departuresOf(documentOf({ paths: { '/a': { post } } }))).toContain(departure)
    },
  )
})

describe('what rejects because something else accepts is left out where that was widened:', () => {
  type Case = readonly [schema: Readonly<Record<string, unknown>>, accepts: readonly unknown[]]
  const cases: Readonly<Record<string, Case>> = {
    not: [{ not: open }, ['a', 1]],
    'not of a branch of a union': [{ not: { anyOf: [{ type: 'number' }, open] } }, ['a']],
    'not of a property': [{ not: { type: 'object', required: ['a'], properties: { a: open } } }, [{ a: 'a' }]],
    oneOf: [{ oneOf: [open, { type: 'string', minLength: 1 }] }, ['a']],
    if: [{ if: open, then: { const: 1 } }, ['a']],
    contains: [{ type: 'array', contains: open, maxContains: 1 }, [['a', 'b']]],
    'not of a reference to what is left out itself': [{ not: { $ref: '#/components/schemas/Closed' } }, ['a', 1]],
    unevaluatedProperties: [
      { type: 'object', if: { properties: { a: open } }, then: true, else: { properties: { b: {} } }, unevaluatedProperties: false },
      [{ a: 'a', b: 1 }],
    ],
    unevaluatedItems: [
      { type: 'array', if: { prefixItems: [open] }, else: { prefixItems: [{}, {}] }, unevaluatedItems: false },
      [['a', 'b']],
    ],
  } // prettier-ignore

  const keywords = ['not', 'oneOf', 'if', 'contains', 'unevaluatedProperties', 'unevaluatedItems']

  it.each(Object.entries(cases).map(([name, [schema, accepts]]) => ({ name, schema, accepts })))(
    '$name',
    async ({ schema, accepts }) => {
      const source = schemasOf({ Thing: schema, Closed: { not: open } })
      const model = await modelOf(source)
      const widened = model.departures.filter(({ effect }) => effect === 'widened')
      const keyword = keywords.findLast((name) => name in schema)
      expect(widened.map(({ place }) => place.pointer)).toContain(`#/components/schemas/Thing/${keyword}`)
      expect(accepted(await loadSchemas(await printed(model)), 'thing', accepts)).toEqual(accepts)
    },
  )

  it('and nothing else is', async () => {
    const source = schemasOf({ Thing: { allOf: [open, { not: { const: 'a' } }] }, Open: open })
    const model = await modelOf(source)
    expect(accepted(await loadSchemas(await printed(model)), 'thing', ['a', 'b'])).toEqual(['b'])
  })
})
