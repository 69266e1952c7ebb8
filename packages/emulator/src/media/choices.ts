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
import { defined, type JsonObject } from '../core/json.ts'
import { randomText, randomUuid, type RandomSource } from '../core/random.ts'
import type { StateTools } from '../core/service-module.ts'
import type { ResponseChoices } from '../core/service.ts'
import { findInputs } from './inputs/find-inputs.ts'
import { headOffline } from './inputs/head-offline.ts'
import { AUDIO_TYPES } from './inputs/formats.ts'
import type { ModelRow } from './model-table.ts'
import type {
  GenerationRequest,
  InputRule,
  InputToJudge,
  MediaInput,
  MediaKind,
  MediaSuccess,
  MediaTask,
  MediaTaskStatus,
  OutputFile,
  ReceivedUpload,
  SessionStatus,
} from './model.ts'
import { CHOSEN_STATUSES, type MediaDenialFacts, type MediaDenialKind } from './denials.ts'
import { canonicalJson } from './submissions.ts'
import type { MediaTier } from './tiers.ts'

export interface MediaTools extends StateTools<MediaChoices> {
  readonly background: Background
}

/** The choices of the media emulator, for behavior that the service's documentation leaves open. @public */
export interface MediaChoices extends ResponseChoices<MediaSuccess, MediaDenialKind, MediaDenialFacts> {
  /** Undocumented: the statuses of the errors whose status isn't documented. */
  statuses: Readonly<Record<keyof typeof CHOSEN_STATUSES, number>>

  // Secrets, organizations and tiers
  /** Undocumented: what an API secret and a task identifier look like. */
  newIdentifier(kind: 'secret' | 'task', random: RandomSource): string
  /**
   * Undocumented: whether several secrets can belong to one organization. By default, all secrets belong to the same
   * organization.
   */
  organizationOf(apiSecret: string): string
  /**
   * Undocumented: the response to a request whose header X-Service-Version is missing or has an undocumented value.
   * By default, the request is rejected with 400.
   */
  otherVersions: 'rejected' | 'served'
  /**
   * Undocumented: the exact concurrency and daily quota within a tier's ranges (by default, the lower ends of the
   * ranges).
   */
  tierLimits(tier: MediaTier): { concurrency?: number; dailyGenerations?: number }
  /**
   * Undocumented: whether the concurrency limit is per organization or per model, which tasks count towards it, and
   * whether failed and canceled generations count towards the daily quota. Tasks with the same `group` share a limit.
   * By default, all tasks of an organization form one group. Tasks that are PENDING or RUNNING count towards the
   * limit (`takesPlace`), and every generation counts towards the quota.
   */
  countTask(task: MediaTask): { group?: string; takesPlace?: boolean; countsTowardsQuota?: boolean }

  // Models and credits
  /**
   * Undocumented: whether `model` may be omitted, whether models exist that the contract's model table doesn't list,
   * and what such models cost. By default, a request without `model` uses the endpoint's first model in the table. A
   * model that the table lists only for other endpoints is rejected. A model that the table doesn't list is accepted
   * and costs 10 credits. To reject the request, return the reason as a string.
   */
  unlistedModel(model: string | undefined, endpoint: string, table: readonly ModelRow[]): ModelRow | string
  /**
   * Undocumented: the price of a credit in USD (for the monthly cap), whether credits are charged on submission or on
   * success (`taken`), and when a month begins (by default, with the calendar month in UTC). With
   * `taken: 'succeeded'`, a failed task is also charged, unless `refunds` returns true for its failure.
   */
  credits: {
    usdPerCredit: number
    taken: 'submitted' | 'succeeded'
    monthStartedAt(nowMs: number): number
  }
  /**
   * Undocumented: the exact cost if the model table has a range (by default, the maximum), how a fractional cost is
   * rounded (by default, up), and the length of a video for a request without `duration` (by default, 5 s). Also
   * undocumented: the field that contains the text to speak (by default, `promptText`), the length of a recording or
   * a performance (by default, 12 s), and whether the 720p or the 1080p price applies. By default, the 1080p price
   * applies if both sides of `ratio` are at least 1080. The parameter `credits` is the cost with these defaults.
   */
  costOf(generation: { request: GenerationRequest; row: ModelRow; credits: number }): number
  /**
   * Undocumented: which failures other than SAFETY.INPUT.* are refunded, and whether canceled tasks are refunded. By
   * default, the emulator refunds all failures other than SAFETY.INPUT.*, and all tasks that are canceled before they
   * run. `failure` is absent for a canceled task.
   */
  refunds(end: { task: MediaTask; failure?: string }): boolean

  // Tasks
  /**
   * Undocumented: the initial status of a task that isn't throttled (`first`), and the status that a throttled task
   * gets once the concurrency limit allows another task (`afterThrottled`). The oldest throttled task leaves
   * THROTTLED first. Also undocumented: which transitions between statuses are possible. `further` lists all possible
   * transitions except the transition to THROTTLED, which is documented. For a new task, `from` is `null`.
   */
  taskMoves: {
    first: 'PENDING' | 'RUNNING'
    afterThrottled: 'PENDING' | 'RUNNING'
    further: readonly { from: MediaTaskStatus | null; to: MediaTaskStatus }[]
  }
  /**
   * Undocumented: how long a task is PENDING and RUNNING (by default 1 s and 3 s, so that tests are quick), and which
   * tasks fail and why. By default, a task fails with ASSET.INVALID if `choices.judgeInput` returned `failed` for
   * one of its inputs. `failure: null` makes the task succeed.
   */
  courseOf(task: MediaTask): { pendingMs?: number; runningMs?: number; failure?: string | null }
  /**
   * Undocumented: the result of deleting a task. Deleting a task that hasn't ended cancels it. By default
   * (`failure: null`), the canceled task no longer exists. If `failure` is a string, the canceled task becomes FAILED
   * with this failure. For a task that has ended, `outputs` says whether the links to its files keep working (by
   * default `kept`: until they expire).
   */
  deletedTask: { failure: string | null; outputs: 'kept' | 'removed' }
  /**
   * Emulator only: which submissions the control method `submissions()` counts as the same. By default, their
   * operations and bodies must be equal.
   */
  submissionKey(request: GenerationRequest): string
  /**
   * Undocumented: how many files a task creates, the format of audio, and what the audio endpoints create. By
   * default, a task creates one file of the endpoint's kind: MP4 for video, PNG or JPEG for images, MP3 for audio.
   * For each returned kind, such as `'video'`, the output is the emulator's own small file of that kind.
   */
  outputFiles(task: MediaTask, kind: MediaKind): readonly (OutputFile | MediaKind)[]
  /**
   * Undocumented: exactly when a link expires (the documentation says within 24 to 48 hours), and the host and path
   * of the files. If `baseUrl` is empty (the default), the links start with the base URL that the task was submitted
   * to.
   */
  outputLinks: { lifetimeMs: number; baseUrl: string; path: string }

  // Inputs
  /**
   * Undocumented: which fields besides `promptImage` contain a file. By default, these are all fields whose value
   * looks like a URL, a data URI or the URI of an upload. The fields `model` and `promptText` are ignored.
   */
  findInputs(request: GenerationRequest, uploadScheme: string): readonly MediaInput[]
  /**
   * Undocumented: which ratios and durations a model accepts, how long a prompt may be, and the response if a
   * request lacks an input that the model table requires. By default, such a request is rejected, and everything else
   * is accepted. To reject the request, return the reason as a string. If an input is missing, `missing` lists the
   * fields that can contain it.
   */
  generationProblem(generation: {
    row: ModelRow
    inputs: readonly MediaInput[]
    request: GenerationRequest
    missing: readonly string[] | undefined
  }): string | undefined
  /**
   * Emulator only: the assumed response to a HEAD request for an input's URL, since the emulator doesn't fetch
   * inputs. By default, the response depends on the file name.
   */
  headInput(address: string, kind: MediaKind): Response | Promise<Response>
  /**
   * Undocumented: whether a problem with an input is reported in the response to the request, or later as the task's
   * failure. By default, the task fails (`failed`) if the problem is the type or the size of a file, or the response
   * to a HEAD request for a URL. A request with any other problem is `rejected` with 400. Also undocumented: whether
   * the reference image of an avatar may be a data URI (by default, it may), and which media types of video and audio
   * are accepted. By default, these are all video types, and all audio types that can contain MP3, AAC, FLAC, PCM or
   * ALAC.
   */
  judgeInput(input: InputToJudge): 'accepted' | 'rejected' | 'failed'
  /**
   * Undocumented: whether 1 MB in the input limits is 1,000,000 or 1,048,576 bytes, whether the limit for data URIs
   * applies to the encoded or the decoded data, and how large a JSON body may be.
   */
  sizes: { megabyteBytes: number; dataUri: 'encoded' | 'decoded'; jsonBytes: number }
  /**
   * Undocumented: what an upload's URI looks like, and how long an upload is valid. Also undocumented: the path and
   * the HTTP methods of the request that sends the upload's bytes. In the emulator, this request needs no
   * credentials.
   */
  uploads: { scheme: string; path: string; methods: readonly string[]; lifetimeMs: number }
  /**
   * Undocumented: where the file is in the request that sends an upload's bytes. By default, the body is the file.
   * If the function returns `undefined`, the upload is rejected.
   */
  readUpload(received: ReceivedUpload): Blob | undefined | Promise<Blob | undefined>

  // Avatars, documents and sessions
  /**
   * Undocumented: which fields of a new avatar are required (only documentIds is documented as optional), and whether
   * unknown document identifiers are rejected. Also undocumented: what happens to a referenceImage in an update,
   * whether the documentIds in an update replace the avatar's list, and what happens to an avatar when one of its
   * documents is deleted.
   */
  avatars: {
    requiredFields: readonly string[]
    unknownDocuments: 'rejected' | 'kept'
    changedReferenceImage: 'rejected' | 'ignored'
    changedDocuments: 'replaced' | 'added'
    deletedDocuments: 'taken-out' | 'kept'
  }
  /**
   * Undocumented: the fields of the requests that create a document or a session, or that query usage. By default, a
   * document needs `content` or `text`. A session may have an `avatarId` and a `model`. A usage query covers the
   * whole history (90 days), or the time from `startDate` to `beforeDate` (exclusive). If the function returns
   * `undefined`, the request is rejected.
   */
  readBody(request: OpenRequest): ReadFields | undefined
  /** Undocumented: how the tokens of knowledge documents are counted. By default, four characters are one token. */
  countTokens(text: string): number
  /**
   * Undocumented: when a session becomes ready (with `readyMs: null`, only the control interface makes it ready),
   * whether obtaining the credentials starts the session, and the session's status after the maximum duration (5
   * minutes from its start). Also undocumented: whether a session expires before it starts (by default, it doesn't),
   * and if so, when and with which status. Also undocumented: which transitions are allowed besides the documented
   * ones, and how many credits it costs to create a session.
   */
  session: {
    readyMs: number | null
    consumeStarts: boolean
    timeUp: 'COMPLETED' | 'FAILED' | 'CANCELLED'
    unused: { afterMs: number; status: SessionStatus } | null
    furtherMoves: readonly { from: SessionStatus; to: SessionStatus }[]
    credits: number
  }
}

/** A request whose fields the documentation doesn't show. @public */
export interface OpenRequest {
  operation: 'createDocument' | 'createRealtimeSession' | 'queryUsage'
  body: JsonObject
  nowMs: number
}

/** The fields that were read from an {@link OpenRequest}. @public */
export interface ReadFields {
  /** The text of a document. */
  text?: string
  /** The avatar and the model of a session. */
  avatarId?: string
  model?: string
  /** The start and the end (exclusive) of a usage query, in milliseconds since the Unix epoch. */
  fromMs?: number
  toMs?: number
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const DAY_MS = 24 * 60 * 60 * 1_000

/** If an input is sent as a URL, these rules can only be checked by fetching the input. */
const LATE_RULES: ReadonlySet<InputRule> = new Set([
  'redirect',
  'head',
  'content-type',
  'content-length',
  'type',
  'size',
])

/** The default choices. @public */
export const defaultMediaChoices: MediaChoices = {
  successResponse: () => undefined,
  errorResponse: () => undefined,
  statuses: CHOSEN_STATUSES,

  newIdentifier: (kind, random) =>
    kind === 'task' ? randomUuid(random) : `ems_${randomText(random, 40, ALPHABET)}`,
  organizationOf: () => 'organization',
  otherVersions: 'rejected',
  tierLimits: () => ({}),
  countTask: () => ({}),

  unlistedModel(model, endpoint, table) {
    if (model === undefined)
      return table.find(({ endpoints }) => endpoints.includes(endpoint)) ?? '`model` is missing'
    const elsewhere = table.find((row) => row.model === model)
    if (elsewhere) return `${model} runs only on ${elsewhere.endpoints.join(' and ')}`
    return { model, endpoints: [endpoint], cost: [{ credits: { min: 10, max: 10 } }] }
  },
  credits: {
    usdPerCredit: 0.01,
    taken: 'submitted',
    monthStartedAt: (nowMs) => {
      const now = new Date(nowMs)
      return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)
    },
  },
  costOf: ({ credits }) => credits,
  refunds: ({ task, failure }) => failure !== undefined || task.startedAt === undefined,

  taskMoves: {
    first: 'PENDING',
    afterThrottled: 'PENDING',
    further: [
      { from: null, to: 'PENDING' },
      { from: null, to: 'RUNNING' },
      { from: 'THROTTLED', to: 'PENDING' },
      { from: 'THROTTLED', to: 'RUNNING' },
      { from: 'THROTTLED', to: 'FAILED' },
      { from: 'PENDING', to: 'RUNNING' },
      { from: 'PENDING', to: 'FAILED' },
      { from: 'RUNNING', to: 'SUCCEEDED' },
      { from: 'RUNNING', to: 'FAILED' },
    ],
  },
  courseOf: () => ({}),
  deletedTask: { failure: null, outputs: 'kept' },
  submissionKey: ({ operationId, body }) => canonicalJson([operationId, body]),
  outputFiles: (_, kind) => [kind],
  outputLinks: { lifetimeMs: DAY_MS, baseUrl: '', path: '/outputs/{task}/{file}' },

  findInputs,
  generationProblem({ row: { model, input }, missing }) {
    if (missing === undefined) return undefined
    const fields = missing.map((field) =>
      field === '*' ? 'a field that contains the input' : `\`${field}\``,
    )
    return `input for ${model} is missing${input ? ` (documented: "${input}")` : ''}. Send ${fields.join(' or ')}`
  },
  headInput: headOffline,
  judgeInput({ kind, mediaType = '', problem }) {
    if (problem) return LATE_RULES.has(problem.rule) ? 'failed' : 'rejected'
    return kind !== 'audio' || AUDIO_TYPES.test(mediaType) ? 'accepted' : 'failed'
  },
  sizes: { megabyteBytes: 1_000_000, dataUri: 'encoded', jsonBytes: 67_108_864 },
  uploads: { scheme: 'emulator-upload', path: '/uploads/{token}', methods: ['PUT'], lifetimeMs: DAY_MS },
  readUpload: ({ contentType, bytes }) => bytes && new Blob([bytes], { type: contentType }),

  avatars: {
    requiredFields: ['name', 'referenceImage', 'voice', 'personality'],
    unknownDocuments: 'rejected',
    changedReferenceImage: 'rejected',
    changedDocuments: 'replaced',
    deletedDocuments: 'taken-out',
  },
  readBody({ operation, body, nowMs }) {
    if (operation === 'queryUsage') return readRange(body, nowMs)
    const text = [body['content'], body['text']].find((value) => typeof value === 'string')
    if (operation === 'createDocument') return text === undefined ? undefined : { text }
    const { avatarId, model } = body
    const stringOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
    return defined({ avatarId: stringOf(avatarId), model: stringOf(model) })
  },
  countTokens: (text) => Math.ceil(text.length / 4),
  session: {
    readyMs: 2_000,
    consumeStarts: false,
    timeUp: 'COMPLETED',
    unused: null,
    furtherMoves: [],
    credits: 0,
  },
}

function readRange({ startDate, beforeDate }: JsonObject, nowMs: number): ReadFields | undefined {
  const fromMs = startDate === undefined ? -Infinity : Date.parse(String(startDate))
  const toMs = beforeDate === undefined ? nowMs + 1 : Date.parse(String(beforeDate))
  return Number.isNaN(fromMs) || Number.isNaN(toMs) || fromMs > toMs ? undefined : { fromMs, toMs }
}

const MOVES: JsonObject = {
  type: 'array',
  items: {
    type: 'object',
    properties: { from: { type: ['string', 'null'] }, to: SCHEMAS.text },
    required: ['from', 'to'],
    additionalProperties: false,
  },
}
const OPTIONAL_TEXT: JsonObject = { type: ['string', 'null'] }

export const MEDIA_CHOICES: ChoiceDefinition<MediaChoices> = {
  service: 'media',
  defaults: defaultMediaChoices,
  awaited: ['successResponse', 'headInput', 'readUpload'],
  schemas: {
    ...RESPONSE_SCHEMAS,
    statuses: eachOf(SCHEMAS.status),
    newIdentifier: SCHEMAS.text,
    organizationOf: SCHEMAS.text,
    otherVersions: oneOf('rejected', 'served'),
    tierLimits: resultOf({ concurrency: SCHEMAS.amount, dailyGenerations: SCHEMAS.amount }),
    countTask: resultOf({ group: SCHEMAS.text, takesPlace: SCHEMAS.flag, countsTowardsQuota: SCHEMAS.flag }),
    credits: groupOf({ usdPerCredit: SCHEMAS.amount, taken: oneOf('submitted', 'succeeded') }),
    costOf: SCHEMAS.amount,
    refunds: SCHEMAS.flag,
    taskMoves: groupOf({
      first: oneOf('PENDING', 'RUNNING'),
      afterThrottled: oneOf('PENDING', 'RUNNING'),
      further: MOVES,
    }),
    courseOf: resultOf({ pendingMs: SCHEMAS.amount, runningMs: SCHEMAS.amount, failure: OPTIONAL_TEXT }),
    deletedTask: groupOf({ failure: OPTIONAL_TEXT, outputs: oneOf('kept', 'removed') }),
    submissionKey: SCHEMAS.text,
    outputFiles: { type: 'array' },
    outputLinks: groupOf({ lifetimeMs: SCHEMAS.amount, baseUrl: SCHEMAS.text, path: SCHEMAS.path }),
    findInputs: { type: 'array' },
    generationProblem: SCHEMAS.text,
    judgeInput: oneOf('accepted', 'rejected', 'failed'),
    sizes: groupOf({
      megabyteBytes: SCHEMAS.amount,
      dataUri: oneOf('encoded', 'decoded'),
      jsonBytes: SCHEMAS.amount,
    }),
    uploads: groupOf({
      scheme: { type: 'string', pattern: '^[a-z][a-z0-9+.-]*$' },
      path: SCHEMAS.path,
      methods: { type: 'array', items: oneOf('PUT', 'POST', 'PATCH'), minItems: 1 },
      lifetimeMs: SCHEMAS.amount,
    }),
    avatars: groupOf({
      requiredFields: { type: 'array', items: SCHEMAS.text },
      unknownDocuments: oneOf('rejected', 'kept'),
      changedReferenceImage: oneOf('rejected', 'ignored'),
      changedDocuments: oneOf('replaced', 'added'),
      deletedDocuments: oneOf('taken-out', 'kept'),
    }),
    readBody: resultOf({
      text: SCHEMAS.text,
      avatarId: SCHEMAS.text,
      model: SCHEMAS.text,
      fromMs: {},
      toMs: {},
    }),
    countTokens: SCHEMAS.amount,
    session: groupOf({
      readyMs: { anyOf: [SCHEMAS.amount, { type: 'null' }] },
      consumeStarts: SCHEMAS.flag,
      timeUp: oneOf('COMPLETED', 'FAILED', 'CANCELLED'),
      unused: {
        type: ['object', 'null'],
        properties: { afterMs: SCHEMAS.amount, status: SCHEMAS.text },
        required: ['afterMs', 'status'],
      },
      furtherMoves: MOVES,
      credits: SCHEMAS.amount,
    }),
  },
}
