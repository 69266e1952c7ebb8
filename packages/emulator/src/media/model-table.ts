import { EmulatorError } from '../core/errors.ts'
import { isObject, type Json, type JsonObject, type Specification } from '../core/specification.ts'
import type { GenerationRequest } from './model.ts'
import type { FigureRange } from './tiers.ts'

/** One price of a model. @public */
export interface ModelCost {
  credits: FigureRange
  /** The unit that the credits are for; absent if they are for the whole generation. */
  readonly per?: { count: number; unit: 'second' | 'character' }
  /** For which output the price holds, for instance `720p`; absent if it always does. */
  readonly when?: string
}

/** A row of the model table of the contract. @public */
export interface ModelRow {
  readonly model: string
  /** The paths that run it. */
  readonly endpoints: readonly string[]
  /** Its inputs, in the words of the documentation. */
  readonly input?: string
  /** At least one field of each list has to be in the body; `*` is one that the contract does not name. */
  readonly requiresOneOf?: readonly (readonly string[])[]
  readonly cost: readonly ModelCost[]
}

/** The models of the service, as the contract lists them (`x-models`). */
export interface ModelTable {
  readonly rows: readonly ModelRow[]
  find(model: string | undefined, path: string): ModelRow | undefined
}

/**
 * The first list of fields of which a body has none, although the model needs one; undefined if it has all that it
 * needs. `known` are the fields that the contract names.
 */
export function missingInput(
  { requiresOneOf = [] }: ModelRow,
  body: JsonObject,
  known: readonly string[],
): readonly string[] | undefined {
  // Each list without a named field uses one of the fields that the contract does not name.
  let unnamed = Object.keys(body).filter((field) => !known.includes(field)).length
  return requiresOneOf.find((group) => {
    if (group.some((field) => known.includes(field) && body[field] !== undefined)) return false
    if (!group.includes('*') || unnamed === 0) return true
    unnamed -= 1
    return false
  })
}

/** Reads the model table of a contract; it is the only copy. */
export function readModels(specification: Specification): ModelTable {
  const list = specification.document['x-models']
  if (!Array.isArray(list) || list.length === 0)
    throw new EmulatorError('contract', 'The contract of media has no model table (x-models).')
  const rows = list.map(readRow)
  return {
    rows,
    find: (model, path) => rows.find((row) => row.model === model && row.endpoints.includes(path)),
  }
}

function readRow(value: Json): ModelRow {
  if (!isObject(value) || typeof value['model'] !== 'string') throw broken(value)
  const { model, endpoints, input, requiresOneOf, cost } = value
  if (!Array.isArray(endpoints) || !Array.isArray(cost) || cost.length === 0) throw broken(value)
  return {
    model,
    endpoints: endpoints.map(String),
    ...(typeof input === 'string' ? { input } : {}),
    ...(Array.isArray(requiresOneOf)
      ? { requiresOneOf: requiresOneOf.map((group) => [group].flat().map(String)) }
      : {}),
    cost: cost.map(readCost),
  }
}

function readCost(value: Json): ModelCost {
  const credits = isObject(value) ? value['credits'] : undefined
  if (!isObject(value) || !isObject(credits)) throw broken(value)
  const { min, max } = credits
  if (typeof min !== 'number' || typeof max !== 'number') throw broken(value)
  const { per, when } = value
  return {
    credits: { min, max },
    ...(isObject(per) ? { per: readUnit(per) } : {}),
    ...(typeof when === 'string' ? { when } : {}),
  }
}

function readUnit(per: { [key: string]: Json }): { count: number; unit: 'second' | 'character' } {
  const { count, unit } = per
  if (typeof count !== 'number' || (unit !== 'second' && unit !== 'character')) throw broken(per)
  return { count, unit }
}

function broken(value: Json): EmulatorError {
  return new EmulatorError(
    'contract',
    `A row of the model table of media cannot be read: ${JSON.stringify(value)}.`,
  )
}

/** The operations that have the documented field `duration`, the seconds of the video that they make. */
const VIDEO_OPERATIONS = new Set(['imageToVideo', 'textToVideo', 'videoToVideo'])

/** The default for undocumented costs; the choice `costOf` replaces it. */
const DEFAULT_VIDEO_SECONDS = 5
const RECORDING_SECONDS = 12

/**
 * The cost of a generation, in credits, by the model table: the most of a range, parts of a unit rounded up.
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
