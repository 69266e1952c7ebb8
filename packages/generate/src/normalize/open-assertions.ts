import type { Contract, ContractNode } from '../read/contract.ts'
import { Gathered, type Marks, marked } from '../read/gathered.ts'
import { type Json, type JsonObject, isList } from '../read/json.ts'
import type { Assertion } from './rules.ts'
import { areSameInDirection, demandsExcluded } from './one-of-directions.ts'
import { schemasIn } from './walk.ts'

/** Assertions that reject a value because a schema accepts it. */
const NEGATIVE: ReadonlySet<Assertion['assert']> = new Set([
  'not',
  'oneOf',
  'if',
  'contains',
  'unevaluatedItems',
  'unevaluatedProperties',
])

/** Records assertions that may have to be left out. */
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

/** Whether an assertion could reject a value because of properties that don't belong to the direction. */
function reliesOnDirection(contract: Contract, assertion: Assertion, raw: JsonObject): boolean {
  if (contract.direction === undefined) return false
  const { oneOf, if: test } = raw
  if (assertion.assert === 'oneOf') return isList(oneOf) && !areSameInDirection(contract, oneOf)
  if (assertion.assert === 'if' && demandsExcluded(contract, test, raw)) return true
  return contract.isVariant(reliedOn(assertion, raw))
}

/** The schemas that an assertion relies on. */
function reliedOn({ assert }: Assertion, raw: JsonObject): Json | undefined {
  if (assert === 'unevaluatedItems' || assert === 'unevaluatedProperties') return raw
  return raw[assert]
}

/**
 * Leaves out assertions that would reject more than the contract does, because a schema that they rely on was widened.
 * Called after everything was read. Leaving out an assertion widens its schema, so other assertions may have to be
 * left out as well.
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
        `\`${assertion.assert}\` relies on something that accepts more values than the contract does`,
        assertion.assert,
      )
    }
  }
}

/** The schemas with a reference that leads to a widened place. */
function widenedIn(contract: Contract): Marks {
  return new Gathered((raw) => {
    const target = contract.target(raw)
    return marked(target !== undefined && contract.isWidened(target.pointer), schemasIn(contract, raw))
  })
}
