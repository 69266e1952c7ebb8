import {
  ApiError,
  NotFoundError,
  type CallOptions,
  type Client,
  type Clock,
  type OperationHandle,
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

/** Turns off the client's retries, for callers that repeat requests themselves: polls and batches. */
export const ONE_ATTEMPT = { maxAttempts: 1 } as const satisfies CallOptions

/**
 * The time limit of a wait without a `deadline`. It is long, because a task can be throttled for hours. But it isn't
 * longer than a day, because a task's output URLs can expire after 24 hours.
 */
const TASK_LIMIT = '24h'

interface HandleFacts {
  /** Whether the task was canceled through this handle. */
  isCanceled: boolean
  throttledMs: number
  /** The time (monotonic clock) of the last poll, if that poll returned `THROTTLED`. */
  throttledSinceMs: number | undefined
}

/** Polls and cancels tasks. */
export class Waits implements TaskTools {
  readonly tasks: OperationKind<Task, SucceededTask>
  readonly scheduler: PollScheduler
  readonly clock: Clock
  readonly #wire: Wire
  /** The key is the handle's `extra` object, which no two handles share. */
  readonly #handles = new WeakMap<OperationExtra, HandleFacts>()

  constructor(client: Client, wire: Wire, { polling, random }: MediaOptions) {
    this.#wire = wire
    this.clock = client.clock
    this.scheduler = new PollScheduler({
      clock: client.clock,
      ...(random && { random }),
      ...(polling?.connections !== undefined && { maxInFlight: polling.connections }),
    })
    const { waiter } = getTask
    if (waiter === undefined) throw new TypeError('The operation descriptor of `getTask` has no `waiter`.')
    const known: ReadonlySet<unknown> = new Set([...waiter.success, ...waiter.failure, ...waiter.pending])
    this.tasks = defineOperationKind<Task, SucceededTask>({
      kind: 'media.task',
      label: 'Task',
      operation: getTask.id,
      waiter,
      scheduler: this.scheduler,
      polling: { limit: TASK_LIMIT, ...polling?.task },
      poll: async (id, signal, extra) => {
        const facts = this.#factsOf(extra)
        try {
          const response = await wire.exchange(getTask, { path: { id } }, { ...ONE_ATTEMPT, signal })
          const { status } = response.data
          noteThrottling(facts, status, client.clock.monotonic())
          if (facts.isCanceled && !known.has(status)) throw new TaskCancelledError(id, status)
          return response
        } catch (error) {
          if (!NotFoundError.is(error) || isOfCaller(error) || !facts.isCanceled) throw error
          throw new TaskCancelledError(id, undefined, { cause: error })
        }
      },
      failure: ({ snapshot, operation }) => new TaskFailedError(snapshot, { operation }),
      result: (task) => toSucceeded(task, client),
      observe: (event) => client.emit(event),
    })
  }

  throttledMs({ extra }: OperationHandle<Task, SucceededTask>): number {
    return this.#factsOf(extra).throttledMs
  }

  #factsOf(extra: OperationExtra | undefined): HandleFacts {
    const handle = extra as OperationExtra
    let facts = this.#handles.get(handle)
    if (facts === undefined) {
      facts = { isCanceled: false, throttledMs: 0, throttledSinceMs: undefined }
      this.#handles.set(handle, facts)
    }
    return facts
  }

  async cancel(task: OperationHandle<Task, SucceededTask>, options: CallOptions | undefined): Promise<void> {
    const { id } = task
    const facts = this.#factsOf(task.extra)
    // Set before the request is sent, because a poll may find the task canceled before the response arrives.
    facts.isCanceled = true
    try {
      await this.#wire.send(deleteTask, { path: { id } }, options)
    } catch (error) {
      if (ApiError.is(error)) facts.isCanceled = false
      throw error
    }
    task.wake()
  }

  close(): void {
    this.scheduler.close()
  }
}

/** Measures how long a task was throttled. Each polled status is assumed to last until the next poll. */
function noteThrottling(facts: HandleFacts, status: unknown, nowMs: number): void {
  facts.throttledMs += nowMs - (facts.throttledSinceMs ?? nowMs)
  facts.throttledSinceMs = status === 'THROTTLED' ? nowMs : undefined
}
