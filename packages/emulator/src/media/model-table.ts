import type { JsonObject, Specification } from '../core/specification.ts'
import type { GenerationRequest } from './model.ts'
import type { FigureRange } from './tiers.ts'

/** A price of a model. @public */
export interface ModelCost {
  credits: FigureRange
  /** The unit that the credits pay for; absent if they pay for the whole generation. */
  readonly per?: { count: number; unit: 'second' | 'character' }
  /** The output that the price applies to, for instance `720p`; absent if the price always applies. */
  readonly when?: string
}

/** A row of the contract's model table. @public */
export interface ModelRow {
  readonly model: string
  /** The paths of the endpoints that run the model. */
  readonly endpoints: readonly string[]
  /** The inputs, in the words of the documentation; `null` or absent if the documentation doesn't list any. */
  readonly input?: string | null
  /** The body needs at least one field from each list. In a list, `*` means any field that isn't in the contract. */
  readonly requiresOneOf?: readonly (readonly string[])[]
  readonly cost: readonly ModelCost[]
}

/**
 * Returns the first list in `requiresOneOf` whose fields are all missing from the body.
 *
 * @param known - The fields that the contract lists.
 */
export function missingInput(
  { requiresOneOf = [] }: ModelRow,
  body: JsonObject,
  known: readonly string[],
): readonly string[] | undefined {
  // Each field that isn't in the contract satisfies the `*` of only one list.
  let unnamed = Object.keys(body).filter((field) => !known.includes(field)).length
  return requiresOneOf.find((group) => {
    if (group.some((field) => known.includes(field) && body[field] !== undefined)) return false
    if (!group.includes('*') || unnamed === 0) return true
    unnamed -= 1
    return false
  })
}

export function readModels(specification: Specification): readonly ModelRow[] {
  return specification.at('#/x-models') as unknown as readonly ModelRow[]
}

/** The operations whose field `duration` is the length of the video in seconds. */
const VIDEO_OPERATIONS = new Set(['imageToVideo', 'textToVideo', 'videoToVideo'])

const DEFAULT_VIDEO_SECONDS = 5
const RECORDING_SECONDS = 12

/** Returns a generation's cost in credits, from the model table. Uses the maximum of a range, and rounds up. */
export function costOf(row: ModelRow, request: GenerationRequest): number {
  const name = row.cost.length > 1 ? costCase(row.cost, request) : row.cost[0]?.when
  const cost = row.cost.find(({ when }) => when === name) ?? row.cost[0]
  if (!cost) return 0
  const { max } = cost.credits
  if (!cost.per) return Math.ceil(max)
  const amount = cost.per.unit === 'character' ? spokenCharacters(request) : secondsOf(request)
  return Math.ceil((max * amount) / cost.per.count)
}

function costCase(costs: readonly ModelCost[], { body }: GenerationRequest): string | undefined {
  const [, width, height] = /^(\d+):(\d+)$/.exec(String(body['ratio'])) ?? []
  const isLarge = Math.min(Number(width), Number(height)) >= 1080
  return costs.find(({ when }) => when === (isLarge ? '1080p' : '720p'))?.when
}

/** Returns the length of the text to speak, in Unicode code points. */
function spokenCharacters({ body }: GenerationRequest): number {
  return Array.from(String(body['promptText'] ?? '')).length
}

function secondsOf({ operationId, body }: GenerationRequest): number {
  // The documentation doesn't say which field contains the length of a recording or a performance.
  if (!VIDEO_OPERATIONS.has(operationId)) return RECORDING_SECONDS
  const { duration } = body
  return typeof duration === 'number' ? duration : DEFAULT_VIDEO_SECONDS
}
