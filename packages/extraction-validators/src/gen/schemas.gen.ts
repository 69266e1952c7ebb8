// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by @concord/generate. Do not edit.
import type { BinaryInput } from './types.gen.ts'
import { isBinaryInput, isInteger, isPresent, isUri, isUuid, lacksOneOf } from './predicates.gen.ts'
import * as z from 'zod'

/**
 * An ISO 8601 timestamp.
 */
export const timestamp = /*#__PURE__*/ (() => z.string().check(z.regex(/^(?:(?:\d{4}|[+-]\d{6})(?:(-?)(?:(?:0[13578]|1[02])\1(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)\1(?:0[1-9]|[12]\d|30)|02\1(?:0[1-9]|1\d|2[0-8]))|(-?)W(?:0[1-9]|[1-4]\d|5[0-3])\2[1-7]|-?(?:00[1-9]|0[1-9]\d|[12]\d\d|3[0-5]\d|36[0-5]))|(?:[+-]\d\d)?(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)(?:0229|-02-29|-?366))(?:[Tt ](?:(?:[01]\d|2[0-3])(?:(:?)[0-5]\d(?:\3(?:[0-5]\d|60))?)?(?:[.,]\d+)?|24(?:(:?)00(?:\4(?:00))?)?(?:[.,]0+)?)(?:[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/u, 'must be an ISO 8601 date or time stamp, such as 2026-02-28T09:30:00Z')))()

/**
 * The status of an extraction job. `completed` and `failed` are final.
 */
export const jobStatus = /*#__PURE__*/ z.enum([
  'queued',
  'processing',
  'completed',
  'failed'
])

/**
 * The extracted value. It has the type of the field in the caller's schema.
 *
 * Undocumented: whether it may be null, an object or an array.
 */
export const fieldValue = /*#__PURE__*/ z.unknown()

/**
 * One extracted field.
 *
 * Undocumented:
 * - Whether `value` and `found_on_page` are always present, and whether pages count from 0 or 1.
 * - Whether `found_on_page` may be null; null is accepted.
 * - Whether `reason` may also be present on values that are not flagged.
 */
export const fieldEntry = /*#__PURE__*/ (() => z.looseObject({
  value: z.optional(fieldValue),
  hil_flag: z.boolean(),
  reason: z.optional(z.string()),
  found_on_page: z.nullish(z.number().check(z.refine(isInteger, 'must be a whole number')))
}))()

/**
 * A map from the name of each schema field to its entry.
 */
export const extractedFields = /*#__PURE__*/ (() => z.record(z.string(), fieldEntry))()

/**
 * The data of one page.
 *
 * Undocumented: the contents, which are field entries or plain values.
 */
export const pageData = /*#__PURE__*/ z.looseObject({})

/**
 * One page of a result. Not the same as a page of the public preview.
 *
 * Undocumented: which of these fields are always present, and whether pages count from 0 or 1.
 */
export const pageEntry = /*#__PURE__*/ (() => z.looseObject({
  page_number: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number'))),
  text: z.optional(z.string()),
  hil_flag: z.optional(z.boolean()),
  review_reason: z.nullish(z.string()),
  data: z.optional(pageData)
}))()

/**
 * The extracted data.
 *
 * Undocumented:
 * - Whether `text` is present, and complete, when `text_url` is supplied.
 * - The content type of `text_url`, whether it needs the API key, and how long it works.
 * - What counts as a character in `text_preview`, and whether 1 MB is 1,000,000 or 1,048,576 bytes or characters.
 * - A field for the searchable PDF of the pipeline `searchable`.
 */
export const result = /*#__PURE__*/ (() => z.looseObject({
  text: z.optional(z.string()),
  text_preview: z.optional(z.string()),
  text_url: z.optional(z.string().check(z.refine(isUri, 'must be a URI'))),
  data: z.optional(extractedFields),
  pages: z.optional(z.array(pageEntry))
}))()

/**
 * The timings of the processing steps.
 *
 * Undocumented: the contents.
 */
export const stepTimings = /*#__PURE__*/ z.looseObject({})

/**
 * `standard`: several models in consensus, two OCR passes and a language model as judge, about 2 to 3 minutes.
 * `searchable`: produces a searchable PDF with an embedded OCR text layer, about 3 to 4 minutes.
 */
export const pipeline = /*#__PURE__*/ z.enum(['standard', 'searchable'])

/**
 * Facts about the processing of a job.
 *
 * Undocumented: which of these fields are always present.
 */
export const metadata = /*#__PURE__*/ (() => z.looseObject({
  page_count: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number'))),
  pipeline: z.optional(pipeline),
  review_percentage: z.optional(z.number()),
  fields_requiring_review: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number'))),
  total_fields: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number'))),
  step_timings: z.optional(stepTimings)
}))()

/**
 * An extraction job.
 *
 * Undocumented:
 * - The fields of a failed job other than `id`, `status` and `error`.
 * - Which of `created_at`, `metadata`, `preview_url` and `webhook_delivered` are present on a job that is not completed.
 * - How `preview_url`, a page for people, relates to the token of GET /v1/preview/{token}.
 */
export const job = /*#__PURE__*/ (() => z.looseObject({
  id: z.string().check(z.refine(isUuid, 'must be a UUID')),
  status: jobStatus,
  created_at: z.optional(timestamp),
  completed_at: z.optional(timestamp),
  result: z.optional(result),
  metadata: z.optional(metadata),
  preview_url: z.optional(z.string().check(z.refine(isUri, 'must be a URI'))),
  webhook_url: z.optional(z.string().check(z.refine(isUri, 'must be a URI'), z.regex(/^[hH][tT][tT][pP][sS]:\/\//u))),
  webhook_delivered: z.optional(z.boolean()),
  error: z.optional(z.string())
}))()

/**
 * The data of the preview or of one of its pages.
 *
 * Undocumented: the contents, which are field entries or plain values.
 */
export const previewData = /*#__PURE__*/ z.looseObject({})

/**
 * One page of the public preview. Not the same as a page of a result.
 *
 * Undocumented:
 * - Which of these fields are always present, and whether `image_url` is present when `include_images` was not set.
 * - Whether `image_url` needs the API key, and how long it works.
 */
export const previewPage = /*#__PURE__*/ (() => z.looseObject({
  page_number: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number'))),
  image_url: z.optional(z.string().check(z.refine(isUri, 'must be a URI'))),
  text: z.optional(z.string()),
  hil_flag: z.optional(z.boolean()),
  data: z.optional(previewData)
}))()

/**
 * Facts about the processing of the previewed job.
 *
 * Undocumented: which of these fields are always present.
 */
export const previewMetadata = /*#__PURE__*/ (() => z.looseObject({
  page_count: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number'))),
  pipeline: z.optional(z.string()),
  review_percentage: z.optional(z.number())
}))()

/**
 * The public preview of a job result.
 *
 * Undocumented: which of these fields are always present, and whether `pages` is present when `include_images` was not set.
 */
export const previewDocument = /*#__PURE__*/ (() => z.looseObject({
  file_name: z.optional(z.string()),
  status: z.optional(z.string()),
  created_at: z.optional(timestamp),
  pages: z.optional(z.array(previewPage)),
  data: z.optional(previewData),
  metadata: z.optional(previewMetadata)
}))()

/**
 * The form of a submission. It may have `schema` or `blueprint_id`, but not both. The form also has a part that
 * selects the pipeline (`standard` or `searchable`) and a part that pins the version of the pipeline, so that
 * processing can be reproduced. Their names are undocumented, so the form accepts any other part.
 *
 * Undocumented: the names and defaults of the pipeline selection part and of the pipeline version part.
 */
export const processDocumentRequest = /*#__PURE__*/ (() => z.looseObject({
  file: z.custom<BinaryInput>(isBinaryInput, 'must be a file path, bytes, a Blob or a stream'),
  schema: z.optional(z.string()),
  blueprint_id: z.optional(z.string().check(z.refine(isUuid, 'must be a UUID'))),
  include_images: z.optional(z.string()),
  include_pages: z.optional(z.string()),
  webhook_url: z.optional(z.string().check(z.refine(isUri, 'must be a URI'), z.regex(/^[hH][tT][tT][pP][sS]:\/\//u)))
}).check(z.refine(lacksOneOf('schema', 'blueprint_id'), 'must not have `schema` and `blueprint_id` together')))()

/**
 * An accepted submission.
 */
export const submission = /*#__PURE__*/ (() => z.looseObject({
  id: z.string().check(z.refine(isUuid, 'must be a UUID')),
  status: z.literal('queued')
}))()

/**
 * A request for a device code.
 */
export const deviceCodeRequest = /*#__PURE__*/ (() => z.looseObject({
  agent_name: z.optional(z.string())
}))()

/**
 * The device code record.
 *
 * Undocumented:
 * - Whether `verification_uri_complete`, `expires_in` and `interval` are always present. RFC 8628 has a default for `interval` (5) and makes `verification_uri_complete` optional; the default of `expires_in` is the documented one.
 * - The alphabet of `user_code`, and whether upper and lower case differ.
 */
export const deviceCode = /*#__PURE__*/ (() => z.looseObject({
  device_code: z.string(),
  user_code: z.string().check(z.regex(/^.{4}-.{4}$/u)),
  verification_uri: z.string().check(z.refine(isUri, 'must be a URI')),
  verification_uri_complete: z.optional(z.string().check(z.refine(isUri, 'must be a URI'))),
  expires_in: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number'))),
  interval: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number')))
}))()

/**
 * One poll.
 */
export const deviceTokenRequest = /*#__PURE__*/ (() => z.looseObject({
  device_code: z.string()
}))()

/**
 * `authorization_pending`: keep polling at the interval. `access_denied`: the user denied; stop. `expired_token`: the
 * code has expired; request a new one.
 */
export const deviceTokenErrorCode = /*#__PURE__*/ z.string()

/**
 * The response to a poll. It always contains all three fields. A non-null `api_key` means success, not a null
 * `error`.
 *
 * Undocumented: the value of `error` on success.
 */
export const deviceToken = /*#__PURE__*/ (() => z.looseObject({
  error: z.nullable(deviceTokenErrorCode),
  api_key: z.nullable(z.string()),
  key_prefix: z.nullable(z.string())
}))()

/**
 * The pipelines `standard` and `searchable`.
 *
 * Undocumented: the shape.
 */
export const pipelineList = /*#__PURE__*/ z.unknown()

/**
 * All blueprints with their active version and accuracy metrics.
 *
 * Undocumented: the shape, and the names of the fields of a blueprint.
 */
export const blueprintList = /*#__PURE__*/ z.unknown()

/**
 * A blueprint has an identifier (a UUID), a set of versions, one active version that holds a JSON Schema, and
 * accuracy metrics.
 *
 * Undocumented: the names of all fields, and further fields.
 */
export const blueprint = /*#__PURE__*/ z.looseObject({})

/**
 * A JSON Schema.
 *
 * Undocumented: the dialect of JSON Schema and the keywords that are supported.
 */
export const jsonSchemaObject = /*#__PURE__*/ z.looseObject({})

/**
 * The expected values of one training document.
 *
 * Undocumented: the contents.
 */
export const groundTruth = /*#__PURE__*/ z.looseObject({})

/**
 * A request for an optimization. Only `initial_schema` is documented as optional.
 *
 * Undocumented: which fields other than `initial_schema` are required.
 */
export const optimizationRequest = /*#__PURE__*/ (() => z.looseObject({
  name: z.optional(z.string()),
  description: z.optional(z.string()),
  document_type: z.optional(z.string()),
  initial_schema: z.optional(jsonSchemaObject),
  training_documents: z.optional(z.array(z.string()).check(z.minLength(2))),
  ground_truth_data: z.optional(z.array(groundTruth)),
  target_accuracy: z.optional(z.number()),
  max_iterations: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number'))),
  max_cost_usd: z.optional(z.number()),
  validation_split: z.optional(z.number())
}))()

/**
 * A started optimization run.
 */
export const optimizationSubmission = /*#__PURE__*/ (() => z.looseObject({
  job_id: z.string(),
  blueprint_id: z.string(),
  status: z.literal('pending')
}))()

/**
 * The status of an optimization job. No transition from `completed`, `failed` or `cancelled` is documented.
 */
export const optimizationJobStatus = /*#__PURE__*/ z.enum([
  'pending',
  'initializing',
  'running',
  'completed',
  'failed',
  'cancelled'
])

/**
 * The status of an optimization job.
 *
 * Undocumented: which of the other fields are present in which status.
 */
export const optimizationJob = /*#__PURE__*/ (() => z.looseObject({
  status: optimizationJobStatus,
  iteration: z.optional(z.number().check(z.refine(isInteger, 'must be a whole number'))),
  baseline_accuracy: z.optional(z.number()),
  current_accuracy: z.optional(z.number()),
  target_accuracy: z.optional(z.number()),
  total_cost: z.optional(z.number()),
  max_cost_usd: z.optional(z.number())
}))()

/**
 * What to resume.
 *
 * Undocumented: the shape.
 */
export const resumeOptimizationRequest = /*#__PURE__*/ z.unknown()

/**
 * The response to a resumption.
 *
 * Undocumented: the shape.
 */
export const resumeOptimizationResponse = /*#__PURE__*/ z.unknown()

/**
 * The optimized JSON Schema.
 *
 * Undocumented: whether it is the bare JSON Schema or wrapped in an envelope.
 */
export const optimizedSchema = /*#__PURE__*/ z.unknown()

/**
 * The data of the completed job.
 *
 * Undocumented: the shape, and whether it is present when neither a schema nor a blueprint was supplied.
 */
export const jobCompletedData = /*#__PURE__*/ z.unknown()

/**
 * The text and the data.
 *
 * Undocumented: what `text` contains when the text exceeds 1 MB.
 */
export const jobCompletedResult = /*#__PURE__*/ (() => z.looseObject({
  text: z.optional(z.string()),
  data: z.optional(jobCompletedData)
}))()

/**
 * The metadata of the completed job.
 *
 * Undocumented: the shape; whether it is that of the metadata of a job.
 */
export const jobCompletedMetadata = /*#__PURE__*/ z.looseObject({})

/**
 * The body of the webhook. It is not authenticated: fetch the canonical result with the API key.
 *
 * Undocumented: which of the other fields are always present.
 */
export const jobCompletedEvent = /*#__PURE__*/ (() => z.looseObject({
  event: z.literal('job.completed'),
  job_id: z.string().check(z.refine(isUuid, 'must be a UUID')),
  status: z.optional(z.string()),
  result: z.optional(jobCompletedResult),
  metadata: z.optional(jobCompletedMetadata),
  preview_url: z.optional(z.string().check(z.refine(isUri, 'must be a URI')))
}))()

/**
 * The reason for the error; normally a string.
 *
 * Undocumented: the shape when it is neither a string nor the page-limit object of a 429.
 */
export const errorDetail = /*#__PURE__*/ z.unknown()

/**
 * The body of an error.
 */
export const errorBody = /*#__PURE__*/ (() => z.looseObject({
  detail: errorDetail.check(z.refine(isPresent, 'is required'))
}))()

/**
 * The body of a poll's response on a status other than 200 and 500.
 */
export const deviceTokenDenial = /*#__PURE__*/ z.union([
  deviceToken,
  errorBody
])

/**
 * The `detail` of a 429 for a page limit.
 *
 * Undocumented: whether it is about the pages of one document, the monthly page quota, or either.
 */
export const pageLimitDetail = /*#__PURE__*/ (() => z.looseObject({
  error: z.literal('page_count_exceeded'),
  message: z.string(),
  page_count: z.number().check(z.refine(isInteger, 'must be a whole number')),
  max_pages: z.number().check(z.refine(isInteger, 'must be a whole number')),
  plan: z.string()
}))()

/**
 * The body of a 429. `detail` is a string or the page-limit object.
 */
export const rateLimitErrorBody = /*#__PURE__*/ (() => z.looseObject({
  detail: z.union([
    z.string(),
    pageLimitDetail
  ])
}))()

/**
 * The input of `createDeviceCode`.
 */
export const createDeviceCodeInput = /*#__PURE__*/ (() => z.looseObject({
  body: z.optional(deviceCodeRequest)
}))()

/**
 * The body of the success response of `createDeviceCode`.
 */
export const createDeviceCodeOutput = deviceCode

/**
 * The body of a documented error of `createDeviceCode`.
 */
export const createDeviceCodeError = errorBody

/**
 * The input of `pollDeviceToken`.
 */
export const pollDeviceTokenInput = /*#__PURE__*/ z.looseObject({
  body: deviceTokenRequest
})

/**
 * The body of the success response of `pollDeviceToken`.
 */
export const pollDeviceTokenOutput = deviceToken

/**
 * The body of a documented error of `pollDeviceToken`.
 */
export const pollDeviceTokenError = /*#__PURE__*/ z.union([
  errorBody,
  deviceTokenDenial
])

/**
 * The input of `processDocument`.
 */
export const processDocumentInput = /*#__PURE__*/ z.looseObject({
  body: processDocumentRequest
})

/**
 * The body of the success response of `processDocument`.
 */
export const processDocumentOutput = submission

/**
 * The body of a documented error of `processDocument`.
 */
export const processDocumentError = /*#__PURE__*/ z.union([
  errorBody,
  rateLimitErrorBody
])

/**
 * The input of `getJob`.
 */
export const getJobInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    job_id: z.string().check(z.refine(isUuid, 'must be a UUID'))
  })
}))()

/**
 * The body of the success response of `getJob`.
 */
export const getJobOutput = job

/**
 * The body of a documented error of `getJob`.
 */
export const getJobError = /*#__PURE__*/ z.union([
  errorBody,
  rateLimitErrorBody
])

/**
 * The input of `getPreview`.
 */
export const getPreviewInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    token: z.string()
  })
}))()

/**
 * The body of the success response of `getPreview`.
 */
export const getPreviewOutput = previewDocument

/**
 * The body of a documented error of `getPreview`.
 */
export const getPreviewError = errorBody

/**
 * The input of `listPipelines`.
 */
export const listPipelinesInput = /*#__PURE__*/ z.looseObject({})

/**
 * The body of the success response of `listPipelines`.
 */
export const listPipelinesOutput = pipelineList

/**
 * The body of a documented error of `listPipelines`.
 */
export const listPipelinesError = errorBody

/**
 * The input of `listBlueprints`.
 */
export const listBlueprintsInput = /*#__PURE__*/ z.looseObject({})

/**
 * The body of the success response of `listBlueprints`.
 */
export const listBlueprintsOutput = blueprintList

/**
 * The body of a documented error of `listBlueprints`.
 */
export const listBlueprintsError = /*#__PURE__*/ z.union([
  errorBody,
  rateLimitErrorBody
])

/**
 * The input of `getBlueprint`.
 */
export const getBlueprintInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    blueprint_id: z.string().check(z.refine(isUuid, 'must be a UUID'))
  })
}))()

/**
 * The body of the success response of `getBlueprint`.
 */
export const getBlueprintOutput = blueprint

/**
 * The body of a documented error of `getBlueprint`.
 */
export const getBlueprintError = /*#__PURE__*/ z.union([
  errorBody,
  rateLimitErrorBody
])

/**
 * The input of `startOptimization`.
 */
export const startOptimizationInput = /*#__PURE__*/ z.looseObject({
  body: optimizationRequest
})

/**
 * The body of the success response of `startOptimization`.
 */
export const startOptimizationOutput = optimizationSubmission

/**
 * The body of a documented error of `startOptimization`.
 */
export const startOptimizationError = /*#__PURE__*/ z.union([
  errorBody,
  rateLimitErrorBody
])

/**
 * The input of `resumeOptimization`.
 */
export const resumeOptimizationInput = /*#__PURE__*/ (() => z.looseObject({
  body: z.optional(resumeOptimizationRequest)
}))()

/**
 * The body of the success response of `resumeOptimization`.
 */
export const resumeOptimizationOutput = resumeOptimizationResponse

/**
 * The body of a documented error of `resumeOptimization`.
 */
export const resumeOptimizationError = /*#__PURE__*/ z.union([
  errorBody,
  rateLimitErrorBody
])

/**
 * The input of `getOptimizationJob`.
 */
export const getOptimizationJobInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    job_id: z.string()
  })
}))()

/**
 * The body of the success response of `getOptimizationJob`.
 */
export const getOptimizationJobOutput = optimizationJob

/**
 * The body of a documented error of `getOptimizationJob`.
 */
export const getOptimizationJobError = /*#__PURE__*/ z.union([
  errorBody,
  rateLimitErrorBody
])

/**
 * The input of `getOptimizedSchema`.
 */
export const getOptimizedSchemaInput = /*#__PURE__*/ (() => z.looseObject({
  path: z.looseObject({
    job_id: z.string()
  })
}))()

/**
 * The body of the success response of `getOptimizedSchema`.
 */
export const getOptimizedSchemaOutput = optimizedSchema

/**
 * The body of a documented error of `getOptimizedSchema`.
 */
export const getOptimizedSchemaError = /*#__PURE__*/ z.union([
  errorBody,
  rateLimitErrorBody
])
