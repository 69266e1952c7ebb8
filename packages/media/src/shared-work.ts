import type { Clock } from '@concord/runtime'
import { bounded } from '@concord/runtime/internal'

/** How long one caller waits for shared work. */
export interface JoinOptions {
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  /** `undefined` for no limit. */
  readonly limitMs: number | undefined
  /** Makes the error to throw when the time is over. */
  readonly late: () => Error
}

/**
 * Work that several callers wait for, each with its own limits. Its last step doesn't start if no caller is waiting, and is
 * aborted when the last one leaves.
 */
export class SharedWork<Result> {
  readonly #done: Promise<Result>
  #waiting = 0
  #lastStep: AbortController | undefined

  /** @param begin - Receives a function that starts the last step: it throws if no caller waits, and returns the step's signal. */
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

  /** Whether it was aborted because the last caller left. */
  get abandoned(): boolean {
    return this.#lastStep?.signal.aborted === true
  }

  /** Resolves when the work has succeeded or failed. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#done])
  }

  /** @throws the error of the work; the signal's own reason on abort; the error of `late` when the time is over. */
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
