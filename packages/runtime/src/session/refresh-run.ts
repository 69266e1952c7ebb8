import type { Clock, RandomSource } from '../core/clock.ts'
import { RateLimitedError, SessionLostError } from '../core/errors.ts'
import { warn } from '../core/events.ts'
import { RATE_RETRY } from '../retry/backoff.ts'
import { retry } from '../retry/retry.ts'
import { outcomeOfError } from './refresh-outcome.ts'
import { isDue, isUsable, MAX_PRESENTATIONS, storableDetails } from './stored-session.ts'
import type { IssuedTokens, TokenSessionOptions } from './token-session-options.ts'
import type { HeldTokenStore, StoredSession, TokenStore } from './token-store.ts'

/** How long a refresh waits for the rate at most, in milliseconds, including waits after a 429. */
const MAX_WAIT_MS = 150_000

/** A pair that the service issued, and that could not be stored in place of the one it replaces. */
export interface UnsavedSession {
  readonly session: StoredSession
  readonly replaces: string
}

/** What a refresh is told, and what comes of it. */
export interface RefreshRun {
  readonly options: TokenSessionOptions
  readonly clock: Clock
  readonly random: RandomSource
  /** What time it is for a pair, by the clock that its age is judged with. */
  readonly nowMsFor: (session: StoredSession) => number
  /** Ends the waits, and never a refresh that was sent. */
  readonly signal: AbortSignal
  /** The access token that is no good any more, although its time is not over. */
  readonly refusedToken: string | undefined
  /** Whose session it is. */
  readonly subject: string | undefined
  /** From an earlier refresh. */
  readonly unsaved: UnsavedSession | undefined
}

/** How a refresh ended well. */
export interface Refreshed {
  readonly session: StoredSession
  readonly how: 'refreshed' | 'taken-over'
  readonly unsaved?: UnsavedSession | undefined
}

/** Whether somebody else's pair does, so that nothing has to be presented. */
export function isFresh(session: StoredSession, refusedToken: string | undefined, nowMs: number): boolean {
  return session.accessToken !== refusedToken && isUsable(session, nowMs) && !isDue(session, nowMs)
}

/**
 * Refreshes a stored session: takes over the pair of another process if there is one, or presents the refresh token when
 * the rate allows it. The store is never held during a wait, so that other processes can read, sign in or refresh.
 *
 * @throws SessionLostError, DeadlineError if no request is allowed for too long, or the error of `refresh`.
 */
export function refreshStored(store: TokenStore, run: RefreshRun): Promise<Refreshed> {
  const { clock, random, signal } = run
  const { gate } = run.options
  const limitMs = MAX_WAIT_MS
  const endsAtMs = clock.monotonic() + limitMs
  return retry({
    ...RATE_RETRY,
    ...run.options.retry,
    clock,
    random,
    endsAtMs,
    signals: [signal],
    async attempt() {
      for (;;) {
        const turn = await store.exclusive((held) => takeTurn(held, run), signal)
        if (typeof turn !== 'number') return turn
        await gate?.waitOutside(turn, { signal, limitMs, endsAtMs })
      }
    },
    again: (error) => RateLimitedError.is(error) && error.retryHelps,
    onRetry: async (retried) => {
      await run.options.retry?.onRetry?.(retried)
      await gate?.hold(retried.delayMs)
    },
  })
}

/**
 * One turn while the store is held: reads again, notes that the token is about to be presented, presents it, and stores
 * the new pair in its place.
 *
 * @returns How long to wait, in milliseconds, if no request is allowed now.
 */
async function takeTurn(held: HeldTokenStore, run: RefreshRun): Promise<Refreshed | number> {
  const { options, clock, signal, unsaved } = run
  let stored = await held.read()
  let stillUnsaved: UnsavedSession | undefined
  if (unsaved !== undefined && stored?.refreshToken === unsaved.replaces) {
    stored = unsaved.session
    stillUnsaved = await save(held, unsaved)
  }
  if (stored === undefined) throw lost(run, 'removed')
  if (stored.subject !== run.subject) throw lost(run, 'replaced')
  if (isFresh(stored, run.refusedToken, run.nowMsFor(stored))) {
    return { session: stored, how: 'taken-over', unsaved: stillUnsaved }
  }

  const { refreshToken } = stored
  if (refreshToken === undefined) throw lost(run, 'no-refresh-token')
  if (stored.refused === true) throw lost(run, 'refused')
  const presented = (stored.presented ?? 0) + 1
  if (presented > MAX_PRESENTATIONS) throw lost(run, 'outcome-unknown')
  const waitMs = (await options.gate?.tryEnter(signal)) ?? 0
  if (waitMs > 0) return waitMs

  await held.write({ ...stored, presented })
  const askedAtMs = clock.now()
  let issued: IssuedTokens
  try {
    issued = await options.refresh(refreshToken)
  } catch (error) {
    const outcome = options.outcomeOf?.(error) ?? outcomeOfError(error)
    if (outcome === 'unknown') throw error
    if (outcome === 'refused') {
      await note(held, { ...stored, presented, refused: true })
      throw lost(run, 'refused', error)
    }
    // The service did not look at the token, so the note is taken back.
    await note(held, stored)
    // Its Retry-After applies to every process, whether or not this one waits.
    if (RateLimitedError.is(error) && error.retryAfterMs !== undefined)
      await options.gate?.hold(error.retryAfterMs)
    throw error
  }
  const early = stored.accessToken === run.refusedToken ? { early: true } : {}
  const session = { ...toStored(issued, askedAtMs, stored), ...early }
  return { session, how: 'refreshed', unsaved: await save(held, { session, replaces: refreshToken }) }
}

/** A session from what the service issued. */
export function toStored(issued: IssuedTokens, askedAtMs: number, before?: StoredSession): StoredSession {
  const { accessToken, refreshToken, expiresInMs } = issued
  const subject = issued.subject ?? before?.subject
  const details = storableDetails(issued.details) ?? before?.details
  // A number that JSON cannot hold would make the stored session unreadable.
  const expiresAtMs = expiresInMs === undefined ? Number.NaN : askedAtMs + expiresInMs
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    obtainedAtMs: askedAtMs,
    ...(Number.isFinite(expiresAtMs) ? { expiresAtMs } : {}),
    ...(subject === undefined ? {} : { subject }),
    ...(details === undefined ? {} : { details }),
  }
}

/** Stores a pair that exists nowhere else. A store that fails must not take the session with it. */
async function save(held: HeldTokenStore, unsaved: UnsavedSession): Promise<UnsavedSession | undefined> {
  try {
    await held.write(unsaved.session)
    return undefined
  } catch (error) {
    warn(
      `A refreshed session could not be stored (${codeOf(error)}). ` +
        'This process goes on with it and tries again; other processes, and this one after a restart, will find the ' +
        'session lost unless that succeeds.',
      'CONCORD_SESSION_NOT_STORED',
    )
    return unsaved
  }
}

/** The system's word for a failure says more than that of the error around it. */
function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as {
    readonly code?: unknown
    readonly cause?: { readonly code?: unknown }
  }
  return String(cause?.code ?? code ?? 'no code')
}

/** Leaves word that only spares a request; a store that fails must not hide what happened. */
async function note(held: HeldTokenStore, session: StoredSession): Promise<void> {
  try {
    await held.write(session)
  } catch {
    // Then the word stands that the token was presented.
  }
}

function lost(run: RefreshRun, reason: SessionLostError['reason'], cause?: unknown): SessionLostError {
  return new SessionLostError(reason, { cause, remedy: run.options.remedy })
}
