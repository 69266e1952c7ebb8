import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, isList, isObject } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { objectChecks } from './constraints.ts'
import { type PlainSchema, type Rules, rulesKey } from './rules.ts'

/** Reads a schema inside another one. */
export type ReadInner = (raw: Json, pointer: string, isProperty: boolean) => PlainSchema

/** Reads what `raw` asserts about objects. */
export function objectSchema(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
  read: ReadInner,
): PlainSchema {
  const properties = readProperties(contract, raw, pointer, read)
  const required = readRequired(contract, raw, pointer)
  const own = isObject(raw['properties']) ? raw['properties'] : {}
  for (const name of required) properties[name] ??= {}
  const present = required.filter((name) => acceptsAbsence(contract, own[name]))
  const names = Object.keys(properties)
  const exclusive =
    raw['not'] === undefined ? [] : readExclusions(contract, raw['not'], pointer, { names, required })
  const checks = objectChecks(contract, raw, pointer)
  const more = readAdditional(contract, raw, pointer, { names, read })
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
    ...(typeof more === 'object' ? { additionalProperties: more } : {}),
    ...(Object.keys(rules).length > 0 ? { [rulesKey]: rules } : {}),
  }
}

/** Whether a schema would accept that the value is missing, which JSON Schema tells apart and zod does not. */
export function acceptsAbsence(
  contract: Contract,
  raw: Json | undefined,
  seen: readonly string[] = [],
): boolean {
  if (!isObject(raw)) return true
  if (typeof raw['$ref'] === 'string') {
    const target = contract.component(raw['$ref'])
    if (!target || seen.includes(target.name)) return false
    return acceptsAbsence(contract, target.raw, [...seen, target.name])
  }
  const branches = raw['anyOf'] ?? raw['oneOf']
  if (isList(branches)) return branches.some((branch) => acceptsAbsence(contract, branch, seen))
  return ['type', 'const', 'enum', 'allOf'].every((key) => raw[key] === undefined)
}

function readProperties(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
  read: ReadInner,
): Record<string, PlainSchema> {
  const listed = raw['properties'] ?? {}
  const properties: Record<string, PlainSchema> = {}
  if (!isObject(listed)) {
    contract.refuse(childPointer(pointer, 'properties'), '`properties` needs an object')
    return properties
  }
  for (const [name, property] of Object.entries(listed)) {
    const at = childPointer(pointer, 'properties', name)
    if (name in Object.prototype)
      contract.refuse(at, `every object of JavaScript has \`${name}\` already; it cannot be checked`)
    properties[name] = read(property, at, true)
  }
  return properties
}

function readRequired(contract: Contract, raw: JsonObject, pointer: string): string[] {
  const required = raw['required'] ?? []
  if (isList(required) && required.every((name) => typeof name === 'string' && !(name in Object.prototype))) {
    return [...new Set(required.map(String))]
  }
  contract.refuse(childPointer(pointer, 'required'), '`required` needs a list of names of properties')
  return []
}

function readAdditional(
  contract: Contract,
  raw: JsonObject,
  pointer: string,
  { names, read }: { readonly names: readonly string[]; readonly read: ReadInner },
): PlainSchema | 'open' | 'closed' {
  const more = raw['additionalProperties']
  if (more === undefined || more === true) return 'open'
  const at = childPointer(pointer, 'additionalProperties')
  if (more === false) {
    const own = isObject(raw['properties']) ? raw['properties'] : {}
    const excluded = names.find((name) => !Object.hasOwn(own, name))
    if (excluded !== undefined)
      contract.refuse(at, `it excludes \`${excluded}\`, which \`required\` asks for`)
    return 'closed'
  }
  if (names.length === 0) return read(more, at, false)
  contract.refuse(
    at,
    '`additionalProperties` with a schema, beside named properties, has no type in TypeScript; leave one of them out',
  )
  return 'open'
}

/**
 * `not: {required: [...]}` is the one form of `not` that has a meaning in types: not all of them together, or not this
 * one at all. Several of them are in `not: {anyOf: [...]}`.
 */
function readExclusions(
  contract: Contract,
  not: Json,
  pointer: string,
  {
    names: properties,
    required,
  }: { readonly names: readonly string[]; readonly required: readonly string[] },
): string[][] {
  const at = childPointer(pointer, 'not')
  const branches =
    isObject(not) && Object.keys(not).length === 1 && isList(not['anyOf']) ? not['anyOf'] : [not]
  return branches.flatMap((branch) => {
    const names = isObject(branch) && Object.keys(branch).length === 1 ? branch['required'] : undefined
    if (!isList(names) || names.length === 0 || !names.every((name) => typeof name === 'string')) {
      contract.refuse(
        at,
        '`not` can only be expressed as not: {required: [names]}, or as not: {anyOf: [...]} of these',
      )
      return []
    }
    const group = [...new Set(names.map(String))]
    const unknown = group.length > 1 ? group.find((name) => !properties.includes(name)) : undefined
    if (unknown !== undefined)
      contract.refuse(at, `\`not\` names \`${unknown}\`, which is not one of the properties`)
    else if (group.every((name) => required.includes(name))) {
      contract.refuse(at, '`not` excludes what `required` asks for')
    } else if (group.length === 1 && properties.includes(String(group[0]))) {
      contract.refuse(
        at,
        `\`not\` excludes the property \`${group[0]}\` altogether; leave it out of the properties`,
      )
    } else return [group]
    return []
  })
}
