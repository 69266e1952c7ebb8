import { ConcordError } from '../core/errors.ts'

/** What a failed poll means for the wait. */
export type PollFailure = 'transient' | 'odd-answer' | 'definite'

/**
 * Tells a failed poll that says nothing of the operation from one that will not get better. Transient: no
 * connection, time-outs, 408, 425, 429 of any meaning, 500 and above. An answer that cannot be read is odd: a proxy's
 * page now and then is survived, one after the other is not. Everything else is definite: a refused credential, an
 * unknown id, an invalid request, a mistake in the code.
 */
export function classifyPollFailure(error: unknown): PollFailure {
  if (!ConcordError.is(error)) return 'definite'
  switch ((error as ConcordError).code) {
    case 'connection':
    case 'timeout':
    case 'deadline':
      return 'transient'
    case 'http': {
      const { status } = error as unknown as { readonly status: number }
      return status >= 500 || status === 429 || status === 408 || status === 425 ? 'transient' : 'definite'
    }
    case 'unexpected-content':
      return 'odd-answer'
    default:
      return 'definite'
  }
}

/** How many answers in a row may be unreadable before the wait ends with the error; the client's own choice. */
export const ODD_ANSWERS_SURVIVED = 2

/** How long the service asked to wait, where an error says so. */
export function retryAfterOf(error: unknown): number | undefined {
  const value = (error as { readonly retryAfterMs?: unknown } | null | undefined)?.retryAfterMs
  return typeof value === 'number' && value >= 0 ? value : undefined
}
