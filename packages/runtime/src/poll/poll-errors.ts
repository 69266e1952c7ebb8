import { ConcordError, DeadlineError, UnexpectedContentError } from '../core/errors.ts'
import { isTransient } from '../retry/transient.ts'

/** What a failed poll means for the wait. */
export type PollFailure = 'transient' | 'odd-answer' | 'definite'

/**
 * Tells a failed poll that says nothing about the operation from one that will not get better. Transient failures are
 * those of the shared table, and a deadline of the poll itself. An answer that can't be read is odd: a proxy's page now
 * and then is survived, one after the other is not. Everything else is definite: a rejected credential, an unknown id,
 * an invalid request, a mistake in the code.
 */
export function classifyPollFailure(error: unknown): PollFailure {
  if (!ConcordError.is(error)) return 'definite'
  if (isTransient(error, 'poll') || DeadlineError.is(error)) return 'transient'
  return UnexpectedContentError.is(error) ? 'odd-answer' : 'definite'
}

/** How many answers in a row may be unreadable before the wait ends with the error; the client's own choice. */
export const ODD_ANSWERS_SURVIVED = 2
