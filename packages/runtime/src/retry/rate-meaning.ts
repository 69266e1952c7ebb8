import { readPointer } from '../core/json.ts'
import type { RateMeaning, RateMeaningDescriptor } from '../core/operation.ts'

/** What a 429 means, as far as the contract tells. */
export interface Rate {
  /** Not there when several meanings remain, or the contract names none. */
  readonly meaning: RateMeaning | undefined
  /** Whether waiting alone can help. */
  readonly retryHelps: boolean
}

/**
 * Classifies a 429 by its body. A meaning with a match that holds decides; otherwise those without one
 * remain. Where several remain the contract does not tell them apart, and neither do we: waiting may help if it
 * helps for any of them.
 */
export function classifyRate(meanings: readonly RateMeaningDescriptor[] | undefined, body: unknown): Rate {
  if (meanings === undefined || meanings.length === 0) return { meaning: undefined, retryHelps: true }
  const matched = meanings.find(
    ({ match }) => match !== undefined && readPointer(body, match.pointer) === match.equals,
  )
  const open = matched === undefined ? meanings.filter(({ match }) => match === undefined) : [matched]
  return {
    meaning: open.length === 1 ? open[0]?.meaning : undefined,
    retryHelps: open.length === 0 || open.some(({ retryHelps }) => retryHelps),
  }
}
