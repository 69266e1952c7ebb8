import { ContractDriftError, OperationFailedError } from '../core/errors.ts'
import { readPointer } from '../core/json.ts'
import { parseRetryAfter } from '../retry/retry-after.ts'
import { retryAfterOf } from '../retry/transient.ts'
import type { LoopSettings, OperationKindOptions, PollAnswer } from './poll-settings.ts'

/** Reads the status. @throws ContractDriftError when there is none: without it there is nothing to wait by. */
export function statusOf<Snapshot>(
  settings: LoopSettings<Snapshot, unknown>,
  id: string,
  snapshot: Snapshot,
): string {
  const status = readPointer(snapshot, settings.waiter.status)
  if (typeof status === 'string') return status
  throw new ContractDriftError(
    `${settings.label} ${id}: the answer to a poll has no status, so there is nothing to wait by.`,
    [{ path: settings.waiter.status, reason: 'is not a text' }],
    snapshot,
    { operation: settings.operation },
  )
}

/** What a wait gives back or throws in the end. */
export function outcomeOf<Snapshot, Result>(
  settings: LoopSettings<Snapshot, Result>,
  state: 'success' | 'failure',
  found: { readonly id: string; readonly status: string; readonly snapshot: Snapshot },
): Result | Snapshot | OperationFailedError {
  const { id, status, snapshot } = found
  const { label, operation } = settings
  if (state === 'success') return settings.result === undefined ? snapshot : settings.result(snapshot, id)
  if (settings.failure !== undefined) return settings.failure({ id, status, snapshot, operation })
  return new OperationFailedError(
    `${label} ${id} failed at the service (status '${status}').`,
    { id, reason: '', advice: 'none' },
    { operation },
  )
}

/** How long the service asks to wait before the next poll. */
export function retryAfterOfAnswer(answer: PollAnswer<unknown>, nowMs: number): number | undefined {
  if ('retryAfterMs' in answer) return retryAfterOf(answer)
  const value = answer.headers?.get('retry-after') ?? undefined
  return value === undefined
    ? undefined
    : parseRetryAfter(value, answer.headers?.get('date') ?? undefined, nowMs)
}

/** Tells the observer of a poll. */
export function reportPoll(
  settings: Pick<OperationKindOptions<never>, 'kind' | 'operation' | 'observe'>,
  poll: number,
  state: string | undefined,
  nextPollInMs: number | undefined,
): void {
  if (settings.observe === undefined) return
  try {
    settings.observe({
      type: 'poll',
      operation: settings.operation ?? settings.kind,
      poll,
      ...(state === undefined ? {} : { state }),
      ...(nextPollInMs === undefined ? {} : { nextPollInMs }),
    })
  } catch {
    // An observer is never part of the work.
  }
}
