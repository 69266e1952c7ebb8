import type { JsonObject } from '../core/specification.ts'
import type { MediaTier } from './tiers.ts'

/** The kind of a file. @public */
export type MediaKind = 'image' | 'video' | 'audio'

/** The statuses of a task. @public */
export type MediaTaskStatus = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'THROTTLED'

/** The organization that an API secret belongs to. @public */
export interface MediaOrganization {
  readonly name: string
  tier: MediaTier
  /** The balance in credits. */
  credits: number
}

/** A request for a generation. @public */
export interface GenerationRequest {
  operationId: string
  readonly model: string
  /** The body as sent. In a task, long data URIs are shortened. */
  readonly body: JsonObject
}

/** A task. @public */
export interface MediaTask extends GenerationRequest {
  readonly id: string
  readonly organization: string
  status: MediaTaskStatus
  /** In milliseconds since the Unix epoch. */
  readonly createdAt: number
  /** When the task started to run. */
  startedAt?: number
  endedAt?: number
  /** How long the task was throttled, in milliseconds. */
  throttledMs: number
  /** The cost in credits. */
  credits: number
  /** Whether the credits have been charged and not refunded. */
  charged: boolean
  failure?: string
  /** The problem with the first input that `choices.judgeInput` judged as `failed`. */
  readonly inputProblem?: InputProblem
  outputs: MediaOutput[]
  /** The base URL that the task was submitted to. */
  readonly baseUrl: string
}

/** A file for a task's output. @public */
export interface OutputFile {
  /** The extension of the file name, without the dot. */
  readonly extension: string
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** An output of a task. @public */
export interface MediaOutput {
  file: OutputFile
  /** The signed URL. */
  readonly url: string
  /** In milliseconds since the Unix epoch. */
  readonly expiresAt: number
  /** How many times the file was requested. */
  requests: number
  /** How many requests for the file had a header that only the API should get: Authorization or X-Service-Version. */
  requestsWithCredentials: number
}

/** How an input is transferred. @public */
export type TransferWay = 'url' | 'data-uri' | 'upload'

/** An input: a file that a request contains or refers to. @public */
export interface MediaInput {
  /** The input's path in the body, for instance `promptImage`. */
  readonly field: string
  readonly value: string
  /** The kinds of file that the field accepts. */
  readonly kinds: readonly MediaKind[]
}

/** A rule for inputs. Some rules are about the response to a HEAD request for the input's URL. @public */
export type InputRule =
  | 'address'
  | 'https'
  | 'domain-name'
  | 'url-length'
  | 'data-uri'
  | 'upload'
  | 'type'
  | 'size'
  | 'redirect'
  | 'head'
  | 'content-type'
  | 'content-length'

/** A problem with an input. @public */
export interface InputProblem {
  readonly field: string
  readonly way: TransferWay
  readonly rule: InputRule
  /** The broken rule in words, such as `promptImage must be an HTTPS URL`. */
  readonly reason: string
}

/** An avatar. @public */
export interface Avatar {
  readonly id: string
  readonly organization: string
  /** The fields as they were sent, without `documentIds`. */
  fields: JsonObject
  documentIds: string[]
  readonly createdAt: number
}

/** A knowledge document. @public */
export interface KnowledgeDocument {
  readonly id: string
  readonly organization: string
  text: string
  /** The body of the request that created the document. */
  readonly body: JsonObject
  readonly tokens: number
  readonly createdAt: number
}

/** The statuses of a real-time session. @public */
export type SessionStatus = 'NOT_READY' | 'READY' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED'

/** A real-time session. @public */
export interface RealtimeSession {
  readonly id: string
  readonly organization: string
  readonly avatarId?: string
  status: SessionStatus
  /** Whether the client has fetched the session's credentials. */
  consumed: boolean
  readonly createdAt: number
  startedAt?: number
  endedAt?: number
}

/** An ephemeral upload. @public */
export interface MediaUpload {
  readonly id: string
  readonly organization: string
  /** The URI that an input uses to refer to the upload. */
  readonly uri: string
  /** The URL to send the bytes to. */
  readonly uploadUrl: string
  readonly expiresAt: number
  /** Absent until the bytes have arrived. */
  content?: { contentType: string; sizeBytes: number; head: Uint8Array<ArrayBuffer> }
}

/** A change to an organization's credit balance. @public */
export interface UsageEntry {
  readonly at: number
  readonly organization: string
  /** The identifier of the task or session. */
  readonly id: string
  operationId: string
  readonly model: string
  /** The charged credits, or the refunded credits as a negative number. */
  credits: number
}

/** A submission, identified by its key (see `choices.submissionKey`). @public */
export interface SubmissionCount {
  readonly key: string
  operationId: string
  /** How many times the submission was handled, including the times it was denied. */
  arrivals: number
  /** The identifiers of the tasks that the submission created. */
  readonly taskIds: string[]
}

/** The limits and the usage of an organization. @public */
export interface OrganizationFacts {
  readonly organization: MediaOrganization
  readonly concurrency: number
  readonly dailyGenerations: number
  /** How many generations count towards the daily quota. */
  readonly generationsToday: number
  /** The spending this month, in USD. */
  readonly spentUsd: number
}

/** The argument of `choices.judgeInput`. @public */
export interface InputToJudge {
  /** The field that contains the input, for instance `referenceImage`. */
  readonly field: string
  readonly way: TransferWay
  /** Absent if the media type is unknown, or isn't an image, video or audio type. */
  readonly kind?: MediaKind
  readonly mediaType?: string
  /** The documented rule that the input breaks, if any. */
  readonly problem?: InputProblem
}

/** A request that sends the content of an upload. @public */
export interface ReceivedUpload {
  readonly method: string
  /**
   * The Content-Type header. Without this header, the emulator recognizes images by their first bytes, and assumes
   * `application/octet-stream` for other files.
   */
  readonly contentType: string
  /** The body, unless it is a form. */
  readonly bytes?: Uint8Array<ArrayBuffer>
  /** The parts, if the body is a form. */
  readonly form?: FormData
}

/**
 * A successful response. `value` is the object that the response represents, for instance a task. `body` is the
 * emulator's default body, which `choices.successResponse` can change. @public
 */
export type MediaSuccess = {
  [O in keyof MediaSuccesses]: { operation: O; value: MediaSuccesses[O]; body: JsonObject | undefined }
}[keyof MediaSuccesses]

/**
 * Maps each operation to the object that a successful response represents. `page:upload` is the request that sends
 * the bytes of an upload. @public
 */
export interface MediaSuccesses
  extends
    Record<GenerationOperation | 'getTask' | 'deleteTask', MediaTask>,
    Record<'createAvatar' | 'getAvatar' | 'updateAvatar' | 'deleteAvatar', Avatar>,
    Record<'createDocument' | 'getDocument' | 'deleteDocument', KnowledgeDocument>,
    Record<'createRealtimeSession' | 'getRealtimeSession', RealtimeSession>,
    Record<'createUpload' | 'page:upload', MediaUpload> {
  readonly consumeRealtimeSession: { session: RealtimeSession; token: string }
  readonly getOrganization: OrganizationFacts
  readonly queryUsage: { entries: readonly UsageEntry[]; fromMs: number; toMs: number }
}

/** The operations that create a task. @public */
export type GenerationOperation =
  | 'imageToVideo'
  | 'textToVideo'
  | 'videoToVideo'
  | 'characterPerformance'
  | 'textToImage'
  | 'textToSpeech'
  | 'soundEffect'
  | 'voiceIsolation'
  | 'voiceDubbing'
  | 'speechToSpeech'
