import type { Clock } from '@concord/runtime'
import { bounded, wait } from '@concord/runtime/internal'

export interface Permit {
  /** The number of failures that the throttle had counted when it issued this permit. */
  readonly seen: number
  /** Whether the submission is sent alone, to test whether others may follow. */
  readonly isProbe: boolean
}

/**
 * Pauses all submissions after a failure that can affect all requests, such as an exceeded quota. After the pause,
 * the throttle lets one submission through at a time, until one is accepted. This way, the waiting requests don't all
 * fail for the same reason.
 */
export class Throttle {
  readonly #clock: Clock
  #untilMs = -Infinity
  /** The number of failures, which is never reset. Failures of overlapping submissions count once. */
  #seen = 0
  #failures = 0
  #failingSinceMs = 0
  #probe: PromiseWithResolvers<void> | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get pauseMs(): number {
    return Math.max(0, this.#untilMs - this.#clock.monotonic())
  }

  get failures(): number {
    return this.#failures
  }

  /** Milliseconds since the first failure after the last success. */
  get failingMs(): number {
    return this.#failures === 0 ? 0 : this.#clock.monotonic() - this.#failingSinceMs
  }

  /** Waits until a submission may be sent. End the returned permit with {@link accepted}, {@link pause} or {@link release}. */
  async permit(signal: AbortSignal): Promise<Permit> {
    for (;;) {
      signal.throwIfAborted()
      const { pauseMs } = this
      if (pauseMs > 0) await wait(this.#clock, pauseMs, [signal])
      else if (this.#probe !== undefined) await bounded(this.#probe.promise, { signals: [signal] })
      else break
    }
    const isProbe = this.#failures > 0
    if (isProbe) this.#probe = Promise.withResolvers<void>()
    return { seen: this.#seen, isProbe }
  }

  accepted(permit: Permit): void {
    // An acceptance doesn't end the pause if the submission was sent before others failed.
    if (permit.seen === this.#seen) {
      this.#failures = 0
      this.#untilMs = -Infinity
    }
    this.release(permit)
  }

  /**
   * Counts a failure, without ending the permit: call {@link pause} or {@link release} next.
   *
   * @returns the number of failures in a row.
   */
  failed({ seen }: Permit): number {
    if (this.#failures === 0) this.#failingSinceMs = this.#clock.monotonic()
    if (this.#failures === 0 || seen === this.#seen) {
      this.#failures++
      this.#seen++
    }
    return this.#failures
  }

  /** Ends a permit, and pauses all submissions for `delayMs`. */
  pause(permit: Permit, delayMs: number): void {
    this.#untilMs = Math.max(this.#untilMs, this.#clock.monotonic() + delayMs)
    this.release(permit)
  }

  release({ isProbe }: Permit): void {
    if (!isProbe) return
    this.#probe?.resolve()
    this.#probe = undefined
  }
}
