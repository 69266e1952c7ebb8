import type { StoredSession } from './token-store.ts'

/** An access token is not used for the last moments of its life: it would expire on its way. */
const LAST_MOMENTS_MS = 5000
/** About 55 of 60 minutes. */
const REFRESH_AT = 11 / 12

/** Whether the access token can still be sent. One whose end is not known can, until it is refused. */
export function isUsable({ expiresAtMs }: StoredSession, nowMs: number): boolean {
  return expiresAtMs === undefined || nowMs < expiresAtMs - LAST_MOMENTS_MS
}

/** When it is time to refresh ahead, in milliseconds since the Unix epoch. */
export function dueAtMs({ obtainedAtMs, expiresAtMs }: StoredSession): number {
  return expiresAtMs === undefined ? Infinity : obtainedAtMs + (expiresAtMs - obtainedAtMs) * REFRESH_AT
}

/** How far the clocks of machines that share a store may differ. */
const CLOCK_SKEW_MS = 60_000

/**
 * Whether it is time to refresh ahead. It is, too, for a pair that seems to come from times ahead: a clock was set back
 * since, and nobody knows how old the pair is.
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

/** The stored form, as JSON text. */
export function writeStoredSession(session: StoredSession): string {
  return `${JSON.stringify({ [MARK]: VERSION, session }, undefined, 2)}\n`
}

const MARK = 'concordSession'
const VERSION = 1

/**
 * Reads the stored form.
 *
 * @returns A text that says what is wrong with it, where it is none; it quotes nothing.
 */
export function readStoredSession(text: string): StoredSession | string {
  // A machine that lost its power, or somebody's `touch`.
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
    optional(value['refused'], (part) => typeof part === 'boolean')
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
