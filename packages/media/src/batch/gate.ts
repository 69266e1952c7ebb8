import { bounded, wait, type Clock } from '@concord/runtime'

/** A submission that may be sent. */
export interface Pass {
  /** How many failures had been seen when it was let through. */
  readonly seen: number
  /** It goes alone, to see whether others may follow. */
  readonly isProbe: boolean
}

/**
 * Lets submissions through, and holds all of them back once the service denies one for its quota or for overload. Then one
 * at a time tries again. The whole batch learns from one answer, where each request would have to ask for itself.
 */
export class Gate {
  readonly #clock: Clock
  #untilMs = -Infinity
  /** All failures so far, and those since the last success. */
  #seen = 0
  #failures = 0
  #closedAtMs = 0
  #probe: PromiseWithResolvers<void> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Milliseconds until something may be sent. */
  get pauseMs(): number {
    return Math.max(0, this.#untilMs - this.#clock.monotonic())
  }

  /** How many failures there were since the last success. */
  get failures(): number {
    return this.#failures
  }

  /** How long nothing has got through. */
  get closedMs(): number {
    return this.#failures === 0 ? 0 : this.#clock.monotonic() - this.#closedAtMs
  }

  /** Waits for permission to send. It has to be given back with {@link opened}, {@link pause} or {@link left}. */
  async pass(signal: AbortSignal): Promise<Pass> {
    for (;;) {
      signal.throwIfAborted()
      const { pauseMs } = this
      if (pauseMs > 0) await wait(this.#clock, pauseMs, [signal])
      else if (this.#failures > 0 && this.#probe !== undefined)
        await bounded(this.#probe.promise, { signals: [signal] })
      else break
    }
    const isProbe = this.#failures > 0
    if (isProbe) this.#probe = Promise.withResolvers<void>()
    return { seen: this.#seen, isProbe }
  }

  /** Something got through. */
  opened(pass: Pass): void {
    // It may have been sent before the failures of others.
    if (pass.seen === this.#seen) {
      this.#failures = 0
      this.#untilMs = -Infinity
    }
    this.left(pass)
  }

  /** Counts a failure, after which {@link pause} or {@link left} follows. @returns how many there were in a row; those that overlap count once. */
  failed({ seen }: Pass): number {
    if (this.#failures === 0) this.#closedAtMs = this.#clock.monotonic()
    if (this.#failures === 0 || seen === this.#seen) {
      this.#failures++
      this.#seen++
    }
    return this.#failures
  }

  /** Nothing is sent before this time has passed. */
  pause(pass: Pass, delayMs: number): void {
    this.#untilMs = Math.max(this.#untilMs, this.#clock.monotonic() + delayMs)
    this.left(pass)
  }

  /** The permission was not used, or its answer says nothing about others. */
  left({ isProbe }: Pass): void {
    if (!isProbe) return
    this.#probe?.resolve()
    this.#probe = undefined
  }
}
