import { requiredString } from '@concord/runtime/internal'
import type {
  CharacterPerformanceRequest,
  ImageToVideoRequest,
  SoundEffectRequest,
  SpeechToSpeechRequest,
  TextToImageRequest,
  TextToSpeechRequest,
  TextToVideoRequest,
  VideoToVideoRequest,
  VoiceDubbingRequest,
  VoiceIsolationRequest,
} from '@concord/media-validators'

import type { models } from './gen/models.gen.ts'
import type { MediaInput } from './inputs.ts'
import type { ListedModel } from './model-check.ts'
import type { OpenFields } from './request-body.ts'

/** The request body of each operation that starts a task, as sent on the wire. @public */
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

/** The names of the operations that start a task. @public */
export type GenerationName = keyof GenerationBodies

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
  /** The length of a video, in whole seconds. The effect of `duration` on image requests is not documented. */
  readonly duration?: Seconds | undefined
}

type KnownFields<Name extends GenerationName> = Name extends 'imageToVideo' | 'textToVideo' | 'videoToVideo'
  ? PromptFields<VideoSeconds>
  : Name extends 'textToImage'
    ? PromptFields<number>
    : unknown

/** A field that must have a value. `*` means an undocumented field, which must be passed in `fields`. */
type FieldGiven<Field> = Field extends '*'
  ? { readonly fields: OpenFields }
  : { readonly [Key in Field & keyof PromptFields<number>]: NonNullable<PromptFields<number>[Key]> }

type OneOfEach<Lists> = Lists extends readonly [infer List extends readonly string[], ...infer Others]
  ? FieldGiven<List[number]> & OneOfEach<Others>
  : unknown

type NeededBy<Model extends ListedModel> = (typeof models)[Model] extends {
  readonly requiresOneOf: infer Lists
}
  ? OneOfEach<Lists>
  : unknown

/**
 * The request of a generation method. It contains a documented model, the input that the model needs, and other
 * documented fields. `fields` contains undocumented fields. For an undocumented model, use {@link unlistedModel}.
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

/** A request for a model that is not documented. Neither field values nor required inputs are checked. @public */
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
 * Marks a model name as undocumented. Without this mark, a name that isn't documented (such as a misspelled name) is
 * a compile error. For a marked model, neither the values of fields nor required inputs are checked, and the cost is
 * unknown.
 *
 * @param name - The name of the model.
 *
 * @public
 */
export function unlistedModel(name: string): UnlistedModel {
  return { unlistedModel: requiredString(name, 'unlistedModel', 'Pass the name of the model.') }
}

/** The field names in the type of an operation's body. */
export type ShownField<Name extends GenerationName> = GenerationBodies[Name] extends infer Body
  ? Body extends unknown
    ? keyof Body
    : never
  : never
