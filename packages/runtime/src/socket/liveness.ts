import type { SocketRules } from '../core/channel.ts'
import type { Clock, Timer } from '../core/clock.ts'
import type { Link } from './link.ts'
import type { LivenessSettings } from './settings.ts'

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

/** A timer that fires so much too late means that this process did not run, which says nothing about the server. */
const LATE_MS = 1_000

/** What {@link Liveness} reports. */
export interface LivenessOwner {
  /** Whether reading from the network has stopped, so that signs of life cannot be seen. */
  isPaused(): boolean
  /** Reads on for a while, to see signs of life. */
  look(on: boolean): void
  /** The server showed no sign of life for so long. */
  onSilence(silentMs: number): void
}

/**
 * Watches whether the server is still there. Where the host can ping, it pings a silent server and gives it a limited
 * time for any sign of life. Elsewhere it only limits the silence, if the caller asked for that.
 */
export class Liveness {
  readonly #clock: Clock
  readonly #settings: LivenessSettings
  readonly #owner: LivenessOwner
  #timer: Timer | undefined = undefined
  #looks = false

  constructor(clock: Clock, settings: LivenessSettings, owner: LivenessOwner) {
    this.#clock = clock
    this.#settings = settings
    this.#owner = owner
  }

  start(link: Link): void {
    this.stop()
    const { inactivityMs, pingIntervalMs, pongTimeoutMs } = this.#settings
    if (inactivityMs !== undefined) this.#watch(link, inactivityMs, inactivityMs)
    else if (link.canPing && pingIntervalMs !== undefined)
      this.#watch(link, pingIntervalMs, pingIntervalMs + pongTimeoutMs)
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    this.#look(false)
  }

  /** Pings after `pingAfterMs` of silence and reports the silence after `limitMs`. */
  #watch(link: Link, pingAfterMs: number, limitMs: number): void {
    /** When the server was pinged; undefined if it has answered, or was not. */
    let askedMs: number | undefined
    const arm = (delayMs: number): void => {
      const dueMs = this.#clock.monotonic() + delayMs
      this.#timer = this.#clock.setTimer(() => tick(this.#clock.monotonic() - dueMs), delayMs)
    }
    const ask = (): void => {
      askedMs = this.#clock.monotonic()
      this.#look(true)
      link.mark()
      arm(Math.max(1, limitMs - pingAfterMs))
    }
    const tick = (lateMs: number): void => {
      const { lastLifeMs } = link
      const silentMs = this.#clock.monotonic() - lastLifeMs
      if (askedMs !== undefined && lastLifeMs >= askedMs) {
        askedMs = undefined
        this.#look(false)
      }
      if (silentMs < pingAfterMs) return arm(pingAfterMs - silentMs)
      if (askedMs === undefined && limitMs > pingAfterMs) return ask()
      // Signs of life may be behind what no one reads. A ping shows at least that the network takes it.
      if (lateMs > LATE_MS || this.#owner.isPaused()) return ask()
      this.#owner.onSilence(silentMs)
    }
    arm(pingAfterMs)
  }

  #look(on: boolean): void {
    if (this.#looks === on) return
    this.#looks = on
    this.#owner.look(on)
  }
}
