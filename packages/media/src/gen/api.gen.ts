// Generated from specs/media/openapi.yaml by @concord/generate. Do not edit.
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
import type { CallOptions, Client, Exchange } from '@concord/runtime'
import type { Send } from '@concord/runtime/internal'
import {
  characterPerformance,
  consumeRealtimeSession,
  createAvatar,
  createDocument,
  createRealtimeSession,
  createUpload,
  deleteAvatar,
  deleteDocument,
  deleteTask,
  getAvatar,
  getDocument,
  getOrganization,
  getRealtimeSession,
  getTask,
  imageToVideo,
  queryUsage,
  soundEffect,
  speechToSpeech,
  textToImage,
  textToSpeech,
  textToVideo,
  updateAvatar,
  videoToVideo,
  voiceDubbing,
  voiceIsolation,
} from './operations.gen.ts'

/**
 * All operations of the contract (Media generation service). Inputs and results are exactly as on the wire.
 *
 * @public
 */
export interface MediaApi {
  /**
   * Makes a video from an image.
   *
   * Runs `gen4.5`, `gen4_turbo`, `partner3`, `partner3.1` and `partner3.1_fast`. `gen4_turbo` requires an image.
   *
   * No idempotency key is documented: a submission that is sent twice can be charged twice. A submission that exceeds
   * the concurrency of the tier is accepted too; its task is `THROTTLED` until there is room.
   *
   * `POST /v1/image_to_video`
   *
   * Undocumented:
   * - Whether `model` may be omitted, and whether the endpoint runs models that are not in the table.
   * - Which of `promptImage`, `promptText`, `ratio` and `duration` are required, except where a model requires an image.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The task was accepted.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 429: Rate limited: the daily quota of generations is exceeded. Retry with exponential backoff and jitter. The window is the last 24 hours, so it can take hours until a retry succeeds. Exceeding the concurrency never causes a 429.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1image_to_video/post`
   */
  imageToVideo(input: ImageToVideoInput, options?: CallOptions): Promise<ImageToVideoOutput>

  /**
   * Makes a video from text.
   *
   * Runs `gen4.5`, `partner3`, `partner3.1` and `partner3.1_fast`.
   *
   * No idempotency key is documented: a submission that is sent twice can be charged twice. A submission that exceeds
   * the concurrency of the tier is accepted too; its task is `THROTTLED` until there is room.
   *
   * `POST /v1/text_to_video`
   *
   * Undocumented:
   * - Whether `model` may be omitted, and whether the endpoint runs models that are not in the table.
   * - Which of `promptImage`, `promptText`, `ratio` and `duration` are required, and what an image does here.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The task was accepted.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 429: Rate limited: the daily quota of generations is exceeded. Retry with exponential backoff and jitter. The window is the last 24 hours, so it can take hours until a retry succeeds. Exceeding the concurrency never causes a 429.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1text_to_video/post`
   */
  textToVideo(input: TextToVideoInput, options?: CallOptions): Promise<TextToVideoOutput>

  /**
   * Makes a video from a video.
   *
   * Runs `gen4_aleph`, whose input is a video plus text or an image.
   *
   * No idempotency key is documented: a submission that is sent twice can be charged twice. A submission that exceeds
   * the concurrency of the tier is accepted too; its task is `THROTTLED` until there is room.
   *
   * `POST /v1/video_to_video`
   *
   * Undocumented: whether `model` may be omitted, and whether the endpoint runs models that are not in the table; the name of the field with the video.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The task was accepted.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 429: Rate limited: the daily quota of generations is exceeded. Retry with exponential backoff and jitter. The window is the last 24 hours, so it can take hours until a retry succeeds. Exceeding the concurrency never causes a 429.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1video_to_video/post`
   */
  videoToVideo(input: VideoToVideoInput, options?: CallOptions): Promise<VideoToVideoOutput>

  /**
   * Lets a character perform.
   *
   * Runs `act_two`, whose input is an image or a video.
   *
   * No idempotency key is documented: a submission that is sent twice can be charged twice. A submission that exceeds
   * the concurrency of the tier is accepted too; its task is `THROTTLED` until there is room.
   *
   * `POST /v1/character_performance`
   *
   * Undocumented: whether `model` may be omitted, and whether the endpoint runs models that are not in the table; the names of all fields other than `model`.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The task was accepted.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 429: Rate limited: the daily quota of generations is exceeded. Retry with exponential backoff and jitter. The window is the last 24 hours, so it can take hours until a retry succeeds. Exceeding the concurrency never causes a 429.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1character_performance/post`
   */
  characterPerformance(input: CharacterPerformanceInput, options?: CallOptions): Promise<CharacterPerformanceOutput>

  /**
   * Makes an image from text.
   *
   * Runs `gen4_image`, `gen4_image_turbo` and `partner_2.5_flash`.
   *
   * No idempotency key is documented: a submission that is sent twice can be charged twice. A submission that exceeds
   * the concurrency of the tier is accepted too; its task is `THROTTLED` until there is room.
   *
   * `POST /v1/text_to_image`
   *
   * Undocumented:
   * - Whether `model` may be omitted, and whether the endpoint runs models that are not in the table.
   * - Which of the fields are required, which ratios there are for images, and what `duration` does for an image.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The task was accepted.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 429: Rate limited: the daily quota of generations is exceeded. Retry with exponential backoff and jitter. The window is the last 24 hours, so it can take hours until a retry succeeds. Exceeding the concurrency never causes a 429.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1text_to_image/post`
   */
  textToImage(input: TextToImageInput, options?: CallOptions): Promise<TextToImageOutput>

  /**
   * Converts text to speech.
   *
   * Runs `audio_multilingual_v2`: text to speech.
   *
   * No idempotency key is documented: a submission that is sent twice can be charged twice. A submission that exceeds
   * the concurrency of the tier is accepted too; its task is `THROTTLED` until there is room.
   *
   * `POST /v1/text_to_speech`
   *
   * Undocumented: whether `model` may be omitted, and whether the endpoint runs models that are not in the table; the names of all fields other than `model`.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The task was accepted.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 429: Rate limited: the daily quota of generations is exceeded. Retry with exponential backoff and jitter. The window is the last 24 hours, so it can take hours until a retry succeeds. Exceeding the concurrency never causes a 429.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1text_to_speech/post`
   */
  textToSpeech(input: TextToSpeechInput, options?: CallOptions): Promise<TextToSpeechOutput>

  /**
   * Makes a sound effect.
   *
   * Runs `audio_text_to_sound_v2`: sound effects.
   *
   * No idempotency key is documented: a submission that is sent twice can be charged twice. A submission that exceeds
   * the concurrency of the tier is accepted too; its task is `THROTTLED` until there is room.
   *
   * `POST /v1/sound_effect`
   *
   * Undocumented: whether `model` may be omitted, and whether the endpoint runs models that are not in the table; the names of all fields other than `model`.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The task was accepted.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 429: Rate limited: the daily quota of generations is exceeded. Retry with exponential backoff and jitter. The window is the last 24 hours, so it can take hours until a retry succeeds. Exceeding the concurrency never causes a 429.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1sound_effect/post`
   */
  soundEffect(input: SoundEffectInput, options?: CallOptions): Promise<SoundEffectOutput>

  /**
   * Isolates a voice.
   *
   * Runs `audio_voice_isolation`: isolates the voice.
   *
   * No idempotency key is documented: a submission that is sent twice can be charged twice. A submission that exceeds
   * the concurrency of the tier is accepted too; its task is `THROTTLED` until there is room.
   *
   * `POST /v1/voice_isolation`
   *
   * Undocumented: whether `model` may be omitted, and whether the endpoint runs models that are not in the table; the names of all fields other than `model`.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The task was accepted.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 429: Rate limited: the daily quota of generations is exceeded. Retry with exponential backoff and jitter. The window is the last 24 hours, so it can take hours until a retry succeeds. Exceeding the concurrency never causes a 429.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1voice_isolation/post`
   */
  voiceIsolation(input: VoiceIsolationInput, options?: CallOptions): Promise<VoiceIsolationOutput>

  /**
   * Dubs into another language.
   *
   * Runs `audio_voice_dubbing`: dubs into other languages.
   *
   * No idempotency key is documented: a submission that is sent twice can be charged twice. A submission that exceeds
   * the concurrency of the tier is accepted too; its task is `THROTTLED` until there is room.
   *
   * `POST /v1/voice_dubbing`
   *
   * Undocumented: whether `model` may be omitted, and whether the endpoint runs models that are not in the table; the names of all fields other than `model`.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The task was accepted.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 429: Rate limited: the daily quota of generations is exceeded. Retry with exponential backoff and jitter. The window is the last 24 hours, so it can take hours until a retry succeeds. Exceeding the concurrency never causes a 429.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1voice_dubbing/post`
   */
  voiceDubbing(input: VoiceDubbingInput, options?: CallOptions): Promise<VoiceDubbingOutput>

  /**
   * Converts a voice.
   *
   * Runs `audio_multilingual_sts_v2`: voice conversion.
   *
   * No idempotency key is documented: a submission that is sent twice can be charged twice. A submission that exceeds
   * the concurrency of the tier is accepted too; its task is `THROTTLED` until there is room.
   *
   * `POST /v1/speech_to_speech`
   *
   * Undocumented: whether `model` may be omitted, and whether the endpoint runs models that are not in the table; the names of all fields other than `model`.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The task was accepted.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 429: Rate limited: the daily quota of generations is exceeded. Retry with exponential backoff and jitter. The window is the last 24 hours, so it can take hours until a retry succeeds. Exceeding the concurrency never causes a 429.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1speech_to_speech/post`
   */
  speechToSpeech(input: SpeechToSpeechInput, options?: CallOptions): Promise<SpeechToSpeechOutput>

  /**
   * Creates an avatar.
   *
   * Knowledge documents are optional. All documents of an avatar together may have up to 50,000 tokens.
   *
   * `POST /v1/avatars`
   *
   * Undocumented:
   * - The response, and where it contains the identifier of the avatar.
   * - Whether an unknown identifier in `documentIds` is rejected, and what happens above 50,000 tokens.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The avatar was created.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1avatars/post`
   */
  createAvatar(input: CreateAvatarInput, options?: CallOptions): Promise<CreateAvatarOutput | undefined>

  /**
   * Reads an avatar.
   *
   * Returns the avatar.
   *
   * `GET /v1/avatars/{id}`
   *
   * Undocumented: the response for an unknown avatar.
   *
   * @param input - `path.id`: The identifier of an avatar.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The avatar.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws ApiError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws ApiError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1avatars~1{id}/get`
   */
  getAvatar(input: GetAvatarInput, options?: CallOptions): Promise<GetAvatarOutput>

  /**
   * Deletes an avatar.
   *
   * Deletes the avatar.
   *
   * `DELETE /v1/avatars/{id}`
   *
   * Undocumented: the response for an unknown avatar and for deleting twice.
   *
   * @param input - `path.id`: The identifier of an avatar.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The avatar was deleted.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. `getAvatar` shows whether the call took effect.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1avatars~1{id}/delete`
   */
  deleteAvatar(input: DeleteAvatarInput, options?: CallOptions): Promise<DeleteAvatarOutput>

  /**
   * Changes an avatar.
   *
   * Changes the name, voice, personality or documents. The reference image cannot be changed.
   *
   * `PATCH /v1/avatars/{id}`
   *
   * Undocumented: whether `documentIds` replaces the list or adds to it, and how a field is cleared; what happens to a `referenceImage` that is sent anyway.
   *
   * @param input - `path.id`: The identifier of an avatar.
   *   `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The avatar was changed.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. `getAvatar` shows whether the call took effect.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1avatars~1{id}/patch`
   */
  updateAvatar(input: UpdateAvatarInput, options?: CallOptions): Promise<UpdateAvatarOutput | undefined>

  /**
   * Creates a session.
   *
   * Creates a session with an avatar (model `gwm1_avatars`). Poll it until it is `READY`, then obtain the credentials, once. A
   * session lasts at most 5 minutes.
   *
   * `POST /v1/realtime_sessions`
   *
   * Undocumented: the response, and where it contains the identifier and the status.
   *
   * @param input - `body` (optional): sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The session was created.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1realtime_sessions/post`
   */
  createRealtimeSession(input?: CreateRealtimeSessionInput, options?: CallOptions): Promise<CreateRealtimeSessionOutput | undefined>

  /**
   * Reads a session.
   *
   * Poll until the status is `READY`, or stop when it is `COMPLETED`, `FAILED` or `CANCELLED`. The values are those of
   * `RealtimeSessionStatus`.
   *
   * `GET /v1/realtime_sessions/{id}`
   *
   * Undocumented:
   * - Where the response contains the status; that is why there is no `x-waiter` here.
   * - How often to poll; 5 seconds are documented for tasks.
   * - Whether a session can fail or be cancelled before it runs, when an unused session expires, and its status after 5 minutes.
   *
   * @param input - `path.id`: The identifier of a real-time session.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The session.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws ApiError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws ApiError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1realtime_sessions~1{id}/get`
   */
  getRealtimeSession(input: GetRealtimeSessionInput, options?: CallOptions): Promise<GetRealtimeSessionOutput>

  /**
   * Obtains the WebRTC credentials of a session.
   *
   * Works once per session. If the response is lost, don't repeat the call: create a new session instead.
   *
   * `POST /v1/realtime_sessions/{id}/consume`
   *
   * Undocumented:
   * - Whether there is a request body; none is written here.
   * - The response before the session is `READY`, and to a second call.
   * - Whether obtaining the credentials starts the session.
   *
   * @param input - `path.id`: The identifier of a real-time session.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The credentials.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. The input works only once, and this call may have used it up.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1realtime_sessions~1{id}~1consume/post`
   */
  consumeRealtimeSession(input: ConsumeRealtimeSessionInput, options?: CallOptions): Promise<ConsumeRealtimeSessionOutput>

  /**
   * Creates a document.
   *
   * A document contains plain text or Markdown, and can be attached to avatars by its identifier.
   *
   * `POST /v1/documents`
   *
   * Undocumented: the response, and where it contains the identifier.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The document was created.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1documents/post`
   */
  createDocument(input: CreateDocumentInput, options?: CallOptions): Promise<CreateDocumentOutput | undefined>

  /**
   * Reads a document.
   *
   * Returns the document.
   *
   * `GET /v1/documents/{id}`
   *
   * Undocumented: the response for an unknown document.
   *
   * @param input - `path.id`: The identifier of a document.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The document.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws ApiError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws ApiError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1documents~1{id}/get`
   */
  getDocument(input: GetDocumentInput, options?: CallOptions): Promise<GetDocumentOutput>

  /**
   * Deletes a document.
   *
   * Deletes the document.
   *
   * `DELETE /v1/documents/{id}`
   *
   * Undocumented: the response for an unknown document and for deleting twice; what happens to an avatar that the document is attached to.
   *
   * @param input - `path.id`: The identifier of a document.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The document was deleted.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. `getDocument` shows whether the call took effect.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1documents~1{id}/delete`
   */
  deleteDocument(input: DeleteDocumentInput, options?: CallOptions): Promise<DeleteDocumentOutput>

  /**
   * Reads a task.
   *
   * Poll until `status` is `SUCCEEDED` or `FAILED`; the documentation's reference loop polls every 5 s. A `THROTTLED` task is
   * queued and continues automatically, so don't submit it again. The response for a failed task is a success, with
   * `failure` and the `status` `FAILED`.
   *
   * `GET /v1/tasks/{id}`
   *
   * Undocumented: how long a task can take, or stay `THROTTLED`; the response for an unknown or deleted task.
   *
   * @param input - `path.id`: The identifier of a task, as its submission returned it.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The task.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws ApiError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws ApiError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1tasks~1{id}/get`
   */
  getTask(input: GetTaskInput, options?: CallOptions): Promise<GetTaskOutput>

  /**
   * Cancels or deletes a task.
   *
   * The operation cancels a task or deletes it: using it for cleanup cancels a task that is still running.
   *
   * `DELETE /v1/tasks/{id}`
   *
   * Undocumented:
   * - Which of the two happens in which status, and the status of a cancelled task; there is no status for it.
   * - The response for an unknown task and for deleting twice.
   *
   * @param input - `path.id`: The identifier of a task, as its submission returned it.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The task was canceled or deleted.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. `getTask` shows whether the call took effect.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1tasks~1{id}/delete`
   */
  deleteTask(input: DeleteTaskInput, options?: CallOptions): Promise<DeleteTaskOutput>

  /**
   * Creates an ephemeral upload.
   *
   * Returns an ephemeral upload handle. An upload may be larger than an input by URL or data URI: up to 200 MB.
   *
   * `POST /v1/uploads`
   *
   * Undocumented: how to send the bytes of the upload, the form of the URI for an input, and how long it is valid.
   *
   * @param input - `body` (optional): sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The upload handle.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws SubmissionUncertainError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. Calling again is harmless.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1uploads/post`
   */
  createUpload(input?: CreateUploadInput, options?: CallOptions): Promise<CreateUploadOutput>

  /**
   * Reads the organization.
   *
   * Returns information about the organization, and its credit balance.
   *
   * `GET /v1/organization`
   *
   * @param input - This operation has no input: omit this argument, or pass `{}`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The organization.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws ApiError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws ApiError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1organization/get`
   */
  getOrganization(input?: GetOrganizationInput, options?: CallOptions): Promise<GetOrganizationOutput>

  /**
   * Reads the credit usage history.
   *
   * A read-only operation, despite the method POST. The history covers up to 90 days.
   *
   * `POST /v1/organization/usage`
   *
   * Undocumented: how to request a range of days, and how the history is grouped.
   *
   * @param input - `body` (optional): sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The usage history.
   * @throws ApiError with status 400: The validation of the input failed. Fix the input; do not retry.
   * @throws ApiError with status 401: The API key is invalid. Check it; do not retry.
   * @throws ApiError with status 502: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws ApiError with status 503: The server is overloaded. Retry with exponential backoff and jitter.
   * @throws ApiError with status 504: The server is overloaded. Retry with exponential backoff and jitter.
   * @see `specs/media/openapi.yaml#/paths/~1v1~1organization~1usage/post`
   */
  queryUsage(input?: QueryUsageInput, options?: CallOptions): Promise<QueryUsageOutput>
}

/**
 * The operations of {@link MediaApi}, each returning the whole response: status, headers, request id and raw body.
 *
 * @public
 */
export type MediaApiWithResponse = {
  readonly [Name in keyof MediaApi]: (
    ...call: Parameters<MediaApi[Name]>
  ) => Promise<Exchange<Awaited<ReturnType<MediaApi[Name]>>>>
}

/** Creates the methods of all operations. They pass each call to `send`. */
export function mediaApi(send: Send): MediaApi {
  return {
    imageToVideo: (input, options) => send(imageToVideo, input, options),
    textToVideo: (input, options) => send(textToVideo, input, options),
    videoToVideo: (input, options) => send(videoToVideo, input, options),
    characterPerformance: (input, options) => send(characterPerformance, input, options),
    textToImage: (input, options) => send(textToImage, input, options),
    textToSpeech: (input, options) => send(textToSpeech, input, options),
    soundEffect: (input, options) => send(soundEffect, input, options),
    voiceIsolation: (input, options) => send(voiceIsolation, input, options),
    voiceDubbing: (input, options) => send(voiceDubbing, input, options),
    speechToSpeech: (input, options) => send(speechToSpeech, input, options),
    createAvatar: (input, options) => send(createAvatar, input, options),
    getAvatar: (input, options) => send(getAvatar, input, options),
    deleteAvatar: (input, options) => send(deleteAvatar, input, options),
    updateAvatar: (input, options) => send(updateAvatar, input, options),
    createRealtimeSession: (input = {}, options) => send(createRealtimeSession, input, options),
    getRealtimeSession: (input, options) => send(getRealtimeSession, input, options),
    consumeRealtimeSession: (input, options) => send(consumeRealtimeSession, input, options),
    createDocument: (input, options) => send(createDocument, input, options),
    getDocument: (input, options) => send(getDocument, input, options),
    deleteDocument: (input, options) => send(deleteDocument, input, options),
    getTask: (input, options) => send(getTask, input, options),
    deleteTask: (input, options) => send(deleteTask, input, options),
    createUpload: (input = {}, options) => send(createUpload, input, options),
    getOrganization: (input = {}, options) => send(getOrganization, input, options),
    queryUsage: (input = {}, options) => send(queryUsage, input, options),
  }
}

/** Creates the methods that return the whole response. They pass each call to `exchange`. */
export function mediaApiWithResponse(exchange: Client['exchange']): MediaApiWithResponse {
  return {
    imageToVideo: (input, options) => exchange(imageToVideo, input, options),
    textToVideo: (input, options) => exchange(textToVideo, input, options),
    videoToVideo: (input, options) => exchange(videoToVideo, input, options),
    characterPerformance: (input, options) => exchange(characterPerformance, input, options),
    textToImage: (input, options) => exchange(textToImage, input, options),
    textToSpeech: (input, options) => exchange(textToSpeech, input, options),
    soundEffect: (input, options) => exchange(soundEffect, input, options),
    voiceIsolation: (input, options) => exchange(voiceIsolation, input, options),
    voiceDubbing: (input, options) => exchange(voiceDubbing, input, options),
    speechToSpeech: (input, options) => exchange(speechToSpeech, input, options),
    createAvatar: (input, options) => exchange(createAvatar, input, options),
    getAvatar: (input, options) => exchange(getAvatar, input, options),
    deleteAvatar: (input, options) => exchange(deleteAvatar, input, options),
    updateAvatar: (input, options) => exchange(updateAvatar, input, options),
    createRealtimeSession: (input = {}, options) => exchange(createRealtimeSession, input, options),
    getRealtimeSession: (input, options) => exchange(getRealtimeSession, input, options),
    consumeRealtimeSession: (input, options) => exchange(consumeRealtimeSession, input, options),
    createDocument: (input, options) => exchange(createDocument, input, options),
    getDocument: (input, options) => exchange(getDocument, input, options),
    deleteDocument: (input, options) => exchange(deleteDocument, input, options),
    getTask: (input, options) => exchange(getTask, input, options),
    deleteTask: (input, options) => exchange(deleteTask, input, options),
    createUpload: (input = {}, options) => exchange(createUpload, input, options),
    getOrganization: (input = {}, options) => exchange(getOrganization, input, options),
    queryUsage: (input = {}, options) => exchange(queryUsage, input, options),
  }
}
