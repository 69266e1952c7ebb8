import { NUMBER, TEXT, TIMES, type CommandShapes } from '../core/control-commands.ts'
import type { ServiceControl } from '../core/control.ts'
import type { JsonObject } from '../core/specification.ts'
import type { NewBlueprint } from './blueprints.ts'
import type { JobScript } from './job-scripts.ts'
import type { Plan, PlanName } from './plans.ts'

/** What the control interface of the extraction service can do. @public */
export interface ExtractionControl extends ServiceControl {
  /** Says how the next jobs go. */
  scriptJobs(script: JobScript): void
  /** Moves a job one state on. */
  advanceJob(jobId: string): Promise<void>
  /** Moves a job to its end, working on its document. */
  completeJob(jobId: string): Promise<void>
  /** Lets a job fail. */
  failJob(jobId: string, error: string): Promise<void>
  /** Does what a user does who approves on the page. */
  approveDevice(userCode: string): void
  /** Does what a user does who denies on the page. */
  denyDevice(userCode: string): void
  /** Moves an optimization job one state on; a running one by one iteration. */
  advanceOptimization(jobId: string): void
  /** Moves an optimization job to an end. */
  endOptimization(jobId: string, status: 'completed' | 'failed' | 'cancelled'): void
  /** Adds a blueprint that every key sees; answers its id. */
  addBlueprint(blueprint: NewBlueprint): string
  /** Adds an API key; answers it. */
  addKey(options?: { key?: string; plan?: PlanName | Plan }): string
  /** Says what a key may use and has used. */
  setAccount(apiKey: string, account: { plan?: PlanName | Plan; pagesUsed?: number }): void
}

/** How the methods of {@link ExtractionControl} are called over HTTP. */
export const EXTRACTION_COMMANDS: CommandShapes<ExtractionControl> = {
  scriptJobs: {
    members: { outcome: TEXT, error: TEXT, in: TEXT, queuedMs: NUMBER, processingMs: NUMBER, times: TIMES },
  },
  advanceJob: { parameters: { job_id: TEXT } },
  completeJob: { parameters: { job_id: TEXT } },
  failJob: { parameters: { job_id: TEXT, error: TEXT } },
  approveDevice: { parameters: { user_code: TEXT } },
  denyDevice: { parameters: { user_code: TEXT } },
  advanceOptimization: { parameters: { job_id: TEXT } },
  endOptimization: {
    parameters: { job_id: TEXT, status: { enum: ['completed', 'failed', 'cancelled'] } },
  },
  addBlueprint: {
    members: {
      id: TEXT,
      name: TEXT,
      description: TEXT,
      documentType: TEXT,
      schema: { type: 'object' },
      accuracy: NUMBER,
    },
    required: ['name'],
    returns: 'id',
  },
  addKey: { members: { key: TEXT, plan: TEXT }, returns: 'key' },
  setAccount: { parameters: { key: TEXT }, members: { plan: TEXT, pagesUsed: NUMBER } },
}

/** What the extraction service knows at a moment: copies without secrets, safe to print. @public */
export interface ExtractionState {
  /** In milliseconds since the Unix epoch. */
  now: number
  keys: { keyPrefix: string; plan: string; pagesUsed: number; pagesLeft: number; cycleResetsAt: number }[]
  jobs: {
    id: string
    status: string
    fileName: string
    pageCount: number
    pipeline: string
    pipelineVersion?: string
    error?: string
    webhookUrl?: string
    webhookDelivered?: boolean
    webhookAttempts: JsonObject[]
    previewToken: string
  }[]
  devices: {
    userCode: string
    agentName?: string
    state: string
    polls: number
    tooFastPolls: number
    expiresAt: number
  }[]
  blueprints: { id: string; name: string; versions: number; activeVersion?: number }[]
  optimizations: { id: string; blueprintId: string; status: string; iteration: number }[]
}
