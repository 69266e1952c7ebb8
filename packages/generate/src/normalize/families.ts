import type { Contract, ContractNode } from '../read/contract.ts'
import { type Json, type JsonObject, asList } from '../read/json.ts'
import { allowsOtherValues, discriminatorOf, noteNarrowerTypes, valuesOf } from './discriminator.ts'
import { type PlainSchema, rulesKey } from './rules.ts'

/**
 * Describes a component that has a discriminator, and that other components extend with `allOf`. The component's type
 * becomes the union of those components. Its own schema becomes the base type, which those components extend.
 */
export interface Family {
  /** The name of the base type. */
  readonly base: string
  readonly union: PlainSchema
}

/**
 * The families of each contract, by component. The key for a contract is its `definitions`, because the contract's
 * request view and response view share that object.
 */
const known = new WeakMap<object, ReadonlyMap<Json, Family>>()

export function familyOf(contract: Contract, raw: Json | undefined): Family | undefined {
  return known.get(contract.definitions)?.get(raw ?? null)
}

/** Finds the families of a contract. Called once per contract, before the contract's schemas are read. */
export function findFamilies(contract: Contract): void {
  const all = contract.schemas.members()
  const members = all.map(([, member]) => member).filter((member) => member.isObject)
  const children = new Map<Json, ContractNode[]>()
  for (const member of members) {
    for (const part of asList(member.raw['allOf'])) {
      const parent = contract.target(part)?.raw
      if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), member])
    }
  }
  const bases = members.filter(({ raw }) => isBase(contract, raw, children))
  const names = new Map<Json, string>(
    bases.map(({ raw, pointer }) => [raw, contract.definitions.take(`${contract.nameOf(pointer)}Base`)]),
  )
  const families = new Map<Json, Family>()
  for (const base of bases) {
    const { raw } = base
    const said = discriminatorOf(raw)!
    const { property, mapping, defaultMapping } = said
    const heirs = [...descendants(raw, children)]
    const nameOf = (member: ContractNode) => names.get(member.raw) ?? contract.nameOf(member.pointer)
    const own = valuesOf(contract, said, base)
    const isMapped = own.some((value) => Object.hasOwn(mapping, value))
    const values = [...heirs.map((heir) => valuesOf(contract, said, heir)), isMapped ? own : []]
    const unsaid = [...heirs, base].flatMap((member, index) =>
      allowsOtherValues(contract, member.raw, property, values[index] ?? []) ? [index] : [],
    )
    const types = [...heirs.map(nameOf), String(names.get(raw))]
    if (defaultMapping === undefined && (unsaid.length > 0 || values.at(-1)?.length === 0))
      noteNarrowerTypes(property, base)
    families.set(raw, {
      base: String(names.get(raw)),
      union: {
        anyOf: types.map((type) => ({ $ref: `#/components/schemas/${type}` })),
        [rulesKey]: { discriminator: { property, values, unsaid, isFamily: true } },
      },
    })
  }
  known.set(contract.definitions, families)
}

/** The components that extend a component, directly or through others. */
function descendants(
  raw: Json,
  children: ReadonlyMap<Json, readonly ContractNode[]>,
  found = new Set<ContractNode>(),
): ReadonlySet<ContractNode> {
  for (const child of children.get(raw) ?? []) {
    if (found.has(child)) continue
    found.add(child)
    descendants(child.raw, children, found)
  }
  return found
}

function isBase(
  contract: Contract,
  raw: JsonObject,
  children: ReadonlyMap<Json, readonly ContractNode[]>,
): boolean {
  if (discriminatorOf(raw) === undefined || raw['oneOf'] !== undefined || raw['anyOf'] !== undefined)
    return false
  const heirs = [...descendants(raw, children)]
  // In a family, references between a base and its heirs lead to the same types in requests and in responses. So a
  // component that has different types in requests and in responses can't be part of a family.
  const isOne = (one: JsonObject) => !contract.isVariant(one) && !contract.requests.isVariant(one)
  return heirs.length > 0 && heirs.every((heir) => heir.raw !== raw && isOne(heir.raw)) && isOne(raw)
}
