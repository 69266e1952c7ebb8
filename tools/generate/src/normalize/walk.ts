import type { Json, JsonObject } from '../read/source.ts'
import { isObject } from './schema.ts'

/** One raw schema met on the way through a schema, with the path to it in a value. */
export interface Visit {
  readonly raw: JsonObject
  /** Property names; `*` for every item of an array or map. */
  readonly path: readonly string[]
  /** The name of the property that the schema belongs to, if it is one. */
  readonly property?: string
}

/**
 * Visits a raw schema and all that is inside it, through references. A component that contains itself is visited
 * once on each path.
 */
export function walkSchema(
  raw: Json | undefined,
  target: (reference: string) => { readonly name: string; readonly raw: Json } | undefined,
  visit: (found: Visit) => void,
  path: readonly string[] = [],
  through: readonly string[] = [],
  property?: string,
): void {
  if (!isObject(raw)) return
  visit({ raw, path, ...(property === undefined ? {} : { property }) })
  const inside = (child: Json | undefined, childPath: readonly string[], name?: string): void =>
    walkSchema(child, target, visit, childPath, through, name)
  if (typeof raw['$ref'] === 'string') {
    const found = target(raw['$ref'])
    if (found && !through.includes(found.name)) {
      walkSchema(found.raw, target, visit, path, [...through, found.name], property)
    }
    return
  }
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const list = raw[key]
    if (Array.isArray(list)) for (const branch of list as Json[]) inside(branch, path, property)
  }
  if (isObject(raw['properties'])) {
    for (const [name, child] of Object.entries(raw['properties'])) inside(child, [...path, name], name)
  }
  inside(raw['items'], [...path, '*'])
  inside(raw['additionalProperties'], [...path, '*'])
}
