import { bounded, wait } from '../core/async.ts'
import type { Clock } from '../core/clock.ts'
import { DeadlineError } from '../core/errors.ts'
import type { WaitEvent } from '../core/events.ts'

/** The times of requests that a service limits together. @public */
export interface RequestRecord {
  /** Milliseconds since the Unix epoch, in no particular order. */
  readonly timesMs: readonly number[]
  /** The service asked for no request before this time. Milliseconds since the Unix epoch. */
  readonly holdUntilMs?: number
}

/** Keeps a {@link RequestRecord} for all processes that share it. @public */
export interface RequestLog {
  /** Reads, changes and writes the record in one exclusive step. */
  update<T>(
    change: (record: RequestRecord) => { readonly record: RequestRecord; readonly result: T },
  ): Promise<T>
}

/** Options of {@link RequestLimiter}. @public */
export interface RequestLimiterOptions {
  /** The most requests in a window. */
  readonly limit: number
  /** The length of the window, in milliseconds. */
  readonly windowMs: number
  readonly log: RequestLog
  readonly clock: Clock
  /**
   * Added to the window, in milliseconds, because requests take different times to reach the server. Default 1,000.
   */
  readonly marginMs?: number
  /** The name of the limit, for errors and events: `'The token endpoints'`. */
  readonly name: string
  /** Called before each wait. */
  readonly emit?: (event: WaitEvent) => void
}

/**
 * Lets requests through at a service's rate, counted over all processes that share the log. A request that waits does not
 * count until it is sent.
 *
 * @public
 */
export class RequestLimiter {
  readonly #options: RequestLimiterOptions
  readonly #spanMs: number

  constructor(options: RequestLimiterOptions) {
    this.#options = options
    this.#spanMs = options.windowMs + (options.marginMs ?? 1000)
  }

  /**
   * Waits for a place and takes it.
   *
   * @param options.limitMs - Throws at once if the place would come later than this, in milliseconds.
   * @throws DeadlineError; on abort the signal's own reason.
   */
  async acquire(options: { readonly signal?: AbortSignal; readonly limitMs?: number } = {}): Promise<void> {
    const { signal, limitMs = Infinity } = options
    const endsAtMs = this.#options.clock.monotonic() + limitMs
    for (;;) {
      const waitMs = await this.tryAcquire(signal)
      if (waitMs === 0) return
      await this.waitForPlace(waitMs, { signal, limitMs, endsAtMs })
    }
  }

  /** Takes a place if one is free and returns 0, or returns in how many milliseconds to try again. */
  async tryAcquire(signal?: AbortSignal): Promise<number> {
    signal?.throwIfAborted()
    // After an abort, a slow log is not awaited. A place that it takes then stays unused.
    return bounded(
      this.#options.log.update((record) => this.#take(record)),
      { signals: [signal] },
    )
  }

  /**
   * Waits as long as {@link RequestLimiter.tryAcquire} returned, unless that is past the limit.
   *
   * @throws DeadlineError at once if it is; on abort the signal's own reason.
   */
  async waitForPlace(waitMs: number, within: WaitLimit): Promise<void> {
    const { clock, name, limit, windowMs } = this.#options
    const { signal, limitMs, endsAtMs } = within
    const leftMs = endsAtMs - clock.monotonic()
    if (waitMs > leftMs) {
      throw new DeadlineError(
        `${name}: at most ${limit} requests in ${windowMs / 1000} s, shared by all processes that use ` +
          `this store, and all are used. The next request can be sent in ${Math.ceil(waitMs / 1000)} s, which is past ` +
          'the time limit. Nothing was sent.',
        { limitMs, elapsedMs: limitMs - leftMs },
      )
    }
    this.#options.emit?.({ type: 'wait', limit: name, delayMs: waitMs })
    await wait(clock, waitMs, signal === undefined ? [] : [signal])
  }

  /** Lets no request through for a while, because the service said that there were too many. */
  async hold(delayMs: number): Promise<void> {
    const untilMs = this.#options.clock.now() + delayMs
    await this.#options.log.update((record) => ({
      record: { ...record, holdUntilMs: Math.max(record.holdUntilMs ?? 0, untilMs) },
      result: undefined,
    }))
  }

  /** Takes a place, or returns how long to wait for one. */
  #take(record: RequestRecord): { record: RequestRecord; result: number } {
    const nowMs = this.#options.clock.now()
    // A host's clock can be set back: times in the future then count as now, so that no wait is longer than a window.
    const timesMs = record.timesMs
      .map((time) => Math.min(time, nowMs))
      .filter((time) => time + this.#spanMs > nowMs)
      .sort((a, b) => a - b)
    const heldMs = Math.max(0, (record.holdUntilMs ?? 0) - nowMs)
    const hold = heldMs > 0 && heldMs <= MAX_HOLD_MS ? { holdUntilMs: nowMs + heldMs } : {}
    if ('holdUntilMs' in hold) return { record: { timesMs, ...hold }, result: heldMs }
    const oldest = timesMs[timesMs.length - this.#options.limit]
    if (oldest !== undefined) return { record: { timesMs }, result: oldest + this.#spanMs - nowMs }
    return { record: { timesMs: [...timesMs, nowMs] }, result: 0 }
  }
}

/** A longer hold must come from a clock that was set back. */
const MAX_HOLD_MS = 3_600_000

/** How long a wait for a place may last. @public */
export interface WaitLimit {
  readonly signal?: AbortSignal | undefined
  /** In milliseconds, for the error. */
  readonly limitMs: number
  /** When it ends, on the monotonic clock. */
  readonly endsAtMs: number
}

/** Returns a log for one process. @public */
export function memoryRequestLog(): RequestLog {
  let record: RequestRecord = { timesMs: [] }
  return {
    async update(change) {
      const changed = change(record)
      record = changed.record
      return changed.result
    },
  }
}
