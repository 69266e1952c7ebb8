// Generated from specs/media/openapi.yaml by @concord/generate. Do not edit.
import * as checks from './checks.gen.ts'
import type {
  CharacterPerformanceInput,
  CharacterPerformanceOutput,
  ConsumeRealtimeSessionInput,
  ConsumeRealtimeSessionOutput,
  CreateAvatarInput,
  CreateAvatarOutput,
  CreateDocumentInput,
  CreateDocumentOutput,
  CreateRealtimeSessionInput,
  CreateRealtimeSessionOutput,
  CreateUploadInput,
  CreateUploadOutput,
  DeleteAvatarInput,
  DeleteAvatarOutput,
  DeleteDocumentInput,
  DeleteDocumentOutput,
  DeleteTaskInput,
  DeleteTaskOutput,
  ErrorBody,
  GetAvatarInput,
  GetAvatarOutput,
  GetDocumentInput,
  GetDocumentOutput,
  GetOrganizationInput,
  GetOrganizationOutput,
  GetRealtimeSessionInput,
  GetRealtimeSessionOutput,
  GetTaskInput,
  GetTaskOutput,
  ImageToVideoInput,
  ImageToVideoOutput,
  QueryUsageInput,
  QueryUsageOutput,
  SoundEffectInput,
  SoundEffectOutput,
  SpeechToSpeechInput,
  SpeechToSpeechOutput,
  TextToImageInput,
  TextToImageOutput,
  TextToSpeechInput,
  TextToSpeechOutput,
  TextToVideoInput,
  TextToVideoOutput,
  UpdateAvatarInput,
  UpdateAvatarOutput,
  VideoToVideoInput,
  VideoToVideoOutput,
  VoiceDubbingInput,
  VoiceDubbingOutput,
  VoiceIsolationInput,
  VoiceIsolationOutput,
} from '@concord/media-validators'
import type { OperationDescriptor } from '@concord/runtime'

/**
 * `POST /v1/image_to_video`: makes a video from an image.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1image_to_video/post`
 */
export const imageToVideo: OperationDescriptor<ImageToVideoInput, ImageToVideoOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 429: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'imageToVideo',
  method: 'POST',
  path: '/v1/image_to_video',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.imageToVideoInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.taskSubmission },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'daily-generations', retryHelps: true }],
    },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { id: '/id', again: 'repeats' },
  secrets: [],
}

/**
 * `POST /v1/text_to_video`: makes a video from text.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1text_to_video/post`
 */
export const textToVideo: OperationDescriptor<TextToVideoInput, TextToVideoOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 429: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'textToVideo',
  method: 'POST',
  path: '/v1/text_to_video',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.textToVideoInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.taskSubmission },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'daily-generations', retryHelps: true }],
    },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { id: '/id', again: 'repeats' },
  secrets: [],
}

/**
 * `POST /v1/video_to_video`: makes a video from a video.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1video_to_video/post`
 */
export const videoToVideo: OperationDescriptor<VideoToVideoInput, VideoToVideoOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 429: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'videoToVideo',
  method: 'POST',
  path: '/v1/video_to_video',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.videoToVideoInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.taskSubmission },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'daily-generations', retryHelps: true }],
    },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { id: '/id', again: 'repeats' },
  secrets: [],
}

/**
 * `POST /v1/character_performance`: lets a character perform.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1character_performance/post`
 */
export const characterPerformance: OperationDescriptor<CharacterPerformanceInput, CharacterPerformanceOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 429: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'characterPerformance',
  method: 'POST',
  path: '/v1/character_performance',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.characterPerformanceInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.taskSubmission },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'daily-generations', retryHelps: true }],
    },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { id: '/id', again: 'repeats' },
  secrets: [],
}

/**
 * `POST /v1/text_to_image`: makes an image from text.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1text_to_image/post`
 */
export const textToImage: OperationDescriptor<TextToImageInput, TextToImageOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 429: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'textToImage',
  method: 'POST',
  path: '/v1/text_to_image',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.textToImageInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.taskSubmission },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'daily-generations', retryHelps: true }],
    },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { id: '/id', again: 'repeats' },
  secrets: [],
}

/**
 * `POST /v1/text_to_speech`: converts text to speech.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1text_to_speech/post`
 */
export const textToSpeech: OperationDescriptor<TextToSpeechInput, TextToSpeechOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 429: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'textToSpeech',
  method: 'POST',
  path: '/v1/text_to_speech',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.textToSpeechInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.taskSubmission },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'daily-generations', retryHelps: true }],
    },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { id: '/id', again: 'repeats' },
  secrets: [],
}

/**
 * `POST /v1/sound_effect`: makes a sound effect.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1sound_effect/post`
 */
export const soundEffect: OperationDescriptor<SoundEffectInput, SoundEffectOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 429: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'soundEffect',
  method: 'POST',
  path: '/v1/sound_effect',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.soundEffectInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.taskSubmission },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'daily-generations', retryHelps: true }],
    },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { id: '/id', again: 'repeats' },
  secrets: [],
}

/**
 * `POST /v1/voice_isolation`: isolates a voice.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1voice_isolation/post`
 */
export const voiceIsolation: OperationDescriptor<VoiceIsolationInput, VoiceIsolationOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 429: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'voiceIsolation',
  method: 'POST',
  path: '/v1/voice_isolation',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.voiceIsolationInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.taskSubmission },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'daily-generations', retryHelps: true }],
    },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { id: '/id', again: 'repeats' },
  secrets: [],
}

/**
 * `POST /v1/voice_dubbing`: dubs into another language.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1voice_dubbing/post`
 */
export const voiceDubbing: OperationDescriptor<VoiceDubbingInput, VoiceDubbingOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 429: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'voiceDubbing',
  method: 'POST',
  path: '/v1/voice_dubbing',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.voiceDubbingInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.taskSubmission },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'daily-generations', retryHelps: true }],
    },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { id: '/id', again: 'repeats' },
  secrets: [],
}

/**
 * `POST /v1/speech_to_speech`: converts a voice.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1speech_to_speech/post`
 */
export const speechToSpeech: OperationDescriptor<SpeechToSpeechInput, SpeechToSpeechOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 429: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'speechToSpeech',
  method: 'POST',
  path: '/v1/speech_to_speech',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.speechToSpeechInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.taskSubmission },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.errorBody,
      rateMeanings: [{ meaning: 'daily-generations', retryHelps: true }],
    },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { id: '/id', again: 'repeats' },
  secrets: [],
}

/**
 * `POST /v1/avatars`: creates an avatar.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1avatars/post`
 */
export const createAvatar: OperationDescriptor<CreateAvatarInput, CreateAvatarOutput | undefined, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'createAvatar',
  method: 'POST',
  path: '/v1/avatars',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.createAvatarInput,
  responses: {
    200: {
      kind: 'json',
      contentType: 'application/json',
      openStatus: true,
      openBody: true,
      check: checks.avatar,
      openEnums: [
        { path: ['voice', 'type'], values: ['live-preset'] },
        { path: ['voice', 'presetId'], values: ['clara', 'victoria', 'vincent'] },
      ],
    },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { again: 'repeats' },
  secrets: [],
}

/**
 * `GET /v1/avatars/{id}`: reads an avatar.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1avatars~1{id}/get`
 */
export const getAvatar: OperationDescriptor<GetAvatarInput, GetAvatarOutput, { readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'getAvatar',
  method: 'GET',
  path: '/v1/avatars/{id}',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [
    { name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' },
    { name: 'id', in: 'path', required: true },
  ],
  check: checks.getAvatarInput,
  responses: {
    200: {
      kind: 'json',
      contentType: 'application/json',
      openStatus: true,
      check: checks.avatar,
      openEnums: [
        { path: ['voice', 'type'], values: ['live-preset'] },
        { path: ['voice', 'presetId'], values: ['clara', 'victoria', 'vincent'] },
      ],
    },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe', statuses: [429, 502, 503, 504] },
  secrets: [],
}

/**
 * `DELETE /v1/avatars/{id}`: deletes an avatar.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1avatars~1{id}/delete`
 */
export const deleteAvatar: OperationDescriptor<DeleteAvatarInput, DeleteAvatarOutput, { readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'deleteAvatar',
  method: 'DELETE',
  path: '/v1/avatars/{id}',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [
    { name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' },
    { name: 'id', in: 'path', required: true },
  ],
  check: checks.deleteAvatarInput,
  responses: {
    200: { kind: 'empty', openStatus: true },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { lookUp: 'getAvatar' },
  secrets: [],
}

/**
 * `PATCH /v1/avatars/{id}`: changes an avatar.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1avatars~1{id}/patch`
 */
export const updateAvatar: OperationDescriptor<UpdateAvatarInput, UpdateAvatarOutput | undefined, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'updateAvatar',
  method: 'PATCH',
  path: '/v1/avatars/{id}',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [
    { name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' },
    { name: 'id', in: 'path', required: true },
  ],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.updateAvatarInput,
  responses: {
    200: {
      kind: 'json',
      contentType: 'application/json',
      openStatus: true,
      openBody: true,
      check: checks.avatar,
      openEnums: [
        { path: ['voice', 'type'], values: ['live-preset'] },
        { path: ['voice', 'presetId'], values: ['clara', 'victoria', 'vincent'] },
      ],
    },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { lookUp: 'getAvatar' },
  secrets: [],
}

/**
 * `POST /v1/realtime_sessions`: creates a session.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1realtime_sessions/post`
 */
export const createRealtimeSession: OperationDescriptor<CreateRealtimeSessionInput, CreateRealtimeSessionOutput | undefined, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'createRealtimeSession',
  method: 'POST',
  path: '/v1/realtime_sessions',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: false },
  check: checks.createRealtimeSessionInput,
  responses: {
    200: {
      kind: 'json',
      contentType: 'application/json',
      openStatus: true,
      openBody: true,
      check: checks.realtimeSession,
    },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { again: 'repeats' },
  secrets: [],
}

/**
 * `GET /v1/realtime_sessions/{id}`: reads a session.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1realtime_sessions~1{id}/get`
 */
export const getRealtimeSession: OperationDescriptor<GetRealtimeSessionInput, GetRealtimeSessionOutput, { readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'getRealtimeSession',
  method: 'GET',
  path: '/v1/realtime_sessions/{id}',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [
    { name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' },
    { name: 'id', in: 'path', required: true },
  ],
  check: checks.getRealtimeSessionInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.realtimeSession },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe', statuses: [429, 502, 503, 504] },
  secrets: [],
}

/**
 * `POST /v1/realtime_sessions/{id}/consume`: obtains the WebRTC credentials of a session.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1realtime_sessions~1{id}~1consume/post`
 */
export const consumeRealtimeSession: OperationDescriptor<ConsumeRealtimeSessionInput, ConsumeRealtimeSessionOutput, { readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'consumeRealtimeSession',
  method: 'POST',
  path: '/v1/realtime_sessions/{id}/consume',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [
    { name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' },
    { name: 'id', in: 'path', required: true },
  ],
  check: checks.consumeRealtimeSessionInput,
  responses: {
    200: {
      kind: 'json',
      contentType: 'application/json',
      openStatus: true,
      check: checks.realtimeCredentials,
    },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'never' },
  outcome: { again: 'spent' },
  secrets: ['*'],
}

/**
 * `POST /v1/documents`: creates a document.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1documents/post`
 */
export const createDocument: OperationDescriptor<CreateDocumentInput, CreateDocumentOutput | undefined, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'createDocument',
  method: 'POST',
  path: '/v1/documents',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.createDocumentInput,
  responses: {
    200: {
      kind: 'json',
      contentType: 'application/json',
      openStatus: true,
      openBody: true,
      check: checks.knowledgeDocument,
    },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { again: 'repeats' },
  secrets: [],
}

/**
 * `GET /v1/documents/{id}`: reads a document.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1documents~1{id}/get`
 */
export const getDocument: OperationDescriptor<GetDocumentInput, GetDocumentOutput, { readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'getDocument',
  method: 'GET',
  path: '/v1/documents/{id}',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [
    { name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' },
    { name: 'id', in: 'path', required: true },
  ],
  check: checks.getDocumentInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.knowledgeDocument },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe', statuses: [429, 502, 503, 504] },
  secrets: [],
}

/**
 * `DELETE /v1/documents/{id}`: deletes a document.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1documents~1{id}/delete`
 */
export const deleteDocument: OperationDescriptor<DeleteDocumentInput, DeleteDocumentOutput, { readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'deleteDocument',
  method: 'DELETE',
  path: '/v1/documents/{id}',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [
    { name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' },
    { name: 'id', in: 'path', required: true },
  ],
  check: checks.deleteDocumentInput,
  responses: {
    200: { kind: 'empty', openStatus: true },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { lookUp: 'getDocument' },
  secrets: [],
}

/**
 * `GET /v1/tasks/{id}`: reads a task.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1tasks~1{id}/get`
 */
export const getTask: OperationDescriptor<GetTaskInput, GetTaskOutput, { readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'getTask',
  method: 'GET',
  path: '/v1/tasks/{id}',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [
    { name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' },
    { name: 'id', in: 'path', required: true },
  ],
  check: checks.getTaskInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.task },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe', statuses: [429, 502, 503, 504] },
  waiter: {
    status: '/status',
    success: ['SUCCEEDED'],
    failure: ['FAILED'],
    pending: ['PENDING', 'RUNNING', 'THROTTLED'],
    minDelayMs: 5000,
    maxDelayMs: 5000,
  },
  secrets: [],
}

/**
 * `DELETE /v1/tasks/{id}`: cancels or deletes a task.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1tasks~1{id}/delete`
 */
export const deleteTask: OperationDescriptor<DeleteTaskInput, DeleteTaskOutput, { readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'deleteTask',
  method: 'DELETE',
  path: '/v1/tasks/{id}',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [
    { name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' },
    { name: 'id', in: 'path', required: true },
  ],
  check: checks.deleteTaskInput,
  responses: {
    200: { kind: 'empty', openStatus: true },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { lookUp: 'getTask' },
  secrets: [],
}

/**
 * `POST /v1/uploads`: creates an ephemeral upload.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1uploads/post`
 */
export const createUpload: OperationDescriptor<CreateUploadInput, CreateUploadOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'createUpload',
  method: 'POST',
  path: '/v1/uploads',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: false },
  check: checks.createUploadInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.upload },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429, 502, 503, 504] },
  outcome: { again: 'harmless' },
  secrets: [],
}

/**
 * `GET /v1/organization`: reads the organization.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1organization/get`
 */
export const getOrganization: OperationDescriptor<GetOrganizationInput, GetOrganizationOutput, { readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'getOrganization',
  method: 'GET',
  path: '/v1/organization',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.organization },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe', statuses: [429, 502, 503, 504] },
  secrets: [],
}

/**
 * `POST /v1/organization/usage`: reads the credit usage history.
 *
 * @see `specs/media/openapi.yaml#/paths/~1v1~1organization~1usage/post`
 */
export const queryUsage: OperationDescriptor<QueryUsageInput, QueryUsageOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 502: ErrorBody; readonly 503: ErrorBody; readonly 504: ErrorBody; readonly default: ErrorBody }> = {
  id: 'queryUsage',
  method: 'POST',
  path: '/v1/organization/usage',
  server: 'baseUrl',
  security: ['apiSecret'],
  parameters: [{ name: 'X-Service-Version', in: 'header', required: true, value: '2024-11-06' }],
  body: { kind: 'json', contentType: 'application/json', required: false },
  check: checks.queryUsageInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.usageHistory },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    502: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    503: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    504: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe', statuses: [429, 502, 503, 504] },
  secrets: [],
}
