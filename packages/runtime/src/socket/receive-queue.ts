import { isPromise } from '../core/async.ts'
import type { Link } from './link.ts'
import type { ReceivingOptions } from './options.ts'

interface Node<Item> {
  readonly item: Item
  next: Node<Item> | undefined
}

/** Adding or removing an item takes constant time. */
export class Fifo<Item> implements Iterable<Item> {
  #first: Node<Item> | undefined = undefined
  #last: Node<Item> | undefined = undefined
  #length = 0

  get length(): number {
    return this.#length
  }

  get first(): Item | undefined {
    return this.#first?.item
  }

  push(item: Item): void {
    const node: Node<Item> = { item, next: undefined }
    if (this.#last === undefined) this.#first = node
    else this.#last.next = node
    this.#last = node
    this.#length += 1
  }

  shift(): Item | undefined {
    const node = this.#first
    if (node === undefined) return undefined
    this.#first = node.next
    if (node.next === undefined) this.#last = undefined
    this.#length -= 1
    return node.item
  }

  *[Symbol.iterator](): Generator<Item, void, undefined> {
    for (let node = this.#first; node !== undefined; node = node.next) yield node.item
  }
}

/** An item with its size: the bytes of a binary message, or the UTF-16 code units of a text message. */
export interface Sized {
  readonly sizeBytes: number
}

interface Waiter<Item> {
  readonly resolve: (result: IteratorResult<Item, undefined>) => void
  readonly reject: (error: unknown) => void
}

const DONE: IteratorResult<never, undefined> = { done: true, value: undefined }

/**
 * Keeps received messages, in order, until they are read. When the queue is full, it pauses reading from the network,
 * or drops new messages (see {@link ReceivingOptions.whenFull}).
 */
export class ReceiveQueue<Entry extends Sized, Item> {
  readonly #limits: Required<ReceivingOptions>
  readonly #take: (entry: Entry) => Item | Promise<Item>
  #link: Link | undefined = undefined
  #entries = new Fifo<Entry>()
  bytes = 0
  readonly #waiters = new Fifo<Waiter<Item>>()
  /** Whether reading from the network is paused until messages are read from the queue. */
  paused = false
  #closing = false
  /** How many calls of `stretch(true)` are in effect. */
  #stretched = 0
  #end: { readonly error: unknown; thrown: boolean } | undefined = undefined
  /** The number of messages that found no room or were discarded. */
  dropped = 0
  /** The number of messages that were handed to a reader. */
  taken = 0
  /** The number of readers that have started to iterate and have not stopped. */
  #readers = 0

  /** @param take Turns an entry into what the reader gets. */
  constructor(limits: Required<ReceivingOptions>, take: (entry: Entry) => Item | Promise<Item>) {
    this.#limits = limits
    this.#take = take
  }

  get count(): number {
    return this.#entries.length
  }

  /**
   * The number of unread messages that `finish()` waits for. It is 0 if `paused` is false and no code is reading. In
   * this case, the messages can still be read after the connection has ended.
   */
  get pending(): number {
    return this.paused || this.#readers > 0 ? this.count : 0
  }

  /** Switches to a new connection. Messages of earlier connections may still fill the queue. */
  attach(link: Link): void {
    this.#link = link
    this.paused = false
    this.#adjust()
  }

  /**
   * Adds an entry. Returns false if there was no room and the entry was dropped.
   *
   * @param isOwn Whether the entry is a gap, which is never dropped, because it says what was lost.
   */
  push(entry: Entry, isOwn = false): boolean {
    if (this.#end !== undefined) return true
    const waiter = this.#waiters.shift()
    if (waiter !== undefined) {
      this.#hand(entry, waiter)
      return true
    }
    // While reading is paused, messages that had already been read from the network may still reach the queue. They
    // are never dropped.
    if (!isOwn && !this.paused && this.#isFull()) {
      this.dropped += 1
      return false
    }
    this.#entries.push(entry)
    this.bytes += entry.sizeBytes
    this.#adjust()
    return true
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    const entry = this.#entries.shift()
    if (entry !== undefined) {
      this.bytes -= entry.sizeBytes
      this.#adjust()
      return new Promise((resolve, reject) => this.#hand(entry, { resolve, reject }))
    }
    const end = this.#end
    if (end === undefined) return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }))
    if (end.thrown) return Promise.resolve(DONE)
    // An error is thrown once; after that, the stream has ended.
    end.thrown = true
    return Promise.reject(end.error as Error)
  }

  /** `#readers` counts a reader from the first call of `next()` until `return()` is called. */
  iterator(): AsyncIterator<Item, undefined> {
    let counts = false
    const count = (active: boolean): void => {
      if (counts === active) return
      counts = active
      this.#readers += active ? 1 : -1
    }
    return {
      next: () => {
        count(true)
        return this.next()
      },
      return: () => {
        count(false)
        return Promise.resolve(DONE)
      },
    }
  }

  /**
   * Doubles or restores the limits. They are doubled while the client waits for a reply or a sign of life, because a
   * full queue pauses reading from the network, and the client would wait in vain.
   */
  stretch(on: boolean): void {
    this.#stretched += on ? 1 : -1
    this.#adjust()
  }

  /**
   * Resumes reading from the network, and never pauses it again, because the client must receive the closing
   * handshake even if no one reads messages.
   */
  close(): void {
    this.#closing = true
    this.#adjust()
  }

  clear(): void {
    this.dropped += this.count
    this.#entries = new Fifo()
    this.bytes = 0
  }

  /**
   * Called when nothing more will arrive. The queue still yields unread messages, and then throws `failure`, if any.
   */
  end(failure: { readonly error: unknown } | undefined): void {
    if (this.#end !== undefined) return
    this.#end = { error: failure?.error, thrown: failure === undefined }
    for (const { resolve, reject } of this.#waiters) this.next().then(resolve, reject)
  }

  #hand(entry: Entry, { resolve, reject }: Waiter<Item>): void {
    this.taken += 1
    try {
      const item = this.#take(entry)
      if (isPromise(item)) item.then((value) => resolve({ done: false, value }), reject)
      else resolve({ done: false, value: item })
    } catch (error) {
      reject(error)
    }
  }

  #isFull(): boolean {
    const factor = this.#stretched > 0 ? 2 : 1
    const { maxMessages, maxBytes } = this.#limits
    return this.count >= maxMessages * factor || this.bytes >= maxBytes * factor
  }

  /**
   * Pauses or resumes reading from the network. Reading resumes once the queue is at most half full. While the limits
   * are doubled, it resumes as soon as there is room.
   */
  #adjust(): void {
    if (this.paused) {
      const { maxMessages, maxBytes } = this.#limits
      const hasRoom = this.count * 2 <= maxMessages && this.bytes * 2 <= maxBytes
      if (!hasRoom && !this.#closing && (this.#stretched === 0 || this.#isFull())) return
      this.paused = false
      this.#link?.resume()
    } else if (!this.#closing && this.#limits.whenFull === 'pressure' && this.#isFull()) {
      this.paused = this.#link?.pause() === true
    }
  }
}
