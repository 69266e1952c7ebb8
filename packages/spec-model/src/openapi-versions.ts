import { arrayOf, isObject, type JsonObject, objectOf } from './json.ts'
import { rewriteObjects } from './members.ts'

/**
 * Converts an OpenAPI 3.0 document to OpenAPI 3.1, whose schemas are JSON Schema 2020-12. A 3.0 schema can have the
 * keywords `nullable` and `example`. Its `exclusiveMinimum` and `exclusiveMaximum` are booleans. Keywords beside
 * `$ref` are ignored in 3.0.
 */
export function upgradeFrom30(document: JsonObject): JsonObject {
  return { ...(rewriteObjects(document, objectFrom30) as JsonObject), openapi: '3.1.0' }
}

function objectFrom30(copy: JsonObject, isMap: boolean): JsonObject {
  if (isMap) return copy
  if (typeof copy['$ref'] !== 'string') return schemaFrom30(copy)
  const reference = { $ref: copy['$ref'] }
  // OpenAPI 3.0 ignores `nullable` beside a reference. But many documents use it there, so clients accept null.
  return copy['nullable'] === true ? orNull(reference) : reference
}

function schemaFrom30(schema: JsonObject): JsonObject {
  const { nullable, ...members } = schema
  const rest: Record<string, unknown> = members
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
  // An object with `schema` or `in` isn't a schema: it is a parameter, a header or a media type. OpenAPI 3.1 still
  // has `example` in these objects.
  if ('example' in rest && 'type' in rest && !('schema' in rest) && !('in' in rest)) {
    rest['examples'] = [rest['example']]
    delete rest['example']
  }
  return nullable === true ? orNull(rest) : rest
}

/**
 * Keywords besides `type` that can reject null. All other keywords restrict only values of a certain type, such as
 * strings, so they accept null.
 */
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

/**
 * A `querystring` parameter (new in OpenAPI 3.2) represents the whole query string. This function replaces it with a
 * parameter `in: query`, whose value is an object: its properties are the name-value pairs of the query string. A
 * `querystring` parameter without the media type `application/x-www-form-urlencoded` stays unchanged.
 */
export function withoutWholeQueries(document: JsonObject): JsonObject {
  return rewriteObjects(document, withoutWholeQuery) as JsonObject
}

function withoutWholeQuery(object: JsonObject): JsonObject {
  const form = object['in'] === 'querystring' ? objectOf(object['content'])[FORM] : undefined
  if (!isObject(form)) return object
  const { content: _, ...parameter } = object
  const { schema = {}, example, examples } = form
  return {
    ...parameter,
    in: 'query',
    style: 'form',
    explode: true,
    schema,
    ...(example === undefined ? {} : { example }),
    ...(examples === undefined ? {} : { examples }),
  }
}

const FORM = 'application/x-www-form-urlencoded'
