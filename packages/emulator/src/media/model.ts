import type { JsonObject } from '../core/specification.ts'
import type { MediaTier } from './tiers.ts'

/** What a file is. @public */
export type MediaKind = 'image' | 'video' | 'audio'

/** The states of a task. @public */
export type MediaTaskStatus = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'THROTTLED'

/** Whom an API secret stands for. @public */
export interface MediaOrganization {
  readonly name: string
  tier: MediaTier
  /** The balance. */
  credits: number
}

/** A requested generation. @public */
export interface GenerationRequest {
  operationId: string
  readonly model: string
  /** The body as it was sent; long data URIs are cut short. */
  readonly body: JsonObject
}

/** A task. @public */
export interface MediaTask extends GenerationRequest {
  readonly id: string
  readonly organization: string
  status: MediaTaskStatus
  /** In milliseconds since the Unix epoch. */
  readonly createdAt: number
  /** When generating began. */
  startedAt?: number
  endedAt?: number
  /** How long it was throttled, in milliseconds, up to now or until that ended. */
  throttledMs: number
  /** The cost in credits. */
  credits: number
  /** Whether the credits are taken from the balance at present. */
  charged: boolean
  failure?: string
  /** The problem of its inputs, if fetching them showed one. */
  readonly inputProblem?: InputProblem
  outputs: MediaOutput[]
  /** Where the emulator was reached when the task was submitted. */
  readonly baseUrl: string
}

/** A file that a task makes. @public */
export interface OutputFile {
  /** How its name ends, without the dot. */
  readonly extension: string
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** A file that a task made. @public */
export interface MediaOutput {
  file: OutputFile
  /** The signed address. */
  readonly url: string
  /** In milliseconds since the Unix epoch. */
  readonly expiresAt: number
  /** How many requests came for it. */
  requests: number
  /** How many of them carried a header of the service, which belongs to the service alone. */
  requestsWithCredentials: number
}

/** The ways in which an input comes. @public */
export type TransferWay = 'url' | 'data-uri' | 'upload'

/** A file that a request names. @public */
export interface MediaInput {
  /** Its path in the body, for instance `promptImage`. */
  readonly field: string
  readonly value: string
  /** What it may be. */
  readonly kinds: readonly MediaKind[]
}

/** A rule for inputs. The first ones can be seen in the request, the others only when the file is fetched. @public */
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

/** The problem of an input. @public */
export interface InputProblem {
  readonly field: string
  readonly way: TransferWay
  readonly rule: InputRule
  /** In words. */
  readonly reason: string
}

/** An avatar. @public */
export interface Avatar {
  readonly id: string
  readonly organization: string
  /** Its documented fields. */
  fields: JsonObject
  documentIds: string[]
  readonly createdAt: number
}

/** A knowledge document. @public */
export interface KnowledgeDocument {
  readonly id: string
  readonly organization: string
  text: string
  /** The request that made it. */
  readonly body: JsonObject
  readonly tokens: number
  readonly createdAt: number
}

/** The states of a real-time session. @public */
export type SessionStatus = 'NOT_READY' | 'READY' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED'

/** A real-time session. @public */
export interface RealtimeSession {
  readonly id: string
  readonly organization: string
  readonly avatarId?: string
  status: SessionStatus
  /** Whether the credentials were handed over. */
  consumed: boolean
  readonly createdAt: number
  startedAt?: number
  endedAt?: number
}

/** An ephemeral upload. @public */
export interface MediaUpload {
  readonly id: string
  readonly organization: string
  /** The content of an input. */
  readonly uri: string
  /** Where the bytes are sent. */
  readonly uploadUrl: string
  readonly expiresAt: number
  /** Absent until the bytes came. */
  content?: { contentType: string; sizeBytes: number; head: Uint8Array<ArrayBuffer> }
}

/** A change of the balance. @public */
export interface UsageEntry {
  readonly at: number
  readonly organization: string
  /** The task or the session. */
  readonly id: string
  operationId: string
  readonly model: string
  /** Negative for refunded credits. */
  credits: number
}

/** A submission with its key, see the choice `submissionKey`. @public */
export interface SubmissionCount {
  readonly key: string
  operationId: string
  /** How often it was handled, whatever it was answered. */
  arrivals: number
  /** The tasks that were made of it. */
  readonly taskIds: string[]
}

/** The public data of an organization. @public */
export interface OrganizationFacts {
  readonly organization: MediaOrganization
  readonly concurrency: number
  readonly dailyGenerations: number
  /** The generations of the last 24 hours. */
  readonly generationsToday: number
  /** The spending of this month, in USD. */
  readonly spentUsd: number
}

/** The facts about an input for its check. @public */
export interface InputToJudge {
  /** The field that contains it, for instance `referenceImage`. */
  readonly field: string
  readonly way: TransferWay
  /** Absent if its type could not be read. */
  readonly kind?: MediaKind
  readonly mediaType?: string
  /** The documented rule that it breaks. */
  readonly problem?: InputProblem
}

/** The content of an upload. @public */
export interface ReceivedUpload {
  readonly method: string
  /** Without its parameters; by the first bytes if no type was sent. */
  readonly contentType: string
  /** The body, unless it is a form. */
  readonly bytes?: Uint8Array<ArrayBuffer>
  /** The parts, if the body is a form. */
  readonly form?: FormData
}

/** A success: `value` is what `body` shows in the emulator's own way. @public */
export type MediaSuccess = {
  [O in keyof MediaSuccesses]: { operation: O; value: MediaSuccesses[O]; body: JsonObject | undefined }
}[keyof MediaSuccesses]

/** The object that each operation shows; `page:upload` is the response to the bytes of an upload. @public */
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

/** The operations that make a task. @public */
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
