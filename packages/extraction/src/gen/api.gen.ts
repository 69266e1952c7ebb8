// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by @concord/generate. Do not edit.
import type {
  CreateDeviceCodeInput,
  CreateDeviceCodeOutput,
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
  ResumeOptimizationInput,
  ResumeOptimizationOutput,
  StartOptimizationInput,
  StartOptimizationOutput,
} from '@concord/extraction-validators'
import type { CallOptions, Client, Exchange } from '@concord/runtime'
import type { Send } from '@concord/runtime/internal'
import {
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
} from './operations.gen.ts'

/**
 * All operations of the contract (Document extraction service). Inputs and results are exactly as on the wire.
 *
 * @public
 */
export interface ExtractionApi {
  /**
   * Requests a device code.
   *
   * Starts a device authorization. Show the user `verification_uri_complete`, or `verification_uri` together
   * with `user_code`; then poll `POST /v1/agent/device/token` every `interval` seconds. In the browser the user
   * logs in (a new user signs up and confirms the email address), sees the agent name, and approves or denies.
   *
   * `POST /v1/agent/device/code`
   *
   * @param input - `body` (optional): sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The device code record.
   * @throws SubmissionUncertainError with status 500: The server failed.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. Calling again is harmless.
   * @see `specs/extraction/openapi.yaml#/paths/~1v1~1agent~1device~1code/post`
   */
  createDeviceCode(input?: CreateDeviceCodeInput, options?: CallOptions): Promise<CreateDeviceCodeOutput>

  /**
   * Polls whether the user has approved.
   *
   * Poll every `interval` seconds, as the device code record says. A non-null `api_key`, and nothing else, means
   * success. The next poll after approval returns the key, exactly once; the service then clears it. Store the
   * key before doing anything else, and never poll from two places.
   *
   * | State of the authorization | `error` | What to do |
   * |---|---|---|
   * | pending: the user has not acted | `authorization_pending` | keep polling at the interval |
   * | approved | see `x-not-shown`; `api_key` and `key_prefix` are set | stop; keep the key |
   * | denied | `access_denied` | stop |
   * | expired: the lifetime of the code is over | `expired_token` | stop; request a new device code |
   *
   * The states have no field on the wire.
   *
   * `POST /v1/agent/device/token`
   *
   * Undocumented:
   * - The status of the response while the authorization is pending, and after it was denied or has expired; read the three-field body on any status before treating it as an error.
   * - The response to a poll after the key was returned once, after a denial, and for an unknown device code.
   * - What happens if a client polls faster than `interval`; no error value is documented for it.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The device token response.
   * @throws SubmissionUncertainError with status 500: The server failed.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. The input works only once, and this call may have used it up.
   * @see `specs/extraction/openapi.yaml#/paths/~1v1~1agent~1device~1token/post`
   */
  pollDeviceToken(input: PollDeviceTokenInput, options?: CallOptions): Promise<PollDeviceTokenOutput>

  /**
   * Submits a document.
   *
   * Accepts a PDF, PNG, JPG or JPEG file and returns a job identifier immediately; processing is asynchronous. With
   * either `schema` or `blueprint_id`, the job also returns structured values. With neither, it only returns the OCR
   * text.
   *
   * The maximum file size and the pages per document depend on the plan (see `x-facts`). The same problem can be
   * reported here (400 for an invalid schema, 413 for a file that is too large, 429 for the quota) or later, as a
   * failed job. No idempotency key is documented: a submission that is sent twice can be processed twice, and use
   * pages of the quota twice.
   *
   * `POST /v1/process`
   *
   * Undocumented: the error for a `webhook_url` that is not HTTPS; the error for a missing `file` or an unreadable form; the error for an unknown `blueprint_id`.
   *
   * @param input - `body`: sent as `multipart/form-data`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The document was accepted; the job is queued.
   * @throws ApiError with status 400: The schema is invalid, the file type is not supported, or both schema and blueprint_id were supplied.
   * @throws ApiError with status 401: The API key is missing or invalid.
   * @throws ApiError with status 413: The file is larger than the plan allows (Free 15 MB, Pro and Scale 50 MB).
   * @throws ApiError with status 429: The monthly page quota or the request rate is exceeded, or the document is rejected for its page count. With a page-limit object in `detail`, a retry cannot help. A string doesn't distinguish the request rate, where a retry soon can help, from the page quota, where it cannot.
   * @throws SubmissionUncertainError with status 500: The server failed.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/extraction/openapi.yaml#/paths/~1v1~1process/post`
   */
  processDocument(input: ProcessDocumentInput, options?: CallOptions): Promise<ProcessDocumentOutput>

  /**
   * Reads a job.
   *
   * Poll until `status` is `completed` or `failed`: wait 5 s, then poll every 5 to 10 s with exponential backoff,
   * for at most 5 minutes. Polling every 5 s is 12 requests a minute, which is more than the Free plan's 10, if
   * polls count. The response for a failed job is a success, with `error` and the `status` `failed`.
   *
   * `GET /v1/jobs/{job_id}`
   *
   * Undocumented: what triggers each internal transition of a job, and under which conditions; what happens to a job that is no longer polled after 5 minutes.
   *
   * @param input - `path.job_id`: The identifier of an extraction job.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The job.
   * @throws ApiError with status 401: The API key is missing or invalid.
   * @throws ApiError with status 404: The job was not found.
   * @throws ApiError with status 429: The request rate of the plan is exceeded.
   * @throws ApiError with status 500: The server failed.
   * @see `specs/extraction/openapi.yaml#/paths/~1v1~1jobs~1{job_id}/get`
   */
  getJob(input: GetJobInput, options?: CallOptions): Promise<GetJobOutput>

  /**
   * Reads the public preview of a job.
   *
   * Anyone who holds the token may read it; no key is needed.
   *
   * `GET /v1/preview/{token}`
   *
   * Undocumented: the response for an unknown or expired token, and how long a token is valid; whether a preview exists before the job has completed.
   *
   * @param input - `path.token`: The token of a preview. Anyone who holds it may read the preview.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The preview.
   * @throws ApiError with status 500: The server failed.
   * @see `specs/extraction/openapi.yaml#/paths/~1v1~1preview~1{token}/get`
   */
  getPreview(input: GetPreviewInput, options?: CallOptions): Promise<GetPreviewOutput>

  /**
   * Lists the pipelines.
   *
   * Lists the pipelines `standard` and `searchable`.
   *
   * `GET /v1/pipelines`
   *
   * Undocumented: whether the list can be paged or filtered.
   *
   * @param input - This operation has no input: omit this argument, or pass `{}`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The pipelines.
   * @throws ApiError with status 500: The server failed.
   * @see `specs/extraction/openapi.yaml#/paths/~1v1~1pipelines/get`
   */
  listPipelines(input?: ListPipelinesInput, options?: CallOptions): Promise<ListPipelinesOutput>

  /**
   * Lists all blueprints.
   *
   * Lists all blueprints with their active version and accuracy metrics. The trailing slash belongs to the path.
   *
   * `GET /v1/blueprints/`
   *
   * Undocumented: whether the list can be paged or filtered; the response for the path without the trailing slash.
   *
   * @param input - This operation has no input: omit this argument, or pass `{}`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The blueprints.
   * @throws ApiError with status 401: The API key is missing or invalid.
   * @throws ApiError with status 429: The request rate of the plan is exceeded.
   * @throws ApiError with status 500: The server failed.
   * @see `specs/extraction/openapi.yaml#/paths/~1v1~1blueprints~1/get`
   */
  listBlueprints(input?: ListBlueprintsInput, options?: CallOptions): Promise<ListBlueprintsOutput>

  /**
   * Reads a blueprint.
   *
   * Returns the blueprint with all versions, the schema of the active version and accuracy metrics.
   *
   * `GET /v1/blueprints/{blueprint_id}`
   *
   * Undocumented: the error for an unknown blueprint; 404 is documented only for jobs.
   *
   * @param input - `path.blueprint_id`: The identifier of a blueprint.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The blueprint.
   * @throws ApiError with status 401: The API key is missing or invalid.
   * @throws ApiError with status 429: The request rate of the plan is exceeded.
   * @throws ApiError with status 500: The server failed.
   * @see `specs/extraction/openapi.yaml#/paths/~1v1~1blueprints~1{blueprint_id}/get`
   */
  getBlueprint(input: GetBlueprintInput, options?: CallOptions): Promise<GetBlueprintOutput>

  /**
   * Starts an optimization run.
   *
   * Produces a blueprint from at least 2 training documents plus one object of expected values for each of them.
   * No idempotency key is documented: a run that is started twice can cost twice.
   *
   * `POST /v1/optimize`
   *
   * Undocumented: how to cancel a run; no operation does it.
   *
   * @param input - `body`: sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The run was started and is pending.
   * @throws ApiError with status 401: The API key is missing or invalid.
   * @throws ApiError with status 429: The request rate of the plan is exceeded.
   * @throws SubmissionUncertainError with status 500: The server failed.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/extraction/openapi.yaml#/paths/~1v1~1optimize/post`
   */
  startOptimization(input: StartOptimizationInput, options?: CallOptions): Promise<StartOptimizationOutput>

  /**
   * Resumes an optimization.
   *
   * Resumes a failed optimization job, or starts a new run for an existing blueprint.
   *
   * `POST /v1/optimize/resume`
   *
   * Undocumented: the status of a resumed job, and whether it keeps its identifier.
   *
   * @param input - `body` (optional): sent as `application/json`.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The optimization was resumed or started.
   * @throws ApiError with status 401: The API key is missing or invalid.
   * @throws ApiError with status 429: The request rate of the plan is exceeded.
   * @throws SubmissionUncertainError with status 500: The server failed.
   * @throws SubmissionUncertainError if the response is lost, is unreadable, or is a 5xx (the `cause` is then a ServerError): the call may have taken effect. If you call again, the same work may be done and billed twice.
   * @see `specs/extraction/openapi.yaml#/paths/~1v1~1optimize~1resume/post`
   */
  resumeOptimization(input?: ResumeOptimizationInput, options?: CallOptions): Promise<ResumeOptimizationOutput>

  /**
   * Reads the status of an optimization job.
   *
   * This is not an extraction job; the two kinds have different statuses and identifiers.
   *
   * `GET /v1/blueprints/jobs/{job_id}`
   *
   * Undocumented:
   * - What triggers each transition, and under which conditions.
   * - How often to poll, and for how long; the advice of GET /v1/jobs/{job_id} is for extraction jobs.
   * - The error for an unknown optimization job; 404 is documented only as "job not found".
   *
   * @param input - `path.job_id`: The `job_id` from the start of the optimization. It is not the identifier of an extraction job.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The optimization job.
   * @throws ApiError with status 401: The API key is missing or invalid.
   * @throws ApiError with status 429: The request rate of the plan is exceeded.
   * @throws ApiError with status 500: The server failed.
   * @see `specs/extraction/openapi.yaml#/paths/~1v1~1blueprints~1jobs~1{job_id}/get`
   */
  getOptimizationJob(input: GetOptimizationJobInput, options?: CallOptions): Promise<GetOptimizationJobOutput>

  /**
   * Reads the optimized schema.
   *
   * Returns the optimized JSON Schema once the optimization has completed.
   *
   * `GET /v1/blueprints/jobs/{job_id}/schema`
   *
   * Undocumented: the error for an unknown optimization job, and the response before the optimization has completed.
   *
   * @param input - `path.job_id`: The `job_id` from the start of the optimization. It is not the identifier of an extraction job.
   * @param options - Settings of this call, such as `signal` and `timeoutMs`.
   * @returns The optimized JSON Schema.
   * @throws ApiError with status 401: The API key is missing or invalid.
   * @throws ApiError with status 429: The request rate of the plan is exceeded.
   * @throws ApiError with status 500: The server failed.
   * @see `specs/extraction/openapi.yaml#/paths/~1v1~1blueprints~1jobs~1{job_id}~1schema/get`
   */
  getOptimizedSchema(input: GetOptimizedSchemaInput, options?: CallOptions): Promise<GetOptimizedSchemaOutput>
}

/**
 * The operations of {@link ExtractionApi}, each returning the whole response: status, headers, request id and raw body.
 *
 * @public
 */
export type ExtractionApiWithResponse = {
  readonly [Name in keyof ExtractionApi]: (
    ...call: Parameters<ExtractionApi[Name]>
  ) => Promise<Exchange<Awaited<ReturnType<ExtractionApi[Name]>>>>
}

/** Creates the methods of all operations. They pass each call to `send`. */
export function extractionApi(send: Send): ExtractionApi {
  return {
    createDeviceCode: (input = {}, options) => send(createDeviceCode, input, options),
    pollDeviceToken: (input, options) => send(pollDeviceToken, input, options),
    processDocument: (input, options) => send(processDocument, input, options),
    getJob: (input, options) => send(getJob, input, options),
    getPreview: (input, options) => send(getPreview, input, options),
    listPipelines: (input = {}, options) => send(listPipelines, input, options),
    listBlueprints: (input = {}, options) => send(listBlueprints, input, options),
    getBlueprint: (input, options) => send(getBlueprint, input, options),
    startOptimization: (input, options) => send(startOptimization, input, options),
    resumeOptimization: (input = {}, options) => send(resumeOptimization, input, options),
    getOptimizationJob: (input, options) => send(getOptimizationJob, input, options),
    getOptimizedSchema: (input, options) => send(getOptimizedSchema, input, options),
  }
}

/** Creates the methods that return the whole response. They pass each call to `exchange`. */
export function extractionApiWithResponse(exchange: Client['exchange']): ExtractionApiWithResponse {
  return {
    createDeviceCode: (input = {}, options) => exchange(createDeviceCode, input, options),
    pollDeviceToken: (input, options) => exchange(pollDeviceToken, input, options),
    processDocument: (input, options) => exchange(processDocument, input, options),
    getJob: (input, options) => exchange(getJob, input, options),
    getPreview: (input, options) => exchange(getPreview, input, options),
    listPipelines: (input = {}, options) => exchange(listPipelines, input, options),
    listBlueprints: (input = {}, options) => exchange(listBlueprints, input, options),
    getBlueprint: (input, options) => exchange(getBlueprint, input, options),
    startOptimization: (input, options) => exchange(startOptimization, input, options),
    resumeOptimization: (input = {}, options) => exchange(resumeOptimization, input, options),
    getOptimizationJob: (input, options) => exchange(getOptimizationJob, input, options),
    getOptimizedSchema: (input, options) => exchange(getOptimizedSchema, input, options),
  }
}
