import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  type ErrorAnswer,
  NotFoundError,
  PayloadTooLargeError,
  PermissionDeniedError,
  RateLimitedError,
  ServerError,
} from '../core/errors.ts'
import { classifyRate, type Rate } from '../retry/rate-meaning.ts'
import type { RefineError } from './core.ts'
import type { AnswerPlan } from './prepare.ts'

/** What a status says, and what can be done. */
const SAYS: { readonly [status: number]: string } = {
  400: 'it refused the request as it is; sending it again changes nothing',
  401: 'the credential is missing or was not accepted; check which one the client was given',
  403: 'the credential does not allow this',
  404: 'it does not know what was asked for; check the identifiers and the base address',
  413: 'the body is larger than it, or the plan, allows',
}

/** Makes the error for an answer with an error status. */
export function toApiError(
  operation: string,
  answer: ErrorAnswer,
  plan: AnswerPlan,
  explanation: string | undefined,
  refine: RefineError | undefined,
): ApiError {
  const { status } = answer
  const options = { operation }
  const rate = status === 429 ? classifyRate(plan.descriptor.rateMeanings, answer.body) : undefined
  const text = message(operation, answer, explanation, rate)
  const refined = refine?.(text, answer, operation)
  if (refined !== undefined) return refined
  if (rate !== undefined) return new RateLimitedError(text, answer, rate, options)
  if (status === 400) return new BadRequestError(text, answer, options)
  if (status === 401) return new AuthenticationError(text, answer, options)
  if (status === 403) return new PermissionDeniedError(text, answer, options)
  if (status === 404) return new NotFoundError(text, answer, options)
  if (status === 413) return new PayloadTooLargeError(text, answer, options)
  if (status >= 500) return new ServerError(text, answer, options)
  return new ApiError(text, answer, options)
}

function message(
  operation: string,
  { status, headers, retryAfterMs }: ErrorAnswer,
  explanation: string | undefined,
  rate: Rate | undefined,
): string {
  const says =
    (rate === undefined ? SAYS[status] : describeLimit(rate, retryAfterMs)) ??
    (status >= 500 ? 'it failed; this is not about the request' : describeOther(status, headers))
  const base = `${operation}: the service answered ${status}: ${says}.`
  return explanation === undefined || explanation === '' ? base : `${base} It says: ${explanation}`
}

function describeLimit({ meaning, retryHelps }: Rate, retryAfterMs: number | undefined): string {
  const which = meaning === undefined ? '' : ` (${meaning})`
  if (!retryHelps) return `a limit is reached${which}; trying again soon does not help`
  const when = retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 1000)} s`
  return `a limit is reached${which}; try again ${when}`
}

function describeOther(status: number, headers: () => Headers): string {
  if (status < 300 || status >= 400) return 'the request was refused'
  const target = URL.parse(headers().get('location') ?? '')
  // The address itself may hold a signature, so only its origin is shown.
  const where = target === null ? '' : ` to ${target.origin}`
  return `a redirect${where}, which is not followed, since a credential must not leave the configured address`
}
