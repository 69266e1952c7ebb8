// The exports for code that uses a client. The exports for generated code and for packages built on the runtime are
// in `internal.ts`.
export { type Client, createClient } from './http/client.ts'
export type { ClientOptions, CommonOptions, RetryOptions } from './http/client-options.ts'
export type { CallOptions, Extra, UploadProgress, ValidationMode } from './http/call-options.ts'
export {
  apiKeyCredential,
  basicCredential,
  bearerCredential,
  type Credential,
  tokenCredential,
} from './http/credential.ts'
export { type Exchange, isErrorOf } from './http/response.ts'
export type { ItemStream } from './http/item-stream.ts'
export type { ServerSentEvent } from './http/item-parsers.ts'
export { accepting } from './http/accepting.ts'
export { paginate, type Paginated } from './http/paginate.ts'
export { stream } from './http/stream.ts'
export {
  download,
  type Downloaded,
  downloadInto,
  type DownloadOptions,
  type DownloadProgress,
  readBlob,
  readStream,
  readText,
} from './http/download.ts'
export type { BinaryContent, BinaryInput } from './http/upload-source.ts'
export { connect } from './socket/connect.ts'
export type { ConnectOptions, ReconnectOptions } from './socket/options.ts'
export type { Connection, ConnectionState, Gap, Received } from './socket/connection.ts'
export { type ConcurrencyLimit, type Lease, type RateLimit, Semaphore } from './limit/limits.ts'
export type { Duration } from './core/option-checks.ts'
export type { ClientEvent, DriftReport, Observe } from './core/events.ts'
export {
  ApiError,
  AuthenticationError,
  AuthorizationError,
  BadRequestError,
  ConcordError,
  ConnectionError,
  ContractDriftError,
  DeadlineError,
  DownloadError,
  type Issue,
  NotFoundError,
  OperationFailedError,
  OptionsError,
  PayloadTooLargeError,
  PermissionDeniedError,
  RateLimitedError,
  RequestInvalidError,
  ServerError,
  SessionLostError,
  SocketError,
  SubmissionUncertainError,
  TimeoutError,
  UnexpectedContentError,
} from './core/errors.ts'
export type { Clock } from './core/clock.ts'
export type {
  ChannelDescriptor,
  InputOf,
  OperationDescriptor,
  Outcome,
  OutputOf,
} from './core/descriptors.ts'
export type { StandardSchema } from './core/check.ts'
export { type Fetch, fetchTransport } from './http/fetch-transport.ts'
export type { Transport, TransportRequest, TransportResponse } from './http/transport.ts'
export { platformSocketFactory, type SocketFactory } from './socket/socket.ts'
export { outcomeOf } from './retry/outcome.ts'
export type { OperationHandle } from './poll/operation-handle.ts'
export type { ChangeOptions, OperationUpdate, PollingOptions, WaitOptions } from './poll/operation.ts'
