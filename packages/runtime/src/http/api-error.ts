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
import type { Scrub } from '../core/redact.ts'
import { classifyRate, type Rate } from '../retry/rate-meaning.ts'
import type { Explain, RefineError } from './client-state.ts'
import type { AnswerPlan } from './prepare.ts'
import { oneLine, reasonOf } from './reason.ts'

/** The meaning of each status, and how to proceed. */
const STATUS_MESSAGES: { readonly [status: number]: string } = {
  400: 'The request is invalid; sending it again will not help.',
  401: 'The credential is missing or was not accepted; check which one was passed to the client.',
  403: 'The credential does not allow this.',
  404: 'Nothing was found under this address; check the identifiers and the base address.',
  413: 'The body is larger than the service, or the plan, allows.',
}

/** Everything that the error for a response depends on, besides the response. */
export interface ApiErrorContext {
  readonly operation: string
  readonly plan: AnswerPlan
  /** The server of the request. */
  readonly origin: string
  readonly explain: Explain | undefined
  readonly refine: RefineError | undefined
  readonly scrub: Scrub
  /** Whether the body may be quoted: a body that can't be decoded can't be searched for secrets of the contract. */
  readonly isQuotable: boolean
}

/** Creates the error for a response with an error status. */
export function toApiError(answer: ErrorAnswer, context: ApiErrorContext): ApiError {
  const { status } = answer
  const { operation, plan, refine } = context
  const options = { operation }
  const rate = status === 429 ? classifyRate(plan.descriptor.rateMeanings, answer.body) : undefined
  const text = message(answer, rate, context)
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

/** Says what the status means, followed by the service's own reason. */
function message(answer: ErrorAnswer, rate: Rate | undefined, context: ApiErrorContext): string {
  const { operation, explain, scrub } = context
  const { status, body, retryAfterMs } = answer
  const meaning =
    (rate === undefined ? STATUS_MESSAGES[status] : describeLimit(rate, retryAfterMs)) ??
    (status >= 500
      ? 'The problem is on its side, not in your request.'
      : describeOther(answer, context.origin))
  const base = `${operation}: the service returned ${status}. ${meaning}`
  if (!context.isQuotable) return base
  const own = explain?.(body, status)
  const reason = own === undefined || own === '' ? reasonOf(body, scrub) : oneLine(own, scrub)
  return reason === undefined ? base : `${base} It says: ${reason}`
}

function describeLimit({ meaning, retryHelps }: Rate, retryAfterMs: number | undefined): string {
  const which = meaning === undefined ? '' : ` (${meaning})`
  if (!retryHelps) return `A limit is reached${which}; trying again soon does not help.`
  const when = retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 1000)} s`
  return `A limit is reached${which}; try again ${when}.`
}

function describeOther({ status, headers }: ErrorAnswer, origin: string): string {
  if (status < 300 || status >= 400) return 'The request was rejected.'
  const location = headers().get('location')
  const target = location === null ? null : URL.parse(location, origin)
  if (target === null) return 'It is a redirect, which API calls do not follow; check the base address.'
  if (target.origin === origin) {
    return 'It redirects to another path of the same server, which API calls do not follow; check the base address.'
  }
  // The rest of the address may contain a signature.
  return (
    `It redirects to ${target.origin}, which is not followed, since a credential must not leave the configured ` +
    'address; check the base address.'
  )
}
