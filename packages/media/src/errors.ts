import { ContractDriftError, OperationFailedError, RequestInvalidError } from '@concord/runtime'
import type { ConcordErrorOptions } from '@concord/runtime/internal'
import type { RealtimeSession, Task } from '@concord/media-validators'

import { meaningOf, type FailureCategory } from './facts.ts'

const TO_DO: Readonly<Record<FailureCategory, string>> = {
  'input-moderation':
    'Moderation rejected the input. Do not submit the request again; the cost of the task is not refunded.',
  'output-moderation': 'Moderation rejected the output. Submit the request with a different prompt.',
  'bad-output': 'The quality of the output was not good enough. Submitting the request again can help.',
  'invalid-asset': 'The format of an input is not supported. Fix the input.',
  'server-error': 'The server failed. Submitting the request again can help.',
  unknown: 'The documentation does not list this reason, so no advice is known.',
}

/**
 * The service reports that a task failed. `reason` is the service's own string: a code or a sentence. `category`, `advice`
 * and `refundable` are what the documentation says about the code.
 *
 * @see `specs/media/openapi.yaml#/components/schemas/Task`
 * @public
 */
export class TaskFailedError extends OperationFailedError {
  static override readonly errorName = 'media.TaskFailedError'

  readonly category: FailureCategory
  /** `false` if the documentation says that the cost is not refunded; `undefined` if it doesn't say. */
  readonly refundable: false | undefined
  readonly #task: Task

  constructor(task: Task, options: ConcordErrorOptions = {}) {
    const reason = typeof task.failure === 'string' ? task.failure : ''
    const { category, advice, refundable } = meaningOf(reason)
    const says =
      reason === ''
        ? 'The service returned no reason, so no advice is known.'
        : `The service says: ${reason}${/[.!?]$/.test(reason) ? '' : '.'} ${TO_DO[category]}`
    super(`The task ${task.id} failed. ${says}`, { id: task.id, reason, advice }, options)
    this.category = category
    this.refundable = refundable
    this.#task = task
  }

  /** The task as the service reported it. Logs of this error don't include it. */
  get task(): Task {
    return this.#task
  }
}

/**
 * The awaited task was canceled by the `cancel()` of its handle. The documentation doesn't name the status of a
 * canceled task. So after `cancel()`, the client treats the task as canceled if the service reports an undocumented
 * status or responds with 404.
 *
 * @public
 */
export class TaskCancelledError extends OperationFailedError {
  static override readonly errorName = 'media.TaskCancelledError'

  /** The status that the service reports; absent if the service no longer knows the task. */
  declare readonly status?: string

  constructor(id: string, status: string | undefined, options: ConcordErrorOptions = {}) {
    const seen = status === undefined ? 'the service no longer knows it' : `its status is '${status}'`
    super(`You canceled the task ${id}, and ${seen}.`, { id, reason: status ?? '', advice: 'none' }, options)
    if (status !== undefined) this.status = status
  }
}

/** A real-time session ended before it reached the awaited state; `status` says how it ended. @public */
export class SessionEndedError extends OperationFailedError {
  static override readonly errorName = 'media.SessionEndedError'

  readonly status: string
  readonly #session: RealtimeSession

  constructor(id: string, status: string, session: RealtimeSession, options: ConcordErrorOptions = {}) {
    super(
      status === 'COMPLETED'
        ? `The session ${id} is COMPLETED, so it can no longer be joined. Create a new session. To wait until a session ends, pass { until: 'completed' }.`
        : `The session ${id} is ${status}, so it will never be READY or COMPLETED. Create a new session.`,
      // The documentation has no advice for this case.
      { id, reason: status, advice: 'none' },
      options,
    )
    this.status = status
    this.#session = session
  }

  /** The session as the service reported it. */
  get session(): RealtimeSession {
    return this.#session
  }
}

/** Returns the record that the service created. @throws ContractDriftError if the response has no body. */
export function recordOf<Record>(operation: string, record: Record | undefined): Record {
  if (record !== undefined) return record
  throw new ContractDriftError(
    `${operation}: the service accepted the request but returned no body, so the new id is unknown. Don't repeat ` +
      "the call, because that would create a duplicate. Ask the service's provider for the id.",
    [{ path: '', reason: 'is missing' }],
    undefined,
    { operation },
  )
}

export function invalidRequest(operation: string, path: string, reason: string): RequestInvalidError {
  const subject = path === '' ? 'the request' : path
  return new RequestInvalidError(
    `${operation}: ${subject} ${reason}. The request was not sent.`,
    [{ path, reason }],
    { operation },
  )
}
