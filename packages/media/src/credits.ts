import { OptionsError } from '@concord/runtime'

import { models } from './gen/models.gen.ts'

/** What a generation is estimated to cost. A range stays a range. @public */
export interface CreditRange {
  readonly min: number
  readonly max: number
}

/** `'unknown'` where the documentation, or the request, does not tell. @public */
export type CreditEstimate = CreditRange | 'unknown'

/** What the cost of a generation depends on. A request of a generation method is one of these, too. @public */
export interface CreditBasis {
  readonly model: string | object
  /** Seconds of video, for models that cost by the second. */
  readonly duration?: number | undefined
  /** Seconds of a recording, for models that cost by the second; in place of `duration`. */
  readonly seconds?: number
  /** Characters of text, for models that cost by the character. */
  readonly characters?: number
  /** Which of several prices is meant: `'720p'` or `'1080p'` for `gen4_image`. What chooses it is not documented. */
  readonly price?: string
}

interface Price {
  readonly credits: CreditRange
  readonly per?: { readonly count: number; readonly unit: 'second' | 'character' }
  readonly when?: string
}

/**
 * Estimates what a generation costs, from the table of the contract. How parts of a unit are rounded is not documented,
 * so the estimate goes from rounding down to rounding up.
 *
 * ```ts
 * import { estimateCredits } from '@concord/media'
 *
 * estimateCredits({ model: 'partner3.1', duration: 5 }) // { min: 100, max: 200 }
 * ```
 *
 * @throws OptionsError when there is nothing to estimate. A model that is not listed is no error but `'unknown'`.
 * @see specs/media/openapi.yaml#/x-models
 * @public
 */
export function estimateCredits(basis: CreditBasis): CreditEstimate {
  if (typeof basis !== 'object' || basis === null)
    throw new OptionsError(
      'basis',
      '`basis` must be an object.',
      "Pass one such as { model: 'gen4.5', duration: 5 }.",
    )
  const { model, price } = basis
  if (typeof model !== 'string' || !Object.hasOwn(models, model)) return 'unknown'
  const { cost }: { readonly cost: readonly Price[] } = models[model as keyof typeof models]
  const prices = price === undefined ? cost : cost.filter(({ when }) => when === price)
  if (prices.length === 0) return 'unknown'
  return prices.map((each) => priceOf(each, basis)).reduce(hull)
}

/** What several generations cost together. */
export function addCredits(first: CreditEstimate, second: CreditEstimate): CreditEstimate {
  if (first === 'unknown' || second === 'unknown') return 'unknown'
  return { min: first.min + second.min, max: first.max + second.max }
}

function priceOf({ credits, per }: Price, basis: CreditBasis): CreditEstimate {
  if (per === undefined) return { min: credits.min, max: credits.max }
  const { seconds = basis.duration, characters } = basis
  const amount = per.unit === 'second' ? seconds : characters
  if (typeof amount !== 'number' || !Number.isFinite(amount) || amount < 0) return 'unknown'
  const units = amount / per.count
  return { min: credits.min * Math.floor(units), max: credits.max * Math.ceil(units) }
}

function hull(first: CreditEstimate, second: CreditEstimate): CreditEstimate {
  if (first === 'unknown' || second === 'unknown') return 'unknown'
  return { min: Math.min(first.min, second.min), max: Math.max(first.max, second.max) }
}
