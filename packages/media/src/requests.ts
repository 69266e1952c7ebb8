import { requiredString, type OperationDescriptor } from '@concord/runtime'
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

import { refused } from './errors.ts'
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
import { toAddress, type InputSettings, type MediaInput } from './inputs.ts'
import { modelProblem, requiredFields, type ModelRunner } from './model-check.ts'
import { resolveFields } from './open-fields.ts'

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

/** What a generation method takes: the known models and fields, and `fields` for those that are not documented. @public */
export type GenerationRequest<Name extends GenerationName = GenerationName> =
  | WithInputs<GenerationBodies[Name]>
  | UnlistedRequest

/** A body whose image may also be a local file, and whose undocumented fields stand in `fields`. @public */
export type WithInputs<Body> = Body extends unknown
  ? {
      [Key in keyof Body]: Key extends 'promptImage' ? MediaInput | Extract<Body[Key], undefined> : Body[Key]
    } & {
      readonly fields?: OpenFields
    }
  : never

/**
 * Fields of the body that the documentation does not show, by the names that you know. Inputs among them are marked with
 * `image()`, `video()` or `audio()`, also inside of objects and lists.
 *
 * @public
 */
export type OpenFields = Readonly<Record<string, unknown>>

/** A request to a model that the documentation does not list. Its fields are not checked. @public */
export interface UnlistedRequest {
  readonly model: UnlistedModel
  readonly promptImage?: MediaInput | undefined
  readonly promptText?: string | undefined
  readonly ratio?: string | undefined
  readonly duration?: number | undefined
  readonly fields?: OpenFields
}

/** The name of a model that the documentation does not list. See {@link unlistedModel}. @public */
export interface UnlistedModel {
  readonly unlistedModel: string
}

/**
 * Names a model that the documentation does not list, so that a misspelt name of a listed one stays an error of the
 * compiler. Nothing about such a request is checked, and what it costs is unknown.
 *
 * @public
 */
export function unlistedModel(name: string): UnlistedModel {
  return { unlistedModel: requiredString(name, 'unlistedModel', 'Pass the name of the model.') }
}

/** A request as whoever reads it sees it, whatever the endpoint. */
interface LooseRequest {
  readonly model?: unknown
  readonly promptImage?: MediaInput | undefined
  readonly fields?: OpenFields
}

/** A body that is ready to be sent, and how. */
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

const RUNNERS: readonly ModelRunner[] = /* @__PURE__ */ GENERATIONS.map((name) => ({
  name,
  path: OPERATIONS[name].path,
}))

const PROMPTED = ['model', 'promptImage', 'promptText', 'ratio', 'duration'] as const
const MODEL_ONLY = ['model'] as const

/** The fields of each body that the documentation shows. */
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
} as const satisfies { readonly [Name in GenerationName]: readonly ShownField<Name>[] }

/** The names of the fields that the types of an operation have. */
export type ShownField<Name extends GenerationName> = GenerationBodies[Name] extends infer Body
  ? Body extends unknown
    ? keyof Body
    : never
  : never

/** Makes the body of a request: inputs become texts, and nothing is added. @throws RequestInvalidError */
export async function prepareRequest(
  name: GenerationName,
  request: GenerationRequest,
  inputs: InputSettings,
  signal: AbortSignal | undefined,
): Promise<PreparedRequest> {
  if (typeof request !== 'object' || request === null || Array.isArray(request))
    throw refused(name, '/body', 'is not an object')
  const { fields = {}, model, promptImage, ...known } = request as LooseRequest
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw refused(name, '/fields', 'is not an object of further fields')
  const unlisted =
    typeof model === 'object' ? (model as Partial<UnlistedModel> | null)?.unlistedModel : undefined
  checkKnown(name, request, unlisted !== undefined)
  const place = (path: string) => ({ operation: name, path, signal })
  const body: Record<string, unknown> = { model: unlisted ?? model, ...known }
  if (promptImage !== undefined)
    body['promptImage'] = await toAddress('image', promptImage, inputs, place('/body/promptImage'))
  for (const [field, value] of Object.entries(fields)) {
    if (Object.hasOwn(body, field))
      throw refused(name, `/fields/${field}`, 'is a field of the request itself; give it there')
    body[field] = await resolveFields(name, value, `/body/${field}`, (source, path) =>
      toAddress(source.kind, source, inputs, place(path)),
    )
  }
  for (const [field, value] of Object.entries(body)) if (value === undefined) delete body[field]
  const descriptor = OPERATIONS[name] as unknown as PreparedRequest['operation']
  return { name, operation: unlisted === undefined ? descriptor : unchecked(descriptor), body }
}

/**
 * Refuses what the types refuse, for callers without them: a misspelt field would be sent, and the generation charged,
 * without what the caller meant.
 */
function checkKnown(name: GenerationName, request: GenerationRequest, isUnlisted: boolean): void {
  const shown: readonly string[] = isUnlisted ? PROMPTED : SHOWN_FIELDS[name]
  for (const field of Object.keys(request)) {
    if (field === 'fields' || shown.includes(field)) continue
    throw refused(
      name,
      `/body/${field}`,
      `is not among the documented fields, which are: ${shown.join(', ')}; give one that you know in 'fields'`,
    )
  }
  if (isUnlisted) return
  const { model } = request
  const problem = modelProblem(model, { name, path: OPERATIONS[name].path }, RUNNERS)
  if (problem !== undefined) throw refused(name, '/body/model', problem)
  const { fields = {}, ...given } = request as LooseRequest & Readonly<Record<string, unknown>>
  for (const field of requiredFields(model))
    if (given[field] === undefined && fields[field] === undefined)
      throw refused(name, `/body/${field}`, `is missing, and '${String(model)}' requires it`)
}

const UNCHECKED = new WeakMap<object, PreparedRequest['operation']>()

/** The same operation without the check of its input, which knows the listed models only. */
function unchecked(operation: PreparedRequest['operation']): PreparedRequest['operation'] {
  let found = UNCHECKED.get(operation)
  if (found === undefined) {
    const { check: _check, ...rest } = operation
    UNCHECKED.set(operation, (found = rest))
  }
  return found
}
