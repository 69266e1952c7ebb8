import { ApiError, ConnectionError, DeadlineError, TimeoutError } from '../core/errors.ts'
import { backoffMs } from '../retry/backoff.ts'
import { asUncertain, mayRetry } from '../retry/decide.ts'
import { toErrorAnswer } from './answer.ts'
import { toApiError } from './api-error.ts'
import type { Attempt } from './attempt.ts'
import type { CallInput } from './call-options.ts'
import type { ClientCore } from './core.ts'
import { isUnreadable, unexpectedContent } from './decode.ts'
import { answerPlan, isSuccess, type Plan } from './prepare.ts'
import { scrubFor } from './secrets.ts'
import { headerValue, type TransportResponse } from './transport.ts'

/** The error for an answer that is not a readable success. */
export function toAnswerError(
  core: ClientCore,
  plan: Plan,
  input: CallInput | undefined,
  credential: string | undefined,
  response: TransportResponse,
  data: unknown,
  attempts: number,
): unknown {
  const { id, secrets } = plan.operation
  const scrub = scrubFor(plan, credential, input, data)
  if (isSuccess(response.status)) {
    const contentType = headerValue(response.headers, 'content-type')
    const problem = isUnreadable(data) ? data.problem : ''
    // Where the contract marks something as secret, a broken body cannot be searched for it: nothing is shown.
    const excerptScrub = secrets.length === 0 ? scrub : undefined
    const answer = toErrorAnswer(core, response, undefined, attempts)
    return unexpectedContent(id, answer, contentType, problem, excerptScrub)
  }
  const body = isUnreadable(data) ? response.text() : data
  const explanation = isUnreadable(data) ? undefined : core.explain?.(body, response.status)
  return toApiError(
    id,
    toErrorAnswer(core, response, body, attempts),
    answerPlan(plan, response.status),
    explanation === undefined ? undefined : scrub(explanation),
    core.refineError,
  )
}

/** How long to wait before the next attempt; `undefined` when there is to be none. */
export function nextDelayMs(
  core: ClientCore,
  plan: Plan,
  failure: unknown,
  attempts: number,
): number | undefined {
  if (!mayRetry(plan.operation.retry, failure)) return undefined
  const delayMs = backoffMs(attempts - 1, core.backoff, core.random)
  const askedMs = ApiError.is(failure) ? failure.retryAfterMs : undefined
  if (askedMs === undefined) return delayMs
  // What the service asks for is never shortened; what nobody would sit through is the caller's to plan.
  return askedMs > core.maxRetryAfterMs ? undefined : Math.max(askedMs, delayMs)
}

/** What the caller is told when there is to be no further attempt. */
export function finalError(
  core: ClientCore,
  plan: Plan,
  input: CallInput | undefined,
  failure: unknown,
  attempt: Attempt,
  attemptBeganMs: number,
): unknown {
  const lost = ConnectionError.is(failure) || TimeoutError.is(failure) || DeadlineError.is(failure)
  if (!lost) return failure
  const sent = DeadlineError.is(failure) ? attempt.sent : (failure as ConnectionError).sent
  const at = attempt.status === undefined ? { sent } : { sent, status: attempt.status }
  const submittedAtMs = core.clock.now() - (core.clock.monotonic() - attemptBeganMs)
  return asUncertain(plan.operation, failure, at, { body: input?.body, submittedAtMs })
}
