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
  /** While a body is being sent: since when nothing of it was taken, and for how long that may go on. */
  silence: { readonly sinceMs: number; readonly limitMs: number } | undefined = undefined
  #onCancel: ((reason: unknown) => void) | undefined = undefined
  #controller: AbortController | undefined = undefined
  #signals: readonly AbortSignal[] | undefined = undefined

  /** Called when the transport holds nothing more that a cancel would end. */
  onLetGo: (() => void) | undefined = undefined

  onCancel(callback: ((reason: unknown) => void) | undefined): void {
    this.#onCancel = callback
    if (callback === undefined) this.onLetGo?.()
  }

  /** Whether the transport holds something that a cancel would end, such as a connection. */
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
    this.unfollow()
    this.#controller?.abort(reason)
    this.#onCancel?.(reason)
  }
}

/**
 * Part of a body was taken: the silence that `timeoutMs` limits starts again. An attempt that has ended gets no new
 * limit.
 *
 * @param leftMs - What is left until the deadline.
 */
export function renew(
  { limits }: { readonly limits: TimeLimits },
  attempt: Attempt,
  silence: { readonly sinceMs: number; readonly limitMs: number },
  leftMs = Infinity,
): void {
  if (attempt.bucket === undefined) return
  attempt.silence = silence
  limits.remove(attempt)
  limits.add(attempt, Math.max(0, Math.min(silence.limitMs, leftMs)), silence.sinceMs)
}

/** Leaves no time limit and no listener behind. */
export function release({ limits }: { readonly limits: TimeLimits }, attempt: Attempt): void {
  limits.remove(attempt)
  attempt.unfollow()
}

/** A failure that isn't the library's to judge: an abort by the caller, an error of the caller's own function. */
export class CallersOwn {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}
