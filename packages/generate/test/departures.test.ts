import { describe, expect, it } from 'vitest'

import { accepted, loadSchemas, modelOf, printed, schemasOf } from './support/generated.ts'

/** A schema that can only be widened, because its pattern is invalid. */
const open = { type: 'string', pattern: '[' }

describe('an assertion that rejects because another schema accepts', () => {
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
    'is left out where that schema was widened: $name',
    async ({ schema, accepts }) => {
      const source = schemasOf({ Thing: schema, Closed: { not: open } })
      const model = await modelOf(source)
      const widened = model.departures.filter(({ effect }) => effect === 'widened')
      const keyword = keywords.findLast((name) => name in schema)
      expect(widened.map(({ place }) => place.pointer)).toContain(`#/components/schemas/Thing/${keyword}`)
      expect(accepted(await loadSchemas(await printed(model)), 'thing', accepts)).toEqual(accepts)
    },
  )

  it('stays where nothing was widened', async () => {
    const source = schemasOf({ Thing: { allOf: [open, { not: { const: 'a' } }] }, Open: open })
    const model = await modelOf(source)
    expect(accepted(await loadSchemas(await printed(model)), 'thing', ['a', 'b'])).toEqual(['b'])
  })
})
