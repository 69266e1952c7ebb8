import type { Clock, RandomSource } from '../core/clock.ts'
import type { RefreshEvent } from '../core/events.ts'
import type { Retried } from '../retry/retry.ts'
import type { RequestGate } from './request-gate.ts'
import type { TokenStore } from './token-store.ts'

/** A pair of tokens as a service issues it. @public */
export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken?: string
  /** Counted from when it was asked for. */
  readonly expiresInMs?: number
  readonly subject?: string
  readonly details?: unknown
}

/**
 * What a failed refresh says about the refresh token: the service does not take it any more (`refused`), it was not
 * looked at (`not-presented`), or it may have been used (`unknown`).
 *
 * @public
 */
export type RefreshOutcome = 'refused' | 'not-presented' | 'unknown'

/** What a {@link TokenSession} is made from. @public */
export interface TokenSessionOptions {
  readonly store: TokenStore
  /** Presents the refresh token, once. It must not repeat itself. */
  readonly refresh: (refreshToken: string) => Promise<IssuedTokens>
  /**
   * What a failure of `refresh` says; `undefined` leaves it to the default. Default: 401 is `refused`; any other 4xx,
   * whatever was not sent and whatever was wrong before sending is `not-presented`; everything else, lost answers and
   * errors of the server among them, is `unknown`.
   */
  readonly outcomeOf?: (error: unknown) => RefreshOutcome | undefined
  /** Passed before each refresh. */
  readonly gate?: RequestGate
  /** Aborting it ends waits for the gate, and those after a 429. It never ends a refresh that was sent. */
  readonly signal?: AbortSignal
  /** Told of refreshes. */
  readonly emit?: (event: RefreshEvent) => void
  /**
   * Refreshes when it is time even if nobody asks for a token. The process then stays alive until {@link
   * TokenSession.close}. Default: false; the first call after 55 of 60 minutes starts a refresh and does not wait for it.
   */
  readonly keepFresh?: boolean
  /**
   * How long a refresh token is valid at the service, in milliseconds: {@link TokenSession.resume} does not resume an
   * older one. Default: not known.
   */
  readonly refreshLifetimeMs?: number
  /** The budget that a refresh after a 429 is taken from, and what is told of it. Default: neither. */
  readonly retry?: Pick<Retried<unknown>, 'budget' | 'onRetry'>
  /** What a lost session says to do. Default: sign in again. */
  readonly remedy?: string
  readonly clock?: Clock
  readonly random?: RandomSource
}
