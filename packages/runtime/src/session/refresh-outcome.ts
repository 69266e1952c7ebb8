import { AuthenticationError } from '../core/errors.ts'
import { outcomeOf } from '../retry/outcome.ts'
import type { RefreshOutcome } from './token-session-options.ts'

/** What a failed refresh says about the refresh token, as far as its error can tell. */
export function outcomeOfError(error: unknown): RefreshOutcome {
  if (AuthenticationError.is(error)) return 'refused'
  const outcome = outcomeOf(error)
  // Any other 4xx, that of a wrong address among them, says nothing about the token.
  return outcome === 'denied' || outcome === 'not-sent' ? 'not-presented' : 'unknown'
}
