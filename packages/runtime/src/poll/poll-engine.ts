import {
  checkOptionNames,
  functionOption,
  type OptionNames,
  parseDuration,
  signalOption,
} from '../core/option-checks.ts'
import {
  CHANGE_OPTIONS,
  type ChangeOptions,
  type OperationUpdate,
  type TrackedOperation,
  type WaitOptions,
} from './operation.ts'
import { PollLoop, PollWaiter } from './poll-loop.ts'
import { PollQueue } from './poll-queue.ts'

const WAIT_OPTIONS: OptionNames<WaitOptions<unknown>> = { ...CHANGE_OPTIONS, onUpdate: true }

function loopOf<Snapshot, Result>(tracked: TrackedOperation<Snapshot, Result>): PollLoop<Snapshot, Result> {
  const { scheduler } = tracked
  tracked.loop ??= new PollLoop(tracked, (scheduler.queue ??= new PollQueue(scheduler)))
  return tracked.loop as PollLoop<Snapshot, Result>
}

export function waitFor<Snapshot, Result>(
  tracked: TrackedOperation<Snapshot, Result>,
  options: WaitOptions<Snapshot>,
  startedAt: number,
): Promise<Result> {
  // `withResolvers` needs no closure, which saves memory when there are thousands of waits.
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  try {
    begin(tracked, options, startedAt, { resolve, reject })
  } catch (error) {
    reject(error)
  }
  return promise
}

function begin<Snapshot, Result>(
  tracked: TrackedOperation<Snapshot, Result>,
  options: WaitOptions<Snapshot>,
  startedAt: number,
  { resolve, reject }: Omit<PromiseWithResolvers<Result>, 'promise'>,
): void {
  checkOptionNames(options, WAIT_OPTIONS, 'options')
  const { deadline, signal, onUpdate } = options
  functionOption(onUpdate, 'onUpdate')
  const limitMs = deadline === undefined ? tracked.schedule.limitMs : parseDuration(deadline)
  signalOption(signal)?.throwIfAborted()
  const { state, outcome, polls: pollsBefore } = tracked
  if (state === 'success') return resolve(outcome as Result)
  if (state === 'failure') return reject(outcome)
  tracked.scheduler.assertOpen()
  const loop = loopOf(tracked)
  const terms = { seenVersion: undefined, startedAt, limitMs, pollsBefore, signal, onUpdate }
  loop.join(new PollWaiter(loop, terms, resolve, reject))
}

export async function pollOnce<Snapshot, Result>(
  tracked: TrackedOperation<Snapshot, Result>,
  options: ChangeOptions,
  startedAt: number,
): Promise<OperationUpdate<Snapshot>> {
  checkOptionNames(options, CHANGE_OPTIONS, 'options')
  const { deadline, signal } = options
  const limitMs = deadline === undefined ? tracked.schedule.limitMs : parseDuration(deadline)
  signalOption(signal)?.throwIfAborted()
  const { polls: pollsBefore, scheduler } = tracked
  const loop = loopOf(tracked)
  if (tracked.state === 'pending') {
    scheduler.assertOpen()
    tracked.wake()
    await new Promise<void>((resolve, reject) => {
      // With `seenVersion: -1`, the wait ends after the next poll, even if the operation hasn't changed.
      const terms = { seenVersion: -1, startedAt, limitMs, pollsBefore, signal, onUpdate: undefined }
      loop.join(new PollWaiter(loop, terms, () => resolve(), reject))
    })
    if (tracked.lastError !== undefined) throw tracked.lastError
  }
  return loop.describe(startedAt, pollsBefore)
}

interface ChangeTerms {
  readonly limitMs: number
  readonly signal: AbortSignal | undefined
  readonly startedAt: number
  /** How many polls had been sent when the iteration began. */
  readonly pollsBefore: number
}

/**
 * Yields the changes of an operation one by one. Each `next()` is a separate wait. No resources are held between calls,
 * so an abandoned iterator leaks nothing.
 */
export class ChangeIterator<Snapshot, Result> implements AsyncIterableIterator<OperationUpdate<Snapshot>> {
  readonly #tracked: TrackedOperation<Snapshot, Result>
  readonly #terms: ChangeTerms
  #seenVersion = 0
  #finished = false
  #waiter: PollWaiter<Snapshot, Result> | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(tracked: TrackedOperation<Snapshot, Result>, terms: ChangeTerms) {
    this.#tracked = tracked
    this.#terms = terms
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
    const tracked = this.#tracked
    try {
      this.#terms.signal?.throwIfAborted()
      if (tracked.version === this.#seenVersion && tracked.state === 'pending') await this.#wait()
    } catch (error) {
      this.#finished = true
      throw error
    }
    // `return()` may have been called during the wait.
    if (this.#finished as boolean) return { done: true, value: undefined }
    if (tracked.version === this.#seenVersion) {
      this.#finished = true
      if (tracked.state === 'failure') throw tracked.outcome
      return { done: true, value: undefined }
    }
    this.#seenVersion = tracked.version
    const { startedAt, pollsBefore } = this.#terms
    return { done: false, value: loopOf(tracked).describe(startedAt, pollsBefore) }
  }

  #wait(): Promise<void> {
    const loop = loopOf(this.#tracked)
    return new Promise((resolve, reject) => {
      this.#tracked.scheduler.assertOpen()
      const terms = { ...this.#terms, seenVersion: this.#seenVersion, onUpdate: undefined }
      this.#waiter = new PollWaiter(loop, terms, () => resolve(), reject)
      loop.join(this.#waiter)
    })
  }
}
