import { escaped, isObject, objectAt } from './document.ts'
import type { Json, JsonObject } from './document.ts'

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'])

/**
 * The part of a contract that the service's documentation lists: these operations, and no component that only other
 * operations use. Tests of documented facts read this part, so that an operation that is added to a contract doesn't have
 * to look like the documented ones, and fails no test of theirs.
 *
 * @param lines Method and path of each documented operation, such as `GET /v1/jobs/{job_id}`. A missing one stays missing.
 */
export function documentedPart(document: JsonObject, lines: readonly string[]): JsonObject {
  const paths: JsonObject = {}
  const added: Json[] = []
  for (const [path, item] of Object.entries(objectAt(document, 'paths'))) {
    const kept: JsonObject = {}
    for (const [key, value] of Object.entries(isObject(item) ? item : {})) {
      if (METHODS.has(key) && !lines.includes(`${key.toUpperCase()} ${path}`)) added.push(value)
      else kept[key] = value
    }
    if (Object.keys(kept).some((key) => METHODS.has(key))) paths[path] = kept
    else added.push(kept)
  }
  const { components: _, paths: __, ...rest } = document
  const inPart = reachable(document, [rest, paths])
  const elsewhere = reachable(document, added)
  const components = Object.fromEntries(
    Object.entries(objectAt(document, 'components')).map(([kind, members]) => [
      kind,
      Object.fromEntries(
        Object.entries(isObject(members) ? members : {}).filter(([name]) => {
          const pointer = `/components/${kind}/${escaped(name)}`
          return inPart.has(pointer) || !elsewhere.has(pointer)
        }),
      ),
    ]),
  )
  return { ...document, paths, components }
}

/** The pointers of the components that these values refer to, directly or through others. */
function reachable(document: JsonObject, values: readonly Json[]): Set<string> {
  const found = new Set<string>()
  const waiting = [...values]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(
      /"#\/components\/(\w+)\/([\w.-]+)"/g,
    )) {
      const pointer = `/components/${kind}/${name}`
      const component = objectAt(objectAt(document, 'components'), kind)[name]
      if (found.has(pointer) || component === undefined) continue
      found.add(pointer)
      waiting.push(component)
    }
  }
  return found
}
