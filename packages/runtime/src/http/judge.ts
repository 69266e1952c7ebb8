import { isPromise } from '../core/async.ts'
import {
  ApiError,
  ContractDriftError,
  type ErrorResponse,
  type Issue,
  type SubmissionUncertainError,
  UnexpectedContentError,
} from '../core/errors.ts'
import { MAX_CONTAINERS } from '../core/json.ts'
import type { ResponseDescriptor } from '../core/descriptors.ts'
import { findAcceptedId, submissionUncertain } from '../retry/outcome.ts'
import { parseRetryAfter } from '../retry/retry-after.ts'
import { oneLine, toApiError } from './api-error.ts'
import { BufferedResponse } from './buffered-response.ts'
import type { Call } from './call.ts'
import { acceptedId, decodeJson, mediaType, Unreadable } from './decode.ts'
import { checkResponse } from './drift.ts'
import { traceAttempt } from './observe.ts'
import { responsePlan, isSuccess } from './prepare.ts'
import { headerValues, readQuota, readRequestId, result } from './response.ts'
import { RECEIVED_LENGTH, scrubFor } from './secrets.ts'
import { headerValue, toHeaders, type TransportResponse } from './transport.ts'

/**
 * Evaluates a response and returns the result of the call. The result is a promise only if a check takes time, for
 * example because its schema must be loaded first.
 *
 * @param data The decoded body, or an `Unreadable`.
 * @throws the error that describes the response.
 */
export function judge(call: Call, response: TransportResponse, data: unknown): unknown {
  if (!isSuccess(response.status)) return readError(call, response, data)
  return data instanceof Unreadable ? readUnreadable(call, response, data) : accept(call, response, data)
}

function accept(call: Call, response: TransportResponse, data: unknown, found?: Issue): unknown {
  const { core, plan, settings } = call
  const { operation } = plan
  const pointer = operation.retry.class === 'safe' ? undefined : operation.outcome?.id
  const id = pointer === undefined ? undefined : acceptedId(operation, data)
  if (pointer !== undefined && id === undefined) throw withoutId(call, response, data, pointer)
  traceAttempt(core, call, response, undefined)
  if (settings.validate !== 'off') {
    const checking = checkResponse(call, { response, data, mode: settings.validate, id, found })
    if (checking !== undefined) return checking.then(() => result(call, response, data))
  }
  return result(call, response, data)
}

function readUnreadable(call: Call, response: TransportResponse, unreadable: Unreadable): unknown {
  const { core, plan } = call
  const { operation } = plan
  const { descriptor } = responsePlan(plan, response.status)
  const problem = problemOf(unreadable, response, descriptor)
  // If the body is JSON with the id of accepted work, the call succeeds with any media type.
  const loose = descriptor.kind === 'json' ? decodeJson(response, undefined, 'json') : undefined
  if (acceptedId(operation, loose) !== undefined) {
    return accept(call, response, loose, { path: '', reason: problem })
  }
  const failure = unreadableError(call, response, problem)
  traceAttempt(core, call, response, failure)
  throw failure
}

const EXCERPT_LENGTH = 200

function unreadableError(call: Call, response: TransportResponse, problem: string): UnexpectedContentError {
  const { id, secrets } = call.operation
  const error = toErrorResponse(call, response, undefined)
  // Secret values can't be found in an unreadable body. If the operation has secret values, no excerpt is shown.
  const excerpt = secrets.length === 0 ? oneLine(error.text, scrubFor(call), EXCERPT_LENGTH) : undefined
  return new UnexpectedContentError(
    `${id}: the service returned ${error.status}, but ${problem}. ` +
      'A proxy or another server may have sent this response. Check the base URL and any proxy.',
    error,
    { contentType: contentTypeOf(response) ?? '', excerpt: excerpt ?? '' },
    { operation: id },
  )
}

export function emptyBody(call: Call, { status, headers }: TransportResponse): UnexpectedContentError {
  const response = new BufferedResponse(status, headers, new Uint8Array(0))
  const problem = problemOf(new Unreadable('empty'), response, responsePlan(call.plan, status).descriptor)
  return unreadableError(call, response, problem)
}

/** Throws the error for the status, even if the body can't be read or doesn't match the contract. */
function readError(call: Call, response: TransportResponse, data: unknown): unknown {
  const { core, plan, settings, mayExist } = call
  // The call succeeds: the resource to delete is gone, whether or not an earlier attempt deleted it.
  if (response.status === 404 && plan.operation.method === 'DELETE' && mayExist > 0) {
    traceAttempt(core, call, response, undefined)
    return result(call, response, undefined)
  }
  if (settings.validate !== 'off' && !(data instanceof Unreadable)) {
    const checking = checkResponse(call, { response, data, mode: 'report' })
    if (isPromise(checking)) return checking.then(() => fail(call, response, data))
  }
  return fail(call, response, data)
}

function fail(call: Call, response: TransportResponse, data: unknown): never {
  const isQuotable = !(data instanceof Unreadable) || call.operation.secrets.length === 0
  const body = data instanceof Unreadable ? response.text() : data
  const scrub = isQuotable ? scrubFor(call, data) : undefined
  const failure = toApiError(toErrorResponse(call, response, body), call, scrub)
  traceAttempt(call.core, call, response, failure)
  throw failure
}

/**
 * Creates the error for a successful response without an id. It is thrown in every validation mode, because the client
 * can't follow work without an id.
 */
function withoutId(call: Call, response: TransportResponse, data: unknown, path: string): unknown {
  const { core, plan } = call
  const { id } = plan.operation
  const cause = new ContractDriftError(
    `${id}: the service returned ${response.status}, but the response has no id.`,
    [{ path, reason: 'is missing, or is neither a string nor an integer' }],
    data,
    { operation: id },
  )
  call.mayExist++
  const failure = uncertain(call, cause, response.text())
  traceAttempt(core, call, response, failure)
  return failure
}

/** @param text The response body, if any. It may contain the id of the accepted work. */
export function uncertain(call: Call, cause: unknown, text: string | undefined): SubmissionUncertainError {
  const { operation, attempt } = call
  const { clock } = call.core
  const body = ApiError.is(cause) ? cause.text : text
  return submissionUncertain(operation, {
    body: call.input?.body,
    submittedAtMs: clock.now() - (clock.monotonic() - call.attemptBeganMs),
    cause,
    status: attempt.status,
    id: text === undefined ? undefined : findAcceptedId(operation, text),
    received: body === undefined ? undefined : receivedText(call, body),
    possibleDuplicates: Math.max(1, call.mayExist),
  })
}

/**
 * Returns the start of a response, with its secrets redacted. Returns an empty string if the response may contain
 * secrets but isn't JSON, because the secrets then can't be found.
 */
function receivedText(call: Call, text: string): string {
  let data: unknown
  if (call.operation.secrets.length > 0) {
    try {
      data = JSON.parse(text)
    } catch {
      return ''
    }
  }
  return scrubFor(call, data)(text).slice(0, RECEIVED_LENGTH)
}

function toErrorResponse(
  { core, plan, sends: attempts }: Call,
  response: TransportResponse,
  body: unknown,
): ErrorResponse {
  let headers: Headers | undefined
  return {
    status: response.status,
    body,
    text: response.text(),
    headers: () => (headers ??= toHeaders(response.headers)),
    headerValues: () => headerValues(plan, response),
    requestId: readRequestId(core, response),
    quota: readQuota(core, response),
    retryAfterMs: parseRetryAfter(
      headerValue(response.headers, 'retry-after'),
      headerValue(response.headers, 'date'),
      core.clock.now(),
    ),
    attempts,
  }
}

function contentTypeOf({ headers }: TransportResponse): string | undefined {
  return headerValue(headers, 'content-type')
}

/**
 * Returns why a body can't be read, as the end of a sentence. The parser's own error isn't used, because it would quote
 * the body.
 */
function problemOf(
  { problem }: Unreadable,
  response: TransportResponse,
  { kind, contentType, isMedia }: ResponseDescriptor,
): string {
  const expected = isMedia === true ? 'a media file' : kind === 'json' ? 'application/json' : contentType
  switch (problem) {
    case 'coding':
      return (response as BufferedResponse).undecodable ?? ''
    case 'media-type':
      return `the media type is ${mediaType(contentTypeOf(response)) || 'not given'}, and the contract requires ${expected}`
    case 'empty':
      return `the body is empty, and the contract requires ${isMedia === true ? 'a media file' : 'JSON'}`
    case 'encoding':
      return 'the body is not text in UTF-8'
    case 'too-many':
      return `the body has more than ${MAX_CONTAINERS} objects and arrays, so it was not read`
    case 'syntax':
      return 'the body is not valid JSON'
  }
}
