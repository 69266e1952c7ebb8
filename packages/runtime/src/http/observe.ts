import { isPromise } from '../core/async.ts'
import { ConcordError, type Issue } from '../core/errors.ts'
import { readRequestId } from './response.ts'
import { type ClientCore, emit } from './client-state.ts'
import { loadFailures } from './call.ts'
import type { TransportResponse } from './transport.ts'

interface Traced {
  readonly operation: {
    readonly id: string
    readonly method: string
    readonly path: string
  }
  /** The number of the attempt; 1 for the first. */
  readonly sends: number
  readonly attemptBeganMs: number
}

export function traceAttempt(
  core: ClientCore,
  traced: Traced,
  response: TransportResponse | undefined,
  failure: unknown,
): void {
  if (core.observe === undefined) return
  const { operation, sends: attempt, attemptBeganMs } = traced
  const requestId = response === undefined ? undefined : readRequestId(core, response)
  emit(core, {
    type: 'request',
    operation: operation.id,
    method: operation.method,
    path: operation.path,
    attempt,
    durationMs: core.clock.monotonic() - attemptBeganMs,
    ...(response === undefined ? undefined : { status: response.status }),
    ...(failure === undefined ? undefined : { failure: ConcordError.is(failure) ? failure.code : 'aborted' }),
    ...(requestId === undefined ? undefined : { requestId }),
  })
}

/** Reports drift. */
export function report(core: ClientCore, operation: string, status: number, issues: readonly Issue[]): void {
  emit(core, { type: 'drift', operation, status, issues })
  if (core.onDrift !== undefined) {
    try {
      core.onDrift({ operation, status, issues })
    } catch {
      // An error thrown by `onDrift` must not fail the call.
    }
    return
  }
  const judge = loadFailures(operation)
  if (isPromise(judge)) judge.then(({ warnOfDrift }) => warnOfDrift(operation, issues), ignore)
  else judge.warnOfDrift(operation, issues)
}

function ignore(): void {}
