// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by @concord/generate. Do not edit.
import * as checks from './checks.gen.ts'
import type {
  CreateDeviceCodeInput,
  CreateDeviceCodeOutput,
  DeviceTokenDenial,
  ErrorBody,
  GetBlueprintInput,
  GetBlueprintOutput,
  GetJobInput,
  GetJobOutput,
  GetOptimizationJobInput,
  GetOptimizationJobOutput,
  GetOptimizedSchemaInput,
  GetOptimizedSchemaOutput,
  GetPreviewInput,
  GetPreviewOutput,
  ListBlueprintsInput,
  ListBlueprintsOutput,
  ListPipelinesInput,
  ListPipelinesOutput,
  PollDeviceTokenInput,
  PollDeviceTokenOutput,
  ProcessDocumentInput,
  ProcessDocumentOutput,
  RateLimitErrorBody,
  ResumeOptimizationInput,
  ResumeOptimizationOutput,
  StartOptimizationInput,
  StartOptimizationOutput,
} from '@concord/extraction-validators'
import type { OperationDescriptor } from '@concord/runtime'

/**
 * `POST /v1/agent/device/code`: requests a device code.
 *
 * @see `specs/extraction/openapi.yaml#/paths/~1v1~1agent~1device~1code/post`
 */
export const createDeviceCode: OperationDescriptor<CreateDeviceCodeInput, CreateDeviceCodeOutput, { readonly 500: ErrorBody; readonly default: ErrorBody }> = {
  id: 'createDeviceCode',
  method: 'POST',
  path: '/v1/agent/device/code',
  server: 'baseUrl',
  security: [],
  parameters: [],
  body: { kind: 'json', contentType: 'application/json', required: false },
  check: checks.createDeviceCodeInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', check: checks.deviceCode },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only' },
  outcome: { again: 'harmless' },
  secrets: ['device_code'],
}

/**
 * `POST /v1/agent/device/token`: polls whether the user has approved.
 *
 * @see `specs/extraction/openapi.yaml#/paths/~1v1~1agent~1device~1token/post`
 */
export const pollDeviceToken: OperationDescriptor<PollDeviceTokenInput, PollDeviceTokenOutput, { readonly 500: ErrorBody; readonly default: DeviceTokenDenial }> = {
  id: 'pollDeviceToken',
  method: 'POST',
  path: '/v1/agent/device/token',
  server: 'baseUrl',
  security: [],
  parameters: [],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.pollDeviceTokenInput,
  responses: {
    200: {
      kind: 'json',
      contentType: 'application/json',
      openStatus: true,
      check: checks.deviceToken,
      openEnums: [{ path: ['error'], values: ['authorization_pending', 'access_denied', 'expired_token'] }],
    },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.deviceTokenDenial,
      openEnums: [{ path: ['error'], values: ['authorization_pending', 'access_denied', 'expired_token'] }],
    },
  },
  retry: { class: 'never' },
  outcome: { again: 'spent' },
  secrets: ['api_key', 'device_code'],
}

/**
 * `POST /v1/process`: submits a document.
 *
 * @see `specs/extraction/openapi.yaml#/paths/~1v1~1process/post`
 */
export const processDocument: OperationDescriptor<ProcessDocumentInput, ProcessDocumentOutput, { readonly 400: ErrorBody; readonly 401: ErrorBody; readonly 413: ErrorBody; readonly 429: RateLimitErrorBody; readonly 500: ErrorBody; readonly default: ErrorBody }> = {
  id: 'processDocument',
  method: 'POST',
  path: '/v1/process',
  server: 'baseUrl',
  security: ['apiKey'],
  parameters: [],
  body: {
    kind: 'multipart',
    contentType: 'multipart/form-data',
    required: true,
    parts: {
      file: { kind: 'file', contentTypes: ['application/pdf', 'image/png', 'image/jpeg'] },
      schema: { kind: 'text' },
      blueprint_id: { kind: 'text' },
      include_images: { kind: 'text' },
      include_pages: { kind: 'text' },
      webhook_url: { kind: 'text' },
    },
  },
  check: checks.processDocumentInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', check: checks.submission },
    400: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    413: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.rateLimitErrorBody,
      rateMeanings: [
        {
          meaning: 'page-count',
          retryHelps: false,
          match: { pointer: '/detail/error', equals: 'page_count_exceeded' },
        },
        { meaning: 'request-rate', retryHelps: true },
        { meaning: 'page-quota', retryHelps: false },
      ],
    },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429] },
  outcome: { id: '/id', again: 'repeats' },
  secrets: [],
}

/**
 * `GET /v1/jobs/{job_id}`: reads a job.
 *
 * @see `specs/extraction/openapi.yaml#/paths/~1v1~1jobs~1{job_id}/get`
 */
export const getJob: OperationDescriptor<GetJobInput, GetJobOutput, { readonly 401: ErrorBody; readonly 404: ErrorBody; readonly 429: RateLimitErrorBody; readonly 500: ErrorBody; readonly default: ErrorBody }> = {
  id: 'getJob',
  method: 'GET',
  path: '/v1/jobs/{job_id}',
  server: 'baseUrl',
  security: ['apiKey'],
  parameters: [{ name: 'job_id', in: 'path', required: true }],
  check: checks.getJobInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.job },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    404: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.rateLimitErrorBody,
      rateMeanings: [
        {
          meaning: 'page-count',
          retryHelps: false,
          match: { pointer: '/detail/error', equals: 'page_count_exceeded' },
        },
        { meaning: 'request-rate', retryHelps: true },
        { meaning: 'page-quota', retryHelps: false },
      ],
    },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe' },
  waiter: {
    status: '/status',
    success: ['completed'],
    failure: ['failed'],
    pending: ['queued', 'processing'],
    firstDelayMs: 5000,
    minDelayMs: 5000,
    maxDelayMs: 10000,
    limitMs: 300000,
  },
  secrets: [],
}

/**
 * `GET /v1/preview/{token}`: reads the public preview of a job.
 *
 * @see `specs/extraction/openapi.yaml#/paths/~1v1~1preview~1{token}/get`
 */
export const getPreview: OperationDescriptor<GetPreviewInput, GetPreviewOutput, { readonly 500: ErrorBody; readonly default: ErrorBody }> = {
  id: 'getPreview',
  method: 'GET',
  path: '/v1/preview/{token}',
  server: 'baseUrl',
  security: [],
  parameters: [{ name: 'token', in: 'path', required: true }],
  check: checks.getPreviewInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.previewDocument },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe' },
  secrets: [],
}

/**
 * `GET /v1/pipelines`: lists the pipelines.
 *
 * @see `specs/extraction/openapi.yaml#/paths/~1v1~1pipelines/get`
 */
export const listPipelines: OperationDescriptor<ListPipelinesInput, ListPipelinesOutput, { readonly 500: ErrorBody; readonly default: ErrorBody }> = {
  id: 'listPipelines',
  method: 'GET',
  path: '/v1/pipelines',
  server: 'baseUrl',
  security: [],
  parameters: [],
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.pipelineList },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe' },
  secrets: [],
}

/**
 * `GET /v1/blueprints/`: lists all blueprints.
 *
 * @see `specs/extraction/openapi.yaml#/paths/~1v1~1blueprints~1/get`
 */
export const listBlueprints: OperationDescriptor<ListBlueprintsInput, ListBlueprintsOutput, { readonly 401: ErrorBody; readonly 429: RateLimitErrorBody; readonly 500: ErrorBody; readonly default: ErrorBody }> = {
  id: 'listBlueprints',
  method: 'GET',
  path: '/v1/blueprints/',
  server: 'baseUrl',
  security: ['apiKey'],
  parameters: [],
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.blueprintList },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.rateLimitErrorBody,
      rateMeanings: [
        {
          meaning: 'page-count',
          retryHelps: false,
          match: { pointer: '/detail/error', equals: 'page_count_exceeded' },
        },
        { meaning: 'request-rate', retryHelps: true },
        { meaning: 'page-quota', retryHelps: false },
      ],
    },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe' },
  secrets: [],
}

/**
 * `GET /v1/blueprints/{blueprint_id}`: reads a blueprint.
 *
 * @see `specs/extraction/openapi.yaml#/paths/~1v1~1blueprints~1{blueprint_id}/get`
 */
export const getBlueprint: OperationDescriptor<GetBlueprintInput, GetBlueprintOutput, { readonly 401: ErrorBody; readonly 429: RateLimitErrorBody; readonly 500: ErrorBody; readonly default: ErrorBody }> = {
  id: 'getBlueprint',
  method: 'GET',
  path: '/v1/blueprints/{blueprint_id}',
  server: 'baseUrl',
  security: ['apiKey'],
  parameters: [{ name: 'blueprint_id', in: 'path', required: true }],
  check: checks.getBlueprintInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.blueprint },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.rateLimitErrorBody,
      rateMeanings: [
        {
          meaning: 'page-count',
          retryHelps: false,
          match: { pointer: '/detail/error', equals: 'page_count_exceeded' },
        },
        { meaning: 'request-rate', retryHelps: true },
        { meaning: 'page-quota', retryHelps: false },
      ],
    },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe' },
  secrets: [],
}

/**
 * `POST /v1/optimize`: starts an optimization run.
 *
 * @see `specs/extraction/openapi.yaml#/paths/~1v1~1optimize/post`
 */
export const startOptimization: OperationDescriptor<StartOptimizationInput, StartOptimizationOutput, { readonly 401: ErrorBody; readonly 429: RateLimitErrorBody; readonly 500: ErrorBody; readonly default: ErrorBody }> = {
  id: 'startOptimization',
  method: 'POST',
  path: '/v1/optimize',
  server: 'baseUrl',
  security: ['apiKey'],
  parameters: [],
  body: { kind: 'json', contentType: 'application/json', required: true },
  check: checks.startOptimizationInput,
  responses: {
    200: {
      kind: 'json',
      contentType: 'application/json',
      openStatus: true,
      check: checks.optimizationSubmission,
    },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.rateLimitErrorBody,
      rateMeanings: [
        {
          meaning: 'page-count',
          retryHelps: false,
          match: { pointer: '/detail/error', equals: 'page_count_exceeded' },
        },
        { meaning: 'request-rate', retryHelps: true },
        { meaning: 'page-quota', retryHelps: false },
      ],
    },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429] },
  outcome: { id: '/job_id', again: 'repeats' },
  secrets: [],
}

/**
 * `POST /v1/optimize/resume`: resumes an optimization.
 *
 * @see `specs/extraction/openapi.yaml#/paths/~1v1~1optimize~1resume/post`
 */
export const resumeOptimization: OperationDescriptor<ResumeOptimizationInput, ResumeOptimizationOutput, { readonly 401: ErrorBody; readonly 429: RateLimitErrorBody; readonly 500: ErrorBody; readonly default: ErrorBody }> = {
  id: 'resumeOptimization',
  method: 'POST',
  path: '/v1/optimize/resume',
  server: 'baseUrl',
  security: ['apiKey'],
  parameters: [],
  body: { kind: 'json', contentType: 'application/json', required: false },
  check: checks.resumeOptimizationInput,
  responses: {
    200: {
      kind: 'json',
      contentType: 'application/json',
      openStatus: true,
      check: checks.resumeOptimizationResponse,
    },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.rateLimitErrorBody,
      rateMeanings: [
        {
          meaning: 'page-count',
          retryHelps: false,
          match: { pointer: '/detail/error', equals: 'page_count_exceeded' },
        },
        { meaning: 'request-rate', retryHelps: true },
        { meaning: 'page-quota', retryHelps: false },
      ],
    },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'unsent-only', statuses: [429] },
  outcome: { again: 'repeats' },
  secrets: [],
}

/**
 * `GET /v1/blueprints/jobs/{job_id}`: reads the status of an optimization job.
 *
 * @see `specs/extraction/openapi.yaml#/paths/~1v1~1blueprints~1jobs~1{job_id}/get`
 */
export const getOptimizationJob: OperationDescriptor<GetOptimizationJobInput, GetOptimizationJobOutput, { readonly 401: ErrorBody; readonly 429: RateLimitErrorBody; readonly 500: ErrorBody; readonly default: ErrorBody }> = {
  id: 'getOptimizationJob',
  method: 'GET',
  path: '/v1/blueprints/jobs/{job_id}',
  server: 'baseUrl',
  security: ['apiKey'],
  parameters: [{ name: 'job_id', in: 'path', required: true }],
  check: checks.getOptimizationJobInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.optimizationJob },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.rateLimitErrorBody,
      rateMeanings: [
        {
          meaning: 'page-count',
          retryHelps: false,
          match: { pointer: '/detail/error', equals: 'page_count_exceeded' },
        },
        { meaning: 'request-rate', retryHelps: true },
        { meaning: 'page-quota', retryHelps: false },
      ],
    },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe' },
  waiter: {
    status: '/status',
    success: ['completed'],
    failure: ['failed', 'cancelled'],
    pending: ['pending', 'initializing', 'running'],
  },
  secrets: [],
}

/**
 * `GET /v1/blueprints/jobs/{job_id}/schema`: reads the optimized schema.
 *
 * @see `specs/extraction/openapi.yaml#/paths/~1v1~1blueprints~1jobs~1{job_id}~1schema/get`
 */
export const getOptimizedSchema: OperationDescriptor<GetOptimizedSchemaInput, GetOptimizedSchemaOutput, { readonly 401: ErrorBody; readonly 429: RateLimitErrorBody; readonly 500: ErrorBody; readonly default: ErrorBody }> = {
  id: 'getOptimizedSchema',
  method: 'GET',
  path: '/v1/blueprints/jobs/{job_id}/schema',
  server: 'baseUrl',
  security: ['apiKey'],
  parameters: [{ name: 'job_id', in: 'path', required: true }],
  check: checks.getOptimizedSchemaInput,
  responses: {
    200: { kind: 'json', contentType: 'application/json', openStatus: true, check: checks.optimizedSchema },
    401: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    429: {
      kind: 'json',
      contentType: 'application/json',
      check: checks.rateLimitErrorBody,
      rateMeanings: [
        {
          meaning: 'page-count',
          retryHelps: false,
          match: { pointer: '/detail/error', equals: 'page_count_exceeded' },
        },
        { meaning: 'request-rate', retryHelps: true },
        { meaning: 'page-quota', retryHelps: false },
      ],
    },
    500: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
    default: { kind: 'json', contentType: 'application/json', check: checks.errorBody },
  },
  retry: { class: 'safe' },
  secrets: [],
}
