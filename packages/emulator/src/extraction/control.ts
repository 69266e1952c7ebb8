import {
  NUMBER,
  ServiceControl,
  TEXT,
  TIMES,
  type CommandShapes,
  type ControlTools,
} from '../core/control.ts'
import { required } from '../core/errors.ts'
import { copyOf, type JsonObject } from '../core/json.ts'
import { EVERY_KEY, type NewBlueprint } from './blueprints.ts'
import type { JobScript } from './job-scripts.ts'
import { toPlan, type Plan, type PlanName } from './plans.ts'
import type { ExtractionContext } from './state.ts'

/** The control interface of the extraction service. @public */
export class ExtractionControl extends ServiceControl {
  readonly #context: ExtractionContext
  readonly #plan: Plan

  /** @internal */
  constructor(tools: ControlTools, context: ExtractionContext, plan: Plan) {
    super(tools)
    this.#context = context
    this.#plan = plan
  }

  /** Adds a script, which determines how the next jobs proceed. */
  readonly scriptJobs = (script: JobScript): void => this.#context.scripts.add(script)

  /** Moves a job to its next state. */
  readonly advanceJob = (jobId: string): Promise<void> => this.#context.jobs.advance(jobId)

  /** Processes a job's document immediately, so that the job completes or fails. */
  readonly completeJob = (jobId: string): Promise<void> => this.#context.jobs.finish(jobId)

  /** Ends a job as failed, with this error message. */
  readonly failJob = (jobId: string, error: string): Promise<void> => this.#context.jobs.finish(jobId, error)

  /** Approves the device with this user code, as a user would on the device page. */
  readonly approveDevice = (userCode: string): void => void this.#context.devices.decide(userCode, 'approved')

  /** Denies the device with this user code, as a user would on the device page. */
  readonly denyDevice = (userCode: string): void => void this.#context.devices.decide(userCode, 'denied')

  /** Runs one iteration of an optimization job if the job is `running`. Otherwise, moves it to its next state. */
  readonly advanceOptimization = (jobId: string): void => this.#context.optimizations.advance(jobId)

  /** Ends an optimization job. */
  readonly endOptimization = (jobId: string, status: 'completed' | 'failed' | 'cancelled'): void =>
    this.#context.optimizations.end(jobId, status)

  /** Adds a blueprint that is visible to every key. Returns the blueprint's id. */
  readonly addBlueprint = (blueprint: NewBlueprint): string =>
    this.#context.blueprints.add(EVERY_KEY, blueprint).id

  /** Adds an API key and returns it. By default, the emulator generates the key. */
  readonly addKey = ({ plan = this.#plan, ...key }: { key?: string; plan?: PlanName | Plan } = {}): string =>
    this.#context.accounts.add(toPlan(plan), key).key

  /** Changes the plan of a key, or the number of pages that the key has used. */
  readonly setAccount = (apiKey: string, wanted: { plan?: PlanName | Plan; pagesUsed?: number }): void => {
    const account = required(this.#context.accounts.find(apiKey), 'API key')
    if (wanted.plan !== undefined) account.plan = toPlan(wanted.plan)
    if (wanted.pagesUsed !== undefined) account.pagesUsed = wanted.pagesUsed
  }
}

/** Defines how to call the methods of {@link ExtractionControl} over HTTP. */
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

/**
 * A snapshot of the extraction service. It contains no API keys and no device codes, but it contains preview tokens.
 * With a job's preview token, a caller can read the preview and the text of the job without an API key.
 *
 * @public
 */
export interface ExtractionState {
  /** The emulator's time, in milliseconds since the Unix epoch. */
  readonly now: number
  readonly keys: {
    keyPrefix: string
    plan: string
    pagesUsed: number
    pagesLeft: number
    cycleResetsAt: number
  }[]
  readonly jobs: {
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
  readonly devices: {
    userCode: string
    agentName?: string
    state: string
    polls: number
    tooFastPolls: number
    expiresAt: number
  }[]
  readonly blueprints: { id: string; name: string; versions: number; activeVersion?: number }[]
  readonly optimizations: { id: string; blueprintId: string; status: string; iteration: number }[]
}

export function readState({
  clock,
  accounts,
  jobs,
  devices,
  blueprints,
  optimizations,
}: ExtractionContext): ExtractionState {
  return copyOf({
    now: clock.now(),
    keys: accounts.all().map((account) => ({
      keyPrefix: account.keyPrefix,
      plan: account.plan.name,
      pagesUsed: account.pagesUsed,
      pagesLeft: accounts.pagesLeft(account),
      cycleResetsAt: account.cycleResetsAt,
    })),
    jobs: jobs.all().map((job) => ({
      id: job.id,
      status: job.status,
      fileName: job.fileName,
      pageCount: job.pageCount,
      pipeline: job.pipeline,
      pipelineVersion: job.pipelineVersion,
      error: job.error,
      webhookUrl: job.webhookUrl,
      webhookDelivered: job.webhookDelivered,
      webhookAttempts: job.webhookAttempts,
      previewToken: job.previewToken,
    })),
    devices: devices.all().map((authorization) => ({
      userCode: authorization.userCode,
      agentName: authorization.agentName,
      state: devices.stateOf(authorization),
      polls: authorization.polls,
      tooFastPolls: authorization.tooFastPolls,
      expiresAt: authorization.expiresAt,
    })),
    blueprints: blueprints.all().map(({ id, name, versions, activeVersion }) => ({
      id,
      name,
      versions: versions.length,
      activeVersion,
    })),
    optimizations: optimizations
      .all()
      .map(({ id, blueprintId, status, iteration }) => ({ id, blueprintId, status, iteration })),
  })
}
