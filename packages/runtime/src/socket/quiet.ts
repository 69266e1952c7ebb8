import type { Clock, Timer } from '../core/clock.ts'

/** Waits until nothing has been noted for a while. */
export class Quiet {
  readonly #clock: Clock
  readonly #quietMs: number
  readonly #came = Promise.withResolvers<void>()
  #timer: Timer | undefined = undefined
  #lastMs: number

  constructor(clock: Clock, quietMs: number) {
    this.#clock = clock
    this.#quietMs = quietMs
    this.#lastMs = clock.monotonic()
    this.#arm(quietMs)
  }

  /** Settles when it has been quiet, or with {@link Quiet.stop}. */
  get came(): Promise<void> {
    return this.#came.promise
  }

  note(): void {
    this.#lastMs = this.#clock.monotonic()
  }

  stop(): void {
    this.#timer?.cancel()
    this.#came.resolve()
  }

  #arm(delayMs: number): void {
    this.#timer = this.#clock.setTimer(() => {
      const dueInMs = this.#quietMs - (this.#clock.monotonic() - this.#lastMs)
      if (dueInMs > 0) this.#arm(dueInMs)
      else this.#came.resolve()
    }, delayMs)
  }
}
