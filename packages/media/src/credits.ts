import { OptionsError } from '@concord/runtime'

import { models } from './gen/models.gen.ts'
import type { ListedModel, SESSION_MODEL } from './model-check.ts'
import type { UnlistedModel } from './requests.ts'

/**
 * The estimated cost of a generation, in credits. `min` and `max` differ if, for example, the documented cost is a
 * range.
 *
 * @public
 */
export interface CreditRange {
  readonly min: number
  readonly max: number
}

/**
 * An estimated cost. It is `'unknown'` if no price is documented, or if the number of seconds or characters is
 * missing.
 *
 * @public
 */
export type CreditEstimate = CreditRange | 'unknown'

type Cost<Model extends ListedModel> = (typeof models)[Model]['cost'][number]

type PricedBy<Unit extends 'second' | 'character'> = {
  [Model in ListedModel]: Cost<Model> extends { readonly per: { readonly unit: Unit } } ? Model : never
}[ListedModel]

/** The names of a model's prices, if the model has several. The documentation doesn't say when each price applies. */
type PriceName<Model extends ListedModel> = Cost<Model> extends { readonly when: infer Name } ? Name : never

/** The basis for a model that is priced per generation. */
type FlatBasis<Model extends ListedModel> = {
  [Each in Model]: { readonly model: Each; readonly price?: PriceName<Each> }
}[Model]

/**
 * The facts that determine the cost of a generation. If the model is priced per second, pass the `duration` of the
 * video, or the `seconds` of a recording. If the model is priced per character, pass the number of `characters`.
 * `price` selects one of several prices, such as `'720p'` for `gen4_image`. For an unlisted model, no cost is
 * documented.
 *
 * @public
 */
export type CreditBasis =
  | { readonly model: PricedBy<'second'>; readonly duration: number; readonly seconds?: number }
  | { readonly model: PricedBy<'second'>; readonly seconds: number }
  | { readonly model: PricedBy<'character'>; readonly characters: number }
  | FlatBasis<Exclude<ListedModel, PricedBy<'second' | 'character'>>>
  | { readonly model: typeof SESSION_MODEL | UnlistedModel; readonly duration?: number }

interface LooseBasis {
  readonly model?: unknown
  readonly duration?: unknown
  readonly seconds?: unknown
  readonly characters?: unknown
  readonly price?: unknown
}

interface Price {
  readonly credits: CreditRange
  readonly per?: { readonly count: number; readonly unit: 'second' | 'character' }
  readonly when?: string
}

/**
 * Estimates the cost of a generation from the prices in {@link models}. Some prices are for a block of several
 * seconds or characters, such as 50 characters. The documentation doesn't say whether an incomplete block is charged
 * in full, so only `max` includes the price of an incomplete block.
 *
 * ```ts
 * import { estimateCredits } from '@concord/media'
 *
 * estimateCredits({ model: 'partner3.1', duration: 5 }) // { min: 100, max: 200 }
 * ```
 *
 * @throws OptionsError if `basis` isn't an object. An unlisted model doesn't throw: its cost is `'unknown'`.
 * @see `specs/media/openapi.yaml#/x-models`
 * @public
 */
export function estimateCredits(basis: CreditBasis): CreditEstimate {
  return estimateLoosely(basis)
}

/** Like {@link estimateCredits}, but for input of unknown types. @throws OptionsError if `basis` isn't an object. */
export function estimateLoosely(basis: LooseBasis): CreditEstimate {
  if (typeof basis !== 'object' || basis === null)
    throw new OptionsError(
      'basis',
      '`basis` must be an object.',
      "Pass an object such as { model: 'gen4.5', duration: 5 }.",
    )
  const { model, price } = basis
  if (typeof model !== 'string' || !Object.hasOwn(models, model)) return 'unknown'
  const { cost }: { readonly cost: readonly Price[] } = models[model as keyof typeof models]
  const prices = price === undefined ? cost : cost.filter(({ when }) => when === price)
  if (prices.length === 0) return 'unknown'
  return prices.map((each) => priceOf(each, basis)).reduce(hull)
}

export function addCredits(first: CreditEstimate, second: CreditEstimate): CreditEstimate {
  if (first === 'unknown' || second === 'unknown') return 'unknown'
  return { min: first.min + second.min, max: first.max + second.max }
}

/** Returns the cost of a submission that may have created 1 to `count` tasks. `each` is the cost of one task. */
export function upTo(count: number, each: CreditEstimate): CreditEstimate {
  return each === 'unknown' ? each : { min: each.min, max: each.max * count }
}

/** Returns the cost of a submission that the service may not have accepted. */
export function atMost(credits: CreditEstimate): CreditEstimate {
  return credits === 'unknown' ? credits : { min: 0, max: credits.max }
}

function priceOf({ credits, per }: Price, basis: LooseBasis): CreditEstimate {
  if (per === undefined) return { min: credits.min, max: credits.max }
  const { seconds = basis.duration, characters } = basis
  const amount = (per.unit === 'second' ? seconds : characters) as number
  if (!Number.isFinite(amount) || amount < 0) return 'unknown'
  const units = amount / per.count
  return { min: credits.min * Math.floor(units), max: credits.max * Math.ceil(units) }
}

function hull(first: CreditEstimate, second: CreditEstimate): CreditEstimate {
  if (first === 'unknown' || second === 'unknown') return 'unknown'
  return { min: Math.min(first.min, second.min), max: Math.max(first.max, second.max) }
}
