import { describe, expect, it } from 'vitest'

import { schemasOf } from '../../test/support/generated.ts'
import { problemsOf } from '../../test/support/problems.ts'
import { readService } from './service.ts'

const text = { type: 'string' }
const object = { type: 'object' }

/** A schema, where in it the problem is, and a part of what is said. */
type Refusal = readonly [name: string, schema: unknown, pointer: string, reason: RegExp]

const refusals: readonly Refusal[] = [
  ['then', { ...object, then: {} }, '/then', /no effect without `if`/],
  ['else', { ...object, else: {} }, '/else', /no effect without `if`/],
  ['minContains', { type: 'array', minContains: 1 }, '/minContains', /no effect without `contains`/],
  ['maxContains', { type: 'array', maxContains: 1 }, '/maxContains', /no effect without `contains`/],
  ['additionalProperties: false against required', { ...object, required: ['a'], additionalProperties: false }, '/additionalProperties', /excludes `a`/],
  ['a discriminator without a union', { ...object, discriminator: { propertyName: 'a' } }, '/discriminator', /`oneOf`, `anyOf` or components/],
  ['nullable', { ...text, nullable: true }, '/nullable', /type: \[\.\.\., 'null'\]/],
  ['$dynamicRef', { $dynamicRef: '#a' }, '/$dynamicRef', /dynamic/],
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
  ['an annotation beside $ref that changes nothing', { $ref: '#/components/schemas/Other', readOnly: true }, '/readOnly', /no effect/],
  ['a reference to nothing', { $ref: '#/components/schemas/Missing' }, '/$ref', /is not in this file/],
  ['a reference to another file', { $ref: './other.yaml#/components/schemas/Other' }, '/$ref', /leads to nothing/],
  ['a reference into a component', { $ref: '#/components/schemas/Other/properties/a' }, '/$ref', /is not in this file/],
  ['an assertion without a type beside anyOf', { anyOf: [text], maxLength: 3 }, '/maxLength', /add type: string/],
  ['an assertion without a type beside $ref', { $ref: '#/components/schemas/Other', maxLength: 3 }, '/maxLength', /add type: string/],
  ['a reference that leads back to itself', { $ref: '#/components/schemas/Thing' }, '/$ref', /leads back here/],
  ['something deep inside', { type: 'array', items: { ...object, additionalProperties: { anyOf: [text, { type: 'array', items: { minItems: 1 } }] } } }, '/items/additionalProperties/anyOf/1/items/minItems', /add type: array/],
  ['an empty combination', { anyOf: [] }, '/anyOf', /list of schemas/],
  ["a schema that isn't a schema", { ...object, properties: { a: 'text' } }, '/properties/a', /not a schema/],
  ['an empty enum', { ...text, enum: [] }, '/enum', /list of values/],
  ['values that do not fit the type', { ...text, enum: [1] }, '', /no value fits/],
  ['an open enum of numbers', { enum: [1, 2], 'x-open-enum': true }, '/x-open-enum', /enum of strings/],
  ['an open enum without an enum', { ...text, 'x-open-enum': true }, '/x-open-enum', /needs an `enum` beside it/],
  ["required that isn't a list", { ...object, required: 'a' }, '/required', /list of names/],
  ['a property that every object has', { ...object, properties: { toString: text } }, '/properties/toString', /already/],
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
  const source = schemasOf({ First: { type: 'object', then: {} }, Second: { type: 'array', minContains: 2 } })
  const lines = source.text.split('\n')
  await expect(readService(source)).rejects.toThrow(
    `specs/test/openapi.yaml:${lines.findIndex((line) => line.includes('then:')) + 1} #/components/schemas/First/then\n`,
  )
  await expect(readService(source)).rejects.toThrow(
    `specs/test/openapi.yaml:${lines.findIndex((line) => line.includes('minContains:')) + 1} #/components/schemas/Second/minContains\n`,
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
