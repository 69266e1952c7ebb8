// For generated code and for packages built on the runtime. Not covered by semantic versioning: users import from
// the package itself.
export type { Send } from './http/client.ts'
export {
  type CloseInfo,
  type LivenessOptions,
  type ReceivingOptions,
  type SendingOptions,
  SOCKET_OPTIONS,
  type SocketOptions,
} from './socket/options.ts'
export type {
  CloseOptions,
  ConnectionBase,
  ConnectionEnd,
  FinishOptions,
  RawSendOptions,
  ReceivedMessage,
  Reconnected,
  SocketRequestOptions,
  UnknownMessage,
} from './socket/connection.ts'
export { isConcurrencyLimit } from './limit/semaphore.ts'
export {
  type DriftEvent,
  type PollEvent,
  type RefreshEvent,
  type RequestEvent,
  type RetryEvent,
  type SocketEvent,
  type WaitEvent,
  warn,
} from './core/events.ts'
export type {
  ConcordErrorClass,
  ConcordErrorOptions,
  ConnectionPhase,
  DownloadFailure,
  ErrorResponse,
  FailureAdvice,
  Sent,
  SessionLoss,
  UpgradeDenial,
  Submission,
  TimeSpent,
  Uncertainty,
  Unsent,
} from './core/errors.ts'
export { type RandomSource, systemClock, type Timer } from './core/clock.ts'
export type {
  ChannelParameterDescriptor,
  MessageDescriptor,
  QueryOf,
  ReceivesOf,
  SendsOf,
  SocketRules,
} from './core/channel.ts'
export {
  addressOption,
  checkOptionNames,
  choiceOption,
  functionOption,
  numberOption,
  type OptionNames,
  parseDuration,
  requiredString,
  signalOption,
} from './core/option-checks.ts'
export {
  writeCommas,
  writeDeepObject,
  writeForm,
  writeHeader,
  writeHeaderExploded,
  writeJson,
  writeJsonHeader,
  writeJsonSegment,
  writeLabel,
  writeLabelExploded,
  writeMatrix,
  writeMatrixExploded,
  writePipes,
  writeSimple,
  writeSimpleExploded,
  writeSpaces,
} from './http/parameter-writers.ts'
export { readHeaders } from './http/headers.ts'
export { type AcceptOptions, negotiate, negotiateExchange } from './http/accepting.ts'
export { readPointer, toPointer } from './core/json.ts'
export { canBeMedia } from './http/decode.ts'
export { bounded, type Bounds, load, type TimeLimit, wait } from './core/async.ts'
export type { CheckDescriptor, InferInput, InferOutput, StandardIssue, StandardResult } from './core/check.ts'
export type {
  BodyDescriptor,
  HeaderKind,
  HeadersDescriptor,
  HttpMethod,
  ItemsDescriptor,
  NegotiatedOperation,
  OpenEnumDescriptor,
  OutcomeDescriptor,
  PagedOperation,
  PageItem,
  PaginationDescriptor,
  ParameterDescriptor,
  PartDescriptor,
  RateMeaningDescriptor,
  ResponseDescriptor,
  RetryRule,
  SecurityRequirement,
  WaiterDescriptor,
} from './core/operation.ts'
export { CALL_OPTIONS } from './http/call-options.ts'
export {
  type BaseAddress,
  clientClosed,
  type Explain,
  parseBaseAddress,
  type RefineError,
} from './http/client-state.ts'
export { COMMON_OPTIONS } from './http/client-options.ts'
export { safeCause } from './core/error-base.ts'
export { createScrub, REDACTED, type Scrub } from './core/redact.ts'
export { checkInput } from './http/compose.ts'
export { ByteQueue } from './http/buffered-response.ts'
export { isBlob, openBinary, type OpenedBinary } from './http/binary.ts'
export type { RawHeaders, RequestControl, StreamedBody, TransportBody } from './http/transport.ts'
export {
  platformSocketFactory,
  type PlatformSocketOptions,
  type PlatformWebSocket,
} from './socket/platform-socket.ts'
export type { RawSocket, UpgradeResponse, SocketHandlers, SocketRequest } from './socket/socket.ts'
export {
  backoffMs,
  type BackoffOptions,
  RATE_RETRY,
  type Retried,
  retry,
  type Retry,
  retryEvent,
} from './retry/retry.ts'
export { parseRetryAfter } from './retry/retry-after.ts'
export {
  isAboutRequest,
  isTransient,
  isTransientStatus,
  retryAfterOf,
  type RetryUse,
} from './retry/transient.ts'
export { clientRetry, type ClientRetry } from './http/client-retry.ts'
export { reasonOf } from './http/api-error.ts'
export { type Accepted, submit } from './http/submit.ts'
export type { StatusOf } from './poll/operation-handle.ts'
export { defineOperationKind, type HandleStart, type OperationKind } from './poll/operation-kind.ts'
export { PollScheduler, type PollSchedulerOptions } from './poll/poll-scheduler.ts'
export type {
  FailedOperation,
  OperationExtra,
  OperationKindOptions,
  PollResponse,
} from './poll/operation-options.ts'
export { checkPollingNames, type OperationState, POLLING_DEFAULTS } from './poll/polling-plan.ts'
export { type PollBudget, RequestBudget, type RequestBudgetOptions } from './poll/request-budget.ts'
export { readResumeToken, type ResumeTokenContent, writeResumeToken } from './poll/resume-token.ts'
export {
  type BasicSecret,
  secretCredential,
  type SecretPlace,
  type SecretSource,
  type SecretStore,
} from './http/credential.ts'
export {
  type ClassOptions,
  type ClientFacts,
  type CredentialFacts,
  readEnvironment,
  type ServerFacts,
  toClientOptions,
} from './client-class/options.ts'
export {
  type HandleOptions,
  pick,
  type SubmissionOptions,
  type Submitting,
  type Waiting,
  Waits,
} from './client-class/waits.ts'
export type { StreamedExchange } from './http/response.ts'
export type { ItemStreamOptions } from './http/item-stream.ts'
export type { DownloadIntoOptions, ReadTextOptions, StreamedDownload } from './http/download.ts'
export type { PickedFile } from './http/form-field.ts'
export type { FetchTransportOptions } from './http/fetch-transport.ts'
export { remedyOf } from './retry/outcome.ts'
