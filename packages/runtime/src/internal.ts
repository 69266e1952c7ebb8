// The exports for generated code and for packages built on the runtime. Semantic versioning doesn't cover these
// exports: users import from `@concord/runtime`, not from `@concord/runtime/internal`.
export type { Send } from './http/client.ts'
export {
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
  SocketRequestOptions,
} from './socket/connection.ts'
export { checkWeight, isConcurrencyLimit, RequestBudget } from './limit/limits.ts'
export { type RefreshEvent, type WaitEvent, warn } from './core/events.ts'
export type {
  ConcordErrorOptions,
  ErrorResponse,
  FailureAdvice,
  Sent,
  SessionLoss,
  UpgradeDenial,
  Submission,
  Unsent,
} from './core/errors.ts'
export { type RandomSource, systemClock, type Timer } from './core/clock.ts'
export type {
  HeaderKind,
  HttpMethod,
  MessageDescriptor,
  NegotiatedOperation,
  PagedOperation,
  PageItem,
  QueryOf,
  ReceivesOf,
  SendsOf,
} from './core/descriptors.ts'
export {
  baseUrlOption,
  checkOptionNames,
  choiceOption,
  clockOption,
  functionOption,
  methodsOption,
  numberOption,
  type OptionNames,
  parseDuration,
  requiredString,
  signalOption,
} from './core/option-checks.ts'
export {
  writeCommas,
  writeCookies,
  writeCookiesExploded,
  writeDeepObject,
  writeForm,
  writeFormQuery,
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
export { bounded, type Bounds, load, wait } from './core/async.ts'
export type { CheckDescriptor, InferInput, InferOutput } from './core/check.ts'
export { CALL_OPTIONS } from './http/call-options.ts'
export { parseBaseUrl, type RefineError } from './http/client-state.ts'
export { COMMON_OPTIONS } from './http/client-options.ts'
export { safeCause } from './core/api-errors.ts'
export { createScrub, REDACTED } from './core/redact.ts'
export { checkInput } from './http/compose.ts'
export { ByteQueue } from './http/buffered-response.ts'
export { isBlob, openBinary, type OpenedBinary } from './http/binary.ts'
export type { RawHeaders, RequestControl, StreamedBody, TransportBody } from './http/transport.ts'
export {
  type PlatformSocketOptions,
  type PlatformWebSocket,
  type RawSocket,
  type SocketHandlers,
  type SocketRequest,
  type UpgradeResponse,
} from './socket/socket.ts'
export { RATE_RETRY, type Retried, retry, type Retry } from './retry/retry.ts'
export { callCaller, isOfCaller } from './retry/caller-errors.ts'
export { isAboutRequest, isTransient, retryAfterOf } from './retry/retry.ts'
export { clientRetry, type ClientRetry } from './http/client-retry.ts'
export { reasonOf } from './http/api-error.ts'
export { type Accepted, submit } from './http/submit.ts'
export {
  defineOperationKind,
  loadPolling,
  type OperationKind,
  readResumeToken,
  writeResumeToken,
} from './poll/operation-handle.ts'
export { PollScheduler } from './poll/poll-scheduler.ts'
export { checkPollingNames, type OperationExtra, type PollResponse } from './poll/operation.ts'
export { type BasicSecret, type SecretSource, type SecretStore } from './http/credential.ts'
export {
  type ClassOptions,
  type ClientFacts,
  type HandleOptions,
  pick,
  readEnvironment,
  type Submitting,
  toClientOptions,
  type Waiting,
  Waits,
} from './client-class.ts'
export type { StreamedExchange } from './http/response.ts'
export type { ItemStreamOptions } from './http/item-stream.ts'
export type { ReadTextOptions, StreamedDownload } from './http/download.ts'
export { remedyOf } from './retry/outcome.ts'
