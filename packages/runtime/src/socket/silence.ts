import type { Clock, Timer } from '../core/clock.ts'

/** Lets others wait until nothing has come for a while. */
export class Silence {
  readonly #clock: Clock
  readonly #waits = new Set<() => void>()
  #lastMs = -Infinity
  #stopped = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Something came. */
  note(): void {
    if (this.#waits.size > 0) this.#lastMs = this.#clock.monotonic()
  }

  /** Settles when nothing has come for so long from now on, or with {@link Silence.stop}. */
  async wait(quietMs: number): Promise<void> {
    if (this.#stopped) return
    const clock = this.#clock
    const beganMs = clock.monotonic()
    const { promise, resolve } = Promise.withResolvers<void>()
    let timer: Timer
    const arm = (delayMs: number): void => {
      timer = clock.setTimer(() => {
        const dueInMs = quietMs - (clock.monotonic() - Math.max(beganMs, this.#lastMs))
        if (dueInMs > 0) arm(dueInMs)
        else resolve()
      }, delayMs)
    }
    const end = (): void => {
      timer.cancel()
      resolve()
    }
    arm(quietMs)
    this.#waits.add(end)
    await promise
    this.#waits.delete(end)
  }

  /** Nobody waits any more. */
  stop(): void {
    this.#stopped = true
    for (const end of this.#waits) end()
  }
}
