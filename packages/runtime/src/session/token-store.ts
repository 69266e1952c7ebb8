import { memoryRequestLog, type RequestLog } from './request-limiter.ts'

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
export function inTurn<T>(
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
