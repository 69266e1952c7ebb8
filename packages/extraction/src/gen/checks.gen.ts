// Generated from specs/extraction/openapi.yaml and specs/extraction/asyncapi.yaml by @concord/generate. Do not edit.
import type { CheckDescriptor } from '@concord/runtime/internal'

export const blueprint: CheckDescriptor = {
  accepts: acceptsBlueprint,
  schema: () => import('@concord/extraction-validators').then(({ blueprint }) => blueprint),
}

export const blueprintList: CheckDescriptor = {
  accepts: acceptsBlueprintList,
  schema: () => import('@concord/extraction-validators').then(({ blueprintList }) => blueprintList),
}

export const createDeviceCodeInput: CheckDescriptor = {
  accepts: acceptsCreateDeviceCodeInput,
  schema: () => import('@concord/extraction-validators').then(({ createDeviceCodeInput }) => createDeviceCodeInput),
}

export const deviceCode: CheckDescriptor = {
  accepts: acceptsDeviceCode,
  schema: () => import('@concord/extraction-validators').then(({ deviceCode }) => deviceCode),
}

export const deviceToken: CheckDescriptor = {
  accepts: acceptsDeviceToken,
  schema: () => import('@concord/extraction-validators').then(({ deviceToken }) => deviceToken),
}

export const deviceTokenDenial: CheckDescriptor = {
  accepts: acceptsDeviceTokenDenial,
  schema: () => import('@concord/extraction-validators').then(({ deviceTokenDenial }) => deviceTokenDenial),
}

export const errorBody: CheckDescriptor = {
  accepts: acceptsErrorBody,
  schema: () => import('@concord/extraction-validators').then(({ errorBody }) => errorBody),
}

export const getBlueprintInput: CheckDescriptor = {
  accepts: acceptsGetBlueprintInput,
  schema: () => import('@concord/extraction-validators').then(({ getBlueprintInput }) => getBlueprintInput),
}

export const getJobInput: CheckDescriptor = {
  accepts: acceptsGetJobInput,
  schema: () => import('@concord/extraction-validators').then(({ getJobInput }) => getJobInput),
}

export const getOptimizationJobInput: CheckDescriptor = {
  accepts: acceptsGetOptimizationJobInput,
  schema: () => import('@concord/extraction-validators').then(({ getOptimizationJobInput }) => getOptimizationJobInput),
}

export const getOptimizedSchemaInput: CheckDescriptor = {
  accepts: acceptsGetOptimizedSchemaInput,
  schema: () => import('@concord/extraction-validators').then(({ getOptimizedSchemaInput }) => getOptimizedSchemaInput),
}

export const getPreviewInput: CheckDescriptor = {
  accepts: acceptsGetPreviewInput,
  schema: () => import('@concord/extraction-validators').then(({ getPreviewInput }) => getPreviewInput),
}

export const job: CheckDescriptor = {
  accepts: acceptsJob,
  schema: () => import('@concord/extraction-validators').then(({ job }) => job),
}

export const optimizationJob: CheckDescriptor = {
  accepts: acceptsOptimizationJob,
  schema: () => import('@concord/extraction-validators').then(({ optimizationJob }) => optimizationJob),
}

export const optimizationSubmission: CheckDescriptor = {
  accepts: acceptsOptimizationSubmission,
  schema: () => import('@concord/extraction-validators').then(({ optimizationSubmission }) => optimizationSubmission),
}

export const optimizedSchema: CheckDescriptor = {
  accepts: acceptsOptimizedSchema,
  schema: () => import('@concord/extraction-validators').then(({ optimizedSchema }) => optimizedSchema),
}

export const pipelineList: CheckDescriptor = {
  accepts: acceptsPipelineList,
  schema: () => import('@concord/extraction-validators').then(({ pipelineList }) => pipelineList),
}

export const pollDeviceTokenInput: CheckDescriptor = {
  accepts: acceptsPollDeviceTokenInput,
  schema: () => import('@concord/extraction-validators').then(({ pollDeviceTokenInput }) => pollDeviceTokenInput),
}

export const previewDocument: CheckDescriptor = {
  accepts: acceptsPreviewDocument,
  schema: () => import('@concord/extraction-validators').then(({ previewDocument }) => previewDocument),
}

export const processDocumentInput: CheckDescriptor = {
  accepts: acceptsProcessDocumentInput,
  schema: () => import('@concord/extraction-validators').then(({ processDocumentInput }) => processDocumentInput),
}

export const rateLimitErrorBody: CheckDescriptor = {
  accepts: acceptsRateLimitErrorBody,
  schema: () => import('@concord/extraction-validators').then(({ rateLimitErrorBody }) => rateLimitErrorBody),
}

export const resumeOptimizationInput: CheckDescriptor = {
  accepts: acceptsResumeOptimizationInput,
  schema: () => import('@concord/extraction-validators').then(({ resumeOptimizationInput }) => resumeOptimizationInput),
}

export const resumeOptimizationResponse: CheckDescriptor = {
  accepts: acceptsResumeOptimizationResponse,
  schema: () => import('@concord/extraction-validators').then(({ resumeOptimizationResponse }) => resumeOptimizationResponse),
}

export const startOptimizationInput: CheckDescriptor = {
  accepts: acceptsStartOptimizationInput,
  schema: () => import('@concord/extraction-validators').then(({ startOptimizationInput }) => startOptimizationInput),
}

export const submission: CheckDescriptor = {
  accepts: acceptsSubmission,
  schema: () => import('@concord/extraction-validators').then(({ submission }) => submission),
}

export function acceptsBlueprint(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsBlueprintList(_value: unknown): boolean {
  return true
}

export function acceptsCreateDeviceCodeInput(value: unknown): boolean {
  return isRecord(value) && (value['body'] === undefined || acceptsDeviceCodeRequest(value['body']))
}

export function acceptsDeviceCodeRequest(value: unknown): boolean {
  return isRecord(value) && (value['agent_name'] === undefined || typeof value['agent_name'] === 'string')
}

export function acceptsDeviceCode(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['device_code'] === 'string' &&
    typeof value['user_code'] === 'string' &&
    /^.{4}-.{4}$/u.test(value['user_code']) &&
    typeof value['verification_uri'] === 'string' &&
    isUri(value['verification_uri']) &&
    (value['verification_uri_complete'] === undefined || (typeof value['verification_uri_complete'] === 'string' && isUri(value['verification_uri_complete']))) &&
    (value['expires_in'] === undefined || (typeof value['expires_in'] === 'number' && Number.isInteger(value['expires_in']))) &&
    (value['interval'] === undefined || (typeof value['interval'] === 'number' && Number.isInteger(value['interval'])))
  )
}

export function acceptsDeviceToken(value: unknown): boolean {
  return (
    isRecord(value) &&
    (acceptsDeviceTokenErrorCode(value['error']) || value['error'] === null) &&
    (typeof value['api_key'] === 'string' || value['api_key'] === null) &&
    (typeof value['key_prefix'] === 'string' || value['key_prefix'] === null)
  )
}

export function acceptsDeviceTokenErrorCode(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsDeviceTokenDenial(value: unknown): boolean {
  return acceptsDeviceToken(value) || acceptsErrorBody(value)
}

export function acceptsErrorBody(value: unknown): boolean {
  return isRecord(value) && value['detail'] !== undefined
}

export function acceptsGetBlueprintInput(value: unknown): boolean {
  return isRecord(value) && hasUuidBlueprintId(value['path'])
}

function hasUuidBlueprintId(value: unknown): boolean {
  return isRecord(value) && typeof value['blueprint_id'] === 'string' && isUuid(value['blueprint_id'])
}

export function acceptsGetJobInput(value: unknown): boolean {
  return isRecord(value) && hasUuidJobId(value['path'])
}

function hasUuidJobId(value: unknown): boolean {
  return isRecord(value) && typeof value['job_id'] === 'string' && isUuid(value['job_id'])
}

export function acceptsGetOptimizationJobInput(value: unknown): boolean {
  return isRecord(value) && hasStringJobId(value['path'])
}

function hasStringJobId(value: unknown): boolean {
  return isRecord(value) && typeof value['job_id'] === 'string'
}

export function acceptsGetOptimizedSchemaInput(value: unknown): boolean {
  return isRecord(value) && hasStringJobId(value['path'])
}

export function acceptsGetPreviewInput(value: unknown): boolean {
  return isRecord(value) && hasStringToken(value['path'])
}

function hasStringToken(value: unknown): boolean {
  return isRecord(value) && typeof value['token'] === 'string'
}

export function acceptsJob(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    isUuid(value['id']) &&
    acceptsJobStatus(value['status']) &&
    (value['created_at'] === undefined || acceptsTimestamp(value['created_at'])) &&
    (value['completed_at'] === undefined || acceptsTimestamp(value['completed_at'])) &&
    (value['result'] === undefined || acceptsResult(value['result'])) &&
    (value['metadata'] === undefined || acceptsMetadata(value['metadata'])) &&
    (value['preview_url'] === undefined || (typeof value['preview_url'] === 'string' && isUri(value['preview_url']))) &&
    (value['webhook_url'] === undefined || (typeof value['webhook_url'] === 'string' && isUri(value['webhook_url']) && /^[hH][tT][tT][pP][sS]:\/\//u.test(value['webhook_url']))) &&
    (value['webhook_delivered'] === undefined || typeof value['webhook_delivered'] === 'boolean') &&
    (value['error'] === undefined || typeof value['error'] === 'string')
  )
}

export function acceptsJobStatus(value: unknown): boolean {
  return value === 'queued' || value === 'processing' || value === 'completed' || value === 'failed'
}

export function acceptsTimestamp(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    /^(?:(?:\d{4}|[+-]\d{6})(?:(-?)(?:(?:0[13578]|1[02])\1(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)\1(?:0[1-9]|[12]\d|30)|02\1(?:0[1-9]|1\d|2[0-8]))|(-?)W(?:0[1-9]|[1-4]\d|5[0-3])\2[1-7]|-?(?:00[1-9]|0[1-9]\d|[12]\d\d|3[0-5]\d|36[0-5]))|(?:[+-]\d\d)?(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)(?:0229|-02-29|-?366))(?:[Tt ](?:(?:[01]\d|2[0-3])(?:(:?)[0-5]\d(?:\3(?:[0-5]\d|60))?)?(?:[.,]\d+)?|24(?:(:?)00(?:\4(?:00))?)?(?:[.,]0+)?)(?:[Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?)?$/u.test(value)
  )
}

export function acceptsResult(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['text'] === undefined || typeof value['text'] === 'string') &&
    (value['text_preview'] === undefined || typeof value['text_preview'] === 'string') &&
    (value['text_url'] === undefined || (typeof value['text_url'] === 'string' && isUri(value['text_url']))) &&
    (value['data'] === undefined || acceptsExtractedFields(value['data'])) &&
    (value['pages'] === undefined || (Array.isArray(value['pages']) && hasItemsOf(value['pages'], acceptsPageEntry)))
  )
}

export function acceptsExtractedFields(value: unknown): boolean {
  return isMapOf(value, acceptsFieldEntry)
}

export function acceptsFieldEntry(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['hil_flag'] === 'boolean' &&
    (value['reason'] === undefined || typeof value['reason'] === 'string') &&
    (value['found_on_page'] === undefined || (typeof value['found_on_page'] === 'number' && Number.isInteger(value['found_on_page'])) || value['found_on_page'] === null)
  )
}

export function acceptsPageEntry(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['page_number'] === undefined || (typeof value['page_number'] === 'number' && Number.isInteger(value['page_number']))) &&
    (value['text'] === undefined || typeof value['text'] === 'string') &&
    (value['hil_flag'] === undefined || typeof value['hil_flag'] === 'boolean') &&
    (value['review_reason'] === undefined || typeof value['review_reason'] === 'string' || value['review_reason'] === null) &&
    (value['data'] === undefined || acceptsPageData(value['data']))
  )
}

export function acceptsPageData(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsMetadata(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['page_count'] === undefined || (typeof value['page_count'] === 'number' && Number.isInteger(value['page_count']))) &&
    (value['pipeline'] === undefined || acceptsPipeline(value['pipeline'])) &&
    (value['review_percentage'] === undefined || (typeof value['review_percentage'] === 'number' && Number.isFinite(value['review_percentage']))) &&
    (value['fields_requiring_review'] === undefined || (typeof value['fields_requiring_review'] === 'number' && Number.isInteger(value['fields_requiring_review']))) &&
    (value['total_fields'] === undefined || (typeof value['total_fields'] === 'number' && Number.isInteger(value['total_fields']))) &&
    (value['step_timings'] === undefined || acceptsStepTimings(value['step_timings']))
  )
}

export function acceptsPipeline(value: unknown): boolean {
  return value === 'standard' || value === 'searchable'
}

export function acceptsStepTimings(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsOptimizationJob(value: unknown): boolean {
  return (
    isRecord(value) &&
    acceptsOptimizationJobStatus(value['status']) &&
    (value['iteration'] === undefined || (typeof value['iteration'] === 'number' && Number.isInteger(value['iteration']))) &&
    (value['baseline_accuracy'] === undefined || (typeof value['baseline_accuracy'] === 'number' && Number.isFinite(value['baseline_accuracy']))) &&
    (value['current_accuracy'] === undefined || (typeof value['current_accuracy'] === 'number' && Number.isFinite(value['current_accuracy']))) &&
    (value['target_accuracy'] === undefined || (typeof value['target_accuracy'] === 'number' && Number.isFinite(value['target_accuracy']))) &&
    (value['total_cost'] === undefined || (typeof value['total_cost'] === 'number' && Number.isFinite(value['total_cost']))) &&
    (value['max_cost_usd'] === undefined || (typeof value['max_cost_usd'] === 'number' && Number.isFinite(value['max_cost_usd'])))
  )
}

export function acceptsOptimizationJobStatus(value: unknown): boolean {
  return (
    value === 'pending' || value === 'initializing' || value === 'running' || value === 'completed' || value === 'failed' || value === 'cancelled'
  )
}

export function acceptsOptimizationSubmission(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['job_id'] === 'string' &&
    typeof value['blueprint_id'] === 'string' &&
    value['status'] === 'pending'
  )
}

export function acceptsOptimizedSchema(_value: unknown): boolean {
  return true
}

export function acceptsPipelineList(_value: unknown): boolean {
  return true
}

export function acceptsPollDeviceTokenInput(value: unknown): boolean {
  return isRecord(value) && acceptsDeviceTokenRequest(value['body'])
}

export function acceptsDeviceTokenRequest(value: unknown): boolean {
  return isRecord(value) && typeof value['device_code'] === 'string'
}

export function acceptsPreviewDocument(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['file_name'] === undefined || typeof value['file_name'] === 'string') &&
    (value['status'] === undefined || typeof value['status'] === 'string') &&
    (value['created_at'] === undefined || acceptsTimestamp(value['created_at'])) &&
    (value['pages'] === undefined || (Array.isArray(value['pages']) && hasItemsOf(value['pages'], acceptsPreviewPage))) &&
    (value['data'] === undefined || acceptsPreviewData(value['data'])) &&
    (value['metadata'] === undefined || acceptsPreviewMetadata(value['metadata']))
  )
}

export function acceptsPreviewPage(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['page_number'] === undefined || (typeof value['page_number'] === 'number' && Number.isInteger(value['page_number']))) &&
    (value['image_url'] === undefined || (typeof value['image_url'] === 'string' && isUri(value['image_url']))) &&
    (value['text'] === undefined || typeof value['text'] === 'string') &&
    (value['hil_flag'] === undefined || typeof value['hil_flag'] === 'boolean') &&
    (value['data'] === undefined || acceptsPreviewData(value['data']))
  )
}

export function acceptsPreviewData(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsPreviewMetadata(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['page_count'] === undefined || (typeof value['page_count'] === 'number' && Number.isInteger(value['page_count']))) &&
    (value['pipeline'] === undefined || typeof value['pipeline'] === 'string') &&
    (value['review_percentage'] === undefined || (typeof value['review_percentage'] === 'number' && Number.isFinite(value['review_percentage'])))
  )
}

export function acceptsProcessDocumentInput(value: unknown): boolean {
  return isRecord(value) && acceptsProcessDocumentRequest(value['body'])
}

export function acceptsProcessDocumentRequest(value: unknown): boolean {
  return (
    isRecord(value) &&
    isBinaryInput(value['file']) &&
    (value['schema'] === undefined || typeof value['schema'] === 'string') &&
    (value['blueprint_id'] === undefined || (typeof value['blueprint_id'] === 'string' && isUuid(value['blueprint_id']))) &&
    (value['include_images'] === undefined || typeof value['include_images'] === 'string') &&
    (value['include_pages'] === undefined || typeof value['include_pages'] === 'string') &&
    (value['webhook_url'] === undefined || (typeof value['webhook_url'] === 'string' && isUri(value['webhook_url']) && /^[hH][tT][tT][pP][sS]:\/\//u.test(value['webhook_url']))) &&
    (value['schema'] === undefined || value['blueprint_id'] === undefined)
  )
}

export function acceptsRateLimitErrorBody(value: unknown): boolean {
  return isRecord(value) && (typeof value['detail'] === 'string' || acceptsPageLimitDetail(value['detail']))
}

export function acceptsPageLimitDetail(value: unknown): boolean {
  return (
    isRecord(value) &&
    value['error'] === 'page_count_exceeded' &&
    typeof value['message'] === 'string' &&
    typeof value['page_count'] === 'number' &&
    Number.isInteger(value['page_count']) &&
    typeof value['max_pages'] === 'number' &&
    Number.isInteger(value['max_pages']) &&
    typeof value['plan'] === 'string'
  )
}

export function acceptsResumeOptimizationInput(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsResumeOptimizationResponse(_value: unknown): boolean {
  return true
}

export function acceptsStartOptimizationInput(value: unknown): boolean {
  return isRecord(value) && acceptsOptimizationRequest(value['body'])
}

export function acceptsOptimizationRequest(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value['name'] === undefined || typeof value['name'] === 'string') &&
    (value['description'] === undefined || typeof value['description'] === 'string') &&
    (value['document_type'] === undefined || typeof value['document_type'] === 'string') &&
    (value['initial_schema'] === undefined || acceptsJsonSchemaObject(value['initial_schema'])) &&
    (value['training_documents'] === undefined || (Array.isArray(value['training_documents']) && hasItemsOf(value['training_documents'], isString) && value['training_documents'].length >= 2)) &&
    (value['ground_truth_data'] === undefined || (Array.isArray(value['ground_truth_data']) && hasItemsOf(value['ground_truth_data'], acceptsGroundTruth))) &&
    (value['target_accuracy'] === undefined || (typeof value['target_accuracy'] === 'number' && Number.isFinite(value['target_accuracy']))) &&
    (value['max_iterations'] === undefined || (typeof value['max_iterations'] === 'number' && Number.isInteger(value['max_iterations']))) &&
    (value['max_cost_usd'] === undefined || (typeof value['max_cost_usd'] === 'number' && Number.isFinite(value['max_cost_usd']))) &&
    (value['validation_split'] === undefined || (typeof value['validation_split'] === 'number' && Number.isFinite(value['validation_split'])))
  )
}

export function acceptsJsonSchemaObject(value: unknown): boolean {
  return isRecord(value)
}

function isString(value: unknown): boolean {
  return typeof value === 'string'
}

export function acceptsGroundTruth(value: unknown): boolean {
  return isRecord(value)
}

export function acceptsSubmission(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['id'] === 'string' &&
    isUuid(value['id']) &&
    value['status'] === 'queued'
  )
}

/** Returns whether a value is an object other than an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether a value is a plain object whose values all pass a test. Keys that are symbols aren't allowed. */
export function isMapOf(value: unknown, test: (value: unknown) => boolean): value is Record<string, unknown> {
  if (!isRecord(value)) return false
  const maker = value['constructor']
  // Only `Object.prototype` has an own property `isPrototypeOf`. Unlike a comparison with `Object`, this test also
  // recognizes plain objects from other realms, such as iframes. If `constructor` isn't a function, it is an ordinary
  // property of a plain object.
  if (typeof maker === 'function' && !Object.hasOwn(Object(maker.prototype) as object, 'isPrototypeOf'))
    return false
  return Reflect.ownKeys(value).every((name) => typeof name === 'string' && test(value[name]))
}

/** Returns whether all items pass a test. Unlike `every`, also tests the holes of a sparse array. */
export function hasItemsOf(items: readonly unknown[], test: (value: unknown) => boolean): boolean {
  for (const item of items) if (!test(item)) return false
  return true
}

/**
 * Returns whether a value can be sent as bytes: a file path, bytes, a Blob or a stream, or an object with one of
 * these as `content`.
 */
export function isBinaryInput(value: unknown): boolean {
  if (typeof value === 'string' || isBytes(value)) return true
  if (typeof value !== 'object' || value === null) return false
  // The file pickers of React Native return objects with a `uri`.
  if ('uri' in value) return typeof value.uri === 'string'
  if (!('content' in value)) return false
  const { content, filename, contentType, sizeBytes } = value as Record<string, unknown>
  return (
    (typeof content === 'string' || isBytes(content)) &&
    (filename === undefined || typeof filename === 'string') &&
    (contentType === undefined || typeof contentType === 'string') &&
    (sizeBytes === undefined || (typeof sizeBytes === 'number' && sizeBytes >= 0))
  )
}

function isBytes(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  // `instanceof` would return false for objects from test environments and iframes, which have their own classes.
  if (ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === '[object ArrayBuffer]')
    return true
  const { size, slice, getReader } = value as { size?: unknown; slice?: unknown; getReader?: unknown }
  const isBlob = typeof size === 'number' && typeof slice === 'function'
  return isBlob || Symbol.asyncIterator in value || typeof getReader === 'function'
}

/** Returns whether a value is a Blob. Clients return the bytes of a response as a Blob. */
export function isBlob(value: unknown): boolean {
  return value instanceof Blob
}

/** Returns whether a string is a UUID (RFC 9562) of any version, in upper or lower case, also after `urn:uuid:`. */
export function isUuid(value: string): boolean {
  return /^(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)
}

let uri: RegExp | undefined

/** Returns whether a string is a URI with a scheme (RFC 3986). As in Ajv, something must follow the scheme. */
export function isUri(value: string): boolean {
  // Most URIs match this pattern. The pattern for the whole grammar is compiled only when it is needed.
  if (
    /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?(?:\/[\w.~!$&'()*+,;=:@/-]*)?(?:\?[\w.~!$&'()*+,;=:@/?-]*)?$/i.test(
      value,
    )
  )
    return true
  uri ??= uriExpression()
  return uri.test(value)
}

function uriExpression(): RegExp {
  const escaped = '%[0-9a-f]{2}'
  const plain = "a-z0-9\\-._~!$&'()*+,;="
  const character = `(?:[${plain}:@]|${escaped})`
  const byte = '(?:25[0-5]|2[0-4]\\d|[01]?\\d\\d?)'
  const group = '[0-9a-f]{1,4}'
  const last = `(?:${group}:${group}|(?:${byte}\\.){3}${byte})`
  const upTo = (count: number) => `(?:(?:${group}:){0,${count}}${group})?::`
  const shortened = [0, 1, 2, 3, 4].map((count) => `${upTo(count)}(?:${group}:){${4 - count}}${last}`)
  const ipv6 = [
    `(?:${group}:){6}${last}`,
    `::(?:${group}:){5}${last}`,
    ...shortened,
    `${upTo(5)}${group}`,
    upTo(6),
  ]
  const host = `(?:\\[(?:${ipv6.join('|')}|v[0-9a-f]+\\.[${plain}:]+)\\]|(?:[${plain}]|${escaped})*)`
  const authority = `(?:(?:[${plain}:]|${escaped})*@)?${host}(?::\\d*)?`
  const segments = `(?:/${character}*)*`
  const path = `(?:/?/${authority}${segments}|/(?:${character}+${segments})?|${character}+${segments})`
  const tail = `(?:[${plain}:@/?]|${escaped})*`
  return new RegExp(`^[a-z][a-z0-9+\\-.]*:${path}(?:\\?${tail})?(?:#${tail})?$`, 'i')
}
