import type { Clock, RandomSource } from '../core/clock.ts'
import type { RefreshEvent } from '../core/events.ts'
import type { Retried } from '../retry/retry.ts'
import type { RequestLimiter } from './request-limiter.ts'
import type { TokenStore } from './token-store.ts'

/** A pair of tokens as a service issues it. @public */
export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken?: string
  /** Counted from the request for the pair. */
  readonly expiresInMs?: number
  readonly subject?: string
  readonly details?: unknown
}

/**
 * The fate of the refresh token after a failed refresh: the service rejected it (`rejected`), did not look at it
 * (`not-presented`), or may have used it up (`unknown`).
 *
 * @public
 */
export type RefreshOutcome = 'rejected' | 'not-presented' | 'unknown'

/** Options of {@link TokenSession}. @public */
export interface TokenSessionOptions {
  readonly store: TokenStore
  /** Presents the refresh token once. It must not retry. */
  readonly refresh: (refreshToken: string) => Promise<IssuedTokens>
  /**
   * Judges a failure of `refresh`; `undefined` means the default. Default: 401 is `rejected`; any other 4xx, a request that
   * was not sent and an error before sending are `not-presented`; everything else, such as lost responses and server errors,
   * is `unknown`.
   */
  readonly outcomeOf?: (error: unknown) => RefreshOutcome | undefined
  /** Limits the rate of refreshes. */
  readonly limiter?: RequestLimiter
  /**
   * Whether the service limits the rate of refreshes. If it does, an access token that was issued less than a minute ago in
   * place of a rejected one is kept even if it is rejected, too. Default: `limited` if there is a `limiter`.
   */
  readonly rate?: 'limited' | 'unlimited'
  /** Aborting it ends waits for the gate and after a 429. It never ends a refresh that was sent. */
  readonly signal?: AbortSignal
  /** Called after every refresh. */
  readonly emit?: (event: RefreshEvent) => void
  /**
   * Refreshes on time even if no call asks for a token. The process then stays alive until {@link TokenSession.close}.
   * Default: false; the first call after 55 of 60 minutes starts a refresh and does not wait for it.
   */
  readonly keepFresh?: boolean
  /**
   * How long a refresh token is valid at the service, in milliseconds: {@link TokenSession.resume} does not resume an
   * older one. Default: unknown.
   */
  readonly refreshLifetimeMs?: number
  /** The limits, the budget and the observer of retries after a 429. Default: five attempts, without a budget. */
  readonly retry?: Pick<Retried<unknown>, 'budget' | 'onRetry' | 'maxAttempts' | 'maxRetryAfterMs'>
  /** The remedy in the error of a lost session. Default: sign in again. */
  readonly remedy?: string
  readonly clock?: Clock
  readonly random?: RandomSource
}
