/**
 * Everything that the emulator of the media service had to choose, because the service's documentation does not
 * show it. Nothing here is a fact about the service; each choice can be replaced. What the documentation does show is in
 * the contract and in the code beside this file.
 */
import { eachOf, groupOf, oneOf, SCHEMAS, type ChoiceDefinition } from '../core/choices.ts'
import { randomText, randomUuid, type RandomSource } from '../core/random.ts'
import type { SuccessChoices } from '../core/service.ts'
import { type JsonObject } from '../core/specification.ts'
import { findInputs } from './inputs/find-inputs.ts'
import { headOffline } from './inputs/head-offline.ts'
import { AUDIO_TYPES } from './inputs/limits.ts'
import type { ModelRow } from './model-table.ts'
import type {
  GenerationRequest,
  InputProblem,
  InputType,
  MediaInput,
  MediaKind,
  MediaSuccess,
  MediaTask,
  MediaTaskStatus,
  OutputFile,
  ReceivedUpload,
  SessionStatus,
} from './model.ts'
import type { MediaRefusalFacts, MediaRefusalKind, UndocumentedMediaRefusal } from './refusals.ts'
import { canonicalJson } from './submission-key.ts'
import type { FigureRange, MediaTier } from './tiers.ts'

/** What the media emulator chooses where the service's documentation shows nothing. @public */
export interface MediaChoices extends SuccessChoices<MediaSuccess> {
  // Secrets, organizations and tiers
  /** Not shown: what an API secret and a task identifier look like. */
  newIdentifier(kind: 'secret' | 'task', random: RandomSource): string
  /** Not shown: whether several secrets belong to one organization. Here all of them do. */
  organizationOf(apiSecret: string): string
  /** Not shown: what another version than the documented one, or none, gets. Here it is refused, with 400. */
  otherVersions: 'refused' | 'served'
  /** Not shown: the exact concurrency inside the range of a tier. Here the lower end. */
  concurrency(range: FigureRange, tier: MediaTier): number
  /** Not shown: the exact daily quota inside the range of a tier. Here the lower end. */
  dailyGenerations(range: FigureRange, tier: MediaTier): number
  /**
   * Not shown: whether the concurrency holds per organization or per model, and which tasks count. Tasks with one name
   * share it. Here an organization, with its tasks that wait to start or run; one for which `counts` is false waits with
   * the others, but takes no place.
   */
  concurrencyGroup(task: MediaTask): { name: string; counts: boolean }
  /** Not shown: whether a generation that failed or was cancelled counts towards the daily quota. Here it does. */
  countsTowardsDailyQuota(task: MediaTask): boolean
  /** Not shown: whether Retry-After is sent with a 429. Here it is not. */
  retryAfterSeconds(waitMs: number): number | undefined

  // Models
  /**
   * Not shown: whether `model` may be left out, whether there are models outside the table, and what they cost. Here a
   * model of another endpoint is refused, the first model of the endpoint runs if none is named, and any other
   * costs 10 credits. A string is the reason for a refusal.
   */
  unlistedModel(model: string | undefined, endpoint: string, table: readonly ModelRow[]): ModelRow | string

  // Credits
  /** Not shown: how many credits there are at the start. */
  startingCredits: number
  /** Not shown: what a credit costs in USD, by which the monthly cap is counted. Here a cent. */
  usdPerCredit: number
  /** Not shown: when a month begins. Here with the calendar month, in UTC. */
  monthStartedAt(nowMs: number): number
  /** Not shown: when credits are taken. A task that is not refundable is charged in either case. */
  creditsTaken: 'submitted' | 'succeeded'
  /**
   * Not shown: what decides the cost inside a range (here the most), how parts of a unit are rounded (up), how long a
   * video is without `duration` (5 s), which field holds the text to speak (`promptText`), how long a recording or a
   * performance is, whose field is not shown (12 s), and what chooses between 720p and 1080p (the shorter side of `ratio`). `credits` is what follows from that.
   */
  costOf(generation: { request: GenerationRequest; row: ModelRow; credits: number }): number
  /**
   * Not shown: which failures other than SAFETY.INPUT.* are refunded, and whether a cancelled task is. Here every failure,
   * and a task that is cancelled before it runs; `failure` is absent for one that is cancelled.
   */
  refunds(end: { task: MediaTask; failure?: string }): boolean

  // The course of a task
  /**
   * Not shown: the status in which a submission within the concurrency begins, where a throttled task moves when there is
   * room (the oldest goes first), and all other moves than that to THROTTLED. These are the ones that the emulator makes.
   */
  taskMoves: {
    first: 'PENDING' | 'RUNNING'
    afterThrottled: 'PENDING' | 'RUNNING'
    further: readonly { from: MediaTaskStatus | null; to: MediaTaskStatus }[]
  }
  /** Not shown: how long a task waits to start. */
  pendingMs(task: MediaTask): number
  /** Not shown: how long generating takes. The emulator is quick so that trying it out is. */
  runningMs(task: MediaTask): number
  /** Not shown: which tasks fail by themselves, and with what. Here those with a bad input (`inputProblemShown`), with ASSET.INVALID. */
  failureOf(task: MediaTask): string | undefined
  /**
   * Not shown: the status of a task after it was cancelled, and what becomes of the files of a deleted one. Here it is
   * gone, with a text as `failure` it stays FAILED for that reason; links work until they expire.
   */
  deletedTask: { failure: string | null; outputs: 'kept' | 'removed' }
  /** Not the service's: which submissions are one and the same for the count. Here those with one body. */
  submissionKey(request: GenerationRequest): string

  // Output
  /**
   * Not shown: how many files a task makes, the format of audio, and what the audio endpoints make. Here one, of the kind
   * of the endpoint: MP4, PNG or JPEG, or MP3. A kind stands for the emulator's own small file.
   */
  outputFiles(task: MediaTask, kind: MediaKind): readonly (OutputFile | MediaKind)[]
  /**
   * Not shown: when a link expires exactly, between 24 and 48 hours; on which host (here where the emulator was reached,
   * unless there is a `baseUrl`) and path the files are; what a signature looks like (two query parameters of these names).
   */
  outputLinks: { lifetimeMs: number; baseUrl: string; path: string; expires: string; signature: string }

  // Inputs
  /** Not shown: which fields besides promptImage carry a file. Here every text that looks like an address does. */
  findInputs(request: GenerationRequest, uploadScheme: string): readonly MediaInput[]
  /**
   * Not shown: what becomes of a request without the input that the model table names, which ratios and durations a model
   * takes, and how long a prompt may be. Here a request without its input is refused, and all else is accepted. A
   * string is the reason for a refusal; `missing` is a list of fields of which the request has none.
   */
  generationProblem(
    row: ModelRow,
    inputs: readonly MediaInput[],
    request: GenerationRequest,
    missing: readonly string[] | undefined,
  ): string | undefined
  /** Not the service's: it fetches inputs, the emulator does not. This answers HEAD for an address, as `fetch` would. */
  headInput(address: string, kind: MediaKind): Response | Promise<Response>
  /** Not shown: where a bad input shows. Here with 400 if the request itself shows it, else the task fails. */
  inputProblemShown(problem: InputProblem): 'refused' | 'failed'
  /**
   * Not shown: whether a MB of the input limits is 1,000,000 or 1,048,576 bytes, and whether the limit of a data URI
   * counts its data as encoded or as decoded.
   */
  inputSizes: { megabyteBytes: number; dataUri: 'encoded' | 'decoded' }
  /**
   * Not shown: the containers of video and audio, of which only codecs and formats are named, and whether a data URI may
   * be the reference image of an avatar. Here every video passes, audio of the types that can hold MP3, AAC, FLAC, PCM or
   * ALAC, and it may.
   */
  acceptsInput(input: InputType): boolean

  // Uploads
  /**
   * Not shown: the form of the URI of an upload, where its bytes go and with which methods, without credentials, and how
   * long it lives.
   */
  uploads: { scheme: string; path: string; methods: readonly string[]; lifetimeMs: number }
  /** Not shown: the form of an upload. Here the body is the file. `undefined` is refused. */
  readUpload(received: ReceivedUpload): Blob | undefined | Promise<Blob | undefined>

  // Avatars, documents and sessions
  /**
   * Not shown: which fields of a new avatar are required (only documentIds is said to be optional), whether unknown
   * document identifiers are refused, what happens to a referenceImage that is sent with a change, and what becomes of an
   * avatar when one of its documents is deleted.
   */
  avatars: {
    requiredFields: readonly string[]
    unknownDocuments: 'refused' | 'kept'
    changedReferenceImage: 'refused' | 'ignored'
    deletedDocuments: 'taken-out' | 'kept'
  }
  /** Not shown: whether documentIds of a change replaces the list. Here it does. */
  changedDocuments(before: readonly string[], sent: readonly string[]): readonly string[]
  /** Not shown: the names of the fields of a new document. Here `content` or `text`; `undefined` is refused. */
  readDocument(body: JsonObject): string | undefined
  /** Not shown: how tokens of knowledge are counted. Here four characters make one. */
  countTokens(text: string): number
  /** Not shown: the names of the fields of a request for a session. Here `avatarId`, which may be left out. */
  readSession(body: JsonObject): { avatarId?: string; model?: string }
  /**
   * Not shown: when a session becomes ready (`null` leaves it to the control interface), whether obtaining the
   * credentials starts it, the state at the end of the 5 minutes, which count from its start here, when a session that
   * nobody starts ends, and how (here it stays), other moves than the documented ones, and what a session costs, in
   * credits, when it is created.
   */
  session: {
    readyMs: number | null
    consumeStarts: boolean
    timeUp: 'COMPLETED' | 'FAILED' | 'CANCELLED'
    unused: { afterMs: number; status: SessionStatus } | null
    furtherMoves: readonly { from: SessionStatus; to: SessionStatus }[]
    credits: number
  }
  /** Not shown: how a range of days is asked for. Here `startDate` and `beforeDate`, by default all 90 days. */
  readUsageQuery(body: JsonObject, nowMs: number): { fromMs: number; toMs: number } | undefined

  // Refusals
  /** Not shown: how large a JSON body may be. */
  largestJsonBytes: number
  /** Not shown: the statuses of these refusals. */
  statuses: Readonly<Record<UndocumentedMediaRefusal, number>>
  /** Not shown: the words of every refusal. */
  wording: Readonly<Record<MediaRefusalKind, (facts: MediaRefusalFacts) => string>>
  /** Not shown: the shape of an error body. */
  errorBody(refusal: { kind: MediaRefusalKind; status: number; message: string }): JsonObject
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const DAY_MS = 24 * 60 * 60 * 1_000

/** The choices that hold where none is replaced. @public */
export const defaultMediaChoices: MediaChoices = {
  successStatus: ({ status }) => status,
  successBody: ({ body }) => body,

  newIdentifier: (kind, random) =>
    kind === 'task' ? randomUuid(random) : `ems_${randomText(random, 40, ALPHABET)}`,
  organizationOf: () => 'organization',
  otherVersions: 'refused',
  concurrency: ({ min }) => min,
  dailyGenerations: ({ min }) => min,
  concurrencyGroup: ({ organization, status }) => ({
    name: organization,
    counts: status === 'PENDING' || status === 'RUNNING',
  }),
  countsTowardsDailyQuota: () => true,
  retryAfterSeconds: () => undefined,

  unlistedModel(model, endpoint, table) {
    if (model === undefined)
      return table.find(({ endpoints }) => endpoints.includes(endpoint)) ?? '`model` is missing'
    const elsewhere = table.find((row) => row.model === model)
    if (elsewhere) return `${model} runs on ${elsewhere.endpoints.join(' and ')} only`
    return { model, endpoints: [endpoint], cost: [{ credits: { min: 10, max: 10 } }] }
  },

  startingCredits: 10_000,
  usdPerCredit: 0.01,
  monthStartedAt: (nowMs) => {
    const now = new Date(nowMs)
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)
  },
  creditsTaken: 'submitted',
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
  pendingMs: () => 1_000,
  runningMs: () => 3_000,
  failureOf: ({ inputProblem }) => inputProblem && 'ASSET.INVALID',
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
  generationProblem({ model, input }, _inputs, _request, missing) {
    if (missing === undefined) return undefined
    const fields = missing.map((field) => (field === '*' ? 'a field that holds it' : `\`${field}\``))
    return `${model} needs its input${input === undefined ? '' : ` (${input})`}: ${fields.join(' or ')}`
  },
  headInput: headOffline,
  inputProblemShown: ({ rule }) =>
    ['redirect', 'head', 'content-type', 'content-length', 'type', 'size'].includes(rule)
      ? 'failed'
      : 'refused',
  inputSizes: { megabyteBytes: 1_000_000, dataUri: 'encoded' },
  acceptsInput: ({ kind, mediaType }) => kind !== 'audio' || AUDIO_TYPES.test(mediaType),

  uploads: { scheme: 'emulator-upload', path: '/uploads/{token}', methods: ['PUT'], lifetimeMs: DAY_MS },
  readUpload: ({ contentType, bytes }) => bytes && new Blob([bytes], { type: contentType }),

  avatars: {
    requiredFields: ['name', 'referenceImage', 'voice', 'personality'],
    unknownDocuments: 'refused',
    changedReferenceImage: 'refused',
    deletedDocuments: 'taken-out',
  },
  changedDocuments: (_, sent) => sent,
  readDocument: ({ content, text }) =>
    typeof content === 'string' ? content : typeof text === 'string' ? text : undefined,
  countTokens: (text) => Math.ceil(text.length / 4),
  readSession: ({ avatarId, model }) => ({
    ...(typeof avatarId === 'string' ? { avatarId } : {}),
    ...(typeof model === 'string' ? { model } : {}),
  }),
  session: {
    readyMs: 2_000,
    consumeStarts: false,
    timeUp: 'COMPLETED',
    unused: null,
    furtherMoves: [],
    credits: 0,
  },
  readUsageQuery: ({ startDate, beforeDate }, nowMs) => {
    const fromMs = startDate === undefined ? -Infinity : Date.parse(String(startDate))
    const toMs = beforeDate === undefined ? nowMs + 1 : Date.parse(String(beforeDate))
    return Number.isNaN(fromMs) || Number.isNaN(toMs) || fromMs > toMs ? undefined : { fromMs, toMs }
  },

  largestJsonBytes: 67_108_864,
  statuses: {
    'key-missing': 401,
    'body-too-large': 413,
    'route-unknown': 404,
    'method-unknown': 405,
    'server-error': 500,
    'monthly-cap': 403,
    'credits-exhausted': 402,
    'task-not-found': 404,
    'avatar-not-found': 404,
    'avatar-incomplete': 400,
    'avatar-image-fixed': 400,
    'documents-unknown': 400,
    'knowledge-too-large': 400,
    'document-not-found': 404,
    'document-unreadable': 400,
    'session-not-found': 404,
    'session-refused': 400,
    'session-not-ready': 409,
    'session-consumed': 409,
    'usage-unreadable': 400,
    'output-not-found': 404,
    'output-expired': 403,
    'output-signature': 403,
    'upload-not-found': 404,
    'upload-expired': 410,
    'upload-empty': 400,
    'upload-too-large': 413,
  },
  wording: {
    'request-refused': ({ reasons = [] }) =>
      `The request is not what the contract asks for: ${reasons.join('; ')}.`,
    'input-refused': ({ reasons = [] }) => `An input cannot be used: ${reasons.join('; ')}.`,
    'key-invalid': () => 'The API secret is invalid.',
    'daily-quota': ({ limit }) =>
      `The daily quota is exceeded: ${limit} generations in the last 24 hours. Room comes as the oldest leave the window.`,
    'key-missing': () => 'The API secret is missing.',
    'body-too-large': ({ limit }) => `The body is larger than ${limit} bytes.`,
    'route-unknown': () => 'There is nothing at this address.',
    'method-unknown': ({ reasons = [] }) => `This address takes ${reasons.join(', ')}.`,
    'server-error': () => 'The server failed to answer.',
    'monthly-cap': ({ limit, count }) =>
      `The monthly cap of ${limit} USD would be exceeded: ${count} USD were spent in this month.`,
    'credits-exhausted': ({ limit, count }) =>
      `The credits do not suffice: the generation costs ${count}, and ${limit} are left.`,
    'task-not-found': () => 'The task was not found.',
    'avatar-not-found': () => 'The avatar was not found.',
    'avatar-incomplete': ({ reasons = [] }) => `An avatar needs ${reasons.join(', ')}.`,
    'avatar-image-fixed': () => 'The referenceImage of an avatar cannot be changed.',
    'documents-unknown': ({ reasons = [] }) => `There are no documents ${reasons.join(', ')}.`,
    'knowledge-too-large': ({ limit, count }) =>
      `The documents of an avatar may hold ${limit} tokens; these hold ${count}.`,
    'document-not-found': () => 'The document was not found.',
    'document-unreadable': () => 'A document needs text. The emulator looks for it in content or text.',
    'session-not-found': () => 'The session was not found.',
    'session-refused': ({ value }) => `A session cannot be created: ${value}.`,
    'session-not-ready': ({ value }) => `The session is ${value}, not READY.`,
    'session-consumed': () =>
      'The credentials of this session were handed over already. Create a new session.',
    'usage-unreadable': () => 'The range of days cannot be read.',
    'output-not-found': () => 'There is no such file.',
    'output-expired': () => 'The link has expired.',
    'output-signature': () => 'The signature of the link is not valid.',
    'upload-not-found': () => 'The upload was not found.',
    'upload-expired': () => 'The upload has expired.',
    'upload-empty': () => 'The upload is empty.',
    'upload-too-large': ({ limit }) => `An upload may have ${limit} MB.`,
  },
  errorBody: ({ message }) => ({ error: message }),
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

/** The choices with what they are checked by. */
export const MEDIA_CHOICES: ChoiceDefinition<MediaChoices> = {
  service: 'media',
  defaults: defaultMediaChoices,
  awaited: ['successStatus', 'successBody', 'headInput', 'readUpload'],
  schemas: {
    successStatus: SCHEMAS.status,
    newIdentifier: SCHEMAS.text,
    organizationOf: SCHEMAS.text,
    otherVersions: oneOf('refused', 'served'),
    concurrency: SCHEMAS.amount,
    dailyGenerations: SCHEMAS.amount,
    concurrencyGroup: groupOf({ name: SCHEMAS.text, counts: SCHEMAS.flag }),
    countsTowardsDailyQuota: SCHEMAS.flag,
    retryAfterSeconds: SCHEMAS.amount,
    startingCredits: SCHEMAS.amount,
    usdPerCredit: SCHEMAS.amount,
    creditsTaken: oneOf('submitted', 'succeeded'),
    costOf: SCHEMAS.amount,
    refunds: SCHEMAS.flag,
    taskMoves: groupOf({
      first: oneOf('PENDING', 'RUNNING'),
      afterThrottled: oneOf('PENDING', 'RUNNING'),
      further: MOVES,
    }),
    pendingMs: SCHEMAS.amount,
    runningMs: SCHEMAS.amount,
    failureOf: SCHEMAS.text,
    deletedTask: groupOf({ failure: { type: ['string', 'null'] }, outputs: oneOf('kept', 'removed') }),
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
    inputProblemShown: oneOf('refused', 'failed'),
    inputSizes: groupOf({ megabyteBytes: SCHEMAS.amount, dataUri: oneOf('encoded', 'decoded') }),
    acceptsInput: SCHEMAS.flag,
    uploads: groupOf({
      scheme: { type: 'string', pattern: '^[a-z][a-z0-9+.-]*$' },
      path: SCHEMAS.path,
      methods: { type: 'array', items: oneOf('PUT', 'POST', 'PATCH'), minItems: 1 },
      lifetimeMs: SCHEMAS.amount,
    }),
    avatars: groupOf({
      requiredFields: { type: 'array', items: SCHEMAS.text },
      unknownDocuments: oneOf('refused', 'kept'),
      changedReferenceImage: oneOf('refused', 'ignored'),
      deletedDocuments: oneOf('taken-out', 'kept'),
    }),
    changedDocuments: { type: 'array', items: SCHEMAS.text },
    readDocument: SCHEMAS.text,
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
    largestJsonBytes: SCHEMAS.amount,
    statuses: eachOf(SCHEMAS.status),
    wording: {},
    errorBody: { type: 'object' },
  },
}
