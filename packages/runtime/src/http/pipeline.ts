import { ApiError, type ConnectionError } from '../core/errors.ts'
import { throwIfAborted, wait } from '../core/wait.ts'
import { isPromise } from '../core/is-promise.ts'
import { Answered } from './answer.ts'
import { isRenewed, readCredential, withCredential } from './authorize.ts'
import { isReplayable } from './body.ts'
import { bufferResponse } from './buffered-response.ts'
import { decodeAnswer, isEncoded } from './coded-answer.ts'
import type { CallInput, CallOptions } from './call-options.ts'
import { checkOpen } from './client-internals.ts'
import { compose, type Composed } from './compose.ts'
import type { ClientCore } from './core.ts'
import { decode, isUnreadable } from './decode.ts'
import { checkAnswer, emit } from './drift.ts'
import { CallersOwn, deadlineOver, type TimeFrame, toFailure } from './failure.ts'
import { Attempt, release } from './attempt.ts'
import { finalError, nextDelayMs, toAnswerError } from './outcome.ts'
import { inTime } from './in-time.ts'
import { answerPlan, isSuccess, type Plan } from './prepare.ts'
import { scrubFor } from './secrets.ts'
import { settingsOf } from './settings.ts'
import { traceAttempt } from './trace.ts'
import type { TransportResponse } from './transport.ts'

/** An answer whose body is still to come. */
export interface Opened {
  readonly core: ClientCore
  readonly plan: Plan
  readonly response: TransportResponse
  readonly attempt: Attempt
  readonly attempts: number
  readonly timeoutMs: number
}

/**
 * What a call is to give: its data, or the whole exchange. A function is given the answer with its body still to
 * come, and makes of it what the call gives; where it makes nothing of it, the answer is read and judged as usual.
 * Who takes a body on has to release the attempt.
 */
export type Wanted = 'data' | 'exchange' | ((opened: Opened) => unknown)

const NO_SIGNALS: readonly AbortSignal[] = []

/**
 * One call, from input to data. The layers of the onion, from the outside in, in their one order:
 * deadline, trace, retry, budget, auth, redact, transport.
 *
 * They are written one after the other rather than as nested functions: a function for each layer and call would
 * cost more than all of their work.
 *
 */
export async function perform(
  core: ClientCore,
  plan: Plan,
  input: CallInput | undefined,
  options: CallOptions | undefined,
  wanted: Wanted,
): Promise<unknown> {
  const { clock } = core
  const { timeoutMs, deadlineMs, maxAttempts, mode } = settingsOf(core, options)
  const signals = signalsOf(core, options)
  throwIfAborted(signals)

  // Deadline.
  const callBeganMs = clock.monotonic()
  let attemptBeganMs = callBeganMs
  const composing = compose(plan, input, options)
  let composed: Composed
  if (isPromise(composing)) {
    const time = { clock, leftMs: deadlineMs ?? Infinity, signals }
    composed = await inTime(composing, time, () =>
      deadlineOver(
        plan.operation.id,
        { timeoutMs, deadlineMs, callBeganMs, attemptBeganMs },
        clock.monotonic(),
      ),
    )
    attemptBeganMs = clock.monotonic()
  } else composed = composing
  const body = composed.body.content
  let refusedOnce = false
  core.budget.deposit()

  for (let attempts = 1; ; attempts++) {
    throwIfAborted(signals)
    if (attempts > 1) attemptBeganMs = clock.monotonic()
    const leftMs = deadlineMs === undefined ? Infinity : callBeganMs + deadlineMs - attemptBeganMs
    const frame: TimeFrame = { timeoutMs, deadlineMs, callBeganMs, attemptBeganMs }
    if (leftMs <= 0) throw deadlineOver(plan.operation.id, frame, attemptBeganMs)

    const attempt = new Attempt()
    if (signals.length > 0) attempt.follow(signals)
    core.limits.add(attempt, Math.min(timeoutMs, leftMs), attemptBeganMs)
    let credential: string | undefined
    let response: TransportResponse | undefined
    let failure: unknown
    let handedOn = false
    try {
      // Auth.
      let { headers } = composed
      if (plan.credential !== undefined) {
        const reading = readCredential(plan.credential, attempt)
        credential = typeof reading === 'string' ? reading : await reading
        if (typeof plan.credential.value !== 'string')
          headers = withCredential(headers, plan.credential, credential)
      }
      // Transport.
      const transport = core.transport ?? (await core.loadTransport())
      if (attempt.cancelled) throw attempt.reason
      checkOpen(core, plan.operation.id)
      let answered = await transport.send({
        method: plan.operation.method,
        origin: plan.origin,
        path: composed.path,
        headers,
        body,
        answer: typeof wanted === 'function' ? 'stream' : 'buffer',
        maxResponseBytes: core.maxResponseBytes,
        control: attempt,
      })
      const isStreamed = typeof wanted === 'function'
      if (isEncoded(answered))
        answered = await decodeAnswer(answered, attempt, isStreamed ? undefined : core.maxResponseBytes)
      if (isStreamed) {
        const taken = wanted({ core, plan, response: answered, attempt, attempts, timeoutMs })
        if (taken !== undefined) {
          handedOn = true
          core.limits.remove(attempt)
          if (core.observe !== undefined)
            traceAttempt(core, plan.operation, attempts, attemptBeganMs, answered, undefined)
          return taken
        }
        answered = await bufferResponse(answered, core.maxResponseBytes)
      }
      response = answered
    } catch (error) {
      // Redact.
      const scrub = () => scrubFor(plan, credential, input)
      const own = typeof body === 'object' ? body.failure : undefined
      failure = toFailure(own ?? error, attempt, plan.operation.id, frame, clock.monotonic(), scrub)
    } finally {
      if (!handedOn) release(core, attempt)
      if (typeof body === 'object') body.release()
    }

    if (response !== undefined) {
      const answer = answerPlan(plan, response.status)
      const data = decode(response, answer.descriptor)
      if (isSuccess(response.status) && !isUnreadable(data)) {
        if (core.observe !== undefined)
          traceAttempt(core, plan.operation, attempts, attemptBeganMs, response, undefined)
        if (mode !== 'off') {
          const checking = checkAnswer(core, plan, answer, response.status, data, mode, frame, signals)
          if (checking !== undefined) await checking
        }
        return wanted === 'data' ? data : new Answered(core, response, data, attempts)
      }
      if (mode !== 'off' && !isUnreadable(data) && !isSuccess(response.status)) {
        // An error stays the error that its status makes it, whatever its body looks like; drift is told of.
        const checking = checkAnswer(core, plan, answer, response.status, data, 'report', frame, signals)
        if (checking !== undefined) await checking
      }
      failure = toAnswerError(core, plan, input, credential, response, data, attempts)
    }
    if (core.observe !== undefined)
      traceAttempt(core, plan.operation, attempts, attemptBeganMs, response, failure)
    if (failure instanceof CallersOwn) throw failure.error

    // A refused credential is renewed once; the 401 proves that the call itself was not done.
    if (ApiError.is(failure) && failure.status === 401 && !refusedOnce && isReplayable(composed.body)) {
      refusedOnce = true
      if (await isRenewed(core, plan, credential, signals, frame)) continue
    }

    // Retry.
    const again = attempts < maxAttempts && isReplayable(composed.body)
    const delayMs = again ? nextDelayMs(core, plan, failure, attempts) : undefined
    const remainingMs = deadlineMs === undefined ? Infinity : callBeganMs + deadlineMs - clock.monotonic()
    // Budget.
    if (delayMs === undefined || delayMs >= remainingMs || !core.budget.withdraw()) {
      throw finalError(core, plan, input, failure, attempt, attemptBeganMs)
    }
    const cause = ApiError.is(failure) ? failure.status : (failure as ConnectionError).code
    emit(core, { type: 'retry', operation: plan.operation.id, attempt: attempts, delayMs, cause })
    await wait(clock, delayMs, [...signals, core.closing.signal])
  }
}

function signalsOf(core: ClientCore, options: CallOptions | undefined): readonly AbortSignal[] {
  const own = options?.signal
  if (core.signal === undefined) return own === undefined ? NO_SIGNALS : [own]
  return own === undefined ? [core.signal] : [core.signal, own]
}
