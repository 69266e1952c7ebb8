import type { Clock } from '../core/clock.ts'
import { SocketError, type Unsent } from '../core/errors.ts'
import type { SendingOptions } from './connect-options.ts'
import type { KeepAliveTarget } from './keep-alive.ts'
import type { Link } from './link.ts'

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

interface Held extends Waiter {
  readonly data: string | Uint8Array
  readonly onWritten: (() => void) | undefined
}

/** Most sends find room at once; they share this promise. */
const SENT = Promise.resolve()

/** A held message takes more than its bytes; many tiny ones must not be for free. */
const HELD_OVERHEAD_BYTES = 64
const FRAME_HEADER_BYTES = 14
const NOTIFY_EVERY_BYTES = 65_536

/**
 * The sending side: hands messages to the socket, tells senders when there is room again, and holds back what cannot
 * go out yet (no connection, or a closed gate). It never holds more than `maxBytes` of either kind.
 */
export class Outbox implements KeepAliveTarget {
  readonly #clock: Clock
  readonly #channel: string
  readonly #limits: Required<SendingOptions>
  #link: Link | undefined = undefined
  #gateOpen = true
  /** Set when senders are to be refused: for a time, or for good. */
  #refusal: { readonly error: unknown } | undefined = undefined
  #held: Held[] = []
  #heldBytes = 0
  /** Senders that wait for the buffer to fall to the low mark. */
  #waiters: Waiter[] = []
  #full = false
  #unnotifiedBytes = 0
  #bufferedBytes = 0
  #bufferedMessages = 0
  /** Held messages that were refused at last. */
  #refused: Unsent = { messages: 0, bytes: 0 }
  lastActivityMs = 0
  /** Bytes of binary messages given to the connection that is there now. */
  binaryBytes = 0

  constructor(clock: Clock, channel: string, limits: Required<SendingOptions>) {
    this.#clock = clock
    this.#channel = channel
    this.#limits = limits
  }

  get bufferedBytes(): number {
    return (this.#link?.bufferedBytes ?? 0) + this.#heldBytes
  }

  get gateOpen(): boolean {
    return this.#gateOpen
  }

  /** Settles when there is room for more; `onWritten` is called when the message goes to the socket. */
  send(data: string | Uint8Array, onWritten?: () => void): Promise<void> {
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal.error as Error)
    const link = this.#link
    if (link === undefined || !link.open || !(this.#gateOpen || typeof data === 'string')) {
      return this.#hold(data, onWritten)
    }
    const before = link.bufferedBytes
    if (before >= this.#limits.maxBytes) return Promise.reject(this.#overflow(before))
    return this.#write(link, data, before, onWritten)
  }

  #write(
    link: Link,
    data: string | Uint8Array,
    before: number,
    onWritten: (() => void) | undefined,
  ): Promise<void> {
    const { highBytes } = this.#limits
    const isText = typeof data === 'string'
    const mostBytes = (isText ? data.length * 3 : data.length) + FRAME_HEADER_BYTES
    link.send(data, this.#mustNotify(before, mostBytes))
    if (!isText) {
      this.lastActivityMs = this.#clock.monotonic()
      this.binaryBytes += data.length
    }
    onWritten?.()
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
   * Telling when a frame has left costs something, so it is asked for only where somebody will wait for it, and now and
   * then while something is buffered, to know how much was sent.
   */
  #mustNotify(before: number, mostBytes: number): boolean {
    this.#unnotifiedBytes += mostBytes
    const must =
      before + mostBytes >= this.#limits.highBytes ||
      (before > 0 && (this.#full || this.#unnotifiedBytes >= NOTIFY_EVERY_BYTES))
    if (must) this.#unnotifiedBytes = 0
    return must
  }

  #hold(data: string | Uint8Array, onWritten: (() => void) | undefined): Promise<void> {
    const sizeBytes = data.length + HELD_OVERHEAD_BYTES
    if (this.#held.length > 0 && this.#heldBytes + sizeBytes > this.#limits.maxBytes) {
      return Promise.reject(this.#overflow(this.#heldBytes))
    }
    this.#heldBytes += sizeBytes
    return new Promise((resolve, reject) => this.#held.push({ data, onWritten, resolve, reject }))
  }

  /** As much text as there is room for in an otherwise silent connection; where the buffer is full it is not silent. */
  keepAlive(text: string): void {
    const link = this.#link
    if (link === undefined || !link.open || link.bufferedBytes >= this.#limits.highBytes) return
    this.lastActivityMs = this.#clock.monotonic()
    link.send(text, link.bufferedBytes > 0)
  }

  /** Takes a new connection. Held messages stay where they are until {@link Outbox.release}. */
  attach(link: Link, gateOpen: boolean): void {
    this.#link = link
    this.#gateOpen = gateOpen
    this.#refusal = undefined
    this.#full = false
    this.#bufferedBytes = 0
    this.#bufferedMessages = 0
    this.binaryBytes = 0
    this.lastActivityMs = this.#clock.monotonic()
  }

  openGate(): void {
    this.#gateOpen = true
    this.release()
  }

  /** Sends what was held back, as far as it may go out now. */
  release(): void {
    const held = this.#held
    this.#held = []
    this.#heldBytes = 0
    for (const each of held) {
      const { data, onWritten, resolve, reject } = each
      const link = this.#link
      if (link !== undefined && link.open && (this.#gateOpen || typeof data === 'string')) {
        this.#write(link, data, link.bufferedBytes, onWritten).then(resolve, reject)
      } else {
        this.#held.push(each)
        this.#heldBytes += data.length + HELD_OVERHEAD_BYTES
      }
    }
  }

  onFlushed(): void {
    this.sample()
    if (!this.#full || this.#bufferedBytes > this.#limits.lowBytes) return
    this.#full = false
    this.#settleWaiters((waiter) => waiter.resolve())
  }

  /** Notes how much the socket still has. Once a connection is gone, nobody can say any more. */
  sample(): void {
    this.#bufferedBytes = this.#link?.bufferedBytes ?? 0
    if (this.#bufferedBytes === 0) this.#bufferedMessages = 0
  }

  /**
   * The connection is gone. Senders that waited for room have it now; what they sent is part of the answer, as is all
   * else that may not have gone out. New messages are held, or refused with `refusal`, and so are those held already.
   */
  detach(refusal: Error | undefined): Unsent {
    this.#link = undefined
    const unsent = { messages: this.#bufferedMessages, bytes: this.#bufferedBytes }
    this.#settleWaiters((waiter) => waiter.resolve())
    if (refusal !== undefined) this.#refuse(refusal)
    return unsent
  }

  /** What did not go out: what is held or was refused, and what stood in the buffer at last. */
  get unsent(): Unsent {
    return {
      messages: this.#refused.messages + this.#held.length + this.#bufferedMessages,
      bytes: this.#refused.bytes + this.#heldPayloadBytes + this.#bufferedBytes,
    }
  }

  get #heldPayloadBytes(): number {
    return this.#heldBytes - this.#held.length * HELD_OVERHEAD_BYTES
  }

  /** The closing handshake was completed, so all that was sent has gone out. */
  drained(): void {
    this.#bufferedBytes = this.#bufferedMessages = 0
  }

  /** Takes nothing more: what is held and what comes is refused. What the socket has may still go out. */
  stop(error: unknown): void {
    this.#refuse(error)
  }

  /** As {@link Outbox.stop}, and nobody waits any more. */
  abandon(error: unknown): void {
    this.#refuse(error)
    this.#settleWaiters((waiter) => waiter.reject(error))
  }

  /** As {@link Outbox.abandon}, for good. */
  end(error: unknown): void {
    this.#link = undefined
    this.abandon(error)
  }

  #refuse(error: unknown): void {
    this.#refusal = { error }
    const held = this.#held
    this.#refused = {
      messages: this.#refused.messages + held.length,
      bytes: this.#refused.bytes + this.#heldPayloadBytes,
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

  #overflow(bytes: number): SocketError {
    return new SocketError(
      'socket-overflow',
      `${this.#channel}: ${bytes} bytes wait to be sent, so this message was not taken. Wait for each send, or use ` +
        'sendFrom, or raise sending.maxBytes.',
      {},
      { operation: this.#channel },
    )
  }
}
