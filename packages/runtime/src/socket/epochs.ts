import type { Clock } from '../core/clock.ts'
import type { ConnectionBase } from './received.ts'

/** Counts the connections of a channel, and knows where the newest stands in the whole. */
export class Epochs {
  readonly #clock: Clock
  readonly #firstOpenedMs: number
  /** When the newest was opened, on the monotonic clock. */
  openedMs: number
  /** Not there for the first. */
  base: ConnectionBase | undefined = undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#firstOpenedMs = this.openedMs = clock.monotonic()
  }

  /** Another one was opened; the one before sent so many bytes of binary messages. */
  next(binaryBytes: number): ConnectionBase {
    const { connection = 0, binaryBytesBefore = 0 } = this.base ?? {}
    this.openedMs = this.#clock.monotonic()
    this.base = {
      connection: connection + 1,
      offsetMs: this.openedMs - this.#firstOpenedMs,
      binaryBytesBefore: binaryBytesBefore + binaryBytes,
    }
    return this.base
  }
}
