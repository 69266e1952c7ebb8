// Generated from specs/media/openapi.yaml by @concord/generate. Do not edit.

/**
 * The body of an error.
 *
 * Undocumented: the shape.
 */
export type ErrorBody = unknown

/**
 * A task. `SUCCEEDED` and `FAILED` are final; everything else is waiting.
 *
 * Undocumented: other fields, such as the time of creation, the progress or the cost.
 */
export type Task = {
  /**
   * The identifier of the task, as its submission returned it.
   */
  id: string
  status: TaskStatus
  /**
   * The signed URLs of the outputs; a list even if there is only one. Present when `status` is `SUCCEEDED`.
   * They expire within 24 to 48 hours, and may be on other hosts, so don't send them this service's headers.
   */
  output?: Array<string> | undefined
  /**
   * Why the task failed: a code (see `failureCodes` in `x-facts`) or a message. Present when `status` is `FAILED`.
   *
   * Undocumented: the suffixes after `SAFETY.INPUT.` and `SAFETY.OUTPUT.`, and the messages that aren't codes.
   */
  failure?: string | undefined
}

/**
 * `PENDING`: queued, waiting to start. `RUNNING`: generating. `SUCCEEDED`: complete, output URLs available. `FAILED`:
 * the generation failed, and `failure` has the reason. `THROTTLED`: the concurrency limit is reached; the task is
 * queued automatically and not rejected.
 *
 * Undocumented: all other transitions, such as those from `THROTTLED`, and the effect of a deletion.
 */
export type TaskStatus = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'THROTTLED'

/**
 * An accepted submission.
 */
export type TaskSubmission = {
  /**
   * The identifier of the task.
   */
  id: string
}

/**
 * A model that runs on POST /v1/image_to_video.
 *
 * Undocumented: other models.
 */
export type ImageToVideoModel = 'gen4.5' | 'gen4_turbo' | 'partner3' | 'partner3.1' | 'partner3.1_fast' | (string & {})

/**
 * A request for a video from an image or, with a model that supports it, from text.
 *
 * Undocumented: other fields.
 */
export type ImageToVideoRequest = {
  model?: ImageToVideoModel | undefined
  /**
   * An image: a URL (HTTPS, a domain name, at most 2,048 characters) or a data URI, to which the rules for URLs do not
   * apply.
   *
   * Undocumented: whether it may also be the URI of an upload.
   */
  promptImage?: string | undefined
  /**
   * What to generate.
   *
   * Undocumented: how long it may be.
   */
  promptText?: string | undefined
  /**
   * The aspect ratio. Ratios of video include `1280:720`, `720:1280` and `1104:832`.
   *
   * Undocumented: the complete list.
   */
  ratio?: string | undefined
  /**
   * The length of the video in whole seconds, 2 to 10. Which of them a model accepts is undocumented; the default is too.
   */
  duration?: number | undefined
}

/**
 * A model that runs on POST /v1/text_to_video.
 *
 * Undocumented: other models.
 */
export type TextToVideoModel = 'gen4.5' | 'partner3' | 'partner3.1' | 'partner3.1_fast' | (string & {})

/**
 * A request for a video from text.
 *
 * Undocumented: other fields.
 */
export type TextToVideoRequest = {
  model?: TextToVideoModel | undefined
  /**
   * An image: a URL (HTTPS, a domain name, at most 2,048 characters) or a data URI, to which the rules for URLs do not
   * apply.
   *
   * Undocumented: whether it may also be the URI of an upload.
   */
  promptImage?: string | undefined
  /**
   * What to generate.
   *
   * Undocumented: how long it may be.
   */
  promptText?: string | undefined
  /**
   * The aspect ratio. Ratios of video include `1280:720`, `720:1280` and `1104:832`.
   *
   * Undocumented: the complete list.
   */
  ratio?: string | undefined
  /**
   * The length of the video in whole seconds, 2 to 10. Which of them a model accepts is undocumented; the default is too.
   */
  duration?: number | undefined
}

/**
 * A model that runs on POST /v1/video_to_video.
 *
 * Undocumented: other models.
 */
export type VideoToVideoModel = 'gen4_aleph' | (string & {})

/**
 * A request for a video from a video plus text or an image.
 *
 * Undocumented: other fields, including the one with the video.
 */
export type VideoToVideoRequest = {
  model?: VideoToVideoModel | undefined
  /**
   * An image: a URL (HTTPS, a domain name, at most 2,048 characters) or a data URI, to which the rules for URLs do not
   * apply.
   *
   * Undocumented: whether it may also be the URI of an upload.
   */
  promptImage?: string | undefined
  /**
   * What to generate.
   *
   * Undocumented: how long it may be.
   */
  promptText?: string | undefined
  /**
   * The aspect ratio. Ratios of video include `1280:720`, `720:1280` and `1104:832`.
   *
   * Undocumented: the complete list.
   */
  ratio?: string | undefined
  /**
   * The length of the video in whole seconds, 2 to 10. Which of them a model accepts is undocumented; the default is too.
   */
  duration?: number | undefined
}

/**
 * A model that runs on POST /v1/character_performance.
 *
 * Undocumented: other models.
 */
export type CharacterPerformanceModel = 'act_two' | (string & {})

/**
 * A request for a character performance from an image or a video.
 *
 * Undocumented: all other fields.
 */
export type CharacterPerformanceRequest = {
  model?: CharacterPerformanceModel | undefined
}

/**
 * A model that runs on POST /v1/text_to_image.
 *
 * Undocumented: other models.
 */
export type TextToImageModel = 'gen4_image' | 'gen4_image_turbo' | 'partner_2.5_flash' | (string & {})

/**
 * A request for an image from text.
 *
 * Undocumented: other fields.
 */
export type TextToImageRequest = {
  model?: TextToImageModel | undefined
  /**
   * An image: a URL (HTTPS, a domain name, at most 2,048 characters) or a data URI, to which the rules for URLs do not
   * apply.
   *
   * Undocumented: whether it may also be the URI of an upload.
   */
  promptImage?: string | undefined
  /**
   * What to generate.
   *
   * Undocumented: how long it may be.
   */
  promptText?: string | undefined
  /**
   * The aspect ratio. The known ratios are those of video, such as `1280:720`, `720:1280` and `1104:832`.
   *
   * Undocumented: the complete list.
   */
  ratio?: string | undefined
  /**
   * Whole seconds. The documentation lists it for both video and image calls.
   *
   * Undocumented: what it does for an image.
   */
  duration?: number | undefined
}

/**
 * A model that runs on POST /v1/text_to_speech.
 *
 * Undocumented: other models.
 */
export type TextToSpeechModel = 'audio_multilingual_v2' | (string & {})

/**
 * A request for speech from text.
 *
 * Undocumented: all other fields, including those with the text and the voice.
 */
export type TextToSpeechRequest = {
  model?: TextToSpeechModel | undefined
}

/**
 * A model that runs on POST /v1/sound_effect.
 *
 * Undocumented: other models.
 */
export type SoundEffectModel = 'audio_text_to_sound_v2' | (string & {})

/**
 * A request for a sound effect.
 *
 * Undocumented: all other fields.
 */
export type SoundEffectRequest = {
  model?: SoundEffectModel | undefined
}

/**
 * A model that runs on POST /v1/voice_isolation.
 *
 * Undocumented: other models.
 */
export type VoiceIsolationModel = 'audio_voice_isolation' | (string & {})

/**
 * A request for the isolated voice of a recording.
 *
 * Undocumented: all other fields, including the one with the recording.
 */
export type VoiceIsolationRequest = {
  model?: VoiceIsolationModel | undefined
}

/**
 * A model that runs on POST /v1/voice_dubbing.
 *
 * Undocumented: other models.
 */
export type VoiceDubbingModel = 'audio_voice_dubbing' | (string & {})

/**
 * A request for a recording in another language.
 *
 * Undocumented: all other fields, including those with the recording and the language.
 */
export type VoiceDubbingRequest = {
  model?: VoiceDubbingModel | undefined
}

/**
 * A model that runs on POST /v1/speech_to_speech.
 *
 * Undocumented: other models.
 */
export type SpeechToSpeechModel = 'audio_multilingual_sts_v2' | (string & {})

/**
 * A request for a recording in another voice.
 *
 * Undocumented: all other fields, including those with the recording and the voice.
 */
export type SpeechToSpeechRequest = {
  model?: SpeechToSpeechModel | undefined
}

/**
 * An avatar.
 *
 * Undocumented: other fields, including the identifier, and which of these are present.
 */
export type Avatar = {
  /**
   * The display name.
   */
  name?: string | undefined
  /**
   * The image of the character, as a URL or as the URI of an upload in the service.
   *
   * Undocumented: the form of the URI of an upload, and whether a data URI may replace the URL here too.
   */
  referenceImage?: string | undefined
  voice?: AvatarVoice | undefined
  /**
   * The system prompt, or instructions for the personality.
   */
  personality?: string | undefined
  /**
   * The identifiers of the knowledge documents. Optional.
   */
  documentIds?: Array<string> | undefined
}

/**
 * A new avatar.
 *
 * Undocumented: which fields are required; only `documentIds` is documented as optional.
 */
export type CreateAvatarRequest = {
  /**
   * The display name.
   */
  name?: string | undefined
  /**
   * The image of the character, as a URL or as the URI of an upload in the service.
   *
   * Undocumented: the form of the URI of an upload, and whether a data URI may replace the URL here too.
   */
  referenceImage?: string | undefined
  voice?: AvatarVoice | undefined
  /**
   * The system prompt, or instructions for the personality.
   */
  personality?: string | undefined
  /**
   * The identifiers of the knowledge documents. Optional.
   */
  documentIds?: Array<string> | undefined
}

/**
 * The fields to change. The reference image cannot be changed.
 *
 * Undocumented: whether omitted fields keep their values.
 */
export type UpdateAvatarRequest = {
  /**
   * The display name.
   */
  name?: string | undefined
  voice?: AvatarVoice | undefined
  /**
   * The system prompt, or instructions for the personality.
   */
  personality?: string | undefined
  /**
   * The identifiers of the knowledge documents. Optional.
   */
  documentIds?: Array<string> | undefined
}

/**
 * The voice of an avatar.
 *
 * Undocumented: other fields, and which of these are required.
 */
export type AvatarVoice = {
  type?: AvatarVoiceType | undefined
  presetId?: AvatarVoicePreset | undefined
}

/**
 * The kind of voice.
 *
 * Undocumented: other kinds of voices.
 */
export type AvatarVoiceType = 'live-preset' | (string & {})

/**
 * A preset voice. The documentation describes the voices as "soft, firm, authoritative"; that each word describes the
 * name in the same position is an interpretation.
 *
 * Undocumented: other presets.
 */
export type AvatarVoicePreset = 'clara' | 'victoria' | 'vincent' | (string & {})

/**
 * A session has an identifier and a status, which is a `RealtimeSessionStatus`.
 *
 * Undocumented: the names of all fields, including those of the identifier and the status.
 */
export type RealtimeSession = {
  [key: string]: unknown
}

/**
 * The status of a real-time session. Poll until it is `READY`. A session runs for at most 5 minutes. Unlike a task, a
 * session can be `CANCELLED`, and is never throttled.
 *
 * Undocumented: which field of a session contains it; other transitions, such as to `FAILED` before the session runs.
 */
export type RealtimeSessionStatus = 'NOT_READY' | 'READY' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED'

/**
 * The session to create. The model is `gwm1_avatars`.
 *
 * Undocumented: the names of all fields, including those of the model and the avatar.
 */
export type CreateRealtimeSessionRequest = {
  [key: string]: unknown
}

/**
 * The WebRTC credentials of a session. They are secret, and can be obtained once.
 *
 * Undocumented: the shape.
 */
export type RealtimeCredentials = unknown

/**
 * A knowledge document, which contains plain text or Markdown.
 *
 * Undocumented: the names of all fields.
 */
export type KnowledgeDocument = {
  [key: string]: unknown
}

/**
 * A new document with plain text or Markdown.
 *
 * Undocumented: the names of all fields, including that of the text.
 */
export type CreateDocumentRequest = {
  [key: string]: unknown
}

/**
 * An ephemeral upload handle.
 *
 * Undocumented: the names of all fields.
 */
export type Upload = {
  [key: string]: unknown
}

/**
 * A request for an upload. It is JSON, not the file itself.
 *
 * Undocumented: the names of all fields.
 */
export type CreateUploadRequest = {
  [key: string]: unknown
}

/**
 * Information about the organization, and its credit balance.
 *
 * Undocumented: the names of all fields.
 */
export type Organization = {
  [key: string]: unknown
}

/**
 * The usage to return; up to 90 days.
 *
 * Undocumented: the names of all fields.
 */
export type UsageQuery = {
  [key: string]: unknown
}

/**
 * The credit usage history.
 *
 * Undocumented: the shape, and the names of the fields.
 */
export type UsageHistory = unknown

/**
 * The input of `imageToVideo`.
 */
export type ImageToVideoInput = {
  body: ImageToVideoRequest
}

/**
 * The body of the success response of `imageToVideo`.
 */
export type ImageToVideoOutput = TaskSubmission

/**
 * The body of a documented error of `imageToVideo`.
 */
export type ImageToVideoError = ErrorBody

/**
 * The input of `textToVideo`.
 */
export type TextToVideoInput = {
  body: TextToVideoRequest
}

/**
 * The body of the success response of `textToVideo`.
 */
export type TextToVideoOutput = TaskSubmission

/**
 * The body of a documented error of `textToVideo`.
 */
export type TextToVideoError = ErrorBody

/**
 * The input of `videoToVideo`.
 */
export type VideoToVideoInput = {
  body: VideoToVideoRequest
}

/**
 * The body of the success response of `videoToVideo`.
 */
export type VideoToVideoOutput = TaskSubmission

/**
 * The body of a documented error of `videoToVideo`.
 */
export type VideoToVideoError = ErrorBody

/**
 * The input of `characterPerformance`.
 */
export type CharacterPerformanceInput = {
  body: CharacterPerformanceRequest
}

/**
 * The body of the success response of `characterPerformance`.
 */
export type CharacterPerformanceOutput = TaskSubmission

/**
 * The body of a documented error of `characterPerformance`.
 */
export type CharacterPerformanceError = ErrorBody

/**
 * The input of `textToImage`.
 */
export type TextToImageInput = {
  body: TextToImageRequest
}

/**
 * The body of the success response of `textToImage`.
 */
export type TextToImageOutput = TaskSubmission

/**
 * The body of a documented error of `textToImage`.
 */
export type TextToImageError = ErrorBody

/**
 * The input of `textToSpeech`.
 */
export type TextToSpeechInput = {
  body: TextToSpeechRequest
}

/**
 * The body of the success response of `textToSpeech`.
 */
export type TextToSpeechOutput = TaskSubmission

/**
 * The body of a documented error of `textToSpeech`.
 */
export type TextToSpeechError = ErrorBody

/**
 * The input of `soundEffect`.
 */
export type SoundEffectInput = {
  body: SoundEffectRequest
}

/**
 * The body of the success response of `soundEffect`.
 */
export type SoundEffectOutput = TaskSubmission

/**
 * The body of a documented error of `soundEffect`.
 */
export type SoundEffectError = ErrorBody

/**
 * The input of `voiceIsolation`.
 */
export type VoiceIsolationInput = {
  body: VoiceIsolationRequest
}

/**
 * The body of the success response of `voiceIsolation`.
 */
export type VoiceIsolationOutput = TaskSubmission

/**
 * The body of a documented error of `voiceIsolation`.
 */
export type VoiceIsolationError = ErrorBody

/**
 * The input of `voiceDubbing`.
 */
export type VoiceDubbingInput = {
  body: VoiceDubbingRequest
}

/**
 * The body of the success response of `voiceDubbing`.
 */
export type VoiceDubbingOutput = TaskSubmission

/**
 * The body of a documented error of `voiceDubbing`.
 */
export type VoiceDubbingError = ErrorBody

/**
 * The input of `speechToSpeech`.
 */
export type SpeechToSpeechInput = {
  body: SpeechToSpeechRequest
}

/**
 * The body of the success response of `speechToSpeech`.
 */
export type SpeechToSpeechOutput = TaskSubmission

/**
 * The body of a documented error of `speechToSpeech`.
 */
export type SpeechToSpeechError = ErrorBody

/**
 * The input of `createAvatar`.
 */
export type CreateAvatarInput = {
  body: CreateAvatarRequest
}

/**
 * The body of the success response of `createAvatar`.
 */
export type CreateAvatarOutput = Avatar

/**
 * The body of a documented error of `createAvatar`.
 */
export type CreateAvatarError = ErrorBody

/**
 * The input of `getAvatar`.
 */
export type GetAvatarInput = {
  path: {
    /**
     * The identifier of an avatar.
     */
    id: string
  }
}

/**
 * The body of the success response of `getAvatar`.
 */
export type GetAvatarOutput = Avatar

/**
 * The body of a documented error of `getAvatar`.
 */
export type GetAvatarError = ErrorBody

/**
 * The input of `deleteAvatar`.
 */
export type DeleteAvatarInput = {
  path: {
    /**
     * The identifier of an avatar.
     */
    id: string
  }
}

/**
 * The body of the success response of `deleteAvatar`.
 */
export type DeleteAvatarOutput = undefined

/**
 * The body of a documented error of `deleteAvatar`.
 */
export type DeleteAvatarError = ErrorBody

/**
 * The input of `updateAvatar`.
 */
export type UpdateAvatarInput = {
  path: {
    /**
     * The identifier of an avatar.
     */
    id: string
  }
  body: UpdateAvatarRequest
}

/**
 * The body of the success response of `updateAvatar`.
 */
export type UpdateAvatarOutput = Avatar

/**
 * The body of a documented error of `updateAvatar`.
 */
export type UpdateAvatarError = ErrorBody

/**
 * The input of `createRealtimeSession`.
 */
export type CreateRealtimeSessionInput = {
  /**
   * Undocumented: whether a body is required.
   */
  body?: CreateRealtimeSessionRequest | undefined
}

/**
 * The body of the success response of `createRealtimeSession`.
 */
export type CreateRealtimeSessionOutput = RealtimeSession

/**
 * The body of a documented error of `createRealtimeSession`.
 */
export type CreateRealtimeSessionError = ErrorBody

/**
 * The input of `getRealtimeSession`.
 */
export type GetRealtimeSessionInput = {
  path: {
    /**
     * The identifier of a real-time session.
     */
    id: string
  }
}

/**
 * The body of the success response of `getRealtimeSession`.
 */
export type GetRealtimeSessionOutput = RealtimeSession

/**
 * The body of a documented error of `getRealtimeSession`.
 */
export type GetRealtimeSessionError = ErrorBody

/**
 * The input of `consumeRealtimeSession`.
 */
export type ConsumeRealtimeSessionInput = {
  path: {
    /**
     * The identifier of a real-time session.
     */
    id: string
  }
}

/**
 * The body of the success response of `consumeRealtimeSession`.
 */
export type ConsumeRealtimeSessionOutput = RealtimeCredentials

/**
 * The body of a documented error of `consumeRealtimeSession`.
 */
export type ConsumeRealtimeSessionError = ErrorBody

/**
 * The input of `createDocument`.
 */
export type CreateDocumentInput = {
  body: CreateDocumentRequest
}

/**
 * The body of the success response of `createDocument`.
 */
export type CreateDocumentOutput = KnowledgeDocument

/**
 * The body of a documented error of `createDocument`.
 */
export type CreateDocumentError = ErrorBody

/**
 * The input of `getDocument`.
 */
export type GetDocumentInput = {
  path: {
    /**
     * The identifier of a document.
     */
    id: string
  }
}

/**
 * The body of the success response of `getDocument`.
 */
export type GetDocumentOutput = KnowledgeDocument

/**
 * The body of a documented error of `getDocument`.
 */
export type GetDocumentError = ErrorBody

/**
 * The input of `deleteDocument`.
 */
export type DeleteDocumentInput = {
  path: {
    /**
     * The identifier of a document.
     */
    id: string
  }
}

/**
 * The body of the success response of `deleteDocument`.
 */
export type DeleteDocumentOutput = undefined

/**
 * The body of a documented error of `deleteDocument`.
 */
export type DeleteDocumentError = ErrorBody

/**
 * The input of `getTask`.
 */
export type GetTaskInput = {
  path: {
    /**
     * The identifier of a task, as its submission returned it.
     */
    id: string
  }
}

/**
 * The body of the success response of `getTask`.
 */
export type GetTaskOutput = Task

/**
 * The body of a documented error of `getTask`.
 */
export type GetTaskError = ErrorBody

/**
 * The input of `deleteTask`.
 */
export type DeleteTaskInput = {
  path: {
    /**
     * The identifier of a task, as its submission returned it.
     */
    id: string
  }
}

/**
 * The body of the success response of `deleteTask`.
 */
export type DeleteTaskOutput = undefined

/**
 * The body of a documented error of `deleteTask`.
 */
export type DeleteTaskError = ErrorBody

/**
 * The input of `createUpload`.
 */
export type CreateUploadInput = {
  /**
   * Undocumented: whether a body is required.
   */
  body?: CreateUploadRequest | undefined
}

/**
 * The body of the success response of `createUpload`.
 */
export type CreateUploadOutput = Upload

/**
 * The body of a documented error of `createUpload`.
 */
export type CreateUploadError = ErrorBody

/**
 * The input of `getOrganization`.
 */
export type GetOrganizationInput = Record<string, never>

/**
 * The body of the success response of `getOrganization`.
 */
export type GetOrganizationOutput = Organization

/**
 * The body of a documented error of `getOrganization`.
 */
export type GetOrganizationError = ErrorBody

/**
 * The input of `queryUsage`.
 */
export type QueryUsageInput = {
  /**
   * Undocumented: whether a body is required.
   */
  body?: UsageQuery | undefined
}

/**
 * The body of the success response of `queryUsage`.
 */
export type QueryUsageOutput = UsageHistory

/**
 * The body of a documented error of `queryUsage`.
 */
export type QueryUsageError = ErrorBody
