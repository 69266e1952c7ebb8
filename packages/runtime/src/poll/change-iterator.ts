import { parseDuration } from '../core/option-checks.ts'
import type { ChangeOptions } from './operation-handle.ts'
import type { PollLoop } from './poll-loop.ts'
import { type OperationUpdate, PollWaiter } from './poll-waiter.ts'

/**
 * Gives the changes of an operation one by one. It holds nothing between two of them: each `next()` is a wait of its
 * own, so that a reader who stops reading leaves nothing behind.
 */
export class ChangeIterator<Snapshot, Result> implements AsyncIterableIterator<OperationUpdate<Snapshot>> {
  readonly #loop: PollLoop<Snapshot, Result>
  readonly #limitMs: number
  readonly #signal: AbortSignal | undefined
  readonly #startedAt: number
  readonly #pollsBefore: number
  #seenVersion = 0
  #finished = false
  #waiter: PollWaiter<Snapshot, Result> | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(loop: PollLoop<Snapshot, Result>, { deadline, signal }: ChangeOptions) {
    this.#loop = loop
    this.#limitMs = deadline === undefined ? loop.plan.limitMs : parseDuration(deadline)
    this.#signal = signal
    this.#startedAt = loop.scheduler.now()
    this.#pollsBefore = loop.polls
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Calls that come before the one before them is answered are answered in their order. */
  next(): Promise<IteratorResult<OperationUpdate<Snapshot>>> {
    const step = this.#turn.then(() => this.#step())
    this.#turn = step.catch(() => undefined)
    return step
  }

  /** Ends it. A `next()` that is under way is answered with the end. */
  return(): Promise<IteratorResult<OperationUpdate<Snapshot>>> {
    this.#finished = true
    this.#waiter?.arrive()
    return Promise.resolve({ done: true, value: undefined })
  }

  async #step(): Promise<IteratorResult<OperationUpdate<Snapshot>>> {
    if (this.#finished) return { done: true, value: undefined }
    const loop = this.#loop
    try {
      this.#signal?.throwIfAborted()
      if (loop.version === this.#seenVersion && loop.state === 'pending') await this.#wait()
    } catch (error) {
      this.#finished = true
      throw error
    }
    // `return()` may have been called meanwhile.
    if (this.#finished as boolean) return { done: true, value: undefined }
    if (loop.version === this.#seenVersion) {
      this.#finished = true
      if (loop.state === 'failure') throw loop.outcome
      return { done: true, value: undefined }
    }
    this.#seenVersion = loop.version
    return { done: false, value: loop.describe(this.#startedAt, this.#pollsBefore) }
  }

  #wait(): Promise<void> {
    const loop = this.#loop
    return new Promise((resolve, reject) => {
      loop.scheduler.assertOpen()
      this.#waiter = new PollWaiter(
        loop,
        {
          seenVersion: this.#seenVersion,
          startedAt: this.#startedAt,
          limitMs: this.#limitMs,
          pollsBefore: this.#pollsBefore,
          signal: this.#signal,
          onUpdate: undefined,
        },
        () => resolve(),
        reject,
      )
      loop.join(this.#waiter)
    })
  }
}
