import { bounded } from '../core/async.ts'
import { type Clock, type RandomSource, systemClock, type Timer } from '../core/clock.ts'
import { ConcordError, ConnectionError, SessionLostError } from '../core/errors.ts'
import type { RefreshEvent } from '../core/events.ts'
import type { SecretStore } from '../http/credential-source.ts'
import type { Credential } from '../http/credential.ts'
import { isFresh, type Refreshed, refreshStored, toStored, type UnsavedSession } from './refresh-run.ts'
import { dueAtMs, isDue, isJustReplaced, isLost, isSameSession, isUsable } from './stored-session.ts'
import type { IssuedTokens, TokenSessionOptions } from './token-session-options.ts'
import type { StoredSession } from './token-store.ts'

/** After a refresh ahead of time has failed, the next is not tried before this, in milliseconds. */
const PAUSE_AFTER_FAILURE_MS = 30_000

/**
 * Keeps a pair of tokens fresh, for every call of a process and every process that shares the store.
 *
 * The access token is refreshed ahead of its end, in the background; a call waits for it only when it is over. There
 * is one refresh at a time, in this process and across processes. A process that is killed on the way leaves a store
 * that the next one can go on with, or that says that the session is lost.
 *
 * @public
 */
export class TokenSession {
  readonly #options: TokenSessionOptions
  readonly #clock: Clock
  readonly #random: RandomSource
  readonly #closing = new AbortController()
  /** Ends waits: of this session alone, or of all sessions of its client. */
  readonly #stop: AbortSignal
  #known: StoredSession
  /** When the pair that is known came to be known, by both clocks. */
  #knownAt: { readonly wallMs: number; readonly monotonicMs: number }
  #unsaved: UnsavedSession | undefined
  #running: Promise<StoredSession> | undefined
  /** By the clock that never goes back. */
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
    this.#schedule()
  }

  /**
   * Resumes the session in the store, without a request. `undefined` if there is none, or if it is known to be lost: the
   * service rejected its refresh token, or the token was presented twice without an answer, or its lifetime is over. The
   * next sign-in replaces a lost one.
   */
  static async resume(options: TokenSessionOptions): Promise<TokenSession | undefined> {
    const stored = await options.store.read()
    if (stored === undefined) return undefined
    const { clock = systemClock, refreshLifetimeMs } = options
    if (!isLost(stored, clock.now(), refreshLifetimeMs)) return new TokenSession(options, stored)
    emitTo(options, { type: 'refresh', outcome: 'failed', failure: 'session-lost' })
    return undefined
  }

  /**
   * Begins a session with a pair that was just issued, and stores it in place of what was stored.
   *
   * @param askedAtMs When the pair was asked for, in milliseconds since the Unix epoch.
   */
  static async begin(
    options: TokenSessionOptions,
    issued: IssuedTokens,
    askedAtMs: number,
  ): Promise<TokenSession> {
    const session = toStored(issued, askedAtMs)
    await options.store.exclusive((held) => held.write(session))
    return new TokenSession(options, session)
  }

  /** What a client keeps beside the pair. */
  get details(): unknown {
    return this.#known.details
  }

  /** When the access token expires, in milliseconds since the Unix epoch, where that is known. */
  get expiresAtMs(): number | undefined {
    return this.#known.expiresAtMs
  }

  /**
   * Gives an access token that is good now.
   *
   * @throws SessionLostError when there is none to be had any more; on abort the signal's own reason.
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
   * Reports that the service rejected an access token. Resolves to `true` if there is another one; all calls that were
   * rejected with the same token share one refresh.
   *
   * If the rejected token replaced another rejected one less than a minute ago, and requests pass a gate, it is kept: an
   * endpoint that answers 401 to every token must not use up the rate that sign-ins and other processes need.
   *
   * @throws SessionLostError if there can be no other token.
   */
  async refused(accessToken: string, signal?: AbortSignal): Promise<boolean> {
    if (this.#ended) return false
    if (this.#known.accessToken !== accessToken) return true
    const { gate } = this.#options
    if (gate !== undefined && isJustReplaced(this.#known, this.#nowMsFor(this.#known))) return false
    await bounded(this.#renew(accessToken), { signals: [signal] })
    return this.#known.accessToken !== accessToken
  }

  /** Refreshes now, whether or not it is time. */
  async refresh(signal?: AbortSignal): Promise<void> {
    await bounded(this.#renew(this.#known.accessToken), { signals: [signal] })
  }

  /** Gives access tokens to other clients, wherever a key can be a store. */
  get tokens(): Required<SecretStore> {
    return { get: () => this.accessToken(), refused: (accessToken) => this.refused(accessToken) }
  }

  /** `Authorization: Bearer`, with the access token of the moment; a 401 leads to at most one refresh and one retry. */
  get credential(): Credential {
    return {
      in: 'header',
      name: 'authorization',
      prefix: 'Bearer ',
      value: () => this.accessToken(),
      refused: (accessToken) => this.refused(accessToken),
    }
  }

  /**
   * Forgets the session, here and in the store, unless the store now contains another one. No request is sent.
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
   * Stops refreshing, and waiting for a turn to. A refresh that was sent is waited for: its pair exists nowhere else. One
   * that could not be stored is tried once more. An access token that is good stays to be had.
   */
  async close(): Promise<void> {
    this.#closing.abort(
      new ConnectionError(
        'This session is closed and no longer refreshes. Call resume() to start a new one.',
        {
          phase: 'connect',
          sent: 'no',
        },
      ),
    )
    this.#timer?.cancel()
    await this.#running?.catch(() => undefined)
    if (this.#unsaved !== undefined && !this.#ended) await this.#saveAtLast(this.#unsaved)
  }

  toJSON(): Record<string, unknown> {
    return { expiresAtMs: this.expiresAtMs }
  }

  /** Last attempt to save a pair that failed to persist: it is lost when the process exits. That was already reported. */
  async #saveAtLast({ session, replaces }: UnsavedSession): Promise<void> {
    try {
      await this.#options.store.exclusive(async (held) => {
        if ((await held.read())?.refreshToken === replaces) await held.write(session)
      })
      this.#unsaved = undefined
    } catch {
      // Then the warning stands.
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

  /** One refresh at a time. An abort ends a caller's wait for it, never the refresh itself. */
  #renew(refusedToken: string | undefined): Promise<StoredSession> {
    if (this.#running === undefined) {
      const running = this.#run(refusedToken).finally(() => (this.#running = undefined))
      this.#running = running
    }
    return this.#running
  }

  async #run(refusedToken: string | undefined): Promise<StoredSession> {
    try {
      const { session, how, unsaved } = await this.#findOrRefresh(refusedToken)
      if (session.accessToken !== this.#known.accessToken) this.#knownAt = this.#times()
      this.#known = session
      this.#unsaved = unsaved
      // A pair that could not be stored is tried again, but not by every call.
      this.#pausedUntilMs =
        unsaved === undefined ? -Infinity : this.#clock.monotonic() + PAUSE_AFTER_FAILURE_MS
      this.#emit({ type: 'refresh', outcome: how })
      this.#schedule()
      return session
    } catch (error) {
      this.#emit({
        type: 'refresh',
        outcome: 'failed',
        ...(ConcordError.is(error) ? { failure: error.code } : {}),
      })
      throw error
    }
  }

  async #findOrRefresh(refusedToken: string | undefined): Promise<Refreshed> {
    const { store } = this.#options
    const { subject } = this.#known
    this.#stop.throwIfAborted()
    if (this.#unsaved === undefined) {
      // Another process may have been faster; reading that needs no exclusion.
      const stored = await store.read()
      const isMine = stored !== undefined && stored.subject === subject
      if (isMine && isFresh(stored, refusedToken, this.#nowMsFor(stored))) {
        return { session: stored, how: 'taken-over' }
      }
    }
    return refreshStored(store, {
      options: this.#options,
      clock: this.#clock,
      random: this.#random,
      nowMsFor: (session) => this.#nowMsFor(session),
      signal: this.#stop,
      refusedToken,
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
   * The time by which a pair is judged. The pair of this process ages by the monotonic clock, too, so that setting the wall
   * clock back makes it no younger; other pairs have only the wall clock.
   */
  #nowMsFor(session: StoredSession): number {
    const { wallMs, monotonicMs } = this.#times()
    if (session.accessToken !== this.#known.accessToken) return wallMs
    return Math.max(wallMs, this.#knownAt.wallMs + monotonicMs - this.#knownAt.monotonicMs)
  }

  #times(): { readonly wallMs: number; readonly monotonicMs: number } {
    return { wallMs: this.#clock.now(), monotonicMs: this.#clock.monotonic() }
  }

  #emit(event: RefreshEvent): void {
    emitTo(this.#options, event)
  }
}

function emitTo(options: TokenSessionOptions, event: RefreshEvent): void {
  try {
    options.emit?.(event)
  } catch {
    // An observer's error is its own.
  }
}
