export { Media } from './client.ts'
export type { GenerateOptions, HandleOptions } from './submissions.ts'
export { MEDIA_VARIABLES, type MediaOptions, type MediaPolling } from './options.ts'
export type { ServiceVersion } from './version.ts'
export {
  unlistedModel,
  type GenerationBodies,
  type GenerationName,
  type GenerationRequest,
  type ListedRequest,
  type ModelOf,
  type UnlistedModel,
  type UnlistedRequest,
  type VideoSeconds,
} from './requests.ts'
export type { ListedModel } from './model-check.ts'
export type { OpenFields } from './request-body.ts'
export {
  audio,
  file,
  image,
  INPUT_LIMITS_MB,
  MAX_INPUT_URL_CHARACTERS,
  video,
  type DescribedContent,
  type InputWay,
  type LocalFile,
  type MediaInput,
  type MediaSource,
  type PlainInput,
  type UploadFile,
  type Uploader,
} from './inputs.ts'
export type { MediaKind } from './media-types.ts'
export type { TaskHandle, TaskUpdate, TaskWaitOptions } from './task.ts'
export type {
  DownloadedOutput,
  OutputOptions,
  OutputProgress,
  OutputSaveOptions,
  SucceededTask,
  TaskDownloadOptions,
  TaskOutput,
} from './results.ts'
export type { ChangedFields, RegeneratePolicy, Regeneration } from './regenerate.ts'
export type {
  BatchAcceptance,
  BatchCounts,
  BatchCredits,
  BatchEstimate,
  BatchFolder,
  BatchOptions,
  BatchOutcome,
  BatchProgress,
  BatchReport,
  OutputName,
  OutputSink,
  ResumeBatchOptions,
} from './batch/options.ts'
export type {
  BatchJournal,
  BatchRecord,
  BatchRequest,
  OpenJournal,
  ReplacedTask,
  StoredFile,
  SubmissionResponse,
} from './batch/journal.ts'
export { estimateCredits, type CreditBasis, type CreditEstimate, type CreditRange } from './credits.ts'
export {
  Avatars,
  Documents,
  type AvatarChanges,
  type AvatarRecord,
  type DocumentedVoice,
  type NewAvatar,
} from './avatars.ts'
export {
  Sessions,
  type ConsumeOptions,
  type SessionChangeOptions,
  type SessionGoal,
  type SessionHandle,
  type SessionOptions,
  type SessionUpdate,
  type SessionWaitOptions,
} from './sessions.ts'
export { emulatorSessionAccess, type SessionAccess } from './session-access.ts'
export { SessionEndedError, TaskCancelledError, TaskFailedError } from './errors.ts'
export {
  FAILURE_CODES,
  TIERS,
  type FailureCategory,
  type FailureMeaning,
  type Tier,
  type TierLimits,
} from './facts.ts'

export type { MediaApi, MediaApiWithResponse } from './gen/api.gen.ts'
export { models } from './gen/models.gen.ts'

// Generated from the contract: every operation and channel, and the types of their messages.
export {
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
} from './gen/operations.gen.ts'
export type {
  Avatar,
  AvatarVoice,
  AvatarVoicePreset,
  AvatarVoiceType,
  CharacterPerformanceModel,
  CharacterPerformanceRequest,
  CreateAvatarRequest,
  CreateDocumentRequest,
  CreateRealtimeSessionRequest,
  CreateUploadRequest,
  ErrorBody,
  ImageToVideoModel,
  ImageToVideoRequest,
  KnowledgeDocument,
  Organization,
  RealtimeCredentials,
  RealtimeSession,
  RealtimeSessionStatus,
  SoundEffectModel,
  SoundEffectRequest,
  SpeechToSpeechModel,
  SpeechToSpeechRequest,
  Task,
  TaskStatus,
  TaskSubmission,
  TextToImageModel,
  TextToImageRequest,
  TextToSpeechModel,
  TextToSpeechRequest,
  TextToVideoModel,
  TextToVideoRequest,
  UpdateAvatarRequest,
  Upload,
  UsageHistory,
  UsageQuery,
  VideoToVideoModel,
  VideoToVideoRequest,
  VoiceDubbingModel,
  VoiceDubbingRequest,
  VoiceIsolationModel,
  VoiceIsolationRequest,
} from '@concord/media-validators'
// End of the generated part.

// Exports of @concord/runtime, so that users don't have to import from it directly.
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConcordError,
  ConnectionError,
  ContractDriftError,
  DeadlineError,
  DownloadError,
  isErrorOf,
  NotFoundError,
  OperationFailedError,
  OptionsError,
  PayloadTooLargeError,
  PermissionDeniedError,
  RateLimitedError,
  RequestInvalidError,
  ServerError,
  SubmissionUncertainError,
  TimeoutError,
  UnexpectedContentError,
} from '@concord/runtime'
export type {
  BinaryContent,
  BinaryInput,
  CallOptions,
  ChangeOptions,
  ClientEvent,
  Clock,
  CommonOptions,
  Downloaded,
  DownloadOptions,
  DownloadProgress,
  DriftReport,
  Duration,
  Exchange,
  Extra,
  Fetch,
  Issue,
  Observe,
  OperationHandle,
  OperationUpdate,
  PollingOptions,
  RetryOptions,
  Transport,
  UploadProgress,
  ValidationMode,
  WaitOptions,
} from '@concord/runtime'
export type {
  RandomSource,
  SecretSource,
  SecretStore,
  StreamedDownload,
  Submission,
} from '@concord/runtime/internal'
