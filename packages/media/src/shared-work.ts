import type { Clock } from '@concord/runtime'
import { bounded } from '@concord/runtime/internal'

/** How long one caller waits for shared work. */
export interface JoinOptions {
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  /** `undefined` for no limit. */
  readonly limitMs: number | undefined
  /** Creates the error to throw at the limit. */
  readonly late: () => Error
}

/**
 * Work that several callers wait for, each with its own limits. The last step of the work doesn't start if no caller is
 * waiting, and is aborted when the last caller leaves.
 */
export class SharedWork<Result> {
  readonly #done: Promise<Result>
  #waiting = 0
  #lastStep: AbortController | undefined

  /**
   * @param begin - Receives a function to call before the last step. It returns that step's signal, or throws if no caller
   * waits.
   */
  constructor(begin: (lastStep: () => AbortSignal) => Promise<Result>) {
    // Deferred, so that the first caller can join.
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

  /** Whether the last step was aborted because no caller was waiting. */
  get abandoned(): boolean {
    return this.#lastStep?.signal.aborted === true
  }

  /** Resolves when the work has succeeded or failed. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#done])
  }

  /** @throws the error of the work; the signal's own reason on abort; the error of `late` at the limit. */
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
