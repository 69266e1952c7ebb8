import { arrayOf, isObject, type JsonObject } from './json.ts'

/**
 * Converts an OpenAPI 3.0 document to OpenAPI 3.1. Its schemas differ from JSON Schema 2020-12 in `nullable`,
 * `example`, `exclusiveMinimum` and `exclusiveMaximum` (which are booleans), and keywords beside `$ref` (which 3.0
 * ignores, except that `nullable` is respected).
 */
export function upgradeFrom30(document: JsonObject): JsonObject {
  return { ...objectFrom30(document, []), openapi: '3.1.0' }
}

/** Members that contain data, not schemas. */
export const dataMembers: ReadonlySet<string> = new Set([
  'example',
  'examples',
  'default',
  'enum',
  'value',
  'x-example',
  'x-examples',
])

function valueFrom30(value: unknown, path: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => valueFrom30(one, path))
  return isObject(value) ? objectFrom30(value, path) : value
}

function objectFrom30(object: JsonObject, path: readonly string[]): JsonObject {
  // The keys of `properties` are names, unless a property is itself named `properties`.
  const isMap = path.at(-1) === 'properties' && path.at(-2) !== 'properties'
  if (!isMap && typeof object['$ref'] === 'string') {
    const reference = { $ref: object['$ref'] }
    // Many documents mean it, so clients accept null, too.
    return object['nullable'] === true ? orNull(reference) : reference
  }
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(object)) {
    copy[key] = !isMap && dataMembers.has(key) ? value : valueFrom30(value, [...path, key])
  }
  return isMap ? copy : schemaFrom30(copy)
}

function schemaFrom30(schema: Record<string, unknown>): JsonObject {
  const { nullable, ...rest } = schema
  for (const [bound, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof rest[bound] !== 'boolean') continue
    if (rest[bound] && typeof rest[limit] === 'number') {
      rest[bound] = rest[limit]
      delete rest[limit]
    } else delete rest[bound]
  }
  // Parameters, headers and media types also have an `example`, but beside a schema.
  if ('example' in rest && 'type' in rest && !('schema' in rest) && !('in' in rest)) {
    rest['examples'] = [rest['example']]
    delete rest['example']
  }
  return nullable === true ? orNull(rest) : rest
}

/** Keywords that can reject null. The others are about values of one type, so they accept it if there is no `type`. */
const REJECTING_NULL = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'enum', 'const', 'if']

function orNull(schema: Record<string, unknown>): JsonObject {
  if (typeof schema['type'] !== 'string')
    return REJECTING_NULL.some((keyword) => keyword in schema)
      ? { anyOf: [schema, { type: 'null' }] }
      : schema
  const values = Array.isArray(schema['enum'])
    ? { enum: [...new Set([...arrayOf(schema['enum']), null])] }
    : {}
  return { ...schema, type: [schema['type'], 'null'], ...values }
}
