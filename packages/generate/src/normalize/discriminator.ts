import type { Contract } from '../read/contract.ts'
import type { Found } from '../read/documents.ts'
import { type Json, type JsonObject, asObject, combinedIn, isList, isObject, typesOf } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { listedValues } from './disjoint.ts'
import type { Discriminator } from './rules.ts'

/** A discriminator as a contract has it. */
export interface GivenDiscriminator {
  readonly property: string
  /** Names of schemas by values. */
  readonly mapping: JsonObject
  /** The name of the schema for all other values, and for objects without the property (OpenAPI 3.2). */
  readonly defaultMapping: string | undefined
}

export function discriminatorOf(raw: JsonObject): GivenDiscriminator | undefined {
  const { discriminator } = raw
  if (!isObject(discriminator)) return undefined
  const { propertyName, mapping, defaultMapping } = discriminator
  if (typeof propertyName !== 'string' || propertyName === '__proto__') return undefined
  return {
    property: propertyName,
    mapping: asObject(mapping),
    defaultMapping: typeof defaultMapping === 'string' ? defaultMapping : undefined,
  }
}

/** Whether a schema has a discriminator that belongs to its union. */
export function isOfUnion(raw: JsonObject): boolean {
  return discriminatorOf(raw) !== undefined && (isList(raw['oneOf']) || isList(raw['anyOf']))
}

/**
 * Reads the discriminator of a union of references: which branch a value is meant for. Undefined if the branches say that
 * themselves, by listed values of the property, or if nothing names any of them.
 */
export function readDiscriminator(
  contract: Contract,
  raw: JsonObject,
  { list, pointer }: { readonly list: readonly Json[]; readonly pointer: string },
): Discriminator | undefined {
  const said = discriminatorOf(raw)
  if (said === undefined) return undefined
  const targets = list.map((branch) =>
    isObject(branch) && typeof branch['$ref'] === 'string' ? contract.target(branch) : undefined,
  )
  const values = targets.map((target) => (target ? valuesOf(contract, said, target) : []))
  const unsaid = targets.flatMap((target, index) =>
    target && isUnsaid(contract, target.raw, said.property, values[index] ?? []) ? [index] : [],
  )
  if (unsaid.length === 0) return undefined
  if (said.defaultMapping === undefined) noteUnsaid(contract, said.property, pointer)
  return { property: said.property, values, unsaid }
}

/** Notes that types are narrower than the values that are accepted. */
export function noteUnsaid(contract: Contract, property: string, pointer: string): void {
  contract.note(
    childPointer(pointer, 'discriminator'),
    `other values of \`${property}\` are accepted too, which the TypeScript type leaves out; list the values in each schema with \`const\` or \`enum\``,
  )
}

/** The values that name a schema: those that are mapped to it, or its own name. The default of a mapping has any value. */
export function valuesOf(
  contract: Contract,
  { mapping, defaultMapping }: GivenDiscriminator,
  { pointer }: Found,
): readonly string[] {
  if (defaultMapping !== undefined && targetOf(contract, defaultMapping)?.pointer === pointer) return []
  const mapped = Object.entries(mapping).flatMap(([value, name]) =>
    targetOf(contract, String(name))?.pointer === pointer ? [value] : [],
  )
  const own = /^#\/components\/schemas\/([^/]+)$/.exec(pointer)?.[1]
  if (mapped.length > 0 || own === undefined) return mapped
  return [own.replaceAll('~1', '/').replaceAll('~0', '~')]
}

/** The schema that a mapping names: by its name as a component, or by a reference. */
function targetOf(contract: Contract, name: string): Found | undefined {
  const own = Object.hasOwn(contract.schemas, name)
  return contract.target({ $ref: own ? childPointer('#/components/schemas', name) : name })
}

/** Whether a schema could take any value of a property where only these are meant. */
export function isUnsaid(
  contract: Contract,
  raw: Json,
  property: string,
  values: readonly string[],
): boolean {
  if (values.length === 0) return false
  const listed = valuesIn(contract, raw, property)
  if (!canBeString(contract, raw, property)) return false
  // The schema has other values in mind: both together would accept nothing.
  if (listed && !values.some((value) => listed.includes(value))) return false
  return !listed?.every((value) => values.includes(String(value)))
}

/** Whether a property could be a string, as the values that name a schema are. */
function canBeString(contract: Contract, raw: Json, property: string): boolean {
  return propertyIn(contract, raw, property).every((own) => {
    const types = typesOf(own)
    return types.length === 0 || types.includes('string')
  })
}

/** The values that a schema lists for a property, those of schemas that it is combined with included. */
function valuesIn(contract: Contract, raw: Json, property: string): readonly Json[] | undefined {
  return propertyIn(contract, raw, property)
    .flatMap((own) => {
      const listed = listedValues(own)
      return listed === undefined ? [] : [listed]
    })
    .toSorted((first, second) => first.length - second.length)[0]
}

/** The schemas of a property, in a schema and in those that it is combined with. */
function propertyIn(
  contract: Contract,
  raw: Json,
  property: string,
  seen = new Set<JsonObject>(),
): readonly JsonObject[] {
  const schema = contract.resolveObject(raw)
  if (seen.has(schema)) return []
  seen.add(schema)
  return [
    contract.resolveObject(asObject(schema['properties'])[property]),
    ...combinedIn(schema, ['allOf']).flatMap((part) => propertyIn(contract, part, property, seen)),
  ]
}
