import { isObject, type JsonObject } from './json.ts'

/**
 * Members whose values are data: they contain no schemas and no references. The exception is a map of `examples`:
 * each example in the map can be a reference.
 */
const DATA = new Set(['const', 'default', 'enum', 'example', 'examples', 'x-example', 'x-examples'])

/**
 * Members whose values are maps. The contract's author chose the keys of a map, so a key such as `default` isn't a
 * keyword in it.
 */
const MAPS = new Set(
  '$defs callbacks channels content definitions dependentSchemas encoding links messages operations parameters pathItems paths patternProperties properties requestBodies responses schemas securitySchemes servers variables webhooks'.split(
    ' ',
  ),
)

/**
 * Copies a part of a document, and replaces each object in the copy with the result of `change`.
 *
 * @param change receives the copy of an object, and whether the object is a map.
 * @param data receives the key and value of a member that holds data, and returns the new value.
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
