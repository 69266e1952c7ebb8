import { isObject, type JsonObject, objectOf } from './json.ts'
import { rewriteObjects } from './members.ts'

/**
 * Writes a parameter that is the whole query (OpenAPI 3.2) in the way of OpenAPI 3.1: as an object of the query, each of whose
 * properties is a pair. Only forms have such a way.
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
