import type { Sent } from '../core/errors.ts'
import { TimeLimited, type TimeLimits } from '../core/time-limits.ts'
import type { RequestControl } from './transport.ts'

/** The reason of an attempt that was given up because its time was over. */
export const EXPIRED = Symbol('the time limit of the attempt')

/**
 * One request under way: what can cancel it (the caller's signals, its time limit), and how far it has come.
 *
 * It stands in for an AbortController, a timer and their listeners, which would be made for every call and
 * be used by almost none.
 */
export class Attempt extends TimeLimited implements RequestControl {
  sent: Sent = 'no'
  status: number | undefined = undefined
  cancelled = false
  reason: unknown = undefined
  #onCancel: ((reason: unknown) => void) | undefined = undefined
  #controller: AbortController | undefined = undefined
  #signals: readonly AbortSignal[] | undefined = undefined

  onCancel(callback: ((reason: unknown) => void) | undefined): void {
    this.#onCancel = callback
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.cancelled) this.#controller.abort(this.reason)
    }
    return this.#controller.signal
  }

  /** Lets these signals cancel it, until {@link Attempt.unfollow}. */
  follow(signals: readonly AbortSignal[]): void {
    this.#signals = signals
    for (const signal of signals) signal.addEventListener('abort', this)
  }

  unfollow(): void {
    if (this.#signals === undefined) return
    for (const signal of this.#signals) signal.removeEventListener('abort', this)
    this.#signals = undefined
  }

  /** It is its own listener, which spares a function for each call. */
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
    this.#controller?.abort(reason)
    this.#onCancel?.(reason)
  }
}

/** Leaves no time limit and no listener behind. */
export function release({ limits }: { readonly limits: TimeLimits }, attempt: Attempt): void {
  limits.remove(attempt)
  attempt.unfollow()
}
