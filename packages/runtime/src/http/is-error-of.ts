import { accepts } from '../core/check.ts'
import { ApiError } from '../core/errors.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'

/**
 * Returns whether an error is the response that an operation's contract documents under a status: a number, a range such as
 * `4XX`, or `default`. If so, its body has the documented type; the result is false for a body that doesn't match its schema.
 * `headerValues` has the types of the documented headers; those that don't match were reported as drift.
 *
 * After a 5xx of an operation that isn't safe to repeat, pass the `cause` of the `SubmissionUncertainError`.
 *
 * @example
 * ```ts
 * if (isErrorOf(error, getThing, 404)) console.log(error.body.title)
 * ```
 *
 * @public
 */
export function isErrorOf<Errors, Status extends keyof Errors & (string | number), ErrorHeaders = unknown>(
  error: unknown,
  operation: OperationDescriptor<unknown, unknown, Errors, unknown, ErrorHeaders>,
  status: Status,
): error is ApiError<Errors[Status], Status extends keyof ErrorHeaders ? ErrorHeaders[Status] : unknown> {
  if (!ApiError.is(error) || error.operation !== operation.id) return false
  const { responses } = operation
  const keys = [String(error.status), `${Math.floor(error.status / 100)}XX`, 'default']
  const key = keys.find((each) => responses[each] !== undefined)
  if (key === undefined || key !== String(status)) return false
  const check = responses[key]?.check
  return check === undefined || accepts(check, error.body) === true
}
