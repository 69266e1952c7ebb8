import type { SocketRules } from '../core/channel.ts'
import type { Clock, Timer } from '../core/clock.ts'

/** What the keep-alive needs of the sending side. */
export interface KeepAliveTarget {
  /** When the last binary message or keep-alive went out, on the monotonic clock. */
  readonly lastActivityMs: number
  keepAlive(text: string): void
}

/**
 * Sends the contract's keep-alive as a text frame whenever no binary message went out for a while: in the middle
 * between the smallest and the largest interval, so that neither a late timer nor a slow network breaks the rule.
 */
export class KeepAlive {
  readonly #clock: Clock
  readonly #target: KeepAliveTarget
  readonly #text: string
  readonly #intervalMs: number
  #timer: Timer | undefined = undefined

  constructor(rule: NonNullable<SocketRules['keepAlive']>, clock: Clock, target: KeepAliveTarget) {
    this.#clock = clock
    this.#target = target
    this.#text = JSON.stringify(rule.payload)
    this.#intervalMs = (rule.minIntervalMs + rule.maxIntervalMs) / 2
  }

  start(): void {
    this.stop()
    this.#arm(this.#intervalMs)
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #arm(delayMs: number): void {
    this.#timer = this.#clock.setTimer(() => this.#onTimer(), Math.max(1, delayMs))
  }

  #onTimer(): void {
    const silentMs = this.#clock.monotonic() - this.#target.lastActivityMs
    const dueInMs = this.#intervalMs - silentMs
    if (dueInMs > 0) return this.#arm(dueInMs)
    this.#target.keepAlive(this.#text)
    this.#arm(this.#intervalMs)
  }
}
