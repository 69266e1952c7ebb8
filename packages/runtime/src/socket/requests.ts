import { throwIfAborted } from '../core/async.ts'
import type { Clock } from '../core/clock.ts'
import { OptionsError, TimeoutError } from '../core/errors.ts'
import { readPointer } from '../core/json.ts'
import { type Lease, Semaphore } from '../limit/limits.ts'
import type { MessageEntry, MessagePlan } from './messages.ts'

interface PendingRequest {
  readonly resolve: (entry: MessageEntry) => void
  readonly reject: (error: unknown) => void
  /** Whether a reply that arrived during this request was matched to an earlier message. */
  passedOver: boolean
}

interface ExpectedReply {
  readonly keys: readonly string[]
  /** The value that the message and its reply share, if the contract names such a value. */
  readonly correlation: unknown
  /** Undefined if no caller waits for the reply. */
  readonly request: PendingRequest | undefined
  readonly sentMs: number
}

/** How long to expect a reply that no caller awaits. */
const LAPSE_MS = 30_000
/** The largest number of expected replies. A reconnect replays up to 256 messages, and one request can be pending. */
const MAX_EXPECTED = 257

/**
 * Sends requests, one at a time, and matches replies to messages. If the contract names a value that a message and its
 * reply share, a reply belongs to the message with the same value. Otherwise, replies are matched to messages in the
 * order in which the messages were sent. This includes messages whose reply no caller awaits: messages from `send()`,
 * replayed messages, and messages whose caller has given up.
 */
export class Requests {
  readonly #clock: Clock
  readonly #channel: string
  readonly #turn = new Semaphore(1)
  readonly #ended = new AbortController()
  readonly #unread: () => number
  #pending: PendingRequest | undefined = undefined
  #expected: ExpectedReply[] = []

  /**
   * @param unread Returns the number of unread messages if reading from the network is paused, and 0 otherwise.
   */
  constructor(clock: Clock, channel: string, unread: () => number) {
    this.#clock = clock
    this.#channel = channel
    this.#unread = unread
  }

  /**
   * Waits until earlier requests are done, sends the message, and waits for its reply.
   *
   * @param keys The keys of the messages (in the contract) that can be the reply.
   * @param send Sends the message, and calls `onWritten` when the message goes out.
   */
  async perform(
    message: string,
    keys: readonly string[] | undefined,
    send: (onWritten: () => void) => Promise<void>,
    options: {
      readonly signal: AbortSignal | undefined
      readonly timeoutMs: number
      readonly correlation?: unknown
    },
  ): Promise<MessageEntry> {
    if (keys === undefined) {
      throw new OptionsError(
        'message',
        `The message \`${message}\` has no reply in the contract.`,
        'Send this message with `send()`.',
      )
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
      return await this.#exchange({ keys, correlation: options.correlation }, send, signals, expired.signal)
    } finally {
      timer.cancel()
      turn?.[Symbol.dispose]()
    }
  }

  async #exchange(
    reply: Pick<ExpectedReply, 'keys' | 'correlation'>,
    send: (onWritten: () => void) => Promise<void>,
    signals: readonly AbortSignal[],
    expired: AbortSignal,
  ): Promise<MessageEntry> {
    throwIfAborted(signals)
    const { promise, resolve, reject } = Promise.withResolvers<MessageEntry>()
    const onAbort = (event: Event): void => reject((event.target as AbortSignal).reason)
    for (const signal of signals) signal.addEventListener('abort', onAbort)
    const request: PendingRequest = { resolve, reject, passedOver: false }
    this.#pending = request
    try {
      // `send` isn't awaited, because it resolves only when there is room for more messages. Only its failure matters
      // here.
      send(() => this.#expect(reply, request)).catch(reject)
      return await promise
    } catch (error) {
      // The reply to this request was probably matched to an earlier message, to which the server never replied.
      // Without a reset, later replies would be matched to the wrong messages, too.
      if (request.passedOver && expired.aborted) this.#expected = []
      throw error
    } finally {
      this.#pending = undefined
      for (const signal of signals) signal.removeEventListener('abort', onAbort)
    }
  }

  /** Called when a message was sent and no caller awaits its reply. */
  noteSent(keys: readonly string[] | undefined, correlation?: unknown): void {
    if (keys !== undefined) this.#expect({ keys, correlation }, undefined)
  }

  #expect(reply: Pick<ExpectedReply, 'keys' | 'correlation'>, request: PendingRequest | undefined): void {
    this.#expected.push({ ...reply, request, sentMs: this.#clock.monotonic() })
    if (this.#expected.length > MAX_EXPECTED) this.#expected.shift()
  }

  #isAwaited(reply: ExpectedReply): reply is ExpectedReply & { readonly request: PendingRequest } {
    return reply.request !== undefined && reply.request === this.#pending
  }

  /** Resolves the request that waits for this message. Returns false if no request waits for it. */
  settle(entry: MessageEntry): boolean {
    const key = entry.plan?.key ?? ''
    if (!this.#expected.some(({ keys }) => keys.includes(key))) return false
    const oldestMs = this.#clock.monotonic() - LAPSE_MS
    const isStillExpected = (reply: ExpectedReply): boolean =>
      this.#isAwaited(reply) || reply.sentMs > oldestMs
    const correlation = correlationOf(entry.plan, entry.data)
    const mayMatch = (reply: ExpectedReply): boolean =>
      correlation === undefined || reply.correlation === undefined || reply.correlation === correlation
    const index = this.#expected.findIndex(
      (each) => each.keys.includes(key) && mayMatch(each) && isStillExpected(each),
    )
    const reply = this.#expected[index]
    if (reply === undefined) return false
    this.#expected = this.#expected.filter((each, at) => at !== index && isStillExpected(each))
    if (!this.#isAwaited(reply)) {
      if (this.#pending !== undefined) this.#pending.passedOver = true
      return false
    }
    reply.request.resolve(entry)
    this.#pending = undefined
    return true
  }

  /** Called when the connection is lost. Requests that haven't been sent keep waiting for their turn. */
  lose(error: unknown): void {
    this.#expected = []
    this.#pending?.reject(error)
  }

  end(error: unknown): void {
    this.#ended.abort(error)
  }

  #tooSlow(message: string, limitMs: number, elapsedMs: number): TimeoutError {
    const unread = this.#unread()
    const why =
      unread === 0
        ? ''
        : ` ${unread} received messages are waiting to be read, and the reply may be behind them: keep reading from the ` +
          'connection while a request is pending.'
    return new TimeoutError(
      `${this.#channel}: no reply to \`${message}\` arrived within ${limitMs} ms (\`timeoutMs\`). The request may still have taken effect.${why}`,
      { limitMs, elapsedMs },
      { operation: this.#channel },
    )
  }
}

/** Returns the value that a message shares with its reply, if the contract names one and the message has it. */
export function correlationOf(plan: MessagePlan | undefined, payload: unknown): unknown {
  const pointer = plan?.descriptor.correlation
  return pointer === undefined ? undefined : readPointer(payload, pointer)
}
