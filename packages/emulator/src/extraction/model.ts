import type { DeliveryAttempt } from '../core/deliver.ts'
import type { JsonObject } from '../core/specification.ts'
import type { Plan } from './plans.ts'

/** The document types that the service accepts. @public */
export type DocumentType = 'application/pdf' | 'image/png' | 'image/jpeg'

/** The pipelines of the service. @public */
export type Pipeline = 'standard' | 'searchable'

/** A submitted file. @public */
export interface SubmittedFile {
  name: string
  /** The content type of the part; empty without one. */
  contentType: string
  bytes: Uint8Array<ArrayBuffer>
}

/** A piece of text and its position on the page, in units of the page, from its top left corner. @public */
export interface TextBox {
  text: string
  x: number
  y: number
  width: number
  height: number
}

/** A page that was read. @public */
export interface ReadPage {
  /** Counted from 1. */
  number: number
  /** Its lines, separated by line feeds. Columns are three spaces apart. */
  text: string
  width: number
  height: number
  boxes: readonly TextBox[]
  /** Why a person should review the page; absent without a reason. */
  reviewReason?: string
}

/** One value of a result, as on the wire. @public */
export interface FieldEntry {
  value: unknown
  hil_flag: boolean
  reason?: string
  found_on_page?: number
}

/** The fields of a schema that were found. @public */
export interface FoundFields {
  /** One entry for each property of the schema. */
  fields: Record<string, FieldEntry>
  /** The required fields that were not found. */
  missing: string[]
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
  webhookAttempts: DeliveryAttempt[]
  readonly previewToken: string
  /** Where the emulator was reached when the job was submitted. */
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

/** The states of a device authorization. @public */
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
  /** Set from approval until the key is handed over. */
  apiKey?: string
  keyPrefix?: string
  delivered: boolean
  /** Whether a poll received the denial. */
  denialTold: boolean
  lastPolledAt?: number
  polls: number
  /** Polls that came before the interval was over. */
  tooFastPolls: number
}

/** One version of a blueprint. @public */
export interface BlueprintVersion {
  readonly version: number
  readonly schema: JsonObject
  readonly createdAt: number
  /** Percent; absent where it was not measured. */
  readonly accuracy?: number
}

/** A blueprint. @public */
export interface Blueprint {
  readonly id: string
  readonly scope: string
  name: string
  description?: string
  documentType?: string
  versions: BlueprintVersion[]
  /** Absent until there is a version. */
  activeVersion?: number
  readonly createdAt: number
}

/** The states of an optimization job. @public */
export type OptimizationStatus = 'pending' | 'initializing' | 'running' | 'completed' | 'failed' | 'cancelled'

/** The requested settings of an optimization run. @public */
export interface OptimizationRequest {
  name?: string
  description?: string
  document_type?: string
  initial_schema?: JsonObject
  training_documents?: string[]
  ground_truth_data?: JsonObject[]
  target_accuracy?: number
  max_iterations?: number
  max_cost_usd?: number
  /** 0.3 where the caller left it out. */
  validation_split: number
}

/** An optimization job. @public */
export interface Optimization {
  readonly id: string
  readonly scope: string
  readonly blueprintId: string
  readonly request: OptimizationRequest
  readonly createdAt: number
  status: OptimizationStatus
  iteration: number
  baselineAccuracy: number
  currentAccuracy: number
  totalCostUsd: number
  /** Where the run starts from. */
  startingSchema: JsonObject
  /** Set on completion. */
  optimizedSchema?: JsonObject
}

/** A success: `value` is what `body` shows in the emulator's own way. @public */
export type ExtractionSuccess = {
  [O in keyof ExtractionSuccesses]: { operation: O; value: ExtractionSuccesses[O]; body: JsonObject }
}[keyof ExtractionSuccesses]

/** The object that each operation shows. @public */
export interface ExtractionSuccesses {
  createDeviceCode: DeviceAuthorization
  pollDeviceToken: DeviceAuthorization | undefined
  processDocument: Job
  getJob: Job
  getPreview: Job
  listPipelines: readonly Pipeline[]
  listBlueprints: readonly Blueprint[]
  getBlueprint: Blueprint
  startOptimization: Optimization
  resumeOptimization: Optimization
  getOptimizationJob: Optimization
  getOptimizedSchema: JsonObject
}
