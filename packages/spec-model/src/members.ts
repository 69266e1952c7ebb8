import { isObject, type JsonObject } from './json.ts'

/**
 * Members whose values are data, such as examples and constants. The values contain no schemas and no
 * references, with one exception: if `examples` is a map, each example in it can be a reference.
 */
const DATA = new Set(['const', 'default', 'enum', 'example', 'examples', 'x-example', 'x-examples'])

/**
 * Members whose values are maps. The keys of a map are names that the contract's author chose. A key such as
 * `default` isn't a keyword there.
 */
const MAPS = new Set(
  '$defs callbacks channels content definitions dependentSchemas encoding links messages operations parameters pathItems paths patternProperties properties requestBodies responses schemas securitySchemes servers variables webhooks'.split(
    ' ',
  ),
)

/**
 * Copies a part of a document, and replaces each object in it with what `change` returns for the object's copy.
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
