import type { OperationDescriptor } from '@concord/runtime'
import { requiredString } from '@concord/runtime/internal'
import type {
  CharacterPerformanceRequest,
  ImageToVideoRequest,
  SoundEffectRequest,
  SpeechToSpeechRequest,
  TaskSubmission,
  TextToImageRequest,
  TextToSpeechRequest,
  TextToVideoRequest,
  VideoToVideoRequest,
  VoiceDubbingRequest,
  VoiceIsolationRequest,
} from '@concord/media-validators'

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
import type { models } from './gen/models.gen.ts'
import type { InputSettings, MediaInput } from './inputs.ts'
import {
  missingInput,
  modelProblem,
  runsOn,
  SESSION_MODEL,
  type ListedModel,
  type ModelRunner,
} from './model-check.ts'

import { splitRequest, toBody, type BodyContext, type OpenFields, type SplitRequest } from './request-body.ts'

/** The bodies of the generation endpoints as on the wire, by operation. @public */
export interface GenerationBodies {
  imageToVideo: ImageToVideoRequest
  textToVideo: TextToVideoRequest
  videoToVideo: VideoToVideoRequest
  characterPerformance: CharacterPerformanceRequest
  textToImage: TextToImageRequest
  textToSpeech: TextToSpeechRequest
  soundEffect: SoundEffectRequest
  voiceIsolation: VoiceIsolationRequest
  voiceDubbing: VoiceDubbingRequest
  speechToSpeech: SpeechToSpeechRequest
}

/** The operations that start a task. @public */
export type GenerationName = keyof GenerationBodies

/** The path of each operation, as in the table of models. */
export interface GenerationPaths {
  imageToVideo: '/v1/image_to_video'
  textToVideo: '/v1/text_to_video'
  videoToVideo: '/v1/video_to_video'
  characterPerformance: '/v1/character_performance'
  textToImage: '/v1/text_to_image'
  textToSpeech: '/v1/text_to_speech'
  soundEffect: '/v1/sound_effect'
  voiceIsolation: '/v1/voice_isolation'
  voiceDubbing: '/v1/voice_dubbing'
  speechToSpeech: '/v1/speech_to_speech'
}

/** The models that are documented for an operation. @public */
export type ModelOf<Name extends GenerationName> = {
  [Model in ListedModel]: GenerationPaths[Name] extends (typeof models)[Model]['endpoints'][number]
    ? Model
    : never
}[ListedModel]

/** The documented lengths of a video, in whole seconds. @public */
export type VideoSeconds = 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10

/** The documented fields of a request for a video or an image. */
interface PromptFields<Seconds extends number> {
  readonly promptImage?: MediaInput<'image'> | undefined
  readonly promptText?: string | undefined
  readonly ratio?: string | undefined
  /** Whole seconds. Its effect on an image is not documented. */
  readonly duration?: Seconds | undefined
}

/** The documented fields of an operation, besides the model. */
type KnownFields<Name extends GenerationName> = Name extends 'imageToVideo' | 'textToVideo' | 'videoToVideo'
  ? PromptFields<VideoSeconds>
  : Name extends 'textToImage'
    ? PromptFields<number>
    : unknown

/** A field with a value: a documented one, or `fields` for an undocumented one. */
type FieldGiven<Field> = Field extends '*'
  ? { readonly fields: OpenFields }
  : { readonly [Key in Field & keyof PromptFields<number>]: NonNullable<PromptFields<number>[Key]> }

/** At least one field of each list. */
type OneOfEach<Lists> = Lists extends readonly [infer List extends readonly string[], ...infer Others]
  ? FieldGiven<List[number]> & OneOfEach<Others>
  : unknown

/** The fields that the table requires for a model. */
type NeededBy<Model extends ListedModel> = (typeof models)[Model] extends {
  readonly requiresOneOf: infer Lists
}
  ? OneOfEach<Lists>
  : unknown

/**
 * The request of a generation method: a listed model with the input that it needs, the documented fields, and `fields` for
 * others. For any other model, use {@link unlistedModel}.
 *
 * @public
 */
export type GenerationRequest<Name extends GenerationName = GenerationName> =
  | (Name extends GenerationName
      ? { [Model in ModelOf<Name>]: ListedRequest<Name, Model> }[ModelOf<Name>]
      : never)
  | UnlistedRequest

/** A request for a model that is documented for the operation. @public */
export type ListedRequest<Name extends GenerationName, Model extends ListedModel> = {
  readonly model: Model
  readonly fields?: OpenFields
} & KnownFields<Name> &
  NeededBy<Model>

/** A request for a model that is not documented. Its fields are not checked. @public */
export interface UnlistedRequest {
  readonly model: UnlistedModel
  readonly promptImage?: MediaInput<'image'> | undefined
  readonly promptText?: string | undefined
  readonly ratio?: string | undefined
  readonly duration?: number | undefined
  readonly fields?: OpenFields
}

/** The name of a model that is not documented. See {@link unlistedModel}. @public */
export interface UnlistedModel {
  readonly unlistedModel: string
}

/**
 * Marks a model name as undocumented, so that misspelling a listed name remains a compile error. Requests for such models
 * are not checked, and their cost is unknown.
 *
 * @param name - The name of the model.
 *
 * @public
 */
export function unlistedModel(name: string): UnlistedModel {
  return { unlistedModel: requiredString(name, 'unlistedModel', 'Pass the name of the model.') }
}

/** A body that is ready to be sent, with its operation. */
export interface PreparedRequest {
  readonly name: GenerationName
  readonly operation: OperationDescriptor<{ body: Record<string, unknown> }, TaskSubmission, unknown>
  readonly body: Readonly<Record<string, unknown>>
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

/** The names of the generation operations. */
export const GENERATIONS = /* @__PURE__ */ Object.keys(OPERATIONS) as readonly GenerationName[]

const DESCRIPTORS = OPERATIONS as unknown as Readonly<Record<GenerationName, PreparedRequest['operation']>>

/** The operations without the check of their input, because the documented limits apply only to listed models. */
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

/** The documented fields of each body. */
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

/** Returns whether the field `duration` is documented for an endpoint that runs a model. */
export function documentsDuration(model: unknown): boolean {
  return GENERATIONS.some(
    (name) => Object.hasOwn(SHOWN_FIELDS[name], 'duration') && runsOn(model, OPERATIONS[name].path),
  )
}

/** The field names in the types of an operation. */
export type ShownField<Name extends GenerationName> = GenerationBodies[Name] extends infer Body
  ? Body extends unknown
    ? keyof Body
    : never
  : never

/**
 * Prepares a generation without sending it. All other checks run before any input is read or uploaded.
 *
 * @throws RequestInvalidError
 */
export async function prepareRequest(
  name: GenerationName,
  request: GenerationRequest,
  inputs: InputSettings,
  { signal, dry }: Pick<BodyContext, 'signal' | 'dry'>,
): Promise<PreparedRequest> {
  const model: unknown = (request as Partial<GenerationRequest> | null | undefined)?.model
  const unlisted =
    typeof model === 'object' ? (model as Partial<UnlistedModel> | null)?.unlistedModel : undefined
  const split = splitRequest(name, request, unlisted === undefined ? SHOWN_FIELDS[name] : PROMPTED)
  const known = { ...split.known, model: unlisted ?? model }
  checkModel(name, { ...split, known }, unlisted !== undefined)
  const descriptor = DESCRIPTORS[name]
  const operation = unlisted === undefined ? descriptor : UNCHECKED[name]
  const body = await toBody({ operation, inputs, signal, dry }, { ...split, known })
  return { name, operation, body }
}

/** Rejects a model that the endpoint doesn't run, and a listed model without a required input. */
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
