import type { Sent } from '../core/errors.ts'
import { TimeLimited, type TimeLimits } from '../core/clock.ts'
import type { RequestControl } from './transport.ts'

export const EXPIRED = Symbol('the time limit of the attempt')

/**
 * One attempt to send a request. The caller's signals or a time limit can cancel it.
 *
 * This class avoids creating an AbortController and a timer for every call, because almost no call would use them.
 */
export class Attempt extends TimeLimited implements RequestControl {
  sent: Sent = 'no'
  status: number | undefined = undefined
  cancelled = false
  reason: unknown = undefined
  /**
   * Set whenever the upload of a request body makes progress. The attempt times out `limitMs` after `sinceMs`, unless
   * the connection accepts another part of the body before then.
   */
  silence: { readonly sinceMs: number; readonly limitMs: number } | undefined = undefined
  #onCancel: ((reason: unknown) => void) | undefined = undefined
  #controller: AbortController | undefined = undefined
  #signals: readonly AbortSignal[] | undefined = undefined

  /** Called when {@link Attempt.isHeld} becomes false. */
  onRelease: (() => void) | undefined = undefined

  onCancel(callback: ((reason: unknown) => void) | undefined): void {
    this.#onCancel = callback
    if (callback === undefined) this.onRelease?.()
  }

  /** Whether the transport still holds a connection or another resource for the attempt. */
  get isHeld(): boolean {
    return this.#onCancel !== undefined
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.cancelled) this.#controller.abort(this.reason)
    }
    return this.#controller.signal
  }

  /** Lets these signals cancel the attempt until {@link Attempt.unfollow} is called. */
  follow(signals: readonly AbortSignal[]): void {
    this.#signals = signals
    for (const signal of signals) signal.addEventListener('abort', this)
  }

  unfollow(): void {
    if (this.#signals === undefined) return
    for (const signal of this.#signals) signal.removeEventListener('abort', this)
    this.#signals = undefined
  }

  /** The attempt itself is the event listener, so that no function has to be created for each call. */
  handleEvent(event: Event): void {
    this.cancel((event.target as AbortSignal).reason)
  }

  expire(): void {
    this.cancel(EXPIRED)
  }

  cancel(reason: unknown): void {
    if (this.cancelled) return
    this.cancelled = true
    this.reason = reason
    this.unfollow()
    this.#controller?.abort(reason)
    this.#onCancel?.(reason)
  }
}

/**
 * Restarts the time limit of an attempt when the connection has accepted a part of the request body. Has no
 * effect if the attempt has ended.
 *
 * @param leftMs - The time left until the deadline.
 */
export function restartSilenceLimit(
  { limits }: { readonly limits: TimeLimits },
  attempt: Attempt,
  silence: { readonly sinceMs: number; readonly limitMs: number },
  leftMs = Infinity,
): void {
  if (attempt.bucket === undefined) return
  attempt.silence = silence
  limits.add(attempt, Math.max(0, Math.min(silence.limitMs, leftMs)), silence.sinceMs)
}

export function release({ limits }: { readonly limits: TimeLimits }, attempt: Attempt): void {
  limits.remove(attempt)
  attempt.unfollow()
}

/** A failure that the library must not interpret: an abort by the caller, or an error of the caller's own function. */
export class CallerError {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}
