import type { Clock } from '../core/clock.ts'
import { RateLimitedError, SessionLostError } from '../core/errors.ts'
import type { RandomSource } from '../core/random.ts'
import { wait } from '../core/wait.ts'
import { warn } from '../core/warn.ts'
import { backoffMs } from '../retry/backoff.ts'
import { outcomeOfError } from './refresh-outcome.ts'
import { isDue, isUsable } from './stored-session.ts'
import type { IssuedTokens, TokenSessionOptions } from './token-session-options.ts'
import type { HeldTokenStore, StoredSession } from './token-store.ts'

/** How often a refresh token may be presented while no answer to it is known: once, and once more. */
const MOST_PRESENTATIONS = 2
/** How often a refresh is tried when the service says that there were too many requests. */
const MOST_ATTEMPTS = 5
/** Limits of requests are mostly for a minute, so that the pauses together are about one. */
const BACKOFF = { baseMs: 10_000, capMs: 60_000 }

/**
 * How long a refresh waits at most for its turn and after answers of 429, in milliseconds. Meanwhile it holds the store, and
 * others wait a little longer than this for it.
 */
const LONGEST_WAIT_MS = 150_000

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
 * Refreshes while the store is held: reads again, leaves word that the token is about to be presented, presents it, and
 * puts the new pair in its place.
 *
 * @throws SessionLostError, or what `refresh` threw.
 */
export async function refreshHeld(held: HeldTokenStore, run: RefreshRun): Promise<Refreshed> {
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
  if (presented > MOST_PRESENTATIONS) throw lost(run, 'outcome-unknown')

  const beganMs = clock.monotonic()
  const leftMs = (): number => LONGEST_WAIT_MS - (clock.monotonic() - beganMs)
  for (let attempts = 1; ; attempts++) {
    await options.gate?.enter({ signal, limitMs: leftMs() })
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
      // It was not looked at, so that the word is taken back.
      await note(held, stored)
      if (!RateLimitedError.is(error) || !error.retryHelps || attempts === MOST_ATTEMPTS) throw error
      const delayMs = error.retryAfterMs ?? backoffMs(attempts - 1, BACKOFF, run.random)
      await options.gate?.hold(delayMs)
      // What nobody would sit through is the caller's to plan.
      if (delayMs > leftMs()) throw error
      await wait(clock, delayMs, [signal])
      continue
    }
    const session = toStored(issued, askedAtMs, stored)
    return {
      session,
      how: 'refreshed',
      unsaved: await save(held, { session, replaces: refreshToken }),
    }
  }
}

/** A session from what the service issued. */
export function toStored(issued: IssuedTokens, askedAtMs: number, before?: StoredSession): StoredSession {
  const { accessToken, refreshToken, expiresInMs } = issued
  const subject = issued.subject ?? before?.subject
  const details = issued.details ?? before?.details
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    obtainedAtMs: askedAtMs,
    ...(expiresInMs === undefined ? {} : { expiresAtMs: askedAtMs + expiresInMs }),
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
