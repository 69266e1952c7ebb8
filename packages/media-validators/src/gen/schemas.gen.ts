// Generated from specs/media/openapi.yaml by @concord/generate. Do not edit.
import { isInteger, isUri } from './predicates.gen.ts'
import * as z from 'zod'

/**
 * The body of an error.
 *
 * Undocumented: the shape.
 */
export const errorBody = /*#__PURE__*/ z.unknown()

/**
 * `PENDING`: queued, waiting to start. `RUNNING`: generating. `SUCCEEDED`: complete, output URLs available. `FAILED`:
 * the generation failed, and `failure` has the reason. `THROTTLED`: the concurrency limit is reached; the task is
 * queued automatically and not rejected.
 *
 * Undocumented: all other transitions, such as those from `THROTTLED`, and the effect of a deletion.
 */
export const taskStatus = /*#__PURE__*/ z.enum([
  'PENDING',
  'RUNNING',
  'SUCCEEDED',
  'FAILED',
  'THROTTLED'
])

/**
 * A task. `SUCCEEDED` and `FAILED` are final; everything else is waiting.
 *
 * Undocumented: other fields, such as the time of creation, the progress or the cost.
 */
export const task = /*#__PURE__*/ (() => z.looseObject({
  id: z.string(),
  status: taskStatus,
  output: z.optional(z.array(z.string().check(z.refine(isUri, 'must be a URI')))),
  failure: z.optional(z.string())
}))()

/**
 * An accepted submission.
 */
export const taskSubmission = /*#__PURE__*/ (() => z.looseObject({
  id: z.string()
}))()

/**
 * A model that runs on POST /v1/image_to_video.
 *
 * Undocumented: other models.
 */
export const imageToVideoModel = /*#__PURE__*/ z.string()

/**
 * A request for a video from an image or, with a model that supports it, from text.
 *
 * Undocumented: other fields.
 */
export const imageToVideoRequest = /*#__PURE__*/ (() => z.looseObject({
  model: z.optional(imageToVideoModel),
  promptImage: z.optional(z.string()),
  promptText: z.optional(z.string()),
  ratio: z.optional(z.string()),
  duration: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number'), z.gte(2), z.lte(10)))
}))()

/**
 * A model that runs on POST /v1/text_to_video.
 *
 * Undocumented: other models.
 */
export const textToVideoModel = /*#__PURE__*/ z.string()

/**
 * A request for a video from text.
 *
 * Undocumented: other fields.
 */
export const textToVideoRequest = /*#__PURE__*/ (() => z.looseObject({
  model: z.optional(textToVideoModel),
  promptImage: z.optional(z.string()),
  promptText: z.optional(z.string()),
  ratio: z.optional(z.string()),
  duration: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number'), z.gte(2), z.lte(10)))
}))()

/**
 * A model that runs on POST /v1/video_to_video.
 *
 * Undocumented: other models.
 */
export const videoToVideoModel = /*#__PURE__*/ z.string()

/**
 * A request for a video from a video plus text or an image.
 *
 * Undocumented: other fields, including the one with the video.
 */
export const videoToVideoRequest = /*#__PURE__*/ (() => z.looseObject({
  model: z.optional(videoToVideoModel),
  promptImage: z.optional(z.string()),
  promptText: z.optional(z.string()),
  ratio: z.optional(z.string()),
  duration: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number'), z.gte(2), z.lte(10)))
}))()

/**
 * A model that runs on POST /v1/character_performance.
 *
 * Undocumented: other models.
 */
export const characterPerformanceModel = /*#__PURE__*/ z.string()

/**
 * A request for a character performance from an image or a video.
 *
 * Undocumented: all other fields.
 */
export const characterPerformanceRequest = /*#__PURE__*/ (() => z.looseObject({
  model: z.optional(characterPerformanceModel)
}))()

/**
 * A model that runs on POST /v1/text_to_image.
 *
 * Undocumented: other models.
 */
export const textToImageModel = /*#__PURE__*/ z.string()

/**
 * A request for an image from text.
 *
 * Undocumented: other fields.
 */
export const textToImageRequest = /*#__PURE__*/ (() => z.looseObject({
  model: z.optional(textToImageModel),
  promptImage: z.optional(z.string()),
  promptText: z.optional(z.string()),
  ratio: z.optional(z.string()),
  duration: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number')))
}))()

/**
 * A model that runs on POST /v1/text_to_speech.
 *
 * Undocumented: other models.
 */
export const textToSpeechModel = /*#__PURE__*/ z.string()

/**
 * A request for speech from text.
 *
 * Undocumented: all other fields, including those with the text and the voice.
 */
export const textToSpeechRequest = /*#__PURE__*/ (() => z.looseObject({
  model: z.optional(textToSpeechModel)
}))()

/**
 * A model that runs on POST /v1/sound_effect.
 *
 * Undocumented: other models.
 */
export const soundEffectModel = /*#__PURE__*/ z.string()

/**
 * A request for a sound effect.
 *
 * Undocumented: all other fields.
 */
export const soundEffectRequest = /*#__PURE__*/ (() => z.looseObject({
  model: z.optional(soundEffectModel)
}))()

/**
 * A model that runs on POST /v1/voice_isolation.
 *
 * Undocumented: other models.
 */
export const voiceIsolationModel = /*#__PURE__*/ z.string()

/**
 * A request for the isolated voice of a recording.
 *
 * Undocumented: all other fields, including the one with the recording.
 */
export const voiceIsolationRequest = /*#__PURE__*/ (() => z.looseObject({
  model: z.optional(voiceIsolationModel)
}))()

/**
 * A model that runs on POST /v1/voice_dubbing.
 *
 * Undocumented: other models.
 */
export const voiceDubbingModel = /*#__PURE__*/ z.string()

/**
 * A request for a recording in another language.
 *
 * Undocumented: all other fields, including those with the recording and the language.
 */
export const voiceDubbingRequest = /*#__PURE__*/ (() => z.looseObject({
  model: z.optional(voiceDubbingModel)
}))()

/**
 * A model that runs on POST /v1/speech_to_speech.
 *
 * Undocumented: other models.
 */
export const speechToSpeechModel = /*#__PURE__*/ z.string()

/**
 * A request for a recording in another voice.
 *
 * Undocumented: all other fields, including those with the recording and the voice.
 */
export const speechToSpeechRequest = /*#__PURE__*/ (() => z.looseObject({
  model: z.optional(speechToSpeechModel)
}))()

/**
 * The kind of voice.
 *
 * Undocumented: other kinds of voices.
 */
export const avatarVoiceType = /*#__PURE__*/ z.string()

/**
 * A preset voice. The documentation describes the voices as "soft, firm, authoritative"; that each word describes the
 * name in the same position is an interpretation.
 *
 * Undocumented: other presets.
 */
export const avatarVoicePreset = /*#__PURE__*/ z.string()

/**
 * The voice of an avatar.
 *
 * Undocumented: other fields, and which of these are required.
 */
export const avatarVoice = /*#__PURE__*/ (() => z.looseObject({
  type: z.optional(avatarVoiceType),
  presetId: z.optional(avatarVoicePreset)
}))()

/**
 * An avatar.
 *
 * Undocumented: other fields, including the identifier, and which of these are present.
 */
export const avatar = /*#__PURE__*/ (() => z.looseObject({
  name: z.optional(z.string()),
  referenceImage: z.optional(z.string()),
  voice: z.optional(avatarVoice),
  personality: z.optional(z.string()),
  documentIds: z.optional(z.array(z.string()))
}))()

/**
 * A new avatar.
 *
 * Undocumented: which fields are required; only `documentIds` is documented as optional.
 */
export const createAvatarRequest = /*#__PURE__*/ (() => z.looseObject({
  name: z.optional(z.string()),
  referenceImage: z.optional(z.string()),
  voice: z.optional(avatarVoice),
  personality: z.optional(z.string()),
  documentIds: z.optional(z.array(z.string()))
}))()

/**
 * The fields to change. The reference image cannot be changed.
 *
 * Undocumented: whether omitted fields keep their values.
 */
export const updateAvatarRequest = /*#__PURE__*/ (() => z.looseObject({
  name: z.optional(z.string()),
  voice: z.optional(avatarVoice),
  personality: z.optional(z.string()),
  documentIds: z.optional(z.array(z.string()))
}))()

/**
 * A session has an identifier and a status, which is a `RealtimeSessionStatus`.
 *
 * Undocumented: the names of all fields, including those of the identifier and the status.
 */
export const realtimeSession = /*#__PURE__*/ z.looseObject({})

/**
 * The status of a real-time session. Poll until it is `READY`. A session runs for at most 5 minutes. Unlike a task, a
 * session can be `CANCELLED`, and is never throttled.
 *
 * Undocumented: which field of a session contains it; other transitions, such as to `FAILED` before the session runs.
 */
export const realtimeSessionStatus = /*#__PURE__*/ z.enum([
  'NOT_READY',
  'READY',
  'RUNNING',
  'COMPLETED',
  'FAILED',
  'CANCELLED'
])

/**
 * The session to create. The model is `gwm1_avatars`.
 *
 * Undocumented: the names of all fields, including those of the model and the avatar.
 */
export const createRealtimeSessionRequest = /*#__PURE__*/ z.looseObject({})

/**
 * The WebRTC credentials of a session. They are secret, and can be obtained once.
 *
 * Undocumented: the shape.
 */
export const realtimeCredentials = /*#__PURE__*/ z.unknown()

/**
 * A knowledge document, which contains plain text or Markdown.
 *
 * Undocumented: the names of all fields.
 */
export const knowledgeDocument = /*#__PURE__*/ z.looseObject({})

/**
 * A new document with plain text or Markdown.
 *
 * Undocumented: the names of all fields, including that of the text.
 */
export const createDocumentRequest = /*#__PURE__*/ z.looseObject({})

/**
 * An ephemeral upload handle.
 *
 * Undocumented: the names of all fields.
 */
export const upload = /*#__PURE__*/ z.looseObject({})

/**
 * A request for an upload. It is JSON, not the file itself.
 *
 * Undocumented: the names of all fields.
 */
export const createUploadRequest = /*#__PURE__*/ z.looseObject({})

/**
 * Information about the organization, and its credit balance.
 *
 * Undocumented: the names of all fields.
 */
export const organization = /*#__PURE__*/ z.looseObject({})

/**
 * The usage to return; up to 90 days.
 *
 * Undocumented: the names of all fields.
 */
export const usageQuery = /*#__PURE__*/ z.looseObject({})

/**
 * The credit usage history.
 *
 * Undocumented: the shape, and the names of the fields.
 */
export const usageHistory = /*#__PURE__*/ z.unknown()

/**
 * The input of `imageToVideo`.
 */
export const imageToVideoInput = /*#__PURE__*/ z.looseObject({
  body: imageToVideoRequest
})

/**
 * The body of the success response of `imageToVideo`.
 */
export const imageToVideoOutput = taskSubmission

/**
 * The body of a documented error of `imageToVideo`.
 */
export const imageToVideoError = errorBody

/**
 * The input of `textToVideo`.
 */
export const textToVideoInput = /*#__PURE__*/ z.looseObject({
  body: textToVideoRequest
})

/**
 * The body of the success response of `textToVideo`.
 */
export const textToVideoOutput = taskSubmission

/**
 * The body of a documented error of `textToVideo`.
 */
export const textToVideoError = errorBody

/**
 * The input of `videoToVideo`.
 */
export const videoToVideoInput = /*#__PURE__*/ z.looseObject({
  body: videoToVideoRequest
})

/**
 * The body of the success response of `videoToVideo`.
 */
export const videoToVideoOutput = taskSubmission

/**
 * The body of a documented error of `videoToVideo`.
 */
export const videoToVideoError = errorBody

/**
 * The input of `characterPerformance`.
 */
export const characterPerformanceInput = /*#__PURE__*/ z.looseObject({
  body: characterPerformanceRequest
})

/**
 * The body of the success response of `characterPerformance`.
 */
export const characterPerformanceOutput = taskSubmission

/**
 * The body of a documented error of `characterPerformance`.
 */
export const characterPerformanceError = errorBody

/**
 * The input of `textToImage`.
 */
export const textToImageInput = /*#__PURE__*/ z.looseObject({
  body: textToImageRequest
})

/**
 * The body of the success response of `textToImage`.
 */
export const textToImageOutput = taskSubmission

/**
 * The body of a documented error of `textToImage`.
 */
export const textToImageError = errorBody

/**
 * The input of `textToSpeech`.
 */
export const textToSpeechInput = /*#__PURE__*/ z.looseObject({
  body: textToSpeechRequest
})

/**
 * The body of the success response of `textToSpeech`.
 */
export const textToSpeechOutput = taskSubmission

/**
 * The body of a documented error of `textToSpeech`.
 */
export const textToSpeechError = errorBody

/**
 * The input of `soundEffect`.
 */
export const soundEffectInput = /*#__PURE__*/ z.looseObject({
  body: soundEffectRequest
})

/**
 * The body of the success response of `soundEffect`.
 */
export const soundEffectOutput = taskSubmission

/**
 * The body of a documented error of `soundEffect`.
 */
export const soundEffectError = errorBody

/**
 * The input of `voiceIsolation`.
 */
export const voiceIsolationInput = /*#__PURE__*/ z.looseObject({
  body: voiceIsolationRequest
})

/**
 * The body of the success response of `voiceIsolation`.
 */
export const voiceIsolationOutput = taskSubmission

/**
 * The body of a documented error of `voiceIsolation`.
 */
export const voiceIsolationError = errorBody

/**
 * The input of `voiceDubbing`.
 */
export const voiceDubbingInput = /*#__PURE__*/ z.looseObject({
  body: voiceDubbingRequest
})

/**
 * The body of the success response of `voiceDubbing`.
 */
export const voiceDubbingOutput = taskSubmission

/**
 * The body of a documented error of `voiceDubbing`.
 */
export const voiceDubbingError = errorBody

/**
 * The input of `speechToSpeech`.
 */
export const speechToSpeechInput = /*#__PURE__*/ z.looseObject({
  body: speechToSpeechRequest
})

/**
 * The body of the success response of `speechToSpeech`.
 */
export const speechToSpeechOutput = taskSubmission

/**
 * The body of a documented error of `speechToSpeech`.
 */
export const speechToSpeechError = errorBody

/**
 * The input of `createAvatar`.
 */
export const createAvatarInput = /*#__PURE__*/ z.looseObject({
  body: createAvatarRequest
})

/**
 * The body of the success response of `createAvatar`.
 */
export const createAvatarOutput = avatar

/**
 * The body of a documented error of `createAvatar`.
 */
export const createAvatarError = errorBody

/**
 * The input of `getAvatar`.
 */
export const getAvatarInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    id: z.string()
  })
}))()

/**
 * The body of the success response of `getAvatar`.
 */
export const getAvatarOutput = avatar

/**
 * The body of a documented error of `getAvatar`.
 */
export const getAvatarError = errorBody

/**
 * The input of `deleteAvatar`.
 */
export const deleteAvatarInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    id: z.string()
  })
}))()

/**
 * The body of the success response of `deleteAvatar`.
 */
export const deleteAvatarOutput = /*#__PURE__*/ z.undefined()

/**
 * The body of a documented error of `deleteAvatar`.
 */
export const deleteAvatarError = errorBody

/**
 * The input of `updateAvatar`.
 */
export const updateAvatarInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    id: z.string()
  }),
  body: updateAvatarRequest
}))()

/**
 * The body of the success response of `updateAvatar`.
 */
export const updateAvatarOutput = avatar

/**
 * The body of a documented error of `updateAvatar`.
 */
export const updateAvatarError = errorBody

/**
 * The input of `createRealtimeSession`.
 */
export const createRealtimeSessionInput = /*#__PURE__*/ (() => z.looseObject({
  body: z.optional(createRealtimeSessionRequest)
}))()

/**
 * The body of the success response of `createRealtimeSession`.
 */
export const createRealtimeSessionOutput = realtimeSession

/**
 * The body of a documented error of `createRealtimeSession`.
 */
export const createRealtimeSessionError = errorBody

/**
 * The input of `getRealtimeSession`.
 */
export const getRealtimeSessionInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    id: z.string()
  })
}))()

/**
 * The body of the success response of `getRealtimeSession`.
 */
export const getRealtimeSessionOutput = realtimeSession

/**
 * The body of a documented error of `getRealtimeSession`.
 */
export const getRealtimeSessionError = errorBody

/**
 * The input of `consumeRealtimeSession`.
 */
export const consumeRealtimeSessionInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    id: z.string()
  })
}))()

/**
 * The body of the success response of `consumeRealtimeSession`.
 */
export const consumeRealtimeSessionOutput = realtimeCredentials

/**
 * The body of a documented error of `consumeRealtimeSession`.
 */
export const consumeRealtimeSessionError = errorBody

/**
 * The input of `createDocument`.
 */
export const createDocumentInput = /*#__PURE__*/ z.looseObject({
  body: createDocumentRequest
})

/**
 * The body of the success response of `createDocument`.
 */
export const createDocumentOutput = knowledgeDocument

/**
 * The body of a documented error of `createDocument`.
 */
export const createDocumentError = errorBody

/**
 * The input of `getDocument`.
 */
export const getDocumentInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    id: z.string()
  })
}))()

/**
 * The body of the success response of `getDocument`.
 */
export const getDocumentOutput = knowledgeDocument

/**
 * The body of a documented error of `getDocument`.
 */
export const getDocumentError = errorBody

/**
 * The input of `deleteDocument`.
 */
export const deleteDocumentInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    id: z.string()
  })
}))()

/**
 * The body of the success response of `deleteDocument`.
 */
export const deleteDocumentOutput = /*#__PURE__*/ z.undefined()

/**
 * The body of a documented error of `deleteDocument`.
 */
export const deleteDocumentError = errorBody

/**
 * The input of `getTask`.
 */
export const getTaskInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    id: z.string()
  })
}))()

/**
 * The body of the success response of `getTask`.
 */
export const getTaskOutput = task

/**
 * The body of a documented error of `getTask`.
 */
export const getTaskError = errorBody

/**
 * The input of `deleteTask`.
 */
export const deleteTaskInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    id: z.string()
  })
}))()

/**
 * The body of the success response of `deleteTask`.
 */
export const deleteTaskOutput = /*#__PURE__*/ z.undefined()

/**
 * The body of a documented error of `deleteTask`.
 */
export const deleteTaskError = errorBody

/**
 * The input of `createUpload`.
 */
export const createUploadInput = /*#__PURE__*/ (() => z.looseObject({
  body: z.optional(createUploadRequest)
}))()

/**
 * The body of the success response of `createUpload`.
 */
export const createUploadOutput = upload

/**
 * The body of a documented error of `createUpload`.
 */
export const createUploadError = errorBody

/**
 * The input of `getOrganization`.
 */
export const getOrganizationInput = /*#__PURE__*/ z.looseObject({})

/**
 * The body of the success response of `getOrganization`.
 */
export const getOrganizationOutput = organization

/**
 * The body of a documented error of `getOrganization`.
 */
export const getOrganizationError = errorBody

/**
 * The input of `queryUsage`.
 */
export const queryUsageInput = /*#__PURE__*/ (() => z.looseObject({
  body: z.optional(usageQuery)
}))()

/**
 * The body of the success response of `queryUsage`.
 */
export const queryUsageOutput = usageHistory

/**
 * The body of a documented error of `queryUsage`.
 */
export const queryUsageError = errorBody
