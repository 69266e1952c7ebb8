import { bounded, type Clock } from '@concord/runtime'

/** How long one caller waits for shared work. */
export interface JoinOptions {
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  /** `undefined` for as long as it takes. */
  readonly limitMs: number | undefined
  /** Makes the error for when the time is over. */
  readonly late: () => Error
}

/**
 * Work that several callers wait for, each as long as it likes. Its last step doesn't start once no caller waits any more,
 * and is aborted when the last of them leaves.
 */
export class SharedWork<Result> {
  readonly #done: Promise<Result>
  #waiting = 0
  #lastStep: AbortController | undefined

  /** @param begin Receives a function that starts the last step: it throws if no caller waits, and returns the signal for the step. */
  constructor(begin: (lastStep: () => AbortSignal) => Promise<Result>) {
    // Not before the first caller has joined.
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

  /** Whether it was aborted because no caller waited any more. */
  get abandoned(): boolean {
    return this.#lastStep?.signal.aborted === true
  }

  /** Resolves when it has ended in any way. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#done])
  }

  /** @throws what the work throws; the signal's own reason on abort; the error of `late` when the time is over. */
  async join({ clock, signal, limitMs, late }: JoinOptions): Promise<Result> {
    this.#waiting++
    try {
      return await bounded(this.#done, {
        signals: signal === undefined ? [] : [signal],
        ...(limitMs !== undefined && { limit: { clock, ms: limitMs, error: late } }),
      })
    } finally {
      if (--this.#waiting === 0) this.#lastStep?.abort()
    }
  }
}
