import { ApiError, ConcordError, ConnectionError, TimeoutError } from '../core/errors.ts'
import type { RefreshOutcome } from './token-session-options.ts'

/** What a failed refresh says about the refresh token, as far as its error can tell. */
export function outcomeOfError(error: unknown): RefreshOutcome {
  if (ApiError.is(error)) {
    if (error.status === 401) return 'refused'
    // Any other 4xx, that of a wrong address among them, is no word on the token.
    return error.status >= 400 && error.status < 500 ? 'not-presented' : 'unknown'
  }
  if (ConnectionError.is(error) || TimeoutError.is(error)) {
    return error.sent === 'no' ? 'not-presented' : 'unknown'
  }
  const beforeSending = ConcordError.is(error) && ['invalid-request', 'invalid-options'].includes(error.code)
  return beforeSending ? 'not-presented' : 'unknown'
}
