import type { Contract, ContractNode } from '../read/contract.ts'
import type { Found } from '../read/documents.ts'
import { type Json, type JsonObject, asObject, combinedIn, isList, isObject, typesOf } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import { listedValues } from './disjoint.ts'
import type { Discriminator } from './rules.ts'

/** A discriminator as it is in the contract. */
export interface GivenDiscriminator {
  readonly property: string
  /** The names of schemas, by the values of the property. */
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

export function isOfUnion(raw: JsonObject): boolean {
  return discriminatorOf(raw) !== undefined && (isList(raw['oneOf']) || isList(raw['anyOf']))
}

/**
 * Reads the discriminator of a union of references. Returns undefined if the discriminator doesn't narrow the type of
 * any branch.
 */
export function readDiscriminator(
  schema: ContractNode,
  branches: readonly ContractNode[],
): Discriminator | undefined {
  const { contract } = schema
  const said = discriminatorOf(schema.raw)
  if (said === undefined) return undefined
  const targets = branches.map(({ raw }) => contract.target(raw))
  const values = targets.map((target) => (target ? valuesOf(contract, said, target) : []))
  const unsaid = targets.flatMap((target, index) =>
    target && allowsOtherValues(contract, target.raw, said.property, values[index] ?? []) ? [index] : [],
  )
  if (unsaid.length === 0) return undefined
  if (said.defaultMapping === undefined) noteNarrowerTypes(said.property, schema)
  return { property: said.property, values, unsaid }
}

export function noteNarrowerTypes(property: string, schema: ContractNode): void {
  schema.note(
    `validation also accepts values of \`${property}\` that the TypeScript type doesn't allow; in each schema, list the property's values with \`const\` or \`enum\``,
    'discriminator',
  )
}

/**
 * The property values that select a schema: the values mapped to the schema, or else the schema's own name. The list
 * is empty for the default schema, because every value that doesn't select another schema selects the default schema.
 */
export function valuesOf(
  contract: Contract,
  { mapping, defaultMapping }: GivenDiscriminator,
  { pointer }: Pick<Found, 'pointer'>,
): readonly string[] {
  if (defaultMapping !== undefined && targetOf(contract, defaultMapping)?.pointer === pointer) return []
  const mapped = Object.entries(mapping).flatMap(([value, name]) =>
    targetOf(contract, String(name))?.pointer === pointer ? [value] : [],
  )
  const own = /^#\/components\/schemas\/([^/]+)$/.exec(pointer)?.[1]
  if (mapped.length > 0 || own === undefined) return mapped
  return [own.replaceAll('~1', '/').replaceAll('~0', '~')]
}

/** Finds a schema by a name from a `mapping`: the name of a component, or a reference. */
function targetOf(contract: Contract, name: string): Found | undefined {
  const own = Object.hasOwn(contract.schemas.raw, name)
  return contract.target({ $ref: own ? childPointer('#/components/schemas', name) : name })
}

/** Whether a schema allows property values that don't select the schema. */
export function allowsOtherValues(
  contract: Contract,
  raw: Json,
  property: string,
  values: readonly string[],
): boolean {
  if (values.length === 0) return false
  const listed = valuesIn(contract, raw, property)
  if (!canBeString(contract, raw, property)) return false
  // If the schema lists none of `values`, a type narrowed to `values` would accept nothing.
  if (listed && !values.some((value) => listed.includes(value))) return false
  return !listed?.every((value) => values.includes(String(value)))
}

/** Whether a property can be a string. Only strings can select a schema. */
function canBeString(contract: Contract, raw: Json, property: string): boolean {
  return propertyIn(contract, raw, property).every((own) => {
    const types = typesOf(own)
    return types.length === 0 || types.includes('string')
  })
}

/** The values that a schema or its `allOf` schemas list for a property. If there are several lists, the shortest. */
function valuesIn(contract: Contract, raw: Json, property: string): readonly Json[] | undefined {
  return propertyIn(contract, raw, property)
    .flatMap((own) => {
      const listed = listedValues(own)
      return listed === undefined ? [] : [listed]
    })
    .toSorted((first, second) => first.length - second.length)[0]
}

/** Returns the schema of a property in `raw`, and in each `allOf` schema of `raw`. */
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
