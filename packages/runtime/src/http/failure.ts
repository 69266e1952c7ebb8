import {
  ConcordError,
  ConnectionError,
  type ConnectionPhase,
  DeadlineError,
  type Sent,
  TimeoutError,
} from '../core/errors.ts'
import { safeCause, type Scrub } from '../core/redact.ts'
import { type Attempt, EXPIRED } from './attempt.ts'

/** When an attempt and its call began, and how long they may take. */
export interface TimeFrame {
  readonly timeoutMs: number
  readonly deadlineMs: number | undefined
  readonly callBeganMs: number
  readonly attemptBeganMs: number
}

/** A failure that is not the library's to judge: an abort by the caller, an error of the caller's own function. */
export class CallersOwn {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

/** Says what it means that an attempt brought no answer. */
export function toFailure(
  error: unknown,
  attempt: Attempt,
  operation: string,
  frame: TimeFrame,
  nowMs: number,
  scrub: () => Scrub,
): unknown {
  if (error instanceof CallersOwn) return error
  if (attempt.cancelled) {
    return attempt.reason === EXPIRED
      ? timeIsUp(attempt, operation, frame, nowMs)
      : new CallersOwn(attempt.reason)
  }
  if (ConnectionError.is(error) && error.operation === undefined) {
    // A transport knows no operation, and its stack ends in the network: made anew here, both lead to the caller.
    const { phase, sent } = error
    const cause = error.cause === undefined ? undefined : safeCause(error.cause, scrub())
    return new ConnectionError(`${operation}: ${error.message}`, { phase, sent }, { operation, cause })
  }
  if (ConcordError.is(error)) {
    if (error.cause !== undefined)
      error.cause = safeCause(error.cause, scrub(), ConcordError.is.bind(ConcordError))
    return error
  }
  const phase: ConnectionPhase =
    attempt.sent === 'no' ? 'connect' : attempt.sent === 'maybe' ? 'send' : 'receive'
  return new ConnectionError(
    `${operation}: the transport failed before an answer was complete.`,
    { phase, sent: attempt.sent },
    { operation, cause: safeCause(error, scrub()) },
  )
}

function timeIsUp(attempt: Attempt, operation: string, frame: TimeFrame, nowMs: number): unknown {
  const { deadlineMs } = frame
  const deadlineAtMs = deadlineMs === undefined ? Infinity : frame.callBeganMs + deadlineMs
  const { sinceMs, limitMs } = attempt.silence ?? {
    sinceMs: frame.attemptBeganMs,
    limitMs: frame.timeoutMs,
  }
  if (deadlineAtMs <= sinceMs + limitMs) return deadlineOver(operation, frame, nowMs, attempt.sent)
  const elapsedMs = nowMs - frame.attemptBeganMs
  const what =
    attempt.silence === undefined
      ? `no complete answer within ${limitMs} ms (\`timeoutMs\` covers connect, headers and body)`
      : `nothing more of the body was taken and no complete answer came for ${limitMs} ms (while a body is streamed, ` +
        '`timeoutMs` limits each silence; `deadline` limits the whole)'
  return new TimeoutError(`${operation}: ${what}.`, { limitMs, elapsedMs, sent: attempt.sent }, { operation })
}

/** The error for a call whose deadline is over. */
export function deadlineOver(
  operation: string,
  frame: TimeFrame,
  nowMs: number,
  sent: Sent = 'no',
): DeadlineError {
  const limitMs = frame.deadlineMs ?? 0
  return new DeadlineError(
    `${operation}: not done within the deadline of ${limitMs} ms for all attempts together.`,
    { limitMs, elapsedMs: nowMs - frame.callBeganMs, sent },
    { operation },
  )
}
