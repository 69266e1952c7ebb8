import { rows } from '../database/database.ts'
import type { PollFailure } from './outcomes.ts'
import type { ServiceParts } from './parts.ts'

/** Pauses one service in all workers. */
export class SharedPause {
  readonly #parts: ServiceParts
  #untilMs = 0
  #failures = 0
  /** The number of polls that failed with `perhaps-all` (see {@link PollFailure}) since the last success. */
  #suspicions = 0
  /** The end (monotonic clock) of this worker's own pauses. `#untilMs` also covers the pauses of other workers. */
  #pausedUntilMs = 0
  #isAnnouncing = false

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  get remainingMs(): number {
    return Math.max(0, this.#untilMs - this.#parts.clock.monotonic())
  }

  extend(delayMs: number): void {
    this.#untilMs = Math.max(this.#untilMs, this.#parts.clock.monotonic() + delayMs)
  }

  /**
   * Starts a pause, and returns its length in milliseconds. The first pause takes 1 second, and each further pause
   * takes twice as long, up to 15 minutes. After a success, the next pause takes 1 second again. If `askedMs` is
   * longer, the pause takes `askedMs` instead.
   */
  pause(askedMs: number | undefined, reason: string): number {
    // A failure during a pause doesn't count, because its request was sent before the pause.
    if (this.remainingMs === 0) this.#failures++
    const delayMs = Math.max(askedMs ?? 0, Math.min(15 * 60_000, 500 * 2 ** this.#failures))
    this.extend(delayMs)
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#parts.clock.monotonic() + delayMs)
    if (!this.#isAnnouncing) void this.#announce(reason)
    return delayMs
  }

  /** Announces the pause to the other workers. If the pause is extended meanwhile, announces it again. */
  async #announce(reason: string): Promise<void> {
    const { pool, journal, clock, name, channel, worker, onError } = this.#parts
    this.#isAnnouncing = true
    for (let announcedMs = -Infinity; announcedMs < this.#pausedUntilMs;) {
      announcedMs = this.#pausedUntilMs
      const delayMs = Math.max(0, announcedMs - clock.monotonic())
      const own = { channel, worker: worker() }
      await rows(pool, journal.pause(name, { delayMs, reason }, own)).catch(onError)
    }
    this.#isAnnouncing = false
  }

  /**
   * Pauses the service if a poll's failure concerns more than the polled job.
   *
   * @returns the length of the pause in milliseconds, or `undefined` if the service isn't paused.
   */
  afterPoll({ concerns, retryAfterMs, reason }: PollFailure): number | undefined {
    // `perhaps-all` pauses the service only after two failures in a row, because a problem with one job must not stop
    // all jobs.
    const isShared = concerns === 'all' || (concerns === 'perhaps-all' && this.#suspicions++ > 0)
    return isShared ? this.pause(retryAfterMs, reason) : undefined
  }

  succeeded(): void {
    this.#failures = 0
    this.#suspicions = 0
  }
}
