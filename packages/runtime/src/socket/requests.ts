import { OptionsError, TimeoutError } from '../core/errors.ts'
import type { Clock } from '../core/clock.ts'
import { type Lease, Semaphore } from '../limit/semaphore.ts'
import type { MessageEntry } from './incoming.ts'

interface Pending {
  readonly answers: readonly string[]
  readonly resolve: (entry: MessageEntry) => void
  readonly reject: (error: unknown) => void
}

/** Requests and what answers them; one at a time. */
export class Requests {
  readonly #clock: Clock
  readonly #channel: string
  readonly #turn = new Semaphore(1)
  readonly #ended = new AbortController()
  #pending: Pending | undefined = undefined

  constructor(clock: Clock, channel: string) {
    this.#clock = clock
    this.#channel = channel
  }

  /** Sends with `send` when it is its turn, and waits for one of the answers. */
  async perform(
    message: string,
    answers: readonly string[] | undefined,
    send: () => Promise<void>,
    options: { readonly signal: AbortSignal | undefined; readonly timeoutMs: number },
  ): Promise<MessageEntry> {
    if (answers === undefined || answers.length === 0) {
      throw new OptionsError('message', `${message} has no answer in the contract.`, 'Use send() for it.')
    }
    const expired = new AbortController()
    const beganMs = this.#clock.monotonic()
    const timer = this.#clock.setTimer(() => {
      expired.abort(this.#tooSlow(message, options.timeoutMs, this.#clock.monotonic() - beganMs))
    }, options.timeoutMs)
    const given = options.signal === undefined ? [] : [options.signal]
    const signals = [this.#ended.signal, expired.signal, ...given]
    let turn: Lease | undefined
    try {
      turn = await this.#turn.acquire(1, signals)
      return await this.#exchange(answers, send, signals)
    } finally {
      timer.cancel()
      turn?.[Symbol.dispose]()
    }
  }

  async #exchange(
    answers: readonly string[],
    send: () => Promise<void>,
    signals: readonly AbortSignal[],
  ): Promise<MessageEntry> {
    const { promise, resolve, reject } = Promise.withResolvers<MessageEntry>()
    const onAbort = (event: Event): void => reject((event.target as AbortSignal).reason)
    for (const signal of signals) signal.addEventListener('abort', onAbort)
    this.#pending = { answers, resolve, reject }
    try {
      // Room in the buffer is not what is waited for here, but what goes wrong is.
      send().catch(reject)
      return await promise
    } finally {
      this.#pending = undefined
      for (const signal of signals) signal.removeEventListener('abort', onAbort)
    }
  }

  /** Answers whether somebody waited for this message. */
  answer(entry: MessageEntry): boolean {
    const pending = this.#pending
    if (pending === undefined || entry.plan === undefined || !pending.answers.includes(entry.plan.key))
      return false
    this.#pending = undefined
    pending.resolve(entry)
    return true
  }

  /** The one that is under way gets no answer any more; those that wait for their turn go on. */
  lose(error: unknown): void {
    this.#pending?.reject(error)
  }

  end(error: unknown): void {
    this.#ended.abort(error)
  }

  #tooSlow(message: string, limitMs: number, elapsedMs: number): TimeoutError {
    return new TimeoutError(
      `${this.#channel}: no answer to ${message} within ${limitMs} ms (timeoutMs). It may have taken effect.`,
      { limitMs, elapsedMs },
      { operation: this.#channel },
    )
  }
}
