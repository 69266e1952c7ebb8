// For users.
export {
  Extraction,
  type OptimizationHandleOptions,
  type ResumeOptions,
  type SubmitOptions,
} from './client.ts'
export type { ExtractionOptions, ExtractionPolling } from './options.ts'
export { EXTRACTION_VARIABLES } from './env.ts'
export type { SubmitDocument, SubmitForText, SubmitWithBlueprint, SubmitWithSchema } from './submit.ts'
export type { ExtractionSchema, FieldsOf, OpenFields, TypedFields } from './fields.ts'
export type { CompletedJob, JobHandle, JobId, TextOptions } from './jobs.ts'
export type { CompletedOptimization, OptimizationHandle, OptimizationId } from './optimizer.ts'
export type { Preview } from './preview.ts'
export type { DeviceAuthorizationOptions } from './device.ts'
export {
  webhookReceiver,
  type WebhookClient,
  type WebhookReceiver,
  type WebhookReceiverOptions,
} from './webhook.ts'
export { JobFailedError, OptimizationFailedError, PageLimitError } from './errors.ts'

// Every operation, exactly as on the wire.
export type { ExtractionApi, ExtractionApiWithResponse } from './gen/api.gen.ts'
export {
  createDeviceCode,
  getBlueprint,
  getJob,
  getOptimizationJob,
  getOptimizedSchema,
  getPreview,
  listBlueprints,
  listPipelines,
  pollDeviceToken,
  processDocument,
  resumeOptimization,
  startOptimization,
} from './gen/operations.gen.ts'

// The types of the wire.
export type {
  BinaryContent,
  BinaryInput,
  Blueprint,
  DeviceCode,
  DeviceToken,
  ErrorBody,
  FieldEntry,
  Job,
  JobCompletedEvent,
  JobStatus,
  Metadata,
  OptimizationJob,
  OptimizationJobStatus,
  OptimizationRequest,
  OptimizationSubmission,
  PageEntry,
  PageLimitDetail,
  Pipeline,
  PreviewDocument,
  PreviewPage,
  ProcessDocumentRequest,
  RateLimitErrorBody,
  Result,
  Submission,
} from '@concord/extraction-validators'

// What every client shares, so that one import is enough.
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
export { DeviceAuthorizationError, DeviceDeadlineError, KeyNotSavedError } from '@concord/runtime/device-flow'
export type {
  CallOptions,
  ChangeOptions,
  ClientEvent,
  Clock,
  CommonOptions,
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
  Quota,
  RandomSource,
  RetryOptions,
  SecretSource,
  SecretStore,
  StandardSchema,
  Transport,
  UploadProgress,
  ValidationMode,
  WaitOptions,
} from '@concord/runtime'
export type { AuthorizedKey, DevicePrompt, DeviceUpdate } from '@concord/runtime/device-flow'
