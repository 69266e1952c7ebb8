import {
  type ConcordError,
  ConnectionError,
  ContractDriftError,
  DeadlineError,
  type Issue,
} from '../core/errors.ts'

/** What kept a value from being checked. Anything else is thrown: an error of a schema of the caller's. */
export function uncheckedBy(error: unknown): ConcordError {
  if (ConnectionError.is(error) || DeadlineError.is(error)) return error
  throw error
}

/** The error for data that could not be checked, where checks are enforced. */
export function uncheckedError(
  id: string,
  what: string,
  data: unknown,
  cause: ConcordError,
): ContractDriftError {
  return new ContractDriftError(
    `${id}: ${what} could not be checked, so it is given with this error alone. ${cause.message}`,
    [notChecked(cause)],
    data,
    { operation: id, cause },
  )
}

/** The issue of data that could not be checked. */
export function notChecked(cause: ConcordError): Issue {
  return { path: '', reason: `could not be checked. ${cause.message}` }
}
