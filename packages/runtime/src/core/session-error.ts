import { ConcordError, type ConcordErrorOptions } from './error-base.ts'

/**
 * Why a session cannot go on.
 *
 * - `refused`: the service does not take the refresh token: it was used before, has expired, or was revoked.
 * - `outcome-unknown`: the refresh token was presented, and once more, and neither time did an answer say what became of
 *   it: none came, or an error of the server.
 * - `no-refresh-token`: the access token is over, and there is nothing to refresh it with.
 * - `replaced`: the store now holds the session of somebody else.
 * - `removed`: the store holds no session any more.
 *
 * @public
 */
export type SessionLoss = 'refused' | 'outcome-unknown' | 'no-refresh-token' | 'replaced' | 'removed'

const WHAT_HAPPENED: Readonly<Record<SessionLoss, string>> = {
  refused: 'The service refused the refresh token: it was used before, has expired, or was revoked.',
  'outcome-unknown':
    'The refresh token was presented twice, and neither time did an answer say what became of it: none came, or an ' +
    'error of the server. It works once only, so it is not presented again.',
  'no-refresh-token': 'The access token is over, and there is no refresh token to get another one with.',
  replaced: 'The store now holds a session of somebody else, which is not taken over.',
  removed: 'The store holds no session any more: it was removed, here or by another process.',
}

/** The session is over. Nothing that the client can do by itself brings it back: sign in again. @public */
export class SessionLostError extends ConcordError {
  static override readonly errorName: string = 'SessionLostError'

  readonly reason: SessionLoss
  /** What to do about it. */
  readonly remedy: string

  constructor(
    reason: SessionLoss,
    options: ConcordErrorOptions & { readonly remedy?: string | undefined } = {},
  ) {
    const remedy = options.remedy ?? 'Sign in again.'
    super('session-lost', `The session is lost. ${WHAT_HAPPENED[reason]} ${remedy}`, options)
    this.reason = reason
    this.remedy = remedy
  }
}
