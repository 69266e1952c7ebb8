import * as fc from 'fast-check'

import type { Json, JsonObject } from '../../src/read/json.ts'

/** Generates component schemas with all supported keywords. Later schemas may refer to earlier schemas. */
export function randomSchemas(count: number, seed: number): Record<string, JsonObject> {
  const schemas: Record<string, JsonObject> = {}
  for (let index = 0; index < count; index++) {
    const [schema] = fc.sample(schemaWith(Object.keys(schemas)), { numRuns: 1, seed: seed + index })
    schemas[`Thing${index}`] = schema ?? {}
  }
  return schemas
}

const propertyNames = fc.constantFrom('id', 'name', 'data', 'a b', 'x-y', '0', 'class', 'Ünï')

function schemaWith(components: readonly string[]): fc.Arbitrary<JsonObject> {
  return fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: false, maxDepth: 3 },
      fc.oneof(text, number, listed, simple, ...(components.length > 0 ? [reference(components)] : [])),
      objectOf(tie('schema')),
      arrayOf(tie('schema')),
      mapOf(tie('schema')),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      fc.tuple(fc.oneof(text, number), fc.oneof(text, number)).map((anyOf) => ({ anyOf })),
      fc
        .array(objectOf(tie('schema')), { minLength: 2, maxLength: 2 })
        .map((parts) => ({ allOf: parts.map(open) })),
      combined(tie('schema')),
      ofObjects(tie('schema')),
      ofItems(tie('schema')),
    ),
  })).schema
}

/** Keywords about values of any type, to add to a schema: tests, and combinations that may overlap or contradict each other. */
function combined(inner: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  const some = fc.array(inner, { minLength: 1, maxLength: 3 })
  const rules = fc.oneof(
    inner.map((not) => ({ not })),
    fc.record({ if: inner, then: inner, else: inner }, { requiredKeys: ['if'] }),
    some.map((oneOf) => ({ oneOf })),
    some.map((allOf) => ({ allOf })),
    fc.constant({ enum: [{ id: 1 }, [1, 'a'], 'a', null] }),
    fc.constant({ const: { name: ['a'] } }),
  )
  return fc.tuple(inner, rules).map(([schema, more]) => ({ ...schema, ...more }))
}

/** Keywords about objects, with and without a type beside them. */
function ofObjects(inner: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  const keywords = fc.record(
    {
      properties: fc.dictionary(propertyNames, inner, { maxKeys: 2, noNullPrototype: true }),
      patternProperties: fc.dictionary(fc.constantFrom('^a', 'd$', '^\\p{L}+$'), inner, {
        minKeys: 1,
        maxKeys: 2,
        noNullPrototype: true,
      }),
      additionalProperties: fc.oneof<fc.Arbitrary<Json>[]>(inner, fc.constant(false)),
      propertyNames: fc.constantFrom<JsonObject>(
        { maxLength: 4 },
        { pattern: '^[a-z]' },
        { enum: ['id', 'name'] },
      ),
      dependentRequired: fc.constantFrom<JsonObject>({ id: ['name'] }, { data: ['id', 'x-y'] }),
      dependentSchemas: fc.dictionary(fc.constantFrom('id', 'data'), inner, {
        minKeys: 1,
        maxKeys: 1,
        noNullPrototype: true,
      }),
      required: fc.constantFrom<Json>(['id'], ['name', 'other']),
    },
    { requiredKeys: [] },
  )
  return fc
    .tuple(
      keywords,
      fc.constantFrom<JsonObject>({}, { type: 'object' }, { type: ['object', 'string'] }),
      unevaluated(inner, 'unevaluatedProperties'),
    )
    .map(([own, type, last]) => ({ ...own, ...type, ...last }))
}

/** Keywords about arrays, with and without a type beside them. */
function ofItems(inner: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  const keywords = fc.record(
    {
      prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }),
      items: fc.oneof<fc.Arbitrary<Json>[]>(inner, fc.constant(false)),
      uniqueItems: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  const contains = fc.oneof(
    fc.constant({}),
    inner.map((schema) => ({ contains: schema })),
    fc.record({
      contains: inner,
      minContains: fc.integer({ min: 0, max: 2 }),
      maxContains: fc.integer({ min: 1, max: 3 }),
    }),
  )
  return fc
    .tuple(
      keywords,
      contains,
      fc.constantFrom<JsonObject>({}, { type: 'array' }, { type: ['array', 'null'] }),
      unevaluated(inner, 'unevaluatedItems'),
    )
    .map(([own, within, type, last]) => ({ ...own, ...within, ...type, ...last }))
}

/** Sometimes adds an `unevaluated` keyword, beside keywords that evaluate properties or items. */
function unevaluated(inner: fc.Arbitrary<JsonObject>, keyword: string): fc.Arbitrary<JsonObject> {
  const schema = fc.oneof<fc.Arbitrary<Json>[]>(fc.constant(false), inner)
  const beside = fc.oneof(
    fc.constant({}),
    fc.array(inner, { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })),
    fc.record({ if: inner, then: inner, else: inner }),
    fc.array(inner, { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })),
  )
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    fc.tuple(schema, beside).map(([value, more]) => ({ ...more, [keyword]: value })),
  )
}

function reference(components: readonly string[]): fc.Arbitrary<JsonObject> {
  return fc.constantFrom(...components).map((name) => ({ $ref: `#/components/schemas/${name}` }))
}

const simple = fc.constantFrom<JsonObject>(
  {},
  { type: 'boolean' },
  { type: 'null' },
  { type: ['boolean', 'null'] },
  { type: 'object' },
)

const text: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      minLength: fc.integer({ min: 0, max: 3 }),
      maxLength: fc.integer({ min: 3, max: 9 }),
      format: fc.constantFrom('uuid', 'date-time', 'date', 'uri', 'iso-8601'),
      pattern: fc.constantFrom('^a', '^[A-Z]{2}-\\d+$', '/', '^\\p{L}+$', "it's"),
    },
    { requiredKeys: [] },
  )
  .chain((rules) => typed('string', rules))

const number: fc.Arbitrary<JsonObject> = fc
  .tuple(
    fc.constantFrom('number', 'integer'),
    fc.record(
      {
        minimum: fc.integer({ min: -5, max: 5 }),
        maximum: fc.integer({ min: 5, max: 90 }),
        exclusiveMinimum: fc.constantFrom(-1.5, 0, 2),
        exclusiveMaximum: fc.constantFrom(7, 50.5),
        multipleOf: fc.constantFrom(1, 2, 0.5, 0.1, 3),
        format: fc.constantFrom('int32', 'int64', 'double'),
      },
      { requiredKeys: [] },
    ),
  )
  .chain(([type, rules]) => typed(type, rules))

/** The type, the type and null, or the type and another type to which the rules don't apply. */
function typed(type: string, rules: object): fc.Arbitrary<JsonObject> {
  return fc
    .constantFrom<Json>(type, type, [type, 'null'], [type, 'boolean'])
    .map((types) => ({ type: types, ...rules }))
}

const listed: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom<Json>('a', "b'c", 7, 1.5, true, null).map((value) => ({ const: value })),
  fc
    .uniqueArray(fc.constantFrom<Json>('a', 'b"c', 'd', 1, 2, false, null), { minLength: 1, maxLength: 5 })
    .map((values) => ({ enum: values })),
  fc.constantFrom<JsonObject>(
    { type: 'string', enum: ['a', 'b'], 'x-open-enum': true },
    { type: ['string', 'null'], enum: ['a', null] },
    { type: 'integer', enum: [1, 2, 3] },
  ),
)

function objectOf(inner: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(
      fc.dictionary(propertyNames, inner, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
      fc.subarray(['id', 'name', 'data', 'other']),
      fc.record(
        { minProperties: fc.integer({ min: 1, max: 2 }), maxProperties: fc.integer({ min: 3, max: 5 }) },
        { requiredKeys: [] },
      ),
      fc.constantFrom(undefined, undefined, true, false),
      fc.boolean(),
    )
    .map(([properties, names, limits, additionalProperties, exclude]) => {
      const required = additionalProperties === false ? names.filter((name) => name in properties) : names
      const [first, second] = Object.keys(properties).filter((name) => !required.includes(name))
      return {
        type: 'object',
        properties,
        ...(required.length > 0 ? { required } : {}),
        ...limits,
        ...(additionalProperties === undefined ? {} : { additionalProperties }),
        ...(exclude && first !== undefined && second !== undefined
          ? { not: { required: [first, second] } }
          : {}),
      }
    })
}

function open(schema: JsonObject): JsonObject {
  const { additionalProperties: _, ...rest } = schema
  return rest
}

function arrayOf(inner: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc
    .record(
      {
        items: inner,
        minItems: fc.integer({ min: 0, max: 2 }),
        maxItems: fc.integer({ min: 2, max: 4 }),
        uniqueItems: fc.boolean(),
      },
      { requiredKeys: [] },
    )
    .map((rules) => ({ type: 'array', ...rules }))
}

function mapOf(inner: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return inner.map((additionalProperties) => ({ type: 'object', additionalProperties }))
}
