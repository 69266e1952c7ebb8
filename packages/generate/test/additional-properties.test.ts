import { beforeAll, describe, expect, it } from 'vitest'

import { type Schemas, accepted, loadSchemas, modelOf, printed, schemasOf } from './support/generated.ts'
import { type QuickTests, loadQuick } from './support/quick.ts'

const text = { type: 'string' }

/** A schema, and the values that it accepts and rejects. */
const cases: Readonly<Record<string, readonly [schema: object, yes: readonly unknown[], no: readonly unknown[]]>> = {
  Required: [{ type: 'object', required: ['id'], additionalProperties: text }, [{ id: 'a' }, { id: 'a', b: 'c' }], [{}, { id: 1 }, { id: 'a', b: 1 }]],
  Inherited: [{ type: 'object', properties: { constructor: text }, additionalProperties: false }, [{}, { constructor: 'a' }], [{ constructor: 1 }, { other: 'a' }]],
  Both: [{ type: 'object', properties: { constructor: text, name: text }, required: ['name'], additionalProperties: false }, [{ name: 'a' }, { name: 'a', constructor: 'a' }], [{ name: 'a', other: 1 }, {}]],
  Patterns: [{ type: 'object', required: ['id'], patternProperties: { '^i': { type: 'integer' } }, additionalProperties: text }, [{ id: 1 }, { id: 1, b: 'c' }], [{ id: 'a' }, { id: 1, b: 1 }]],
  Unless: [{ type: 'object', not: { type: 'object', required: ['id'], additionalProperties: text } }, [{}, { id: 1 }], [{ id: 'a' }]],
} // prettier-ignore

describe('`additionalProperties`', () => {
  let schemas: Schemas
  let quick: QuickTests
  let types = ''
  beforeAll(async () => {
    const source = schemasOf(Object.fromEntries(Object.entries(cases).map(([name, [schema]]) => [name, schema])))
    const model = await modelOf(source)
    const files = await printed(model)
    types = files.get('types.gen.ts') ?? ''
    schemas = await loadSchemas(files)
    quick = await loadQuick(model.schemas, Object.keys(cases))
  }) // prettier-ignore

  it.each(Object.entries(cases).map(([name, [, yes, no]]) => ({ name, yes, no })))(
    'is checked beside names that only `required` has, or that every object inherits: $name',
    ({ name, yes, no }) => {
      const values = [...yes, ...no]
      expect(accepted(schemas, name.toLowerCase(), values)).toEqual(yes)
      expect(values.filter((value) => quick[name]?.(value))).toEqual(yes)
    },
  )

  it('is the type of a name that only `required` has', () => {
    expect(types).toMatch(/export type Required = \{\s+id: string\s+\}/)
  })
})
