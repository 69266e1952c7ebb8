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
  Account,
  Blueprint,
  DocumentType,
  FieldEntry,
  FoundFields,
  Job,
  Optimization,
  OptimizationRequest,
  Pipeline,
  ReadPage,
  SubmittedFile,
} from './model.ts'
import { schemaFromExamples } from './optimizer/schema-from-examples.ts'
import type { Plan, PlanName } from './plans.ts'
import type { RefusalFacts, RefusalKind, UndocumentedRefusal } from './refusals.ts'

/** What the extraction emulator chooses where the service's documentation shows nothing. @public */
export interface ExtractionChoices {
  // Keys and who sees what
  /** Not shown: what an API key looks like. */
  newApiKey(random: RandomSource): string
  /** Not shown: what a key prefix looks like. This one is the start of the key. */
  keyPrefixOf(apiKey: string): string
  /** Not shown: whether keys of one person see the same jobs. Here every key sees only its own. */
  scopeOf(apiKey: string): string

  // The form of a submission
  /** Not shown: the name of the form part that selects the pipeline. */
  pipelinePart: string
  /** Not shown: the name of the form part that pins the pipeline's version. */
  pipelineVersionPart: string
  /** Not shown: the pipeline that is used where none is selected. */
  defaultPipeline: Pipeline
  /** Not shown: which spellings of boolean text are accepted. `undefined` stands for one that is not. */
  readBooleanText(text: string): boolean | undefined
  /** Not shown: what holds where include_pages and include_images are left out. */
  includeByDefault: { pages: boolean; images: boolean }
  /**
   * Not shown: by what the type of a file is judged. Here the name's extension in any case, and the first
   * bytes must agree; a name without an extension leaves it to the bytes.
   */
  fileTypeOf(file: SubmittedFile): DocumentType | undefined
  /** Not shown: whether a MB of the file size limits is 1,000,000 or 1,048,576 bytes. */
  megabyteBytes: number
  /**
   * Not shown: the dialect and the keywords of JSON Schema that are supported. Here an object that the
   * meta-schema of the 2020-12 dialect accepts, whatever dialect it names.
   */
  readSchema(text: string): { schema: JsonObject } | { problem: string }

  // The course of a job
  /** Not shown: when work starts. The service takes minutes; the emulator is quick so that trying it out is. */
  queuedMs(job: Job): number
  /** Not shown: how long work takes exactly (the documentation speaks of about 2-3 and 3-4 minutes). */
  processingMs(job: Job): number
  /** Not shown: which optional fields a queued or processing job carries. */
  unfinishedJobFields: readonly JobField[]
  /** Not shown: which fields a failed job carries besides id, status and error. */
  failedJobFields: readonly JobField[]
  /** Not shown: further fields of a job, for instance how a searchable PDF is delivered. Here there are none. */
  furtherJobFields(job: Job): JsonObject
  /**
   * Not shown: which fields of metadata are always there. Here every job has all of them; one that was asked for
   * text alone has no field to review, of none.
   */
  metadataFields(job: Job): readonly MetadataField[]
  /** Not shown: webhook_delivered of a job that was given no webhook. Here the field is absent. */
  webhookDeliveredWithoutWebhook: boolean | undefined
  /** Not shown: webhook_delivered while delivery is still being tried. */
  webhookDeliveredWhileTrying: boolean | undefined
  /** Not shown: the words of `error`. */
  failureReason: Readonly<Record<FailureCause, (details: readonly string[]) => string>>

  // The result
  /**
   * Not the service's: it reads pictures, the emulator cannot. The text is that of a PNG's text chunks named
   * `Description`, if it has one; otherwise it is empty, and the page is flagged for review.
   */
  recognizeImage(picture: PictureToRead): RecognizedText | Promise<RecognizedText>
  /**
   * Not the service's: how values are found. Here beside a label that is the property's title, or its name as
   * words; what is not found, cannot be read or is ambiguous is flagged, with a null value or the first one.
   */
  findFields(question: { schema: JsonObject; pages: readonly ReadPage[] }): FoundFields | Promise<FoundFields>
  /** Not shown: the number of the first page. */
  firstPageNumber: number
  /** Not shown: how the pages become one markdown text. */
  joinPages(pages: readonly ReadPage[]): string
  /** Not shown: what counts as a character of text_preview. Here a Unicode code point. */
  firstCharacters(text: string, count: number): string
  /**
   * Not shown: whether the 1 MB above which text_url is supplied is 1,000,000 or 1,048,576, bytes or
   * characters. Here bytes of UTF-8.
   */
  textUrlThresholdBytes: number
  /** Not shown: whether `text` is there too when text_url is. */
  textBesideTextUrl: 'omit' | 'keep'
  /** Not shown: where text_url leads. No key is needed there, and it does not expire. */
  textUrlPath: string
  /** Not shown: the content type of the text. */
  textUrlContentType: string
  /** Not shown: what the data of a page holds. Here the entries of the fields that were found on it. */
  pageData(page: ReadPage, fields: Readonly<Record<string, FieldEntry>>): JsonObject
  /** Not shown: which pages need review and in what words. Here those with a flagged field, and unread pictures. */
  pageReviewReason(page: ReadPage, flaggedFields: readonly string[]): string | null
  /** Not shown: the range of review_percentage. Here 0 to 100. */
  reviewPercentage(toReview: number, total: number): number
  /** Not shown: what step_timings holds. Here nothing. */
  stepTimings(job: Job): JsonObject

  // The preview
  /**
   * Not shown: what a preview token looks like, and how long it works. Here it works until the emulator ends.
   */
  newPreviewToken(random: RandomSource): string
  /** Not shown: where preview_url leads, and how it holds the token. */
  previewPath: string
  /** Not shown: the values of the preview's status. Here those of the job. */
  previewStatus(job: Job): string
  /** Not shown: whether there is a preview before the job is completed. */
  previewBeforeCompletion: boolean
  /** Not shown: what the data of the preview holds. Here the entries of the result. */
  previewData(job: Job): JsonObject
  /**
   * Not shown: whether the preview has pages where include_images was not set (it never has image_url then).
   */
  previewPagesWithoutImages: boolean
  /** Not shown: where image_url leads. No key is needed there. */
  imagePath: string
  /** Not the service's: how a page looks. Here grey bars where text stands; a submitted PNG is shown as it is. */
  drawPage(page: ReadPage): Uint8Array<ArrayBuffer>

  // Quota and rate
  /** Not shown: when a cycle ends. Here with the calendar month, in UTC. */
  nextCycleAt(nowMs: number): number
  /** Not shown: when pages are taken from the quota. A document that cannot be read takes none when submitted. */
  pagesCounted: 'submitted' | 'completed'
  /** Not shown: the strings of `plan`. */
  planLabel(plan: Plan): string
  /** Not shown: for which of the two page limits `detail` is the page-limit object. */
  pageLimitObjectFor: readonly ('page-count' | 'page-quota')[]
  /**
   * Not shown: page_count and max_pages where the page-limit object is used for the quota. Here the pages used with
   * those of the document, and the pages of a month.
   */
  quotaObjectPages(facts: QuotaFacts): { pageCount: number; maxPages: number }
  /** Not shown: the names of the four quota headers. These belong to the emulator alone. */
  quotaHeaders: { perMonth: string; remaining: string; used: string; resetsAt: string }
  /** Not shown: the quota headers of responses to callers without a key. */
  quotaHeadersWithoutKey: { perMonth: number; remaining: number; used: number }
  /** Not shown: whether the window of a minute slides or is fixed. A call that is refused does not count. */
  rateWindow: 'sliding' | 'fixed'
  /**
   * Not shown: which operations count towards the request rate. Here every one, polls included, as far as the call
   * has a rate at all (`rateScope`).
   */
  rateCounts(operationId: string): boolean
  /**
   * Not shown: which calls are counted together (those of a key, an account or an address), and at which rate. Here
   * each key by itself, at the rate of its plan, and public operations, which come without an account, at none. One
   * name for all calls counts by address, since callers of an emulator have one. What gets 401 is never counted.
   */
  rateScope(account: Account | undefined): RateScope | undefined
  /** Not shown: whether Retry-After is sent. Here it is not. */
  retryAfterSeconds(waitMs: number): number | undefined

  // Device authorization
  /** Not shown: what a device code looks like. */
  newDeviceCode(random: RandomSource): string
  /** Not shown: the characters of a user code. */
  userCodeAlphabet: string
  /** Not shown: how a user may type a code. Here in any case, with or without spaces and the hyphen. */
  readUserCode(typed: string): string
  /** Not shown: the address of the page where a user enters the code. */
  devicePath: string
  /** Not shown: how verification_uri_complete holds the code. Here as this query parameter. */
  deviceCodeQuery: string
  /** Not shown: from when expires_in counts. Here from the answer; after it, denied and approved codes expire too. */
  deviceExpiresAt(issuedAtMs: number, lifetimeSeconds: number): number
  /** Not shown: the words of the label for an agent without a name. */
  unknownAgentLabel: string
  /** Not shown: the plan of a key from the device flow. Here `plan` of the emulator's options. */
  deviceKeyPlan(plan: Plan): Plan | PlanName
  /** Not shown: the statuses of the answers to a poll. */
  tokenStatus: Readonly<
    Record<'pending' | 'approved' | 'denied' | 'afterDenial' | 'expired' | 'delivered' | 'unknown', number>
  >
  /** Not shown: `error` beside the key. */
  tokenErrorOnSuccess: string | null
  /** Not shown: what a poll before the interval is over gets. Here the usual answer; a text is sent as `error`. */
  tokenErrorTooFast: string | undefined
  /** Not shown: how early a poll may come. Here this much, because the caller's clock may be a little off. */
  pollToleranceMs: number
  /** Not shown: `error` of the polls after the one that was told of the denial. Here it is told again. */
  tokenErrorAfterDenial: string
  /** Not shown: `error` after the key was handed over. */
  tokenErrorAfterDelivery: string
  /** Not shown: `error` for a device code that was never given out. */
  tokenErrorForUnknownCode: string

  // The webhook
  /** Not shown: the method of the delivery. */
  webhookMethod: string
  /** Not shown: the headers of the delivery besides the content type. */
  webhookHeaders(job: Job): Readonly<Record<string, string>>
  /** Not shown: how many copies are sent; duplicates must be expected, and 0 loses the webhook. */
  webhookCopies(job: Job): number
  /** Not shown: how often delivery of a copy is tried. */
  webhookAttempts: number
  /** Not shown: how long it waits before the second and every later attempt. */
  webhookRetryDelayMs(attempt: number): number
  /** Not shown: how long a receiver may take. */
  webhookTimeoutMs: number
  /** Not shown: whether redirects are followed. */
  webhookRedirect: 'follow' | 'error' | 'manual'
  /** Not shown: the values of the webhook's status. */
  webhookStatus(job: Job): string
  /** Not shown: what the webhook's text holds when the text exceeds 1 MB. Here the whole text, always. */
  webhookText(job: Job): string
  /**
   * Not shown: what the webhook's data holds where neither schema nor blueprint_id was supplied. Here it is absent
   * then, as it is in the job's result.
   */
  webhookData(job: Job): JsonObject | undefined
  /** Not shown: the shape of the webhook's metadata. Here that of the job. */
  webhookMetadata(metadata: JsonObject): JsonObject
  /** Not shown: events for failed jobs. Here none is sent. */
  webhookOnFailure(job: Job): JsonObject | undefined

  // Listings, blueprints and the optimizer
  /** Not shown: the shape of the list of pipelines. */
  showPipelines(pipelines: readonly Pipeline[]): unknown
  /** Not shown: the shape of the list of blueprints, and the names of a blueprint's fields. */
  showBlueprintList(blueprints: readonly Blueprint[]): unknown
  /** Not shown: the names of a blueprint's fields. */
  showBlueprint(blueprint: Blueprint): JsonObject
  /** Not shown: whether a blueprint is listed and can be read before it has a version. Here it is, and can. */
  blueprintIsShown(blueprint: Blueprint): boolean
  /** Not shown: when a run leaves `pending`. */
  optimizationPendingMs: number
  /** Not shown: when a run leaves `initializing`. */
  optimizationInitializingMs: number
  /** Not shown: how long an iteration takes. */
  optimizationIterationMs: number
  /**
   * Not shown: how a baseline is measured, and whether percent means 0 to 100. No evidence about the service.
   */
  baselineAccuracy: number
  /** Not shown: what an iteration brings and costs. Here half of what is missing to 100, for 0.25 USD. */
  iterate(run: Optimization): { accuracy: number; costUsd: number }
  /** Not shown: when a run ends, and how. Here it completes when the target is reached or a limit is. */
  endOfRun(run: Optimization): 'completed' | 'failed' | undefined
  /** Not shown: how a schema is generated from the ground truth. */
  schemaFromGroundTruth(groundTruth: readonly JsonObject[]): JsonObject
  /** Not shown: what optimization changes. Here each property says what it is, and nothing else changes. */
  optimizeSchema(run: Optimization): JsonObject
  /** Not shown: whether the schema is answered bare or wrapped. Here bare. */
  showOptimizedSchema(schema: JsonObject): unknown
  /** Not shown: which fields an optimization job has in which status. */
  optimizationFields: 'all' | 'status-only-before-running'
  /** Not shown: the shape of the request to resume. Here `job_id` or `blueprint_id`. */
  readResume(body: unknown): { jobId: string } | { blueprintId: string } | undefined
  /**
   * Not shown: where a resumed run starts from. Here from the schema that the failed run started from; without one,
   * from the blueprint's active schema or its latest run's. What was asked for is asked for again, and the iterations
   * begin anew.
   */
  resumeFrom(facts: ResumeFacts): ResumePoint
  /**
   * Not shown: the shape of the answer. Here that of a started run, with a job identifier of its own: no move
   * out of `failed` is documented, so a resumed run is a new job.
   */
  showResumed(run: Optimization): unknown

  // Refusals
  /** Not shown: how large a JSON body may be. */
  largestJsonBytes: number
  /** Not shown: how much a form may hold beside the file that the plan allows. */
  formRoomBytes: number
  /** Not shown: the statuses of these refusals. */
  statuses: Readonly<Record<UndocumentedRefusal, number>>
  /** Not shown: the words of every refusal. */
  wording: Readonly<Record<RefusalKind, (facts: RefusalFacts) => string>>
}

/** The fields of a job that need not be there. @public */
export type JobField = 'created_at' | 'metadata' | 'preview_url' | 'webhook_url' | 'webhook_delivered'

/** The fields of a job's metadata. @public */
export type MetadataField =
  | 'page_count'
  | 'pipeline'
  | 'review_percentage'
  | 'fields_requiring_review'
  | 'total_fields'
  | 'step_timings'

/** What a document is refused for, where the month's pages do not suffice. @public */
export interface QuotaFacts {
  /** The pages of the document. */
  documentPages: number
  /** The pages that were used in this cycle before. */
  pagesUsed: number
  plan: Plan
}

/** Calls that count towards one request rate. @public */
export interface RateScope {
  /** Calls with the same name are counted together. */
  name: string
  /** How many of them are answered in a minute; those of an unlimited call (`Infinity`) are not counted. */
  requestsPerMinute: number
}

/** What there is to resume from. @public */
export interface ResumeFacts {
  /** The failed run, where the caller named one. */
  failed?: Optimization
  /** The latest run for the blueprint, where there was one. */
  latest?: Optimization
  /** The schema of the blueprint's active version, where it has one. */
  activeSchema?: JsonObject
}

/** Where a resumed run starts from. @public */
export interface ResumePoint {
  schema: JsonObject
  /** What the run is asked for; `validation_split` is 0.3 where it is left out, as documented. */
  request: Partial<OptimizationRequest>
  /** By default 0. */
  iteration?: number
  /** In percent; by default the baseline. */
  currentAccuracy?: number
  /** By default 0. */
  totalCostUsd?: number
}

/** Why the emulator lets a job fail by itself. @public */
export type FailureCause = 'unreadable' | 'work-failed' | 'required-fields-not-found' | 'page-quota'

const HEX = '0123456789abcdef'

/** Knows the meta-schema of the 2020-12 dialect; made when it is first needed. */
let metaSchema: Ajv2020 | undefined

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
  newApiKey: (random) => `emk_${randomText(random, 40, `${HEX}ghijklmnopqrstuvwxyz`)}`,
  keyPrefixOf: (apiKey) => apiKey.slice(0, 8),
  scopeOf: (apiKey) => apiKey,

  pipelinePart: 'pipeline',
  pipelineVersionPart: 'pipeline_version',
  defaultPipeline: 'standard',
  readBooleanText: (text) => {
    const word = text.trim().toLowerCase()
    return word === 'true' ? true : word === 'false' ? false : undefined
  },
  includeByDefault: { pages: false, images: false },
  fileTypeOf: ({ name, bytes }) => {
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1024)).toString(
      'latin1',
    )
    const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase()
    return SIGNATURES.find(
      (known) => (extension === undefined || known.extensions.includes(extension)) && known.matches(head),
    )?.type
  },
  megabyteBytes: 1_000_000,
  readSchema: (text) => {
    let schema: unknown
    try {
      schema = JSON.parse(text)
    } catch {
      return { problem: 'it is not JSON' }
    }
    if (!isObject(schema)) return { problem: 'it is not an object' }
    const { $schema: _dialect, ...rest } = schema
    metaSchema ??= new Ajv2020({ strict: false, logger: false })
    const ajv = metaSchema
    return ajv.validateSchema(rest) === true
      ? { schema }
      : { problem: ajv.errorsText(ajv.errors, { dataVar: 'schema' }) }
  },

  queuedMs: () => 1_000,
  processingMs: () => 3_000,
  unfinishedJobFields: ['created_at', 'webhook_url'],
  failedJobFields: [],
  furtherJobFields: () => ({}),
  metadataFields: () => [
    'page_count',
    'pipeline',
    'review_percentage',
    'fields_requiring_review',
    'total_fields',
    'step_timings',
  ],
  webhookDeliveredWithoutWebhook: undefined,
  webhookDeliveredWhileTrying: false,
  failureReason: {
    unreadable: () => 'The document is corrupt or unreadable.',
    'work-failed': (details) => `The document could not be worked on: ${details.join('; ')}`,
    'required-fields-not-found': (names) => `Required fields not found: ${names.join(', ')}.`,
    'page-quota': () => 'The monthly page quota is exceeded.',
  },

  recognizeImage: ({ texts }) => {
    const text = texts.flatMap((chunk) => (chunk.keyword === 'Description' ? [chunk.text] : [])).join('\n')
    return text.trim() === ''
      ? {
          text: '',
          reviewReason: 'The emulator does not recognize text in pictures, and this one has no text chunk.',
        }
      : { text }
  },
  // Not the service's: how values are found. See the function.
  findFields,
  firstPageNumber: 1,

  joinPages: (pages) => pages.map((page) => page.text).join('\n\n'),
  firstCharacters: (text, count) =>
    Array.from(text.slice(0, count * 2))
      .slice(0, count)
      .join(''),
  textUrlThresholdBytes: 1_000_000,
  textBesideTextUrl: 'omit',
  textUrlPath: '/files/{token}/text.md',
  textUrlContentType: 'text/markdown; charset=utf-8',
  pageData: (page, fields) =>
    Object.fromEntries(
      Object.entries(fields).filter(([, entry]) => entry.found_on_page === page.number),
    ) as unknown as JsonObject,
  pageReviewReason: (page, flaggedFields) =>
    page.reviewReason ?? (flaggedFields.length > 0 ? `Fields to review: ${flaggedFields.join(', ')}.` : null),
  reviewPercentage: (toReview, total) => (total === 0 ? 0 : Math.round((toReview / total) * 10_000) / 100),
  stepTimings: () => ({}),

  newPreviewToken: (random) => randomText(random, 32, HEX),
  previewPath: '/preview/{token}',
  previewStatus: (job) => job.status,
  previewBeforeCompletion: false,
  previewData: (job) => (job.found?.fields ?? {}) as unknown as JsonObject,
  previewPagesWithoutImages: true,
  imagePath: '/files/{token}/page-{page}.png',
  // Not the service's: how a page looks. A submitted PNG is shown as it is.
  drawPage,

  nextCycleAt: (nowMs) => {
    const now = new Date(nowMs)
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
  },
  pagesCounted: 'submitted',
  planLabel: (plan) => plan.name,
  pageLimitObjectFor: ['page-count'],
  quotaObjectPages: ({ documentPages, pagesUsed, plan }) => ({
    pageCount: pagesUsed + documentPages,
    maxPages: plan.pagesPerMonth,
  }),
  quotaHeaders: {
    perMonth: 'x-emulator-pages-per-month',
    remaining: 'x-emulator-pages-remaining',
    used: 'x-emulator-pages-used',
    resetsAt: 'x-emulator-quota-resets-at',
  },
  quotaHeadersWithoutKey: { perMonth: 0, remaining: 0, used: 0 },
  rateWindow: 'sliding',
  rateCounts: () => true,
  rateScope: (account) => account && { name: account.key, requestsPerMinute: account.plan.requestsPerMinute },
  retryAfterSeconds: () => undefined,

  newDeviceCode: (random) => `emd_${randomText(random, 40, HEX)}`,
  userCodeAlphabet: 'BCDFGHJKLMNPQRSTVWXZ',
  readUserCode: (typed) => typed.replaceAll(/[\s-]/g, '').toUpperCase(),
  devicePath: '/device',
  deviceCodeQuery: 'user_code',
  deviceExpiresAt: (issuedAtMs, lifetimeSeconds) => issuedAtMs + lifetimeSeconds * 1_000,
  unknownAgentLabel: 'Unknown agent',
  deviceKeyPlan: (plan) => plan,
  tokenStatus: {
    pending: 200,
    approved: 200,
    denied: 200,
    afterDenial: 200,
    expired: 200,
    delivered: 200,
    unknown: 200,
  },
  tokenErrorOnSuccess: null,
  tokenErrorTooFast: undefined,
  pollToleranceMs: 50,
  tokenErrorAfterDenial: 'access_denied',
  tokenErrorAfterDelivery: 'expired_token',
  tokenErrorForUnknownCode: 'expired_token',

  webhookMethod: 'POST',
  webhookHeaders: () => ({ 'user-agent': 'concord-emulator' }),
  webhookCopies: () => 1,
  webhookAttempts: 3,
  webhookRetryDelayMs: (attempt) => 1_000 * 2 ** (attempt - 2),
  webhookTimeoutMs: 10_000,
  webhookRedirect: 'manual',
  webhookStatus: (job) => job.status,
  webhookText: (job) => job.text,
  webhookData: (job) => job.found?.fields as unknown as JsonObject | undefined,
  webhookMetadata: (metadata) => metadata,
  webhookOnFailure: () => undefined,

  showPipelines: (pipelines) => ({ pipelines: pipelines.map((name) => ({ name })) }),
  showBlueprintList: (blueprints) => ({
    blueprints: blueprints.map((blueprint) => ({
      id: blueprint.id,
      name: blueprint.name,
      active_version: blueprint.activeVersion ?? null,
      accuracy: activeVersion(blueprint)?.accuracy ?? null,
    })),
  }),
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
  blueprintIsShown: () => true,
  optimizationPendingMs: 1_000,
  optimizationInitializingMs: 1_000,
  optimizationIterationMs: 1_000,
  baselineAccuracy: 70,
  iterate: (run) => ({
    accuracy: Math.round((run.currentAccuracy + (100 - run.currentAccuracy) / 2) * 100) / 100,
    costUsd: 0.25,
  }),
  endOfRun: (run) => {
    const {
      target_accuracy: target = 95,
      max_iterations: iterations = 10,
      max_cost_usd: cost = Infinity,
    } = run.request
    const ends = run.currentAccuracy >= target || run.iteration >= iterations || run.totalCostUsd >= cost
    return ends ? 'completed' : undefined
  },
  schemaFromGroundTruth: schemaFromExamples,
  optimizeSchema: ({ startingSchema }) => ({
    ...startingSchema,
    ...(isObject(startingSchema['properties'])
      ? { properties: describeProperties(startingSchema['properties']) }
      : {}),
  }),
  showOptimizedSchema: (schema) => schema,
  optimizationFields: 'all',
  readResume: (body) => {
    if (!isObject(body)) return undefined
    if (typeof body['job_id'] === 'string') return { jobId: body['job_id'] }
    if (typeof body['blueprint_id'] === 'string') return { blueprintId: body['blueprint_id'] }
    return undefined
  },
  resumeFrom: ({ failed, latest, activeSchema }) => ({
    schema: failed?.startingSchema ?? activeSchema ?? latest?.startingSchema ?? { type: 'object' },
    request: (failed ?? latest)?.request ?? {},
  }),
  showResumed: (run) => ({ job_id: run.id, blueprint_id: run.blueprintId, status: run.status }),

  largestJsonBytes: 67_108_864,
  formRoomBytes: 1_048_576,
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
