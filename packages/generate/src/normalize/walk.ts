import { type Contract, type ContractNode, perContract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, asObject, combinedIn, isList, isObject } from '../read/json.ts'
import { Gathered, marked } from '../read/gathered.ts'

/** One schema inside another schema. */
interface Visit {
  readonly raw: JsonObject
  /** The path to the values that the schema describes: property names, and `*` for the items of an array or map. */
  readonly path: readonly string[]
  /** The name of the property that the schema describes, if any. */
  readonly property: string | undefined
}

/**
 * Visits a schema and all schemas inside it, following references. A schema that describes several properties is
 * visited once for each property name.
 */
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

/** The schemas directly inside a schema, and the target of its `$ref`. */
export function insideOf(contract: Contract, { raw, path, property }: Visit): Visit[] {
  const found: Visit[] = []
  const add = (inner: Json | undefined, at: readonly string[], name: string | undefined): void => {
    if (isObject(inner)) found.push({ raw: inner, path: at, property: name })
  }
  add(contract.target(raw)?.raw, path, property)
  for (const branch of combinedIn(raw, ['anyOf', 'oneOf', 'allOf'])) add(branch, path, property)
  for (const key of ['not', 'if', 'then', 'else']) add(raw[key], path, property)
  for (const branch of Object.values(asObject(raw['dependentSchemas']))) add(branch, path, property)
  for (const [name, child] of Object.entries(asObject(raw['properties']))) add(child, [...path, name], name)
  const others = ['items', 'additionalProperties', 'contains', 'unevaluatedItems', 'unevaluatedProperties']
  for (const key of others) add(raw[key], [...path, '*'], undefined)
  for (const child of [...asList(raw['prefixItems']), ...Object.values(asObject(raw['patternProperties']))])
    add(child, [...path, '*'], undefined)
  return found
}

export function schemasIn(contract: Contract, raw: JsonObject): JsonObject[] {
  return startIn(contract, raw).map((found) => found.raw)
}

function startIn(contract: Contract, raw: JsonObject): Visit[] {
  return insideOf(contract, { raw, path: [], property: undefined })
}

/** The schemas that are marked `x-secret`, directly or through a reference or a combined schema. */
const secretsIn = perContract(
  (contract) =>
    new Gathered((raw) => {
      const ofSameValue = startIn(contract, raw).filter(({ path }) => path.length === 0)
      return marked(
        raw['x-secret'] === true,
        ofSameValue.map((found) => found.raw),
      )
    }),
)

/** The names of properties with secret values, at any depth. */
const secretNamesIn = perContract((contract) => {
  const secrets = secretsIn(contract)
  return new Gathered((raw) => {
    const inside = startIn(contract, raw)
    const own = inside
      .filter((found) => found.path.length > 0 && secrets.has(found.raw))
      .map(({ property }) => property ?? '*')
    return { own, schemas: inside.map((found) => found.raw) }
  })
})

/** The names of properties marked `x-secret` inside a schema; `*` for a marked value without a name. */
export function secretNames(contract: Contract, raw: Json | undefined): string[] {
  if (!isObject(raw)) return []
  return [...(secretsIn(contract).has(raw) ? ['*'] : []), ...secretNamesIn(contract).of(raw)]
}

/** The schemas that contain an open enum. */
const openIn = perContract(
  (contract) => new Gathered((raw) => marked(isOpenEnum(raw), schemasIn(contract, raw))),
)

interface OpenEnum {
  readonly path: readonly string[]
  readonly values: readonly string[]
}

interface OpenEnums {
  readonly found: readonly OpenEnum[]
  readonly isComplete: boolean
}

/** A visited schema, linked to the schema that contains it. */
interface Step extends Visit {
  readonly before: Step | undefined
}

/** The maximum number of schemas to visit when searching one body for open enums. */
const MAX_STEPS = 2_000

const openEnumsIn = perContract(() => new Map<JsonObject, OpenEnums>())

export function openEnums(schema: ContractNode): readonly OpenEnum[] {
  const { contract, raw } = schema
  const known = openEnumsIn(contract).get(raw) ?? findOpenEnums(contract, raw)
  openEnumsIn(contract).set(raw, known)
  if (!known.isComplete)
    schema.note(
      'the schema has too many paths to values that are marked `x-open-enum`; unknown values are reported only on the shortest paths',
    )
  return known.found
}

/**
 * Finds open enums, starting with the shortest paths. On each path, a schema is visited only once, even if it
 * contains itself.
 */
function findOpenEnums(contract: Contract, raw: JsonObject): OpenEnums {
  const open = openIn(contract)
  const found = new Map<string, OpenEnum>()
  const pending: Step[] = open.has(raw) ? [{ raw, path: [], property: undefined, before: undefined }] : []
  let isComplete = true
  for (const step of pending) {
    if (isOpenEnum(step.raw)) {
      const key = JSON.stringify(step.path)
      const values = [...(found.get(key)?.values ?? []), ...step.raw['enum'].map(String)]
      found.set(key, { path: step.path, values: [...new Set(values)] })
    }
    if (!isComplete) continue
    for (const next of insideOf(contract, step))
      if (open.has(next.raw) && !isOnWay(step, next.raw)) pending.push({ ...next, before: step })
    if (pending.length > MAX_STEPS) {
      pending.length = MAX_STEPS
      isComplete = false
    }
  }
  return { found: [...found.values()], isComplete }
}

function isOnWay(last: Step, raw: JsonObject): boolean {
  for (let step: Step | undefined = last; step; step = step.before) if (step.raw === raw) return true
  return false
}

function isOpenEnum(raw: JsonObject): raw is JsonObject & { readonly enum: readonly Json[] } {
  return raw['x-open-enum'] === true && isList(raw['enum'])
}
