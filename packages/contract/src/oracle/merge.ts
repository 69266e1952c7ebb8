import { arrayOf, isObject, type JsonObject, objectOf, sameJson } from '@concord/spec-model'

/** Functions that combine the values of a keyword from two schemas, so that both restrictions apply. */
const COMBINED: Readonly<Record<string, (one: unknown, other: unknown) => unknown>> = {
  additionalProperties: both,
  enum: (one, other) => arrayOf(one).filter((value) => arrayOf(other).some((item) => sameJson(item, value))),
  exclusiveMaximum: smaller,
  exclusiveMinimum: larger,
  items: both,
  maxItems: smaller,
  maxLength: smaller,
  maximum: smaller,
  minItems: larger,
  minLength: larger,
  minProperties: larger,
  minimum: larger,
  properties: (one, other) => {
    const shared = objectOf(one)
    const added = Object.entries(objectOf(other)).map(([name, schema]) => [
      name,
      Object.hasOwn(shared, name) ? both(shared[name], schema) : schema,
    ])
    return { ...shared, ...Object.fromEntries(added) }
  },
  required: (one, other) => [...arrayOf(one), ...arrayOf(other)],
  type: (one, other) => sharedTypes(one, other),
}

/**
 * Combines schemas into one schema, so that a generated value matches all of them if possible. The given schemas must
 * not have `allOf`, `anyOf` or `oneOf`. Some keywords, such as `pattern`, can't be combined: the first value is used.
 */
export function mergedSchema(parts: readonly JsonObject[]): JsonObject {
  if (parts.length === 1) return objectOf(parts[0])
  return parts.reduce((merged, part) => {
    // Examples are left out, because an example of one schema doesn't always match the others.
    const { examples: _examples, ...rest } = part
    const combined = Object.entries(rest).map(([keyword, value]) => [
      keyword,
      Object.hasOwn(merged, keyword)
        ? (COMBINED[keyword]?.(merged[keyword], value) ?? merged[keyword])
        : value,
    ])
    return { ...merged, ...Object.fromEntries(combined) }
  }, {})
}

/** Returns the types that both lists contain. An `integer` is also a `number`. */
export function sharedTypes(one: unknown, other: unknown): string[] {
  const others = typeList(other)
  return typeList(one).flatMap((type) => {
    if (others.includes(type)) return [type]
    const isNumber =
      type === 'integer' ? others.includes('number') : type === 'number' && others.includes('integer')
    return isNumber ? ['integer'] : []
  })
}

function typeList(type: unknown): string[] {
  return (Array.isArray(type) ? type : [type]).map(String)
}

function both(one: unknown, other: unknown): unknown {
  if (one === false || other === false) return false
  if (!isObject(one)) return other
  return isObject(other) ? { allOf: [one, other] } : one
}

function larger(one: unknown, other: unknown): number {
  return Math.max(Number(one), Number(other))
}

function smaller(one: unknown, other: unknown): number {
  return Math.min(Number(one), Number(other))
}
