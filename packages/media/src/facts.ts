import type { FailureAdvice } from '@concord/runtime/internal'

import { failureCodes, tiers } from './gen/facts.gen.ts'

/** The kind of a task's `failure`. `unknown` means free text, or a code that is not documented. @public */
export type FailureCategory =
  | 'input-moderation'
  | 'output-moderation'
  | 'bad-output'
  | 'invalid-asset'
  | 'server-error'
  | 'unknown'

/** The documented meaning of a failure code. @public */
export interface FailureMeaning {
  readonly category: FailureCategory
  readonly advice: FailureAdvice
  /** `false` if the documentation says that the cost is not refunded; otherwise absent. */
  readonly refundable?: false
}

/**
 * The documented failure codes. A code that ends in `.*` matches any suffix after the dot; all other codes match
 * exactly. So `INTERNAL` doesn't match `INTERNAL.SOMETHING`, and `SAFETY.INPUT.*` doesn't match `SAFETY.INPUT`.
 *
 * @see `specs/media/openapi.yaml#/x-facts/failureCodes`
 * @public
 */
export const FAILURE_CODES: Readonly<Record<string, FailureMeaning>> = failureCodes

const UNKNOWN: FailureMeaning = { category: 'unknown', advice: 'none' }

/** Returns the meaning of the longest code that matches a `failure`. */
export function meaningOf(failure: string, codes = FAILURE_CODES): FailureMeaning {
  const fitting = Object.entries(codes).filter(([code]) => {
    const family = code.endsWith('.*') ? code.slice(0, -1) : undefined
    return family === undefined ? failure === code : failure.startsWith(family) && failure !== family
  })
  return fitting.toSorted(([one], [other]) => other.length - one.length)[0]?.[1] ?? UNKNOWN
}

/** A tier of an organization. @public */
export type Tier = 1 | 2 | 3 | 4 | 5

/** The documented limits of a tier. `min` and `max` differ if the documentation has a range. @public */
export interface TierLimits {
  /** The number of tasks that can run at the same time. Further tasks are throttled. */
  readonly concurrency: { readonly min: number; readonly max: number }
  /** The number of generations that are allowed in 24 hours. Further generations are denied with 429. */
  readonly dailyGenerations: { readonly min: number; readonly max: number }
  readonly monthlyCapUsd: number
}

/**
 * The limits of each tier. The default tier is 1. The documentation doesn't say whether the limits apply per
 * organization or per model. It also doesn't say how the service reports an organization's tier.
 *
 * @see `specs/media/openapi.yaml#/x-facts/tiers`
 * @public
 */
export const TIERS: Readonly<Record<Tier, TierLimits>> = tiers
