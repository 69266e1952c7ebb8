import type { CallOptions, ChangeOptions, OperationUpdate } from '@concord/runtime'
import type { Task, TaskStatus } from '@concord/media-validators'

import type { CreditEstimate } from './credits.ts'
import type { Regeneration, RegeneratePolicy } from './regenerate.ts'
import type { DownloadedOutput, SucceededTask, TaskDownloadOptions } from './results.ts'

/** What a poll found out about a task, and how long it was seen to be throttled. @public */
export interface TaskUpdate extends Omit<OperationUpdate<Task>, 'status'> {
  /** An undocumented status is passed on as it came. */
  readonly status: TaskStatus | undefined
  /** Milliseconds in `THROTTLED`, as far as polls have seen. It is part of the waiting, not of the generating. */
  readonly throttledMs: number
}

/** Options of {@link TaskHandle.wait}. @public */
export interface TaskWaitOptions extends ChangeOptions {
  /** Called after every poll. If it throws, this wait ends with that error. */
  readonly onUpdate?: (update: TaskUpdate) => void
  /**
   * Submits a failed task again if a retry can help. Only for handles that a generation method returned: a handle from a
   * token doesn't know the request. Default: the `regenerate` option of the generation method, else never.
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
  /** The id of the task; after a regeneration that of the newest one. */
  readonly id: string
  /** The last status that was seen. An undocumented one is passed on as it came. */
  readonly status: TaskStatus | undefined
  /** The last whole task that was seen. */
  readonly snapshot: Task | undefined
  /** Whether it was seen to have succeeded or failed. */
  readonly ended: boolean
  /** Milliseconds that it was seen to be throttled. */
  readonly throttledMs: number
  /** The failed tasks that were replaced by another submission. */
  readonly regenerations: readonly Regeneration[]
  /** What the regenerations are estimated to cost together. */
  readonly regenerationCredits: CreditEstimate
  /**
   * Waits until the task has succeeded. `THROTTLED` is waiting like any other: the task is queued, and never submitted
   * again.
   *
   * @throws TaskFailedError when the service reports that the task failed.
   * @throws TaskCancelledError when the task was cancelled through this handle.
   * @throws DeadlineError, exactly when the time is over, regenerations included. It says nothing about the task, which
   * goes on.
   * @throws SubmissionUncertainError when the answer to a regeneration was lost; it is not sent again, by no later wait
   * either.
   * @throws the error of a poll that cannot get better (401, 404). Others are survived.
   * @throws the signal's own reason on abort.
   */
  wait(options?: TaskWaitOptions): Promise<SucceededTask>
  /**
   * Iterates over the changes that polls find; ends when the task has succeeded, throws what {@link wait} would. It never
   * submits a task again: only {@link wait} and {@link download} do.
   */
  changes(options?: ChangeOptions): AsyncIterableIterator<TaskUpdate>
  /**
   * Cancels the task. The operation means two things, "cancel or delete": if the task has ended, its record is deleted.
   * Waits through this handle then end with a `TaskCancelledError` once the service doesn't know the task any more or
   * shows an undocumented status; a task that ends first ends them as usual.
   */
  cancel(options?: CallOptions): Promise<void>
  /**
   * Waits until the task has succeeded, then downloads its outputs into a folder. See {@link SucceededTask.download}. A
   * `deadline` covers both together. Streams, Blobs, bytes and exact file paths: `(await task.wait()).outputs`.
   */
  download(options: TaskDownloadOptions): Promise<readonly DownloadedOutput[]>
  /** Polls at once if a wait is under way, or else at the start of the next one. */
  wake(): void
  /** A string by which the task can be found again, in another process and after an upgrade. It holds no secret. */
  resumeToken(): string
}
