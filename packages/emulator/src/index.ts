export { createEmulator } from './emulator.ts'
export type { Emulator, EmulatorOptions, ServedEmulator, ServeOptions, SharedOptions } from './emulator.ts'
export type { ChoicesFile, ServiceName, Services } from './services.ts'

export { frozenClock, systemClock } from './core/clock.ts'
export type { Clock } from './core/clock.ts'
export type { RandomSource } from './core/random.ts'
export type { Log, LogLevel } from './core/records.ts'

export type { ServiceControl, SocketControl } from './core/control.ts'
export type { EmulatedService } from './core/service-module.ts'
export type {
  ErrorFacts,
  ErrorResponse,
  OpenBody,
  ResponseChoices,
  Sender,
  SuccessResponse,
} from './core/service.ts'
export type { ActiveFault, Fault, FaultControl, FaultKind, SocketMoment } from './core/faults.ts'
export type { ConnectionRecord } from './core/records.ts'
export type {
  EmulatorSocket,
  EmulatorSocketFactory,
  EmulatorSocketHandlers,
  EmulatorSocketRequest,
} from './core/memory-socket.ts'
export type { RequestRecord, Violation } from './core/records.ts'
export type { DeliveryAttempt, DeliveryPolicy } from './core/deliver.ts'
export type { ChoiceOverrides } from './core/choices.ts'
export {
  ChoiceError,
  ConnectionBrokenError,
  EmulatorError,
  EmulatorOptionsError,
  HandlerMismatchError,
  MessageRejectedError,
  ResponseRejectedError,
} from './core/errors.ts'
export type { Mismatch } from './core/errors.ts'
export type { Json, JsonLike, JsonObject } from './core/json.ts'

export { defaultExtractionChoices } from './extraction/choices.ts'
export type { ExtractionChoices } from './extraction/choices.ts'
export type { ExtractionControl, ExtractionState } from './extraction/control.ts'
export type { EmulatedExtraction, ServedExtraction, ExtractionOptions } from './extraction/service.ts'
export type { JobScript } from './extraction/job-scripts.ts'
export type { NewBlueprint } from './extraction/blueprints.ts'
export { PLANS } from './extraction/plans.ts'
export type { Plan, PlanName } from './extraction/plans.ts'
export type { DenialFacts, DenialKind } from './extraction/denials.ts'
export type {
  Account,
  Blueprint,
  BlueprintVersion,
  DeviceAuthorization,
  DocumentType,
  ExtractionSuccess,
  ExtractionSuccesses,
  FieldEntry,
  FormOptions,
  FoundFields,
  Job,
  JobStatus,
  NewKey,
  Optimization,
  OptimizationRequest,
  OptimizationStatus,
  PageQuota,
  Pipeline,
  PollState,
  RateScope,
  ReadPage,
  RunFacts,
  RunStart,
  SubmittedFile,
  TextBox,
  WebhookToSend,
} from './extraction/model.ts'
export type { PictureToRead, RecognizedText } from './extraction/document/read-document.ts'
export type { PngText } from './extraction/document/png.ts'

export { defaultMediaChoices } from './media/choices.ts'
export type { MediaChoices, OpenRequest, ReadFields } from './media/choices.ts'
export type { MediaControl, MediaState } from './media/control.ts'
export type { EmulatedMedia, ServedMedia } from './media/service.ts'
export type { ModelCost, ModelRow } from './media/model-table.ts'
export type { MediaOptions } from './media/service.ts'
export type { SessionEnd } from './media/sessions.ts'
export type { TaskScript } from './media/task-scripts.ts'
export { MEDIA_TIERS } from './media/tiers.ts'
export type { FigureRange, MediaTier, MediaTierNumber } from './media/tiers.ts'
export type { MediaDenialFacts, MediaDenialKind } from './media/denials.ts'
export type {
  Avatar,
  GenerationOperation,
  GenerationRequest,
  InputProblem,
  InputRule,
  InputToJudge,
  KnowledgeDocument,
  MediaInput,
  MediaKind,
  MediaOrganization,
  MediaOutput,
  MediaSuccess,
  MediaSuccesses,
  MediaTask,
  MediaTaskStatus,
  MediaUpload,
  OrganizationFacts,
  OutputFile,
  RealtimeSession,
  ReceivedUpload,
  SessionStatus,
  SubmissionCount,
  TransferWay,
  UsageEntry,
} from './media/model.ts'

export { defaultStorageAuthChoices } from './storage-auth/choices.ts'
export type { ClaimFacts, FailedLogin, LoginEntryPoint, StorageAuthChoices } from './storage-auth/choices.ts'
export type { StorageAuthControl, StorageAuthState } from './storage-auth/control.ts'
export type { EmulatedStorageAuth, ServedStorageAuth, StorageAuthOptions } from './storage-auth/service.ts'
export type { NewStorageApiKey } from './storage-auth/credentials.ts'
export type {
  NewStorageAccount,
  StorageAccount,
  StorageApiKey,
  StorageCounters,
  StorageSuccess,
  StorageWorkspace,
} from './storage-auth/model.ts'
export type { StorageDenialFacts, StorageDenialKind } from './storage-auth/denials.ts'

export { defaultSpeechChoices } from './speech/choices.ts'
export type { SpeechChoices } from './speech/choices.ts'
export type { SpeechControl, SpeechState } from './speech/control.ts'
export type { EmulatedSpeech, ServedSpeech, SpeechOptions } from './speech/service.ts'
export type { SpeechFacts, SpeechDenial } from './speech/denials.ts'
export type { ReplyScript, TranscriptScript } from './speech/scripts.ts'
export type { TextAnalysis } from './speech/analysis.ts'
export type {
  AgentTurn,
  AudioContainer,
  ConversationValues,
  HeardSegment,
  HeardWord,
  CloseFrame,
  SpeechChannel,
  SpeechEvent,
  SpeechSuccess,
  SpeechTarget,
  TranscribedFile,
  Turn,
  TurnStage,
  SocketResponse,
  SocketProblem,
  UnansweredMessage,
} from './speech/model.ts'
