import {
  ApiError,
  ConcordError,
  type ConcordErrorCode,
  ConnectionError,
  ContractDriftError,
  DeadlineError,
  SubmissionUncertainError,
  TimeoutError,
  UnexpectedContentError,
} from '../core/errors.ts'
import type { OperationDescriptor, Outcome } from '../core/descriptors.ts'
import { outcomeOfCaller } from './caller-errors.ts'

/** Unlike the other redirects, a 303 can mean that the request was processed (RFC 9110, section 15.4.4). */
const SEE_OTHER = 303

/**
 * Codes of errors that are thrown before anything is sent. `database` means that the database of a rate limit or of a
 * token store failed.
 */
const BEFORE_SENDING: ReadonlySet<ConcordErrorCode> = new Set([
  'invalid-request',
  'invalid-options',
  'database',
])

/**
 * Derives the outcome from the HTTP status alone. A 2xx status counts as uncertain, because only the body of the
 * response can show that the work was accepted (see `acceptedId` in `http/decode.ts`).
 */
function outcomeOfStatus(status: number): Outcome {
  if (status >= 200 && status < 300) return 'uncertain'
  // A 5xx can come from the server or from a gateway in front of it. The status doesn't say how much work was done.
  if (status >= 500 || status === SEE_OTHER) return 'uncertain'
  return 'denied'
}

/**
 * Derives the outcome of a failed call from its error, which can be any error that a client throws. Outcomes are
 * decided only here.
 *
 * @param status The status of the response, if the status line arrived before the rest of the response was lost.
 * @public
 */
export function outcomeOf(error: unknown, status?: number): Outcome {
  const ofCaller = outcomeOfCaller(error)
  if (ofCaller !== undefined) return ofCaller
  if (SubmissionUncertainError.is(error)) return error.id === undefined ? 'uncertain' : 'accepted'
  if (ContractDriftError.is(error)) return 'accepted'
  if (ApiError.is(error) || UnexpectedContentError.is(error)) return outcomeOfStatus(error.status)
  if (ConnectionError.is(error) || TimeoutError.is(error) || DeadlineError.is(error)) {
    if (error.sent === 'no') return 'not-sent'
    return status === undefined ? 'uncertain' : outcomeOfStatus(status)
  }
  const isOwn = ConcordError.is(error) && BEFORE_SENDING.has(error.code)
  return isOwn ? 'not-sent' : 'uncertain'
}

/**
 * Finds the id of the accepted work in the text of a success response. This function is for bodies that can't be
 * decoded: for example, because the JSON is cut short or the media type is wrong.
 */
export function findAcceptedId(operation: OperationDescriptor, text: string): string | undefined {
  const pointer = operation.outcome?.id
  if (pointer === undefined) return undefined
  // A nested id can't be found by its name alone, because other ids may have the same name.
  const name = /^\/(\w+)$/.exec(pointer)?.[1]
  if (name === undefined) return undefined
  const found = new RegExp(
    `^\\s*\\{[^{}[\\]]*?"${name}"\\s*:\\s*(?:"([^"\\\\]{1,200})"|(-?\\d{1,15})\\s*[,}])`,
  ).exec(text)
  return found?.[1] ?? found?.[2]
}

/** Returns advice for a call whose outcome is unknown. The contract (`x-outcome`) determines the advice. @public */
export function remedyOf({ id, method, outcome }: OperationDescriptor): string {
  if (outcome?.lookUp !== undefined) {
    const gone = method === 'DELETE' ? ' (a 404 means that what you deleted is gone)' : ''
    return `Before you repeat \`${id}\`, call \`${outcome.lookUp}\`, which shows whether the request took effect${gone}.`
  }
  switch (outcome?.again) {
    case 'harmless':
      return `\`${id}\` can be called again: nothing is done or billed twice.`
    case 'spent':
      return (
        `The input of \`${id}\` (such as a code, a token or a session) works only once and may be used up. ` +
        'If the service denies a second call, get a new input and start over.'
      )
    default:
      return (
        'No documented operation shows whether the request was accepted. ' +
        `Repeat \`${id}\` only if you accept that the same work may be done and billed twice.`
      )
  }
}

/** Details of a submission with an unknown outcome. */
export interface KnownOfSubmission {
  readonly body: unknown
  /** When the request was sent, in milliseconds since the Unix epoch. */
  readonly submittedAtMs: number
  /** The error that occurred instead of a usable response. */
  readonly cause: unknown
  readonly status?: number | undefined
  readonly id?: string | undefined
  readonly received?: string | undefined
  readonly possibleDuplicates: number
}

/** Returns the error for a submission that may have been accepted. */
export function submissionUncertain(
  operation: OperationDescriptor,
  known: KnownOfSubmission,
): SubmissionUncertainError {
  const { id, possibleDuplicates: count, cause } = known
  const remedy =
    id === undefined
      ? remedyOf(operation)
      : 'Use this id to wait for the work, and do not send the request again.'
  const happened =
    id === undefined
      ? `${whatHappened(operation.id, cause)} Whether the request took effect is unknown.`
      : `${operation.id}: the service accepted the request under the id ${JSON.stringify(id)}, but its response isn't usable (see \`cause\`).`
  const several =
    count > 1 ? ` ${count} attempts may have been accepted, so ${count} submissions may exist.` : ''
  const next = id === undefined ? ' The client does not send the request again.' : ''
  return new SubmissionUncertainError(
    `${happened}${several}${next} ${remedy}`,
    { ...known, submitted: namesOf(operation, known.body), remedy },
    { operation: operation.id, cause },
  )
}

function whatHappened(operation: string, cause: unknown): string {
  if (ApiError.is(cause) || UnexpectedContentError.is(cause) || ContractDriftError.is(cause))
    return /[.!?]$/.test(cause.message) ? cause.message : `${cause.message}.`
  return `${operation}: the response was lost. The request may have reached the service.`
}

/** Describes the request without the values of the body's fields, because the values may be secret. */
function namesOf(
  { method, path }: OperationDescriptor,
  body: unknown,
): SubmissionUncertainError['submitted'] {
  const hasFields =
    typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype
  return { method, path, fields: hasFields ? Object.keys(body) : [] }
}
