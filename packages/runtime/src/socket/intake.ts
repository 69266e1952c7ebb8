import type { ReceivingOptions } from './connect-options.ts'
import type { Sized } from './inbox.ts'
import type { Link } from './link.ts'
import { Reader } from './reader.ts'

/**
 * What comes in, held to its limits: when too much waits to be read, nothing more is read from the network; where
 * that cannot be done, or is not wanted, it has overflown.
 */
export class Intake<Entry extends Sized, Item> {
  readonly reader: Reader<Entry, Item>
  readonly #limits: Required<ReceivingOptions>
  #link: Link | undefined = undefined
  #paused = false
  /** Set once the connection is being closed: what finds no room then is dropped and counted. */
  #closing = false
  dropped = 0

  constructor(limits: Required<ReceivingOptions>, take: (entry: Entry) => Item | Promise<Item>) {
    this.#limits = limits
    this.reader = new Reader(take, () => this.#onTaken())
  }

  attach(link: Link): void {
    this.#link = link
    this.#paused = false
    // What came before the loss may still fill it.
    this.#pauseWhenFull()
  }

  /** Answers whether it has overflown: this one found no room. */
  push(entry: Entry): boolean {
    // One that is paused may still get what had been read before.
    if (!this.#paused && this.#isFull()) {
      this.dropped += 1
      return !this.#closing
    }
    this.reader.push(entry)
    this.#pauseWhenFull()
    return false
  }

  #pauseWhenFull(): void {
    if (this.#paused || this.#closing || this.#limits.whenFull !== 'pressure' || !this.#isFull()) return
    this.#paused = this.#link?.pause() === true
  }

  #isFull(): boolean {
    const { inbox } = this.reader
    return inbox.count >= this.#limits.maxMessages || inbox.bytes >= this.#limits.maxBytes
  }

  #onTaken(): void {
    const { inbox } = this.reader
    const { maxMessages, maxBytes } = this.#limits
    if (this.#paused && inbox.count * 2 <= maxMessages && inbox.bytes * 2 <= maxBytes) this.#resume()
  }

  #resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#link?.resume()
  }

  /** The end of the closing handshake must be read, whether or not there is a reader. */
  close(): void {
    this.#closing = true
    this.#resume()
  }

  /** Drops what nobody took. */
  clear(): void {
    this.dropped += this.reader.inbox.clear()
  }
}
