import { bounded, isPromise, throwIfAborted } from '../core/async.ts'
import { ApiError } from '../core/errors.ts'
import { retry } from '../retry/retry.ts'
import { type Attempt, release } from './attempt.ts'
import { isRenewed, readCredential, withCredential } from './authorize.ts'
import { bufferResponse } from './buffered-response.ts'
import type { CallInput, CallOptions } from './call-options.ts'
import { Call } from './call.ts'
import { checkOpen } from './client-internals.ts'
import { decodeAnswer, isEncoded } from './coded-answer.ts'
import { compose, type Composed } from './compose.ts'
import type { ClientCore } from './core.ts'
import { deadlineOver } from './failure.ts'
import type { Plan } from './prepare.ts'
import { readAnswer } from './read-answer.ts'
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
 * What a call returns: its data, or the whole exchange. A function gets the answer with its body still to come, and
 * returns what the call returns; if it returns `undefined`, the answer is read and judged as usual. A function that
 * takes a body on has to release the attempt.
 */
export type Wanted = 'data' | 'exchange' | ((opened: Opened) => unknown)

/**
 * One call, from input to data. The layers of the onion, from the outside in, in their one order:
 * deadline, retry, budget, trace, auth, redact, transport.
 *
 * They are written one after the other rather than as nested functions: a function for each layer and call would
 * cost more than all of their work.
 */
export function perform(
  { core, plan }: { readonly core: ClientCore; readonly plan: Plan },
  input: CallInput | undefined,
  options: CallOptions | undefined,
  wanted: Wanted,
): Promise<unknown> {
  const call = new Call({ core, plan }, input, options, { wanted, send: sendOnce })
  throwIfAborted(call.callerSignals)
  const composing = compose(plan, input, options)
  if (isPromise(composing)) return performLater(call, composing)
  call.composed = composing
  core.budget.deposit()
  return retry(call)
}

/** The same, for an input that takes time to check or to write. */
async function performLater(call: Call, composing: Promise<Composed>): Promise<unknown> {
  const { clock } = call.core
  call.composed = await bounded(composing, {
    signals: call.callerSignals,
    limit: {
      clock,
      ms: call.settings.deadlineMs ?? Infinity,
      error: () => deadlineOver(call.operation.id, call, clock.monotonic()),
    },
  })
  call.attemptBeganMs = clock.monotonic()
  call.core.budget.deposit()
  return retry(call)
}

/** One attempt: sends the request, and reads and judges its answer. @throws what the attempt failed with. */
async function sendOnce(call: Call): Promise<unknown> {
  const { core, plan, wanted } = call
  const composed = call.composed as Composed
  const body = composed.body.content
  const attempt = call.begin()
  let response: TransportResponse | undefined
  let failure: unknown
  let handedOn = false
  try {
    // Auth.
    let { headers } = composed
    if (plan.credential !== undefined) {
      const reading = readCredential(plan.credential, attempt)
      call.credential = typeof reading === 'string' ? reading : await reading
      if (typeof plan.credential.value !== 'string')
        headers = withCredential(headers, plan.credential, call.credential)
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
      const { sends: attempts, timeoutMs } = call
      const taken = wanted({ core, plan, response: answered, attempt, attempts, timeoutMs })
      if (taken !== undefined) {
        handedOn = true
        if (core.observe !== undefined) traceAttempt(core, call, answered, undefined)
        return taken
      }
      answered = await bufferResponse(answered, core.maxResponseBytes)
    }
    response = answered
  } catch (error) {
    failure = call.toFailure(error)
    if (core.observe !== undefined) traceAttempt(core, call, undefined, failure)
  } finally {
    if (!handedOn) release(core, attempt)
    if (typeof body === 'object') body.release()
  }
  try {
    if (response === undefined) throw failure
    const read = readAnswer(call, response)
    return isPromise(read) ? await read : read
  } catch (error) {
    call.note(error)
    // A refused credential is renewed once; the 401 proves that the call itself was not done.
    const isRefused = ApiError.is(error) && error.status === 401 && !call.renewed && call.isReplayable
    if (!isRefused) throw error
    call.renewed = true
    if (!(await isRenewed(call))) throw error
  }
  throwIfAborted(call.signals)
  return sendOnce(call)
}
