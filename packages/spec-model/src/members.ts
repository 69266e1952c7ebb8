import { isObject, type JsonObject } from './json.ts'

/** Members whose values are examples and constants, in which nothing is a schema or a reference. */
const DATA = new Set(['const', 'default', 'enum', 'example', 'examples', 'x-example', 'x-examples'])

/** Members whose own members have names that the author chose, such as `default`. */
const MAPS = new Set(
  '$defs callbacks channels content definitions dependentSchemas encoding links messages operations parameters pathItems paths patternProperties properties requestBodies responses schemas securitySchemes servers variables webhooks'.split(
    ' ',
  ),
)

/**
 * Copies a part of a document. Each object becomes what `change` returns for its copy.
 *
 * @param change is called with the copy of an object, and with whether the object is a map: an object whose member
 *   names the author chose.
 * @param data returns the copy of a member that holds data. Default: the data itself.
 */
export function rewriteObjects(
  value: unknown,
  change: (copy: JsonObject, isMap: boolean) => unknown,
  data: (key: string, value: unknown) => unknown = (_key, given) => given,
  isMap = false,
): unknown {
  if (Array.isArray(value)) return value.map((one) => rewriteObjects(one, change, data))
  if (!isObject(value)) return value
  const copy = Object.entries(value).map(([key, member]) => [
    key,
    !isMap && DATA.has(key)
      ? data(key, member)
      : rewriteObjects(member, change, data, !isMap && MAPS.has(key)),
  ])
  return change(Object.fromEntries(copy) as JsonObject, isMap)
}
