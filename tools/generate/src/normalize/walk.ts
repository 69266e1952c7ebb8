import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, isList, isObject } from '../read/json.ts'

/** One raw schema met on the way through a schema. */
export interface Visit {
  readonly raw: JsonObject
  /** The path to it in a value: property names, and `*` for every item of an array or map. */
  readonly path: readonly string[]
  /** The name of the property that the schema belongs to, if it is one. */
  readonly property: string | undefined
}

/**
 * Visits a raw schema and all that is inside it, through references. A component that contains itself is entered
 * once on each path.
 */
export function walkSchema(contract: Contract, raw: Json | undefined, visit: (found: Visit) => void): void {
  const enter = (
    inner: Json | undefined,
    path: readonly string[],
    property: string | undefined,
    through: readonly string[],
  ): void => {
    if (!isObject(inner)) return
    visit({ raw: inner, path, property })
    if (typeof inner['$ref'] === 'string') {
      const found = contract.component(inner['$ref'])
      if (found && !through.includes(found.name)) enter(found.raw, path, property, [...through, found.name])
      return
    }
    for (const key of ['anyOf', 'oneOf', 'allOf']) {
      const list = inner[key]
      if (isList(list)) for (const branch of list) enter(branch, path, property, through)
    }
    if (isObject(inner['properties'])) {
      for (const [name, child] of Object.entries(inner['properties']))
        enter(child, [...path, name], name, through)
    }
    enter(inner['items'], [...path, '*'], undefined, through)
    enter(inner['additionalProperties'], [...path, '*'], undefined, through)
  }
  enter(raw, [], undefined, [])
}

/** The names of properties marked `x-secret` inside a schema; `*` where a value without a name is marked. */
export function secretNames(contract: Contract, raw: Json | undefined): string[] {
  const names: string[] = []
  walkSchema(contract, raw, (found) => {
    if (found.raw['x-secret'] === true) names.push(found.property ?? '*')
  })
  return names
}

/** The open enums inside a schema, with the paths to them. */
export function openEnums(
  contract: Contract,
  raw: Json | undefined,
): { readonly path: readonly string[]; readonly values: readonly string[] }[] {
  const found = new Map<string, { readonly path: readonly string[]; readonly values: readonly string[] }>()
  walkSchema(contract, raw, ({ raw: schema, path }) => {
    if (schema['x-open-enum'] !== true || !isList(schema['enum'])) return
    const key = JSON.stringify(path)
    const before = found.get(key)?.values ?? []
    found.set(key, { path, values: [...new Set([...before, ...schema['enum'].map(String)])] })
  })
  return [...found.values()]
}
