import { type Duration, parseDuration } from '../core/option-checks.ts'
import type { OptionNames } from '../core/option-checks.ts'
import type { PollLoop } from './poll-loop.ts'
import { type OperationUpdate, PollWaiter } from './poll-waiter.ts'

/** How long a wait may last, and what ends it early. @public */
export interface ChangeOptions {
  /** The time limit, as milliseconds or `'5m'`. Default: the limit that the contract recommends. */
  readonly deadline?: Duration
  /** Aborting it ends the wait at once, with the signal's own reason. */
  readonly signal?: AbortSignal
}

export const CHANGE_OPTIONS: OptionNames<ChangeOptions> = { deadline: true, signal: true }

/**
 * Yields the changes of an operation one by one. Each `next()` is a wait of its own, and no resources are held between
 * calls, so an abandoned iterator leaks nothing.
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

  /** Overlapping calls resolve in the order in which they were made. */
  next(): Promise<IteratorResult<OperationUpdate<Snapshot>>> {
    const step = this.#turn.then(() => this.#step())
    this.#turn = step.catch(() => undefined)
    return step
  }

  /** Ends the iteration, including a `next()` that is still pending. */
  return(): Promise<IteratorResult<OperationUpdate<Snapshot>>> {
    this.#finished = true
    this.#waiter?.finish()
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
    // `return()` may have been called during the wait.
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
