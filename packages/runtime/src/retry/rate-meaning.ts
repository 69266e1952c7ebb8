import { readPointer } from '../core/json.ts'
import type { RateMeaningDescriptor } from '../core/operation.ts'

/** The meaning of a 429, as far as the contract says. */
export interface Rate {
  /** Absent if several meanings remain, or the contract names none. */
  readonly meaning: string | undefined
  /** Whether waiting alone can help. */
  readonly retryHelps: boolean
}

/**
 * Classifies a 429 by its body. A meaning whose match applies decides; otherwise, the meanings without a match
 * remain. If several remain, the contract doesn't distinguish them, so waiting may help if it helps for any of them.
 */
export function classifyRate(meanings: readonly RateMeaningDescriptor[] = [], body: unknown): Rate {
  const matched = meanings.find(
    ({ match }) => match !== undefined && readPointer(body, match.pointer) === match.equals,
  )
  const open = matched === undefined ? meanings.filter(({ match }) => match === undefined) : [matched]
  return {
    meaning: open.length === 1 ? open[0]?.meaning : undefined,
    retryHelps: open.length === 0 || open.some(({ retryHelps }) => retryHelps),
  }
}
