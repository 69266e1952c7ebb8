import { isObject, type JsonObject } from './json.ts'

/** Keywords whose value is a schema (JSON Schema 2020-12). */
const single = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'unevaluatedItems',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
  'contentSchema',
])
/** Keywords whose value is a list of schemas. */
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
/** Keywords whose value is a map of schemas. */
const maps = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs'])

/**
 * Copies a schema, giving each schema within it to `change` first. Data (enum, const, default, examples) is
 * kept as it is.
 */
export function mapSchema(schema: unknown, change: (schema: JsonObject) => JsonObject): unknown {
  if (!isObject(schema)) return schema
  const copy: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(change(schema))) {
    if (single.has(keyword)) copy[keyword] = mapSchema(value, change)
    else if (lists.has(keyword) && Array.isArray(value))
      copy[keyword] = value.map((one) => mapSchema(one, change))
    else if (maps.has(keyword) && isObject(value)) {
      copy[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, mapSchema(one, change)]),
      )
    } else copy[keyword] = value
  }
  return copy
}
