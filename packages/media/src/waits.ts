import {
  ApiError,
  NotFoundError,
  type CallOptions,
  type Client,
  type Clock,
  type Duration,
  type OperationHandle,
  type PollingOptions,
} from '@concord/runtime'
import {
  defineOperationKind,
  isOfCaller,
  PollScheduler,
  type OperationExtra,
  type OperationKind,
} from '@concord/runtime/internal'
import type { Task } from '@concord/media-validators'

import { TaskCancelledError, TaskFailedError } from './errors.ts'
import { deleteTask, getTask } from './gen/operations.gen.ts'
import type { MediaOptions } from './options.ts'
import { toSucceeded, type SucceededTask } from './results.ts'
import type { TaskTools } from './task.ts'
import type { Wire } from './version.ts'

/** A failed poll isn't retried; the next poll follows on schedule. */
export const ONE_ATTEMPT = { maxAttempts: 1 } as const satisfies CallOptions

/**
 * The limit of a wait without a deadline. This is the client's own choice: a task can be throttled for hours, and output
 * URLs are valid for at least a day.
 */
const TASK_LIMIT: Duration = '24h'

/** Waits for the tasks of a client, and cancels them. */
export class Waits implements TaskTools {
  readonly tasks: OperationKind<Task, SucceededTask>
  readonly scheduler: PollScheduler
  readonly clock: Clock
  readonly #wire: Wire
  readonly #throttling: Throttling
  /** Tasks that were canceled through their own handle, identified by the `extra` of the handle. */
  readonly #canceled = new WeakSet<OperationExtra>()

  constructor(client: Client, wire: Wire, { polling, random }: MediaOptions) {
    this.#wire = wire
    this.clock = client.clock
    const throttling = (this.#throttling = new Throttling(client.clock))
    this.scheduler = new PollScheduler({
      clock: client.clock,
      ...(random && { random }),
      ...(polling?.connections !== undefined && { maxInFlight: polling.connections }),
    })
    const { waiter } = getTask
    if (waiter === undefined) throw new TypeError('getTask has no waiter')
    const known: ReadonlySet<unknown> = new Set([...waiter.success, ...waiter.failure, ...waiter.pending])
    this.tasks = defineOperationKind<Task, SucceededTask>({
      kind: 'media.task',
      label: 'Task',
      operation: getTask.id,
      waiter,
      scheduler: this.scheduler,
      polling: taskPolling(polling?.task),
      poll: async (id, signal, extra) => {
        const handle = identityOf(extra)
        const wasCanceled = () => this.#canceled.has(handle)
        try {
          const response = await wire.exchange(getTask, { path: { id } }, { ...ONE_ATTEMPT, signal })
          const { status } = response.data
          throttling.note(handle, status)
          if (wasCanceled() && !known.has(status)) throw new TaskCancelledError(id, status)
          return response
        } catch (error) {
          if (!NotFoundError.is(error) || isOfCaller(error) || !wasCanceled()) throw error
          throw new TaskCancelledError(id, undefined, { cause: error })
        }
      },
      failure: ({ snapshot, operation }) => new TaskFailedError(snapshot, { operation }),
      result: (task) => toSucceeded(task, client),
      observe: (event) => client.emit(event),
    })
  }

  throttledMs(task: OperationHandle<Task, SucceededTask>): number {
    return this.#throttling.totalMs(identityOf(task.extra))
  }

  async cancel(task: OperationHandle<Task, SucceededTask>, options: CallOptions | undefined): Promise<void> {
    const { id } = task
    const handle = identityOf(task.extra)
    // Marked before the request is sent, because a poll may see the effect before the response arrives.
    this.#canceled.add(handle)
    try {
      await this.#wire.send(deleteTask, { path: { id } }, options)
    } catch (error) {
      if (ApiError.is(error)) this.#canceled.delete(handle)
      throw error
    }
    task.wake()
  }

  close(): void {
    this.scheduler.close()
  }
}

/** Each handle of a task is created with an `extra` object of its own, so that object identifies it. */
function identityOf(extra: OperationExtra | undefined): OperationExtra {
  return extra as OperationExtra
}

function taskPolling(own: PollingOptions = {}): PollingOptions {
  return { limit: TASK_LIMIT, ...own }
}

/** Measures how long tasks were throttled. The status that a poll returned counts until the next poll. */
class Throttling {
  readonly #clock: Clock
  readonly #seen = new WeakMap<OperationExtra, { totalMs: number; sinceMs: number | undefined }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Records the status that a poll returned. Tasks are identified by the `extra` of their handle. */
  note(task: OperationExtra, status: unknown): void {
    const before = this.#seen.get(task)
    if (before === undefined && status !== 'THROTTLED') return
    const now = this.#clock.monotonic()
    const spentMs = before?.sinceMs === undefined ? 0 : now - before.sinceMs
    this.#seen.set(task, {
      totalMs: (before?.totalMs ?? 0) + spentMs,
      sinceMs: status === 'THROTTLED' ? now : undefined,
    })
  }

  /** Returns how long polls saw the task as throttled, in milliseconds. */
  totalMs(task: OperationExtra): number {
    return this.#seen.get(task)?.totalMs ?? 0
  }
}
