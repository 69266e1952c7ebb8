import { memoryRequestLog, type RequestLog } from '../limit/limits.ts'

/** A session as a store keeps it. Everything except the times and the subject is secret. @public */
export interface StoredSession {
  readonly accessToken: string
  /** Works once: the service replaces the pair when it is presented. Without it the session ends with its access token. */
  readonly refreshToken?: string
  /** When the pair was requested, in milliseconds since the Unix epoch; 0 if unknown. */
  readonly obtainedAtMs: number
  /** When the access token expires, in milliseconds since the Unix epoch; absent if unknown. */
  readonly expiresAtMs?: number
  /** The user of the session, as the service names them. A session never passes silently to another user. */
  readonly subject?: string
  /** Data that a client keeps with the pair: JSON of at most 65,536 characters. Larger details are left out. */
  readonly details?: unknown
  /**
   * How often the refresh token was presented without a known response. It is set before each presentation, so that the next
   * process knows if this one dies before the response.
   */
  readonly presented?: number
  /** The pair replaced one whose access token was rejected before it expired. */
  readonly early?: boolean
  /** The service rejected the refresh token. It is never presented again. */
  readonly rejected?: boolean
}

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
 * Keeps a session, for one process or for many.
 *
 * To keep sessions elsewhere (a database, a vault, a keychain), write your own, and run the cases of
 * `tokenStoreConformance` from `@concord/runtime/testing` against it.
 *
 * @public
 */
export interface TokenStore {
  /** Returns the stored session, or `undefined`. Never a partly written one. Needs no exclusion. */
  read(): Promise<StoredSession | undefined>
  /**
   * Runs work that excludes every other holder of this store, and returns its result. Exclusion ends with the work, also if
   * it throws, and with the process, also if it is killed.
   *
   * @param signal Aborting it ends the wait for a turn, with its reason. It does not end the work.
   */
  exclusive<T>(work: (held: HeldTokenStore) => Promise<T>, signal?: AbortSignal): Promise<T>
  /**
   * The times of requests that are limited together, for all processes that share the store. Without it, each process
   * counts its own.
   */
  readonly requestLog?: RequestLog
}

/** A store while it is held. @public */
export interface HeldTokenStore {
  read(): Promise<StoredSession | undefined>
  /**
   * Replaces the stored session as a whole. Once this has settled, the session survives the end of the process and, as far
   * as the store can promise it, of the machine. Rejects without a change if another process has taken over the store
   * (because this one seemed dead).
   */
  write(session: StoredSession): Promise<void>
  /** Removes the stored session, under the same conditions. */
  remove(): Promise<void>
}

/** Keeps a session in memory, where it ends with the process. @public */
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
    const turn = inTurn(this.#last, () => work(this.#held()), signal)
    this.#last = turn.finished
    return turn.result
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

/** Starts work once `before` has settled. An abort before that cancels it. */
function inTurn<T>(
  before: Promise<unknown>,
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): { readonly result: Promise<T>; readonly finished: Promise<void> } {
  let begun = false
  const done = before.then(async () => {
    signal?.throwIfAborted()
    begun = true
    return work()
  })
  const finished = done.then(
    () => undefined,
    () => undefined,
  )
  if (signal === undefined) return { result: done, finished }
  const result = new Promise<T>((resolve, reject) => {
    const onAbort = (): void => {
      if (!begun) reject(signal.reason as Error)
    }
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    done.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
  return { result, finished }
}

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

/** Returns whether a pair that another process stored can be used, so that nothing has to be presented. */
export function isFresh(session: StoredSession, rejectedToken: string | undefined, nowMs: number): boolean {
  return session.accessToken !== rejectedToken && isUsable(session, nowMs) && !isDue(session, nowMs)
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

/** Returns the stored form of an issued pair. */
export function toStored(issued: IssuedTokens, askedAtMs: number, before?: StoredSession): StoredSession {
  const { accessToken, refreshToken, expiresInMs } = issued
  const subject = issued.subject ?? before?.subject
  const details = storableDetails(issued.details) ?? before?.details
  // A number that JSON cannot represent would make the stored session unreadable.
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
