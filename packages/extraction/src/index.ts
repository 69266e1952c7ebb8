export {
  Extraction,
  type OptimizationHandleOptions,
  type ResumeOptions,
  type SubmitOptions,
} from './client.ts'
export { EXTRACTION_VARIABLES, type ExtractionOptions, type ExtractionPolling } from './options.ts'
export type { SubmitDocument, SubmitForText, SubmitWithBlueprint, SubmitWithSchema } from './submit.ts'
export type { ExtractionSchema, FieldsOf, OpenFields, TypedFields } from './fields.ts'
export type { CompletedJob, JobHandle, JobId, TextOptions } from './jobs.ts'
export type { CompletedOptimization, OptimizationHandle, OptimizationId } from './optimizer.ts'
export type { ImageOptions, Preview } from './preview.ts'
export type { DeviceAuthorizationOptions } from './device.ts'
export {
  webhookReceiver,
  type WebhookClient,
  type WebhookReceiver,
  type WebhookReceiverOptions,
} from './webhook.ts'
export { JobFailedError, OptimizationFailedError, PageLimitError } from './errors.ts'

export type { ExtractionApi, ExtractionApiWithResponse } from './gen/api.gen.ts'

// Generated from the contract: the descriptors of all operations, and the types of the data that is sent and received.
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
export type {
  BinaryContent,
  BinaryInput,
  Blueprint,
  BlueprintList,
  DeviceCode,
  DeviceCodeRequest,
  DeviceToken,
  DeviceTokenDenial,
  DeviceTokenErrorCode,
  DeviceTokenRequest,
  ErrorBody,
  ErrorDetail,
  ExtractedFields,
  FieldEntry,
  FieldValue,
  GroundTruth,
  Job,
  JobCompletedData,
  JobCompletedEvent,
  JobCompletedMetadata,
  JobCompletedResult,
  JobStatus,
  JsonSchemaObject,
  Metadata,
  OptimizationJob,
  OptimizationJobStatus,
  OptimizationRequest,
  OptimizationSubmission,
  OptimizedSchema,
  PageData,
  PageEntry,
  PageLimitDetail,
  Pipeline,
  PipelineList,
  PreviewData,
  PreviewDocument,
  PreviewMetadata,
  PreviewPage,
  ProcessDocumentRequest,
  RateLimitErrorBody,
  Result,
  ResumeOptimizationRequest,
  ResumeOptimizationResponse,
  StepTimings,
  Submission,
  Timestamp,
} from '@concord/extraction-validators'
// End of the generated part.

// Exports of @concord/runtime, so that users don't have to import from it directly.
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
  RetryOptions,
  StandardSchema,
  Transport,
  UploadProgress,
  ValidationMode,
  WaitOptions,
} from '@concord/runtime'
export type { RandomSource, SecretSource, SecretStore } from '@concord/runtime/internal'
export type { AuthorizedKey, DevicePrompt, DeviceUpdate } from '@concord/runtime/device-flow'
