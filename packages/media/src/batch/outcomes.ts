import type { BatchRequest } from './journal.ts'
import type { OperationFailedError } from '@concord/runtime'

import { TaskCancelledError, TaskFailedError } from '../errors.ts'
import { meaningOf } from '../facts.ts'
import type { Regeneration } from '../regenerate.ts'
import type { SucceededTask } from '../results.ts'
import type { TaskHandle } from '../task.ts'
import type { BatchOutcome } from './options.ts'
import type { ItemState } from './state.ts'
import { reasonOf } from './submitter.ts'

/** The part of a request's outcome that only this process knows, because it isn't recorded. */
export interface Observed {
  readonly handle?: TaskHandle | undefined
  readonly task?: SucceededTask | undefined
  /** The failure that the service reported for this request's task. */
  readonly failure?: OperationFailedError | undefined
  /** Why the processing of the request stopped early, such as an error that a callback threw. */
  readonly error?: unknown
}

export function outcomeFor(
  index: number,
  request: BatchRequest,
  item: ItemState,
  { handle, task, failure, error }: Observed,
): BatchOutcome {
  const common = {
    index,
    operation: request?.operation,
    regenerations: regenerationsOf(item),
    possibleDuplicates: item.unknown + (item.taskId === undefined ? 0 : 1),
  }
  if (handle !== undefined) {
    if (item.phase === 'succeeded')
      return { ...common, outcome: 'succeeded', handle, files: item.files, ...(task && { task }) }
    if (item.phase === 'failed')
      return { ...common, outcome: 'failed', handle, error: failure ?? recordedFailure(handle.id, item) }
    if (item.phase === 'accepted') {
      // The failure isn't recorded, because a resumed batch may still regenerate the task.
      if (failure !== undefined) return { ...common, outcome: 'failed', handle, error: failure }
      return { ...common, outcome: 'unfinished', handle, error, resumeToken: handle.resumeToken() }
    }
  }
  return {
    ...common,
    outcome: outcomeWithoutTask(item),
    reason: error === undefined ? (item.reason ?? '') : reasonOf(error),
    ...(error !== undefined && { error }),
    ...(item.status !== undefined && { status: item.status }),
    ...(handle && { handle }),
  }
}

function outcomeWithoutTask({ unknown, status }: ItemState): 'uncertain' | 'denied' | 'not-sent' {
  if (unknown > 0) return 'uncertain'
  // If `unknown` is 0, a status means a denial, because other statuses, such as 502, increase `unknown`.
  return status !== undefined ? 'denied' : 'not-sent'
}

function recordedFailure(id: string, { failure = '', cancelled }: ItemState): OperationFailedError {
  if (cancelled) return new TaskCancelledError(id, failure === '' ? undefined : failure)
  return new TaskFailedError({ id, status: 'FAILED', failure })
}

function regenerationsOf({ replaced, price }: ItemState): readonly Regeneration[] {
  return replaced.map(({ id, failure }) => ({
    failedId: id,
    failure,
    category: meaningOf(failure).category,
    credits: price,
  }))
}
