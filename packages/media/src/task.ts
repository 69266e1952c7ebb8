import {
  checkOptionNames,
  DeadlineError,
  functionOption,
  OptionsError,
  parseDuration,
  SubmissionUncertainError,
  type CallOptions,
  type ChangeOptions,
  type Clock,
  type OperationHandle,
  type OperationUpdate,
  type Submission,
  type WaitOptions,
  type OptionNames,
} from '@concord/runtime'
import type { Task, TaskStatus } from '@concord/media-validators'

import type { CreditEstimate } from './credits.ts'
import { TaskFailedError } from './errors.ts'
import {
  bodyCredits,
  checkPolicy,
  creditsOf,
  nextBody,
  type Regeneration,
  type RegeneratePolicy,
} from './regenerate.ts'
import {
  checkDownload,
  type DownloadedOutput,
  type SucceededTask,
  type TaskDownloadOptions,
} from './results.ts'
import { SharedWork } from './shared-work.ts'
import type { TaskHandle, TaskUpdate, TaskWaitOptions } from './task-handle.ts'

type Inner = OperationHandle<Task, SucceededTask>

/** What a handle needs of its client. */
export interface TaskTools {
  readonly clock: Clock
  throttledMs(task: Inner): number
  cancel(task: Inner, options: CallOptions | undefined): Promise<void>
}

/** How a task can be submitted again. */
export interface Resubmission {
  readonly operation: string
  readonly path: string
  /** What to do when its outcome is unknown. */
  readonly remedy: string
  readonly body: Readonly<Record<string, unknown>>
  readonly policy: RegeneratePolicy | undefined
  submit(body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Inner>
}

/** How long one wait lasts. */
interface Limits {
  readonly signal: AbortSignal | undefined
  /** By the monotonic clock; `undefined` without a deadline of its own. */
  readonly endsAtMs: number | undefined
  readonly limitMs: number | undefined
}

const WAIT_OPTIONS: OptionNames<TaskWaitOptions> = {
  deadline: true,
  signal: true,
  onUpdate: true,
  regenerate: true,
}

/** A task, or a series of tasks in which each one replaced a failed one. */
export class MediaTask implements TaskHandle {
  readonly #tools: TaskTools
  /** Let go of when the task has succeeded. */
  #resubmission: Resubmission | undefined
  #current: Inner
  /** Under way: the submission in place of the current task. */
  #successor: SharedWork<boolean> | undefined
  /** That submission may have arrived, so that there is never another one. */
  #uncertain: SubmissionUncertainError | undefined
  #regenerations: readonly Regeneration[] = []
  #throttledBeforeMs = 0
  /** Releases the body for another submission: it can hold whole files. */
  readonly #letGo = (done: SucceededTask): SucceededTask => {
    this.#resubmission = undefined
    return done
  }

  constructor(inner: Inner, tools: TaskTools, resubmission?: Resubmission) {
    this.#current = inner
    this.#tools = tools
    this.#resubmission = resubmission
  }

  get id(): string {
    return this.#current.id
  }

  get status(): TaskStatus | undefined {
    return this.#current.status as TaskStatus | undefined
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

  wait(options: TaskWaitOptions = {}): Promise<SucceededTask> {
    try {
      const policy = this.#policyFor(options)
      return policy === undefined ? this.#waitOnce(options) : this.#waitThrough(policy, options)
    } catch (error) {
      return Promise.reject(error as Error)
    }
  }

  async *changes(options?: ChangeOptions): AsyncGenerator<TaskUpdate, void, undefined> {
    for await (const update of this.#current.changes(options)) yield this.#describe(update)
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<TaskUpdate> {
    return this.changes()
  }

  cancel(options?: CallOptions): Promise<void> {
    return this.#tools.cancel(this.#current, options)
  }

  async download(options: TaskDownloadOptions): Promise<readonly DownloadedOutput[]> {
    checkDownload(options)
    const { signal, deadline } = options
    const beganMs = this.#tools.clock.monotonic()
    const done = await this.wait({
      ...(signal === undefined ? undefined : { signal }),
      ...(deadline === undefined ? undefined : { deadline }),
    })
    if (deadline === undefined) return done.download(options)
    const leftMs = parseDuration(deadline) - (this.#tools.clock.monotonic() - beganMs)
    return done.download({ ...options, deadline: Math.max(1, leftMs) })
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
    return { ...update, status: update.status as TaskStatus | undefined, throttledMs: this.throttledMs }
  }

  /** Checks the options of a wait. @returns the policy for submitting again in it. */
  #policyFor(options: TaskWaitOptions): RegeneratePolicy | undefined {
    checkOptionNames(options, WAIT_OPTIONS, 'options')
    const { onUpdate, regenerate } = options
    functionOption(onUpdate, 'onUpdate')
    checkPolicy(regenerate)
    if (regenerate !== undefined && this.#resubmission === undefined && this.status !== 'SUCCEEDED') {
      throw new OptionsError(
        'regenerate',
        '`regenerate` needs the original request, but this handle knows only the task id.',
        'Wait with the handle that the generation method returned, or submit the request again.',
      )
    }
    return regenerate ?? this.#resubmission?.policy
  }

  /** Waits for the task alone. Kept free of closures where it can be: thousands of waits are under way at once. */
  #waitOnce({ regenerate: _regenerate, onUpdate, ...limits }: TaskWaitOptions): Promise<SucceededTask> {
    const done = this.#current.wait(this.#waitOptions(limits, onUpdate))
    return this.#resubmission === undefined ? done : done.then(this.#letGo)
  }

  /** Waits for the task, and for those that are submitted in its place. */
  async #waitThrough(
    policy: RegeneratePolicy,
    { deadline, signal, onUpdate }: TaskWaitOptions,
  ): Promise<SucceededTask> {
    const limitMs = deadline === undefined ? undefined : parseDuration(deadline)
    const endsAtMs = limitMs === undefined ? undefined : this.#now() + limitMs
    const limits: Limits = { signal, endsAtMs, limitMs }
    for (let waits = 0; ; waits++) {
      const task = this.#current
      const left = {
        ...(signal && { signal }),
        ...(endsAtMs !== undefined && { deadline: Math.max(endsAtMs - this.#now(), 1) }),
      }
      try {
        return this.#letGo(await task.wait(this.#waitOptions(left, onUpdate)))
      } catch (error) {
        if (waits > 0 && DeadlineError.is(error)) throw this.#late(limits)
        if (!TaskFailedError.is(error) || !(await this.#replace(task, error, policy, limits))) throw error
      }
    }
  }

  #waitOptions(limits: ChangeOptions, onUpdate: TaskWaitOptions['onUpdate']): WaitOptions<Task> {
    if (onUpdate === undefined) return limits
    return { ...limits, onUpdate: (update) => onUpdate(this.#describe(update)) }
  }

  #now(): number {
    return this.#tools.clock.monotonic()
  }

  /** The error of a wait whose time is over after the task was submitted again, or during that submission. */
  #late({ limitMs = 0 }: Limits): DeadlineError {
    const { id, status } = this
    const seen = status === undefined ? 'no status of it was seen yet' : `the last status was '${status}'`
    const said = this.#successor === undefined ? seen : 'it was being submitted again'
    return new DeadlineError(
      `Task ${id} had not succeeded when the ${limitMs} ms for this wait were over, regenerations included; ${said}. ` +
        'Wait again with a longer deadline.',
      { limitMs, elapsedMs: limitMs, id, ...(status !== undefined && { lastState: status }) },
      { operation: 'getTask' },
    )
  }

  /** Submits another task in place of one that failed; all who wait share one submission. */
  async #replace(
    failed: Inner,
    error: TaskFailedError,
    policy: RegeneratePolicy,
    limits: Limits,
  ): Promise<boolean> {
    // What was aborted is over soon; only then is it known whether it may have been accepted.
    while (this.#successor?.abandoned === true) await this.#successor.settled()
    if (this.#current !== failed) return true
    if (this.#uncertain !== undefined) throw this.#uncertain
    const leftMs = limits.endsAtMs === undefined ? undefined : limits.endsAtMs - this.#now()
    if (leftMs !== undefined && leftMs <= 0) return false
    this.#successor ??= new SharedWork((lastStep) =>
      this.#regenerate(error, policy, lastStep).finally(() => (this.#successor = undefined)),
    )
    return this.#successor.join({
      clock: this.#tools.clock,
      signal: limits.signal,
      limitMs: leftMs,
      late: () => this.#late(limits),
    })
  }

  async #regenerate(
    error: TaskFailedError,
    policy: RegeneratePolicy,
    lastStep: () => AbortSignal,
  ): Promise<boolean> {
    const resubmission = this.#resubmission
    if (resubmission === undefined || this.#regenerations.length >= policy.maxTimes) return false
    const body = await nextBody(policy, error, resubmission.body)
    if (body === undefined) return false
    const signal = lastStep()
    const { id: failedId, reason: failure, category } = error
    const regeneration = { failedId, failure, category, credits: bodyCredits(body) }
    policy.onRegenerate?.(regeneration)
    const next = await this.#resubmit({ ...resubmission, body }, signal)
    this.#throttledBeforeMs = this.throttledMs
    this.#regenerations = [...this.#regenerations, regeneration]
    this.#resubmission = { ...resubmission, body }
    this.#current = next
    return true
  }

  /** Submits, and remembers when it may have been accepted without anybody having seen it. */
  async #resubmit(
    { operation, path, body, remedy, submit }: Resubmission,
    signal: AbortSignal,
  ): Promise<Inner> {
    const submittedAtMs = this.#tools.clock.now()
    try {
      return await submit(body, signal)
    } catch (error) {
      if (SubmissionUncertainError.is(error)) this.#uncertain = error
      else if (signal.aborted) {
        const submitted: Submission = { method: 'POST', path, fields: Object.keys(body) }
        this.#uncertain = new SubmissionUncertainError(
          `${operation}: the wait was aborted while the task was being submitted again. That submission may have been ` +
            `accepted and charged, so it was not sent again. ${remedy}`,
          { submitted, submittedAtMs, remedy },
          { operation },
        )
      }
      throw error
    }
  }
}
