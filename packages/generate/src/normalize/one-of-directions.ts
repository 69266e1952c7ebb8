import type { Contract } from '../read/contract.ts'
import { type Json, type JsonObject, asList, asObject, isObject } from '../read/json.ts'
import { isAnnotation } from './keywords.ts'

/**
 * Whether all branches of a `oneOf` assert the same about the properties that don't belong to a direction. A value
 * that matches two branches without these properties then also matches two with them, so "exactly one" keeps its
 * meaning when they are left out.
 */
export function areSameInDirection(contract: Contract, branches: readonly Json[]): boolean {
  const names = new Set(branches.filter((one) => isObject(one)).flatMap((one) => [...contract.excluded(one)]))
  const [first, ...others] = branches.map((branch) => statementsOf(contract, branch, names))
  return first !== undefined && others.every((each) => each === first)
}

/**
 * Lists the assertions of a branch about some properties, and about properties that contain such properties. Undefined
 * if some of these assertions are elsewhere.
 */
function statementsOf(contract: Contract, branch: Json, names: ReadonlySet<string>): string | undefined {
  const said = new Set<string>()
  const seen = new Set<Json>()
  const pending: { readonly raw: Json; readonly pointer: string }[] = [{ raw: branch, pointer: '#' }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { raw, pointer } = next
    if (!isObject(raw) || seen.has(raw)) continue
    seen.add(raw)
    const target = contract.target(raw)
    if (target) pending.push(target)
    for (const part of asList(raw['allOf'])) pending.push({ raw: part, pointer })
    for (const name of asList(raw['required']).map(String)) if (names.has(name)) said.add(`required ${name}`)
    for (const [name, property] of Object.entries(asObject(raw['properties'])))
      if (names.has(name) || contract.isVariant(property))
        said.add(`${name} ${textOf(contract, property, pointer)}`)
    const { $ref: _, allOf: __, properties: ___, ...others } = raw
    if (contract.isVariant(others)) return undefined
  }
  return [...said].sort().join('\n')
}

/** Prints the schema of a property, with the file to which its references are relative. */
function textOf(contract: Contract, property: Json, pointer: string): string {
  if (!isObject(property)) return JSON.stringify(property)
  const { $ref: _, ...others } = property
  const target = contract.target(property)?.pointer
  const own = Object.entries(others).filter(([key]) => !isAnnotation(key))
  return JSON.stringify([target, fileOf(pointer), own.sort(([one], [other]) => (one < other ? -1 : 1))])
}

function fileOf(pointer: string): string {
  return pointer.slice(0, Math.max(pointer.indexOf('#'), 0))
}

/** Whether a schema requires a property that, in the schema `of`, doesn't belong to the direction. */
export function demandsExcluded(contract: Contract, schema: Json | undefined, of: JsonObject): boolean {
  const excluded = contract.excluded(of)
  return excluded.size > 0 && contract.demanded(schema).some((name) => excluded.has(name))
}
