import { bounded, throwIfAborted } from '../core/async.ts'
import { safeCause } from '../core/api-errors.ts'
import {
  ApiError,
  ConcordError,
  ConnectionError,
  type ConnectionPhase,
  SubmissionUncertainError,
  TimeoutError,
  UnexpectedContentError,
} from '../core/errors.ts'
import type { Scrub } from '../core/redact.ts'
import type { RateLimit } from '../limit/limits.ts'
import { noteAbort, noteCallerError } from '../retry/caller-errors.ts'
import { outcomeOf } from '../retry/outcome.ts'
import { mayRetry, repeat, type Retried, retryEvent } from '../retry/retry.ts'
import { type Attempt, CallerError, EXPIRED } from './attempt.ts'
import { type Call, deadlineOver, type ReadBody, type TimeFrame } from './call.ts'
import { coreRetry } from './client-retry.ts'
import { emit } from './client-state.ts'
import { isReplayable } from './compose.ts'
import { credentialLimit, renewCredentials } from './credential.ts'
import { emptyBody, uncertain } from './judge.ts'
import { traceAttempt } from './observe.ts'
import { credentialScrub, scrubFor } from './secrets.ts'
import type { TransportResponse } from './transport.ts'

// The client loads this module, including these exports, before it sends the first request.
export { bufferResponse } from './buffered-response.ts'
export { credentialScrub } from './secrets.ts'
export { warnOfDrift } from './drift.ts'
export { judge } from './judge.ts'

/** Waits until the next attempt may be sent. @throws DeadlineError, or the error that the rate limit throws. */
export async function waitForRate(call: Call, limit: RateLimit): Promise<void> {
  const { core, operation } = call
  const { clock } = core
  const acquire = async (signal: AbortSignal): Promise<void> => {
    try {
      await limit.acquire({ signal })
    } catch (error) {
      // A failure of the rate limit's database isn't an error in the caller's own code.
      if (!ConcordError.is(error) || error.code !== 'database') {
        call.isCallerError = true
        noteCallerError(error, 'not-sent')
      }
      throw error
    }
  }
  await bounded(acquire, {
    signals: signalsOf(call),
    limit: {
      clock,
      ms: call.endsAtMs - clock.monotonic(),
      error: () => deadlineOver(operation.id, call, clock),
    },
  })
  call.attemptBeganMs = clock.monotonic()
}

export function failureWithoutResponse(call: Call, error: unknown): unknown {
  const { core, composed } = call
  const body = composed.body.content
  const own = typeof body === 'object' ? body.failure : undefined
  const failure = toFailure(own ?? error, {
    attempt: call.attempt,
    operation: call.operation.id,
    frame: call,
    core,
    scrub: () => scrubFor(call),
  })
  call.isCallerError = failure instanceof CallerError
  const thrown = unwrapped(failure, call.attempt)
  traceAttempt(core, call, undefined, thrown)
  countIfUncertain(call, thrown)
  return thrown
}

/**
 * Returns the error to throw. An error from the caller's own code is marked, so that later code, such as a poll loop,
 * doesn't mistake it for a failure of the request.
 */
function unwrapped(failure: unknown, { sent }: Attempt): unknown {
  if (!(failure instanceof CallerError)) return failure
  noteCallerError(failure.error, sent === 'no' ? 'not-sent' : 'uncertain')
  return failure.error
}

function countIfUncertain(call: Call, failure: unknown): void {
  if (call.operation.retry.class === 'safe' || call.isCallerError) return
  if (outcomeOf(failure, call.attempt.status) === 'uncertain') call.mayExist++
}

/**
 * After a 401, refreshes the credential, at most once per call. Returns whether the call may be sent again. A second
 * request is safe, because the 401 proves that the call had no effect. Throws if a credential source throws, if a
 * time limit passes, or if the call is aborted.
 */
export async function isRenewed(call: Call, error: unknown): Promise<boolean> {
  countIfUncertain(call, error)
  const { core, plan, secrets, operation } = call
  if (!ApiError.is(error) || error.status !== 401 || call.renewed || !isReplayable(call.composed.body))
    return false
  call.renewed = true
  // If the retry class is `never`, the input may contain a single-use secret, so the request isn't sent again.
  if (operation.retry.class === 'never') return false
  const { clock } = core
  const leftMs = call.endsAtMs - clock.monotonic()
  const limit =
    leftMs > call.timeoutMs
      ? credentialLimit(clock, operation.id, call.timeoutMs)
      : { clock, ms: leftMs, error: () => deadlineOver(operation.id, call, clock) }
  try {
    if (!(await renewCredentials(plan.credentials, secrets, { signals: call.callerSignals, limit })))
      return false
  } catch (failure) {
    call.isCallerError = true
    throw failure
  }
  throwIfAborted(signalsOf(call))
  return true
}

export async function retryCall(
  call: Call,
  error: unknown,
  send: (call: Call) => Promise<unknown>,
): Promise<unknown> {
  const { core, operation, settings } = call
  const job: Retried<unknown> = {
    ...coreRetry(core, operation.id),
    maxAttempts: settings.maxAttempts,
    endsAtMs: call.endsAtMs,
    signals: signalsOf(call),
    attempt: () => send(call),
    again: (failure) =>
      !call.isCallerError && isReplayable(call.composed.body) && mayRetry(operation.retry, failure),
    onRetry: (retry) => emit(core, retryEvent(operation.id, call.sends, retry)),
  }
  try {
    return await repeat(job, error)
  } catch (failure) {
    throw lastError(call, failure)
  }
}

function signalsOf({ callerSignals, core: { closing } }: Call): readonly AbortSignal[] {
  return [...callerSignals, closing.signal]
}

/**
 * Returns the error to throw after the last attempt. If any attempt may have been accepted, that matters more to the
 * caller than the last failure.
 */
function lastError(call: Call, error: unknown): unknown {
  if (noteAbort(call.callerSignals, error, call.mayExist > 0 ? 'uncertain' : 'not-sent')) return error
  if (call.mayExist === 0) return error
  if (call.isCallerError) return uncertain(call, error, undefined)
  if (!ConcordError.is(error)) return error
  if (SubmissionUncertainError.is(error) || outcomeOf(error) === 'accepted') return error
  return uncertain(call, error, UnexpectedContentError.is(error) ? error.text : undefined)
}

export function bodyFailure(
  error: unknown,
  { core, attempt, operation, timeoutMs, beganMs }: ReadBody,
): unknown {
  const frame = { timeoutMs, deadlineMs: undefined, callBeganMs: beganMs, attemptBeganMs: beganMs }
  const failure = toFailure(error, { attempt, operation, frame, core, scrub: () => credentialScrub(core) })
  return unwrapped(failure, attempt)
}

export function emptyMedia(call: Call, response: TransportResponse): unknown {
  const failure = emptyBody(call, response)
  countIfUncertain(call, failure)
  return lastError(call, failure)
}

interface Failed {
  readonly attempt: Attempt
  readonly operation: string
  readonly frame: TimeFrame
  readonly core: Call['core']
  readonly scrub: () => Scrub
}

function toFailure(error: unknown, failed: Failed): unknown {
  const { attempt, operation, scrub } = failed
  if (error instanceof CallerError) return error
  if (attempt.cancelled)
    return attempt.reason === EXPIRED ? timeIsUp(failed) : new CallerError(attempt.reason)
  if (ConnectionError.is(error) && error.operation === undefined) {
    // A transport's error doesn't name the operation, and its stack shows only network code.
    const { phase, sent } = error
    const cause = safeCause(error.cause, scrub())
    return new ConnectionError(`${operation}: ${error.message}`, { phase, sent }, { operation, cause })
  }
  if (ConcordError.is(error) && !isForeign(error, failed)) {
    if (error.cause !== undefined)
      error.cause = safeCause(error.cause, scrub(), ConcordError.is.bind(ConcordError))
    return error
  }
  const phase: ConnectionPhase =
    attempt.sent === 'no' ? 'connect' : attempt.sent === 'maybe' ? 'send' : 'receive'
  return new ConnectionError(
    `${operation}: the transport failed before the response was complete.`,
    { phase, sent: attempt.sent },
    { operation, cause: safeCause(error, scrub()) },
  )
}

/**
 * Returns whether a transport passed on an error from another call, such as a call that fetched a token. That
 * error says nothing about this attempt.
 */
function isForeign(error: ConcordError, { operation, attempt }: Failed): boolean {
  if (ApiError.is(error) || SubmissionUncertainError.is(error)) return true
  if (error.operation !== undefined) return error.operation !== operation
  return attempt.sent !== 'no' && outcomeOf(error) === 'not-sent'
}

function timeIsUp({ attempt, operation, frame, core: { clock } }: Failed): unknown {
  const { deadlineMs } = frame
  const deadlineAtMs = frame.callBeganMs + (deadlineMs ?? Infinity)
  const { sinceMs, limitMs } = attempt.silence ?? {
    sinceMs: frame.attemptBeganMs,
    limitMs: frame.timeoutMs,
  }
  if (deadlineAtMs <= sinceMs + limitMs) return deadlineOver(operation, frame, clock, attempt.sent)
  const elapsedMs = clock.monotonic() - frame.attemptBeganMs
  const problem =
    attempt.silence === undefined
      ? `no complete response within ${limitMs} ms (\`timeoutMs\` covers connect, headers and body)`
      : `for ${limitMs} ms, the server accepted no more of the body and sent no complete response (for a ` +
        'streamed body, `timeoutMs` limits each period without progress; `deadline` limits the whole call)'
  return new TimeoutError(
    `${operation}: ${problem}.`,
    { limitMs, elapsedMs, sent: attempt.sent },
    { operation },
  )
}
