import type { Clock } from '@concord/runtime'
import { bounded } from '@concord/runtime/internal'

interface JoinOptions {
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
  readonly limit: { readonly ms: number; readonly error: () => Error } | undefined
}

/**
 * Work that several callers wait for. Each caller has its own signal and time limit. The last step of the work (such
 * as a submission) starts only if a caller is still waiting. This step is aborted when all callers stop waiting.
 */
export class SharedWork<Result> {
  readonly #done: Promise<Result>
  #waiting = 0
  #lastStep: AbortController | undefined

  /**
   * @param begin - Does the work. Receives the function `lastStep`, and must call it before the last step. `lastStep`
   * returns the signal for that step, or throws if no caller is waiting.
   */
  constructor(begin: (lastStep: () => AbortSignal) => Promise<Result>) {
    // Deferred, so that the first caller can join before the work begins.
    this.#done = Promise.resolve().then(() =>
      begin(() => {
        this.#lastStep = new AbortController()
        if (this.#waiting === 0) this.#lastStep.abort()
        this.#lastStep.signal.throwIfAborted()
        return this.#lastStep.signal
      }),
    )
  }

  /** Whether the last step was aborted because no caller was waiting. */
  get abandoned(): boolean {
    return this.#lastStep?.signal.aborted === true
  }

  async settled(): Promise<void> {
    await Promise.allSettled([this.#done])
  }

  /** @throws the error of the work, the reason of an aborted signal or, at the limit, `limit.error()`. */
  async join({ clock, signal, limit }: JoinOptions): Promise<Result> {
    this.#waiting++
    try {
      return await bounded(this.#done, {
        signals: [signal],
        ...(limit && { limit: { clock, ...limit } }),
      })
    } finally {
      if (--this.#waiting === 0) this.#lastStep?.abort()
    }
  }
}
