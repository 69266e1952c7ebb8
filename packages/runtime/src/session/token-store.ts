import type { RequestLog } from './request-gate.ts'

/** A session as a store keeps it. All of it is secret but the times and the subject. @public */
export interface StoredSession {
  readonly accessToken: string
  /** Single use: presenting it gives a pair that replaces this one. Without it the session ends with its access token. */
  readonly refreshToken?: string
  /** When the pair was asked for, in milliseconds since the Unix epoch; 0 if that is not known. */
  readonly obtainedAtMs: number
  /** When the access token expires, in milliseconds since the Unix epoch; not there when it is not known. */
  readonly expiresAtMs?: number
  /** Whose session it is, as the service names them. A session never changes hands in silence. */
  readonly subject?: string
  /** What a client keeps beside the pair: JSON of at most 65,536 characters. Larger details are left out. */
  readonly details?: unknown
  /**
   * How often the refresh token was presented without an answer being known. It is set before each presentation, so
   * that a process which dies on the way leaves word for the next.
   */
  readonly presented?: number
  /** The pair replaced one whose access token was rejected before its time. */
  readonly early?: boolean
  /** The service has refused the refresh token. It is never presented again. */
  readonly refused?: boolean
}

/**
 * Keeps a session, for one process or for many.
 *
 * Bring your own where sessions have another place (a database, a vault, a keychain), and run the cases of
 * `tokenStoreConformance` from `@concord/runtime/testing` against it.
 *
 * @public
 */
export interface TokenStore {
  /** What is stored now; `undefined` when nothing is. Never half of something. Needs no exclusion. */
  read(): Promise<StoredSession | undefined>
  /**
   * Runs work that excludes every other holder of this store, and returns its result. Exclusion ends with the work, also if
   * it throws, and with the process, also if it is killed.
   *
   * @param signal Aborting it ends the wait for one's turn, with its reason. It does not end the work.
   */
  exclusive<T>(work: (held: HeldTokenStore) => Promise<T>, signal?: AbortSignal): Promise<T>
  /**
   * The times of requests that are limited together, shared by all who share the store. Without it each process
   * counts for itself.
   */
  readonly requestLog?: RequestLog
}

/** A store while it is held. @public */
export interface HeldTokenStore {
  read(): Promise<StoredSession | undefined>
  /**
   * Replaces what is stored, as a whole. Once this has settled, the session survives the end of the process and, as far
   * as the store can promise it, of the machine. Rejects, and changes nothing, if another process holds the
   * store by now (because this one seemed dead).
   */
  write(session: StoredSession): Promise<void>
  /** Forgets what is stored. The same conditions hold. */
  remove(): Promise<void>
}
