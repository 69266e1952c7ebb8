/**
 * Everything that the emulator of the extraction service had to choose, because the service's documentation doesn't
 * show it. Nothing here is a fact about the service, and each choice can be replaced. Documented behavior is
 * in the contract and in the code next to this file.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'

import {
  answerOf,
  eachOf,
  groupOf,
  oneOf,
  RESPONSE_SCHEMAS,
  SCHEMAS,
  type ChoiceDefinition,
} from '../core/choices.ts'
import type { DeliveryPolicy } from '../core/deliver.ts'
import { isObject, type JsonObject } from '../core/json.ts'
import { randomText, type RandomSource } from '../core/random.ts'
import type { OpenBody, ResponseChoices } from '../core/service.ts'
import { drawPage } from './document/page-image.ts'
import type { PictureToRead, RecognizedText } from './document/read-document.ts'
import { findFields } from './fields/find-fields.ts'
import type {
  Account,
  DocumentType,
  ExtractionSuccess,
  FoundFields,
  Job,
  Optimization,
  OptimizationRequest,
  ReadPage,
  SubmittedFile,
} from './model.ts'
import { schemaFromExamples } from './schema-from-examples.ts'
import type { Plan, PlanName } from './plans.ts'
import { CHOSEN_STATUSES, type DenialFacts, type DenialKind } from './denials.ts'

/** The choices of the extraction emulator, for behavior that the service's documentation doesn't show. @public */
export interface ExtractionChoices extends ResponseChoices<ExtractionSuccess, DenialKind, DenialFacts> {
  /** Not shown: the statuses of these errors. */
  statuses: Readonly<Record<keyof typeof CHOSEN_STATUSES, number>>

  // Keys and who sees what
  /** Not shown: what an API key, a preview token and a device code look like, and how long a preview token works. */
  newIdentifier(kind: 'api-key' | 'preview-token' | 'device-code', random: RandomSource): string
  /**
   * Not shown: what a key prefix looks like (here the first 8 characters of the key). Nor whether the keys of one person
   * see the same jobs (here every key is a `scope` of its own), and the plan of a key from the device flow (here `plan` of the
   * emulator's options).
   */
  accountOf(key: NewKey): { keyPrefix: string; scope: string; plan?: Plan | PlanName }

  // Requests
  /**
   * Not shown: the form parts that select the pipeline and pin its version, the pipeline without such a part, the defaults
   * of include_pages and include_images, and the accepted spellings of boolean text. Here `pipeline`, `pipeline_version`,
   * `standard`, false, and `true` or `false` in any case. `invalid` names a part that can't be read.
   */
  readForm(form: FormData): FormOptions
  /**
   * Not shown: the content type and the transfer of documents of POST /v1/optimize, and the content type and the shape of
   * the request to resume (here JSON with `job_id` or `blueprint_id`). Returns the JSON of the emulator's own shape;
   * `undefined` leaves the body as it is.
   */
  readBody(body: OpenBody): unknown
  /**
   * Not shown: how the type of a file is determined. Here the extension of the name, in any case, and the first bytes must
   * agree; for a name without an extension the bytes decide.
   */
  fileTypeOf(file: SubmittedFile): DocumentType | undefined
  /**
   * Not shown: the supported dialect and keywords of JSON Schema. Here any object that the meta-schema of the 2020-12
   * dialect accepts, whatever dialect it names.
   */
  readSchema(text: string): { schema: JsonObject } | { problem: string }
  /**
   * Not shown: whether a MB of the file size limits is 1,000,000 or 1,048,576 bytes, how large a JSON body may be, how
   * much a form may hold besides the file, and whether the 1 MB above which text_url is sent counts bytes of UTF-8 (as
   * here) or characters.
   */
  sizes: { megabyteBytes: number; jsonBytes: number; formRoomBytes: number; textUrlAboveBytes: number }

  // Jobs
  /**
   * Not shown: when work starts, and how long it takes exactly (the documentation says about 2-3 and 3-4 minutes). Here 1 s
   * and 3 s, so that trying it out is quick.
   */
  courseOf(job: Job): { queuedMs?: number; processingMs?: number }
  /** Not shown: the words of `error`. `details` are the names of missing fields, or what went wrong. */
  failureReason(failure: { cause: FailureCause; details: readonly string[]; job: Job }): string
  /**
   * Not shown: events for failed jobs (here none, which is `undefined`), the values and shapes of a webhook's fields
   * (`body` is the emulator's own), and how it is delivered. `copies`: how many are sent; duplicates must be expected, and
   * 0 loses it. `attempts`: how often each is tried. By default POST, one copy, 3 attempts, 1 s before the second and
   * twice as long before each later one, 10 s for the receiver, no redirects.
   */
  webhook(event: { job: Job; body: JsonObject | undefined }): WebhookToSend | undefined

  // Results
  /**
   * Not the service's: it reads pictures, the emulator can't. The text is that of a PNG's text chunks named `Description`.
   * Without one it is empty, and the page is flagged for review.
   */
  recognizeImage(picture: PictureToRead): RecognizedText | Promise<RecognizedText>
  /**
   * Not the service's: how values are found. Here beside a label that is the property's title, or its name as words. A
   * value that is missing, unreadable or ambiguous is flagged, and is null or the first one.
   */
  findFields(question: { schema: JsonObject; pages: readonly ReadPage[] }): FoundFields | Promise<FoundFields>
  /**
   * Not shown: the number of the first page, whether `text` is sent together with text_url, and whether there is a preview
   * before the job is completed.
   */
  results: { firstPageNumber: number; textBesideTextUrl: 'omit' | 'keep'; previewBeforeCompletion: boolean }
  /**
   * Not shown: where text_url, preview_url and image_url point to and how they contain the token (here no key is needed
   * there, and they don't expire), where a user enters a device code, and which query parameter of
   * verification_uri_complete contains it.
   */
  paths: { text: string; preview: string; image: string; device: string; deviceQuery: string }
  /** Not the service's: what a page looks like. Here gray bars in place of text. A submitted PNG is shown as it is. */
  drawPage(page: ReadPage): Uint8Array<ArrayBuffer>

  // Quota and rate
  /**
   * Not shown: when pages are taken from the quota (a document that can't be read takes none when submitted), when a cycle
   * ends (here with the calendar month, in UTC), and the names of the four quota headers and their values without a key.
   */
  quota: {
    counted: 'submitted' | 'completed'
    nextCycleAt(nowMs: number): number
    headers(quota: PageQuota): Readonly<Record<string, string>>
  }
  /**
   * Not shown: which operations count towards the request rate (polls included?), which calls are counted together (those
   * of a key, an account or an address), at which rate, and whether the window of a minute is sliding or fixed. Here each
   * key by itself, every operation, at the rate of its plan, sliding; public operations, which have no account, don't
   * count. Denied calls don't count, and neither do those without a valid key. One name for all calls counts by address,
   * since all callers of an emulator share one.
   */
  rateScope(account: Account | undefined, operation: string): RateScope | undefined

  // Device authorization
  /**
   * Not shown: the characters of a user code, the label of an agent without a name, how early a poll may come (clocks may
   * differ a little), and how a user may type a code (here in any case, with or without spaces and the hyphen).
   */
  device: {
    userCodeAlphabet: string
    unknownAgentLabel: string
    pollToleranceMs: number
    readUserCode(typed: string): string
  }
  /**
   * Not shown: the statuses of the responses to a poll, `error` beside the key, and `error` after the denial was reported,
   * after the key was handed over, for an unknown code, and for a poll before the interval is over. By default 200; null
   * beside the key; `access_denied` again; `expired_token` for the next two; the usual response.
   */
  answerPoll(state: PollState): { status?: number; error?: string | null }

  // The optimizer
  /**
   * Not shown: when a run leaves `pending` and `initializing`, how long an iteration takes, how a baseline is measured, and
   * whether percent means 0 to 100. No evidence about the service.
   */
  optimization: { pendingMs: number; initializingMs: number; iterationMs: number; baselineAccuracy: number }
  /**
   * Not shown: where a run starts from. Here a new run starts from its initial schema, or from one that fits every ground
   * truth. A resumed run starts from the schema of the failed run; without one, from the blueprint's active schema or its
   * latest run's; it repeats that run's request, and counts iterations from 0.
   */
  startRun(facts: RunFacts): RunStart
  /**
   * Not shown: what an iteration improves and costs (here half of what is missing to 100, for 0.25 USD), and when and how
   * a run ends (here `completed` when the target or a limit is reached). `undefined` continues.
   */
  iterate(run: Optimization): { accuracy: number; costUsd: number; end: 'completed' | 'failed' | undefined }
  /** Not shown: what optimization changes. Here it adds a description to each property without one. */
  optimizeSchema(run: Optimization): JsonObject
}

/** An API key that is being added. @public */
export interface NewKey {
  apiKey: string
  /** The plan that the emulator's options ask for. */
  plan: Plan
  fromDeviceFlow: boolean
}

/** The request in a submission's form. @public */
export interface FormOptions {
  pipeline: string
  pipelineVersion?: string
  includePages: boolean
  includeImages: boolean
  /** The part that can't be read. */
  invalid?: string
}

/** A webhook as it is sent: its body, and how its delivery differs from the emulator's own. @public */
export interface WebhookToSend extends Partial<DeliveryPolicy> {
  body: JsonObject
}

/** The pages of a plan in the current cycle, for the quota headers. @public */
export interface PageQuota {
  /** Absent for a caller without a key, for whom the pages are 0. */
  plan?: Plan
  perMonth: number
  remaining: number
  used: number
  /** In milliseconds since the Unix epoch. */
  resetsAt: number
}

/** The state of a device authorization when it is polled. @public */
export type PollState =
  | 'pending'
  | 'too-fast'
  | 'approved'
  | 'denied'
  | 'after-denial'
  | 'expired'
  | 'delivered'
  | 'unknown'

/** Calls that count towards one request rate. @public */
export interface RateScope {
  /** Calls with the same name are counted together. */
  name: string
  /** How many of them are allowed in a minute; `Infinity` for no limit. */
  requestsPerMinute: number
  /** By default `sliding`. */
  window?: 'sliding' | 'fixed'
}

/** The input of a run. @public */
export interface RunFacts {
  /** The request, of a new run. */
  request?: OptimizationRequest
  /** The failed run that the caller named. */
  failed?: Optimization
  /** The latest run for the blueprint. */
  latest?: Optimization
  /** The schema of the blueprint's active version. */
  activeSchema?: JsonObject
}

/** Where a run starts from. @public */
export interface RunStart {
  schema: JsonObject
  /** The requested settings of the run; `validation_split` is 0.3 by default, as documented. */
  request: Partial<OptimizationRequest>
  /** By default 0. */
  iteration?: number
  /** In percent; by default the baseline. */
  currentAccuracy?: number
  /** By default 0. */
  totalCostUsd?: number
}

/** Why a job fails on its own. @public */
export type FailureCause = 'unreadable' | 'work-failed' | 'required-fields-not-found' | 'page-quota'

const HEX = '0123456789abcdef'

/** Knows the meta-schema of the 2020-12 dialect; created when it is first needed. */
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

const FAILURE_REASONS: Readonly<Record<FailureCause, (details: readonly string[]) => string>> = {
  unreadable: () => 'The document is corrupt or unreadable.',
  'work-failed': (details) => `The document could not be processed: ${details.join('; ')}`,
  'required-fields-not-found': (names) => `Required fields not found: ${names.join(', ')}.`,
  'page-quota': () => 'The monthly page quota is exceeded.',
}

/** The default choices. @public */
export const defaultExtractionChoices: ExtractionChoices = {
  successResponse: () => undefined,
  errorResponse: () => undefined,
  statuses: CHOSEN_STATUSES,

  newIdentifier: (kind, random) => {
    if (kind === 'preview-token') return randomText(random, 32, HEX)
    if (kind === 'device-code') return `emd_${randomText(random, 40, HEX)}`
    return `emk_${randomText(random, 40, `${HEX}ghijklmnopqrstuvwxyz`)}`
  },
  accountOf: ({ apiKey }) => ({ keyPrefix: apiKey.slice(0, 8), scope: apiKey }),

  readForm,
  readBody: () => undefined,
  fileTypeOf: ({ name, bytes }) => {
    const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1024)).toString(
      'latin1',
    )
    const extension = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase()
    return SIGNATURES.find(
      (known) => (extension === undefined || known.extensions.includes(extension)) && known.matches(head),
    )?.type
  },
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
  sizes: {
    megabyteBytes: 1_000_000,
    jsonBytes: 67_108_864,
    formRoomBytes: 1_048_576,
    textUrlAboveBytes: 1_000_000,
  },

  courseOf: () => ({}),
  failureReason: ({ cause, details }) => FAILURE_REASONS[cause](details),
  webhook: ({ body }) => body && { body },

  recognizeImage: ({ texts }) => {
    const text = texts.flatMap((chunk) => (chunk.keyword === 'Description' ? [chunk.text] : [])).join('\n')
    return text.trim() === ''
      ? {
          text: '',
          reviewReason: "The emulator doesn't recognize text in pictures, and this one has no text chunk.",
        }
      : { text }
  },
  findFields,
  results: { firstPageNumber: 1, textBesideTextUrl: 'omit', previewBeforeCompletion: false },
  paths: {
    text: '/files/{token}/text.md',
    preview: '/preview/{token}',
    image: '/files/{token}/page-{page}.png',
    device: '/device',
    deviceQuery: 'user_code',
  },
  drawPage,

  quota: {
    counted: 'submitted',
    nextCycleAt: (nowMs) => {
      const now = new Date(nowMs)
      return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
    },
    headers: ({ perMonth, remaining, used, resetsAt }) => ({
      'x-emulator-pages-per-month': String(perMonth),
      'x-emulator-pages-remaining': String(remaining),
      'x-emulator-pages-used': String(used),
      'x-emulator-quota-resets-at': String(Math.floor(resetsAt / 1000)),
    }),
  },
  rateScope: (account) => account && { name: account.key, requestsPerMinute: account.plan.requestsPerMinute },

  device: {
    userCodeAlphabet: 'BCDFGHJKLMNPQRSTVWXZ',
    unknownAgentLabel: 'Unknown agent',
    pollToleranceMs: 50,
    readUserCode: (typed) => typed.replaceAll(/[\s-]/g, '').toUpperCase(),
  },
  answerPoll: () => ({}),

  optimization: { pendingMs: 1_000, initializingMs: 1_000, iterationMs: 1_000, baselineAccuracy: 70 },
  startRun: ({ request, failed, latest, activeSchema }) =>
    request
      ? { schema: request.initial_schema ?? schemaFromExamples(request.ground_truth_data ?? []), request }
      : {
          schema: failed?.startingSchema ?? activeSchema ?? latest?.startingSchema ?? { type: 'object' },
          request: (failed ?? latest)?.request ?? {},
        },
  iterate,
  optimizeSchema: ({ startingSchema }) => ({
    ...startingSchema,
    ...(isObject(startingSchema['properties'])
      ? { properties: describeProperties(startingSchema['properties']) }
      : {}),
  }),
}

function readForm(form: FormData): FormOptions {
  const text = (name: string): string | undefined => {
    const value = form.get(name)
    return typeof value === 'string' ? value : undefined
  }
  const word = (name: string) => (text(name) ?? 'false').trim().toLowerCase()
  const invalid = ['include_pages', 'include_images'].find((name) => !/^(true|false)$/.test(word(name)))
  const pipelineVersion = text('pipeline_version')
  return {
    pipeline: text('pipeline') ?? 'standard',
    ...(pipelineVersion === undefined ? {} : { pipelineVersion }),
    includePages: word('include_pages') === 'true',
    includeImages: word('include_images') === 'true',
    ...(invalid === undefined ? {} : { invalid }),
  }
}

function iterate(run: Optimization): ReturnType<ExtractionChoices['iterate']> {
  const { target_accuracy: target = 95, max_iterations = 10, max_cost_usd = Infinity } = run.request
  const accuracy = Math.round((run.currentAccuracy + (100 - run.currentAccuracy) / 2) * 100) / 100
  const costUsd = 0.25
  const ends =
    accuracy >= target || run.iteration + 1 >= max_iterations || run.totalCostUsd + costUsd >= max_cost_usd
  return { accuracy, costUsd, end: ends ? 'completed' : undefined }
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
  awaited: ['successResponse', 'readBody', 'recognizeImage', 'findFields'],
  schemas: {
    ...RESPONSE_SCHEMAS,
    statuses: eachOf(SCHEMAS.status),
    newIdentifier: SCHEMAS.text,
    accountOf: { ...answerOf({ keyPrefix: SCHEMAS.text, scope: SCHEMAS.text, plan: {} }) },
    readForm: answerOf({
      pipeline: SCHEMAS.text,
      pipelineVersion: SCHEMAS.text,
      includePages: SCHEMAS.flag,
      includeImages: SCHEMAS.flag,
      invalid: SCHEMAS.text,
    }),
    fileTypeOf: oneOf('application/pdf', 'image/png', 'image/jpeg'),
    sizes: eachOf(SCHEMAS.amount),
    courseOf: answerOf({ queuedMs: SCHEMAS.amount, processingMs: SCHEMAS.amount }),
    failureReason: SCHEMAS.text,
    webhook: {
      ...answerOf({
        body: { type: 'object' },
        method: SCHEMAS.text,
        headers: { type: 'object', additionalProperties: SCHEMAS.text },
        copies: SCHEMAS.amount,
        attempts: SCHEMAS.amount,
        retryDelayMs: {},
        timeoutMs: SCHEMAS.amount,
        redirect: oneOf('follow', 'error', 'manual'),
      }),
      required: ['body'],
    },
    results: groupOf({
      firstPageNumber: { type: 'integer' },
      textBesideTextUrl: oneOf('omit', 'keep'),
      previewBeforeCompletion: SCHEMAS.flag,
    }),
    paths: groupOf({
      text: SCHEMAS.path,
      preview: SCHEMAS.path,
      image: SCHEMAS.path,
      device: SCHEMAS.path,
      deviceQuery: SCHEMAS.text,
    }),
    quota: groupOf({ counted: oneOf('submitted', 'completed') }),
    rateScope: {
      ...answerOf({
        name: SCHEMAS.text,
        requestsPerMinute: SCHEMAS.amount,
        window: oneOf('sliding', 'fixed'),
      }),
      required: ['name', 'requestsPerMinute'],
    },
    device: groupOf({
      userCodeAlphabet: { type: 'string', minLength: 1 },
      unknownAgentLabel: SCHEMAS.text,
      pollToleranceMs: SCHEMAS.amount,
    }),
    answerPoll: answerOf({ status: SCHEMAS.status, error: { type: ['string', 'null'] } }),
    optimization: eachOf(SCHEMAS.amount),
    iterate: answerOf({ accuracy: { type: 'number' }, costUsd: { type: 'number' }, end: {} }),
  },
}
