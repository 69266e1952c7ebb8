import type { StoredSession } from './token-store.ts'

/** An access token is not sent in its last moments, since it could expire on the way. */
const LAST_MOMENTS_MS = 5000
/** The last moments of a token that lives only for seconds, as a share of its life. */
const LAST_MOMENTS_SHARE = 1 / 4
/** About 55 of 60 minutes. */
const REFRESH_AT = 11 / 12

/** How often a refresh token may be presented while no answer to it is known: once, and once more. */
export const MAX_PRESENTATIONS = 2

/** Whether the access token can still be sent. Without a known expiry it can, until the service rejects it. */
export function isUsable({ obtainedAtMs, expiresAtMs }: StoredSession, nowMs: number): boolean {
  if (expiresAtMs === undefined) return true
  const lastMomentsMs = Math.min(LAST_MOMENTS_MS, (expiresAtMs - obtainedAtMs) * LAST_MOMENTS_SHARE)
  return nowMs < expiresAtMs - lastMomentsMs
}

/** Whether no request can bring the session back, so that it is no use to resume it. */
export function isLost(session: StoredSession, nowMs: number, refreshLifetimeMs = Infinity): boolean {
  if (session.refreshToken === undefined) return !isUsable(session, nowMs)
  return (
    session.refused === true ||
    (session.presented ?? 0) >= MAX_PRESENTATIONS ||
    // 0 stands for an unknown age.
    (session.obtainedAtMs > 0 && nowMs >= session.obtainedAtMs + refreshLifetimeMs)
  )
}

/** How long the successor of a rejected access token is kept although it is rejected, too, in milliseconds. */
const KEEP_MS = 60_000

/** Whether the pair just replaced a rejected one, so that replacing it again would not help. */
export function isJustReplaced(session: StoredSession, nowMs: number): boolean {
  return session.early === true && nowMs < session.obtainedAtMs + KEEP_MS && !isFromAhead(session, nowMs)
}

/** When it is time to refresh ahead, in milliseconds since the Unix epoch. */
export function dueAtMs({ obtainedAtMs, expiresAtMs }: StoredSession): number {
  return expiresAtMs === undefined ? Infinity : obtainedAtMs + (expiresAtMs - obtainedAtMs) * REFRESH_AT
}

/** How far the clocks of machines that share a store may differ. */
const CLOCK_SKEW_MS = 60_000

/**
 * Whether it is time to refresh ahead. It is, too, for a pair that seems to come from times ahead: a clock was set back
 * since, so the age of the pair is unknown.
 */
export function isDue(session: StoredSession, nowMs: number): boolean {
  return nowMs >= dueAtMs(session) || (session.expiresAtMs !== undefined && isFromAhead(session, nowMs))
}

function isFromAhead({ obtainedAtMs }: StoredSession, nowMs: number): boolean {
  return obtainedAtMs > nowMs + CLOCK_SKEW_MS
}

/** Whether both belong to the same person; where that is not known, whether they are the same pair. */
export function isSameSession(stored: StoredSession, known: StoredSession): boolean {
  if (stored.subject !== undefined && known.subject !== undefined) return stored.subject === known.subject
  return stored.refreshToken === undefined || known.refreshToken === undefined
    ? stored.accessToken === known.accessToken
    : stored.refreshToken === known.refreshToken
}

/** The largest stored form, in bytes. A file that is larger is some other file. */
export const MAX_STORED_BYTES = 2 ** 20
/** The largest details, in characters of JSON. */
const MAX_DETAILS_LENGTH = 2 ** 16

/**
 * The stored form, as JSON.
 *
 * @returns `undefined` if {@link readStoredSession} could not read it back, so that it must not replace anything.
 */
export function writeStoredSession(session: StoredSession): string | undefined {
  const text = `${JSON.stringify({ [MARK]: VERSION, session }, undefined, 2)}\n`
  if (new TextEncoder().encode(text).length > MAX_STORED_BYTES) return undefined
  return typeof readStoredSession(text) === 'string' ? undefined : text
}

/** The details, unless they are too large or nested too deep to be stored. The session matters more. */
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
 * Reads the stored form.
 *
 * @returns A text that says what is wrong with it, where it is none; it quotes nothing.
 */
export function readStoredSession(text: string): StoredSession | string {
  // After a power failure, or a `touch`.
  if (text.trim() === '') return 'is empty'
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'holds something else than a session'
  }
  if (!isObject(value) || typeof value[MARK] !== 'number') return 'holds something else than a session'
  if (value[MARK] !== VERSION) return 'holds a session that a newer version of this package wrote'
  const session = value['session']
  return isObject(session) && isStoredSession(session) ? session : 'holds a session that is not whole'
}

function isStoredSession(value: Record<string, unknown>): value is Record<string, unknown> & StoredSession {
  const isText = (part: unknown): boolean => typeof part === 'string' && part !== ''
  const isNumber = (part: unknown): boolean => typeof part === 'number' && Number.isFinite(part)
  const optional = (part: unknown, is: (part: unknown) => boolean): boolean => part === undefined || is(part)
  return (
    isText(value['accessToken']) &&
    optional(value['refreshToken'], isText) &&
    isNumber(value['obtainedAtMs']) &&
    optional(value['expiresAtMs'], isNumber) &&
    optional(value['subject'], isText) &&
    optional(value['presented'], isNumber) &&
    optional(value['early'], (part) => typeof part === 'boolean') &&
    optional(value['refused'], (part) => typeof part === 'boolean')
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
