import { isObject, type JsonObject, objectOf, sameJson } from '@concord/spec-model'

import { type At, child, followed, itemsOf } from './document.ts'
import { withoutText } from './text.ts'

/** The maximum nesting of `allOf`, in case an `allOf` is circular. */
const MAX_LEVELS = 20

/** Keywords whose effect can depend on the fields of the same schema. */
const OF_ONE_SCHEMA = ['additionalProperties', 'unevaluatedProperties', 'patternProperties']

/**
 * Follows `$ref`. Also follows an `allOf` with only one part, unless the schema has other keywords (descriptions and
 * examples don't count).
 */
export function meant(at: At): At {
  let current = followed(at)
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const parts = itemsOf(child(current, 'allOf'))
    const [only] = parts
    const keys = Object.keys(objectOf(withoutText(current.value)))
    if (only === undefined || parts.length > 1 || keys.length > 1) return current
    const part = followed(only)
    // The descriptions beside `allOf` also describe an inline part, unless the part has its own.
    const { allOf: _, ...outer } = objectOf(current.value)
    current = part === only ? { ...part, value: { ...outer, ...objectOf(part.value) } } : part
  }
  return current
}

/**
 * Joins the parts of a schema's `allOf` into one schema, so that schemas with different parts can be compared. The
 * members of the result can have pointers that don't exist in the document.
 *
 * @returns undefined if the parts can't be joined without changing what they mean.
 */
export function writtenOut(at: At, level = 0): At | undefined {
  const { allOf, ...own } = objectOf(at.value)
  if (allOf === undefined) return at
  if (level === MAX_LEVELS) return undefined
  const parts = itemsOf(child(at, 'allOf')).map((part) => writtenOut(followed(part), level + 1))
  let joined: JsonObject | undefined = own
  for (const part of parts) {
    if (part === undefined || part.file !== at.file || joined === undefined) return undefined
    joined = together(joined, objectOf(withoutText(part.value)))
  }
  return joined && { ...at, value: joined }
}

/** Joins two schemas into one that accepts only what both accept. Returns undefined if they can't be joined. */
function together(one: JsonObject, other: JsonObject): JsonObject | undefined {
  const hasFields = (schema: JsonObject): boolean => isObject(schema['properties'])
  const isSealed = (schema: JsonObject): boolean => OF_ONE_SCHEMA.some((word) => word in schema)
  if ((isSealed(one) && hasFields(other)) || (isSealed(other) && hasFields(one))) return undefined
  const joined: Record<string, unknown> = { ...one }
  for (const [word, value] of Object.entries(other)) {
    const known = joined[word]
    if (known === undefined || sameJson(known, value)) joined[word] = value
    else if (word === 'required' && Array.isArray(known) && Array.isArray(value))
      joined[word] = [...new Set([...known, ...value])]
    else if (word === 'properties') {
      const shared = Object.keys(objectOf(value)).filter((name) => Object.hasOwn(objectOf(known), name))
      if (shared.some((name) => !sameJson(objectOf(known)[name], objectOf(value)[name]))) return undefined
      joined[word] = { ...objectOf(known), ...objectOf(value) }
    } else return undefined
  }
  return joined
}
