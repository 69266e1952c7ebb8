import { SocketError } from '../core/errors.ts'
import { type ClientCore, emit } from '../http/client-state.ts'
import { isOfCaller } from '../retry/caller-errors.ts'
import { type Retry, retry, retryEvent } from '../retry/retry.ts'
import { isTransient } from '../retry/retry.ts'
import type { Link, LinkEnd } from './link.ts'
import type { ConnectionSettings, ReconnectSettings } from './settings.ts'

/** A reconnect counts as successful after this long. If it drops sooner, the back-off and deadline carry on. */
const STABLE_AFTER_MS = 5_000

/** A new connection in place of a lost one. */
export interface Replacement {
  readonly link: Link
  readonly attempts: number
}

/** Replaces a lost connection: back-off with full jitter, until the deadline. */
export class Reconnector {
  readonly #core: ClientCore
  readonly #channel: string
  readonly #settings: ReconnectSettings
  readonly #finalError: ConnectionSettings['finalError']
  #failures = 0
  /** When the first of several losses happened; undefined while the connection is stable. */
  #sinceMs: number | undefined = undefined

  constructor(
    core: ClientCore,
    channel: string,
    settings: ReconnectSettings,
    finalError: ConnectionSettings['finalError'],
  ) {
    this.#core = core
    this.#channel = channel
    this.#settings = settings
    this.#finalError = finalError
  }

  /**
   * @param openedAtMs When the lost connection was opened, on the monotonic clock.
   * @throws SocketError when the deadline comes first or the server denies the connection for good, and any error that
   * retrying can't fix.
   */
  async replace(
    end: LinkEnd,
    openedAtMs: number,
    openLink: () => Promise<Link>,
    signals: readonly AbortSignal[],
  ): Promise<Replacement> {
    const { clock, random } = this.#core
    const { backoff, deadlineMs } = this.#settings
    const loss = this.#error(end, `the connection was lost (close code ${end.closeCode}).`)
    const nowMs = clock.monotonic()
    if (this.#sinceMs === undefined || nowMs - openedAtMs >= STABLE_AFTER_MS) {
      this.#failures = 0
      this.#sinceMs = nowMs
    }
    let attempts = -1
    /** An error that no attempt can change. */
    let final: { readonly error: unknown } | undefined
    const job = {
      clock,
      random,
      backoff,
      signals,
      failures: this.#failures,
      endsAtMs: this.#sinceMs + deadlineMs,
      lastAttemptAtEnd: true,
      // The client's budget is for calls. A connection is limited by its back-off and deadline, and isn't a call, so it
      // never earns retry budget, however long it lasts.
      budget: undefined,
      // The loss counts as the first failure, so that there is a wait before the first attempt.
      attempt: (): Promise<Link> => (++attempts === 0 ? Promise.reject(loss) : openLink()),
      again: (error: unknown): boolean => {
        for (const signal of signals) signal.throwIfAborted()
        if (error === loss) return true
        const better = finalErrorOf(error, this.#finalError)
        if (better !== undefined || !isTemporary(error)) final = { error: better ?? error }
        return final === undefined
      },
      onRetry: (retried: Retry): void => {
        this.#failures = retried.failures
        if (attempts > 0) emit(this.#core, retryEvent(this.#channel, attempts, retried))
      },
      lastError: (error: unknown): unknown => {
        if (final !== undefined) return final.error
        const why = error === loss ? '' : ` The last one: ${(error as Error).message}`
        return this.#error(
          end,
          `the connection was lost (close code ${end.closeCode}), and ${attempts} attempts to replace it failed within ` +
            `${deadlineMs} ms (reconnect.deadline).${why}`,
          error,
        )
      },
    }
    return { link: await retry(job), attempts }
  }

  #error({ closeCode, reason }: LinkEnd, what: string, cause?: unknown): SocketError {
    return new SocketError(
      'socket-closed',
      `${this.#channel}: ${what}`,
      { closeCode, reason },
      { operation: this.#channel, cause },
    )
  }
}

/** Asks the caller's `finalError` about an error of the handshake itself. */
export function finalErrorOf(
  error: unknown,
  finalError: ConnectionSettings['finalError'],
): Error | undefined {
  return SocketError.is(error) && !isOfCaller(error) ? finalError?.(error) : undefined
}

/** Returns whether another attempt may succeed. */
function isTemporary(error: unknown): boolean {
  if (isOfCaller(error)) return false
  if (isTransient(error, 'connect')) return true
  // Some hosts, such as browsers, hide the response to a handshake, so the status is unknown.
  return SocketError.is(error) && error.status === undefined
}
