import type { Contract, ContractNode } from '../read/contract.ts'
import { Gathered, type Marks, marked } from '../read/gathered.ts'
import { type Json, type JsonObject, asList, asObject, isList, isObject } from '../read/json.ts'
import { isAnnotation } from './keywords.ts'
import type { Assertion } from './rules.ts'
import { schemasIn } from './walk.ts'

/** Assertions, such as `not`, that can reject a value because an inner schema accepts it. */
const NEGATIVE: ReadonlySet<Assertion['assert']> = new Set([
  'not',
  'oneOf',
  'if',
  'contains',
  'unevaluatedItems',
  'unevaluatedProperties',
])

/**
 * Sets `isOpen` for each `NEGATIVE` assertion that relies on a property of the other direction (`readOnly` in a
 * request, `writeOnly` in a response). Records the remaining `NEGATIVE` assertions for {@link openAssertions}.
 */
export function watchAssertions(schema: ContractNode, assertions: readonly Assertion[]): void {
  const { contract, raw } = schema
  for (const assertion of assertions) {
    if (!NEGATIVE.has(assertion.assert)) continue
    if (reliesOnDirection(contract, assertion, raw)) {
      assertion.isOpen = true
      schema.widenInDirection(
        `\`${assertion.assert}\` relies on a property that doesn't belong to a ${contract.direction}`,
        assertion.assert,
      )
    } else contract.doubtful.push({ assertion, schema })
  }
}

/** Whether an assertion could reject a value because of properties of the other direction. */
function reliesOnDirection(contract: Contract, assertion: Assertion, raw: JsonObject): boolean {
  if (contract.direction === undefined) return false
  const { oneOf, if: test } = raw
  if (assertion.assert === 'oneOf') return isList(oneOf) && !areSameInDirection(contract, oneOf)
  if (assertion.assert === 'if' && demandsExcluded(contract, test, raw)) return true
  return contract.isVariant(reliedOn(assertion, raw))
}

function reliedOn({ assert }: Assertion, raw: JsonObject): Json | undefined {
  if (assert === 'unevaluatedItems' || assert === 'unevaluatedProperties') return raw
  return raw[assert]
}

/**
 * Sets `isOpen` for recorded assertions that rely on a widened schema: one whose generated check accepts more values
 * than the contract does. These assertions could reject values that the contract accepts. Call this function after
 * all schemas have been read. Setting `isOpen` widens the assertion's schema, so the loop repeats.
 */
export function openAssertions({ doubtful }: Contract): void {
  let isSettled = false
  while (!isSettled) {
    isSettled = true
    const found = new Map<Contract, Marks>()
    for (const { assertion, schema } of doubtful) {
      const { contract, raw, pointer } = schema
      const widened = found.get(contract) ?? widenedIn(contract)
      found.set(contract, widened)
      if (assertion.isOpen === true || !(contract.isWidened(pointer) || widened.has(raw))) continue
      assertion.isOpen = true
      isSettled = false
      schema.widenInDirection(
        `\`${assertion.assert}\` relies on a schema whose generated check accepts more values than the contract does`,
        assertion.assert,
      )
    }
  }
}

/** The schemas that contain a reference to a widened schema. */
function widenedIn(contract: Contract): Marks {
  return new Gathered((raw) => {
    const target = contract.target(raw)
    return marked(target !== undefined && contract.isWidened(target.pointer), schemasIn(contract, raw))
  })
}

/**
 * Whether all branches of a `oneOf` make the same assertions about properties of the other direction. If they do,
 * these properties don't decide which branch matches.
 */
function areSameInDirection(contract: Contract, branches: readonly Json[]): boolean {
  const names = new Set(branches.filter((one) => isObject(one)).flatMap((one) => [...contract.excluded(one)]))
  const [first, ...others] = branches.map((branch) => statementsOf(contract, branch, names))
  return first !== undefined && others.every((each) => each === first)
}

/**
 * Lists the assertions that a branch makes about properties of the other direction. Returns undefined if such a
 * property is in a keyword that this function doesn't read.
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

/**
 * Turns the schema of a property into a string, so that two schemas can be compared. The string contains the name of
 * the schema's file, because the same relative reference can lead to different schemas in different files.
 */
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

/** Whether a schema requires a property of the other direction. `of` is the enclosing schema. */
function demandsExcluded(contract: Contract, schema: Json | undefined, of: JsonObject): boolean {
  const excluded = contract.excluded(of)
  return excluded.size > 0 && contract.demanded(schema).some((name) => excluded.has(name))
}
