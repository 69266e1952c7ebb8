import { bounded, load } from '../core/async.ts'
import { type Clock, type RandomSource, systemClock, type Timer } from '../core/clock.ts'
import { ConcordError, ConnectionError, SessionLostError } from '../core/errors.ts'
import type { RefreshEvent } from '../core/events.ts'
import { functionOption, methodsOption } from '../core/option-checks.ts'
import type { Credential, SecretStore } from '../http/credential.ts'
import { noteTrusted } from '../retry/caller-errors.ts'
import type * as RefreshRun from './refresh-run.ts'
import type { Refreshed, TokenSessionOptions, UnsavedSession } from './refresh-run.ts'
import {
  dueAtMs,
  isDue,
  isFresh,
  type IssuedTokens,
  isRecentReplacement,
  isLost,
  isSameSession,
  isUsable,
  type StoredSession,
  toStored,
} from './token-store.ts'

/** The shortest time from a failed background refresh to the next one, in milliseconds. */
export const PAUSE_AFTER_FAILURE_MS = 30_000

/**
 * Keeps a pair of tokens (an access token and a refresh token) fresh for all calls of a process, and for all processes
 * that share the store.
 *
 * The access token is refreshed in the background before it expires. Calls wait only if the access token has expired.
 * Only one refresh runs at a time, in this process and across processes. If a process is killed during a refresh, the
 * next process either continues with the stored session or finds that the session is lost.
 *
 * @public
 */
export class TokenSession {
  readonly #options: TokenSessionOptions
  readonly #clock: Clock
  readonly #random: RandomSource
  readonly #closing = new AbortController()
  /** Ends all waits. */
  readonly #stop: AbortSignal
  #known: StoredSession
  /** When this process received the pair in `#known`, by the wall clock and by the monotonic clock. */
  #knownAt: { readonly wallMs: number; readonly monotonicMs: number }
  #unsaved: UnsavedSession | undefined
  #running: Promise<StoredSession> | undefined
  /** The earliest time of the next background refresh, on the monotonic clock. */
  #pausedUntilMs = -Infinity
  #timer: Timer | undefined
  #ended = false

  private constructor(options: TokenSessionOptions, known: StoredSession) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#random = options.random ?? Math.random
    const { signal } = this.#closing
    this.#stop = options.signal === undefined ? signal : AbortSignal.any([options.signal, signal])
    this.#known = known
    this.#knownAt = this.#times()
    // Loads the code for refreshes now, because a new deployment of a website may remove the file later.
    loadRefresh().catch(() => undefined)
    this.#schedule()
  }

  /**
   * Resumes the session in the store, without a request. Returns `undefined` if the store is empty or the session is
   * known to be lost. A session is lost if the service rejected its refresh token, if that token was presented twice
   * without a response, or if that token is older than `refreshLifetimeMs`. A session without a refresh token is lost
   * when its access token has expired. The next sign-in replaces a lost session.
   */
  static async resume(options: TokenSessionOptions): Promise<TokenSession | undefined> {
    checkSession(options)
    const stored = await options.store.read()
    if (stored === undefined) return undefined
    const { clock = systemClock, refreshLifetimeMs } = options
    if (!isLost(stored, clock.now(), refreshLifetimeMs)) return new TokenSession(options, stored)
    emitTo(options, { type: 'refresh', outcome: 'failed', failure: 'session-lost' })
    return undefined
  }

  /**
   * Begins a session with a pair that was just issued. Replaces any session in the store.
   *
   * @param askedAtMs When the pair was requested, in milliseconds since the Unix epoch.
   */
  static async begin(
    options: TokenSessionOptions,
    issued: IssuedTokens,
    askedAtMs: number,
  ): Promise<TokenSession> {
    checkSession(options)
    const session = toStored(issued, askedAtMs)
    await options.store.exclusive((held) => held.write(session))
    return new TokenSession(options, session)
  }

  /** The data stored with the pair: the `details` of {@link IssuedTokens}. */
  get details(): unknown {
    return this.#known.details
  }

  /** When the access token expires, in milliseconds since the Unix epoch, if known. */
  get expiresAtMs(): number | undefined {
    return this.#known.expiresAtMs
  }

  /**
   * Returns an access token that is valid now.
   *
   * @throws SessionLostError if the session is lost; on abort, the signal's own reason; or the error of the refresh.
   */
  async accessToken(signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted()
    if (this.#ended) throw new SessionLostError('removed', { remedy: this.#options.remedy })
    const nowMs = this.#nowMsFor(this.#known)
    if (isUsable(this.#known, nowMs)) {
      if (isDue(this.#known, nowMs) || this.#unsaved !== undefined) this.#refreshAhead()
      return this.#known.accessToken
    }
    const session = await bounded(this.#renew(undefined), { signals: [signal] })
    return session.accessToken
  }

  /**
   * Call this method after the service rejected an access token. Resolves to `true` if the API call can be sent again
   * with a different token. All API calls whose token was rejected share one refresh.
   *
   * If the service limits the rate of refreshes, the replacement for a rejected token is kept for a minute, even if
   * the service rejects the replacement too. Without this rule, an endpoint that responds with 401 to every token
   * would use up the rate limit, which sign-ins and other processes share.
   *
   * @throws SessionLostError if the session is lost.
   */
  async rejected(accessToken: string, signal?: AbortSignal): Promise<boolean> {
    if (this.#ended) return false
    if (this.#known.accessToken !== accessToken) return true
    const { limiter, rate = limiter === undefined ? 'unlimited' : 'limited' } = this.#options
    if (rate === 'limited' && isRecentReplacement(this.#known, this.#nowMsFor(this.#known))) return false
    await bounded(this.#renew(accessToken), { signals: [signal] })
    return this.#known.accessToken !== accessToken
  }

  /** Refreshes now, even if the access token is still valid. */
  async refresh(signal?: AbortSignal): Promise<void> {
    await bounded(this.#renew(this.#known.accessToken), { signals: [signal] })
  }

  /** A secret store that returns the access token. You can pass this store to other clients. */
  get tokens(): Required<SecretStore> {
    return { get: () => this.accessToken(), rejected: (accessToken) => this.rejected(accessToken) }
  }

  /** `Authorization: Bearer` with the current access token. A 401 causes at most one refresh and one retry. */
  get credential(): Credential {
    return {
      in: 'header',
      name: 'authorization',
      prefix: 'Bearer ',
      value: () => this.accessToken(),
      rejected: (accessToken) => this.rejected(accessToken),
    }
  }

  /**
   * Forgets the session, and removes it from the store unless the store now contains another session. No request is
   * sent.
   */
  async forget(): Promise<void> {
    this.#ended = true
    await this.close()
    await this.#options.store.exclusive(async (held) => {
      const stored = await held.read()
      if (stored !== undefined && isSameSession(stored, this.#known)) await held.remove()
    })
  }

  /**
   * Stops refreshing. If a refresh was already sent, waits for its response, because only this process receives the new
   * pair. Tries once more to store a pair that could not be stored. A valid access token can still be used.
   */
  async close(): Promise<void> {
    this.#closing.abort(
      new ConnectionError(
        'This session is closed and no longer refreshes tokens. To continue, resume the session from the store, or sign in again.',
        {
          phase: 'connect',
          sent: 'no',
        },
      ),
    )
    this.#timer?.cancel()
    await this.#running?.catch(() => undefined)
    if (this.#unsaved !== undefined) await this.#saveAtLast(this.#unsaved)
  }

  toJSON(): Record<string, unknown> {
    return { expiresAtMs: this.expiresAtMs }
  }

  /** Tries one last time to store a pair, which would otherwise be lost when the process exits. */
  async #saveAtLast({ session, replaces }: UnsavedSession): Promise<void> {
    try {
      await this.#options.store.exclusive(async (held) => {
        if ((await held.read())?.refreshToken === replaces) await held.write(session)
      })
      this.#unsaved = undefined
    } catch {
      // Ignored, because an earlier warning already reported that this pair could not be stored.
    }
  }

  #refreshAhead(): void {
    if (this.#running !== undefined || this.#stop.aborted) return
    if (this.#clock.monotonic() < this.#pausedUntilMs) return
    this.#renew(undefined).catch((error: unknown) => {
      this.#pausedUntilMs = SessionLostError.is(error)
        ? Infinity
        : this.#clock.monotonic() + PAUSE_AFTER_FAILURE_MS
      this.#schedule()
    })
  }

  /** Runs one refresh at a time, which all callers share. */
  #renew(rejectedToken: string | undefined): Promise<StoredSession> {
    if (this.#running === undefined) {
      const running = this.#run(rejectedToken).finally(() => (this.#running = undefined))
      this.#running = running
    }
    return this.#running
  }

  async #run(rejectedToken: string | undefined): Promise<StoredSession> {
    try {
      const { session, how, unsaved } = await this.#findOrRefresh(rejectedToken)
      if (session.accessToken !== this.#known.accessToken) this.#knownAt = this.#times()
      this.#known = session
      this.#unsaved = unsaved
      // If the pair could not be stored, the next attempt to store it follows after a pause, not with the next call.
      this.#pausedUntilMs =
        unsaved === undefined ? -Infinity : this.#clock.monotonic() + PAUSE_AFTER_FAILURE_MS
      emitTo(this.#options, { type: 'refresh', outcome: how })
      this.#schedule()
      return session
    } catch (error) {
      // Normally, an API call isn't retried if an object that the caller passed, such as this session, throws. But
      // this error may come from the token endpoint, so its type decides whether the call is retried.
      noteTrusted(error)
      emitTo(this.#options, {
        type: 'refresh',
        outcome: 'failed',
        ...(ConcordError.is(error) ? { failure: error.code } : {}),
      })
      throw error
    }
  }

  async #findOrRefresh(rejectedToken: string | undefined): Promise<Refreshed> {
    const { store } = this.#options
    const { subject } = this.#known
    this.#stop.throwIfAborted()
    if (this.#unsaved === undefined) {
      // Another process may have refreshed already. Its pair can be read without holding the store.
      const stored = await store.read()
      const isMine = stored !== undefined && stored.subject === subject
      if (isMine && isFresh(stored, rejectedToken, this.#nowMsFor(stored))) {
        return { session: stored, how: 'taken-over' }
      }
    }
    const { refreshStored } = refreshRun ?? (await loadRefresh())
    return refreshStored(store, {
      options: this.#options,
      clock: this.#clock,
      random: this.#random,
      nowMsFor: (session) => this.#nowMsFor(session),
      signal: this.#stop,
      rejectedToken,
      subject,
      unsaved: this.#unsaved,
    })
  }

  #schedule(): void {
    if (this.#options.keepFresh !== true || this.#stop.aborted) return
    this.#timer?.cancel()
    const nowMs = this.#nowMsFor(this.#known)
    const dueMs = isDue(this.#known, nowMs) ? 0 : dueAtMs(this.#known) - nowMs
    const delayMs = Math.max(0, dueMs, this.#pausedUntilMs - this.#clock.monotonic())
    if (delayMs !== Infinity) this.#timer = this.#clock.setTimer(() => this.#refreshAhead(), delayMs)
  }

  /**
   * Returns the current time, to compare with the times in `session`. For the pair that this process uses, the age is
   * also measured with the monotonic clock, so that the pair doesn't become younger if the wall clock is set back.
   * For other pairs, only the wall clock is available.
   */
  #nowMsFor(session: StoredSession): number {
    const { wallMs, monotonicMs } = this.#times()
    if (session.accessToken !== this.#known.accessToken) return wallMs
    return Math.max(wallMs, this.#knownAt.wallMs + monotonicMs - this.#knownAt.monotonicMs)
  }

  #times(): { readonly wallMs: number; readonly monotonicMs: number } {
    return { wallMs: this.#clock.now(), monotonicMs: this.#clock.monotonic() }
  }
}

let refreshRun: typeof RefreshRun | undefined

/** If loading fails, the next refresh tries again. */
async function loadRefresh(): Promise<typeof RefreshRun> {
  return (refreshRun = await load(import('./refresh-run.ts'), { operation: 'refresh' }))
}

/** @throws OptionsError */
function checkSession(options: TokenSessionOptions): void {
  const { store = null, refresh = null } = (options ?? {}) as Partial<TokenSessionOptions>
  methodsOption(store, 'store', ['read', 'exclusive'], 'Pass memoryTokenStore() or another TokenStore.')
  functionOption(refresh, 'refresh')
}

function emitTo(options: TokenSessionOptions, event: RefreshEvent): void {
  try {
    options.emit?.(event)
  } catch {
    // Errors of an observer are ignored.
  }
}
