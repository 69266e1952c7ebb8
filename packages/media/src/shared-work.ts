import type { Clock } from '@concord/runtime'

/** How long one of those who wait for shared work does so. */
export interface JoinOptions {
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  /** `undefined` for as long as it takes. */
  readonly limitMs: number | undefined
  /** Makes the error for when the time is over. */
  readonly late: () => Error
}

/**
 * Work that several wait for, each as long as it likes. Its last step is not begun when nobody waits any more, and is
 * aborted when the last of them goes.
 */
export class SharedWork<Result> {
  readonly #done: Promise<Result>
  #waiting = 0
  #lastStep: AbortController | undefined

  /** @param begin Is given what begins the last step: it throws when nobody waits, and gives the signal for the step. */
  constructor(begin: (lastStep: () => AbortSignal) => Promise<Result>) {
    // Not before the first one has joined.
    this.#done = Promise.resolve().then(() =>
      begin(() => {
        this.#lastStep = new AbortController()
        if (this.#waiting === 0) this.#lastStep.abort()
        this.#lastStep.signal.throwIfAborted()
        return this.#lastStep.signal
      }),
    )
    this.#done.catch(() => {})
  }

  /** Whether it was aborted, since nobody waited any more. */
  get abandoned(): boolean {
    return this.#lastStep?.signal.aborted === true
  }

  /** Resolves when it has ended in any way. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#done])
  }

  /** @throws what the work throws; the signal's own reason on abort; the error of `late` when the time is over. */
  async join({ clock, signal, limitMs, late }: JoinOptions): Promise<Result> {
    signal?.throwIfAborted()
    const limit = new AbortController()
    const stop = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal])
    const timer = limitMs === undefined ? undefined : clock.setTimer(() => limit.abort(late()), limitMs)
    const { promise: stopped, reject } = Promise.withResolvers<never>()
    const onAbort = (): void => reject(stop.reason as Error)
    stop.addEventListener('abort', onAbort)
    this.#waiting++
    try {
      return await Promise.race([this.#done, stopped])
    } finally {
      // A signal with a listener is kept for as long as those that it follows.
      stop.removeEventListener('abort', onAbort)
      timer?.cancel()
      if (--this.#waiting === 0) this.#lastStep?.abort()
    }
  }
}
