import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  type ErrorResponse,
  NotFoundError,
  PayloadTooLargeError,
  PermissionDeniedError,
  RateLimitedError,
  ServerError,
} from '../core/errors.ts'
import { readPointer } from '../core/json.ts'
import type { RateMeaningDescriptor } from '../core/descriptors.ts'
import type { Scrub } from '../core/redact.ts'
import { addedByCaller } from '../retry/caller-errors.ts'
import type { Call } from './call.ts'
import { responsePlan } from './prepare.ts'

interface Rate {
  /** Set only if exactly one meaning is possible. */
  readonly meaning: string | undefined
  /** Whether the same request can succeed after a wait. */
  readonly retryHelps: boolean
}

/**
 * Classifies a 429 response by its body. The contract lists the possible `meanings`. If the body matches the
 * `match` of a meaning, the response has that meaning. Otherwise, every meaning without a `match` is possible.
 */
export function classifyRate(meanings: readonly RateMeaningDescriptor[] = [], body: unknown): Rate {
  const matched = meanings.find(
    ({ match }) => match !== undefined && readPointer(body, match.pointer) === match.equals,
  )
  const open = matched === undefined ? meanings.filter(({ match }) => match === undefined) : [matched]
  return {
    meaning: open.length === 1 ? open[0]?.meaning : undefined,
    retryHelps: open.length === 0 || open.some(({ retryHelps }) => retryHelps),
  }
}

const STATUS_MESSAGES: { readonly [status: number]: string } = {
  400: 'The request is invalid, and sending it again will not help.',
  401: 'The credential is missing or was not accepted. Check which credential was passed to the client.',
  403: 'The credential does not allow this operation.',
  404: 'Nothing was found at this URL. Check the identifiers and the base URL.',
  413: 'The body is larger than the service or your plan allows.',
}

/** 429 isn't listed, because the constructor of `RateLimitedError` has one more parameter. */
const STATUS_ERRORS: { readonly [status: number]: typeof ApiError } = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  413: PayloadTooLargeError,
}

/** @param scrub If `undefined`, the error message doesn't quote the body, because the body may contain secrets. */
export function toApiError(response: ErrorResponse, call: Call, scrub: Scrub | undefined): ApiError {
  const { status, body } = response
  const { plan, core } = call
  const operation = plan.operation.id
  const rate =
    status === 429 ? classifyRate(responsePlan(plan, status).descriptor.rateMeanings, body) : undefined
  let text = `${operation}: the service returned ${status}. ${meaningOf(response, rate, plan.origin)}`
  const reason = scrub && ownReason(response, call, scrub)
  if (reason !== undefined) text += ` The service says: ${reason}`
  const refined = addedByCaller(() => core.refineError?.(text, response, operation))
  if (refined !== undefined) return refined
  if (rate !== undefined) return new RateLimitedError(text, response, rate, { operation })
  const StatusError = STATUS_ERRORS[status] ?? (status >= 500 ? ServerError : ApiError)
  return new StatusError(text, response, { operation })
}

function meaningOf(response: ErrorResponse, rate: Rate | undefined, origin: string): string {
  const { status, retryAfterMs } = response
  if (rate !== undefined) return describeLimit(rate, retryAfterMs)
  if (status >= 500) return 'The problem is on the side of the service, not in your request.'
  return STATUS_MESSAGES[status] ?? describeOther(response, origin)
}

function ownReason({ body, status }: ErrorResponse, { core }: Call, scrub: Scrub): string | undefined {
  const own: unknown = addedByCaller(() => core.explain?.(body, status))
  return typeof own === 'string' && own !== '' ? oneLine(own, scrub) : reasonOf(body, scrub)
}

function describeLimit({ meaning, retryHelps }: Rate, retryAfterMs: number | undefined): string {
  const which = meaning === undefined ? '' : ` (${meaning})`
  if (!retryHelps) return `A limit was reached${which}, and trying again soon will not help.`
  const when = retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 1000)} s`
  return `A limit was reached${which}. Try again ${when}.`
}

function describeOther({ status, headers }: ErrorResponse, origin: string): string {
  if (status >= 400) return 'The request was rejected.'
  const location = headers().get('location')
  const target = location === null ? null : URL.parse(location, origin)
  const isElsewhere = target !== null && target.origin !== origin
  // Quote only the origin, because the rest of the URL may contain a secret, such as the signature of a signed URL.
  const where = isElsewhere ? target.origin : 'another path of the same server'
  const what = target === null ? 'is a redirect' : `redirects to ${where}`
  const why = isElsewhere ? ', because a credential must only be sent to the configured server' : ''
  return `The response ${what}. API calls do not follow redirects${why}. Check the base URL.`
}

const MAX_LENGTH = 500
const MAX_DEPTH = 4
const MAX_ITEMS = 5
/** The names of the fields in which services put the reason for an error, most common first. */
const NAMES = [
  'message',
  'detail',
  'error_description',
  'error',
  'title',
  'reason',
  'errors',
  'description',
  'err_msg',
  'msg',
] as const

/**
 * Returns the service's own reason from an error body. The body can have any common shape, such as `{ message }`,
 * `{ error }`, `{ detail: [{ loc, msg }] }` or `{ title, detail }` (RFC 9457). The reason is one line of at most 500
 * characters. Use it only in messages.
 *
 * @public
 */
export function reasonOf(body: unknown, scrub?: Scrub): string | undefined {
  const reason = find(body, 0)
  return reason === undefined ? undefined : oneLine(reason, scrub)
}

/** Prepares an external string for use in a message: one line of limited length, without control characters. */
export function oneLine(
  text: string,
  scrub: Scrub = (whole) => whole,
  maxLength = MAX_LENGTH,
): string | undefined {
  // Secrets are removed before the string is truncated, because half a secret would not be found.
  const flat = scrub(text)
    .slice(0, 4 * maxLength)
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
  if (flat === '') return undefined
  return flat.length > maxLength ? `${flat.slice(0, maxLength)}…` : flat
}

function find(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.trim() === '' || isMarkup(value) ? undefined : value
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return undefined
  if (Array.isArray(value)) return findInList(value, depth)
  const problem = value as Readonly<Record<string, unknown>>
  // RFC 9457: the title names the kind of problem, and the detail describes this occurrence.
  if (typeof problem['title'] === 'string' && typeof problem['detail'] === 'string') {
    return `${problem['title']}: ${problem['detail']}`
  }
  for (const name of NAMES) {
    const found = Object.hasOwn(problem, name) ? find(problem[name], depth + 1) : undefined
    if (found !== undefined) return placed(problem['loc'], found)
  }
  return undefined
}

function findInList(list: readonly unknown[], depth: number): string | undefined {
  const found = list
    .slice(0, MAX_ITEMS)
    .map((item) => find(item, depth + 1))
    .filter((item) => item !== undefined)
  if (found.length === 0) return undefined
  const more = list.length - MAX_ITEMS
  return found.join('; ') + (more > 0 ? `; and ${more} more` : '')
}

/** Prefixes a reason with the location of the problem in the request: `body.file: field required`. */
function placed(location: unknown, reason: string): string {
  if (!Array.isArray(location)) return reason
  const place = location
    .slice(0, 8)
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .join('.')
  return place === '' ? reason : `${place}: ${reason}`
}

/** Returns whether a string is HTML or XML, such as a proxy's error page. */
function isMarkup(text: string): boolean {
  return /^\s*</.test(text)
}
