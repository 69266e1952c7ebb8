/** The emulator's choices for undocumented behavior. Nothing in this file is a fact about the service. */
import { Ajv2020 } from 'ajv/dist/2020.js'

import {
  resultOf,
  eachOf,
  groupOf,
  oneOf,
  RESPONSE_SCHEMAS,
  SCHEMAS,
  type ChoiceDefinition,
} from '../core/choices.ts'
import type { Background } from '../core/background.ts'
import { defined, isObject, type Json, type JsonObject } from '../core/json.ts'
import { HEX, randomText, type RandomSource } from '../core/random.ts'
import { textPart } from '../core/request-body.ts'
import type { StateTools } from '../core/service-module.ts'
import type { OpenBody, ResponseChoices } from '../core/service.ts'
import type { PictureToRead, RecognizedText } from './document/read-document.ts'
import { findFields } from './fields/find-fields.ts'
import type {
  Account,
  DocumentType,
  ExtractionSuccess,
  FormOptions,
  FoundFields,
  Job,
  NewKey,
  Optimization,
  PageQuota,
  PollState,
  RateScope,
  ReadPage,
  RunFacts,
  RunStart,
  SubmittedFile,
  WebhookToSend,
} from './model.ts'
import type { Plan, PlanName } from './plans.ts'
import { CHOSEN_STATUSES, type DenialFacts, type DenialKind } from './denials.ts'

/** The tools that all parts of the service's state share. */
export interface ExtractionTools extends StateTools<ExtractionChoices> {
  readonly background: Background
}

/** The choices of the extraction emulator, for behavior that the service's documentation leaves open. @public */
export interface ExtractionChoices extends ResponseChoices<ExtractionSuccess, DenialKind, DenialFacts> {
  /** Undocumented: the statuses of the errors whose status isn't documented. */
  statuses: Readonly<Record<keyof typeof CHOSEN_STATUSES, number>>

  // Keys and who sees what
  /** Undocumented: the formats of API keys, preview tokens and device codes. */
  newIdentifier(kind: 'api-key' | 'preview-token' | 'device-code', random: RandomSource): string
  /**
   * Undocumented: the format of a key prefix (by default, the first 8 characters of the key), whether keys of the
   * same person see the same jobs, and the plan of a key from the device flow (by default, the emulator's option
   * `plan`). Keys with the same `scope` see the same jobs. By default, each key has its own scope.
   */
  accountOf(key: NewKey): { keyPrefix: string; scope: string; plan?: Plan | PlanName }

  // Requests
  /**
   * Undocumented: the form parts that select the pipeline and pin its version (by default, `pipeline` and
   * `pipeline_version`), and the default pipeline (`standard`). Also undocumented: the defaults of include_pages and
   * include_images (false), and the accepted spellings of their values (`true` and `false`, in upper or lower case).
   * To reject the form, return the name of the wrong part as `invalid`.
   */
  readForm(form: FormData): FormOptions
  /**
   * Undocumented: the content type of a request to POST /v1/optimize, and how documents are included in the request.
   * Also undocumented: the content type and shape of a request to resume an optimization (by default, JSON with
   * `job_id` or `blueprint_id`). The function returns the body as JSON in the shape that the emulator expects, or
   * `undefined` to leave the body as it is.
   */
  readBody(body: OpenBody): unknown
  /**
   * Undocumented: how the service determines the type of a file. By default, the file's first bytes determine the
   * type. If the file name has an extension, the extension must match this type (ignoring case).
   */
  fileTypeOf(file: SubmittedFile): DocumentType | undefined
  /**
   * Undocumented: the supported dialect and keywords of JSON Schema. By default, a schema is valid if the meta-schema
   * of the 2020-12 dialect accepts it, even if its `$schema` names another dialect.
   */
  readSchema(text: string): { schema: JsonObject } | { problem: string }
  /**
   * Undocumented: whether 1 MB in a file size limit means 1,000,000 or 1,048,576 bytes, how large a JSON body may be,
   * and how many bytes a form may contain in addition to the file. If a job's text is larger than 1 MB, the response
   * has a text_url. Also undocumented: whether this 1 MB counts bytes or characters (in the emulator, UTF-8 bytes).
   */
  sizes: { megabyteBytes: number; jsonBytes: number; formRoomBytes: number; textUrlAboveBytes: number }

  // Jobs
  /**
   * Undocumented: how long a job is queued, and the exact processing time (the documentation says about 2-3 or 3-4
   * minutes, depending on the pipeline). By default, a job is queued for 1 s and processed for 3 s, so that tests are
   * quick.
   */
  courseOf(job: Job): { queuedMs?: number; processingMs?: number }
  /**
   * Undocumented: whether a webhook is sent for failed jobs (by default, it isn't), the values and shapes of the
   * fields of a webhook, and how a webhook is delivered. `event.body` is the default body; it is `undefined` for a
   * failed job. To send no webhook, return `undefined`. To simulate duplicates, return more than 1 as `copies`. To
   * simulate a lost webhook, return 0 as `copies`. `attempts` is the maximum number of attempts for each copy. By
   * default, the emulator sends one copy with POST, in up to 3 attempts, each with a timeout of 10 s and without
   * redirects. It waits 1 s before the second attempt and 2 s before the third.
   */
  webhook(event: { job: Job; body: JsonObject | undefined }): WebhookToSend | undefined

  // Results
  /**
   * Emulator only: how the text of a picture is recognized, since the emulator has no OCR. By default, the text comes
   * from a PNG's text chunks named `Description`. Without such a chunk, the text is empty and the page is flagged for
   * review.
   */
  recognizeImage(picture: PictureToRead): RecognizedText | Promise<RecognizedText>
  /**
   * Emulator only: how the values of the schema's properties are found. By default, a value is the text next to a
   * label. The label is the property's title, or the property's name as words. A missing or unreadable value becomes
   * null. If the document contains different values for a property, the first readable one is used. In each of these
   * cases, the value is flagged for review.
   */
  findFields(question: { schema: JsonObject; pages: readonly ReadPage[] }): FoundFields | Promise<FoundFields>
  /**
   * Undocumented: the number of the first page, and whether a preview exists before the job has completed. Also
   * undocumented: whether a response with text_url also contains `text`. By default, it doesn't;
   * `choices.successResponse` can add `text`.
   */
  results: { firstPageNumber: number; previewBeforeCompletion: boolean }
  /**
   * Undocumented: the paths of text_url, preview_url and image_url, and the path of the page where a user enters a
   * user code. The emulator replaces `{token}` with the job's preview token, and `{page}` with the page number. The
   * emulator's links need no API key and don't expire.
   */
  paths: { text: string; preview: string; image: string; device: string }

  // Quota and rate
  /**
   * Undocumented: whether pages count toward the quota on submission or on completion, and when the current cycle
   * ends (by default, at the end of the calendar month in UTC). If pages count on submission, an unreadable PDF
   * counts as 0 pages. Also undocumented: the names of the four quota headers, and their values for a caller without
   * a key.
   */
  quota: {
    counted: 'submitted' | 'completed'
    nextCycleAt(nowMs: number): number
    headers(quota: PageQuota): Readonly<Record<string, string>>
  }
  /**
   * Undocumented: which operations (such as polls) count toward the request rate, which calls are counted together
   * (by key, account or IP address), the allowed rate, and whether the one-minute window is sliding or fixed. By
   * default, each key has its own sliding window and the rate of its plan, and calls to public operations don't
   * count. A call that is denied because of the limit, or because its key is missing or invalid, never counts. Calls
   * for which the function returns the same `name` are counted together.
   */
  rateScope(account: Account | undefined, operation: string): RateScope | undefined

  // Device authorization
  /**
   * Undocumented: the characters of a user code, and how many milliseconds too early a poll may arrive (clocks can
   * differ slightly). Also undocumented: how a user may type a code. By default, case, spaces and hyphens don't
   * matter.
   */
  device: {
    userCodeAlphabet: string
    pollToleranceMs: number
    readUserCode(typed: string): string
  }
  /**
   * Undocumented: the status of the response to a poll (by default, 200), and some values of `error`. By default,
   * `error` is null in the response that returns the API key, and `expired_token` in every later response. For an
   * unknown code, it is also `expired_token`. After a denial, it is `access_denied` until the code expires. A poll
   * that arrives too early gets the usual response, unless the function returns an `error` for `too-fast`.
   */
  respondToPoll(state: PollState): { status?: number; error?: string | null }

  // The optimizer
  /**
   * Undocumented: how long a run is `pending` and `initializing`, and how long an iteration takes. Also undocumented:
   * the baseline accuracy (in the emulator, always 70 percent).
   */
  optimization: { pendingMs: number; initializingMs: number; iterationMs: number }
  /**
   * Undocumented: the schema that a run starts from. By default, a new run starts from the request's initial schema
   * or, without an initial schema, from a schema derived from the ground truth data. A request to resume also starts
   * a new run, at iteration 0. With `job_id`, the new run has the schema and the settings of the failed run. With
   * `blueprint_id`, it has the blueprint's active schema and the settings of the blueprint's latest run. Without an
   * active schema, it also has the schema of that latest run.
   */
  startRun(facts: RunFacts): RunStart
  /**
   * Undocumented: how much an iteration improves the accuracy (by default, it halves the distance to 100), how much
   * it costs (by default, 0.25 USD), and when and how a run ends. By default, a run ends as `completed` when it
   * reaches the target accuracy, the maximum number of iterations or the maximum cost. The run continues if `end` is
   * `undefined`.
   */
  iterate(run: Optimization): { accuracy: number; costUsd: number; end: 'completed' | 'failed' | undefined }
  /** Undocumented: how optimization changes the schema. By default, it adds missing descriptions of properties. */
  optimizeSchema(run: Optimization): JsonObject
}

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
  webhook: ({ body }) => body && { body },

  recognizeImage: ({ texts }) => {
    const text = texts.flatMap((chunk) => (chunk.keyword === 'Description' ? [chunk.text] : [])).join('\n')
    return text.trim() === ''
      ? {
          text: '',
          reviewReason:
            "The emulator doesn't recognize text in pictures, and this picture has no `Description` text chunk.",
        }
      : { text }
  },
  findFields,
  results: { firstPageNumber: 1, previewBeforeCompletion: false },
  paths: {
    text: '/files/{token}/text.md',
    preview: '/preview/{token}',
    image: '/files/{token}/page-{page}.png',
    device: '/device',
  },

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
    pollToleranceMs: 50,
    readUserCode: (typed) => typed.replaceAll(/[\s-]/g, '').toUpperCase(),
  },
  respondToPoll: () => ({}),

  optimization: { pendingMs: 1_000, initializingMs: 1_000, iterationMs: 1_000 },
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
  const word = (name: string) => (textPart(form, name) ?? 'false').trim().toLowerCase()
  const invalid = ['include_pages', 'include_images'].find((name) => !/^(true|false)$/.test(word(name)))
  return {
    pipeline: textPart(form, 'pipeline') ?? 'standard',
    includePages: word('include_pages') === 'true',
    includeImages: word('include_images') === 'true',
    ...defined({ pipelineVersion: textPart(form, 'pipeline_version'), invalid }),
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

function schemaFromExamples(examples: readonly JsonObject[]): JsonObject {
  const names = [...new Set(examples.flatMap((example) => Object.keys(example)))]
  const required = names.filter((name) => examples.every((example) => Object.hasOwn(example, name)))
  const properties = Object.fromEntries(
    names.map((name) => [
      name,
      schemaOfValues(
        examples.flatMap((example) => (Object.hasOwn(example, name) ? [example[name] ?? null] : [])),
      ),
    ]),
  )
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }
}

function schemaOfValues(values: readonly Json[]): JsonObject {
  const types = [...new Set(values.map(typeOfValue))]
  if (types.includes('number') && types.includes('integer')) types.splice(types.indexOf('integer'), 1)
  const objects = values.filter(isObject)
  const items = values.filter((value) => Array.isArray(value)).flat()
  return {
    type: types.length > 1 ? types : (types[0] ?? 'null'),
    ...(objects.length > 0 ? { properties: schemaFromExamples(objects)['properties'] ?? {} } : {}),
    ...(items.length > 0 ? { items: schemaOfValues(items) } : {}),
  }
}

function typeOfValue(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

export const EXTRACTION_CHOICES: ChoiceDefinition<ExtractionChoices> = {
  service: 'extraction',
  defaults: defaultExtractionChoices,
  awaited: ['successResponse', 'readBody', 'recognizeImage', 'findFields'],
  schemas: {
    ...RESPONSE_SCHEMAS,
    statuses: eachOf(SCHEMAS.status),
    newIdentifier: SCHEMAS.text,
    accountOf: { ...resultOf({ keyPrefix: SCHEMAS.text, scope: SCHEMAS.text, plan: {} }) },
    readForm: resultOf({
      pipeline: SCHEMAS.text,
      pipelineVersion: SCHEMAS.text,
      includePages: SCHEMAS.flag,
      includeImages: SCHEMAS.flag,
      invalid: SCHEMAS.text,
    }),
    fileTypeOf: oneOf('application/pdf', 'image/png', 'image/jpeg'),
    sizes: eachOf(SCHEMAS.amount),
    courseOf: resultOf({ queuedMs: SCHEMAS.amount, processingMs: SCHEMAS.amount }),
    webhook: {
      ...resultOf({
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
      previewBeforeCompletion: SCHEMAS.flag,
    }),
    paths: groupOf({
      text: SCHEMAS.path,
      preview: SCHEMAS.path,
      image: SCHEMAS.path,
      device: SCHEMAS.path,
    }),
    quota: groupOf({ counted: oneOf('submitted', 'completed') }),
    rateScope: {
      ...resultOf({
        name: SCHEMAS.text,
        requestsPerMinute: SCHEMAS.amount,
        window: oneOf('sliding', 'fixed'),
      }),
      required: ['name', 'requestsPerMinute'],
    },
    device: groupOf({
      userCodeAlphabet: { type: 'string', minLength: 1 },
      pollToleranceMs: SCHEMAS.amount,
    }),
    respondToPoll: resultOf({ status: SCHEMAS.status, error: { type: ['string', 'null'] } }),
    optimization: eachOf(SCHEMAS.amount),
    iterate: resultOf({ accuracy: { type: 'number' }, costUsd: { type: 'number' }, end: {} }),
  },
}
