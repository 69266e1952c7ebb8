import type { FailureAdvice } from '@concord/runtime'

import { failureCodes } from './gen/facts.gen.ts'

/** What kind of failure a task's `failure` tells of. `unknown`: a reason in words, or a code that is not documented. @public */
export type FailureCategory =
  | 'input-moderation'
  | 'output-moderation'
  | 'bad-output'
  | 'invalid-asset'
  | 'server-error'
  | 'unknown'

/** What the documentation says of a failure code. @public */
export interface FailureMeaning {
  readonly category: FailureCategory
  readonly advice: FailureAdvice
  /** `false` where the documentation says so; of all others it says nothing. */
  readonly refundable?: false
}

/**
 * The documented codes. `.*` means any suffix after the dot; the others are whole codes. `INTERNAL` therefore says nothing
 * about `INTERNAL.SOMETHING`, and a bare `SAFETY.INPUT`, which the documentation doesn't list, has no documented meaning.
 *
 * @see `specs/media/openapi.yaml#/x-facts/failureCodes`
 * @public
 */
export const FAILURE_CODES: Readonly<Record<string, FailureMeaning>> = failureCodes

const UNKNOWN: FailureMeaning = { category: 'unknown', advice: 'none' }

/** Returns what a `failure` means, by the longest code that matches. */
export function meaningOf(failure: string, codes = FAILURE_CODES): FailureMeaning {
  let found = UNKNOWN
  let length = 0
  for (const [code, meaning] of Object.entries(codes)) {
    const family = code.endsWith('.*') ? code.slice(0, -1) : undefined
    const fits = family === undefined ? failure === code : failure.startsWith(family) && failure !== family
    if (!fits || code.length <= length) continue
    found = meaning
    length = code.length
  }
  return found
}
