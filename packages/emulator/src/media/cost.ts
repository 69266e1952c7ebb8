import type { MediaChoices } from './choices.ts'
import type { ModelRow } from './model-table.ts'
import type { GenerationRequest } from './model.ts'

/** The operations that have the documented field `duration`, the seconds of the video that they make. */
const VIDEO_OPERATIONS = new Set(['imageToVideo', 'textToVideo', 'videoToVideo'])

/** What a generation costs, in credits, by the model table; the choices settle what that leaves open. */
export function costOf(row: ModelRow, request: GenerationRequest, choices: MediaChoices): number {
  const name = row.cost.length > 1 ? choices.costCase(row.cost, request) : row.cost[0]?.when
  const cost = row.cost.find(({ when }) => when === name) ?? row.cost[0]
  if (!cost) return 0
  const each = choices.costInRange(cost.credits, request)
  if (!cost.per) return choices.roundCredits(each)
  const amount =
    cost.per.unit === 'character' ? choices.spokenCharacters(request) : secondsOf(request, choices)
  return choices.roundCredits((each * amount) / cost.per.count)
}

function secondsOf(request: GenerationRequest, choices: MediaChoices): number {
  if (!VIDEO_OPERATIONS.has(request.operationId)) return choices.recordingSeconds(request)
  const { duration } = request.body
  return typeof duration === 'number' ? duration : choices.defaultDurationSeconds
}
