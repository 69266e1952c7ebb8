import {
  NUMBER,
  ServiceControl,
  TEXT,
  TIMES,
  type CommandShapes,
  type ControlTools,
} from '../core/control.ts'
import { required } from '../core/errors.ts'
import { copyOf } from '../core/json.ts'
import type { MediaOutput, MediaTask, SubmissionCount } from './model.ts'
import type { SessionEnd } from './sessions.ts'
import { tokensOf, type MediaContext } from './state.ts'
import type { TaskScript } from './task-scripts.ts'
import { toCredits, toTier, type MediaTier, type MediaTierNumber } from './tiers.ts'

/** The control interface of the media service. @public */
export class MediaControl extends ServiceControl {
  readonly #context: MediaContext
  readonly #addSecret: (secret: string) => void

  /** @internal */
  constructor(tools: ControlTools, context: MediaContext, addSecret: (secret: string) => void) {
    super(tools)
    this.#context = context
    this.#addSecret = addSecret
  }

  /** Adds a script, which decides how the next tasks run. */
  readonly scriptTasks = (script: TaskScript): void => this.#context.scripts.add(script)

  /** Moves a task to its next status. */
  readonly advanceTask = (taskId: string): void => this.#context.tasks.advance(taskId)

  /** Makes a task succeed. */
  readonly completeTask = (taskId: string): void => this.#context.tasks.finish(taskId)

  /** Makes a task fail, for instance with `SAFETY.OUTPUT.TEXT`. */
  readonly failTask = (taskId: string, failure: string): void => this.#context.tasks.finish(taskId, failure)

  /** Expires the links to a task's files immediately. If `taskId` is omitted, expires all links. */
  readonly expireOutputs = (taskId?: string): void => {
    const { tasks, outputs } = this.#context
    outputs.expire(taskId === undefined ? undefined : required(tasks.get(taskId), `task ${taskId}`))
  }

  /** Moves a session to READY, RUNNING or a final status. The contract or `choices.session` must allow the move. */
  readonly moveSession = (sessionId: string, status: 'READY' | 'RUNNING' | SessionEnd): void =>
    this.#context.sessions.move(sessionId, status)

  /** Adds an API secret and returns the secret. If `secret` is omitted, generates a new secret. */
  readonly addSecret = (secret: string = this.#context.organizations.newSecret()): string => {
    this.#addSecret(secret)
    return secret
  }

  /** Changes the tier or the credits of an organization. If `name` is omitted, changes the first organization. */
  readonly setOrganization = (wanted: {
    name?: string
    tier?: MediaTierNumber | MediaTier
    credits?: number
  }): void => {
    const { organizations, tasks } = this.#context
    const { name, tier, credits } = wanted
    const found = name === undefined ? organizations.all()[0] : organizations.byName(name)
    const organization = required(found, `organization ${name}`)
    if (tier !== undefined) organization.tier = toTier(tier)
    if (credits !== undefined) organization.credits = toCredits(credits)
    tasks.fillRoom()
  }

  /**
   * Returns how often each submission arrived, and which tasks it created. More than one task means that a client
   * made the same submission more than once. The result omits requests that the contract rejected, or that an
   * injected fault stopped before they were handled. `requests()` includes them.
   */
  readonly submissions = (): SubmissionCount[] => this.#context.submissions.all()
}

/** How to call the methods of {@link MediaControl} over HTTP. */
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

/** A snapshot of the media service. It contains no secrets, so it is safe to print. @public */
export interface MediaState {
  /** In milliseconds since the Unix epoch. */
  readonly now: number
  readonly organizations: {
    name: string
    tier: string
    concurrency: number
    dailyGenerations: number
    generationsToday: number
    credits: number
    spentUsd: number
  }[]
  readonly tasks: (Omit<MediaTask, 'body' | 'baseUrl' | 'inputProblem' | 'outputs'> & {
    /** The problem with an input. The service's responses contain `failure`, but not this problem. */
    inputProblem?: string
    outputs: (Omit<MediaOutput, 'file'> & { contentType: string; sizeBytes: number })[]
  })[]
  readonly avatars: { id: string; name?: string; documentIds: string[]; tokens: number }[]
  readonly documents: { id: string; tokens: number }[]
  readonly sessions: { id: string; status: string; avatarId?: string; consumed: boolean }[]
  readonly uploads: { id: string; uri: string; contentType?: string; sizeBytes?: number; expiresAt: number }[]
}

export function readState({
  clock,
  organizations,
  tasks,
  avatars,
  documents,
  sessions,
  uploads,
}: MediaContext): MediaState {
  return copyOf({
    now: clock.now(),
    organizations: organizations.all().map((organization) => {
      const { organization: _, ...facts } = organizations.factsOf(organization)
      const { name, credits, tier } = organization
      return { name, tier: tier.name, ...facts, credits }
    }),
    tasks: tasks.all().map(({ body: _body, baseUrl: _base, inputProblem, outputs, ...task }) => ({
      ...task,
      inputProblem: inputProblem?.reason,
      outputs: outputs.map(({ file, ...output }) => ({
        ...output,
        contentType: file.contentType,
        sizeBytes: file.bytes.byteLength,
      })),
    })),
    avatars: [...avatars.values()].map((avatar) => ({
      id: avatar.id,
      name: avatar.fields['name'],
      documentIds: avatar.documentIds,
      tokens: tokensOf(avatar, documents),
    })),
    documents: [...documents.values()].map(({ id, tokens }) => ({ id, tokens })),
    sessions: sessions
      .all()
      .map(({ id, status, avatarId, consumed }) => ({ id, status, avatarId, consumed })),
    uploads: uploads.all().map(({ id, uri, content, expiresAt }) => ({
      id,
      uri,
      contentType: content?.contentType,
      sizeBytes: content?.sizeBytes,
      expiresAt,
    })),
  })
}
