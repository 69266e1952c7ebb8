/**
 * Everything that the emulator of the extraction service had to choose, because the service's documentation does
 * not show it. Nothing here is a fact about the service; each choice can be replaced. What the documentation does
 * give stands in the contract and in the code beside this file.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'

import { randomText, type RandomSource } from '../core/random.ts'
import { isObject, type JsonObject } from '../core/specification.ts'
import { drawPage } from './document/page-image.ts'
import type { PictureToRead, RecognizedText } from './document/read-document.ts'
import { findFields } from './fields/find-fields.ts'
import type {
  Blueprint,
  DocumentType,
  FieldEntry,
  FoundFields,
  Job,
  Optimization,
  Pipeline,
  ReadPage,
  SubmittedFile,
} from './model.ts'
import { schemaFromExamples } from './optimizer/schema-from-examples.ts'
import type { Plan } from './plans.ts'
import type { RefusalChoices } from './refusals.ts'

/** What the extraction emulator chooses where the service's documentation shows nothing. @public */
export interface ExtractionChoices extends RefusalChoices {
  // Keys and who sees what
  newApiKey(random: RandomSource): string
  keyPrefixOf(apiKey: string): string
  scopeOf(apiKey: string): string

  // The form of a submission
  pipelinePart: string
  pipelineVersionPart: string
  defaultPipeline: Pipeline
  readBooleanText(text: string): boolean | undefined
  includeByDefault: { pages: boolean; images: boolean }
  fileTypeOf(file: SubmittedFile): DocumentType | undefined
  megabyteBytes: number
  readSchema(text: string): { schema: JsonObject } | { problem: string }

  // The course of a job
  queuedMs(job: Job): number
  processingMs(job: Job): number
  unfinishedJobFields: readonly JobField[]
  failedJobFields: readonly JobField[]
  webhookDeliveredWithoutWebhook: boolean | undefined
  webhookDeliveredWhileTrying: boolean | undefined
  failureReason: Readonly<Record<FailureCause, (details: readonly string[]) => string>>

  // The result
  recognizeImage(picture: PictureToRead): RecognizedText | Promise<RecognizedText>
  findFields(question: { schema: JsonObject; pages: readonly ReadPage[] }): FoundFields | Promise<FoundFields>
  joinPages(pages: readonly ReadPage[]): string
  firstCharacters(text: string, count: number): string
  textUrlThresholdBytes: number
  textBesideTextUrl: 'omit' | 'keep'
  textUrlPath: string
  textUrlContentType: string
  pageData(page: ReadPage, fields: Readonly<Record<string, FieldEntry>>): JsonObject
  reviewPercentage(toReview: number, total: number): number
  stepTimings(job: Job): JsonObject

  // The preview
  newPreviewToken(random: RandomSource): string
  previewPath: string
  previewStatus(job: Job): string
  previewBeforeCompletion: boolean
  previewData(job: Job): JsonObject
  previewPagesWithoutImages: boolean
  imagePath: string
  drawPage(page: ReadPage): Uint8Array<ArrayBuffer>

  // Quota and rate
  nextCycleAt(nowMs: number): number
  pagesCounted: 'submitted' | 'completed'
  planLabel(plan: Plan): string
  pageLimitObjectFor: readonly ('page-count' | 'page-quota')[]
  quotaHeaders: { perMonth: string; remaining: string; used: string; resetsAt: string }
  quotaHeadersWithoutKey: { perMonth: number; remaining: number; used: number }
  rateWindow: 'sliding' | 'fixed'
  rateCounts(operationId: string): boolean
  retryAfterSeconds(waitMs: number): number | undefined

  // Device authorization
  newDeviceCode(random: RandomSource): string
  userCodeAlphabet: string
  devicePath: string
  unknownAgentLabel: string
  tokenStatus: Readonly<
    Record<'pending' | 'approved' | 'denied' | 'expired' | 'delivered' | 'unknown', number>
  >
  tokenErrorOnSuccess: string | null
  tokenErrorAfterDelivery: string
  tokenErrorForUnknownCode: string

  // The webhook
  webhookMethod: string
  webhookHeaders(job: Job): Readonly<Record<string, string>>
  webhookAttempts: number
  webhookRetryDelayMs(attempt: number): number
  webhookTimeoutMs: number
  webhookRedirect: 'follow' | 'error' | 'manual'
  webhookStatus(job: Job): string
  webhookText(job: Job): string
  webhookMetadata(metadata: JsonObject): JsonObject
  webhookOnFailure(job: Job): JsonObject | undefined

  // Listings, blueprints and the optimizer
  showPipelines(pipelines: readonly Pipeline[]): unknown
  showBlueprintList(blueprints: readonly Blueprint[]): unknown
  showBlueprint(blueprint: Blueprint): JsonObject
  optimizationPendingMs: number
  optimizationInitializingMs: number
  optimizationIterationMs: number
  baselineAccuracy: number
  iterate(run: Optimization): { accuracy: number; costUsd: number }
  endOfRun(run: Optimization): 'completed' | 'failed' | undefined
  schemaFromGroundTruth(groundTruth: readonly JsonObject[]): JsonObject
  optimizeSchema(run: Optimization): JsonObject
  showOptimizedSchema(schema: JsonObject): unknown
  optimizationFields: 'all' | 'status-only-before-running'
  readResume(body: unknown): { jobId: string } | { blueprintId: string } | undefined
  showResumed(run: Optimization): unknown
}

/** The fields of a job that need not be there. @public */
export type JobField = 'created_at' | 'metadata' | 'preview_url' | 'webhook_url' | 'webhook_delivered'

/** Why the emulator lets a job fail by itself. @public */
export type FailureCause = 'unreadable' | 'required-fields-not-found' | 'page-quota'

const HEX = '0123456789abcdef'

const SIGNATURES: readonly {
  type: DocumentType
  extensions: readonly string[]
  matches(head: string): boolean
}[] = [
  { type: 'application/pdf', extensions: ['pdf'], matches: (head) => head.includes('%PDF-') },
  { type: 'image/png', extensions: ['png'], matches: (head) => head.startsWith('\x89PNG\r\n\x1a\n') },
  { type: 'image/jpeg', extensions: ['jpg', 'jpeg'], matches: (head) => head.startsWith('\xff\xd8\xff') },
]

/** The choices that hold where none is replaced. @public */
export const defaultExtractionChoices: ExtractionChoices = {
  // Not shown: what an API key looks like.
  newApiKey: (random) => `emk_${randomText(random, 40, `${HEX}ghijklmnopqrstuvwxyz`)}`,
  // Not shown: what a key prefix looks like. This one is the start of the key.
  keyPrefixOf: (apiKey) => apiKey.slice(0, 8),
  // Not shown: whether keys of one person see the same jobs. Here every key sees only its own.
  scopeOf: (apiKey) => apiKey,

  // Not shown: the name of the form part that selects the pipeline.
  pipelinePart: 'pipeline',
  // Not shown: the name of the form part that pins the pipeline's version.
  pipelineVersionPart: 'pipeline_version',
  // Not shown: the pipeline that is used where none is selected.
  defaultPipeline: 'standard',
  // Not shown: which spellings of boolean text are accepted. Nothing is answered for one that is not.
  readBooleanText: (text) => {
    const word = text.trim().toLowerCase()
    return word === 'true' ? true : word === 'false' ? false : undefined
  },
  // Not shown: what holds where include_pages and include_images are left out.
  includeByDefault: { pages: false, images: false },
  // Not shown: by what the type of a file is judged. Here the name's extension in any case, and the first bytes must
  // agree; a name without an extension leaves it to the bytes.
  fileTypeOf: ({ name, bytes }) => {
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1024)).toString(
      'latin1',
    )
    const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase()
    return SIGNATURES.find(
      (known) => (extension === undefined || known.extensions.includes(extension)) && known.matches(head),
    )?.type
  },
  // Not shown: whether a MB of the file size limits is 1,000,000 or 1,048,576 bytes.
  megabyteBytes: 1_000_000,
  // Not shown: the dialect and the keywords of JSON Schema that are supported. Here an object that the meta-schema
  // of the 2020-12 dialect accepts, whatever dialect it names.
  readSchema: (text) => {
    let schema: unknown
    try {
      schema = JSON.parse(text)
    } catch {
      return { problem: 'it is not JSON' }
    }
    if (!isObject(schema)) return { problem: 'it is not an object' }
    const { $schema: _dialect, ...rest } = schema
    const ajv = new Ajv2020({ strict: false, logger: false })
    return ajv.validateSchema(rest) === true
      ? { schema }
      : { problem: ajv.errorsText(ajv.errors, { dataVar: 'schema' }) }
  },

  // Not shown: when work starts. The service takes minutes; the emulator is quick so that trying it out is.
  queuedMs: () => 1_000,
  // Not shown: how long work takes exactly (the documentation speaks of about 2-3 and 3-4 minutes).
  processingMs: () => 3_000,
  // Not shown: which optional fields a queued or processing job carries.
  unfinishedJobFields: ['created_at', 'webhook_url'],
  // Not shown: which fields a failed job carries besides id, status and error.
  failedJobFields: [],
  // Not shown: webhook_delivered of a job that was given no webhook. Here the field is absent.
  webhookDeliveredWithoutWebhook: undefined,
  // Not shown: webhook_delivered while delivery is still being tried.
  webhookDeliveredWhileTrying: false,
  // Not shown: the words of `error`.
  failureReason: {
    unreadable: () => 'The document is corrupt or unreadable.',
    'required-fields-not-found': (names) => `Required fields not found: ${names.join(', ')}.`,
    'page-quota': () => 'The monthly page quota is exceeded.',
  },

  // Not the service's: it reads pictures, the emulator cannot. Its text is what a PNG says in its text chunks, if
  // anything; otherwise it is empty, and the page is flagged for review.
  recognizeImage: ({ texts }) => {
    const text = texts.map((chunk) => chunk.text).join('\n')
    return text.trim() === ''
      ? {
          text: '',
          reviewReason: 'The emulator does not recognize text in pictures, and this one has no text chunk.',
        }
      : { text }
  },
  // Not the service's: how values are found. See the function.
  findFields,
  // Not shown: how the pages become one markdown text.
  joinPages: (pages) => pages.map((page) => page.text).join('\n\n'),
  // Not shown: what counts as a character of text_preview. Here a Unicode code point.
  firstCharacters: (text, count) =>
    Array.from(text.slice(0, count * 2))
      .slice(0, count)
      .join(''),
  // Not shown: whether the 1 MB above which text_url is supplied is 1,000,000 or 1,048,576, bytes or characters. Here
  // bytes of UTF-8.
  textUrlThresholdBytes: 1_000_000,
  // Not shown: whether `text` is there too when text_url is.
  textBesideTextUrl: 'omit',
  // Not shown: where text_url leads. No key is needed there, and it does not expire.
  textUrlPath: '/files/{token}/text.md',
  // Not shown: the content type of the text.
  textUrlContentType: 'text/markdown; charset=utf-8',
  // Not shown: what the data of a page holds. Here the entries of the fields that were found on it.
  pageData: (page, fields) =>
    Object.fromEntries(
      Object.entries(fields).filter(([, entry]) => entry.found_on_page === page.number),
    ) as unknown as JsonObject,
  // Not shown: the range of review_percentage. Here 0 to 100.
  reviewPercentage: (toReview, total) => (total === 0 ? 0 : Math.round((toReview / total) * 10_000) / 100),
  // Not shown: what step_timings holds. Here nothing.
  stepTimings: () => ({}),

  // Not shown: what a preview token looks like, and how long it works. Here it works until the emulator ends.
  newPreviewToken: (random) => randomText(random, 32, HEX),
  // Not shown: where preview_url leads, and how it holds the token.
  previewPath: '/preview/{token}',
  // Not shown: the values of the preview's status. Here those of the job.
  previewStatus: (job) => job.status,
  // Not shown: whether there is a preview before the job is completed.
  previewBeforeCompletion: false,
  // Not shown: what the data of the preview holds. Here the entries of the result.
  previewData: (job) => (job.found?.fields ?? {}) as unknown as JsonObject,
  // Not shown: whether the preview has pages where include_images was not set (it never has image_url then).
  previewPagesWithoutImages: true,
  // Not shown: where image_url leads. No key is needed there.
  imagePath: '/files/{token}/page-{page}.png',
  // Not the service's: how a page looks. A submitted PNG is shown as it is.
  drawPage,

  // Not shown: when a cycle ends. Here with the calendar month, in UTC.
  nextCycleAt: (nowMs) => {
    const now = new Date(nowMs)
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
  },
  // Not shown: when the pages of a document are taken from the quota.
  pagesCounted: 'submitted',
  // Not shown: the strings of `plan`.
  planLabel: (plan) => plan.name,
  // Not shown: for which of the two page limits `detail` is the page-limit object.
  pageLimitObjectFor: ['page-count'],
  // Not shown: the names of the four quota headers. These belong to the emulator alone.
  quotaHeaders: {
    perMonth: 'x-emulator-pages-per-month',
    remaining: 'x-emulator-pages-remaining',
    used: 'x-emulator-pages-used',
    resetsAt: 'x-emulator-quota-resets-at',
  },
  // Not shown: the quota headers of responses to callers without a key.
  quotaHeadersWithoutKey: { perMonth: 0, remaining: 0, used: 0 },
  // Not shown: whether the window of a minute slides or is fixed.
  rateWindow: 'sliding',
  // Not shown: which operations count towards the request rate. Here every one that needs a key, polls included.
  rateCounts: () => true,
  // Not shown: whether Retry-After is sent. Here it is not.
  retryAfterSeconds: () => undefined,

  // Not shown: what a device code looks like.
  newDeviceCode: (random) => `emd_${randomText(random, 40, HEX)}`,
  // Not shown: the characters of a user code.
  userCodeAlphabet: 'BCDFGHJKLMNPQRSTVWXZ',
  // Not shown: the address of the page where a user enters the code.
  devicePath: '/device',
  // Not shown: the words of the label for an agent without a name.
  unknownAgentLabel: 'Unknown agent',
  // Not shown: the statuses of the answers to a poll.
  tokenStatus: { pending: 200, approved: 200, denied: 200, expired: 200, delivered: 200, unknown: 200 },
  // Not shown: `error` beside the key.
  tokenErrorOnSuccess: null,
  // Not shown: `error` after the key was handed over.
  tokenErrorAfterDelivery: 'expired_token',
  // Not shown: `error` for a device code that was never given out.
  tokenErrorForUnknownCode: 'expired_token',

  // Not shown: the method of the delivery.
  webhookMethod: 'POST',
  // Not shown: the headers of the delivery besides the content type.
  webhookHeaders: () => ({ 'user-agent': 'concord-emulator' }),
  // Not shown: how often delivery is tried.
  webhookAttempts: 3,
  // Not shown: how long it waits before the second and every later attempt.
  webhookRetryDelayMs: (attempt) => 1_000 * 2 ** (attempt - 2),
  // Not shown: how long a receiver may take.
  webhookTimeoutMs: 10_000,
  // Not shown: whether redirects are followed.
  webhookRedirect: 'manual',
  // Not shown: the values of the webhook's status.
  webhookStatus: (job) => job.status,
  // Not shown: what the webhook's text holds when the text exceeds 1 MB. Here the whole text, always.
  webhookText: (job) => job.text,
  // Not shown: the shape of the webhook's metadata. Here that of the job.
  webhookMetadata: (metadata) => metadata,
  // Not shown: events for failed jobs. Here none is sent.
  webhookOnFailure: () => undefined,

  // Not shown: the shape of the list of pipelines.
  showPipelines: (pipelines) => ({ pipelines: pipelines.map((name) => ({ name })) }),
  // Not shown: the shape of the list of blueprints, and the names of a blueprint's fields.
  showBlueprintList: (blueprints) => ({
    blueprints: blueprints.map((blueprint) => ({
      id: blueprint.id,
      name: blueprint.name,
      active_version: blueprint.activeVersion ?? null,
      accuracy: activeVersion(blueprint)?.accuracy ?? null,
    })),
  }),
  // Not shown: the names of a blueprint's fields.
  showBlueprint: (blueprint) => ({
    id: blueprint.id,
    name: blueprint.name,
    description: blueprint.description ?? null,
    document_type: blueprint.documentType ?? null,
    versions: blueprint.versions.map(({ version, schema, accuracy, createdAt }) => ({
      version,
      schema,
      accuracy: accuracy ?? null,
      created_at: new Date(createdAt).toISOString(),
    })),
    active_version: blueprint.activeVersion ?? null,
    active_schema: activeVersion(blueprint)?.schema ?? null,
    accuracy: activeVersion(blueprint)?.accuracy ?? null,
  }),
  // Not shown: when a run leaves `pending`.
  optimizationPendingMs: 1_000,
  // Not shown: when a run leaves `initializing`.
  optimizationInitializingMs: 1_000,
  // Not shown: how long an iteration takes.
  optimizationIterationMs: 1_000,
  // Not shown: how a baseline is measured, and whether percent means 0 to 100. No evidence about the service.
  baselineAccuracy: 70,
  // Not shown: what an iteration brings and costs. Here half of what is missing to 100, for 0.25 USD.
  iterate: (run) => ({
    accuracy: Math.round((run.currentAccuracy + (100 - run.currentAccuracy) / 2) * 100) / 100,
    costUsd: 0.25,
  }),
  // Not shown: when a run ends, and how. Here it completes when the target is reached or a limit is.
  endOfRun: (run) => {
    const {
      target_accuracy: target = 95,
      max_iterations: iterations = 10,
      max_cost_usd: cost = Infinity,
    } = run.request
    const ends = run.currentAccuracy >= target || run.iteration >= iterations || run.totalCostUsd >= cost
    return ends ? 'completed' : undefined
  },
  // Not shown: how a schema is generated from the ground truth.
  schemaFromGroundTruth: schemaFromExamples,
  // Not shown: what optimization changes. Here each property says what it is, and nothing else changes.
  optimizeSchema: ({ startingSchema }) => ({
    ...startingSchema,
    ...(isObject(startingSchema['properties'])
      ? { properties: describeProperties(startingSchema['properties']) }
      : {}),
  }),
  // Not shown: whether the schema is answered bare or wrapped. Here bare.
  showOptimizedSchema: (schema) => schema,
  // Not shown: which fields an optimization job has in which status.
  optimizationFields: 'all',
  // Not shown: the shape of the request to resume. Here `job_id` or `blueprint_id`.
  readResume: (body) => {
    if (!isObject(body)) return undefined
    if (typeof body['job_id'] === 'string') return { jobId: body['job_id'] }
    if (typeof body['blueprint_id'] === 'string') return { blueprintId: body['blueprint_id'] }
    return undefined
  },
  // Not shown: the shape of the answer. Here that of a started run, with a job identifier of its own: no move out
  // of `failed` is documented, so a resumed run is a new job.
  showResumed: (run) => ({ job_id: run.id, blueprint_id: run.blueprintId, status: run.status }),

  // Not shown: the statuses of these refusals.
  statuses: {
    'request-refused': 400,
    'body-too-large': 413,
    'route-unknown': 404,
    'method-unknown': 405,
    'webhook-not-https': 400,
    'boolean-text-unknown': 400,
    'pipeline-unknown': 400,
    'process-blueprint-unknown': 400,
    'process-blueprint-without-schema': 400,
    'blueprint-not-found': 404,
    'ground-truth-length': 400,
    'optimization-not-found': 404,
    'optimized-schema-not-ready': 404,
    'resume-unreadable': 400,
    'resume-not-failed': 400,
    'preview-not-found': 404,
  },
  // Not shown: the words of every refusal.
  wording: {
    'invalid-schema': ({ reasons = [] }) => `The schema is invalid: ${reasons.join('; ')}.`,
    'unsupported-file-type': ({ value }) =>
      `The file type is not supported: ${value}. Send a PDF, PNG, JPG or JPEG file.`,
    'schema-and-blueprint': () => 'Supply schema or blueprint_id, not both.',
    'key-missing': () => 'The API key is missing.',
    'key-invalid': () => 'The API key is invalid.',
    'job-not-found': () => 'The job was not found.',
    'file-too-large': ({ plan, limit }) => `The file is larger than the ${plan} plan allows (${limit} MB).`,
    'page-quota': ({ limit }) => `The monthly page quota of ${limit} pages is exceeded.`,
    'page-count': ({ count, limit, plan }) =>
      `The document has ${count} pages; the ${plan} plan allows ${limit}.`,
    'request-rate': ({ limit }) => `The request rate of ${limit} requests a minute is exceeded.`,
    'server-error': () => 'The server failed to answer.',
    'request-refused': ({ reasons = [] }) =>
      `The request is not what the contract asks for: ${reasons.join('; ')}.`,
    'body-too-large': ({ limit }) => `The body is larger than ${limit} bytes.`,
    'route-unknown': () => 'There is nothing at this address.',
    'method-unknown': ({ reasons = [] }) => `This address takes ${reasons.join(', ')}.`,
    'webhook-not-https': () => 'The webhook_url must be an HTTPS address.',
    'boolean-text-unknown': ({ value }) => `${value} must be "true" or "false".`,
    'pipeline-unknown': ({ value }) => `There is no pipeline ${value}.`,
    'process-blueprint-unknown': () => 'There is no such blueprint.',
    'process-blueprint-without-schema': () => 'The blueprint has no active version yet.',
    'blueprint-not-found': () => 'The blueprint was not found.',
    'ground-truth-length': () => 'ground_truth_data needs one object for each training document.',
    'optimization-not-found': () => 'The optimization job was not found.',
    'optimized-schema-not-ready': () => 'The optimized schema is there once the optimization has completed.',
    'resume-unreadable': () => 'Name the job_id of a failed optimization job, or a blueprint_id.',
    'resume-not-failed': () => 'Only a failed optimization job can be resumed.',
    'preview-not-found': () => 'The preview was not found.',
  },
}

function activeVersion(blueprint: Blueprint) {
  return blueprint.versions.find((version) => version.version === blueprint.activeVersion)
}

function describeProperties(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      isObject(property) && property['description'] === undefined
        ? { ...property, description: `The ${name.replaceAll('_', ' ')} of the document.` }
        : property,
    ]),
  )
}
