// For users.
export type { Client, Send } from './http/client.ts'
export { createClient } from './http/client.ts'
export type { ClientOptions, CommonOptions, RetryOptions } from './http/client-options.ts'
export type { CallOptions, Extra, UploadProgress, ValidationMode } from './http/call-options.ts'
export type { Credential } from './http/credential.ts'
export type { Exchange } from './http/response.ts'
export { stream } from './http/stream.ts'
export type { StreamedExchange } from './http/response.ts'
export {
  download,
  type Downloaded,
  downloadInto,
  type DownloadIntoOptions,
  type DownloadOptions,
  type DownloadProgress,
  readBlob,
  readStream,
  readText,
  type ReadTextOptions,
  type StreamedDownload,
} from './http/download.ts'
export type { BinaryContent, BinaryInput } from './http/upload-source.ts'
export { connect } from './socket/connect.ts'
export type {
  CloseInfo,
  ConnectOptions,
  LivenessOptions,
  ReceivingOptions,
  ReconnectOptions,
  SendingOptions,
  SocketOptions,
} from './socket/options.ts'
export type {
  CloseOptions,
  Connection,
  ConnectionBase,
  ConnectionEnd,
  ConnectionState,
  FinishOptions,
  Gap,
  RawSendOptions,
  Received,
  ReceivedMessage,
  Reconnected,
  SocketRequestOptions,
  UnknownMessage,
} from './socket/connection.ts'
export { type Lease, Semaphore } from './limit/semaphore.ts'
export type { Duration } from './core/option-checks.ts'
export type {
  ClientEvent,
  DriftEvent,
  DriftReport,
  Observe,
  PollEvent,
  RefreshEvent,
  RequestEvent,
  RetryEvent,
  SocketEvent,
  WaitEvent,
} from './core/events.ts'
export {
  ApiError,
  AuthenticationError,
  AuthorizationError,
  BadRequestError,
  ConcordError,
  type ConcordErrorClass,
  type ConcordErrorCode,
  type ConcordErrorOptions,
  ConnectionError,
  type ConnectionPhase,
  ContractDriftError,
  DeadlineError,
  DownloadError,
  type DownloadFailure,
  type ErrorAnswer,
  type FailureAdvice,
  type Issue,
  NotFoundError,
  OperationFailedError,
  OptionsError,
  PayloadTooLargeError,
  PermissionDeniedError,
  type Quota,
  RateLimitedError,
  RequestInvalidError,
  type Sent,
  ServerError,
  SocketError,
  type SocketRefusal,
  type SessionLoss,
  SessionLostError,
  type Submission,
  SubmissionUncertainError,
  TimeoutError,
  type TimeSpent,
  type Uncertainty,
  UnexpectedContentError,
  type Unsent,
} from './core/errors.ts'

// For libraries built on this one.
export { type Clock, systemClock, type Timer } from './core/clock.ts'
export type {
  ChannelDescriptor,
  ChannelParameterDescriptor,
  MessageDescriptor,
  QueryOf,
  ReceivesOf,
  SendsOf,
  SocketRules,
} from './core/channel.ts'
export { parseDuration } from './core/option-checks.ts'
export { readPointer, toPointer } from './core/json.ts'
export { load } from './core/load.ts'
export type { CheckDescriptor } from './core/schema.ts'
export type {
  BodyDescriptor,
  HttpMethod,
  InputOf,
  OpenEnumDescriptor,
  OperationDescriptor,
  OutcomeDescriptor,
  OutputOf,
  ParameterDescriptor,
  PartDescriptor,
  RateMeaning,
  RateMeaningDescriptor,
  ResponseDescriptor,
  RetryRule,
  WaiterDescriptor,
} from './core/operation.ts'
export { CALL_OPTIONS } from './http/call-options.ts'
export { type BaseAddress, parseBaseAddress } from './http/client-state.ts'
export { COMMON_OPTIONS } from './http/client-options.ts'
export {
  addressOption,
  checkOptionNames,
  choiceOption,
  functionOption,
  numberOption,
  type OptionNames,
  requiredString,
  signalOption,
} from './core/option-checks.ts'
export { warn } from './core/events.ts'
export type { RandomSource } from './core/clock.ts'
export { safeCause } from './core/error-base.ts'
export { createScrub, REDACTED, type Scrub } from './core/redact.ts'
export type { InferInput, InferOutput, StandardIssue, StandardResult, StandardSchema } from './core/schema.ts'
export { bounded, type Bounds, type TimeLimit } from './core/async.ts'
export { wait } from './core/async.ts'
export type { Explain, RefineError } from './http/client-state.ts'
export { checkInput } from './http/compose.ts'
export { isBlob } from './http/binary.ts'
export { openBinary, type OpenedBinary } from './http/binary.ts'
export { type Fetch, fetchTransport, type FetchTransportOptions } from './http/fetch-transport.ts'
export type {
  RawHeaders,
  RequestControl,
  StreamedBody,
  Transport,
  TransportBody,
  TransportRequest,
  TransportResponse,
} from './http/transport.ts'
export {
  type PlatformSocketOptions,
  type PlatformWebSocket,
  platformSocketFactory,
} from './socket/platform-socket.ts'
export { SOCKET_OPTIONS } from './socket/options.ts'
export type {
  RawSocket,
  SocketAnswer,
  SocketFactory,
  SocketHandlers,
  SocketRequest,
} from './socket/socket.ts'
export { type BackoffOptions, backoffMs, RATE_RETRY } from './retry/retry.ts'
export { type Outcome, outcomeOf, remedyOf } from './retry/outcome.ts'
export { type Retried, retry, type Retry, retryEvent } from './retry/retry.ts'
export { isTransient, isTransientStatus, retryAfterOf, type RetryUse } from './retry/transient.ts'
export { clientRetry, type ClientRetry } from './http/client-retry.ts'
export { clientClosed } from './http/client-state.ts'
export { reasonOf } from './http/reason.ts'
export { type Accepted, submit } from './http/submit.ts'
export { parseRetryAfter } from './retry/retry-after.ts'
export { type OperationHandle, type StatusOf, type WaitOptions } from './poll/operation-handle.ts'
export type { ChangeOptions } from './poll/change-iterator.ts'
export { defineOperationKind, type HandleStart, type OperationKind } from './poll/operation-kind.ts'
export { PollScheduler, type PollSchedulerOptions } from './poll/poll-scheduler.ts'
export type {
  FailedOperation,
  OperationExtra,
  OperationKindOptions,
  PollAnswer,
} from './poll/operation-options.ts'
export type { OperationUpdate } from './poll/poll-waiter.ts'
export {
  checkPollingNames,
  POLLING_DEFAULTS,
  type OperationState,
  type PollingOptions,
} from './poll/polling-plan.ts'
export { type PollBudget, RequestBudget, type RequestBudgetOptions } from './poll/request-budget.ts'
export { readResumeToken, type ResumeTokenContent, writeResumeToken } from './poll/resume-token.ts'
export {
  apiKeyCredential,
  bearerCredential,
  secretCredential,
  type SecretHeader,
  type SecretSource,
  type SecretStore,
  tokenCredential,
} from './http/credential.ts'
