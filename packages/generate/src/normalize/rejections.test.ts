import { describe, expect, it } from 'vitest'

import { accepted, generate, loadSchemas, schemasOf } from '../../test/support/generated.ts'
import { effectsOf, problemsOf } from '../../test/support/problems.ts'

const text = { type: 'string' }
const object = { type: 'object' }

/**
 * A schema, the effect and the pointer of its problem, a part of the reason, and values that the generated schema
 * still accepts.
 */
type Rejection = readonly [
  name: string,
  schema: unknown,
  effect: string,
  reason: RegExp,
  accepts?: readonly unknown[],
]

const rejections: readonly Rejection[] = [
  ['then', { ...text, then: { const: 'a' } }, 'noted /then', /no effect without `if`/, ['b']],
  ['else', { ...object, else: {} }, 'noted /else', /no effect without `if`/],
  ['minContains', { type: 'array', minContains: 1 }, 'noted /minContains', /no effect without `contains`/],
  ['maxContains', { type: 'array', maxContains: 1 }, 'noted /maxContains', /no effect without `contains`/],
  ['additionalProperties: false against required', { ...object, required: ['a'], additionalProperties: false }, 'noted /additionalProperties', /excludes `a`/],
  ['a discriminator without a union', { ...object, discriminator: { propertyName: 'a' } }, 'noted /discriminator', /`oneOf`, `anyOf`, or components/, [{}]],
  ['nullable', { ...text, nullable: true }, 'widened /nullable', /type: \[\.\.\., 'null'\]/],
  ['$dynamicRef', { $dynamicRef: '#a' }, 'widened /$dynamicRef', /dynamic/, [1, 'a']],
  ['xml', { ...object, xml: { name: 'a' } }, 'noted /xml', /XML/, [{}]],
  ['an unknown keyword', { ...text, maxLenght: 3 }, 'noted /maxLenght', /does not know this keyword/, ['abcd']],
  ['a keyword of another type', { ...text, minItems: 3 }, 'noted /minItems', /no effect on type string/, ['a']],
  ['a keyword without a type', { minLength: 3 }, 'noted /minLength', /add type: string/, ['abc', 7, null]],
  ['properties without a type', { properties: { a: text } }, 'noted /properties', /add type: object/],
  ['a type that is none', { type: 'text' }, 'widened /type', /not a type/, ['a', 1]],
  ['a type with the name of a method', { type: 'toString' }, 'widened /type', /not a type/],
  ['an empty list of types', { type: [] }, 'widened /type', /not a type/],
  ['an unknown format', { ...text, format: 'email' }, 'noted /format', /no check/, ['ab']],
  ['a format with the name of a method', { ...text, format: 'constructor' }, 'noted /format', /no check/, ['ab']],
  ['a format of numbers on a string', { ...text, format: 'int32' }, 'noted /format', /no check/],
  ['a format of strings on a number', { type: 'number', format: 'uuid' }, 'noted /format', /no check/],
  ['a pattern that is not valid with the u flag', { ...text, pattern: '^\\-a\\@b$' }, 'noted /pattern', /u flag/, ['-a@b']],
  ['a pattern that JavaScript does not have', { ...text, pattern: '[' }, 'widened /pattern', /u flag/, ['a', '']],
  ['a pattern that takes exponential time', { ...text, pattern: '^(a+)+$' }, 'widened /pattern', /exponential time/, ['aa', 'b']],
  ['a dialect that is not known', { $schema: 'https://a.example/dialect', maxLength: 1 }, 'widened /$schema', /is not known/, ['ab', 7]],
  ['a number instead of a schema', 7, 'widened ', /not a schema/, [1, 'a']],
  ['a property called __proto__', { ...object, required: ['__proto__'] }, 'widened ', /is not checked/, [{ a: 1 }]],
  ["a length that isn't a whole number", { ...text, maxLength: 1.5 }, 'widened /maxLength', /whole number/, ['abc']],
  ['a negative number of items', { type: 'array', minItems: -1 }, 'widened /minItems', /whole number/],
  ["a limit that isn't a number", { type: 'number', minimum: '3' }, 'widened /minimum', /needs a number/],
  ['a step of nothing', { type: 'number', multipleOf: 0 }, 'widened /multipleOf', /positive/],
  ['an annotation beside $ref that changes nothing', { $ref: '#/components/schemas/Other', readOnly: true }, 'noted /readOnly', /no effect/],
  ['a reference to nothing', { $ref: '#/components/schemas/Missing' }, 'widened /$ref', /is not in this file/],
  ['a reference to another file', { $ref: './other.yaml#/components/schemas/Other' }, 'widened /$ref', /leads to nothing/],
  ['a reference into a component', { $ref: '#/components/schemas/Other/properties/a' }, 'widened /$ref', /is not in this file/],
  ['an assertion without a type beside anyOf', { anyOf: [text], maxLength: 3 }, 'noted /maxLength', /add type: string/],
  ['an assertion without a type beside $ref', { $ref: '#/components/schemas/Other', maxLength: 3 }, 'noted /maxLength', /add type: string/],
  ['a reference that leads back to itself', { $ref: '#/components/schemas/Thing' }, 'widened /$ref', /leads back here/],
  ['something deep inside', { type: 'array', items: { ...object, additionalProperties: { anyOf: [text, { type: 'array', items: { minItems: 1 } }] } } }, 'noted /items/additionalProperties/anyOf/1/items/minItems', /add type: array/],
  ['an empty combination', { anyOf: [] }, 'widened /anyOf', /list of schemas/],
  ["a schema that isn't a schema", { ...object, properties: { a: 'text' } }, 'widened /properties/a', /not a schema/],
  ['an empty enum', { ...text, enum: [] }, 'noted /enum', /at least one value/],
  ['values that do not fit the type', { ...text, enum: [1] }, 'noted ', /no listed value fits/],
  ['an open enum of numbers', { enum: [1, 2], 'x-open-enum': true }, 'rejected /x-open-enum', /enum of strings/],
  ['an open enum without an enum', { ...text, 'x-open-enum': true }, 'rejected /x-open-enum', /needs an `enum` beside it/],
  ["required that isn't a list", { ...object, required: 'a' }, 'widened /required', /list of property names/],
  ['a property that every object has', { ...object, properties: { toString: text } }, 'noted /properties/toString', /already/],
] // prettier-ignore

describe('the generator, in strict mode,', () => {
  it.for(rejections)(
    'rejects %s, with its place and a reason',
    async ([, schema, effect, reason, accepts = []]) => {
      const source = schemasOf({ Thing: schema, Other: text })
      const [kind, pointer = ''] = effect.split(' ')
      const place = `#/components/schemas/Thing${pointer}`
      expect(await effectsOf(source)).toEqual([`${kind} ${place}`])
      const found = await problemsOf(source)
      expect(found.map((problem) => problem.place.pointer)).toEqual([place])
      expect(found[0]?.reason).toMatch(reason)
      if (accepts.length > 0)
        expect(accepted(await loadSchemas(await generate(source)), 'thing', accepts)).toEqual(accepts)
    },
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
