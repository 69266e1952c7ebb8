import {
  ApiError,
  defineOperationKind,
  NotFoundError,
  PollScheduler,
  type CallOptions,
  type Client,
  type Clock,
  type Duration,
  type OperationExtra,
  type OperationHandle,
  type OperationKind,
  type PollingOptions,
} from '@concord/runtime'
import type { Task } from '@concord/media-validators'

import { TaskCancelledError, TaskFailedError } from './errors.ts'
import { deleteTask, getTask } from './gen/operations.gen.ts'
import type { MediaOptions } from './options.ts'
import { toSucceeded, type SucceededTask } from './results.ts'
import type { TaskTools } from './task.ts'
import { Throttling } from './throttling.ts'
import type { Wire } from './version.ts'

/** A poll is sent once; what comes after a failed one is the next poll. */
export const ONE_ATTEMPT = { maxAttempts: 1 } as const satisfies CallOptions

/**
 * How long a wait for a task lasts without a deadline of its own: the client's own choice, since a task can be throttled
 * for hours, and addresses of outputs live for a day at least.
 */
const TASK_LIMIT: Duration = '24h'

/** Everything about tasks that a client waits for. */
export class Waits implements TaskTools {
  readonly tasks: OperationKind<Task, SucceededTask>
  readonly scheduler: PollScheduler
  readonly clock: Clock
  readonly #wire: Wire
  readonly #throttling: Throttling
  /** Tasks that were cancelled through their own handle, identified by the object that belongs to it. */
  readonly #cancelled = new WeakSet<OperationExtra>()

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
    if (waiter === undefined) throw new TypeError('getTask reports no status to wait for')
    const known: ReadonlySet<unknown> = new Set([...waiter.success, ...waiter.failure, ...waiter.pending])
    this.tasks = defineOperationKind<Task, SucceededTask>({
      kind: 'media.task',
      label: 'Task',
      operation: getTask.id,
      waiter,
      scheduler: this.scheduler,
      polling: taskPolling(polling?.task),
      poll: async (id, signal, extra) => {
        const wasCancelled = () => extra !== undefined && this.#cancelled.has(extra)
        try {
          const answer = await wire.exchange(getTask, { path: { id } }, { ...ONE_ATTEMPT, signal })
          const { status } = answer.data
          if (extra !== undefined) throttling.note(extra, status)
          if (wasCancelled() && !known.has(status)) throw new TaskCancelledError(id, status)
          return answer
        } catch (error) {
          if (!NotFoundError.is(error) || !wasCancelled()) throw error
          throw new TaskCancelledError(id, undefined, { cause: error })
        }
      },
      failure: ({ snapshot, operation }) => new TaskFailedError(snapshot, { operation }),
      result: (task) => toSucceeded(task, client),
      observe: (event) => client.emit(event),
    })
  }

  throttledMs(task: OperationHandle<Task, SucceededTask>): number {
    return this.#throttling.totalMs(task.extra)
  }

  async cancel(task: OperationHandle<Task, SucceededTask>, options: CallOptions | undefined): Promise<void> {
    const { id, extra } = task
    // Before it is sent: a poll may see the effect earlier than the answer arrives.
    if (extra !== undefined) this.#cancelled.add(extra)
    try {
      await this.#wire.send(deleteTask, { path: { id } }, options)
    } catch (error) {
      if (extra !== undefined && ApiError.is(error)) this.#cancelled.delete(extra)
      throw error
    }
    task.wake()
  }

  close(): void {
    this.scheduler.close()
  }
}

function taskPolling(own: PollingOptions = {}): PollingOptions {
  return { limit: TASK_LIMIT, ...own }
}
