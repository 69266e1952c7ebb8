export { Speech } from './client.ts'
export type { GrantRule } from './client.ts'
export {
  type ConverseOptions,
  type ListenOptions,
  type Opening,
  SPEECH_VARIABLES,
  type SpeechCredential,
  type SpeechOptions,
  type SpeechSettings,
  type WeighOpening,
} from './options.ts'
export type { AudioHint, SpeechSocketOptions } from './socket-options.ts'
export type { Timestamps } from './timestamps.ts'
export type { AudioSocket, LiveTranscription } from './audio-socket.ts'
export type {
  ReplyTag,
  AppliedConfiguration,
  ConfigureReplies,
  ConfigureOptions,
  Conversation,
  ConversationConfiguration,
  ConversationThresholds,
} from './conversation.ts'
export type { AgentRule, VoiceAgent } from './agent.ts'
export type {
  ClearRule,
  SynthesisOptions,
  SynthesisPace,
  SynthesisRule,
  SynthesizerOptions,
  TextSource,
} from './synthesis.ts'
export type { UtteranceEnd } from './synthesis-pacer.ts'
export { Synthesizer } from './synthesizer.ts'
export { sentences } from './sentences.ts'
export type { SpokenAudio } from './spoken.ts'
export type { RawResponse, RawRequest } from './raw-request.ts'
export type { Typed, TypedCallOptions } from './schema.ts'
export type {
  AgentEvent,
  AudioEvent,
  ConfiguredEvent,
  ConfigureDeniedEvent,
  ConversationEvent,
  OtherEvent,
  ReconnectedEvent,
  ServerEvent,
  TranscriptionEvent,
} from './events.ts'
export { presets } from './presets.ts'
export { CharacterRateLimitedError, type SpeechCode, speechCode } from './errors.ts'
export {
  CharacterRateError,
  ConfigureDeniedError,
  EncodingMismatchError,
  SettingsDeniedError,
} from './socket-errors.ts'

export type { SpeechApi, SpeechApiWithResponse } from './gen/api.gen.ts'

// Generated from the contract: every operation and channel, and the types of their messages.
export {
  analyzeText,
  grantToken,
  listModels,
  listThinkModels,
  synthesize,
  transcribe,
} from './gen/operations.gen.ts'
export { agent, conversation, liveTranscription, speechStream } from './gen/channels.gen.ts'
export type {
  Audio,
  AudioFrame,
  BinaryContent,
  BinaryInput,
  Configure,
  ConfigureFailure,
  ConfigureSuccess,
  ConversationOptions,
  EchoedValue,
  ErrorBody,
  Grant,
  GrantRequest,
  KeepAlive,
  ListenModel,
  LiveTranscriptionOptions,
  ModelList,
  OptionValue,
  Settings,
  Speak,
  SpeechStreamOptions,
  SynthesisRequest,
  TextAnalysis,
  TextAnalysisRequest,
  ThinkModelList,
  Thresholds,
  Transcript,
} from '@concord/speech-validators'
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
  isErrorOf,
  NotFoundError,
  OperationFailedError,
  OptionsError,
  PayloadTooLargeError,
  PermissionDeniedError,
  platformSocketFactory,
  RateLimitedError,
  RequestInvalidError,
  Semaphore,
  ServerError,
  SocketError,
  SubmissionUncertainError,
  TimeoutError,
  UnexpectedContentError,
} from '@concord/runtime'
export type { StreamedExchange } from '@concord/runtime/internal'
export type {
  CallOptions,
  ChangeOptions,
  ClientEvent,
  Clock,
  CommonOptions,
  Connection,
  ConnectionState,
  ConnectOptions,
  DriftReport,
  Duration,
  Exchange,
  Extra,
  Fetch,
  Gap,
  Issue,
  Observe,
  Received,
  ReconnectOptions,
  RetryOptions,
  SocketFactory,
  StandardSchema,
  Transport,
  UploadProgress,
  ValidationMode,
} from '@concord/runtime'
export type {
  CloseOptions,
  ConnectionBase,
  ConnectionEnd,
  HttpMethod,
  RandomSource,
  ReceivingOptions,
  SecretSource,
  SecretStore,
  SendingOptions,
  SocketOptions,
  SocketRequestOptions,
  Unsent,
} from '@concord/runtime/internal'
