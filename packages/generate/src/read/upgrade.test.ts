import { describe, expect, it } from 'vitest'

import { accepted, documentOf, loadSchemas, modelOf, printed } from '../../test/support/generated.ts'

const text = { type: 'string' }

/**
 * A schema of OpenAPI 3.0, values that it accepts, values that it rejects, and whether it accepts more than the
 * document allows.
 */
type Case = readonly [schema: object, yes: readonly unknown[], no: readonly unknown[], isWidened?: boolean]

const cases: Readonly<Record<string, Case>> = {
  'nullable: true': [{ ...text, nullable: true }, ['a', null], [1]],
  'nullable: false': [{ ...text, nullable: false }, ['a'], [null]],
  'nullable without a type': [{ nullable: true }, ['a', null, 1], []],
  'nullable beside an enum with null': [{ ...text, enum: ['a', null], nullable: true }, ['a', null], ['b']],
  'nullable beside an enum without null': [{ ...text, enum: ['a'], nullable: true }, ['a', null], ['b'], true],
  'nullable beside allOf': [{ allOf: [text], nullable: true }, ['a', null], [1], true],
  'nullable beside $ref': [{ $ref: '#/components/schemas/Text', nullable: true }, ['a', null], [1], true],
  'a sibling of $ref': [{ $ref: '#/components/schemas/Text', maxLength: 1 }, ['abc'], [1]],
  'exclusiveMinimum: true': [{ type: 'number', minimum: 1, exclusiveMinimum: true }, [1.5], [1, 0]],
  'exclusiveMinimum: false': [{ type: 'number', minimum: 1, exclusiveMinimum: false }, [1], [0]],
  'exclusiveMaximum: true': [{ type: 'number', maximum: 1, exclusiveMaximum: true }, [0], [1, 2]],
  'exclusiveMaximum without maximum': [{ type: 'number', exclusiveMaximum: true }, [0, 9], ['a']],
  'something in an example that looks like a schema': [{ type: 'object', example: { nullable: true, $ref: '#/no' } }, [{}], [null]],
  'a property called nullable': [{ type: 'object', properties: { nullable: { type: 'boolean' } } }, [{ nullable: true }], [{ nullable: 1 }]],
  'nullable in a property called default': [{ type: 'object', properties: { default: { ...text, nullable: true } } }, [{ default: null }], [{ default: 1 }]],
  'nullable inside of another schema': [{ type: 'array', items: { ...text, nullable: true } }, [[null, 'a']], [[1]]],
} // prettier-ignore

describe('a schema of OpenAPI 3.0 means the same after it is read:', () => {
  it.each(Object.entries(cases).map(([name, [schema, yes, no, isWidened = false]]) => ({ name, schema, yes, no, isWidened })))(
    '$name',
    async ({ schema, yes, no, isWidened }) => {
      const source = documentOf({ openapi: '3.0.3', components: { schemas: { Text: text, Thing: schema } } })
      const model = await modelOf(source)
      expect(accepted(await loadSchemas(await printed(model)), 'thing', [...yes, ...no])).toEqual(yes)
      const widened = model.departures.filter(({ effect }) => effect === 'widened')
      expect(widened.map(({ place }) => place.pointer)).toEqual(isWidened ? ['#/components/schemas/Thing/nullable'] : [])
    },
  ) // prettier-ignore

  it('nullable in the default response', async () => {
    const schema = { ...text, nullable: true }
    const responses = { 204: { description: '' }, default: { description: '', content: { 'application/json': { schema } } } }
    const model = await modelOf(documentOf({ openapi: '3.0.3', paths: { '/': { get: { operationId: 'read', responses } } } }))
    expect(accepted(await loadSchemas(await printed(model)), 'readResponseDefault', ['a', null, 1])).toEqual(['a', null])
  }) // prettier-ignore

  it('bytes in a body, in a form and in a string', async () => {
    const form = { type: 'object', properties: { file: { ...text, format: 'binary' }, code: { ...text, format: 'byte' } } }
    const bytes = { ...text, format: 'binary' }
    const post = {
      operationId: 'send',
      requestBody: { content: { 'multipart/form-data': { schema: form } } },
      responses: { 200: { description: '', content: { 'image/png': { schema: bytes } } } },
    }
    const model = await modelOf(documentOf({ openapi: '3.0.1', paths: { '/': { post } } }))
    expect(model.operations[0]?.body?.parts).toMatchObject({ file: { kind: 'file' }, code: { kind: 'text' } })
    expect(model.operations[0]?.responses[0]?.kind).toBe('binary')
  }) // prettier-ignore
})
