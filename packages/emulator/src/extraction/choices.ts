/**
 * Everything that the emulator of the extraction service had to choose, because the service's documentation does
 * not show it. Nothing here is a fact about the service; each choice can be replaced. What the documentation does
 * give stands in the contract and in the code beside this file.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'

import { eachOf, groupOf, oneOf, SCHEMAS, type ChoiceDefinition } from '../core/choices.ts'
import type { DeliveryPolicy } from '../core/deliver.ts'
import { randomText, type RandomSource } from '../core/random.ts'
import type { OtherBody, SuccessChoices } from '../core/service.ts'
import { isObject, type JsonObject } from '../core/specification.ts'
import { drawPage } from './document/page-image.ts'
import type { PictureToRead, RecognizedText } from './document/read-document.ts'
import { findFields } from './fields/find-fields.ts'
import type {
  Account,
  Blueprint,
  DocumentType,
  ExtractionSuccess,
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
export interface ExtractionChoices extends SuccessChoices<ExtractionSuccess> {
  // Keys and who sees what
  /** Not shown: what an API key, a preview token and a device code look like, and how long a preview token works. */
  newIdentifier(kind: 'api-key' | 'preview-token' | 'device-code', random: RandomSource): string
  /** Not shown: what a key prefix looks like. This one is the start of the key. */
  keyPrefixOf(apiKey: string): string
  /** Not shown: whether keys of one person see the same jobs. Here every key sees only its own. */
  scopeOf(apiKey: string): string

  // The form of a submission
  /**
   * Not shown: the names of the form parts that select the pipeline and pin its version, the pipeline that is used where
   * none is selected, and what holds where include_pages and include_images are left out.
   */
  form: {
    pipelinePart: string
    versionPart: string
    pipeline: Pipeline
    includePages: boolean
    includeImages: boolean
  }
  /**
   * Not shown: the content type of POST /v1/optimize and of resuming, and how documents are transferred there. Here JSON
   * alone; this reads a body of another type as JSON, and `undefined` refuses it.
   */
  readBody(body: OtherBody): unknown
  /** Not shown: which spellings of boolean text are accepted. `undefined` stands for one that is not. */
  readBooleanText(text: string): boolean | undefined
  /**
   * Not shown: by what the type of a file is judged. Here the name's extension in any case, and the first
   * bytes must agree; a name without an extension leaves it to the bytes.
   */
  fileTypeOf(file: SubmittedFile): DocumentType | undefined
  /**
   * Not shown: whether a MB of the file size limits is 1,000,000 or 1,048,576 bytes, how large a JSON body may be, and how
   * much a form may hold beside the file that the plan allows.
   */
  sizes: { megabyteBytes: number; jsonBytes: number; formRoomBytes: number }
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
  /** Not shown: events for failed jobs (here none, which is `undefined`), and the values and shapes of a webhook's fields. `body` is the emulator's own. */
  showWebhook(event: { job: Job; body: JsonObject | undefined }): JsonObject | undefined
  /**
   * Not shown: how a webhook is delivered. `copies`: how many are sent, since duplicates must be expected, and 0 loses it.
   * `attempts`: how often each is tried. What is left out is as the emulator has it: POST, one copy, 3 attempts, 1 s
   * before the second and twice as long before each later one, 10 s for the receiver, no redirects.
   */
  webhookDelivery(job: Job): Partial<DeliveryPolicy>
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
  /**
   * Not shown: whether the 1 MB above which text_url is supplied is 1,000,000 or 1,048,576, bytes or
   * characters. Here bytes of UTF-8.
   */
  textUrlThresholdBytes: number
  /** Not shown: whether `text` is there too when text_url is. */
  textBesideTextUrl: 'omit' | 'keep'

  // The preview
  /**
   * Not shown: where text_url, preview_url and image_url lead and how they hold the token (no key is needed there, and they
   * do not expire), where a user enters a device code, and in which query parameter verification_uri_complete has it.
   */
  paths: { text: string; preview: string; image: string; device: string; deviceQuery: string }
  /** Not shown: whether there is a preview before the job is completed. */
  previewBeforeCompletion: boolean
  /** Not the service's: how a page looks. Here grey bars where text stands; a submitted PNG is shown as it is. */
  drawPage(page: ReadPage): Uint8Array<ArrayBuffer>

  // Quota and rate
  /** Not shown: when a cycle ends. Here with the calendar month, in UTC. */
  nextCycleAt(nowMs: number): number
  /**
   * Not shown: when pages are taken from the quota (a document that cannot be read takes none when submitted), and for
   * which of the two page limits `detail` is the page-limit object.
   */
  pageLimits: { counted: 'submitted' | 'completed'; objectFor: readonly ('page-count' | 'page-quota')[] }
  /** Not shown: the strings of `plan`. */
  planLabel(plan: Plan): string
  /**
   * Not shown: page_count and max_pages where the page-limit object is used for the quota. Here the pages used with
   * those of the document, and the pages of a month.
   */
  quotaObjectPages(facts: QuotaFacts): { pageCount: number; maxPages: number }
  /** Not shown: the names of the four quota headers, and their values without a key. These belong to the emulator alone. */
  quotaHeaders(quota: PageQuota): Readonly<Record<string, string>>
  /** Not shown: whether the window of a minute slides or is fixed. A call that is refused does not count. */
  rateWindow: 'sliding' | 'fixed'
  /**
   * Not shown: which operations count towards the request rate (polls included?), which calls are counted together (those
   * of a key, an account or an address), and at which rate. Here each key by itself, every operation, at the rate of its
   * plan, and public operations, which come without an account, at none. One name for all calls counts by address, since
   * callers of an emulator have one. What gets 401 is never counted.
   */
  rateScope(account: Account | undefined, operation: string): RateScope | undefined
  /** Not shown: whether Retry-After is sent. Here it is not. */
  retryAfterSeconds(waitMs: number): number | undefined

  // Device authorization
  /**
   * Not shown: the characters of a user code, the words of the label for an agent without a name, and how early a poll may
   * come, because the caller's clock may be a little off.
   */
  device: { userCodeAlphabet: string; unknownAgentLabel: string; pollToleranceMs: number }
  /** Not shown: how a user may type a code. Here in any case, with or without spaces and the hyphen. */
  readUserCode(typed: string): string
  /** Not shown: the plan of a key from the device flow. Here `plan` of the emulator's options. */
  deviceKeyPlan(plan: Plan): Plan | PlanName

  /**
   * Not shown: the statuses of the answers to a poll, `error` beside the key, and `error` after the denial was told, after
   * the key was handed over, for a code that was never given out, and for a poll before the interval is over. What is left
   * out is as the emulator has it: 200; null beside the key; `access_denied` again; `expired_token` for the next two; the
   * usual answer.
   */
  answerPoll(state: PollState): { status?: number; error?: string | null }

  // Listings, blueprints and the optimizer
  /** Not shown: whether a blueprint is listed and can be read before it has a version. Here it is, and can. */
  blueprintIsShown(blueprint: Blueprint): boolean
  /**
   * Not shown: when a run leaves `pending` and `initializing`, how long an iteration takes, how a baseline is measured, and
   * whether percent means 0 to 100. No evidence about the service.
   */
  optimization: { pendingMs: number; initializingMs: number; iterationMs: number; baselineAccuracy: number }
  /** Not shown: what an iteration brings and costs. Here half of what is missing to 100, for 0.25 USD. */
  iterate(run: Optimization): { accuracy: number; costUsd: number }
  /** Not shown: when a run ends, and how. Here it completes when the target is reached or a limit is. */
  endOfRun(run: Optimization): 'completed' | 'failed' | undefined
  /** Not shown: how a schema is generated from the ground truth. */
  schemaFromGroundTruth(groundTruth: readonly JsonObject[]): JsonObject
  /** Not shown: what optimization changes. Here each property says what it is, and nothing else changes. */
  optimizeSchema(run: Optimization): JsonObject
  /** Not shown: the shape of the request to resume. Here `job_id` or `blueprint_id`. */
  readResume(body: unknown): { jobId: string } | { blueprintId: string } | undefined
  /**
   * Not shown: where a resumed run starts from. Here from the schema that the failed run started from; without one,
   * from the blueprint's active schema or its latest run's. What was asked for is asked for again, and the iterations
   * begin anew.
   */
  resumeFrom(facts: ResumeFacts): ResumePoint

  // Refusals
  /** Not shown: the statuses of these refusals. */
  statuses: Readonly<Record<UndocumentedRefusal, number>>
  /** Not shown: the words of every refusal. */
  wording: Readonly<Record<RefusalKind, (facts: RefusalFacts) => string>>
}

/** The pages of a plan in the present cycle, for the quota headers. @public */
export interface PageQuota {
  /** Absent for a caller without a key, for whom the pages are 0. */
  plan?: Plan
  perMonth: number
  remaining: number
  used: number
  /** In milliseconds since the Unix epoch. */
  resetsAt: number
}

/** Where a device authorization is when it is polled. @public */
export type PollState =
  | 'pending'
  | 'too-fast'
  | 'approved'
  | 'denied'
  | 'after-denial'
  | 'expired'
  | 'delivered'
  | 'unknown'

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
  successStatus: ({ status }) => status,
  successBody: ({ body }) => body,

  newIdentifier: (kind, random) => {
    if (kind === 'preview-token') return randomText(random, 32, HEX)
    if (kind === 'device-code') return `emd_${randomText(random, 40, HEX)}`
    return `emk_${randomText(random, 40, `${HEX}ghijklmnopqrstuvwxyz`)}`
  },
  keyPrefixOf: (apiKey) => apiKey.slice(0, 8),
  scopeOf: (apiKey) => apiKey,

  form: {
    pipelinePart: 'pipeline',
    versionPart: 'pipeline_version',
    pipeline: 'standard',
    includePages: false,
    includeImages: false,
  },
  readBody: () => undefined,
  readBooleanText: (text) => {
    const word = text.trim().toLowerCase()
    return word === 'true' ? true : word === 'false' ? false : undefined
  },
  fileTypeOf: ({ name, bytes }) => {
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1024)).toString(
      'latin1',
    )
    const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase()
    return SIGNATURES.find(
      (known) => (extension === undefined || known.extensions.includes(extension)) && known.matches(head),
    )?.type
  },
  sizes: { megabyteBytes: 1_000_000, jsonBytes: 67_108_864, formRoomBytes: 1_048_576 },
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
  showWebhook: ({ body }) => body,
  webhookDelivery: () => ({}),
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

  textUrlThresholdBytes: 1_000_000,
  textBesideTextUrl: 'omit',

  // Not the service's: how a page looks. A submitted PNG is shown as it is.
  paths: {
    text: '/files/{token}/text.md',
    preview: '/preview/{token}',
    image: '/files/{token}/page-{page}.png',
    device: '/device',
    deviceQuery: 'user_code',
  },
  previewBeforeCompletion: false,
  drawPage,

  nextCycleAt: (nowMs) => {
    const now = new Date(nowMs)
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
  },
  pageLimits: { counted: 'submitted', objectFor: ['page-count'] },
  planLabel: (plan) => plan.name,
  quotaObjectPages: ({ documentPages, pagesUsed, plan }) => ({
    pageCount: pagesUsed + documentPages,
    maxPages: plan.pagesPerMonth,
  }),
  quotaHeaders: ({ perMonth, remaining, used, resetsAt }) => ({
    'x-emulator-pages-per-month': String(perMonth),
    'x-emulator-pages-remaining': String(remaining),
    'x-emulator-pages-used': String(used),
    'x-emulator-quota-resets-at': String(Math.floor(resetsAt / 1000)),
  }),
  rateWindow: 'sliding',
  rateScope: (account) => account && { name: account.key, requestsPerMinute: account.plan.requestsPerMinute },
  retryAfterSeconds: () => undefined,

  device: {
    userCodeAlphabet: 'BCDFGHJKLMNPQRSTVWXZ',
    unknownAgentLabel: 'Unknown agent',
    pollToleranceMs: 50,
  },
  readUserCode: (typed) => typed.replaceAll(/[\s-]/g, '').toUpperCase(),
  deviceKeyPlan: (plan) => plan,

  answerPoll: () => ({}),

  blueprintIsShown: () => true,
  optimization: {
    pendingMs: 1_000,
    initializingMs: 1_000,
    iterationMs: 1_000,
    baselineAccuracy: 70,
  },
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

/** The choices with what they are checked by. */
export const EXTRACTION_CHOICES: ChoiceDefinition<ExtractionChoices> = {
  service: 'extraction',
  defaults: defaultExtractionChoices,
  awaited: ['successStatus', 'successBody', 'readBody', 'recognizeImage', 'findFields'],
  schemas: {
    successStatus: SCHEMAS.status,
    newIdentifier: SCHEMAS.text,
    keyPrefixOf: SCHEMAS.text,
    scopeOf: SCHEMAS.text,
    form: groupOf({
      pipelinePart: SCHEMAS.text,
      versionPart: SCHEMAS.text,
      pipeline: oneOf('standard', 'searchable'),
      includePages: SCHEMAS.flag,
      includeImages: SCHEMAS.flag,
    }),
    readBooleanText: SCHEMAS.flag,
    fileTypeOf: oneOf('application/pdf', 'image/png', 'image/jpeg'),
    sizes: eachOf(SCHEMAS.amount),
    queuedMs: SCHEMAS.amount,
    processingMs: SCHEMAS.amount,
    failureReason: {},
    firstPageNumber: { type: 'integer' },
    textUrlThresholdBytes: SCHEMAS.amount,
    textBesideTextUrl: oneOf('omit', 'keep'),
    paths: groupOf({
      text: SCHEMAS.path,
      preview: SCHEMAS.path,
      image: SCHEMAS.path,
      device: SCHEMAS.path,
      deviceQuery: SCHEMAS.text,
    }),
    previewBeforeCompletion: SCHEMAS.flag,
    nextCycleAt: SCHEMAS.amount,
    pageLimits: groupOf({
      counted: oneOf('submitted', 'completed'),
      objectFor: { type: 'array', items: oneOf('page-count', 'page-quota') },
    }),
    planLabel: SCHEMAS.text,
    quotaHeaders: { type: 'object', additionalProperties: SCHEMAS.text, propertyNames: SCHEMAS.header },
    rateWindow: oneOf('sliding', 'fixed'),
    retryAfterSeconds: SCHEMAS.amount,
    device: groupOf({
      userCodeAlphabet: { type: 'string', minLength: 1 },
      unknownAgentLabel: SCHEMAS.text,
      pollToleranceMs: SCHEMAS.amount,
    }),
    readUserCode: SCHEMAS.text,
    answerPoll: groupOf({ status: SCHEMAS.status, error: { type: ['string', 'null'] } }),
    webhookDelivery: groupOf({
      method: SCHEMAS.text,
      headers: { type: 'object', additionalProperties: SCHEMAS.text },
      copies: SCHEMAS.amount,
      attempts: SCHEMAS.amount,
      timeoutMs: SCHEMAS.amount,
      redirect: oneOf('follow', 'error', 'manual'),
    }),
    blueprintIsShown: SCHEMAS.flag,
    optimization: eachOf(SCHEMAS.amount),
    endOfRun: oneOf('completed', 'failed'),
    statuses: eachOf(SCHEMAS.status),
    wording: {},
  },
}
