import { describe, expect, it } from 'vitest'

import { readSpec } from './openapi.ts'
import type { Spec } from './model.ts'
import { type Direction, schemaOracle } from './schema-oracle.ts'

/** A contract with these components. */
const specWith = (schemas: object, more: object = {}): Spec =>
  readSpec(
    { openapi: '3.1.0', info: { title: 'Things' }, paths: {}, components: { schemas }, ...more },
    { file: 'things.yaml' },
  )

const schemas = {
  Level: { type: 'string', enum: ['low', 'high'], 'x-open-enum': true },
  Thing: {
    type: 'object',
    required: ['at'],
    properties: {
      at: { type: 'string', format: 'iso-8601' },
      kind: { const: 'thing' },
      level: { $ref: '#/components/schemas/Level' },
      size: { enum: [1, 2] },
    },
  },
}
const spec = specWith(schemas)

it.each([
  [{ at: '2026-03-02T09:14' }, []],
  [{ at: '2026-03-02', level: 'another' }, []],
  [{}, [['', "must have required property 'at'"]]],
  [{ at: 'today' }, [['/at', expect.stringContaining('ISO 8601')]]],
  [{ at: '2026-03-02', kind: 'other' }, [['/kind', 'must be "thing"']]],
  [{ at: '2026-03-02', size: 3 }, [['/size', 'must be one of [1,2]']]],
])('validates %j with the schema, its open enums and its formats', (value, issues) => {
  const oracle = schemaOracle(spec)
  const found = oracle.judge(oracle.component('Thing'), value)
  expect(found.map(({ path, reason }) => [path, reason])).toEqual(issues)
})

it('rejects other values of open enums if the option says so', () => {
  const oracle = schemaOracle(spec, { closedEnums: true })
  expect(oracle.accepts(oracle.component('Level'), 'another')).toBe(false)
  expect(oracle.accepts(oracle.component('Level'), 'low')).toBe(true)
})

it('keeps an oracle for each combination of options', () => {
  const spec = specWith({
    Note: { type: 'string', format: 'email' },
    Level: { enum: ['low'], 'x-open-enum': true },
  })
  const accepts = (options: object) => {
    const oracle = schemaOracle(spec, options)
    return [
      oracle.accepts(oracle.component('Note'), 'no'),
      oracle.accepts(oracle.component('Level'), 'other'),
    ]
  }
  const all = [{}, { loose: true }, { closedEnums: true }, { closedEnums: true, loose: true }]
  expect(all.map(accepts)).toEqual([
    [false, true],
    [true, true],
    [false, false],
    [true, false],
  ])
})

it('needs no property in a direction that it does not belong to, also through references and combinations', () => {
  const own = { Id: { type: 'string', readOnly: true } }
  const properties = { id: { $ref: '#/components/schemas/Id' }, key: { type: 'string', writeOnly: true }, name: {} }
  const Base = { type: 'object', required: ['id', 'key', 'name', 'constructor'], properties }
  const Thing = { oneOf: [{ allOf: [{ $ref: '#/components/schemas/Base' }] }] }
  const oracle = schemaOracle(specWith({ ...own, Base, Thing }))
  const accepts = (value: object, direction?: Direction) =>
    oracle.accepts(oracle.component('Thing'), { constructor: 1, ...value }, direction)
  const [whole, request, response] = [{ id: 'a', key: 'b', name: 1 }, { key: 'b', name: 1 }, { id: 'a', name: 1 }]
  expect([whole, request, response].map((value) => accepts(value))).toEqual([true, false, false])
  expect([whole, request, response].map((value) => accepts(value, 'request'))).toEqual([true, true, false])
  expect([whole, request, response].map((value) => accepts(value, 'response'))).toEqual([true, false, true])
  expect(accepts({ key: 'b' }, 'request')).toBe(false)
}) // prettier-ignore

it.each([
  ['an empty enum accepts nothing', { type: 'string', enum: [] }, 'a', false],
  ['a required name that is listed twice is needed once', { required: ['a', 'a'] }, { a: 1 }, true],
  ['a bound of OpenAPI 3.0 that is a boolean means nothing in 3.1', { type: 'number', minimum: 0, exclusiveMinimum: true }, 0, true],
  ['`$recursiveAnchor` means nothing since draft 2020-12', { $recursiveAnchor: true, minLength: 2 }, 'a', false],
  ['`nullable` and `id` mean nothing in OpenAPI 3.1', { nullable: true, id: 'a', minLength: 2 }, null, true],
])('compiles what Ajv rejects: %s', (_, schema, value, expected) => {
  const oracle = schemaOracle(specWith({ Odd: schema }))
  expect(oracle.accepts(oracle.component('Odd'), value)).toBe(expected)
}) // prettier-ignore

it('accepts everything where references lead back to themselves', () => {
  const schemas = {
    Circle: { $ref: '#/components/schemas/Round' },
    Round: { description: 'Round.', $ref: '#/components/schemas/Circle' },
    Tree: { type: 'object', properties: { more: { $ref: '#/components/schemas/Tree' } } },
  }
  const oracle = schemaOracle(specWith(schemas))
  expect(oracle.accepts(oracle.component('Circle'), 7)).toBe(true)
  expect(oracle.accepts(oracle.component('Tree'), { more: { more: 7 } })).toBe(false)
}) // prettier-ignore

it('accepts any value of a property that does not belong to the direction, if the option says so', () => {
  const properties = { id: { type: 'integer', readOnly: true }, key: { type: 'string', writeOnly: true } }
  const schemas = { Thing: { type: 'object', required: ['id', 'key'], properties } }
  const oracle = schemaOracle(specWith(schemas), { loose: true })
  const thing = oracle.component('Thing')
  expect(oracle.accepts(thing, { id: 'a', key: 'b' }, 'request')).toBe(true)
  expect(oracle.accepts(thing, { key: 7 }, 'request')).toBe(false)
  expect(oracle.accepts(thing, { id: 1, key: 7 }, 'response')).toBe(true)
  expect(oracle.accepts(thing, { id: 'a' }, 'response')).toBe(false)
  expect([{}, { id: 'a', key: 7 }].map((value) => oracle.accepts(thing, value))).toEqual([true, true])
}) // prettier-ignore

it('accepts everything where a document has no schema', () => {
  const odd = {
    Nothing: null,
    Text: 'string',
    Inner: { type: 'object', properties: { a: null, b: false }, anyOf: [null] },
  }
  const oracle = schemaOracle(specWith(odd))
  for (const name of ['Nothing', 'Text', 'Inner'])
    expect(oracle.accepts(oracle.component(name), { a: 1 })).toBe(true)
  expect(oracle.accepts(oracle.component('Inner'), { b: 1 })).toBe(false)
})

it('accepts any string of a format that clients may leave unchecked, if the option says so', () => {
  const schemas = { Mail: { type: 'string', format: 'email' }, Day: { type: 'string', format: 'date' } }
  const own = specWith(schemas)
  const [strict, loose] = [schemaOracle(own), schemaOracle(own, { loose: true })]
  const judged = (name: string) => [strict, loose].map((one) => one.accepts(one.component(name), 'x'))
  expect(judged('Mail')).toEqual([false, true])
  expect(judged('Day')).toEqual([false, false])
})

describe('widened places', () => {
  const schemas = {
    Code: { type: 'string', pattern: '^a', maxLength: 3 },
    Part: {
      type: 'object',
      required: ['code'],
      properties: { code: { $ref: '#/components/schemas/Code' }, 'a/b': { type: 'integer', minimum: 1 }, other: { type: 'integer' } },
      additionalProperties: { pattern: '^b' },
    },
    Parts: { type: 'array', items: { $ref: '#/x-files/more.yaml/Wheel' }, prefixItems: [{ $ref: '#/components/schemas/Part' }] },
    Choice: { not: { const: 1 }, anyOf: [{ $ref: '#/components/schemas/Code' }, { type: 'integer', pattern: 'x' }] },
  }
  const own = specWith(schemas, { 'x-files': { 'more.yaml': { Wheel: { enum: [1] } } } })
  const strict = schemaOracle(own, { loose: true })
  const differing = (widened: string, name: string, values: readonly unknown[]) => {
    const loose = schemaOracle(own, { loose: true, widened: new Set([widened]) })
    const at = loose.component(name)
    return values.filter((value) => {
      // Whatever the contract accepts stays accepted.
      if (strict.accepts(at, value)) expect(loose.accepts(at, value)).toBe(true)
      return loose.accepts(at, value) !== strict.accepts(at, value)
    })
  }
  const parts = [{}, { code: 'a' }, { code: 'b' }, { code: 'aaaa' }, { code: 7 }, { code: 'a', 'a/b': 0 }, { code: 'a', 'a/b': '' }, { code: 'a', other: '' }, { code: 'a', c: 'c' }]
  const schema = '/components/schemas'

  it.each([
    [`${schema}/Code/pattern`, 'Code', ['a', 'b', 'bbbb', 7], ['b']],
    [`${schema}/Code`, 'Code', ['a', 'b', 7, null], ['b', 7, null]],
    [`${schema}/Code/pattern`, 'Part', parts, [{ code: 'b' }]],
    [`${schema}/Code`, 'Part', parts, [{ code: 'b' }, { code: 'aaaa' }, { code: 7 }]],
    [`${schema}/Part/properties/code`, 'Part', parts, [{ code: 'b' }, { code: 'aaaa' }, { code: 7 }]],
    [`${schema}/Part/properties/a~1b/minimum`, 'Part', parts, [{ code: 'a', 'a/b': 0 }]],
    [`${schema}/Part/required`, 'Part', parts, [{}]],
    [`${schema}/Part/additionalProperties/pattern`, 'Part', parts, [{ code: 'a', c: 'c' }]],
    [`${schema}/Part/additionalProperties`, 'Part', parts, [{ code: 'a', c: 'c' }]],
    [`${schema}/Code/pattern`, 'Parts', [[{ code: 'b' }], [{ code: 'b' }, 2], [{ code: 7 }]], [[{ code: 'b' }]]],
    ['/x-files/more.yaml/Wheel/enum', 'Parts', [[{ code: 'a' }, 2], [{ code: 'b' }, 1]], [[{ code: 'a' }, 2]]],
    [`${schema}/Parts/prefixItems/0`, 'Parts', [[7], [7, 2], [{ code: 'a' }, 2]], [[7]]],
    [`${schema}/Choice/not`, 'Choice', [1, 2, 'b', null], [1]],
    [`${schema}/Choice/anyOf/1`, 'Choice', [1, 2, 'b', null], ['b', null]],
    [`${schema}/Elsewhere/pattern`, 'Part', parts, []],
    [schema, 'Part', parts, []],
  ])('a widened place at %s lets %s accept exactly the values that it is about', (widened, name, values, accepted) => {
    expect(differing(widened, name, values)).toEqual(accepted)
  })

  it('a widened place counts for a schema without a component, and not for another oracle of the contract', () => {
    const widened = new Set(['/paths/~1a/schema/items/maxLength'])
    const at = { pointer: '/paths/~1a/schema', schema: { type: 'array', items: { type: 'string', maxLength: 1 } } }
    expect(schemaOracle(own, { loose: true, widened }).accepts(at, ['ab'])).toBe(true)
    expect(schemaOracle(own, { loose: true }).accepts(at, ['ab'])).toBe(false)
    expect(schemaOracle(own, { loose: true, widened }).accepts(at, [1])).toBe(false)
  })
}) // prettier-ignore

it('`nullable` without a type keeps the schema of OpenAPI 3.0 at its pointer, unless null would be rejected', () => {
  const schemas = {
    Text: { nullable: true, pattern: '^a' },
    Choice: { nullable: true, enum: ['a'] },
    Both: { nullable: true, allOf: [{ type: 'string', pattern: '^a' }] },
    Not: { nullable: true, not: { maxLength: 9 } },
  }
  const own = specWith(schemas, { openapi: '3.0.3' })
  const at = '/components/schemas'
  const widened = new Set([`${at}/Text/pattern`, `${at}/Both/anyOf/0/allOf/0/pattern`])
  const [strict, loose] = [schemaOracle(own), schemaOracle(own, { loose: true, widened })]
  for (const name of Object.keys(schemas)) expect(strict.accepts(strict.component(name), null), name).toBe(true)
  for (const name of ['Text', 'Both'])
    expect([strict, loose].map((oracle) => oracle.accepts(oracle.component(name), 'b'))).toEqual([false, true])
}) // prettier-ignore

it('`nullable` is read in the default response, too, whose name is that of a keyword', () => {
  const content = { 'application/json': { schema: { type: 'string', nullable: true } } }
  const paths = { '/a': { get: { responses: { default: { content } } } } }
  const given = specWith({}, { openapi: '3.0.3', paths })
  const schema = given.operations[0]?.responses[0]?.media[0]?.schema
  expect(schema && schemaOracle(given).accepts(schema, null)).toBe(true)
})

it('rejects a value that is nested too deeply to be validated, and says so', () => {
  const schemas = { Tree: { type: 'object', properties: { more: { $ref: '#/components/schemas/Tree' } } } }
  const oracle = schemaOracle(specWith(schemas))
  let value: object = {}
  for (let depth = 0; depth < 200_000; depth += 1) value = { more: value }
  expect(oracle.accepts(oracle.component('Tree'), value)).toBe(false)
  expect(oracle.judge(oracle.component('Tree'), value)).toEqual([
    { path: '', reason: 'is nested too deeply to be validated' },
  ])
})

it("doesn't follow a $ref in data, such as an example or a constant, and never shows a rejected value", () => {
  const schemas = {
    Data: { const: { $ref: '#/nowhere' }, examples: [{ $ref: '#/nowhere' }] },
    Key: { type: 'object', properties: { key: { maxLength: 3 } }, dependentRequired: { key: ['id'] } },
  }
  const oracle = schemaOracle(specWith(schemas))
  expect(oracle.accepts(oracle.component('Data'), { $ref: '#/nowhere' })).toBe(true)
  expect(oracle.judge(oracle.component('Key'), { key: 'a-secret' })).toEqual([
    { path: '/key', reason: 'must NOT have more than 3 characters' },
    { path: '', reason: 'must have property id when property key is present' },
  ])
})
