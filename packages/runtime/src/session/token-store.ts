import { bounded } from '../core/async.ts'
import { memoryRequestLog, type RequestLog } from '../limit/limits.ts'

/** A stored session. Everything except the times and the subject is secret. @public */
export interface StoredSession {
  readonly accessToken: string
  /**
   * The session presents this token to the service to get new tokens. A refresh token usually works only once.
   * Without a refresh token, the session ends when its access token expires.
   */
  readonly refreshToken?: string
  /** When the tokens were requested, in milliseconds since the Unix epoch; 0 if unknown. */
  readonly obtainedAtMs: number
  /** When the access token expires, in milliseconds since the Unix epoch; absent if unknown. */
  readonly expiresAtMs?: number
  /** The id of the session's user at the service. A session never switches silently to another user. */
  readonly subject?: string
  /** Data that a client keeps with the tokens: JSON of at most 65,536 characters. Larger data is not stored. */
  readonly details?: unknown
  /**
   * How many times the refresh token was presented without a known response. The number is increased before the token
   * is presented, because the process may end before the response arrives.
   */
  readonly presented?: number
  /** True if the tokens were requested because of a rejected access token or a call of `refresh()`. */
  readonly early?: boolean
  /** True if the service rejected the refresh token. The token is then never presented again. */
  readonly rejected?: boolean
}

/** The tokens that a service issued. @public */
export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken?: string
  /** The lifetime of the access token, counted from the request for the tokens. */
  readonly expiresInMs?: number
  readonly subject?: string
  readonly details?: unknown
}

/**
 * Keeps a session, for one process or for many.
 *
 * To keep sessions in a database, a vault or a keychain, write your own store, and run the cases of
 * `tokenStoreConformance` from `@concord/runtime/testing` against your store.
 *
 * @public
 */
export interface TokenStore {
  /**
   * Returns the stored session, or `undefined` if the store is empty. Never returns a partly written session. The
   * caller doesn't have to hold the store (see {@link TokenStore.exclusive}).
   */
  read(): Promise<StoredSession | undefined>
  /**
   * Holds this store while `work` runs, and returns the result of `work`. Meanwhile, no one else can hold the store,
   * in this process or in another. The store is released when the work ends or throws, and when the process ends or
   * is killed.
   *
   * @param signal If this signal aborts during the wait for the store, the promise rejects with the signal's reason.
   * An abort does not end work that has begun.
   */
  exclusive<T>(work: (held: HeldTokenStore) => Promise<T>, signal?: AbortSignal): Promise<T>
  /**
   * The log of the requests that count toward the rate limit. All processes that share the store share this log.
   * Without a log, each process counts only its own requests.
   */
  readonly requestLog?: RequestLog
}

/** A store that the caller holds (see {@link TokenStore.exclusive}). @public */
export interface HeldTokenStore {
  read(): Promise<StoredSession | undefined>
  /**
   * Replaces the stored session as a whole. Once the promise has resolved, the session survives the end of the process.
   * If the store can guarantee it, the session also survives a crash of the machine. If another process has taken
   * over the store because this process seemed dead, the promise rejects, and the stored session stays unchanged.
   */
  write(session: StoredSession): Promise<void>
  /** Removes the stored session, with the same guarantees as `write`. */
  remove(): Promise<void>
}

/** Returns a store that keeps the session in memory. The session ends with the process. @public */
export function memoryTokenStore(): TokenStore {
  return new MemoryTokenStore()
}

class MemoryTokenStore implements TokenStore {
  readonly requestLog = memoryRequestLog()
  #session: StoredSession | undefined
  #last: Promise<unknown> = Promise.resolve()

  async read(): Promise<StoredSession | undefined> {
    return this.#session && structuredClone(this.#session)
  }

  exclusive<T>(work: (held: HeldTokenStore) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const before = this.#last
    const done = bounded(before, { signals: [signal] }).then(() => work(this.#held()))
    // If this wait is aborted, the next caller still waits for the work that is running.
    this.#last = Promise.allSettled([before, done])
    return done
  }

  #held(): HeldTokenStore {
    return {
      read: () => this.read(),
      write: async (session) => {
        this.#session = structuredClone(session)
      },
      remove: async () => {
        this.#session = undefined
      },
    }
  }

  toJSON(): Record<string, unknown> {
    return { store: 'memory', holdsSession: this.#session !== undefined }
  }
}

/** An access token isn't sent in the last 5 seconds of its lifetime, since it could expire on the way. */
const LAST_MOMENTS_MS = 5000
/** A token with a lifetime of less than 20 seconds isn't sent in the last quarter of its lifetime. */
const LAST_MOMENTS_SHARE = 1 / 4
/** The share of a token's lifetime after which the token is refreshed: 55 of 60 minutes. */
const REFRESH_AT = 11 / 12

/** How many times a refresh token may be presented without a known response: once, plus one repetition. */
export const MAX_PRESENTATIONS = 2

/**
 * Returns whether the access token can still be sent. A token without a known expiry is sent until the service rejects
 * it.
 */
export function isUsable({ obtainedAtMs, expiresAtMs }: StoredSession, nowMs: number): boolean {
  if (expiresAtMs === undefined) return true
  const lastMomentsMs = Math.min(LAST_MOMENTS_MS, (expiresAtMs - obtainedAtMs) * LAST_MOMENTS_SHARE)
  return nowMs < expiresAtMs - lastMomentsMs
}

export function isLost(session: StoredSession, nowMs: number, refreshLifetimeMs = Infinity): boolean {
  if (session.refreshToken === undefined) return !isUsable(session, nowMs)
  return (
    session.rejected === true ||
    (session.presented ?? 0) >= MAX_PRESENTATIONS ||
    // 0 means that the age is unknown.
    (session.obtainedAtMs > 0 && nowMs >= session.obtainedAtMs + refreshLifetimeMs)
  )
}

/** The replacement for a rejected access token is kept for this long, even if the service rejects the replacement. */
const KEEP_MS = 60_000

/**
 * Returns whether the pair was requested early (see {@link StoredSession.early}) less than a minute ago. If the
 * service already rejects this pair too, another refresh would not help.
 */
export function isRecentReplacement(session: StoredSession, nowMs: number): boolean {
  return session.early === true && nowMs < session.obtainedAtMs + KEEP_MS && !isFromAhead(session, nowMs)
}

/** Returns the time at which to refresh ahead of expiry, in milliseconds since the Unix epoch. */
export function dueAtMs({ obtainedAtMs, expiresAtMs }: StoredSession): number {
  return expiresAtMs === undefined ? Infinity : obtainedAtMs + (expiresAtMs - obtainedAtMs) * REFRESH_AT
}

/** The largest expected difference between the clocks of machines that share a store. */
const CLOCK_SKEW_MS = 60_000

/**
 * Returns whether it is time to refresh ahead of expiry. Also returns true if the pair seems to have been requested
 * in the future: then a clock was set back, and the age of the pair is unknown.
 */
export function isDue(session: StoredSession, nowMs: number): boolean {
  return nowMs >= dueAtMs(session) || (session.expiresAtMs !== undefined && isFromAhead(session, nowMs))
}

function isFromAhead({ obtainedAtMs }: StoredSession, nowMs: number): boolean {
  return obtainedAtMs > nowMs + CLOCK_SKEW_MS
}

/** Returns whether a stored pair can be used as it is, without presenting its refresh token. */
export function isFresh(session: StoredSession, rejectedToken: string | undefined, nowMs: number): boolean {
  return session.accessToken !== rejectedToken && isUsable(session, nowMs) && !isDue(session, nowMs)
}

/** Returns whether two sessions belong to the same user. If either user is unknown, compares the tokens instead. */
export function isSameSession(stored: StoredSession, known: StoredSession): boolean {
  if (stored.subject !== undefined && known.subject !== undefined) return stored.subject === known.subject
  return stored.refreshToken === undefined || known.refreshToken === undefined
    ? stored.accessToken === known.accessToken
    : stored.refreshToken === known.refreshToken
}

/** The largest size of a stored session, in bytes. A larger file is not a session file. */
export const MAX_STORED_BYTES = 2 ** 20
/** The largest size of the details, in characters of JSON. */
const MAX_DETAILS_LENGTH = 2 ** 16

/**
 * Returns a session as JSON, in the form in which token stores keep it.
 *
 * @returns The JSON; or `undefined`, if the JSON is larger than 1 MiB, or if {@link readStoredSession} could not read
 * it back. If this function returns `undefined`, don't replace the stored session.
 * @public
 */
export function writeStoredSession(session: StoredSession): string | undefined {
  const text = `${JSON.stringify({ [MARK]: VERSION, session }, undefined, 2)}\n`
  if (new TextEncoder().encode(text).length > MAX_STORED_BYTES) return undefined
  return typeof readStoredSession(text) === 'string' ? undefined : text
}

/** Returns the details, or `undefined` if they are too large to be stored or JSON can't represent them. */
export function storableDetails(details: unknown): unknown {
  try {
    const json: string | undefined = JSON.stringify(details)
    return json !== undefined && json.length <= MAX_DETAILS_LENGTH ? details : undefined
  } catch {
    return undefined
  }
}

export function toStored(issued: IssuedTokens, askedAtMs: number, before?: StoredSession): StoredSession {
  const { accessToken, refreshToken, expiresInMs } = issued
  const subject = issued.subject ?? before?.subject
  const details = storableDetails(issued.details) ?? before?.details
  // If `expiresAtMs` isn't finite, it is left out below: JSON would store `null`, which `readStoredSession` rejects.
  const expiresAtMs = askedAtMs + (expiresInMs ?? Number.NaN)
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    obtainedAtMs: askedAtMs,
    ...(Number.isFinite(expiresAtMs) ? { expiresAtMs } : {}),
    ...(subject === undefined ? {} : { subject }),
    ...(details === undefined ? {} : { details }),
  }
}

const MARK = 'concordSession'
const VERSION = 1

/**
 * Reads a session from the JSON that {@link writeStoredSession} returned.
 *
 * @returns The session; or, if `text` contains no valid session, a string that describes the problem without quoting
 * `text`.
 * @public
 */
export function readStoredSession(text: string): StoredSession | string {
  // A power failure or `touch` can leave an empty file.
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
