import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, isList, isObject } from '../read/json.ts'
import { Marks } from './marks.ts'

/** One raw schema met on the way through a schema. */
export interface Visit {
  readonly raw: JsonObject
  /** The path to it in a value: property names, and `*` for every item of an array or map. */
  readonly path: readonly string[]
  /** The name of the property that the schema belongs to, if it is one. */
  readonly property: string | undefined
}

/** Visits a raw schema and all that is inside it, through references: each place once for each name that it has. */
export function walkSchema(contract: Contract, raw: Json | undefined, visit: (found: Visit) => void): void {
  const seen = new Map<JsonObject, Set<string | undefined>>()
  const enter = (found: Visit): void => {
    const names = seen.get(found.raw)
    if (names?.has(found.property)) return
    seen.set(found.raw, new Set([...(names ?? []), found.property]))
    visit(found)
    for (const next of insideOf(contract, found)) if (!names || next.property === found.property) enter(next)
  }
  if (isObject(raw)) enter({ raw, path: [], property: undefined })
}

/** The schemas directly inside a schema. */
export function insideOf(contract: Contract, { raw, path, property }: Visit): Visit[] {
  const found: Visit[] = []
  const add = (inner: Json | undefined, at: readonly string[], name: string | undefined): void => {
    if (isObject(inner)) found.push({ raw: inner, path: at, property: name })
  }
  if (typeof raw['$ref'] === 'string') add(contract.target(raw)?.raw, path, property)
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const list = raw[key]
    if (isList(list)) for (const branch of list) add(branch, path, property)
  }
  for (const key of ['not', 'if', 'then', 'else']) add(raw[key], path, property)
  for (const branch of membersOf(raw['dependentSchemas'])) add(branch, path, property)
  for (const [name, child] of Object.entries(isObject(raw['properties']) ? raw['properties'] : {}))
    add(child, [...path, name], name)
  const others = ['items', 'additionalProperties', 'contains', 'unevaluatedItems', 'unevaluatedProperties']
  for (const key of others) add(raw[key], [...path, '*'], undefined)
  for (const key of ['prefixItems', 'patternProperties'])
    for (const child of membersOf(raw[key])) add(child, [...path, '*'], undefined)
  return found
}

function membersOf(value: Json | undefined): readonly Json[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : []
}

/** By contract: the schemas that have something of a kind in them, so that the others needn't be walked through. */
const marks = { secret: new WeakMap<Contract, Marks>(), openEnum: new WeakMap<Contract, Marks>() }

function hasAny(
  contract: Contract,
  raw: Json | undefined,
  kind: keyof typeof marks,
  isMarked: (each: JsonObject) => boolean,
): boolean {
  if (!isObject(raw)) return false
  const inside = (each: JsonObject) => insideOf(contract, { raw: each, path: [], property: undefined })
  const known =
    marks[kind].get(contract) ??
    new Marks((each) => ({ isMarked: isMarked(each), schemas: inside(each).map((found) => found.raw) }))
  marks[kind].set(contract, known)
  return known.has(raw)
}

/** The names of properties marked `x-secret` inside a schema; `*` where a value without a name is marked. */
export function secretNames(contract: Contract, raw: Json | undefined): string[] {
  if (!hasAny(contract, raw, 'secret', (each) => each['x-secret'] === true)) return []
  const names: string[] = []
  walkSchema(contract, raw, (found) => {
    if (found.raw['x-secret'] === true) names.push(found.property ?? '*')
  })
  return names
}

/** Most paths that are followed in search of open enums. */
const MAX_PATHS = 20_000

/** The open enums inside a schema, with the paths to them. A component that contains itself is entered once on each path. */
export function openEnums(
  contract: Contract,
  raw: Json | undefined,
): { readonly path: readonly string[]; readonly values: readonly string[] }[] {
  if (!isObject(raw) || !hasAny(contract, raw, 'openEnum', isOpenEnum)) return []
  const found = new Map<string, { readonly path: readonly string[]; readonly values: readonly string[] }>()
  let paths = 0
  const enter = (visit: Visit, through: readonly JsonObject[]): void => {
    if (through.includes(visit.raw) || ++paths > MAX_PATHS) return
    if (isOpenEnum(visit.raw)) {
      const key = JSON.stringify(visit.path)
      const before = found.get(key)?.values ?? []
      found.set(key, {
        path: visit.path,
        values: [...new Set([...before, ...visit.raw['enum'].map(String)])],
      })
    }
    for (const next of insideOf(contract, visit)) enter(next, [...through, visit.raw])
  }
  enter({ raw, path: [], property: undefined }, [])
  return [...found.values()]
}

function isOpenEnum(raw: JsonObject): raw is JsonObject & { readonly enum: readonly Json[] } {
  return raw['x-open-enum'] === true && isList(raw['enum'])
}
