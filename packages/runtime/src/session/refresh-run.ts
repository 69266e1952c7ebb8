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
  /** Aborting it ends waits for the limiter, and those after a 429. It never ends a refresh that was sent. */
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

/** How long a refresh may wait for the rate, in milliseconds, including waits after a 429. */
const MAX_WAIT_MS = 150_000

/** A pair that the service issued, but that could not be stored yet. */
export interface UnsavedSession {
  readonly session: StoredSession
  readonly replaces: string
}

interface RefreshRun {
  readonly options: TokenSessionOptions
  readonly clock: Clock
  readonly random: RandomSource
  /** The current time by the clock that the age of this pair is judged with. */
  readonly nowMsFor: (session: StoredSession) => number
  /** Ends the waits, but never a refresh that was sent. */
  readonly signal: AbortSignal
  /** The access token that the service rejected before it expired. */
  readonly rejectedToken: string | undefined
  /** The user of the session. */
  readonly subject: string | undefined
  /** From an earlier refresh. */
  readonly unsaved: UnsavedSession | undefined
}

export interface Refreshed {
  readonly session: StoredSession
  readonly how: 'refreshed' | 'taken-over'
  /** The refresh token that was presented. */
  readonly replaces?: string
  readonly unsaved?: UnsavedSession | undefined
}

/**
 * Refreshes a stored session: uses a new pair that another process stored, or presents the refresh token when the rate
 * allows it. The store is never held during a wait, so that other processes can read, sign in or refresh.
 *
 * @throws SessionLostError, DeadlineError if no request is allowed for too long, or the error of `refresh`.
 */
export function refreshStored(store: TokenStore, run: RefreshRun): Promise<Refreshed> {
  const { clock, random, signal } = run
  const { limiter } = run.options
  // Only these: the back-off is that of the rate, whatever else a caller passes.
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
        // Only a limiter makes a refresh wait.
        await limiter!.waitForPlace(turn, { signal, limitMs, endsAtMs })
      }
    },
    // A store can throw such an error, too, but that isn't the rate of refreshes.
    again: (error) => denied.has(error) && RateLimitedError.is(error) && error.retryHelps,
    onRetry: async (retried) => {
      await onRetry?.(retried)
      await limiter?.hold(retried.delayMs)
    },
  })
}

/** Takes one turn. A pair that was issued survives a store that then fails to end the turn. */
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
 * One turn while the store is held: reads again, marks the token as presented, presents it, and stores the new pair in
 * its place.
 *
 * @returns How long to wait, in milliseconds, if no request is allowed now.
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
    // The store may have the mark although it failed, but nothing was presented.
    await note(held, stored)
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
      await note(held, { ...stored, presented, rejected: true })
      throw lost(run, 'rejected', error)
    }
    // The service did not look at the token, so the mark is removed.
    await note(held, stored)
    if (outcomeOfCaller(error) !== undefined) throw error
    denied.add(error)
    // Its Retry-After applies to every process, whether or not this one waits.
    if (RateLimitedError.is(error) && error.retryAfterMs !== undefined)
      await options.limiter?.hold(error.retryAfterMs)
    throw error
  }
  const early = stored.accessToken === run.rejectedToken ? { early: true } : {}
  const session = { ...toStored(issued, askedAtMs, stored), ...early }
  const replaces = refreshToken
  return { session, how: 'refreshed', replaces, unsaved: await save(held, { session, replaces }) }
}

/** Stores a pair that only this process has. If the store fails, the session must survive. */
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
      'This process continues to use it and tries again. Unless that succeeds, the session is lost for other ' +
      'processes, and for this one after a restart.',
    'CONCORD_SESSION_NOT_STORED',
  )
  return unsaved
}

/** The system's error code says more than that of the error around it. */
function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as {
    readonly code?: unknown
    readonly cause?: { readonly code?: unknown }
  }
  return String(cause?.code ?? code ?? 'no code')
}

/** Writes a mark that only saves a request. A store that fails must not hide the error that led here. */
async function note(held: HeldTokenStore, session: StoredSession): Promise<void> {
  try {
    await held.write(session)
  } catch {
    // The store still says that the token was presented.
  }
}

function lost(run: RefreshRun, reason: SessionLostError['reason'], cause?: unknown): SessionLostError {
  return new SessionLostError(reason, { cause, remedy: run.options.remedy })
}

/** Judges from the error of a failed refresh whether the refresh token is used up. */
function outcomeOfRefresh(error: unknown, { options, signal }: RefreshRun): RefreshOutcome {
  // The reason for ending a refresh that is in progress says nothing about that refresh.
  if (signal.aborted && error === signal.reason) return 'unknown'
  const ofCaller = outcomeOfCaller(error)
  if (ofCaller === undefined) {
    const judged = options.outcomeOf?.(error)
    if (judged !== undefined) return judged
    if (AuthenticationError.is(error)) return 'rejected'
  }
  const outcome = ofCaller ?? outcomeOf(error)
  // Any other 4xx, such as that of a wrong address, says nothing about the token.
  return outcome === 'denied' || outcome === 'not-sent' ? 'not-presented' : 'unknown'
}
