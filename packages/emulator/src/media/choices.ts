/**
 * Everything that the emulator of the media service had to choose, because the service's documentation does not
 * show it. Nothing here is a fact about the service; each choice can be replaced. What the documentation does give
 * stands in the contract and in the code beside this file.
 */
import { randomText, randomUuid, type RandomSource } from '../core/random.ts'
import { type JsonObject } from '../core/specification.ts'
import { findInputs } from './inputs/find-inputs.ts'
import { headOffline } from './inputs/head-offline.ts'
import { AUDIO_TYPES } from './inputs/limits.ts'
import type { ModelCost, ModelRow } from './model-table.ts'
import type {
  Avatar,
  GenerationRequest,
  InputProblem,
  KnowledgeDocument,
  MediaInput,
  MediaKind,
  MediaTask,
  MediaTaskStatus,
  MediaOrganization,
  OutputFile,
  RealtimeSession,
  SessionStatus,
  MediaUpload,
  UsageEntry,
} from './model.ts'
import { outputFixture } from './outputs/output-fixture.ts'
import type { MediaRefusalFacts, MediaRefusalKind, UndocumentedMediaRefusal } from './refusals.ts'
import { canonicalJson } from './submission-key.ts'
import type { FigureRange, MediaTier } from './tiers.ts'

/** What the media emulator chooses where the service's documentation shows nothing. @public */
export interface MediaChoices {
  // Secrets, organizations and tiers
  /** Not shown: what an API secret looks like, and how it is issued. */
  newApiSecret(random: RandomSource): string
  /** Not shown: whether several secrets belong to one organization. Here all of them do. */
  organizationOf(apiSecret: string): string
  /** Not shown: what another version than the documented one, or none, gets. Here it is refused, with 400. */
  otherVersions: 'refused' | 'served'
  /** Not shown: the exact concurrency inside the range of a tier. Here the lower end. */
  concurrency(range: FigureRange, tier: MediaTier): number
  /** Not shown: the exact daily quota inside the range of a tier. Here the lower end. */
  dailyGenerations(range: FigureRange, tier: MediaTier): number
  /** Not shown: whether the concurrency holds per organization or per model. Tasks with one name share it. */
  concurrencyGroup(task: MediaTask): string
  /** Not shown: which tasks count towards the concurrency. Here those that wait to start or run. */
  concurrencyCounts: readonly MediaTaskStatus[]
  /** Not shown: whether a generation that failed or was cancelled counts towards the daily quota. Here it does. */
  countsTowardsDailyQuota(task: MediaTask): boolean
  /** Not shown: whether Retry-After is sent with a 429. Here it is not. */
  retryAfterSeconds(waitMs: number): number | undefined
  /** Not shown: what a credit costs in USD, by which the monthly cap is counted. Here a cent. */
  usdPerCredit: number
  /** Not shown: when a month begins. Here with the calendar month, in UTC. */
  monthStartedAt(nowMs: number): number

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
  /** Not shown: when credits are taken. A task that is not refundable is charged in either case. */
  creditsTaken: 'submitted' | 'succeeded'
  /** Not shown: what decides the cost inside a range. Here the most is charged. */
  costInRange(range: FigureRange, request: GenerationRequest): number
  /** Not shown: how parts of a unit are rounded. Here up, the whole generation at once. */
  roundCredits(credits: number): number
  /** Not shown: the length of a video where `duration` is left out. */
  defaultDurationSeconds: number
  /** Not shown: what chooses between 720p and 1080p. Here the shorter side of `ratio`: 1080 and more is 1080p. */
  costCase(costs: readonly ModelCost[], request: GenerationRequest): string | undefined
  /** Not shown: which field holds the text to speak. Here `promptText`; its characters are Unicode code points. */
  spokenCharacters(request: GenerationRequest): number
  /**
   * Not shown: how long a recording or a performance is, since the field of its input is not shown. Here each counts as
   * 12 seconds.
   */
  recordingSeconds(request: GenerationRequest): number
  /** Not shown: which failures other than SAFETY.INPUT.* are refunded. Here all. */
  refundsFailure(failure: string, task: MediaTask): boolean
  /** Not shown: whether a task that is cancelled is refunded. Here as long as it did not start to run. */
  refundsCancelled(task: MediaTask): boolean

  // The course of a task
  /** Not shown: what a task identifier looks like. */
  newTaskId(random: RandomSource): string
  /** Not shown: the status in which a submission within the concurrency begins. */
  firstStatus: 'PENDING' | 'RUNNING'
  /** Not shown: where a throttled task moves when there is room; the oldest goes first. */
  throttledGoesTo: 'PENDING' | 'RUNNING'
  /** Not shown: all other moves than that to THROTTLED. These are the ones that the emulator makes. */
  furtherTaskMoves: readonly { from: MediaTaskStatus | null; to: MediaTaskStatus }[]
  /** Not shown: how long a task waits to start. */
  pendingMs(task: MediaTask): number
  /** Not shown: how long generating takes. The emulator is quick so that trying it out is. */
  runningMs(task: MediaTask): number
  /** Not shown: which tasks fail by themselves. Here none but those with a bad input (`inputProblemShown`). */
  failureOf(task: MediaTask): string | undefined
  /** Not shown: further fields of a task. Here there are none. */
  furtherTaskFields(task: MediaTask): JsonObject
  /** Not shown: the status of a task after it was cancelled. Here it is gone; `{ failure }` leaves it FAILED for that reason. */
  cancelledTask: 'gone' | { failure: string }
  /** Not shown: what becomes of the files of a deleted task. Here their links work until they expire. */
  outputsOutliveTask: boolean
  /** Not shown: what a deletion is answered with. Here an empty object; `null` leaves the body out. */
  deletionBody(operationId: string): JsonObject | null
  /** Not the service's: which submissions are one and the same for the count. Here those with one body. */
  submissionKey(request: GenerationRequest): string

  // Output
  /** Not shown: how many files a task makes, and the format of audio. Here one: MP4, PNG or JPEG, or MP3. */
  outputFiles(task: MediaTask, kind: MediaKind): readonly OutputFile[]
  /** Not shown: what the audio endpoints make; dubbing could be of a video. Here all of them make audio. */
  outputKind(task: MediaTask, kind: MediaKind): MediaKind
  /** Not shown: when a link expires exactly, between 24 and 48 hours. Here after 24. */
  outputLifetimeMs: number
  /** Not shown: on which host the files are. Here where the emulator was reached. */
  outputBaseUrl(baseUrl: string): string
  /** Not shown: the path of a file. */
  outputPath: string
  /** Not shown: what a signature looks like. Here two query parameters of these names. */
  outputQuery: { expires: string; signature: string }

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
  /** Not shown: the failure of a task with a bad input; ASSET.INVALID is documented for a bad format. */
  inputFailure(problem: InputProblem): string
  /** Not shown: whether a MB of the input limits is 1,000,000 or 1,048,576 bytes. */
  megabyteBytes: number
  /** Not shown: whether the limit of a data URI counts its data as encoded or as decoded. */
  dataUriSize: 'encoded' | 'decoded'
  /**
   * Not shown: the containers of video and audio; only codecs and formats are named. Here every video passes, and
   * audio of the types that can hold MP3, AAC, FLAC, PCM or ALAC.
   */
  acceptsMediaType(kind: 'video' | 'audio', mediaType: string): boolean
  /** Not shown: whether a data URI may be the reference image of an avatar. */
  referenceImageTakesDataUri: boolean

  // Uploads
  /** Not shown: the form of the URI of an upload. */
  uploadScheme: string
  /** Not shown: where the bytes of an upload go. Here they are sent there with PUT, without credentials. */
  uploadPath: string
  /** Not shown: how long an upload lives. */
  uploadLifetimeMs: number
  /** Not shown: the names of the fields of an upload. */
  showUpload(upload: MediaUpload): JsonObject
  /** Not shown: the status of the answer to the bytes; it has no body. */
  uploadedStatus: number

  // Avatars, documents and sessions
  /** Not shown: which fields of a new avatar are required; only documentIds is said to be optional. Here the others. */
  requiredAvatarFields: readonly string[]
  /** Not shown: the names of further fields of an avatar, such as its identifier. */
  showAvatar(avatar: Avatar): JsonObject
  /** Not shown: whether unknown document identifiers are refused. */
  unknownDocuments: 'refused' | 'kept'
  /** Not shown: whether documentIds of a change replaces the list. Here it does. */
  changedDocuments(before: readonly string[], sent: readonly string[]): readonly string[]
  /** Not shown: what happens to a referenceImage that is sent with a change. */
  changedReferenceImage: 'refused' | 'ignored'
  /** Not shown: what becomes of an avatar when one of its documents is deleted. */
  deletedDocuments: 'taken-out' | 'kept'
  /** Not shown: the names of the fields of a new document. Here `content` or `text`; `undefined` is refused. */
  readDocument(body: JsonObject): string | undefined
  /** Not shown: the names of the fields of a document. */
  showDocument(document: KnowledgeDocument): JsonObject
  /** Not shown: how tokens of knowledge are counted. Here four characters make one. */
  countTokens(text: string): number
  /** Not shown: the names of the fields of a request for a session. Here `avatarId`, which may be left out. */
  readSession(body: JsonObject): { avatarId?: string; model?: string }
  /** Not shown: the names of the fields of a session. */
  showSession(session: RealtimeSession): JsonObject
  /** Not shown: when a session becomes ready; `null` leaves it to the control interface. */
  sessionReadyMs: number | null
  /** Not shown: whether obtaining the credentials starts the session. Here it does not; the control interface does. */
  consumeStarts: boolean
  /** Not shown: the shape of the credentials. These lead nowhere. */
  newCredentials(session: RealtimeSession, random: RandomSource): JsonObject
  /** Not shown: the state at the end of the 5 minutes, which count from the start of the session here. */
  sessionTimeUp: 'COMPLETED' | 'FAILED' | 'CANCELLED'
  /** Not shown: when a session that nobody starts ends, and how. Here it stays. */
  unusedSession: { afterMs: number; status: SessionStatus } | undefined
  /** Not shown: other moves of a session than the documented ones. Here there are none. */
  furtherSessionMoves: readonly { from: SessionStatus; to: SessionStatus }[]

  /** Not shown: what a session costs, in credits. Here nothing; it would be taken when the session is created. */
  sessionCredits(session: RealtimeSession): number

  // Organization and usage
  /** Not shown: the names of the fields of the organization. */
  showOrganization(facts: OrganizationFacts): JsonObject
  /** Not shown: how a range of days is asked for. Here `startDate` and `beforeDate`, by default all 90 days. */
  readUsageQuery(body: JsonObject, nowMs: number): { fromMs: number; toMs: number } | undefined
  /** Not shown: how usage is grouped. Here by day in UTC and by model. */
  showUsage(entries: readonly UsageEntry[], range: { fromMs: number; toMs: number }): JsonObject

  // Statuses and refusals
  /** Not shown: the status of every success. */
  successStatus(operationId: string): number
  /** Not shown: how large a JSON body may be. */
  largestJsonBytes: number
  /** Not shown: the statuses of these refusals. */
  statuses: Readonly<Record<UndocumentedMediaRefusal, number>>
  /** Not shown: the words of every refusal. */
  wording: Readonly<Record<MediaRefusalKind, (facts: MediaRefusalFacts) => string>>
  /** Not shown: the shape of an error body. */
  errorBody(refusal: { kind: MediaRefusalKind; status: number; message: string }): JsonObject
}

/** What there is to tell of an organization. @public */
export interface OrganizationFacts {
  organization: MediaOrganization
  concurrency: number
  dailyGenerations: number
  /** The generations of the last 24 hours. */
  generationsToday: number
  /** What was spent in this month, in USD. */
  spentUsd: number
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'
const DAY_MS = 24 * 60 * 60 * 1_000

/** The choices that hold where none is replaced. @public */
export const defaultMediaChoices: MediaChoices = {
  newApiSecret: (random) => `ems_${randomText(random, 40, ALPHABET)}`,
  organizationOf: () => 'organization',
  otherVersions: 'refused',
  concurrency: ({ min }) => min,
  dailyGenerations: ({ min }) => min,
  concurrencyGroup: (task) => task.organization,
  concurrencyCounts: ['PENDING', 'RUNNING'],
  countsTowardsDailyQuota: () => true,
  retryAfterSeconds: () => undefined,
  usdPerCredit: 0.01,
  monthStartedAt: (nowMs) => {
    const now = new Date(nowMs)
    return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)
  },

  unlistedModel(model, endpoint, table) {
    if (model === undefined)
      return table.find(({ endpoints }) => endpoints.includes(endpoint)) ?? '`model` is missing'
    const elsewhere = table.find((row) => row.model === model)
    if (elsewhere) return `${model} runs on ${elsewhere.endpoints.join(' and ')} only`
    return { model, endpoints: [endpoint], cost: [{ credits: { min: 10, max: 10 } }] }
  },

  startingCredits: 10_000,
  creditsTaken: 'submitted',
  costInRange: ({ max }) => max,
  roundCredits: (credits) => Math.ceil(credits),
  defaultDurationSeconds: 5,
  costCase: (costs, { body }) => {
    const [, width, height] = /^(\d+):(\d+)$/.exec(String(body['ratio'])) ?? []
    const isLarge = Math.min(Number(width), Number(height)) >= 1080
    return costs.find(({ when }) => when === (isLarge ? '1080p' : '720p'))?.when
  },
  spokenCharacters: ({ body }) => Array.from(String(body['promptText'] ?? '')).length,
  recordingSeconds: () => 12,
  refundsFailure: () => true,
  refundsCancelled: (task) => task.startedAt === undefined,

  newTaskId: randomUuid,
  firstStatus: 'PENDING',
  throttledGoesTo: 'PENDING',
  furtherTaskMoves: [
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
  pendingMs: () => 1_000,
  runningMs: () => 3_000,
  failureOf: () => undefined,
  furtherTaskFields: () => ({}),
  cancelledTask: 'gone',
  outputsOutliveTask: true,
  deletionBody: () => ({}),
  submissionKey: ({ operationId, body }) => canonicalJson([operationId, body]),

  // Not shown: the format of audio. See the function.
  outputFiles: (task, kind) => [outputFixture(task, kind)],
  outputKind: (_, kind) => kind,
  outputLifetimeMs: DAY_MS,
  outputBaseUrl: (baseUrl) => baseUrl,
  outputPath: '/outputs/{task}/{file}',
  outputQuery: { expires: 'expires', signature: 'signature' },

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
  inputFailure: () => 'ASSET.INVALID',
  megabyteBytes: 1_000_000,
  dataUriSize: 'encoded',
  acceptsMediaType: (kind, mediaType) => kind === 'video' || AUDIO_TYPES.test(mediaType),
  referenceImageTakesDataUri: true,

  uploadScheme: 'emulator-upload',
  uploadPath: '/uploads/{token}',
  uploadLifetimeMs: DAY_MS,
  showUpload: ({ id, uri, uploadUrl, expiresAt }) => ({
    id,
    uri,
    uploadUrl,
    expiresAt: new Date(expiresAt).toISOString(),
  }),
  uploadedStatus: 204,

  requiredAvatarFields: ['name', 'referenceImage', 'voice', 'personality'],
  showAvatar: ({ id, fields, documentIds }) => ({ id, ...fields, documentIds: [...documentIds] }),
  unknownDocuments: 'refused',
  changedDocuments: (_, sent) => sent,
  changedReferenceImage: 'refused',
  deletedDocuments: 'taken-out',
  readDocument: ({ content, text }) =>
    typeof content === 'string' ? content : typeof text === 'string' ? text : undefined,
  showDocument: ({ id, body }) => ({ ...body, id }),
  countTokens: (text) => Math.ceil(text.length / 4),
  readSession: ({ avatarId, model }) => ({
    ...(typeof avatarId === 'string' ? { avatarId } : {}),
    ...(typeof model === 'string' ? { model } : {}),
  }),
  showSession: ({ id, status }) => ({ id, status }),
  sessionReadyMs: 2_000,
  consumeStarts: false,
  newCredentials: (session, random) => ({
    placeholder: `No WebRTC stands behind the emulator; session ${session.id}.`,
    token: `emw_${randomText(random, 40, ALPHABET)}`,
  }),
  sessionTimeUp: 'COMPLETED',
  unusedSession: undefined,
  furtherSessionMoves: [],
  sessionCredits: () => 0,

  showOrganization: ({ organization, concurrency, dailyGenerations, generationsToday, spentUsd }) => ({
    name: organization.name,
    creditBalance: organization.credits,
    tier: organization.tier.name,
    concurrency,
    dailyGenerations,
    generationsToday,
    monthlyCapUsd: organization.tier.monthlyCapUsd,
    monthSpentUsd: spentUsd,
  }),
  readUsageQuery: ({ startDate, beforeDate }, nowMs) => {
    const fromMs = startDate === undefined ? -Infinity : Date.parse(String(startDate))
    const toMs = beforeDate === undefined ? nowMs + 1 : Date.parse(String(beforeDate))
    return Number.isNaN(fromMs) || Number.isNaN(toMs) || fromMs > toMs ? undefined : { fromMs, toMs }
  },
  showUsage: (entries) => {
    const days = new Map<string, Map<string, number>>()
    for (const { at, model, credits } of entries) {
      const day = new Date(at).toISOString().slice(0, 10)
      const models = days.get(day) ?? new Map<string, number>()
      days.set(day, models.set(model, (models.get(model) ?? 0) + credits))
    }
    return {
      days: [...days].map(([date, models]) => ({
        date,
        usage: [...models].map(([model, credits]) => ({ model, credits })),
      })),
    }
  },

  successStatus: () => 200,
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
