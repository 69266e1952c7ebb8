import { ApiError, ConnectionError, SocketError, TimeoutError } from '../core/errors.ts'
import { wait } from '../core/wait.ts'
import type { ClientCore } from '../http/core.ts'
import { backoffMs } from '../retry/backoff.ts'
import type { Link, LinkEnd } from './link.ts'
import type { ReconnectSettings } from './settings.ts'

/** A connection counts as made again once it held this long; one that is lost sooner goes on with the same troubles. */
const HELD_MS = 5_000

/** A connection that was made again. */
export interface Redialled {
  readonly link: Link
  readonly attempts: number
}

/** Makes a lost connection again: back-off with full jitter, until the deadline. */
export class Redialer {
  readonly #core: ClientCore
  readonly #channel: string
  readonly #settings: ReconnectSettings
  #retry = 0
  /** When the trouble began; not there while all is well. */
  #sinceMs: number | undefined = undefined

  constructor(core: ClientCore, channel: string, settings: ReconnectSettings) {
    this.#core = core
    this.#channel = channel
    this.#settings = settings
  }

  /** Whether the caller wants a connection that ended like this to be made again; an error of theirs means no. */
  wants({ closeCode, reason }: LinkEnd, failed: (error: unknown) => void): boolean {
    try {
      return this.#settings.when({ closeCode, reason })
    } catch (error) {
      failed(error)
      return false
    }
  }

  /**
   * @param openedAtMs When the lost connection was opened, on the monotonic clock.
   * @throws SocketError when the deadline comes first, or the server refuses for good; and what no retry can change.
   */
  async redial(
    end: LinkEnd,
    openedAtMs: number,
    dialOnce: () => Promise<Link>,
    signals: readonly AbortSignal[],
  ): Promise<Redialled> {
    const { clock, random } = this.#core
    const { deadlineMs, backoff } = this.#settings
    const nowMs = clock.monotonic()
    if (this.#sinceMs === undefined || nowMs - openedAtMs >= HELD_MS) {
      this.#retry = 0
      this.#sinceMs = nowMs
    }
    const deadlineAtMs = this.#sinceMs + deadlineMs
    let failure: unknown
    for (let attempts = 0; ;) {
      const askedMs = SocketError.is(failure) ? (failure.retryAfterMs ?? 0) : 0
      const delayMs = Math.max(askedMs, backoffMs(this.#retry, backoff, random))
      this.#retry += 1
      if (clock.monotonic() + delayMs > deadlineAtMs) throw this.#givenUp(end, attempts, failure)
      await wait(clock, delayMs, signals)
      attempts += 1
      try {
        return { link: await dialOnce(), attempts }
      } catch (error) {
        for (const signal of signals) signal.throwIfAborted()
        if (!mayPass(error)) throw error
        failure = error
      }
    }
  }

  #givenUp({ closeCode, reason }: LinkEnd, attempts: number, cause: unknown): SocketError {
    return new SocketError(
      'socket-closed',
      `${this.#channel}: the connection was lost (close code ${closeCode}) and could not be made again within ` +
        `${this.#settings.deadlineMs} ms (reconnect.deadline); ${attempts} attempts since it was lost.`,
      { closeCode, reason },
      { operation: this.#channel, cause },
    )
  }
}

/** Whether another attempt may go better. */
function mayPass(error: unknown): boolean {
  if (ConnectionError.is(error) || TimeoutError.is(error)) return true
  const status = SocketError.is(error) || ApiError.is(error) ? error.status : undefined
  if (status !== undefined) return status === 429 || status === 408 || status >= 500
  // A host that hides the answer to a handshake.
  return SocketError.is(error) && error.code === 'socket-refused'
}
