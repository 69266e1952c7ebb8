import {
  ApiError,
  ContractDriftError,
  SubmissionUncertainError,
  UnexpectedContentError,
} from '../core/errors.ts'
import type { OperationDescriptor } from '../core/operation.ts'
import { remedyOf } from './outcome.ts'

/** What is known of a submission with an unknown outcome. */
export interface KnownOfSubmission {
  readonly body: unknown
  /** In milliseconds since the Unix epoch. */
  readonly submittedAtMs: number
  /** What happened to the answer. */
  readonly cause: unknown
  readonly status?: number | undefined
  readonly id?: string | undefined
  readonly received?: string | undefined
  readonly possibleDuplicates: number
}

/** The error for a submission that may have been accepted. */
export function submissionUncertain(
  operation: OperationDescriptor,
  known: KnownOfSubmission,
): SubmissionUncertainError {
  const { id, possibleDuplicates: count, cause } = known
  const remedy =
    id === undefined ? remedyOf(operation) : 'Follow it under this id, and do not send the request again.'
  const unknown =
    id === undefined
      ? 'Whether the request took effect is unknown, so it was not sent again.'
      : `The service accepted it under the id ${JSON.stringify(id)}.`
  const several =
    count > 1 ? ` ${count} attempts may have been accepted, so ${count} submissions may exist.` : ''
  return new SubmissionUncertainError(
    `${whatHappened(operation.id, cause)} ${unknown}${several} ${remedy}`,
    { ...known, submitted: namesOf(operation, known.body), remedy },
    { operation: operation.id, cause },
  )
}

function whatHappened(operation: string, cause: unknown): string {
  if (ApiError.is(cause) || UnexpectedContentError.is(cause) || ContractDriftError.is(cause))
    return cause.message
  return `${operation}: the answer was lost after the request may have reached the service.`
}

/** Names only: the values are the caller's. */
function namesOf(
  { method, path }: OperationDescriptor,
  body: unknown,
): SubmissionUncertainError['submitted'] {
  const hasFields =
    typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype
  return { method, path, fields: hasFields ? Object.keys(body) : [] }
}
