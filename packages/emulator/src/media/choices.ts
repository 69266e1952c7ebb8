/**
 * Everything that the emulator of the media service had to choose, because the service's documentation doesn't show it.
 * Nothing here is a fact about the service, and each choice can be replaced. Documented behavior is in the
 * contract and in the code next to this file.
 */
import {
  answerOf,
  eachOf,
  groupOf,
  oneOf,
  RESPONSE_SCHEMAS,
  SCHEMAS,
  type ChoiceDefinition,
} from '../core/choices.ts'
import type { JsonObject } from '../core/json.ts'
import { randomText, randomUuid, type RandomSource } from '../core/random.ts'
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

/** The choices of the media emulator, for behavior that the service's documentation doesn't show. @public */
export interface MediaChoices extends ResponseChoices<MediaSuccess, MediaDenialKind, MediaDenialFacts> {
  /** Not shown: the statuses of these errors. */
  statuses: Readonly<Record<keyof typeof CHOSEN_STATUSES, number>>

  // Secrets, organizations and tiers
  /** Not shown: what an API secret and a task identifier look like. */
  newIdentifier(kind: 'secret' | 'task', random: RandomSource): string
  /** Not shown: whether several secrets belong to one organization. Here all of them do. */
  organizationOf(apiSecret: string): string
  /** Not shown: the response to another version than the documented one, or to none. Here 400. */
  otherVersions: 'rejected' | 'served'
  /** Not shown: the exact concurrency and daily quota inside the ranges of a tier. By default the lower ends. */
  tierLimits(tier: MediaTier): { concurrency?: number; dailyGenerations?: number }
  /**
   * Not shown: whether the concurrency is per organization or per model, which tasks count towards it, and whether a
   * generation that failed or was canceled counts towards the daily quota. Tasks of one `group` share the concurrency. By
   * default an organization is a group, its tasks that wait to start or run take a place in it, and every generation counts.
   */
  countTask(task: MediaTask): { group?: string; takesPlace?: boolean; countsTowardsQuota?: boolean }

  // Models and credits
  /**
   * Not shown: whether `model` may be left out, whether models outside the table exist, and what they cost. Here a model
   * of another endpoint is rejected, the first model of the endpoint runs without a named one, and any other model costs 10
   * credits. A string is the reason for the error.
   */
  unlistedModel(model: string | undefined, endpoint: string, table: readonly ModelRow[]): ModelRow | string
  /**
   * Not shown: how many credits there are at the start, what a credit costs in USD (by which the monthly cap is counted),
   * when credits are taken, and when a month begins (here with the calendar month, in UTC). A task that is not refundable
   * is charged in either case.
   */
  credits: {
    atStart: number
    usdPerCredit: number
    taken: 'submitted' | 'succeeded'
    monthStartedAt(nowMs: number): number
  }
  /**
   * Not shown: what decides the cost inside a range (here the most), how parts of a unit are rounded (up), and how long a
   * video without `duration` is (5 s). Nor which field contains the text to speak (`promptText`), how long a recording or a
   * performance is (12 s), and what selects 720p or 1080p (the shorter side of `ratio`).
   * `credits` is the resulting cost.
   */
  costOf(generation: { request: GenerationRequest; row: ModelRow; credits: number }): number
  /**
   * Not shown: which failures other than SAFETY.INPUT.* are refunded, and whether a canceled task is. Here every failure,
   * and a task that is canceled before it runs. `failure` is absent for a canceled task.
   */
  refunds(end: { task: MediaTask; failure?: string }): boolean

  // Tasks
  /**
   * Not shown: the first status of a submission within the concurrency, the status of a throttled task when there is room
   * again (the oldest goes first), and all transitions other than the one to THROTTLED. These are the emulator's.
   */
  taskMoves: {
    first: 'PENDING' | 'RUNNING'
    afterThrottled: 'PENDING' | 'RUNNING'
    further: readonly { from: MediaTaskStatus | null; to: MediaTaskStatus }[]
  }
  /**
   * Not shown: how long a task waits to start and how long it runs (here 1 s and 3 s, so that trying it out is quick), and
   * which tasks fail on their own, and with what (here those with a bad input, with ASSET.INVALID). `failure: null` lets
   * the task succeed.
   */
  courseOf(task: MediaTask): { pendingMs?: number; runningMs?: number; failure?: string | null }
  /**
   * Not shown: the status of a task after it was canceled, and what happens to the files of a deleted one. Here it is gone
   * (with a string as `failure` it is FAILED for that reason), and links work until they expire.
   */
  deletedTask: { failure: string | null; outputs: 'kept' | 'removed' }
  /** Not the service's: which submissions are counted as the same. Here those with equal bodies. */
  submissionKey(request: GenerationRequest): string
  /**
   * Not shown: how many files a task creates, the format of audio, and what the audio endpoints create. Here one file, of
   * the kind of the endpoint: MP4, PNG or JPEG, or MP3. A kind is replaced by the emulator's own small file.
   */
  outputFiles(task: MediaTask, kind: MediaKind): readonly (OutputFile | MediaKind)[]
  /**
   * Not shown: when exactly a link expires, between 24 and 48 hours; the host of files (here where the emulator was reached,
   * unless there is a `baseUrl`) and their path; what a signature looks like (here two query parameters with these names).
   */
  outputLinks: { lifetimeMs: number; baseUrl: string; path: string; expires: string; signature: string }

  // Inputs
  /** Not shown: which fields besides promptImage contain a file. Here every string that looks like an address does. */
  findInputs(request: GenerationRequest, uploadScheme: string): readonly MediaInput[]
  /**
   * Not shown: the response to a request without the input that the model table names, which ratios and durations a model
   * takes, and how long a prompt may be. Here a request without its input is rejected, and all else is accepted. A string
   * is the reason for the error. `missing` lists the fields of which the model needs one and the request has none.
   */
  generationProblem(generation: {
    row: ModelRow
    inputs: readonly MediaInput[]
    request: GenerationRequest
    missing: readonly string[] | undefined
  }): string | undefined
  /** Not the service's: it fetches inputs, the emulator doesn't. This answers HEAD for an address, as `fetch` would. */
  headInput(address: string, kind: MediaKind): Response | Promise<Response>
  /**
   * Not shown: when a bad input is reported, the containers of video and audio, of which only codecs and formats are named,
   * and whether a data URI may be the reference image of an avatar. Here a problem that the request itself shows is
   * `denied` with 400, others let the task fail. Every video is accepted, audio of the types that can hold MP3, AAC, FLAC,
   * PCM or ALAC, and the data URI.
   */
  judgeInput(input: InputToJudge): 'accepted' | 'rejected' | 'failed'
  /**
   * Not shown: whether a MB of the input limits is 1,000,000 or 1,048,576 bytes, whether the limit of a data URI counts its
   * data as encoded or as decoded, and how large a JSON body may be.
   */
  sizes: { megabyteBytes: number; dataUri: 'encoded' | 'decoded'; jsonBytes: number }
  /**
   * Not shown: the form of the URI of an upload, where its bytes are sent and with which methods, without credentials, and
   * how long it is valid.
   */
  uploads: { scheme: string; path: string; methods: readonly string[]; lifetimeMs: number }
  /** Not shown: the form of an upload. Here the body is the file. `undefined` is rejected. */
  readUpload(received: ReceivedUpload): Blob | undefined | Promise<Blob | undefined>

  // Avatars, documents and sessions
  /**
   * Not shown: which fields of a new avatar are required (only documentIds is said to be optional), and whether unknown
   * document identifiers are rejected. Nor what happens to a referenceImage that is sent with a change, whether documentIds
   * of a change replaces the list, and what happens to an avatar when one of its documents is deleted.
   */
  avatars: {
    requiredFields: readonly string[]
    unknownDocuments: 'rejected' | 'kept'
    changedReferenceImage: 'rejected' | 'ignored'
    changedDocuments: 'replaced' | 'added'
    deletedDocuments: 'taken-out' | 'kept'
  }
  /**
   * Not shown: the fields of the requests for a new document, a session, and the usage of some days. Here `content` or
   * `text`; `avatarId`, which is optional; `startDate` and `beforeDate`, by default all 90 days. A document without text
   * is rejected, and `undefined` is too.
   */
  readBody(request: OpenRequest): ReadFields | undefined
  /** Not shown: how tokens of knowledge are counted. Here four characters are one token. */
  countTokens(text: string): number
  /**
   * Not shown: when a session becomes ready (`null` leaves it to the control interface), whether obtaining the credentials
   * starts it, and its state at the end of the 5 minutes, which count from its start here. Nor when and how an unstarted
   * session ends (here never), other transitions than the documented ones, and its cost in credits at its creation.
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

/** The operation of an {@link OpenRequest}. @public */
export interface ReadFields {
  /** Of a document. */
  text?: string
  /** Of a session. */
  avatarId?: string
  model?: string
  /** Of a range of days, in milliseconds since the Unix epoch. */
  fromMs?: number
  toMs?: number
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const DAY_MS = 24 * 60 * 60 * 1_000

/** The rules that only fetching an input, or its bytes, can show. */
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
    if (elsewhere) return `${model} runs on ${elsewhere.endpoints.join(' and ')} only`
    return { model, endpoints: [endpoint], cost: [{ credits: { min: 10, max: 10 } }] }
  },
  credits: {
    atStart: 10_000,
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
  outputLinks: {
    lifetimeMs: DAY_MS,
    baseUrl: '',
    path: '/outputs/{task}/{file}',
    expires: 'expires',
    signature: 'signature',
  },

  findInputs,
  generationProblem({ row: { model, input }, missing }) {
    if (missing === undefined) return undefined
    const fields = missing.map((field) => (field === '*' ? 'a field that contains it' : `\`${field}\``))
    return `${model} needs its input${input === undefined ? '' : ` (${input})`}: ${fields.join(' or ')}`
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
    return {
      ...(typeof avatarId === 'string' ? { avatarId } : {}),
      ...(typeof model === 'string' ? { model } : {}),
    }
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

/** The choices with what they are checked by. */
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
    tierLimits: answerOf({ concurrency: SCHEMAS.amount, dailyGenerations: SCHEMAS.amount }),
    countTask: answerOf({ group: SCHEMAS.text, takesPlace: SCHEMAS.flag, countsTowardsQuota: SCHEMAS.flag }),
    credits: groupOf({
      atStart: SCHEMAS.amount,
      usdPerCredit: SCHEMAS.amount,
      taken: oneOf('submitted', 'succeeded'),
    }),
    costOf: SCHEMAS.amount,
    refunds: SCHEMAS.flag,
    taskMoves: groupOf({
      first: oneOf('PENDING', 'RUNNING'),
      afterThrottled: oneOf('PENDING', 'RUNNING'),
      further: MOVES,
    }),
    courseOf: answerOf({ pendingMs: SCHEMAS.amount, runningMs: SCHEMAS.amount, failure: OPTIONAL_TEXT }),
    deletedTask: groupOf({ failure: OPTIONAL_TEXT, outputs: oneOf('kept', 'removed') }),
    submissionKey: SCHEMAS.text,
    outputFiles: { type: 'array' },
    outputLinks: groupOf({
      lifetimeMs: SCHEMAS.amount,
      baseUrl: SCHEMAS.text,
      path: SCHEMAS.path,
      expires: SCHEMAS.text,
      signature: SCHEMAS.text,
    }),
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
    readBody: answerOf({
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
