import {
  type Json,
  type JsonObject,
  asList,
  asObject,
  isList,
  isObject,
  typeOfValue,
  typesOf,
} from '../read/json.ts'

/**
 * Whether no value can fit both schemas. Compares only their types, their listed values, and the listed values of
 * properties that both require. If these don't decide it, returns false. `resolve` follows references.
 */
export function areDisjoint(first: Json, second: Json, resolve: (raw: Json) => Json, depth = 0): boolean {
  if (!isObject(first) || !isObject(second) || depth > 20) return false
  for (const [one, other] of [
    [first, second],
    [second, first],
  ] as const) {
    const branches = one['anyOf'] ?? one['oneOf']
    if (isList(branches))
      return branches.every((branch) => areDisjoint(resolve(branch), other, resolve, depth + 1))
  }
  const [firstTypes, secondTypes] = [valueTypes(first), valueTypes(second)]
  if (!firstTypes || !secondTypes) return false
  if (firstTypes.every((type) => !secondTypes.includes(type))) return true
  if (haveDifferentValues(first, second)) return true
  if (firstTypes.join() !== 'object' || secondTypes.join() !== 'object') return false
  return requiredNames(first)
    .filter((name) => requiredNames(second).includes(name))
    .some((name) => haveDifferentValues(resolve(property(first, name)), resolve(property(second, name))))
}

/** The maximum number of schemas that are compared pair by pair. */
const MAX_PAIRED = 100

/**
 * Whether no value can fit more than one of these schemas, as far as {@link areDisjoint} can tell. Comparing many
 * schemas pair by pair would be slow. For more than `MAX_PAIRED` schemas, this function compares only their listed
 * values, and the listed values of each property that all of them require.
 */
export function areAllDisjoint(schemas: readonly Json[], resolve: (raw: Json) => Json): boolean {
  const all = schemas.map(resolve)
  const [first] = all
  if (!isObject(first)) return false
  if (haveOwnValues(all)) return true
  const isTold = requiredNames(first).some((name) =>
    haveOwnValues(
      all.map((each) => {
        const isTyped = isObject(each) && each['type'] === 'object' && requiredNames(each).includes(name)
        return isTyped ? resolve(property(each, name)) : null
      }),
    ),
  )
  if (isTold || all.length > MAX_PAIRED) return isTold
  return all.every((one, index) => all.slice(index + 1).every((other) => areDisjoint(one, other, resolve)))
}

/** Whether each schema lists its values, and no two schemas list the same value. */
function haveOwnValues(schemas: readonly Json[]): boolean {
  const taken = new Set<Json>()
  for (const schema of schemas) {
    const values = closedValues(schema)
    if (values === undefined || values.some((value) => taken.has(value))) return false
    for (const value of values) taken.add(value)
  }
  return true
}

export function listedValues(raw: JsonObject): readonly Json[] | undefined {
  if (raw['const'] !== undefined) return [raw['const']]
  return isList(raw['enum']) && raw['enum'].length > 0 ? raw['enum'] : undefined
}

function haveDifferentValues(first: Json, second: Json): boolean {
  const [own, other] = [closedValues(first), closedValues(second)]
  return own !== undefined && other !== undefined && own.every((value) => !other.includes(value))
}

function closedValues(raw: Json): readonly Json[] | undefined {
  if (!isObject(raw) || raw['x-open-enum'] === true) return undefined
  const values = listedValues(raw)
  // Objects and arrays aren't compared by content, so a list that contains one of them is ignored.
  return values?.some((value) => typeof value === 'object' && value !== null) ? undefined : values
}

/** The types of a schema's values. Whole numbers count as numbers. */
export function valueTypes(raw: JsonObject): readonly string[] | undefined {
  const names = raw['type'] === undefined ? listedValues(raw)?.map(typeOfValue) : typesOf(raw)
  return names?.map((name) => (name === 'integer' ? 'number' : name))
}

function requiredNames(raw: JsonObject): string[] {
  return asList(raw['required']).map(String)
}

function property(raw: JsonObject, name: string): Json {
  return asObject(raw['properties'])[name] ?? null
}
