import type { StoredSession } from './token-store.ts'

/** An access token isn't sent shortly before it expires, since it could expire on the way. */
const LAST_MOMENTS_MS = 5000
/** The same as a share of its lifetime, for a token that is only valid for seconds. */
const LAST_MOMENTS_SHARE = 1 / 4
/** About 55 of 60 minutes. */
const REFRESH_AT = 11 / 12

/** How often a refresh token may be presented without a known response: once, and one repetition. */
export const MAX_PRESENTATIONS = 2

/** Returns whether the access token can still be sent. Without a known expiry it can, until the service rejects it. */
export function isUsable({ obtainedAtMs, expiresAtMs }: StoredSession, nowMs: number): boolean {
  if (expiresAtMs === undefined) return true
  const lastMomentsMs = Math.min(LAST_MOMENTS_MS, (expiresAtMs - obtainedAtMs) * LAST_MOMENTS_SHARE)
  return nowMs < expiresAtMs - lastMomentsMs
}

/** Returns whether the session is lost for good, so that resuming it is useless. */
export function isLost(session: StoredSession, nowMs: number, refreshLifetimeMs = Infinity): boolean {
  if (session.refreshToken === undefined) return !isUsable(session, nowMs)
  return (
    session.rejected === true ||
    (session.presented ?? 0) >= MAX_PRESENTATIONS ||
    // 0 means that the age is unknown.
    (session.obtainedAtMs > 0 && nowMs >= session.obtainedAtMs + refreshLifetimeMs)
  )
}

/** How long the successor of a rejected access token is kept even if it is rejected too, in milliseconds. */
const KEEP_MS = 60_000

/** Returns whether the pair just replaced a rejected one, so that replacing it again would not help. */
export function isJustReplaced(session: StoredSession, nowMs: number): boolean {
  return session.early === true && nowMs < session.obtainedAtMs + KEEP_MS && !isFromAhead(session, nowMs)
}

/** Returns when to refresh ahead of expiry, in milliseconds since the Unix epoch. */
export function dueAtMs({ obtainedAtMs, expiresAtMs }: StoredSession): number {
  return expiresAtMs === undefined ? Infinity : obtainedAtMs + (expiresAtMs - obtainedAtMs) * REFRESH_AT
}

/** How far the clocks of machines that share a store may differ. */
const CLOCK_SKEW_MS = 60_000

/**
 * Returns whether it is time to refresh ahead of expiry. That includes a pair that seems to come from the future: a
 * clock was set back since, so the age of the pair is unknown.
 */
export function isDue(session: StoredSession, nowMs: number): boolean {
  return nowMs >= dueAtMs(session) || (session.expiresAtMs !== undefined && isFromAhead(session, nowMs))
}

function isFromAhead({ obtainedAtMs }: StoredSession, nowMs: number): boolean {
  return obtainedAtMs > nowMs + CLOCK_SKEW_MS
}

/** Returns whether both belong to the same user, or, if a user is unknown, whether they are the same pair. */
export function isSameSession(stored: StoredSession, known: StoredSession): boolean {
  if (stored.subject !== undefined && known.subject !== undefined) return stored.subject === known.subject
  return stored.refreshToken === undefined || known.refreshToken === undefined
    ? stored.accessToken === known.accessToken
    : stored.refreshToken === known.refreshToken
}

/** The largest stored form, in bytes. A larger file contains something else. */
export const MAX_STORED_BYTES = 2 ** 20
/** The largest details, in characters of JSON. */
const MAX_DETAILS_LENGTH = 2 ** 16

/**
 * Writes the stored form of a session, as JSON, for token stores.
 *
 * @returns `undefined` if {@link readStoredSession} could not read it back. It must not replace a stored session then.
 * @public
 */
export function writeStoredSession(session: StoredSession): string | undefined {
  const text = `${JSON.stringify({ [MARK]: VERSION, session }, undefined, 2)}\n`
  if (new TextEncoder().encode(text).length > MAX_STORED_BYTES) return undefined
  return typeof readStoredSession(text) === 'string' ? undefined : text
}

/** Returns the details, unless they are too large or too deep to be stored. The session matters more. */
export function storableDetails(details: unknown): unknown {
  try {
    const json: string | undefined = JSON.stringify(details)
    return json !== undefined && json.length <= MAX_DETAILS_LENGTH ? details : undefined
  } catch {
    return undefined
  }
}

const MARK = 'concordSession'
const VERSION = 1

/**
 * Reads the stored form of a session.
 *
 * @returns What is wrong with the text if it isn't a session. It quotes nothing.
 * @public
 */
export function readStoredSession(text: string): StoredSession | string {
  // After a power failure, or a `touch`.
  if (text.trim() === '') return 'is empty'
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'does not contain a session'
  }
  if (!isObject(value) || typeof value[MARK] !== 'number') return 'does not contain a session'
  if (value[MARK] !== VERSION) return 'contains a session that a newer version of this package wrote'
  const session = value['session']
  return isObject(session) && isStoredSession(session) ? session : 'contains an incomplete session'
}

function isStoredSession(value: Record<string, unknown>): value is Record<string, unknown> & StoredSession {
  const isNonEmptyString = (part: unknown): boolean => typeof part === 'string' && part !== ''
  const isNumber = (part: unknown): boolean => typeof part === 'number' && Number.isFinite(part)
  const optional = (part: unknown, is: (part: unknown) => boolean): boolean => part === undefined || is(part)
  return (
    isNonEmptyString(value['accessToken']) &&
    optional(value['refreshToken'], isNonEmptyString) &&
    isNumber(value['obtainedAtMs']) &&
    optional(value['expiresAtMs'], isNumber) &&
    optional(value['subject'], isNonEmptyString) &&
    optional(value['presented'], isNumber) &&
    optional(value['early'], (part) => typeof part === 'boolean') &&
    optional(value['rejected'], (part) => typeof part === 'boolean')
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
