import type { OperationDescriptor } from '@concord/runtime'
import type { TaskSubmission } from '@concord/media-validators'

import { estimateLoosely, type CreditEstimate } from './credits.ts'
import { invalidRequest } from './errors.ts'
import {
  characterPerformance,
  imageToVideo,
  soundEffect,
  speechToSpeech,
  textToImage,
  textToSpeech,
  textToVideo,
  videoToVideo,
  voiceDubbing,
  voiceIsolation,
} from './gen/operations.gen.ts'
import type { InputSettings } from './inputs.ts'
import { missingInput, modelProblem, runsOn, SESSION_MODEL, type ModelRunner } from './model-check.ts'
import { splitRequest, toBody, type BodyContext, type SplitRequest } from './request-body.ts'
import type { GenerationName, GenerationRequest, ShownField, UnlistedModel } from './requests.ts'

export interface PreparedRequest {
  readonly operation: OperationDescriptor<{ body: Record<string, unknown> }, TaskSubmission, unknown>
  readonly body: Readonly<Record<string, unknown>>
  estimate(body: Readonly<Record<string, unknown>>): CreditEstimate
}

const OPERATIONS = {
  imageToVideo,
  textToVideo,
  videoToVideo,
  characterPerformance,
  textToImage,
  textToSpeech,
  soundEffect,
  voiceIsolation,
  voiceDubbing,
  speechToSpeech,
} as const satisfies Record<GenerationName, unknown>

const GENERATIONS = /* @__PURE__ */ Object.keys(OPERATIONS) as readonly GenerationName[]

const DESCRIPTORS = OPERATIONS as unknown as Readonly<Record<GenerationName, PreparedRequest['operation']>>

/** The operations for unlisted models. They have no `check`, because its limits apply only to listed models. */
const UNCHECKED = /* @__PURE__ */ Object.fromEntries(
  /* @__PURE__ */ GENERATIONS.map((name) => {
    const { check: _check, ...operation } = DESCRIPTORS[name]
    return [name, operation]
  }),
) as Readonly<Record<GenerationName, PreparedRequest['operation']>>

const RUNNERS: readonly ModelRunner[] = /* @__PURE__ */ GENERATIONS.map((name) => ({
  name,
  path: OPERATIONS[name].path,
}))

const PROMPTED = { model: true, promptImage: true, promptText: true, ratio: true, duration: true } as const
const MODEL_ONLY = { model: true } as const

export const SHOWN_FIELDS = {
  imageToVideo: PROMPTED,
  textToVideo: PROMPTED,
  videoToVideo: PROMPTED,
  characterPerformance: MODEL_ONLY,
  textToImage: PROMPTED,
  textToSpeech: MODEL_ONLY,
  soundEffect: MODEL_ONLY,
  voiceIsolation: MODEL_ONLY,
  voiceDubbing: MODEL_ONLY,
  speechToSpeech: MODEL_ONLY,
} as const satisfies { readonly [Name in GenerationName]: Readonly<Record<ShownField<Name>, true>> }

/** Returns whether the field `duration` is documented for any endpoint that runs this model. */
function documentsDuration(model: unknown): boolean {
  return GENERATIONS.some(
    (name) => Object.hasOwn(SHOWN_FIELDS[name], 'duration') && runsOn(model, OPERATIONS[name].path),
  )
}

/**
 * Checks a generation request and builds its body, without sending it.
 *
 * @throws RequestInvalidError if the request is invalid.
 */
export async function prepareRequest(
  name: GenerationName,
  request: GenerationRequest,
  inputs: InputSettings,
  { signal, dry }: Pick<BodyContext, 'signal' | 'dry'>,
): Promise<PreparedRequest> {
  if (!GENERATIONS.includes(name)) {
    throw invalidRequest(
      typeof name === 'string' ? name : 'batch',
      '/operation',
      `must be one of: ${GENERATIONS.join(', ')}`,
    )
  }
  const model: unknown = (request as Partial<GenerationRequest> | null | undefined)?.model
  const unlisted =
    typeof model === 'object' ? (model as Partial<UnlistedModel> | null)?.unlistedModel : undefined
  const split = splitRequest(name, request, unlisted === undefined ? SHOWN_FIELDS[name] : PROMPTED)
  const known = { ...split.known, model: unlisted ?? model }
  checkModel(name, { ...split, known }, unlisted !== undefined)
  const descriptor = DESCRIPTORS[name]
  const operation = unlisted === undefined ? descriptor : UNCHECKED[name]
  const body = await toBody({ operation, inputs, signal, dry }, { ...split, known })
  return { operation, body, estimate: bodyCredits }
}

function checkModel(name: GenerationName, { known, fields }: SplitRequest, isUnlisted: boolean): void {
  const { model } = known
  if (isUnlisted && model !== SESSION_MODEL) return
  const problem = modelProblem(model, { name, path: OPERATIONS[name].path }, RUNNERS)
  if (problem !== undefined) throw invalidRequest(name, '/body/model', problem)
  const names = Object.entries({ ...known, ...fields })
    .filter(([, value]) => value !== '')
    .map(([field]) => field)
  const missing = missingInput(model, names, Object.keys(PROMPTED))
  if (missing !== undefined) throw invalidRequest(name, missing.path, missing.reason)
}

/**
 * Returns the estimated cost of submitting a body once. Only documented fields count, because the names and meanings of
 * other fields are unknown.
 */
export function bodyCredits({ model, duration }: Readonly<Record<string, unknown>>): CreditEstimate {
  return estimateLoosely({ model, ...(documentsDuration(model) && { duration }) })
}
