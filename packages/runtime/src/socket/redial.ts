import { ApiError, ConnectionError, SocketError, TimeoutError } from '../core/errors.ts'
import { wait } from '../core/wait.ts'
import type { ClientCore } from '../http/core.ts'
import { backoffMs } from '../retry/backoff.ts'
import type { Link, LinkEnd } from './link.ts'
import type { ConnectionSettings } from './settings.ts'

/** A reconnect counts as successful after this long. If it drops sooner, the back-off and deadline carry on. */
const STABLE_AFTER_MS = 5_000

/** A new connection in place of a lost one. */
export interface Redialled {
  readonly link: Link
  readonly attempts: number
}

/** Replaces a lost connection: back-off with full jitter, until the deadline. */
export class Redialer {
  readonly #core: ClientCore
  readonly #channel: string
  readonly #settings: ConnectionSettings
  #retry = 0
  /** When the trouble began; undefined while all is well. */
  #sinceMs: number | undefined = undefined

  constructor(core: ClientCore, channel: string, settings: ConnectionSettings) {
    this.#core = core
    this.#channel = channel
    this.#settings = settings
  }

  /**
   * @param openedAtMs When the lost connection was opened, on the monotonic clock.
   * @throws SocketError when the deadline comes first or the server denies the connection for good, and every error that
   * another attempt cannot change.
   */
  async redial(
    end: LinkEnd,
    openedAtMs: number,
    dialOnce: () => Promise<Link>,
    signals: readonly AbortSignal[],
  ): Promise<Redialled> {
    const { clock, random } = this.#core
    const { reconnect } = this.#settings
    if (reconnect === undefined) throw this.#givenUp(end, 0, undefined)
    const nowMs = clock.monotonic()
    if (this.#sinceMs === undefined || nowMs - openedAtMs >= STABLE_AFTER_MS) {
      this.#retry = 0
      this.#sinceMs = nowMs
    }
    const deadlineAtMs = this.#sinceMs + reconnect.deadlineMs
    let failure: unknown
    for (let attempts = 0; ;) {
      const leftMs = deadlineAtMs - clock.monotonic()
      const retryAfterMs = SocketError.is(failure) ? (failure.retryAfterMs ?? 0) : 0
      if (leftMs <= 0 || retryAfterMs > leftMs) throw this.#givenUp(end, attempts, failure)
      const delayMs = Math.max(retryAfterMs, backoffMs(this.#retry, reconnect.backoff, random))
      this.#retry += 1
      // The last attempt is made at the deadline.
      await wait(clock, Math.min(delayMs, leftMs), signals)
      attempts += 1
      try {
        return { link: await dialOnce(), attempts }
      } catch (error) {
        for (const signal of signals) signal.throwIfAborted()
        const final = SocketError.is(error) ? this.#settings.finalError?.(error) : undefined
        if (final !== undefined || !mayPass(error)) throw final ?? error
        failure = error
      }
    }
  }

  #givenUp({ closeCode, reason }: LinkEnd, attempts: number, cause: unknown): SocketError {
    const limitMs = this.#settings.reconnect?.deadlineMs
    return new SocketError(
      'socket-closed',
      `${this.#channel}: the connection was lost (close code ${closeCode}), and ${attempts} attempts to replace it ` +
        `failed within ${limitMs} ms (reconnect.deadline).` +
        (cause instanceof Error ? ` The last one: ${cause.message}` : ''),
      { closeCode, reason },
      { operation: this.#channel, cause },
    )
  }
}

/** Whether another attempt may succeed. */
function mayPass(error: unknown): boolean {
  if (ConnectionError.is(error) || TimeoutError.is(error)) return true
  const status = SocketError.is(error) || ApiError.is(error) ? error.status : undefined
  if (status !== undefined) return status === 429 || status === 408 || status >= 500
  // A host that hides the response to a handshake.
  return SocketError.is(error) && error.code === 'socket-refused'
}
