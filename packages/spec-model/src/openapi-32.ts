import { isObject, type JsonObject, objectOf } from './json.ts'
import { dataMembers } from './openapi-30.ts'

/**
 * Writes a parameter that is the whole query (OpenAPI 3.2) in the way of OpenAPI 3.1: as an object of the query, each of whose
 * properties is a pair. Only forms have such a way.
 */
export function withoutWholeQueries(document: JsonObject): JsonObject {
  return objectFrom32(document)
}

function valueFrom32(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(valueFrom32)
  return isObject(value) ? objectFrom32(value) : value
}

function objectFrom32(object: JsonObject): JsonObject {
  const form = object['in'] === 'querystring' ? objectOf(object['content'])[FORM] : undefined
  if (isObject(form)) {
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
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, dataMembers.has(key) ? value : valueFrom32(value)]),
  )
}

const FORM = 'application/x-www-form-urlencoded'
