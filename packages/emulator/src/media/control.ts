import { NUMBER, TEXT, TIMES, type CommandShapes } from '../core/control-commands.ts'
import type { ServiceControl } from '../core/control.ts'
import type { SessionEnd } from './sessions.ts'
import type { SubmissionCount } from './model.ts'
import type { TaskScript } from './task-scripts.ts'
import type { MediaTier, MediaTierNumber } from './tiers.ts'

/** What the control interface of the media service can do. @public */
export interface MediaControl extends ServiceControl {
  /** Says how the next tasks go. */
  scriptTasks(script: TaskScript): void
  /** Moves a task one state on. */
  advanceTask(taskId: string): void
  /** Moves a task to its success. */
  completeTask(taskId: string): void
  /** Lets a task fail, for instance with `SAFETY.OUTPUT.TEXT`. */
  failTask(taskId: string, failure: string): void
  /** Lets the links to the files of a task expire at once; without a task all links. */
  expireOutputs(taskId?: string): void
  /** Moves a session to READY, RUNNING or an end, by the documented moves. */
  moveSession(sessionId: string, status: 'READY' | 'RUNNING' | SessionEnd): void
  /** Adds an API secret; answers it. */
  addSecret(secret?: string): string
  /** Says what the organization, by default the first, may do and has left. */
  setOrganization(wanted: { name?: string; tier?: MediaTierNumber | MediaTier; credits?: number }): void
  /**
   * How often each submission came, and the tasks that were made of it: more than one task means that it was submitted
   * twice. Requests that a fault stopped before they were handled, or that the contract refuses, are in `requests` only.
   */
  submissions(): SubmissionCount[]
}

/** How the methods of {@link MediaControl} are called over HTTP. */
export const MEDIA_COMMANDS: CommandShapes<MediaControl> = {
  scriptTasks: {
    members: {
      outcome: TEXT,
      failure: TEXT,
      in: TEXT,
      pendingMs: NUMBER,
      runningMs: NUMBER,
      operation: { anyOf: [TEXT, { type: 'array', items: TEXT }] },
      model: TEXT,
      probability: NUMBER,
      times: TIMES,
    },
  },
  advanceTask: { parameters: { id: TEXT } },
  completeTask: { parameters: { id: TEXT } },
  failTask: { parameters: { id: TEXT, failure: TEXT } },
  expireOutputs: { parameters: { id: TEXT }, optional: true },
  moveSession: {
    parameters: { id: TEXT, status: { enum: ['READY', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] } },
  },
  addSecret: { parameters: { secret: TEXT }, optional: true, returns: 'apiSecret' },
  setOrganization: { members: { name: TEXT, tier: NUMBER, credits: NUMBER } },
  submissions: { reads: true },
}

/** What the media service knows at a moment: copies without secrets, safe to print. @public */
export interface MediaState {
  /** In milliseconds since the Unix epoch. */
  now: number
  organizations: {
    name: string
    tier: string
    concurrency: number
    dailyGenerations: number
    generationsToday: number
    credits: number
    spentUsd: number
  }[]
  tasks: {
    id: string
    organization: string
    operationId: string
    model: string
    status: string
    failure?: string
    /** What is wrong with its inputs, in words; the answers of the service tell only `failure`. */
    inputProblem?: string
    credits: number
    charged: boolean
    createdAt: number
    startedAt?: number
    endedAt?: number
    throttledMs: number
    outputs: {
      url: string
      contentType: string
      sizeBytes: number
      expiresAt: number
      requests: number
      /** Requests that carried a header of the service, which should never happen. */
      requestsWithCredentials: number
    }[]
  }[]
  avatars: { id: string; name?: string; documentIds: string[]; tokens: number }[]
  documents: { id: string; tokens: number }[]
  sessions: { id: string; status: string; avatarId?: string; consumed: boolean }[]
  uploads: { id: string; uri: string; contentType?: string; sizeBytes?: number; expiresAt: number }[]
}
