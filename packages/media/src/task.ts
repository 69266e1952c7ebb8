import {
  OptionsError,
  type CallOptions,
  type ChangeOptions,
  type OperationHandle,
  type OperationUpdate,
} from '@concord/runtime'
import type { Task } from '@concord/media-validators'

import type { CreditEstimate } from './credits.ts'
import { TaskFailedError } from './errors.ts'
import { bodyCredits, creditsOf, nextBody, type Regeneration, type RegeneratePolicy } from './regenerate.ts'
import type { DownloadedOutput, SucceededTask, TaskDownloadOptions } from './results.ts'

/** What is known of a task, with the time that it was seen to be throttled. @public */
export interface TaskUpdate extends OperationUpdate<Task> {
  /** Milliseconds in `THROTTLED`, as far as polls have seen. It is part of the waiting, not of the generating. */
  readonly throttledMs: number
}

/** Options of {@link TaskHandle.wait}. @public */
export interface TaskWaitOptions extends ChangeOptions {
  /** Told after every poll. What it throws ends this wait. */
  readonly onUpdate?: (update: TaskUpdate) => void
  /**
   * Submits the task anew where a retry helps. Only for handles that a generation method gave; a handle from a token does
   * not know the request. Default: what the generation method was given, else never.
   */
  readonly regenerate?: RegeneratePolicy
}

/**
 * A task at the service. Nothing is polled until somebody waits; all who wait share the same polls. It is not thenable:
 * awaiting a handle gives the handle.
 *
 * @public
 */
export interface TaskHandle extends AsyncIterable<TaskUpdate> {
  /** The id of the task; after a regeneration that of the newest one. */
  readonly id: string
  /** The last status that was seen. */
  readonly status: string | undefined
  /** The last whole task that was seen. */
  readonly snapshot: Task | undefined
  /** Whether it was seen to have ended, well or badly. */
  readonly ended: boolean
  /** Milliseconds that it was seen to be throttled. */
  readonly throttledMs: number
  /** The tasks that failed and in whose place another was submitted. */
  readonly regenerations: readonly Regeneration[]
  /** What the regenerations are estimated to cost together. */
  readonly regenerationCredits: CreditEstimate
  /**
   * Waits until the task has succeeded. `THROTTLED` is waiting like any other: the task is queued, and never submitted
   * again.
   *
   * @throws TaskFailedError when the service reports that the task failed.
   * @throws DeadlineError, exactly when the time is over. It says nothing about the task, which goes on.
   * @throws SubmissionUncertainError when the answer to a regeneration was lost; it is not sent again.
   * @throws the error of a poll that cannot get better (401, 404). Others are survived.
   * @throws the signal's own reason on abort.
   */
  wait(options?: TaskWaitOptions): Promise<SucceededTask>
  /** Iterates over the changes that polls find; ends when the task has succeeded, throws what {@link wait} would. */
  changes(options?: ChangeOptions): AsyncIterableIterator<TaskUpdate>
  /**
   * Cancels the task. The operation means two things, "cancel or delete": of a task that has ended it deletes the record.
   * Which status a cancelled task has is not documented, so a wait that is under way may end in any way.
   */
  cancel(options?: CallOptions): Promise<void>
  /** Waits until the task has succeeded, then downloads its output. See {@link SucceededTask.download}. */
  download(folder: string, options?: TaskDownloadOptions): Promise<readonly DownloadedOutput[]>
  /** Polls at once if somebody waits, or else when somebody next does. */
  wake(): void
  /** Text by which the task can be found again, in another process and after an upgrade. It holds no secret. */
  resumeToken(): string
}

type Inner = OperationHandle<Task, SucceededTask>

/** What a handle needs of its client. */
export interface TaskTools {
  throttledMs(task: Inner): number
  cancel(id: string, options: CallOptions | undefined): Promise<void>
}

/** How a task can be submitted anew. */
export interface Resubmission {
  readonly body: Readonly<Record<string, unknown>>
  readonly policy: RegeneratePolicy | undefined
  submit(body: Readonly<Record<string, unknown>>, signal: AbortSignal | undefined): Promise<Inner>
}

/** A task, or the line of tasks that were submitted one in place of another. */
export class MediaTask implements TaskHandle {
  readonly #tools: TaskTools
  readonly #resubmission: Resubmission | undefined
  #current: Inner
  #body: Readonly<Record<string, unknown>> | undefined
  /** Under way: the submission in place of the current task. */
  #successor: Promise<boolean> | undefined
  #regenerations: readonly Regeneration[] = []
  #throttledBeforeMs = 0

  constructor(inner: Inner, tools: TaskTools, resubmission?: Resubmission) {
    this.#current = inner
    this.#tools = tools
    this.#resubmission = resubmission
    this.#body = resubmission?.body
  }

  get id(): string {
    return this.#current.id
  }

  get status(): string | undefined {
    return this.#current.status
  }

  get snapshot(): Task | undefined {
    return this.#current.snapshot
  }

  get ended(): boolean {
    return this.#current.ended
  }

  get throttledMs(): number {
    return this.#throttledBeforeMs + this.#tools.throttledMs(this.#current)
  }

  get regenerations(): readonly Regeneration[] {
    return this.#regenerations
  }

  get regenerationCredits(): CreditEstimate {
    return creditsOf(this.#regenerations)
  }

  async wait(options: TaskWaitOptions = {}): Promise<SucceededTask> {
    const { onUpdate, regenerate, ...limits } = options
    const policy = regenerate ?? this.#resubmission?.policy
    if (regenerate !== undefined && this.#resubmission === undefined) {
      throw new OptionsError(
        'regenerate',
        'needs the request, and this handle knows the id of the task only.',
        'Wait with the handle that the generation method gave, or submit the request anew.',
      )
    }
    for (;;) {
      const task = this.#current
      try {
        return await task.wait({
          ...limits,
          ...(onUpdate && { onUpdate: (update) => onUpdate(this.#describe(update)) }),
        })
      } catch (error) {
        const isFailure = TaskFailedError.is(error) && policy !== undefined
        if (!isFailure || !(await this.#replace(task, error, policy, limits.signal))) throw error
      }
    }
  }

  async *changes(options?: ChangeOptions): AsyncGenerator<TaskUpdate, void, undefined> {
    for await (const update of this.#current.changes(options)) yield this.#describe(update)
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<TaskUpdate> {
    return this.changes()
  }

  cancel(options?: CallOptions): Promise<void> {
    return this.#tools.cancel(this.id, options)
  }

  async download(folder: string, options: TaskDownloadOptions = {}): Promise<readonly DownloadedOutput[]> {
    const { signal } = options
    const done = await this.wait(signal === undefined ? {} : { signal })
    return done.download(folder, options)
  }

  wake(): void {
    this.#current.wake()
  }

  resumeToken(): string {
    return this.#current.resumeToken()
  }

  /** What a log may hold of it. */
  toJSON(): Record<string, unknown> {
    return { id: this.id, status: this.status, ended: this.ended, throttledMs: this.throttledMs }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `TaskHandle ${JSON.stringify(this)}`
  }

  #describe(update: OperationUpdate<Task>): TaskUpdate {
    return { ...update, throttledMs: this.throttledMs }
  }

  /** Submits another task in place of one that failed; all who wait share one submission. */
  async #replace(
    failed: Inner,
    error: TaskFailedError,
    policy: RegeneratePolicy,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    if (this.#current !== failed) return true
    this.#successor ??= this.#regenerate(error, policy, signal).finally(() => (this.#successor = undefined))
    return this.#successor
  }

  async #regenerate(
    error: TaskFailedError,
    policy: RegeneratePolicy,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { maxTimes, onRegenerate } = policy
    if (this.#resubmission === undefined || this.#regenerations.length >= maxTimes) return false
    const body = await nextBody(policy, error, this.#body ?? this.#resubmission.body)
    if (body === undefined) return false
    signal?.throwIfAborted()
    const { id: failedId, reason: failure, category } = error
    const regeneration = { failedId, failure, category, credits: bodyCredits(body) }
    onRegenerate?.(regeneration)
    const next = await this.#resubmission.submit(body, signal)
    this.#throttledBeforeMs = this.throttledMs
    this.#regenerations = [...this.#regenerations, regeneration]
    this.#body = body
    this.#current = next
    return true
  }
}
