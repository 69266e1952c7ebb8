import { type Json, type JsonObject, isList, isObject, typeOfValue } from '../read/json.ts'

/**
 * Whether no value can fit both schemas, as far as their types, their listed values and their const properties
 * show it. References inside are followed with `resolve`.
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
  const [firstTypes, secondTypes] = [typesOf(first), typesOf(second)]
  if (!firstTypes || !secondTypes) return false
  if (firstTypes.every((type) => !secondTypes.includes(type))) return true
  if (haveDifferentValues(first, second)) return true
  if (firstTypes.join() !== 'object' || secondTypes.join() !== 'object') return false
  return requiredNames(first)
    .filter((name) => requiredNames(second).includes(name))
    .some((name) => haveDifferentValues(resolve(property(first, name)), resolve(property(second, name))))
}

/** The values that a schema lists with `const` or `enum`. */
export function listedValues(raw: JsonObject): readonly Json[] | undefined {
  if (raw['const'] !== undefined) return [raw['const']]
  return isList(raw['enum']) && raw['enum'].length > 0 ? raw['enum'] : undefined
}

function haveDifferentValues(first: Json, second: Json): boolean {
  const [own, other] = [closedValues(first), closedValues(second)]
  return own !== undefined && other !== undefined && own.every((value) => !other.includes(value))
}

function closedValues(raw: Json): readonly Json[] | undefined {
  return !isObject(raw) || raw['x-open-enum'] === true ? undefined : listedValues(raw)
}

function typesOf(raw: JsonObject): string[] | undefined {
  const type = raw['type']
  const names = isList(type)
    ? type.map(String)
    : typeof type === 'string'
      ? [type]
      : listedValues(raw)?.map(typeOfValue)
  return names?.map((name) => (name === 'integer' ? 'number' : name))
}

function requiredNames(raw: JsonObject): string[] {
  return isList(raw['required']) ? raw['required'].map(String) : []
}

function property(raw: JsonObject, name: string): Json {
  return isObject(raw['properties']) ? (raw['properties'][name] ?? null) : null
}
