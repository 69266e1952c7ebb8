import { bounded, isPromise } from '../core/async.ts'
import { noteAbort, noteCallerError } from '../retry/caller-errors.ts'
import { release } from './attempt.ts'
import { type Addressed, readCredentials, withCredentials } from './credential.ts'
import type { CallInput, CallOptions } from './call-options.ts'
import { Call, deadlineOver, isReady, loadedFailures, makeReady, type ResponseMode } from './call.ts'
import { checkOpen } from './client-state.ts'
import { compose, type Composed } from './compose.ts'
import { decode, withoutContentCoding, isEncoded } from './decode.ts'
import { traceAttempt } from './observe.ts'
import { responsePlan, type Plan } from './prepare.ts'
import type { TransportResponse } from './transport.ts'

/**
 * Performs one call, from input to data. A call has these layers, from the outside in: deadline, retry, budget,
 * trace, auth, redact, transport. They aren't nested functions, because creating functions for each call would cost
 * too much.
 */
export function perform(
  plan: Plan,
  input: CallInput | undefined,
  options: CallOptions | undefined,
  responseMode: ResponseMode,
): Promise<unknown> {
  const call = new Call(plan, input, options, responseMode)
  for (const { aborted, reason } of call.callerSignals) {
    if (!aborted) continue
    noteCallerError(reason, 'not-sent')
    throw reason
  }
  const composing = compose(plan, input, options)
  if (isPromise(composing) || !isReady(plan.core)) return performLater(call, composing)
  call.composed = composing
  return run(call)
}

/**
 * Performs a call that has to wait before its first attempt. Either its input is validated or encoded asynchronously,
 * or the code that sends requests and evaluates failures isn't loaded yet.
 */
async function performLater(call: Call, composing: Composed | Promise<Composed>): Promise<unknown> {
  const { core, operation } = call
  const { clock } = core
  call.composed = await bounded(
    async () => {
      const composed = await composing
      await makeReady(core, operation.id)
      return composed
    },
    {
      signals: call.callerSignals,
      limit: {
        clock,
        ms: call.settings.deadlineMs ?? Infinity,
        error: () => deadlineOver(operation.id, call, clock),
      },
    },
  ).catch((error: unknown) => {
    noteAbort(call.callerSignals, error, 'not-sent')
    throw error
  })
  call.attemptBeganMs = clock.monotonic()
  return run(call)
}

async function run(call: Call): Promise<unknown> {
  call.core.budget.deposit()
  try {
    return await sendOnce(call)
  } catch (error) {
    return loadedFailures().retryCall(call, error, sendOnce)
  }
}

/**
 * Makes one attempt: sends the request, and reads and evaluates its response. If the client renews a credential after
 * a 401, makes another attempt.
 *
 * @throws the error of the last attempt.
 */
async function sendOnce(call: Call): Promise<unknown> {
  const { core, plan, responseMode } = call
  const { composed } = call
  const body = composed.body.content
  const isStreamed = typeof responseMode === 'function'
  if (core.rateLimit !== undefined) await loadedFailures().waitForRate(call, core.rateLimit)
  const attempt = call.begin()
  let response: TransportResponse
  let isTakenOver = false
  try {
    let addressed: Addressed = composed
    if (plan.known === undefined) {
      const reading = readCredentials(plan.credentials, attempt)
      call.secrets = isPromise(reading) ? await reading : reading
      addressed = withCredentials(composed, plan.credentials, call.secrets)
    }
    if (attempt.cancelled) throw attempt.reason
    checkOpen(core, plan.operation.id)
    response = await core.transport!.send({
      method: plan.operation.method,
      origin: plan.origin,
      path: addressed.path,
      headers: addressed.headers,
      body,
      responseBody: isStreamed ? 'stream' : 'buffer',
      maxResponseBytes: core.maxResponseBytes,
      control: attempt,
    })
    const isCoded = isEncoded(response)
    if (isCoded) response = await withoutContentCoding(response, attempt)
    if (isStreamed) {
      const taken = responseMode({ call, response })
      if (taken !== undefined) {
        isTakenOver = true
        traceAttempt(core, call, response, undefined)
        return taken
      }
    }
    if (isStreamed || isCoded)
      response = await loadedFailures().bufferResponse(response, core.maxResponseBytes)
  } catch (error) {
    throw loadedFailures().failureWithoutResponse(call, error)
  } finally {
    if (!isTakenOver) release(core, attempt)
    if (typeof body === 'object') body.release()
  }
  try {
    const { descriptor } = responsePlan(plan, response.status)
    const read = loadedFailures().judge(call, response, decode(response, descriptor))
    return isPromise(read) ? await read : read
  } catch (error) {
    if (!(await loadedFailures().isRenewed(call, error))) throw error
  }
  return sendOnce(call)
}
