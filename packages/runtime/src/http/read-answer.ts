import { isPromise } from '../core/async.ts'
import { ContractDriftError, type Issue } from '../core/errors.ts'
import { acceptedId } from '../retry/outcome.ts'
import { Answered, toErrorAnswer } from './answer.ts'
import { toApiError } from './api-error.ts'
import type { Call } from './call.ts'
import { decode, isUnreadable, parseLoosely, unexpectedContent, type Unreadable } from './decode.ts'
import { checkAnswer } from './drift.ts'
import { answerPlan, isSuccess } from './prepare.ts'
import { scrubFor } from './secrets.ts'
import { traceAttempt } from './trace.ts'
import { headerValue, type TransportResponse } from './transport.ts'

/**
 * Reads and judges an answer. What it returns is a promise only if there are reasons to load, or a schema takes time.
 *
 * @throws the error that the answer means.
 */
export function readAnswer(call: Call, response: TransportResponse): unknown {
  const { plan } = call
  const { status } = response
  const answer = answerPlan(plan, status)
  const data = decode(response, answer.descriptor)
  if (!isSuccess(status)) return readError(call, response, data)
  if (isUnreadable(data)) return readUnreadable(call, response, data)
  return accept(call, response, data)
}

/** A success whose body was decoded. */
function accept(call: Call, response: TransportResponse, data: unknown, found?: Issue): unknown {
  const { core, plan, settings } = call
  const { operation } = plan
  const mustHaveId = operation.outcome?.id !== undefined && operation.retry.class !== 'safe'
  const id = mustHaveId ? acceptedId(operation, data) : undefined
  if (mustHaveId && id === undefined) throw withoutId(call, response, data)
  if (core.observe !== undefined) traceAttempt(core, call, response, undefined)
  if (settings.mode !== 'off') {
    const checking = checkAnswer(call, { response, data, mode: settings.mode, id, found })
    if (checking !== undefined) return checking.then(() => result(call, response, data))
  }
  return result(call, response, data)
}

function result(
  { core, wanted, sends, mayExist }: Call,
  response: TransportResponse,
  data: unknown,
): unknown {
  return wanted === 'data' ? data : new Answered(core, { response, data, attempts: sends, mayExist })
}

/** The status says yes, but the body can't be read as the contract says. */
function readUnreadable(call: Call, response: TransportResponse, { problem }: Unreadable): unknown {
  const { core, plan, credential, input, sends } = call
  const { operation } = plan
  const isJson = answerPlan(plan, response.status).descriptor.kind === 'json'
  const loose = isJson && operation.outcome?.id !== undefined ? parseLoosely(response) : undefined
  // What was accepted is not lost because of a media type.
  if (acceptedId(operation, loose) !== undefined) {
    return accept(call, response, loose, { path: '', reason: problem })
  }
  // If the contract marks something as secret, a broken body can't be searched for it, so nothing is shown.
  const scrub = operation.secrets.length === 0 ? scrubFor(plan, credential, input) : undefined
  const contentType = headerValue(response.headers, 'content-type')
  const failure = unexpectedContent(
    operation.id,
    toErrorAnswer(core, response, undefined, sends),
    contentType,
    problem,
    scrub,
  )
  if (core.observe !== undefined) traceAttempt(core, call, response, failure)
  throw failure
}

/** An error status. Its error stays what the status makes it, whatever the body looks like; drift is reported. */
function readError(call: Call, response: TransportResponse, data: unknown): unknown {
  const { core, plan, settings, mayExist } = call
  // Whatever an earlier attempt did, what was to be deleted is gone.
  if (response.status === 404 && plan.operation.method === 'DELETE' && mayExist > 0) {
    if (core.observe !== undefined) traceAttempt(core, call, response, undefined)
    return result(call, response, undefined)
  }
  if (settings.mode !== 'off' && !isUnreadable(data)) {
    const checking = checkAnswer(call, { response, data, mode: 'report' })
    if (isPromise(checking)) return checking.then(() => fail(call, response, data))
  }
  return fail(call, response, data)
}

function fail(call: Call, response: TransportResponse, data: unknown): never {
  const { core, plan, credential, input, sends } = call
  const body = isUnreadable(data) ? response.text() : data
  const failure = toApiError(toErrorAnswer(core, response, body, sends), {
    operation: plan.operation.id,
    plan: answerPlan(plan, response.status),
    origin: plan.origin,
    explain: core.explain,
    refine: core.refineError,
    scrub: scrubFor(plan, credential, input, data),
    isQuotable: !isUnreadable(data) || plan.operation.secrets.length === 0,
  })
  if (core.observe !== undefined) traceAttempt(core, call, response, failure)
  throw failure
}

/** A success that doesn't say what was accepted can't be followed, in any validation mode. */
function withoutId(call: Call, response: TransportResponse, data: unknown): unknown {
  const { core, plan } = call
  const { id, outcome } = plan.operation
  const cause = new ContractDriftError(
    `${id}: the service returned ${response.status}, but the answer has no id.`,
    [{ path: outcome?.id ?? '', reason: 'is missing, or is not a string' }],
    data,
    { operation: id },
  )
  call.mayExist++
  const failure = call.uncertain(cause, response.text())
  if (core.observe !== undefined) traceAttempt(core, call, response, failure)
  return failure
}
