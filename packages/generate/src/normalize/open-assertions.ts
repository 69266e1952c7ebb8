import type { Contract } from '../read/contract.ts'
import type { Json, JsonObject } from '../read/json.ts'
import type { Assertion } from './rules.ts'
import { Marks } from './marks.ts'
import { insideOf } from './walk.ts'

/** Assertions that reject a value because something else accepts it. */
const NEGATIVE: ReadonlySet<Assertion['assert']> = new Set([
  'not',
  'oneOf',
  'if',
  'contains',
  'unevaluatedItems',
  'unevaluatedProperties',
])

/** Notes assertions that may have to be left out. */
export function watchAssertions(
  contract: Contract,
  assertions: readonly Assertion[],
  at: { readonly raw: JsonObject; readonly pointer: string },
): void {
  for (const assertion of assertions) {
    if (!NEGATIVE.has(assertion.assert)) continue
    if (contract.isVariant(reliedOn(assertion, at.raw))) {
      assertion.isOpen = true
      contract.widen(
        at.pointer,
        `\`${assertion.assert}\` relies on a property that doesn't belong to a ${contract.direction}`,
      )
    } else contract.doubtful.push({ assertion, ...at })
  }
}

/** The schemas that an assertion relies on. */
function reliedOn({ assert }: Assertion, raw: JsonObject): Json | undefined {
  if (assert === 'unevaluatedItems' || assert === 'unevaluatedProperties') return raw
  return raw[assert]
}

/**
 * Leaves out assertions that would reject more than the contract does, because something that they rely on was widened.
 * Called once everything is read. Each one may be a reason for another.
 */
export function openAssertions(contract: Contract): void {
  let isSettled = false
  while (!isSettled) {
    isSettled = true
    const widened = new Marks((each) => ({
      isMarked: leadsToWidened(contract, each),
      schemas: insideOf(contract, { raw: each, path: [], property: undefined }).map((found) => found.raw),
    }))
    for (const { assertion, raw, pointer } of contract.doubtful) {
      if (assertion.isOpen === true || !(contract.isWidened(pointer) || widened.has(raw))) continue
      assertion.isOpen = true
      isSettled = false
      contract.widen(
        pointer,
        `\`${assertion.assert}\` relies on something that accepts more values than the contract does`,
      )
    }
  }
}

function leadsToWidened(contract: Contract, raw: JsonObject): boolean {
  const target = typeof raw['$ref'] === 'string' ? contract.target(raw) : undefined
  return target !== undefined && contract.isWidened(target.pointer)
}
