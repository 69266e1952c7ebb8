import type { Clock, Timer } from '../core/clock.ts'

/**
 * The bounds of a flow of several calls: the caller's signal and a time limit. Whichever comes first ends what is
 * under way at once, whether or not the work itself takes notice.
 */
export class FlowScope {
  /** What ended it before its time. */
  ended: { readonly error: unknown } | undefined
  readonly #end = Promise.withResolvers<never>()
  readonly #clock: Clock
  readonly #signal: AbortSignal | undefined
  readonly #timer: Timer | undefined
  /** Of the work that is under way; there is one piece at a time. */
  #current: AbortController | undefined
  readonly #onAbort = (): void => this.#finish(this.#signal?.reason)

  /** @throws the signal's reason when it is aborted already. */
  constructor(
    clock: Clock,
    signal: AbortSignal | undefined,
    limit: { readonly ms: number; readonly error: () => unknown } | undefined,
  ) {
    signal?.throwIfAborted()
    this.#clock = clock
    this.#signal = signal
    signal?.addEventListener('abort', this.#onAbort)
    this.#timer = limit && clock.setTimer(() => this.#finish(limit.error()), limit.ms)
    // Nobody may be waiting when it ends.
    this.#end.promise.catch(() => {})
  }

  #finish(error: unknown): void {
    this.ended ??= { error }
    this.#current?.abort(error)
    this.#end.reject(error)
  }

  /** Does a piece of work; gives up with `late()` at `until`, on the monotonic clock. */
  async run<T>(
    work: (signal: AbortSignal) => Promise<T>,
    { until = Infinity, late }: { readonly until?: number; readonly late?: () => unknown } = {},
  ): Promise<T> {
    if (this.ended !== undefined) throw this.ended.error
    const controller = new AbortController()
    const passed = Promise.withResolvers<never>()
    const giveUp = (error: unknown): void => {
      controller.abort(error)
      passed.reject(error)
    }
    const timer =
      late && this.#clock.setTimer(() => giveUp(late()), Math.max(0, until - this.#clock.monotonic()))
    this.#current = controller
    try {
      return await Promise.race([this.#end.promise, passed.promise, work(controller.signal)])
    } finally {
      this.#current = undefined
      timer?.cancel()
    }
  }

  /** Waits until a point in time on the monotonic clock, or until something else is there, whichever comes first. */
  async waitUntil(time: number, early: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = this.#clock.setTimer(resolve, Math.max(0, time - this.#clock.monotonic()))
    try {
      await Promise.race([this.#end.promise, early, promise])
    } finally {
      timer.cancel()
    }
  }

  /** Leaves neither a timer nor a listener behind. */
  close(): void {
    this.#timer?.cancel()
    this.#signal?.removeEventListener('abort', this.#onAbort)
  }
}
