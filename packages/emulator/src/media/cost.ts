import type { ModelCost, ModelRow } from './model-table.ts'
import type { GenerationRequest } from './model.ts'

/** The operations that have the documented field `duration`, the seconds of the video that they make. */
const VIDEO_OPERATIONS = new Set(['imageToVideo', 'textToVideo', 'videoToVideo'])

/** What the documentation leaves open; the choice `costOf` replaces it. */
const DEFAULT_VIDEO_SECONDS = 5
const RECORDING_SECONDS = 12

/**
 * What a generation costs, in credits, by the model table: the most of a range, parts of a unit rounded up.
 */
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

/** In Unicode code points. */
function spokenCharacters({ body }: GenerationRequest): number {
  return Array.from(String(body['promptText'] ?? '')).length
}

function secondsOf({ operationId, body }: GenerationRequest): number {
  // No field for the length of a recording is shown, and none for that of a character's performance.
  if (!VIDEO_OPERATIONS.has(operationId)) return RECORDING_SECONDS
  const { duration } = body
  return typeof duration === 'number' ? duration : DEFAULT_VIDEO_SECONDS
}
