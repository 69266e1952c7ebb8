import { OptionsError, TimeoutError } from '../core/errors.ts'
import type { Clock } from '../core/clock.ts'
import { type Lease, Semaphore } from '../limit/semaphore.ts'
import type { MessageEntry } from './incoming.ts'

/** Whoever waits for an answer. */
interface Asker {
  readonly resolve: (entry: MessageEntry) => void
  readonly reject: (error: unknown) => void
  /** Whether an answer came meanwhile that was taken for that to an earlier message. */
  passedOver: boolean
}

/** A message that went out and is to be answered. */
interface Question {
  readonly answers: readonly string[]
  /** Not there where nobody waits for the answer: it is read like any other message. */
  readonly asker: Asker | undefined
  readonly sentMs: number
}

/** An answer that nobody waits for is not reckoned with any longer than this. */
const LAPSE_MS = 30_000
/** Nor with more of them than a new connection may be sent again, and one that is asked for. */
const MOST_QUESTIONS = 257

/**
 * Requests and what answers them; one at a time. Nothing in an answer says which message it is for, so answers are
 * given out in the order in which the messages went out: also those to messages that were sent without asking, that
 * were sent again on a new connection, or whose asker has gone.
 */
export class Requests {
  readonly #clock: Clock
  readonly #channel: string
  readonly #turn = new Semaphore(1)
  readonly #ended = new AbortController()
  #asker: Asker | undefined = undefined
  #questions: Question[] = []

  constructor(clock: Clock, channel: string) {
    this.#clock = clock
    this.#channel = channel
  }

  /**
   * Sends with `send` when it is its turn, and waits for one of the answers.
   *
   * @param send Is given what has to be called when the message goes out.
   */
  async perform(
    message: string,
    answers: readonly string[] | undefined,
    send: (onWritten: () => void) => Promise<void>,
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
    send: (onWritten: () => void) => Promise<void>,
    signals: readonly AbortSignal[],
  ): Promise<MessageEntry> {
    const { promise, resolve, reject } = Promise.withResolvers<MessageEntry>()
    const onAbort = (event: Event): void => reject((event.target as AbortSignal).reason)
    for (const signal of signals) signal.addEventListener('abort', onAbort)
    const asker: Asker = { resolve, reject, passedOver: false }
    this.#asker = asker
    try {
      // Room in the buffer is not what is waited for here, but what goes wrong is.
      send(() => this.#note(answers, asker)).catch(reject)
      return await promise
    } catch (error) {
      // An answer came, and was taken for that to an earlier message; so that one gets none. To go on like this would
      // keep every later request from its answer.
      if (asker.passedOver && TimeoutError.is(error)) this.#questions = []
      throw error
    } finally {
      this.#asker = undefined
      for (const signal of signals) signal.removeEventListener('abort', onAbort)
    }
  }

  /** A message went out whose answer nobody waits for. */
  noteSent(answers: readonly string[] | undefined): void {
    if (answers !== undefined && answers.length > 0) this.#note(answers, undefined)
  }

  #note(answers: readonly string[], asker: Asker | undefined): void {
    this.#questions.push({ answers, asker, sentMs: this.#clock.monotonic() })
    if (this.#questions.length > MOST_QUESTIONS) this.#questions.shift()
  }

  /** Whether somebody still waits for the answer to it. */
  #isAsked({ asker }: Question): boolean {
    return asker !== undefined && asker === this.#asker
  }

  /** Answers whether somebody waited for this message. */
  answer(entry: MessageEntry): boolean {
    const key = entry.plan?.key
    if (key === undefined || !this.#questions.some(({ answers }) => answers.includes(key))) return false
    const oldestMs = this.#clock.monotonic() - LAPSE_MS
    const isOpen = (question: Question): boolean => this.#isAsked(question) || question.sentMs > oldestMs
    const index = this.#questions.findIndex((each) => each.answers.includes(key) && isOpen(each))
    const question = this.#questions[index]
    if (question === undefined) return false
    this.#questions = this.#questions.filter((each, at) => at !== index && isOpen(each))
    if (!this.#isAsked(question)) {
      if (this.#asker !== undefined) this.#asker.passedOver = true
      return false
    }
    this.#asker?.resolve(entry)
    this.#asker = undefined
    return true
  }

  /** The connection is lost: nothing is answered any more. Those that wait for their turn go on. */
  lose(error: unknown): void {
    this.#questions = []
    this.#asker?.reject(error)
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
