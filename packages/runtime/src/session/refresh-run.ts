import type { Clock, RandomSource } from '../core/clock.ts'
import { AuthenticationError, RateLimitedError, SessionLostError } from '../core/errors.ts'
import { type RefreshEvent, warn } from '../core/events.ts'
import { outcomeOfCaller } from '../retry/caller-errors.ts'
import { outcomeOf } from '../retry/outcome.ts'
import { RATE_RETRY, type Retried, retry } from '../retry/retry.ts'
import type { RequestLimiter } from '../limit/limits.ts'
import {
  type HeldTokenStore,
  isFresh,
  type IssuedTokens,
  MAX_PRESENTATIONS,
  type StoredSession,
  type TokenStore,
  toStored,
} from './token-store.ts'

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
  /** Presents the refresh token to the service once, and returns the new pair of tokens. Must not retry. */
  readonly refresh: (refreshToken: string) => Promise<IssuedTokens>
  /**
   * Decides what a failure of `refresh` means for the refresh token. If it returns `undefined`, the default applies.
   * Default: a 401 is `rejected`. Any other 4xx, any redirect except a 303, and any error that shows that the request
   * was not sent, are `not-presented`. Everything else, such as a lost response or a server error, is `unknown`.
   */
  readonly outcomeOf?: (error: unknown) => RefreshOutcome | undefined
  /** Limits the rate of refreshes. */
  readonly limiter?: RequestLimiter
  /**
   * Whether the service limits the rate of refreshes. If it does, the replacement for a rejected access token is kept
   * for a minute, even if the service rejects the replacement too. Default: `limited` if there is a `limiter`.
   */
  readonly rate?: 'limited' | 'unlimited'
  /**
   * Aborting this signal ends a wait, such as a wait for the limiter or the pause after a 429. An abort doesn't end a
   * refresh that was sent, unless `refresh` itself uses the signal.
   */
  readonly signal?: AbortSignal
  /** Called after every refresh, and when {@link TokenSession.resume} finds that the session is lost. */
  readonly emit?: (event: RefreshEvent) => void
  /**
   * Whether to refresh the access token before it expires, even if no call needs it. If true, the process stays alive
   * until {@link TokenSession.close}. If false (the default), a refresh starts in the background with the first call
   * after 11/12 of the token's lifetime (55 of 60 minutes).
   */
  readonly keepFresh?: boolean
  /**
   * How long the service accepts a refresh token, in milliseconds. {@link TokenSession.resume} does not resume a
   * session whose refresh token is older. Default: unknown.
   */
  readonly refreshLifetimeMs?: number
  /** The limits, the budget and the observer of retries after a 429. Default: five attempts, without a budget. */
  readonly retry?: Pick<Retried<unknown>, 'budget' | 'onRetry' | 'maxAttempts' | 'maxRetryAfterMs'>
  /** The `remedy` of each SessionLostError. Default: 'Sign in again.' */
  readonly remedy?: string
  readonly clock?: Clock
  readonly random?: RandomSource
}

/** How long a refresh may wait for the rate limit, in milliseconds, including waits after a 429. */
const MAX_WAIT_MS = 150_000

/** A pair of tokens that the service issued but that could not be stored yet. */
export interface UnsavedSession {
  readonly session: StoredSession
  /** The refresh token that was exchanged for this pair. */
  readonly replaces: string
}

interface RefreshRun {
  readonly options: TokenSessionOptions
  readonly clock: Clock
  readonly random: RandomSource
  /** Returns the current time, to compare with the times in `session`. */
  readonly nowMsFor: (session: StoredSession) => number
  /** See {@link TokenSessionOptions.signal}. This signal also aborts when the session is closed. */
  readonly signal: AbortSignal
  /** The access token to replace even if it has not expired: the service rejected it, or `refresh()` was called. */
  readonly rejectedToken: string | undefined
  readonly subject: string | undefined
  readonly unsaved: UnsavedSession | undefined
}

export interface Refreshed {
  readonly session: StoredSession
  readonly how: 'refreshed' | 'taken-over'
  /** The refresh token that was just exchanged for the pair. Absent if the pair was issued earlier. */
  readonly replaces?: string
  readonly unsaved?: UnsavedSession | undefined
}

/**
 * Refreshes a stored session. If another process has already refreshed the session, uses the pair in the store.
 * Otherwise, presents the refresh token as soon as the rate limit allows a request. The store isn't held (locked)
 * during waits, so other processes can sign in or refresh.
 *
 * @throws SessionLostError; DeadlineError if the rate limit allows no request in time; or the error of `refresh`.
 */
export function refreshStored(store: TokenStore, run: RefreshRun): Promise<Refreshed> {
  const { clock, random, signal } = run
  const { limiter } = run.options
  const { budget, onRetry, maxAttempts = RATE_RETRY.maxAttempts, maxRetryAfterMs } = run.options.retry ?? {}
  const limitMs = MAX_WAIT_MS
  const endsAtMs = clock.monotonic() + limitMs
  const denied = new Set<unknown>()
  return retry({
    backoff: RATE_RETRY.backoff,
    maxAttempts,
    maxRetryAfterMs,
    budget,
    clock,
    random,
    endsAtMs,
    signals: [signal],
    async attempt() {
      for (;;) {
        const turn = await takeTurnAlone(store, run, denied)
        if (typeof turn !== 'number') return turn
        // `takeTurn` returns a number (the time to wait) only if there is a limiter.
        await limiter!.waitForPlace(turn, { signal, limitMs, endsAtMs })
      }
    },
    // `denied` contains only errors of `refresh`, so a RateLimitedError of the store isn't retried.
    again: (error) => denied.has(error) && RateLimitedError.is(error) && error.retryHelps,
    onRetry: async (retried) => {
      await onRetry?.(retried)
      await limiter?.hold(retried.delayMs)
    },
  })
}

/** Holds the store for `takeTurn`. If the store fails after a pair was issued, returns the pair as unsaved. */
async function takeTurnAlone(
  store: TokenStore,
  run: RefreshRun,
  denied: Set<unknown>,
): Promise<Refreshed | number> {
  let turn: Refreshed | number | undefined
  try {
    return await store.exclusive(async (held) => (turn = await takeTurn(held, run, denied)), run.signal)
  } catch (error) {
    if (typeof turn !== 'object' || turn.replaces === undefined) throw error
    const { session, replaces, unsaved = reportUnsaved({ session, replaces }, error) } = turn
    return { session, how: 'refreshed', unsaved }
  }
}

/**
 * Refreshes the session, unless another process has already refreshed it. The store must be held.
 *
 * @returns The pair to use; or, if the rate limit allows no request now, how long to wait, in milliseconds.
 */
async function takeTurn(
  held: HeldTokenStore,
  run: RefreshRun,
  denied: Set<unknown>,
): Promise<Refreshed | number> {
  const { options, clock, signal, unsaved } = run
  let stored = await held.read()
  let stillUnsaved: UnsavedSession | undefined
  if (unsaved !== undefined && stored?.refreshToken === unsaved.replaces) {
    stored = unsaved.session
    stillUnsaved = await save(held, unsaved)
  }
  if (stored === undefined) throw lost(run, 'removed')
  if (stored.subject !== run.subject) throw lost(run, 'replaced')
  if (isFresh(stored, run.rejectedToken, run.nowMsFor(stored))) {
    return { session: stored, how: 'taken-over', unsaved: stillUnsaved }
  }

  const { refreshToken } = stored
  if (refreshToken === undefined) throw lost(run, 'no-refresh-token')
  if (stored.rejected === true) throw lost(run, 'rejected')
  const presented = (stored.presented ?? 0) + 1
  if (presented > MAX_PRESENTATIONS) throw lost(run, 'outcome-unknown')
  const waitMs = (await options.limiter?.tryAcquire(signal)) ?? 0
  if (waitMs > 0) return waitMs

  try {
    await held.write({ ...stored, presented })
  } catch (error) {
    // The failed write may have stored the new count, but the token was not presented. So the old count is restored.
    await writeIfPossible(held, stored)
    throw error
  }
  const askedAtMs = clock.now()
  let issued: IssuedTokens
  try {
    issued = await options.refresh(refreshToken)
  } catch (error) {
    const outcome = outcomeOfRefresh(error, run)
    if (outcome === 'unknown') throw error
    if (outcome === 'rejected') {
      await writeIfPossible(held, { ...stored, presented, rejected: true })
      throw lost(run, 'rejected', error)
    }
    // The service did not look at the token, so the old count is restored.
    await writeIfPossible(held, stored)
    if (outcomeOfCaller(error) !== undefined) throw error
    denied.add(error)
    // `Retry-After` applies to every process that shares the rate limit, even if this process doesn't retry.
    if (RateLimitedError.is(error) && error.retryAfterMs !== undefined)
      await options.limiter?.hold(error.retryAfterMs)
    throw error
  }
  const early = stored.accessToken === run.rejectedToken ? { early: true } : {}
  const session = { ...toStored(issued, askedAtMs, stored), ...early }
  const replaces = refreshToken
  return { session, how: 'refreshed', replaces, unsaved: await save(held, { session, replaces }) }
}

/** Stores a pair that only this process has. If the store fails, returns the pair instead of throwing. */
async function save(held: HeldTokenStore, unsaved: UnsavedSession): Promise<UnsavedSession | undefined> {
  try {
    await held.write(unsaved.session)
    return undefined
  } catch (error) {
    return reportUnsaved(unsaved, error)
  }
}

function reportUnsaved(unsaved: UnsavedSession, error: unknown): UnsavedSession {
  warn(
    `A refreshed session could not be stored (${codeOf(error)}). ` +
      'This process continues to use the session, and tries to store it again. Until that succeeds, other processes ' +
      'cannot use the session, and the session is lost if this process ends.',
    'CONCORD_SESSION_NOT_STORED',
  )
  return unsaved
}

/** Prefers the code of `cause`, because it is more specific. */
function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as {
    readonly code?: unknown
    readonly cause?: { readonly code?: unknown }
  }
  return String(cause?.code ?? code ?? 'no code')
}

/**
 * Tries to update what the store knows about the refresh token. A failure of the store is ignored, because throwing
 * it would hide the error that is being handled.
 */
async function writeIfPossible(held: HeldTokenStore, session: StoredSession): Promise<void> {
  try {
    await held.write(session)
  } catch {
    // Without the update, the stored number of presentations can be too high, but not too low.
  }
}

function lost(run: RefreshRun, reason: SessionLostError['reason'], cause?: unknown): SessionLostError {
  return new SessionLostError(reason, { cause, remedy: run.options.remedy })
}

function outcomeOfRefresh(error: unknown, { options, signal }: RefreshRun): RefreshOutcome {
  // `refresh` may use the same signal itself. An abort doesn't show whether the service received the token.
  if (signal.aborted && error === signal.reason) return 'unknown'
  const ofCaller = outcomeOfCaller(error)
  if (ofCaller === undefined) {
    const judged = options.outcomeOf?.(error)
    if (judged !== undefined) return judged
    if (AuthenticationError.is(error)) return 'rejected'
  }
  const outcome = ofCaller ?? outcomeOf(error)
  // A 4xx other than 401, such as a 404 for a wrong URL, means that the service did not look at the token.
  return outcome === 'denied' || outcome === 'not-sent' ? 'not-presented' : 'unknown'
}
