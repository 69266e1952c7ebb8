import { ConcordError, type ConcordErrorOptions } from './error-base.ts'

/**
 * Why a session cannot continue.
 *
 * - `refused`: the service rejected the refresh token: it was used before, has expired, or was revoked.
 * - `outcome-unknown`: the refresh token was presented twice, and both times the answer was lost or a server error.
 * - `no-refresh-token`: the access token has expired, and there is no refresh token.
 * - `replaced`: the store now contains another user's session.
 * - `removed`: the store no longer contains a session.
 *
 * @public
 */
export type SessionLoss = 'refused' | 'outcome-unknown' | 'no-refresh-token' | 'replaced' | 'removed'

const WHAT_HAPPENED: Readonly<Record<SessionLoss, string>> = {
  refused: 'The service rejected the refresh token: it was used before, has expired, or was revoked.',
  'outcome-unknown':
    'The refresh token was presented twice, and both times the answer was lost or a server error. It works only once, ' +
    'so it is not presented again.',
  'no-refresh-token': 'The access token has expired, and there is no refresh token.',
  replaced: "The store now contains another user's session; it was not used.",
  removed: 'The store no longer contains a session: it was removed, here or by another process.',
}

/** The session is lost, and the client cannot bring it back by itself: sign in again. @public */
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
