/** The error catalogue, in one place. Each code has one class; a status has a class under `ApiError`. */
export {
  ConcordError,
  type ConcordErrorClass,
  type ConcordErrorCode,
  type ConcordErrorOptions,
} from './error-base.ts'
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  type ErrorAnswer,
  NotFoundError,
  PayloadTooLargeError,
  PermissionDeniedError,
  type Quota,
  RateLimitedError,
  ServerError,
  UnexpectedContentError,
} from './api-errors.ts'
export {
  ConnectionError,
  type ConnectionPhase,
  ContractDriftError,
  DeadlineError,
  type Issue,
  OptionsError,
  RequestInvalidError,
  type Sent,
  type Submission,
  SubmissionUncertainError,
  TimeoutError,
  type TimeSpent,
  type Uncertainty,
} from './call-errors.ts'
export {
  AuthorizationError,
  DownloadError,
  type DownloadFailure,
  type FailureAdvice,
  OperationFailedError,
} from './work-errors.ts'
export { type SessionLoss, SessionLostError } from './session-error.ts'
export { SocketError, type SocketRefusal, type Unsent } from './socket-errors.ts'
