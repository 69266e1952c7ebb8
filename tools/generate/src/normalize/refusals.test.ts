import { describe, expect, it } from 'vitest'

import { schemasOf } from '../../test/support/generated.ts'
import { problemsOf } from '../../test/support/problems.ts'
import { readService } from './service.ts'

const text = { type: 'string' }
const object = { type: 'object' }

/** A schema, where in it the problem is, and a part of what is said. */
type Refusal = readonly [name: string, schema: unknown, pointer: string, reason: RegExp]

const refusals: readonly Refusal[] = [
  ['not', { ...text, not: { const: 'a' } }, '/not', /no effect on type string/],
  ['not, in another form than required', { ...object, not: { properties: {} } }, '/not', /only be expressed as not: \{required/],
  ['not, of no name', { ...object, not: { required: [] } }, '/not', /only be expressed as not: \{required/],
  ['not, of another form beside required', { ...object, not: { anyOf: [{ required: ['a'] }, { maxProperties: 1 }] } }, '/not', /only be expressed as not: \{required/],
  ['not, of a property that is described', { ...object, properties: { a: text }, not: { required: ['a'] } }, '/not', /excludes the property `a` altogether/],
  ['not, of unknown names', { ...object, not: { required: ['a', 'b'] } }, '/not', /`a`, which is not one of the properties/],
  ['not, of what is required', { ...object, properties: { a: text, b: text }, required: ['a', 'b'], not: { required: ['a', 'b'] } }, '/not', /excludes what `required` asks for/],
  ['if', { ...object, if: { required: ['a'] } }, '/if', /use anyOf/],
  ['then', { ...object, then: {} }, '/then', /use anyOf/],
  ['else', { ...object, else: {} }, '/else', /use anyOf/],
  ['contains', { type: 'array', contains: text }, '/contains', /cannot be expressed/],
  ['minContains', { type: 'array', minContains: 1 }, '/minContains', /cannot be expressed/],
  ['maxContains', { type: 'array', maxContains: 1 }, '/maxContains', /cannot be expressed/],
  ['prefixItems', { type: 'array', prefixItems: [text] }, '/prefixItems', /tuples/],
  ['unevaluatedItems', { type: 'array', unevaluatedItems: false }, '/unevaluatedItems', /cannot be expressed/],
  ['unevaluatedProperties', { ...object, unevaluatedProperties: false }, '/unevaluatedProperties', /additionalProperties is false/],
  ['patternProperties', { ...object, patternProperties: { '^a': text } }, '/patternProperties', /use additionalProperties/],
  ['propertyNames', { ...object, propertyNames: { pattern: '^a' } }, '/propertyNames', /cannot be expressed/],
  ['dependentRequired', { ...object, dependentRequired: { a: ['b'] } }, '/dependentRequired', /cannot be expressed/],
  ['dependentSchemas', { ...object, dependentSchemas: { a: {} } }, '/dependentSchemas', /use anyOf/],
  ['additionalProperties with a schema beside properties', { ...object, properties: { a: text }, additionalProperties: text }, '/additionalProperties', /no type in TypeScript/],
  ['additionalProperties: false against required', { ...object, required: ['a'], additionalProperties: false }, '/additionalProperties', /excludes `a`/],
  ['contentSchema', { ...text, contentSchema: object }, '/contentSchema', /not checked/],
  ['discriminator', { anyOf: [text], discriminator: { propertyName: 'a' } }, '/discriminator', /beside `anyOf`/],
  ['nullable', { ...text, nullable: true }, '/nullable', /type: \[\.\.\., 'null'\]/],
  ['$defs', { ...object, $defs: { a: text } }, '/$defs', /components\/schemas/],
  ['$dynamicRef', { $dynamicRef: '#a' }, '/$dynamicRef', /dynamic/],
  ['$anchor', { ...text, $anchor: 'a' }, '/$anchor', /anchors/],
  ['$id', { ...text, $id: 'https://a.example' }, '/$id', /address of its own/],
  ['xml', { ...object, xml: { name: 'a' } }, '/xml', /XML/],
  ['an unknown keyword', { ...text, maxLenght: 3 }, '/maxLenght', /does not know this keyword/],
  ['a keyword of another type', { ...text, minItems: 3 }, '/minItems', /no effect on type string/],
  ['a keyword without a type', { minLength: 3 }, '/minLength', /add type: string/],
  ['properties without a type', { properties: { a: text } }, '/properties', /add type: object/],
  ['a type that is none', { type: 'text' }, '/type', /not a type/],
  ['a type with the name of a method', { type: 'toString' }, '/type', /not a type/],
  ['an empty list of types', { type: [] }, '/type', /not a type/],
  ['an unknown format', { ...text, format: 'email' }, '/format', /no check/],
  ['a format of numbers on a string', { ...text, format: 'int32' }, '/format', /no check/],
  ['a format of strings on a number', { type: 'number', format: 'uuid' }, '/format', /no check/],
  ['a pattern that is not valid with the u flag', { ...text, pattern: '\\-' }, '/pattern', /u flag/],
  ["a length that isn't a whole number", { ...text, maxLength: 1.5 }, '/maxLength', /whole number/],
  ['a negative number of items', { type: 'array', minItems: -1 }, '/minItems', /whole number/],
  ["a limit that isn't a number", { type: 'number', minimum: '3' }, '/minimum', /needs a number/],
  ['a step of nothing', { type: 'number', multipleOf: 0 }, '/multipleOf', /positive/],
  ['a siblings of $ref', { $ref: '#/components/schemas/Other', maxLength: 3 }, '/maxLength', /beside `\$ref`/],
  ['an annotation beside $ref that changes nothing', { $ref: '#/components/schemas/Other', readOnly: true }, '/readOnly', /no effect/],
  ['a reference to nothing', { $ref: '#/components/schemas/Missing' }, '/$ref', /not a component/],
  ['a reference to another file', { $ref: './other.yaml#/components/schemas/Other' }, '/$ref', /not a component/],
  ['a reference into a component', { $ref: '#/components/schemas/Other/properties/a' }, '/$ref', /not a component/],
  ['a sibling of anyOf', { anyOf: [text], maxLength: 3 }, '/maxLength', /into each branch/],
  ['two combinations at once', { anyOf: [text], allOf: [object] }, '/allOf', /into each branch/],
  ['an empty combination', { anyOf: [] }, '/anyOf', /list of schemas/],
  ['allOf of anything but objects', { allOf: [text, object] }, '/allOf/0', /only combine open objects/],
  ['allOf of closed objects', { allOf: [{ ...object, additionalProperties: false }, object] }, '/allOf/0', /only combine open objects/],
  ['oneOf of schemas that overlap', { oneOf: [text, { type: ['string', 'null'] }] }, '/oneOf', /branch 0 and branch 1/],
  ['oneOf of objects that overlap', { oneOf: [object, { ...object, required: ['a'] }] }, '/oneOf', /different const/],
  ['oneOf told apart by an open enum', { oneOf: ['a', 'b'].map((value) => ({ ...object, required: ['k'], properties: { k: { enum: [value], 'x-open-enum': true } } })) }, '/oneOf', /different const/],
  ['a schema that is false', { ...object, properties: { a: false } }, '/properties/a', /accepts nothing/],
  ["a schema that isn't a schema", { ...object, properties: { a: 'text' } }, '/properties/a', /not a schema/],
  ['an enum of objects', { enum: [{ a: 1 }] }, '/enum', /strings, numbers, booleans and null/],
  ['an empty enum', { ...text, enum: [] }, '/enum', /list of values/],
  ['a keyword beside const', { ...text, const: 'a', maxLength: 3 }, '/maxLength', /list the values/],
  ['enum beside const', { const: 'a', enum: ['a'] }, '/enum', /beside `const`/],
  ['values that do not fit the type', { ...text, enum: [1] }, '', /no value fits/],
  ['an open enum of numbers', { enum: [1, 2], 'x-open-enum': true }, '/x-open-enum', /enum of strings/],
  ['an open enum without an enum', { ...text, 'x-open-enum': true }, '/x-open-enum', /no `enum` here/],
  ["required that isn't a list", { ...object, required: 'a' }, '/required', /list of names/],
  ['a property that every object has', { ...object, properties: { toString: text } }, '/properties/toString', /already/],
  ['a property that stands for the prototype', { ...object, properties: JSON.parse('{"__proto__":{"type":"string"}}') as object }, '/properties/__proto__', /already/],
  ['something deep inside', { type: 'array', items: { ...object, additionalProperties: { anyOf: [text, { type: 'array', items: { if: {} } }] } } }, '/items/additionalProperties/anyOf/1/items/if', /use anyOf/],
] // prettier-ignore

describe("reports what isn't supported, with its place and a reason, and never drops it:", () => {
  it.each(refusals.map(([name, schema, pointer, reason]) => ({ name, schema, pointer, reason })))(
    '$name',
    async ({ schema, pointer, reason }) => {
      const found = await problemsOf(schemasOf({ Thing: schema, Other: text }))
      expect(found.map(({ place }) => place.pointer)).toEqual([`#/components/schemas/Thing${pointer}`])
      expect(found[0]?.reason).toMatch(reason)
    },
  )
})

it('a problem names the file and the line too, and one run reports all of them', async () => {
  const source = schemasOf({ First: { type: 'object', if: {} }, Second: { type: 'array', contains: {} } })
  const lines = source.text.split('\n')
  await expect(readService(source)).rejects.toThrow(
    `specs/test/openapi.yaml:${lines.findIndex((line) => line.includes('if:')) + 1} #/components/schemas/First/if\n`,
  )
  await expect(readService(source)).rejects.toThrow(
    `specs/test/openapi.yaml:${lines.findIndex((line) => line.includes('contains:')) + 1} #/components/schemas/Second/contains\n`,
  )
})

it('annotations are always supported', async () => {
  const annotated = {
    ...text,
    title: 'a',
    description: 'b',
    default: 'c',
    examples: ['d'],
    deprecated: true,
    $comment: 'e',
    readOnly: true,
    writeOnly: false,
    externalDocs: { url: 'https://a.example' },
  }
  expect(
    await problemsOf(
      schemasOf({ Thing: annotated, Other: { $ref: '#/components/schemas/Thing', description: 'f' } }),
    ),
  ).toEqual([])
})
