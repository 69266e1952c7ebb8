import {
  DeadlineError,
  OptionsError,
  SubmissionUncertainError,
  type CallOptions,
  type ChangeOptions,
  type Clock,
  type OperationHandle,
  type OperationUpdate,
  type WaitOptions,
} from '@concord/runtime'
import {
  checkOptionNames,
  functionOption,
  parseDuration,
  type Submission,
  type OptionNames,
} from '@concord/runtime/internal'
import type { Task, TaskStatus } from '@concord/media-validators'

import { addCredits, atMost, upTo, type CreditEstimate } from './credits.ts'
import { TaskFailedError } from './errors.ts'
import {
  checkPolicy,
  creditsOf,
  nextChanges,
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

/** The result of one poll of a task, and how long the task has been throttled. @public */
export interface TaskUpdate extends Omit<OperationUpdate<Task>, 'status'> {
  /** An undocumented status is returned unchanged. */
  readonly status: TaskStatus | undefined
  /**
   * How long the task was `THROTTLED`, in milliseconds, as measured by the polls. A throttled task is queued, and
   * nothing is generated. Includes the time of the failed tasks that this task replaced.
   */
  readonly throttledMs: number
}

/** Options of {@link TaskHandle.wait}. @public */
export interface TaskWaitOptions extends ChangeOptions {
  /** Called after every poll, unless the poll's error ends the wait. If `onUpdate` throws, this wait ends with that error. */
  readonly onUpdate?: (update: TaskUpdate) => void
  /**
   * Submits a failed task again if that can help. Works only with a handle that a generation method returned: a
   * handle from an id or a resume token doesn't know the request. Default: the `regenerate` option that was passed to
   * the generation method. Without either option, a failed task is never submitted again.
   */
  readonly regenerate?: RegeneratePolicy
}

/**
 * A task at the service. Nothing is polled until the first wait, and all waits share the same polls. A handle is not
 * thenable: awaiting it returns the handle itself.
 *
 * @example
 * ```ts
 * const task = await media.textToVideo({ model: 'gen4.5', promptText: 'a paper boat in rain', duration: 5 })
 * const { outputs } = await task.wait({ deadline: '10m' })
 * ```
 * @public
 */
export interface TaskHandle extends AsyncIterable<TaskUpdate> {
  /** The task's id; after a regeneration, the newest task's id. */
  readonly id: string
  /** The status that the last poll returned. An undocumented status is returned unchanged. */
  readonly status: TaskStatus | undefined
  /** The task as the last poll returned it. */
  readonly snapshot: Task | undefined
  /** Whether a poll found that the task succeeded or failed. */
  readonly ended: boolean
  /** How long the task was `THROTTLED`, in milliseconds. See {@link TaskUpdate.throttledMs}. */
  readonly throttledMs: number
  /** The failed tasks that were replaced by new submissions. */
  readonly regenerations: readonly Regeneration[]
  /**
   * The total estimated cost of the regenerations. Its `max` counts every submission that the service may have
   * accepted.
   */
  readonly regenerationCredits: CreditEstimate
  /**
   * The number of tasks that the newest submission may have created, including this task. More than 1 if the request
   * was repeated after a 502, 503 or 504, as the service's documentation asks. A handle from an id or a token always
   * reports 1, because it doesn't know the submission.
   */
  readonly possibleDuplicates: number
  /**
   * Waits until the task has succeeded. A `THROTTLED` task is queued at the service: the wait continues, and the task is not
   * submitted again.
   *
   * @example
   * ```ts
   * const { outputs } = await task.wait({ deadline: '10m', regenerate: { maxTimes: 2 } })
   * ```
   * @param options - How long to wait, and whether to submit the task again after a failure.
   * @throws TaskFailedError if the service reports that the task failed.
   * @throws TaskCancelledError if the task was canceled through this handle.
   * @throws DeadlineError at the deadline, which also covers regenerations. The task keeps running.
   * @throws SubmissionUncertainError if the response to a regeneration was lost, unreadable or a 5xx. No later wait
   * repeats that submission.
   * @throws the error of a poll if polling again can't help (401, 404). Polling continues after other errors.
   * @throws the signal's own reason on abort.
   */
  wait(options?: TaskWaitOptions): Promise<SucceededTask>
  /**
   * Iterates over the changes that polls find, until the task has succeeded. Throws the same errors as {@link wait}.
   * Only {@link wait} and {@link download} submit a failed task again; `changes` never does.
   *
   * @example
   * ```ts
   * for await (const { status, throttledMs } of task.changes()) console.log(status, throttledMs)
   * ```
   */
  changes(options?: ChangeOptions): AsyncIterableIterator<TaskUpdate>
  /**
   * Polls once, for callers that schedule polls themselves. Afterward, {@link ended} says whether the task has ended; if so,
   * {@link wait} returns the result or throws the error without another poll.
   *
   * @throws the error of the poll, even a transient error. Its `retryAfterMs` is how long the service asks to wait.
   * @throws the signal's own reason on abort.
   */
  poll(options?: ChangeOptions): Promise<TaskUpdate>
  /**
   * Cancels the task. The operation is documented as "cancel or delete": if the task has already ended, the service
   * deletes its record. The status of a canceled task is not documented. So after `cancel`, a wait on this handle
   * ends with a `TaskCancelledError` once the service reports an undocumented status or no longer knows the task. If
   * the task succeeds or fails before it is canceled, the wait ends as usual.
   */
  cancel(options?: CallOptions): Promise<void>
  /**
   * Waits until the task has succeeded, then downloads its outputs into a folder. A `deadline` covers the wait and
   * the downloads. For streams, Blobs, bytes and exact file paths, use `(await task.wait()).outputs`.
   *
   * @example
   * ```ts
   * const [film] = await task.download({ folder: 'out' })
   * ```
   * @param options - The folder, and how to name and read the files.
   * @throws the same errors as {@link wait} and {@link SucceededTask.download}.
   */
  download(options: TaskDownloadOptions): Promise<readonly DownloadedOutput[]>
  /** Polls immediately if a wait is in progress; otherwise, at the start of the next wait. */
  wake(): void
  /**
   * Returns a token for {@link Media.resume}. The token works in other processes and after an upgrade. It contains no
   * secret.
   */
  resumeToken(): string
}

type Inner = OperationHandle<Task, SucceededTask>

export interface TaskTools {
  readonly clock: Clock
  throttledMs(task: Inner): number
  cancel(task: Inner, options: CallOptions | undefined): Promise<void>
}

interface Resubmission {
  readonly operation: string
  readonly path: string
  /** The remedy to put into the error if the outcome of the submission is unknown. */
  readonly remedy: string
  readonly body: Readonly<Record<string, unknown>>
  readonly policy: RegeneratePolicy | undefined
  estimate(body: Readonly<Record<string, unknown>>): CreditEstimate
  submit(body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<SubmittedTask>
}

interface SubmittedTask {
  readonly task: Inner
  readonly possibleDuplicates: number
}

interface Limits {
  readonly signal: AbortSignal | undefined
  /** `undefined` if the wait has no deadline. */
  readonly end: { readonly limitMs: number; /** On the monotonic clock. */ readonly atMs: number } | undefined
}

const WAIT_OPTIONS: OptionNames<TaskWaitOptions> = {
  deadline: true,
  signal: true,
  onUpdate: true,
  regenerate: true,
}

/** A task, or a series of tasks in which each task replaced the failed task before it. */
export class MediaTask implements TaskHandle {
  readonly #tools: TaskTools
  #resubmission: Resubmission | undefined
  #current: Inner
  /** The submission in progress that replaces the current task. */
  #successor: SharedWork<boolean> | undefined
  /** Set if it is unknown whether a replacement was accepted. Nothing is submitted after that. */
  #uncertain: SubmissionUncertainError | undefined
  regenerations: readonly Regeneration[] = []
  possibleDuplicates: number
  #uncertainCredits: CreditEstimate = { min: 0, max: 0 }
  #throttledBeforeMs = 0
  /** Drops the request body after the task has succeeded. The body can contain whole files, and isn't sent again. */
  readonly #release = (done: SucceededTask): SucceededTask => {
    this.#resubmission = undefined
    return done
  }

  constructor(inner: Inner, tools: TaskTools, resubmission?: Resubmission, possibleDuplicates = 1) {
    this.#current = inner
    this.possibleDuplicates = possibleDuplicates
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

  get regenerationCredits(): CreditEstimate {
    return addCredits(creditsOf(this.regenerations), this.#uncertainCredits)
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

  async poll(options?: ChangeOptions): Promise<TaskUpdate> {
    return this.#describe(await this.#current.poll(options))
  }

  cancel(options?: CallOptions): Promise<void> {
    return this.#tools.cancel(this.#current, options)
  }

  async download(options: TaskDownloadOptions): Promise<readonly DownloadedOutput[]> {
    checkDownload(options)
    const { signal, deadline } = options
    const beganMs = this.#now()
    const done = await this.wait({ signal, deadline } as ChangeOptions)
    if (deadline === undefined) return done.download(options)
    const leftMs = parseDuration(deadline) - (this.#now() - beganMs)
    return done.download({ ...options, deadline: Math.max(1, leftMs) })
  }

  wake(): void {
    this.#current.wake()
  }

  resumeToken(): string {
    return this.#current.resumeToken()
  }

  /** Returns the fields that may be logged. */
  toJSON(): Record<string, unknown> {
    return { id: this.id, status: this.status, ended: this.ended, throttledMs: this.throttledMs }
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `TaskHandle ${JSON.stringify(this)}`
  }

  #describe(update: OperationUpdate<Task>): TaskUpdate {
    return { ...update, status: update.status as TaskStatus | undefined, throttledMs: this.throttledMs }
  }

  /** Checks the options of a wait. @returns the policy for submitting the task again. */
  #policyFor(options: TaskWaitOptions): RegeneratePolicy | undefined {
    checkOptionNames(options, WAIT_OPTIONS, 'options')
    const { onUpdate, regenerate } = options
    functionOption(onUpdate, 'onUpdate')
    checkPolicy(regenerate)
    if (regenerate !== undefined && this.#resubmission === undefined && this.status !== 'SUCCEEDED') {
      throw new OptionsError(
        'regenerate',
        '`regenerate` needs the original request, but this handle knows only the task id.',
        'Wait with the handle that the generation method returned, or omit `regenerate`.',
      )
    }
    return regenerate ?? this.#resubmission?.policy
  }

  /** Waits only for the current task. Avoids closures to save memory: there can be thousands of waits at a time. */
  #waitOnce({ regenerate: _regenerate, onUpdate, ...limits }: TaskWaitOptions): Promise<SucceededTask> {
    const done = this.#current.wait(this.#waitOptions(limits, onUpdate))
    return this.#resubmission === undefined ? done : done.then(this.#release)
  }

  /** Waits for the current task, and for the tasks that replace it. */
  async #waitThrough(
    policy: RegeneratePolicy,
    { deadline, signal, onUpdate }: TaskWaitOptions,
  ): Promise<SucceededTask> {
    const limitMs = deadline === undefined ? undefined : parseDuration(deadline)
    const end = limitMs === undefined ? undefined : { limitMs, atMs: this.#now() + limitMs }
    const limits: Limits = { signal, end }
    for (;;) {
      const task = this.#current
      const left = { signal, deadline: end && Math.max(end.atMs - this.#now(), 1) } as ChangeOptions
      try {
        return this.#release(await task.wait(this.#waitOptions(left, onUpdate)))
      } catch (error) {
        // Without a deadline, a DeadlineError comes from `polling.limit`. That limit applies to one task, not to the
        // whole wait, so the error is thrown unchanged.
        if (end !== undefined && DeadlineError.is(error)) throw this.#late(end.limitMs, error)
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

  #late(limitMs: number, cause?: DeadlineError): DeadlineError {
    const { id, status } = this
    const seen = status === undefined ? 'no poll has succeeded yet' : `the last status was '${status}'`
    const said = this.#successor === undefined ? seen : 'the task was being resubmitted'
    return new DeadlineError(
      `Task ${id} did not succeed before the deadline of this wait (${limitMs} ms, including regenerations); ` +
        `${said}. ` +
        'Wait again with a longer deadline.',
      { limitMs, elapsedMs: limitMs, id, lastState: status },
      { operation: 'getTask', cause },
    )
  }

  /** Replaces a failed task with a new submission, which all waits share. Returns whether the task was replaced. */
  async #replace(
    failed: Inner,
    error: TaskFailedError,
    policy: RegeneratePolicy,
    { signal, end }: Limits,
  ): Promise<boolean> {
    // An aborted submission sets `#uncertain` only when it ends. Wait until it has ended, which takes only a moment.
    while (this.#successor?.abandoned === true) await this.#successor.settled()
    if (this.#current !== failed) return true
    if (this.#uncertain !== undefined) throw this.#uncertain
    this.#successor ??= new SharedWork((lastStep) =>
      this.#regenerate(error, policy, lastStep).finally(() => (this.#successor = undefined)),
    )
    return this.#successor.join({
      clock: this.#tools.clock,
      signal,
      limit: end && { ms: end.atMs - this.#now(), error: () => this.#late(end.limitMs) },
    })
  }

  async #regenerate(
    error: TaskFailedError,
    policy: RegeneratePolicy,
    lastStep: () => AbortSignal,
  ): Promise<boolean> {
    const resubmission = this.#resubmission
    if (resubmission === undefined || this.regenerations.length >= policy.maxTimes) return false
    const changes = await nextChanges(policy, error, resubmission.body)
    if (changes === undefined) return false
    const body = { ...resubmission.body, ...changes }
    const signal = lastStep()
    const { id: failedId, reason: failure, category } = error
    const regeneration = { failedId, failure, category, credits: resubmission.estimate(body) }
    policy.onRegenerate?.(regeneration)
    const { task, possibleDuplicates } = await this.#resubmit({ ...resubmission, body }, signal)
    this.#throttledBeforeMs = this.throttledMs
    const credits = upTo(possibleDuplicates, regeneration.credits)
    this.regenerations = [...this.regenerations, { ...regeneration, credits }]
    this.#resubmission = { ...resubmission, body }
    this.possibleDuplicates = possibleDuplicates
    this.#current = task
    return true
  }

  async #resubmit(
    { operation, path, body, estimate, remedy, submit }: Resubmission,
    signal: AbortSignal,
  ): Promise<SubmittedTask> {
    const submittedAtMs = this.#tools.clock.now()
    try {
      return await submit(body, signal)
    } catch (error) {
      if (SubmissionUncertainError.is(error)) this.#uncertain = error
      else if (signal.aborted) {
        const submitted: Submission = { method: 'POST', path, fields: Object.keys(body) }
        this.#uncertain = new SubmissionUncertainError(
          `${operation}: every wait was aborted or reached its deadline while the task was being submitted again. ` +
            `This new submission may have been accepted and charged, so it was not repeated. ${remedy}`,
          { submitted, submittedAtMs, remedy },
          { operation },
        )
      }
      if (this.#uncertain !== undefined)
        this.#uncertainCredits = atMost(upTo(this.#uncertain.possibleDuplicates, estimate(body)))
      throw error
    }
  }
}
