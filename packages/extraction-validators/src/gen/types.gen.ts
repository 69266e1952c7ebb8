// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by @concord/generate. Do not edit.

/**
 * Bytes to send: a file path, bytes, a Blob or a stream. To also set the file name, media type or length, pass
 * an object whose `content` is the path, bytes, Blob or stream. A path works only where there is a file system.
 * In React Native, pass the object that a file picker returns: `{ uri, name, type }`.
 */
export type BinaryInput =
  | string
  | BinaryContent
  | {
      readonly content: string | BinaryContent
      readonly filename?: string | undefined
      readonly contentType?: string | undefined
      readonly sizeBytes?: number | undefined
    }
  | {
      readonly uri: string
      readonly name?: string | null | undefined
      readonly type?: string | null | undefined
    }

/** Bytes, a Blob or a stream of bytes. */
export type BinaryContent = Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/**
 * An ISO 8601 timestamp.
 */
export type Timestamp = string

/**
 * An extraction job.
 *
 * Undocumented:
 * - The fields of a failed job other than `id`, `status` and `error`.
 * - Which of `created_at`, `metadata`, `preview_url` and `webhook_delivered` are present on a job that is not completed.
 * - How `preview_url`, a page for people, relates to the token of GET /v1/preview/{token}.
 */
export type Job = {
  /**
   * The identifier of the job.
   */
  id: string
  status: JobStatus
  /**
   * When the job was created. Present on completed jobs.
   */
  created_at?: Timestamp | undefined
  /**
   * When the job completed. Present on completed jobs.
   */
  completed_at?: Timestamp | undefined
  /**
   * Present on completed jobs.
   */
  result?: Result | undefined
  metadata?: Metadata | undefined
  /**
   * A link to the review interface, which can be shared; no authentication is needed.
   */
  preview_url?: string | undefined
  /**
   * The HTTPS URL to notify. Echoed when one was supplied.
   */
  webhook_url?: string | undefined
  /**
   * Whether the delivery of the webhook succeeded.
   *
   * Undocumented: when this value is final, and what it is for a job without a webhook.
   */
  webhook_delivered?: boolean | undefined
  /**
   * The reason, for people to read. Only present when `status` is `failed`. Typical causes are document
   * problems (corrupt, unreadable, poor scan, processing timeout), schema problems (invalid JSON Schema,
   * required fields not found) and plan limits (file too large, too many pages, quota exceeded). It is a
   * message, not a code.
   */
  error?: string | undefined
}

/**
 * The status of an extraction job. `completed` and `failed` are final.
 */
export type JobStatus = 'queued' | 'processing' | 'completed' | 'failed'

/**
 * The extracted data.
 *
 * Undocumented:
 * - Whether `text` is present, and complete, when `text_url` is supplied.
 * - The content type of `text_url`, whether it needs the API key, and how long it works.
 * - What counts as a character in `text_preview`, and whether 1 MB is 1,000,000 or 1,048,576 bytes or characters.
 * - A field for the searchable PDF of the pipeline `searchable`.
 */
export type Result = {
  /**
   * The full extracted text in markdown.
   */
  text?: string | undefined
  /**
   * Always the first 500 characters of the text, or all of it if it is shorter.
   */
  text_preview?: string | undefined
  /**
   * Supplied when the full text exceeds 1 MB. Fetch the text from this URL.
   */
  text_url?: string | undefined
  /**
   * Only present when `schema` or `blueprint_id` was supplied.
   */
  data?: ExtractedFields | undefined
  /**
   * Present when `include_pages=true` or `include_images=true`.
   */
  pages?: Array<PageEntry> | undefined
}

/**
 * A map from the name of each schema field to its entry.
 */
export type ExtractedFields = {
  [key: string]: FieldEntry
}

/**
 * One extracted field.
 *
 * Undocumented:
 * - Whether `value` and `found_on_page` are always present, and whether pages count from 0 or 1.
 * - Whether `found_on_page` may be null; null is accepted.
 * - Whether `reason` may also be present on values that are not flagged.
 */
export type FieldEntry = {
  value?: FieldValue | undefined
  /**
   * True when the value needs human review.
   */
  hil_flag: boolean
  /**
   * An explanation. Present on flagged values.
   */
  reason?: string | undefined
  /**
   * The number of the page where the value was found.
   */
  found_on_page?: number | null | undefined
}

/**
 * The extracted value. It has the type of the field in the caller's schema.
 *
 * Undocumented: whether it may be null, an object or an array.
 */
export type FieldValue = unknown

/**
 * One page of a result. Not the same as a page of the public preview.
 *
 * Undocumented: which of these fields are always present, and whether pages count from 0 or 1.
 */
export type PageEntry = {
  /**
   * The number of the page.
   */
  page_number?: number | undefined
  /**
   * The text of the page.
   */
  text?: string | undefined
  /**
   * The review flag of the page (human in the loop).
   */
  hil_flag?: boolean | undefined
  /**
   * The reason for a review, or null. In a field entry, it is called `reason`.
   */
  review_reason?: string | null | undefined
  data?: PageData | undefined
}

/**
 * The data of one page.
 *
 * Undocumented: the contents, which are field entries or plain values.
 */
export type PageData = {
  [key: string]: unknown
}

/**
 * Facts about the processing of a job.
 *
 * Undocumented: which of these fields are always present.
 */
export type Metadata = {
  /**
   * The number of pages.
   */
  page_count?: number | undefined
  pipeline?: Pipeline | undefined
  /**
   * How much needs review.
   *
   * Undocumented: the range and unit (0 to 100, or 0 to 1), and what it is a fraction of.
   */
  review_percentage?: number | undefined
  /**
   * The number of fields that need review.
   */
  fields_requiring_review?: number | undefined
  /**
   * The number of fields.
   */
  total_fields?: number | undefined
  step_timings?: StepTimings | undefined
}

/**
 * The timings of the processing steps.
 *
 * Undocumented: the contents.
 */
export type StepTimings = {
  [key: string]: unknown
}

/**
 * `standard`: several models in consensus, two OCR passes and a language model as judge, about 2 to 3 minutes.
 * `searchable`: produces a searchable PDF with an embedded OCR text layer, about 3 to 4 minutes.
 */
export type Pipeline = 'standard' | 'searchable'

/**
 * The public preview of a job result.
 *
 * Undocumented: which of these fields are always present, and whether `pages` is present when `include_images` was not set.
 */
export type PreviewDocument = {
  /**
   * The name of the file.
   */
  file_name?: string | undefined
  /**
   * A status.
   *
   * Undocumented: the values; the documentation doesn't say that they are those of a job.
   */
  status?: string | undefined
  created_at?: Timestamp | undefined
  /**
   * The pages.
   */
  pages?: Array<PreviewPage> | undefined
  data?: PreviewData | undefined
  metadata?: PreviewMetadata | undefined
}

/**
 * One page of the public preview. Not the same as a page of a result.
 *
 * Undocumented:
 * - Which of these fields are always present, and whether `image_url` is present when `include_images` was not set.
 * - Whether `image_url` needs the API key, and how long it works.
 */
export type PreviewPage = {
  /**
   * The number of the page.
   */
  page_number?: number | undefined
  /**
   * The URL of the page's image.
   */
  image_url?: string | undefined
  /**
   * The text of the page.
   */
  text?: string | undefined
  /**
   * The review flag of the page (human in the loop).
   */
  hil_flag?: boolean | undefined
  data?: PreviewData | undefined
}

/**
 * The data of the preview or of one of its pages.
 *
 * Undocumented: the contents, which are field entries or plain values.
 */
export type PreviewData = {
  [key: string]: unknown
}

/**
 * Facts about the processing of the previewed job.
 *
 * Undocumented: which of these fields are always present.
 */
export type PreviewMetadata = {
  /**
   * The number of pages.
   */
  page_count?: number | undefined
  /**
   * The pipeline.
   *
   * Undocumented: the values; pipelines are only listed for the metadata of a job.
   */
  pipeline?: string | undefined
  /**
   * How much needs review.
   *
   * Undocumented: the range and unit (0 to 100, or 0 to 1), and what it is a fraction of.
   */
  review_percentage?: number | undefined
}

/**
 * The form of a submission. It may have `schema` or `blueprint_id`, but not both. The form also has a part that
 * selects the pipeline (`standard` or `searchable`) and a part that pins the version of the pipeline, so that
 * processing can be reproduced. Their names are undocumented, so the form accepts any other part.
 *
 * Undocumented: the names and defaults of the pipeline selection part and of the pipeline version part.
 */
export type ProcessDocumentRequest = {
  /**
   * The bytes of a PDF, PNG, JPG or JPEG file.
   *
   * Undocumented: rules for the file name and the content type of the part, and whether these or the bytes determine the file type.
   */
  file: BinaryInput
  /**
   * Boolean text. Generates preview images and page data, and enables `include_pages`.
   *
   * Undocumented: the spellings that are accepted besides `true`, and the default.
   */
  include_images?: string | undefined
  /**
   * Boolean text. A breakdown per page. Enabled automatically when `include_images` is true.
   *
   * Undocumented: the spellings that are accepted besides `true`, and the default.
   */
  include_pages?: string | undefined
  /**
   * The HTTPS URL to notify on completion.
   */
  webhook_url?: string | undefined
} & ({
  schema?: undefined
  /**
   * The blueprint for structured extraction.
   */
  blueprint_id?: string | undefined
} | {
  /**
   * A JSON Schema for structured extraction. A string, not an object.
   *
   * Undocumented: the dialect of JSON Schema and the keywords that are supported.
   */
  schema?: string | undefined
  blueprint_id?: undefined
})

/**
 * An accepted submission.
 */
export type Submission = {
  /**
   * The identifier of the job.
   */
  id: string
  /**
   * A submission starts in `queued`.
   */
  status: 'queued'
}

/**
 * A request for a device code.
 */
export type DeviceCodeRequest = {
  /**
   * The name shown to the user at approval. When omitted, the user sees a generic unknown-agent label.
   */
  agent_name?: string | undefined
}

/**
 * The device code record.
 *
 * Undocumented:
 * - Whether `verification_uri_complete`, `expires_in` and `interval` are always present. RFC 8628 has a default for `interval` (5) and makes `verification_uri_complete` optional; the default of `expires_in` is the documented one.
 * - The alphabet of `user_code`, and whether upper and lower case differ.
 */
export type DeviceCode = {
  /**
   * A secret that is used only for polling. Never shown to the user.
   */
  device_code: string
  /**
   * The short code that the user types. Two groups of four characters joined by a hyphen.
   */
  user_code: string
  /**
   * The page on which the user types the code.
   */
  verification_uri: string
  /**
   * The same page with the code filled in. Preferably show this one.
   */
  verification_uri_complete?: string | undefined
  /**
   * The lifetime of the code in seconds; by default 900.
   *
   * Undocumented: when it starts, and the tolerance for clocks that differ.
   */
  expires_in?: number | undefined
  /**
   * The minimum number of seconds between two polls; by default 5.
   */
  interval?: number | undefined
}

/**
 * One poll.
 */
export type DeviceTokenRequest = {
  /**
   * The `device_code` of the device code record.
   */
  device_code: string
}

/**
 * The response to a poll. It always contains all three fields. A non-null `api_key` means success, not a null
 * `error`.
 *
 * Undocumented: the value of `error` on success.
 */
export type DeviceToken = {
  /**
   * Why there is no key yet, or null.
   */
  error: DeviceTokenErrorCode | null
  /**
   * The API key; non-null exactly once. Never shown to the user.
   */
  api_key: string | null
  /**
   * An identifier of the key. It is not secret, so it can be displayed and logged.
   */
  key_prefix: string | null
}

/**
 * `authorization_pending`: keep polling at the interval. `access_denied`: the user denied; stop. `expired_token`: the
 * code has expired; request a new one.
 */
export type DeviceTokenErrorCode = 'authorization_pending' | 'access_denied' | 'expired_token' | (string & {})

/**
 * The body of a poll's response on a status other than 200 and 500.
 */
export type DeviceTokenDenial = DeviceToken | ErrorBody

/**
 * The pipelines `standard` and `searchable`.
 *
 * Undocumented: the shape.
 */
export type PipelineList = unknown

/**
 * All blueprints with their active version and accuracy metrics.
 *
 * Undocumented: the shape, and the names of the fields of a blueprint.
 */
export type BlueprintList = unknown

/**
 * A blueprint has an identifier (a UUID), a set of versions, one active version that holds a JSON Schema, and
 * accuracy metrics.
 *
 * Undocumented: the names of all fields, and further fields.
 */
export type Blueprint = {
  [key: string]: unknown
}

/**
 * A request for an optimization. Only `initial_schema` is documented as optional.
 *
 * Undocumented: which fields other than `initial_schema` are required.
 */
export type OptimizationRequest = {
  /**
   * The name of the blueprint.
   */
  name?: string | undefined
  /**
   * A description.
   */
  description?: string | undefined
  /**
   * The type of the documents.
   */
  document_type?: string | undefined
  /**
   * The schema to start from. An object, not a string. Generated from the ground truth when omitted.
   */
  initial_schema?: JsonSchemaObject | undefined
  /**
   * At least 2 documents.
   */
  training_documents?: Array<string> | undefined
  /**
   * The expected values, exactly one object for each training document.
   */
  ground_truth_data?: Array<GroundTruth> | undefined
  /**
   * The target accuracy, in percent.
   *
   * Undocumented: whether percent means 0 to 100 or a fraction.
   */
  target_accuracy?: number | undefined
  /**
   * The maximum number of iterations.
   */
  max_iterations?: number | undefined
  /**
   * The maximum cost of the run, in US dollars.
   */
  max_cost_usd?: number | undefined
  /**
   * The fraction that is held out for validation.
   *
   * The service's default: `0.3`.
   */
  validation_split?: number | undefined
}

/**
 * A JSON Schema.
 *
 * Undocumented: the dialect of JSON Schema and the keywords that are supported.
 */
export type JsonSchemaObject = {
  [key: string]: unknown
}

/**
 * The expected values of one training document.
 *
 * Undocumented: the contents.
 */
export type GroundTruth = {
  [key: string]: unknown
}

/**
 * A started optimization run.
 */
export type OptimizationSubmission = {
  /**
   * The identifier of the optimization job.
   */
  job_id: string
  /**
   * The identifier of the blueprint.
   */
  blueprint_id: string
  /**
   * A run starts in `pending`.
   */
  status: 'pending'
}

/**
 * The status of an optimization job.
 *
 * Undocumented: which of the other fields are present in which status.
 */
export type OptimizationJob = {
  status: OptimizationJobStatus
  /**
   * The iteration.
   */
  iteration?: number | undefined
  /**
   * The baseline accuracy, in percent.
   *
   * Undocumented: whether percent means 0 to 100 or a fraction.
   */
  baseline_accuracy?: number | undefined
  /**
   * The current accuracy, in percent.
   *
   * Undocumented: whether percent means 0 to 100 or a fraction.
   */
  current_accuracy?: number | undefined
  /**
   * The target accuracy, in percent.
   *
   * Undocumented: whether percent means 0 to 100 or a fraction.
   */
  target_accuracy?: number | undefined
  /**
   * The total cost, in US dollars.
   */
  total_cost?: number | undefined
  /**
   * The maximum cost of the run, in US dollars.
   */
  max_cost_usd?: number | undefined
}

/**
 * The status of an optimization job. No transition from `completed`, `failed` or `cancelled` is documented.
 */
export type OptimizationJobStatus = 'pending' | 'initializing' | 'running' | 'completed' | 'failed' | 'cancelled'

/**
 * What to resume.
 *
 * Undocumented: the shape.
 */
export type ResumeOptimizationRequest = unknown

/**
 * The response to a resumption.
 *
 * Undocumented: the shape.
 */
export type ResumeOptimizationResponse = unknown

/**
 * The optimized JSON Schema.
 *
 * Undocumented: whether it is the bare JSON Schema or wrapped in an envelope.
 */
export type OptimizedSchema = unknown

/**
 * The body of the webhook. It is not authenticated: fetch the canonical result with the API key.
 *
 * Undocumented: which of the other fields are always present.
 */
export type JobCompletedEvent = {
  /**
   * The name of the event.
   */
  event: 'job.completed'
  /**
   * The identifier of the job. A job itself calls it `id`.
   */
  job_id: string
  /**
   * A status.
   *
   * Undocumented: the values; the documentation doesn't say that they are those of a job.
   */
  status?: string | undefined
  result?: JobCompletedResult | undefined
  metadata?: JobCompletedMetadata | undefined
  /**
   * A link to the review interface, which can be shared; no authentication is needed.
   */
  preview_url?: string | undefined
}

/**
 * The text and the data.
 *
 * Undocumented: what `text` contains when the text exceeds 1 MB.
 */
export type JobCompletedResult = {
  /**
   * The extracted text.
   */
  text?: string | undefined
  data?: JobCompletedData | undefined
}

/**
 * The data of the completed job.
 *
 * Undocumented: the shape, and whether it is present when neither a schema nor a blueprint was supplied.
 */
export type JobCompletedData = unknown

/**
 * The metadata of the completed job.
 *
 * Undocumented: the shape; whether it is that of the metadata of a job.
 */
export type JobCompletedMetadata = {
  [key: string]: unknown
}

/**
 * The body of an error.
 */
export type ErrorBody = {
  detail: ErrorDetail
}

/**
 * The reason for the error; normally a string.
 *
 * Undocumented: the shape when it is neither a string nor the page-limit object of a 429.
 */
export type ErrorDetail = unknown

/**
 * The body of a 429. `detail` is a string or the page-limit object.
 */
export type RateLimitErrorBody = {
  /**
   * What went wrong.
   */
  detail: string | PageLimitDetail
}

/**
 * The `detail` of a 429 for a page limit.
 *
 * Undocumented: whether it is about the pages of one document, the monthly page quota, or either.
 */
export type PageLimitDetail = {
  /**
   * Identifies this kind of `detail`.
   */
  error: 'page_count_exceeded'
  /**
   * The problem, for people to read.
   */
  message: string
  /**
   * The page count.
   */
  page_count: number
  /**
   * The page limit.
   */
  max_pages: number
  /**
   * The plan, for example the free plan.
   *
   * Undocumented: the strings.
   */
  plan: string
}

/**
 * The input of `createDeviceCode`.
 */
export type CreateDeviceCodeInput = {
  /**
   * Undocumented: whether a request without a body is accepted; send an object, which may be empty.
   */
  body?: DeviceCodeRequest | undefined
}

/**
 * The body of the success response of `createDeviceCode`.
 */
export type CreateDeviceCodeOutput = DeviceCode

/**
 * The body of a documented error of `createDeviceCode`.
 */
export type CreateDeviceCodeError = ErrorBody

/**
 * The input of `pollDeviceToken`.
 */
export type PollDeviceTokenInput = {
  body: DeviceTokenRequest
}

/**
 * The body of the success response of `pollDeviceToken`.
 */
export type PollDeviceTokenOutput = DeviceToken

/**
 * The body of a documented error of `pollDeviceToken`.
 */
export type PollDeviceTokenError = ErrorBody | DeviceTokenDenial

/**
 * The input of `processDocument`.
 */
export type ProcessDocumentInput = {
  body: ProcessDocumentRequest
}

/**
 * The body of the success response of `processDocument`.
 */
export type ProcessDocumentOutput = Submission

/**
 * The body of a documented error of `processDocument`.
 */
export type ProcessDocumentError = ErrorBody | RateLimitErrorBody

/**
 * The input of `getJob`.
 */
export type GetJobInput = {
  path: {
    /**
     * The identifier of an extraction job.
     */
    job_id: string
  }
}

/**
 * The body of the success response of `getJob`.
 */
export type GetJobOutput = Job

/**
 * The body of a documented error of `getJob`.
 */
export type GetJobError = ErrorBody | RateLimitErrorBody

/**
 * The input of `getPreview`.
 */
export type GetPreviewInput = {
  path: {
    /**
     * The token of a preview. Anyone who holds it may read the preview.
     *
     * Undocumented: how to get a token, and how it relates to the `preview_url` of a job.
     */
    token: string
  }
}

/**
 * The body of the success response of `getPreview`.
 */
export type GetPreviewOutput = PreviewDocument

/**
 * The body of a documented error of `getPreview`.
 */
export type GetPreviewError = ErrorBody

/**
 * The input of `listPipelines`.
 */
export type ListPipelinesInput = Record<string, never>

/**
 * The body of the success response of `listPipelines`.
 */
export type ListPipelinesOutput = PipelineList

/**
 * The body of a documented error of `listPipelines`.
 */
export type ListPipelinesError = ErrorBody

/**
 * The input of `listBlueprints`.
 */
export type ListBlueprintsInput = Record<string, never>

/**
 * The body of the success response of `listBlueprints`.
 */
export type ListBlueprintsOutput = BlueprintList

/**
 * The body of a documented error of `listBlueprints`.
 */
export type ListBlueprintsError = ErrorBody | RateLimitErrorBody

/**
 * The input of `getBlueprint`.
 */
export type GetBlueprintInput = {
  path: {
    /**
     * The identifier of a blueprint.
     */
    blueprint_id: string
  }
}

/**
 * The body of the success response of `getBlueprint`.
 */
export type GetBlueprintOutput = Blueprint

/**
 * The body of a documented error of `getBlueprint`.
 */
export type GetBlueprintError = ErrorBody | RateLimitErrorBody

/**
 * The input of `startOptimization`.
 */
export type StartOptimizationInput = {
  /**
   * Sent as JSON, because the documentation heads these fields "Request JSON".
   *
   * Undocumented:
   * - The content type. The documentation says "Request JSON" and also that the content type is not shown.
   * - How training documents are transferred.
   */
  body: OptimizationRequest
}

/**
 * The body of the success response of `startOptimization`.
 */
export type StartOptimizationOutput = OptimizationSubmission

/**
 * The body of a documented error of `startOptimization`.
 */
export type StartOptimizationError = ErrorBody | RateLimitErrorBody

/**
 * The input of `resumeOptimization`.
 */
export type ResumeOptimizationInput = {
  /**
   * Undocumented: whether a body is required.
   */
  body?: ResumeOptimizationRequest | undefined
}

/**
 * The body of the success response of `resumeOptimization`.
 */
export type ResumeOptimizationOutput = ResumeOptimizationResponse

/**
 * The body of a documented error of `resumeOptimization`.
 */
export type ResumeOptimizationError = ErrorBody | RateLimitErrorBody

/**
 * The input of `getOptimizationJob`.
 */
export type GetOptimizationJobInput = {
  path: {
    /**
     * The `job_id` from the start of the optimization. It is not the identifier of an extraction job.
     */
    job_id: string
  }
}

/**
 * The body of the success response of `getOptimizationJob`.
 */
export type GetOptimizationJobOutput = OptimizationJob

/**
 * The body of a documented error of `getOptimizationJob`.
 */
export type GetOptimizationJobError = ErrorBody | RateLimitErrorBody

/**
 * The input of `getOptimizedSchema`.
 */
export type GetOptimizedSchemaInput = {
  path: {
    /**
     * The `job_id` from the start of the optimization. It is not the identifier of an extraction job.
     */
    job_id: string
  }
}

/**
 * The body of the success response of `getOptimizedSchema`.
 */
export type GetOptimizedSchemaOutput = OptimizedSchema

/**
 * The body of a documented error of `getOptimizedSchema`.
 */
export type GetOptimizedSchemaError = ErrorBody | RateLimitErrorBody
