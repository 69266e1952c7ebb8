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
  /** `false` if the documentation says so; absent if it says nothing. */
  readonly refundable?: false
}

/**
 * The documented codes. `.*` matches any suffix after the dot; the others match exactly. So `INTERNAL` doesn't cover
 * `INTERNAL.SOMETHING`, and a bare `SAFETY.INPUT`, which the documentation doesn't list, has no documented meaning.
 *
 * @see `specs/media/openapi.yaml#/x-facts/failureCodes`
 * @public
 */
export const FAILURE_CODES: Readonly<Record<string, FailureMeaning>> = failureCodes

const UNKNOWN: FailureMeaning = { category: 'unknown', advice: 'none' }

/** Returns the meaning of a `failure`, by the longest code that matches. */
export function meaningOf(failure: string, codes = FAILURE_CODES): FailureMeaning {
  const fitting = Object.entries(codes).filter(([code]) => {
    const family = code.endsWith('.*') ? code.slice(0, -1) : undefined
    return family === undefined ? failure === code : failure.startsWith(family) && failure !== family
  })
  return fitting.toSorted(([one], [other]) => other.length - one.length)[0]?.[1] ?? UNKNOWN
}

/** A tier of an organization. @public */
export type Tier = 1 | 2 | 3 | 4 | 5

/** The documented limits of a tier. Ranges stay ranges. @public */
export interface TierLimits {
  /** The number of tasks that run at a time. Further tasks are throttled. */
  readonly concurrency: { readonly min: number; readonly max: number }
  /** The number of generations that are allowed in 24 hours. Further generations are denied with 429. */
  readonly dailyGenerations: { readonly min: number; readonly max: number }
  readonly monthlyCapUsd: number
}

/**
 * The tiers; 1 is the default. Whether the figures apply per organization or per model, and how a tier is reported, is not
 * documented.
 *
 * @see `specs/media/openapi.yaml#/x-facts/tiers`
 * @public
 */
export const TIERS: Readonly<Record<Tier, TierLimits>> = tiers
