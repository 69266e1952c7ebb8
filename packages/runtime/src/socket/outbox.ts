import type { Clock, Timer } from '../core/clock.ts'
import type { ChannelDescriptor } from '../core/descriptors.ts'
import { SocketError, type Unsent } from '../core/errors.ts'
import { type Received, unacknowledgedError } from './connection.ts'
import type { Chunk, StreamPosition } from './reconnect.ts'
import { callCaller } from '../retry/caller-errors.ts'
import type { Link } from './link.ts'
import { checkSource } from './messages.ts'
import type { SendingOptions } from './options.ts'
import type { ConnectionSettings } from './settings.ts'

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface MessageOptions {
  /** Whether this is the gating message (see {@link Gate}), which is sent even while the gate is closed. */
  readonly gating?: boolean
  /** Called when the message is passed to the socket. */
  readonly onWritten?: () => void
}

interface Held extends MessageOptions, Waiter {
  readonly data: string | Uint8Array
  readonly offeredMs: number
}

/** The promise that `send` returns if there is room. Sharing it saves allocations in this usual case. */
export const SENT = Promise.resolve()

/** Added to the size of each message that is held back, because its entry in the list takes memory, too. */
const HELD_OVERHEAD_BYTES = 64
const FRAME_HEADER_BYTES = 14
const NOTIFY_EVERY_BYTES = 65_536

const NOTHING: Unsent = { messages: 0, bytes: 0 }
const NO_OPTIONS: MessageOptions = {}

/**
 * The sending side of a connection. It passes messages to the socket, and resolves the promises of senders when there
 * is room again. Once `maxBytes` are buffered, it rejects further messages, so the buffer exceeds `maxBytes` by one
 * message at most. While disconnected or while the gate (see {@link Gate}) is closed, it holds messages back: at most
 * `maxBytes`, or a single larger message.
 */
export class Outbox {
  readonly #clock: Clock
  readonly #channel: ChannelDescriptor
  readonly #limits: Required<SendingOptions>
  readonly #position: StreamPosition
  #link: Link | undefined = undefined
  gateOpen = true
  /** Set while new messages are rejected, temporarily or for good. */
  #rejection: { readonly error: unknown } | undefined = undefined
  #held: Held[] = []
  #heldBytes = 0
  /** Senders that wait until at most `lowBytes` are buffered. */
  #waiters: Waiter[] = []
  #full = false
  #unnotifiedBytes = 0
  #bufferedBytes = 0
  #bufferedMessages = 0
  /** Messages that were held back and then rejected. */
  #rejected: Unsent = NOTHING
  /**
   * When a binary message or a keep-alive was last sent. The caller's text messages don't count, because the contract
   * requires a keep-alive whenever no binary messages are sent.
   */
  lastActivityMs = 0
  /** When the caller's last message was sent, on the monotonic clock. */
  lastSentMs = 0

  constructor(
    clock: Clock,
    channel: ChannelDescriptor,
    limits: Required<SendingOptions>,
    position: StreamPosition,
  ) {
    this.#clock = clock
    this.#channel = channel
    this.#limits = limits
    this.#position = position
  }

  get bufferedBytes(): number {
    return (this.#link?.bufferedBytes ?? 0) + this.#heldPayloadBytes
  }

  get isHolding(): boolean {
    return this.#held.length > 0
  }

  /** Sends, holds back or rejects a message. Resolves when there is room for more. */
  send(data: string | Uint8Array, options: MessageOptions = NO_OPTIONS): Promise<void> {
    const { gating, onWritten } = options
    if (this.#rejection !== undefined) {
      if (this.#link === undefined) this.#position.noteRejected(data)
      return Promise.reject(this.#rejection.error as Error)
    }
    const link = this.#link
    if (link === undefined || !link.open || !(this.gateOpen || gating)) return this.#hold(data, options)
    const before = link.bufferedBytes
    if (before >= this.#limits.maxBytes)
      return Promise.reject(this.#overflow(`${before} bytes are waiting to be sent`))
    const written = this.#write(link, data, before, this.#clock.monotonic())
    onWritten?.()
    return written
  }

  #write(link: Link, data: string | Uint8Array, before: number, offeredMs: number): Promise<void> {
    const { highBytes } = this.#limits
    const isText = typeof data === 'string'
    const upperBoundBytes = (isText ? data.length * 3 : data.length) + FRAME_HEADER_BYTES
    link.send(data, this.#mustNotify(before, upperBoundBytes))
    this.lastSentMs = offeredMs
    if (!isText) {
      this.lastActivityMs = offeredMs
      this.#position.noteSent(data, offeredMs)
    }
    const after = link.bufferedBytes
    this.#bufferedBytes = after
    this.#bufferedMessages = after === 0 ? 0 : before === 0 ? 1 : this.#bufferedMessages + 1
    if (!this.#full) {
      if (after < highBytes) return SENT
      this.#full = true
    }
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }))
  }

  /**
   * Returns whether the socket must call `flushed` after it has written a frame to the network. These calls take
   * time, so the outbox requests them only if a sender will wait for room, and from time to time while bytes are
   * buffered.
   */
  #mustNotify(before: number, upperBoundBytes: number): boolean {
    this.#unnotifiedBytes += upperBoundBytes
    const must =
      before + upperBoundBytes >= this.#limits.highBytes ||
      (before > 0 && (this.#full || this.#unnotifiedBytes >= NOTIFY_EVERY_BYTES))
    if (must) this.#unnotifiedBytes = 0
    return must
  }

  #hold(data: string | Uint8Array, options: MessageOptions): Promise<void> {
    const sizeBytes = data.length + HELD_OVERHEAD_BYTES
    if (this.#held.length > 0 && this.#heldBytes + sizeBytes > this.#limits.maxBytes) {
      if (this.#link === undefined) this.#position.noteRejected(data)
      const gating = this.#channel.rules.gate?.message
      const until =
        this.gateOpen || gating === undefined ? 'there is a connection' : `\`${gating}\` is acknowledged`
      const wholeBytes = this.#heldBytes + sizeBytes
      return Promise.reject(
        this.#overflow(`with this message, ${wholeBytes} bytes would be held back until ${until}`),
      )
    }
    this.#heldBytes += sizeBytes
    const offeredMs = this.#clock.monotonic()
    return new Promise((resolve, reject) => this.#held.push({ ...options, data, offeredMs, resolve, reject }))
  }

  /** Sends a keep-alive message, except while the buffer is full, because data is still being sent then. */
  keepAlive(text: string): void {
    const link = this.#link
    if (link === undefined || !link.open || !this.gateOpen || link.bufferedBytes >= this.#limits.highBytes)
      return
    this.lastActivityMs = this.#clock.monotonic()
    link.sendIdle(text, link.bufferedBytes > 0)
  }

  /** Switches to a new connection. {@link Outbox.release} then sends the held messages. */
  attach(link: Link, gateOpen: boolean): void {
    this.#link = link
    this.gateOpen = gateOpen
    this.#rejection = undefined
    this.#full = false
    this.#bufferedBytes = 0
    this.#bufferedMessages = 0
    this.lastActivityMs = this.#clock.monotonic()
  }

  /** Puts messages of a lost connection before all messages that are held back. */
  resend(chunks: readonly Chunk[]): void {
    const again = chunks.map(({ bytes, offeredMs }): Held => {
      this.#heldBytes += bytes.length + HELD_OVERHEAD_BYTES
      return { data: bytes, offeredMs, resolve: () => undefined, reject: () => undefined }
    })
    this.#held = [...again, ...this.#held]
  }

  openGate(): void {
    this.gateOpen = true
    this.release()
  }

  /** Sends the held messages that may be sent now. */
  release(): void {
    const held = this.#held
    this.#held = []
    this.#heldBytes = 0
    for (const each of held) {
      const { data, gating, offeredMs, onWritten, resolve, reject } = each
      const link = this.#link
      if (link !== undefined && link.open && (this.gateOpen || gating)) {
        this.#write(link, data, link.bufferedBytes, offeredMs).then(resolve, reject)
        onWritten?.()
      } else {
        this.#held.push(each)
        this.#heldBytes += data.length + HELD_OVERHEAD_BYTES
      }
    }
    if (held.length > this.#held.length) this.lastActivityMs = this.lastSentMs = this.#clock.monotonic()
  }

  onFlushed(): void {
    this.sample()
    if (!this.#full || this.#bufferedBytes > this.#limits.lowBytes) return
    this.#full = false
    this.#settleWaiters((waiter) => waiter.resolve())
  }

  /** Records how much the socket has buffered, because the socket no longer shows this once the connection is lost. */
  sample(): void {
    this.#bufferedBytes = this.#link?.bufferedBytes ?? 0
    if (this.#bufferedBytes === 0) this.#bufferedMessages = 0
  }

  /**
   * Called when the connection is lost. Resolves the promises of senders that wait for room, because their messages
   * are already in the send buffer. Returns how much the send buffer last contained. With `rejection`, held and new
   * messages are rejected; without it, they are held back.
   */
  detach(rejection: Error | undefined): Unsent {
    this.#link = undefined
    const unsent = this.buffered
    this.#settleWaiters((waiter) => waiter.resolve())
    if (rejection !== undefined) {
      for (const { data } of this.#held) this.#position.noteRejected(data)
      this.stop(rejection)
    }
    return unsent
  }

  /** How much the send buffer last contained. */
  get buffered(): Unsent {
    return { messages: this.#bufferedMessages, bytes: this.#bufferedBytes }
  }

  /** How much was not sent: held messages, rejected messages, and the last known contents of the send buffer. */
  get unsent(): Unsent {
    return {
      messages: this.#rejected.messages + this.#held.length + this.#bufferedMessages,
      bytes: this.#rejected.bytes + this.#heldPayloadBytes + this.#bufferedBytes,
    }
  }

  get #heldPayloadBytes(): number {
    return this.#heldBytes - this.#held.length * HELD_OVERHEAD_BYTES
  }

  /** Called after a complete closing handshake: everything in the buffer was sent. */
  drained(): void {
    this.#bufferedBytes = this.#bufferedMessages = 0
  }

  /** Rejects held messages, new messages, and senders that wait for room. */
  end(error: unknown): void {
    this.#link = undefined
    this.stop(error)
    this.#settleWaiters((waiter) => waiter.reject(error))
  }

  /** Rejects held and new messages. Messages in the socket's buffer may still be sent. */
  stop(error: unknown): void {
    this.#rejection = { error }
    const held = this.#held
    this.#rejected = {
      messages: this.#rejected.messages + held.length,
      bytes: this.#rejected.bytes + this.#heldPayloadBytes,
    }
    this.#held = []
    this.#heldBytes = 0
    for (const { reject } of held) reject(error)
  }

  #settleWaiters(settle: (waiter: Waiter) => void): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) settle(waiter)
  }

  #overflow(why: string): SocketError {
    const { id } = this.#channel
    return new SocketError(
      'socket-overflow',
      `${id}: the message was not sent, because \`sending.maxBytes\` is ${this.#limits.maxBytes}, and ${why}. Await each ` +
        'send, use `sendFrom`, or raise `sending.maxBytes`.',
      {},
      { operation: id },
    )
  }
}

/**
 * Opens the channel's gate when the server acknowledges the gating message. Before that, no other message may be
 * sent. If no acknowledgement arrives in time, calls `fail`.
 */
export class Gate {
  readonly #clock: Clock
  readonly #channel: ChannelDescriptor
  readonly #settings: ConnectionSettings
  readonly #outbox: Outbox
  readonly #fail: (error: unknown) => void
  #timer: Timer | undefined = undefined
  /** How many messages have arrived since the gating message was sent. */
  #seen = 0

  constructor(
    about: { readonly clock: Clock; readonly channel: ChannelDescriptor },
    settings: ConnectionSettings,
    outbox: Outbox,
    fail: (error: unknown) => void,
  ) {
    this.#clock = about.clock
    this.#channel = about.channel
    this.#settings = settings
    this.#outbox = outbox
    this.#fail = fail
  }

  get exists(): boolean {
    return this.#channel.rules.gate !== undefined
  }

  isGating(message: string): boolean {
    return message === this.#channel.rules.gate?.message
  }

  /** Called when a message was sent. While the gate is closed, only the gating message can be sent. */
  noteSent(): void {
    if (this.#outbox.gateOpen || this.#timer !== undefined) return
    const { acknowledgeTimeoutMs } = this.#settings
    const { id, rules } = this.#channel
    this.#seen = 0
    this.#timer = this.#clock.setTimer(
      () => this.#fail(unacknowledgedError(id, rules.gate?.message ?? '', acknowledgeTimeoutMs, this.#seen)),
      acknowledgeTimeoutMs,
    )
  }

  /** Opens the gate if a received message is the acknowledgement. Rethrows errors of `acknowledged`. */
  openIfAcknowledged(received: () => Received<ChannelDescriptor>): void {
    if (this.#timer === undefined) return
    this.#seen += 1
    if (this.#settings.acknowledged?.(received()) !== true) return
    this.stop()
    this.#outbox.openGate()
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }
}

/** How many microtasks to wait for a handler. `await` and `Promise.all` don't attach a handler immediately. */
const TURNS = 10

/** A promise that notes whether anyone has attached a handler. */
class Watched<Result> extends Promise<Result> {
  // This makes `then` return an ordinary promise, not another `Watched`.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  isObserved = false

  override then<A = Result, B = never>(
    onFulfilled?: ((value: Result) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.isObserved = true
    return super.then(onFulfilled, onRejected)
  }

  /** Keeps the platform from reporting an unhandled rejection. */
  silence(): void {
    void super.then(undefined, () => undefined)
  }
}

/**
 * Returns a promise with the same outcome as `work`. Callers can ignore this promise: if `work` fails, the platform
 * doesn't report an unhandled rejection. Instead, `onIgnored` is called if no handler is attached to the promise
 * within a few microtasks. Any call of `then` counts as a handler, even one without `onRejected`.
 */
export function watched<Result>(work: Promise<Result>, onIgnored: (error: unknown) => void): Promise<Result> {
  let fail: (error: unknown) => void = () => undefined
  const promise = new Watched<Result>((resolve, reject) => {
    fail = reject
    work.then(resolve, (error: unknown) => void settle(error))
  })
  async function settle(error: unknown): Promise<void> {
    promise.silence()
    fail(error)
    for (let turn = 0; turn < TURNS && !promise.isObserved; turn++) await undefined
    if (!promise.isObserved) onIgnored(error)
  }
  return promise
}

/**
 * Sends every chunk of a source. Rejects as soon as `over` is aborted, even if the source yields nothing for hours.
 *
 * @param over Aborted when the connection stops accepting messages.
 */
export async function sendAll(
  channel: ChannelDescriptor,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  send: (chunk: Uint8Array) => Promise<void>,
  over: AbortSignal,
): Promise<void> {
  checkSource(channel, source)
  const iterator: AsyncIterator<Uint8Array> | Iterator<Uint8Array> =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  let giveUp: ((error: unknown) => void) | undefined
  const onOver = (): void => giveUp?.(over.reason)
  over.addEventListener('abort', onOver)
  let isDone = false
  try {
    for (;;) {
      over.throwIfAborted()
      const result = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        giveUp = reject
        callCaller(() => iterator.next(), 'uncertain').then(resolve, (error: unknown) => {
          isDone = true
          reject(error as Error)
        })
      })
      if (result.done === true) {
        isDone = true
        return
      }
      await send(result.value)
    }
  } finally {
    over.removeEventListener('abort', onOver)
    // `return()` isn't awaited, because a source that waits for its own input may never stop.
    if (!isDone) void (async () => iterator.return?.())().catch(() => undefined)
  }
}
