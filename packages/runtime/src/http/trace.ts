import { ConcordError } from '../core/errors.ts'
import { readRequestId } from './answer.ts'
import type { ClientCore } from './core.ts'
import { emit } from './drift.ts'
import type { TransportResponse } from './transport.ts'

/** What an event says about the request. */
export interface Traced {
  readonly operation: {
    readonly id: string
    readonly method: string
    /** The path template. */
    readonly path: string
  }
  /** Which attempt it is; 1 for the first. */
  readonly sends: number
  readonly attemptBeganMs: number
}

/** Tells the observer how an attempt went. Call it only if there is one. */
export function traceAttempt(
  core: ClientCore,
  { operation: { id: operation, method, path }, sends: attempt, attemptBeganMs }: Traced,
  response: TransportResponse | undefined,
  failure: unknown,
): void {
  const requestId = response === undefined ? undefined : readRequestId(core, response)
  emit(core, {
    type: 'request',
    operation,
    method,
    path,
    attempt,
    durationMs: core.clock.monotonic() - attemptBeganMs,
    ...(response === undefined ? undefined : { status: response.status }),
    ...(failure === undefined ? undefined : { failure: ConcordError.is(failure) ? failure.code : 'aborted' }),
    ...(requestId === undefined ? undefined : { requestId }),
  })
}
