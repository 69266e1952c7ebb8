import { type Contract, type ContractNode, perContract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, asObject, isList, isObject } from '../read/json.ts'
import { objectChecks } from './constraints.ts'
import { keywordsOfType } from './keywords.ts'
import { type PlainSchema, type Rules, rulesKey } from './rules.ts'

/** Reads a schema inside another one. */
export type ReadInner = (schema: ContractNode, isProperty?: boolean) => PlainSchema

/** Reads a schema's keywords for objects, such as `properties`. */
export function objectSchema(schema: ContractNode, read: ReadInner): PlainSchema {
  const { contract, raw } = schema
  const properties = readProperties(schema, read)
  const excluded = contract.excluded(raw)
  const required = readRequired(schema).filter((name) => !excluded.has(name))
  const own = asObject(raw['properties'])
  const isClosed =
    raw['additionalProperties'] === false && !hasPatterns(raw) && !Object.keys(own).some(isInherited)
  const more = readAdditional(schema, isClosed, required, read)
  const isMap = Object.keys(own).length === 0 && required.length === 0 && !hasPatterns(raw)
  // In a closed object, a required property that isn't in `properties` is forbidden. So its schema accepts no value.
  const unnamed: PlainSchema =
    more === 'closed' ? { [rulesKey]: { never: true } } : more === 'open' || hasPatterns(raw) ? {} : more
  for (const name of required) properties[name] ??= unnamed
  const present = required
    .filter((name) => !isClosed || Object.hasOwn(own, name))
    .filter((name) => acceptsAbsence(contract, own[name]))
  const names = Object.keys(properties)
  const exclusive = exclusionsOf(raw) ?? []
  const checks = objectChecks(schema)
  const rules: Rules = {
    ...(checks.length > 0 ? { checks } : {}),
    ...(more === 'closed' ? { closed: true } : {}),
    ...(present.length > 0 ? { present } : {}),
    ...(exclusive.length > 0 ? { exclusive } : {}),
  }
  return {
    type: 'object',
    ...(names.length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(isMap && typeof more === 'object' ? { additionalProperties: more } : {}),
    ...(Object.keys(rules).length > 0 ? { [rulesKey]: rules } : {}),
  }
}

/** The results of {@link acceptsAbsence}. */
const absences = perContract(() => new Map<JsonObject, boolean>())

/**
 * Whether the zod schema that is generated from a schema also accepts undefined. zod treats a required property with
 * such a schema as optional, so a separate check has to require the property.
 */
export function acceptsAbsence(contract: Contract, raw: Json | undefined): boolean {
  if (!isObject(raw)) return raw !== false
  const known = absences(contract)
  // This function isn't recursive, because a long chain of references could overflow the stack.
  const started = new Set<JsonObject>()
  const pending = [raw]
  for (let next = pending.at(-1); next !== undefined; next = pending.at(-1)) {
    if (known.has(next)) pending.pop()
    else if (started.has(next)) known.set(next, wouldAcceptAbsence(contract, next, known))
    else {
      started.add(next)
      const { target, anyOf, oneOf, allOf } = sameValueIn(contract, next)
      for (const one of [target, ...anyOf, ...oneOf, ...allOf])
        if (isObject(one) && !started.has(one)) pending.push(one)
    }
  }
  return known.get(raw) ?? false
}

/** The schemas that apply to the same value as this schema: the target of its `$ref`, and its branches. */
function sameValueIn(contract: Contract, raw: JsonObject) {
  const listed = (key: string) => asList(raw[key])
  const target = contract.target(raw)?.raw
  return { target, anyOf: listed('anyOf'), oneOf: listed('oneOf'), allOf: listed('allOf') }
}

/**
 * @param known For each schema that `raw` contains or refers to, whether it accepts undefined. A schema that leads
 *   back to `raw` may be missing, which counts as false.
 */
function wouldAcceptAbsence(
  contract: Contract,
  raw: JsonObject,
  known: ReadonlyMap<JsonObject, boolean>,
): boolean {
  const accepts = (one: Json) => (isObject(one) ? known.get(one) === true : one !== false)
  const { target, anyOf, oneOf, allOf } = sameValueIn(contract, raw)
  if (typeof raw['$ref'] === 'string' && (target === undefined || !accepts(target))) return false
  if (isList(raw['anyOf']) && !anyOf.some(accepts)) return false
  if (isList(raw['oneOf']) && !oneOf.some(accepts)) return false
  if (!allOf.every(accepts)) return false
  return Object.keys(raw).every((key) => !['type', 'const', 'enum'].includes(key) && !isOfOneType(key))
}

function isOfOneType(key: string): boolean {
  return Object.values(keywordsOfType).some((keywords) => keywords.includes(key))
}

/**
 * Whether every JavaScript object inherits a member of this name. Neither types nor zod can tell whether an object
 * has its own property of this name.
 */
export function isInherited(name: string): boolean {
  return name in Object.prototype
}

function hasPatterns(raw: JsonObject): boolean {
  return Object.keys(asObject(raw['patternProperties'])).length > 0
}

function readProperties(schema: ContractNode, read: ReadInner): Record<string, PlainSchema> {
  const { contract, raw } = schema
  const listed = schema.at('properties')
  const properties: Record<string, PlainSchema> = {}
  if (!isObject(listed.value ?? {})) listed.widen('`properties` must be an object')
  // A property that is meant only for the other direction (request or response) is left out here. But if the schema
  // restricts unlisted properties, the property stays listed, so that a value with this property is still accepted.
  const isOpen = [raw['additionalProperties'], raw['unevaluatedProperties']].every(
    (more) => more === undefined || more === true,
  )
  for (const [name, property] of listed.members()) {
    if (isOpen && contract.excludes(property.value)) continue
    if (isInherited(name))
      property.note(`every JavaScript object already has \`${name}\`, so this property has no type`)
    else properties[name] = read(property, true)
  }
  return properties
}

function readRequired(schema: ContractNode): string[] {
  const required = schema.raw['required'] ?? []
  if (isList(required) && required.every((name) => typeof name === 'string')) {
    return [...new Set(required.map(String))].filter((name) => !isInherited(name))
  }
  schema.widen('`required` must be a list of property names', 'required')
  return []
}

function readAdditional(
  schema: ContractNode,
  isClosed: boolean,
  required: readonly string[],
  read: ReadInner,
): PlainSchema | 'open' | 'closed' {
  const more = schema.at('additionalProperties')
  if (isClosed) {
    const own = asObject(schema.raw['properties'])
    const excluded = required.find((name) => !Object.hasOwn(own, name))
    if (excluded !== undefined)
      more.note(`\`additionalProperties\` excludes \`${excluded}\`, which \`required\` lists`)
    return 'closed'
  }
  if (more.value === undefined || more.value === true) return 'open'
  // In the schema of a form, unlisted properties are also parts of the form. So they are read as properties (`true`).
  return read(more, true)
}

/**
 * Returns the groups of properties that the keyword `not` excludes. `not: {required: [...]}` means that a value can't
 * have all of the listed properties together. `not: {anyOf: [...]}` excludes several groups. Returns undefined if
 * types can't express the schema's `not`, or if the schema also accepts values that aren't objects.
 */
export function exclusionsOf(raw: JsonObject): string[][] | undefined {
  const { not, type, properties, required } = raw
  if (not === undefined || (isList(type) ? type.join() : type) !== 'object') return undefined
  const names = new Set([...Object.keys(asObject(properties)), ...asList(required).map(String)])
  const needed = asList(required).map(String)
  const branches =
    isObject(not) && Object.keys(not).length === 1 && isList(not['anyOf']) ? not['anyOf'] : [not]
  const groups = branches.map((branch) => {
    const list = isObject(branch) && Object.keys(branch).length === 1 ? branch['required'] : undefined
    return isList(list) ? [...new Set(list.map(String))] : []
  })
  const hasMeaning = (group: readonly string[]) =>
    group.length > 0 &&
    !group.some(isInherited) &&
    (group.length === 1 ? !names.has(String(group[0])) : group.every((name) => names.has(name))) &&
    !group.every((name) => needed.includes(name))
  return groups.every(hasMeaning) ? groups : undefined
}
