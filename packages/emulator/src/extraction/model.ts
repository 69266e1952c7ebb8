import type { DeliveryAttempt, DeliveryPolicy } from '../core/deliver.ts'
import type { JsonObject } from '../core/specification.ts'
import type { Plan } from './plans.ts'

/** The document types that the service accepts. @public */
export type DocumentType = 'application/pdf' | 'image/png' | 'image/jpeg'

/** The pipelines of the service. @public */
export type Pipeline = 'standard' | 'searchable'

/** A submitted file. @public */
export interface SubmittedFile {
  readonly name: string
  /** The content type of the form part that contains the file; an empty string if the part has no content type. */
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** A piece of text, with its size and its distance from the page's top left corner, in PDF points. @public */
export interface TextBox {
  text: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** A page that was read. @public */
export interface ReadPage {
  /** The page number. By default, the first page is 1; `choices.results` can change that. */
  readonly number: number
  /** The lines, separated by line feeds. Columns are separated by three spaces. */
  text: string
  readonly width: number
  readonly height: number
  readonly boxes: readonly TextBox[]
  /** Why a person should review the page, if there is a reason. */
  reviewReason?: string
}

/** The result for one field, as in the response body. @public */
export interface FieldEntry {
  readonly value: unknown
  readonly hil_flag: boolean
  readonly reason?: string
  readonly found_on_page?: number
}

/** The result of searching a document for the fields of a schema. @public */
export interface FoundFields {
  /** One entry for each property of the schema. */
  fields: Record<string, FieldEntry>
  /** The required fields that were not found. */
  readonly missing: string[]
}

/** The states of an extraction job. @public */
export type JobStatus = 'queued' | 'processing' | 'completed' | 'failed'

/** An extraction job. @public */
export interface Job {
  readonly id: string
  readonly scope: string
  status: JobStatus
  readonly fileName: string
  readonly fileType: DocumentType
  readonly sizeBytes: number
  /** In milliseconds since the Unix epoch. */
  readonly createdAt: number
  completedAt?: number
  error?: string
  pageCount: number
  readonly pipeline: Pipeline
  readonly pipelineVersion?: string
  readonly includePages: boolean
  readonly includeImages: boolean
  readonly schema?: JsonObject
  readonly blueprintId?: string
  readonly webhookUrl?: string
  webhookDelivered?: boolean
  readonly webhookAttempts: DeliveryAttempt[]
  readonly previewToken: string
  /** The base URL at which the job was submitted. */
  readonly baseUrl: string
  pages: readonly ReadPage[]
  text: string
  found?: FoundFields
}

/** The caller: an API key and its data. @public */
export interface Account {
  readonly key: string
  readonly keyPrefix: string
  readonly scope: string
  plan: Plan
  pagesUsed: number
  /** In milliseconds since the Unix epoch. */
  cycleResetsAt: number
}

/** The states of a device authorization. `delivered` means that a poll has returned the key. @public */
export type DeviceState = 'pending' | 'approved' | 'denied' | 'expired' | 'delivered'

/** A device authorization. @public */
export interface DeviceAuthorization {
  readonly deviceCode: string
  readonly userCode: string
  readonly agentName?: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly lifetimeSeconds: number
  readonly intervalSeconds: number
  decision?: 'approved' | 'denied'
  /** The new key; present from the approval until a poll returns the key. */
  apiKey?: string
  readonly keyPrefix?: string
  delivered: boolean
  /** Whether a poll has reported the denial. */
  denialReported: boolean
  lastPolledAt?: number
  polls: number
  /** How many polls arrived too early, before the poll interval had passed. */
  tooFastPolls: number
}

/** One version of a blueprint. @public */
export interface BlueprintVersion {
  readonly version: number
  readonly schema: JsonObject
  readonly createdAt: number
  /** In percent; absent if the accuracy wasn't measured. */
  readonly accuracy?: number
}

/** A blueprint. @public */
export interface Blueprint {
  readonly id: string
  readonly scope: string
  readonly name: string
  readonly description?: string
  readonly documentType?: string
  readonly versions: BlueprintVersion[]
  /** Absent until the blueprint has a version. */
  activeVersion?: number
  readonly createdAt: number
}

/** The states of an optimization job. @public */
export type OptimizationStatus = 'pending' | 'initializing' | 'running' | 'completed' | 'failed' | 'cancelled'

/** The requested settings of an optimization run. @public */
export interface OptimizationRequest {
  readonly name?: string
  readonly description?: string
  readonly document_type?: string
  readonly initial_schema?: JsonObject
  readonly training_documents?: string[]
  readonly ground_truth_data?: JsonObject[]
  readonly target_accuracy?: number
  readonly max_iterations?: number
  readonly max_cost_usd?: number
  /** By default 0.3. */
  readonly validation_split: number
}

/** An optimization job, also called a run. @public */
export interface Optimization {
  readonly id: string
  readonly scope: string
  readonly blueprintId: string
  readonly request: OptimizationRequest
  readonly createdAt: number
  status: OptimizationStatus
  iteration: number
  readonly baselineAccuracy: number
  currentAccuracy: number
  totalCostUsd: number
  /** The schema that the run starts from. */
  readonly startingSchema: JsonObject
  /** Absent until the run has completed. */
  optimizedSchema?: JsonObject
}

/**
 * A successful response: the object that the response represents, and the body that the emulator sends unless
 * `choices.successResponse` changes it. @public
 */
export type ExtractionSuccess = {
  [O in keyof ExtractionSuccesses]: { operation: O; value: ExtractionSuccesses[O]; body: JsonObject }
}[keyof ExtractionSuccesses]

/** For each operation, the object that a successful response represents. @public */
export interface ExtractionSuccesses {
  readonly createDeviceCode: DeviceAuthorization
  readonly pollDeviceToken: DeviceAuthorization | undefined
  readonly processDocument: Job
  readonly getJob: Job
  readonly getPreview: Job
  readonly listPipelines: readonly Pipeline[]
  readonly listBlueprints: readonly Blueprint[]
  readonly getBlueprint: Blueprint
  readonly startOptimization: Optimization
  readonly resumeOptimization: Optimization
  readonly getOptimizationJob: Optimization
  readonly getOptimizedSchema: JsonObject
}

// The input and output types of the choices

/** An API key that is being added. @public */
export interface NewKey {
  apiKey: string
  /** The plan from the emulator's options or the control interface. */
  plan: Plan
  fromDeviceFlow: boolean
}

/** The options in a submission's form. @public */
export interface FormOptions {
  pipeline: string
  pipelineVersion?: string
  includePages: boolean
  includeImages: boolean
  /** The name of a wrong form part. If set, the emulator rejects the form. */
  invalid?: string
}

/** A webhook to send: its body, and how its delivery differs from the emulator's default delivery. @public */
export interface WebhookToSend extends Partial<DeliveryPolicy> {
  body: JsonObject
}

/** A caller's page quota in the current cycle, for the quota headers. @public */
export interface PageQuota {
  /** Absent for a caller without a key; `perMonth`, `remaining` and `used` are then 0. */
  plan?: Plan
  perMonth: number
  remaining: number
  used: number
  /** When the cycle resets, in milliseconds since the Unix epoch. */
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

/** A group of calls that share a rate limit. @public */
export interface RateScope {
  /** The name of the group. Calls for which `choices.rateScope` returns the same name are counted together. */
  name: string
  /** How many calls are allowed per minute; `Infinity` for no limit. */
  requestsPerMinute: number
  /** By default `sliding`. */
  window?: 'sliding' | 'fixed'
}

/** The input of `choices.startRun`. @public */
export interface RunFacts {
  /** The request for a new run; absent if the caller wants to resume a run. */
  request?: OptimizationRequest
  /** The failed run that the caller wants to resume. */
  failed?: Optimization
  /** The latest run for the blueprint. */
  latest?: Optimization
  /** The schema of the blueprint's active version. */
  activeSchema?: JsonObject
}

/** The starting point of an optimization run. @public */
export interface RunStart {
  schema: JsonObject
  /** The requested settings of the run; `validation_split` is 0.3 by default, as documented. */
  request: Partial<OptimizationRequest>
  /** By default 0. */
  iteration?: number
  /** In percent; by default, the baseline accuracy. */
  currentAccuracy?: number
  /** By default 0. */
  totalCostUsd?: number
}
