import { bounded, throwIfAborted, wait } from '../core/async.ts'
import type { Clock } from '../core/clock.ts'
import { DeadlineError, OptionsError } from '../core/errors.ts'
import type { WaitEvent } from '../core/events.ts'

/** A share of a {@link ConcurrencyLimit}. Dispose of the lease to free the share. @public */
export interface Lease extends Disposable {
  readonly weight: number
  /**
   * Aborts when the lease is lost. A lease is lost if the store that records it is unreachable for too long. Absent
   * if the lease can't be lost.
   */
  readonly lost?: AbortSignal
}

/** Limits how much work runs at the same time, in one process or across many. @public */
export interface ConcurrencyLimit {
  /**
   * Waits until work of this weight can begin.
   *
   * @param weight How much of the limit the work uses. Default: 1. Expensive work can weigh more.
   * @param signals If any of these signals aborts, the wait ends with the reason of that signal.
   */
  acquire(weight?: number, signals?: readonly AbortSignal[]): Promise<Lease>
  /** Returns whether `acquire` might have to wait now. */
  mayWait(weight: number): boolean
}

/** Returns whether a value has the methods of a {@link ConcurrencyLimit}. @public */
export function isConcurrencyLimit(value: unknown): value is ConcurrencyLimit {
  const { acquire, mayWait } = (value ?? {}) as Partial<Record<string, unknown>>
  return typeof acquire === 'function' && typeof mayWait === 'function'
}

/** Limits how many requests are sent in a period, by one process or by many. @public */
export interface RateLimit {
  /** Waits until a request may be sent, and counts the request. Called before every request, including retries. */
  acquire(options: { readonly signal?: AbortSignal | undefined }): Promise<unknown>
}

/** @throws OptionsError if the weight isn't above 0 or exceeds the capacity. */
export function checkWeight(weight: number, capacity: number): void {
  if (weight > 0 && weight <= capacity) return
  throw new OptionsError(
    'weight',
    `is ${weight}, but must be above 0 and at most ${capacity}, the limit on concurrency.`,
    'Pass a weight in this range, or raise the limit.',
  )
}

interface Waiting {
  readonly weight: number
  readonly grant: (lease: Lease) => void
}

/**
 * Limits how much work runs at the same time in this process: for example, the number of open connections. Expensive
 * work can weigh more than 1. Calls to `acquire` are served in order.
 *
 * @public
 */
export class Semaphore implements ConcurrencyLimit {
  readonly #capacity: number
  #used = 0
  readonly #waiting: Waiting[] = []

  /** @throws OptionsError if the capacity isn't above 0. */
  constructor(capacity: number) {
    if (!(capacity > 0))
      throw new OptionsError(
        'capacity',
        'must be above 0.',
        'Pass the number of tasks that may run at the same time, or the maximum of their total weight.',
      )
    this.#capacity = capacity
  }

  /** How much of the capacity is free now. */
  get free(): number {
    return this.#capacity - this.#used
  }

  /** The number of waiting calls to `acquire`. */
  get waiting(): number {
    return this.#waiting.length
  }

  mayWait(weight: number): boolean {
    return this.#waiting.length > 0 || this.free < weight
  }

  /**
   * Waits until work of this weight can begin.
   *
   * @throws OptionsError if `weight` isn't above 0 or exceeds the capacity; the signal's reason on abort.
   */
  async acquire(weight = 1, signals: readonly AbortSignal[] = []): Promise<Lease> {
    checkWeight(weight, this.#capacity)
    throwIfAborted(signals)
    const { promise, resolve: grant } = Promise.withResolvers<Lease>()
    const waiting: Waiting = { weight, grant }
    this.#waiting.push(waiting)
    this.#serve()
    try {
      return await bounded(promise, { signals })
    } catch (error) {
      const index = this.#waiting.indexOf(waiting)
      // If the lease was granted in the meantime, it is freed.
      if (index < 0) (await promise)[Symbol.dispose]()
      else this.#waiting.splice(index, 1)
      // The aborted call may have blocked the calls after it, so they are served now.
      this.#serve()
      throw error
    }
  }

  #serve(): void {
    for (;;) {
      const first = this.#waiting[0]
      if (first === undefined || this.#used + first.weight > this.#capacity) return
      this.#waiting.shift()
      this.#used += first.weight
      first.grant(this.#lease(first.weight))
    }
  }

  #lease(weight: number): Lease {
    let held = true
    return {
      weight,
      [Symbol.dispose]: () => {
        if (!held) return
        held = false
        this.#used -= weight
        this.#serve()
      },
    }
  }
}

/** Decides whether a poll may be sent now. The `PollScheduler` asks before each poll. @public */
export interface PollBudget {
  /**
   * Counts a poll and returns 0 if the poll can be sent now. Otherwise, returns how many milliseconds to wait before
   * asking again.
   */
  takePoll(): number
}

/** Options of {@link RequestBudget}. @public */
export interface RequestBudgetOptions {
  readonly clock: Clock
  /** How many requests the account may send in any minute: a whole number of at least 1. */
  readonly requestsPerMinute: number
  /**
   * How many requests per minute are reserved for calls other than polls. Default: a fifth of `requestsPerMinute`,
   * rounded up, or 0 if `requestsPerMinute` is 1.
   */
  readonly reserve?: number
}

/** A minute, plus a margin of one second because requests don't all reach the server equally fast. */
const WINDOW_MS = 61_000

/**
 * Keeps polls within the account's rate limit. The budget counts all requests of the last minute. A poll is sent only
 * if it leaves at least `reserve` requests for other calls. Requests other than polls are never held back.
 *
 * A service may count requests in sliding or in fixed windows. Polls stay within the rate limit in both cases.
 *
 * @public
 */
export class RequestBudget implements PollBudget {
  readonly #clock: Clock
  readonly #forPolls: number
  readonly #limit: number
  /** The times (monotonic clock) at which the latest requests were sent, oldest first. */
  readonly #times: number[] = []

  /** @throws OptionsError if a number is invalid, or if `reserve` leaves no room for a poll. */
  constructor(options: RequestBudgetOptions) {
    const { requestsPerMinute } = options
    if (!Number.isInteger(requestsPerMinute) || requestsPerMinute < 1) {
      throw new OptionsError(
        'requestsPerMinute',
        'must be a whole number of at least 1.',
        'Pass the rate limit of your subscription, in requests per minute.',
      )
    }
    const reserve =
      options.reserve ?? Math.min(requestsPerMinute - 1, Math.max(1, Math.ceil(requestsPerMinute / 5)))
    if (!Number.isInteger(reserve) || reserve < 0 || reserve >= requestsPerMinute) {
      throw new OptionsError(
        'reserve',
        'must be a whole number that leaves room for at least one poll.',
        'Pass a whole number from 0 to `requestsPerMinute - 1`.',
      )
    }
    this.#clock = options.clock
    this.#forPolls = requestsPerMinute - reserve
    this.#limit = requestsPerMinute
  }

  /** Counts a request that is not a poll. */
  note(): void {
    this.#push(this.#clock.monotonic())
  }

  takePoll(): number {
    const now = this.#clock.monotonic()
    while (this.#times[0]! <= now - WINDOW_MS) this.#times.shift()
    // A poll can be sent once the window contains fewer than `#forPolls` requests.
    const blocking = this.#times.at(-this.#forPolls)
    if (blocking !== undefined) return Math.max(1, blocking + WINDOW_MS - now)
    this.#push(now)
    return 0
  }

  #push(time: number): void {
    if (this.#times.length === this.#limit) this.#times.shift()
    this.#times.push(time)
  }
}

/** The times of the requests that count toward one rate limit of a service. @public */
export interface RequestRecord {
  /** Milliseconds since the Unix epoch, in no particular order. */
  readonly timesMs: readonly number[]
  /** The service asked the client to send nothing before this time, in milliseconds since the Unix epoch. */
  readonly holdUntilMs?: number
}

/** Keeps a {@link RequestRecord} for all processes that share it. @public */
export interface RequestLog {
  /** Reads, changes and writes the record atomically. */
  update<T>(
    change: (record: RequestRecord) => { readonly record: RequestRecord; readonly result: T },
  ): Promise<T>
}

/** Options of {@link RequestLimiter}. @public */
export interface RequestLimiterOptions {
  /** The maximum number of requests in a window. */
  readonly limit: number
  /** The length of the window, in milliseconds. */
  readonly windowMs: number
  readonly log: RequestLog
  readonly clock: Clock
  /**
   * Milliseconds to add to the window, because requests don't all reach the server equally fast. Default: 1,000.
   */
  readonly marginMs?: number
  /** The name of the limit in errors and events. Example: `'The token endpoints'`. */
  readonly name: string
  /** Called before each wait. */
  readonly emit?: (event: WaitEvent) => void
}

/**
 * Keeps requests within a service's rate limit. Requests of all processes that share the log are counted together. A
 * waiting request doesn't count until it is sent.
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
   * Waits until a request may be sent, and counts the request.
   *
   * @param options.limitMs - The longest total wait, in milliseconds.
   * @throws DeadlineError at once if the wait would exceed `limitMs`; the signal's reason on abort.
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

  /**
   * Counts a request and returns 0 if the request can be sent now. Otherwise, returns how many milliseconds to wait
   * before trying again.
   */
  async tryAcquire(signal?: AbortSignal): Promise<number> {
    signal?.throwIfAborted()
    // An abort doesn't wait for a slow log, so the log may count a request that is never sent.
    return bounded(
      this.#options.log.update((record) => this.#take(record)),
      { signals: [signal] },
    )
  }

  /**
   * Waits for `waitMs`, the number of milliseconds that {@link RequestLimiter.tryAcquire} returned.
   *
   * @throws DeadlineError at once if the wait would end after the time limit; the signal's reason on abort.
   */
  async waitForPlace(waitMs: number, within: WaitLimit): Promise<void> {
    const { clock, name, limit, windowMs } = this.#options
    const { signal, limitMs, endsAtMs } = within
    const leftMs = endsAtMs - clock.monotonic()
    if (waitMs > leftMs) {
      throw new DeadlineError(
        `${name}: the limit of ${limit} requests in ${windowMs / 1000} s, shared by all processes that use ` +
          `the same store, is used up. The next request can be sent in ${Math.ceil(waitMs / 1000)} s, but this ` +
          'call times out before that. Nothing was sent.',
        { limitMs, elapsedMs: limitMs - leftMs },
      )
    }
    this.#options.emit?.({ type: 'wait', limit: name, delayMs: waitMs })
    await wait(clock, waitMs, signal === undefined ? [] : [signal])
  }

  /** Holds back all requests for `delayMs`, at most an hour. Call this if the service reports too many requests. */
  async hold(delayMs: number): Promise<void> {
    const untilMs = this.#options.clock.now() + Math.min(delayMs, MAX_HOLD_MS)
    await this.#options.log.update((record) => ({
      record: { ...record, holdUntilMs: Math.max(record.holdUntilMs ?? 0, untilMs) },
      result: undefined,
    }))
  }

  #take(record: RequestRecord): { record: RequestRecord; result: number } {
    const nowMs = this.#options.clock.now()
    // If the system clock was set back, recorded times can be in the future. They are replaced with the current time,
    // so that no wait is longer than a window.
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

/** The longest hold. If a stored hold lasts longer, it is ignored: the system clock was probably set back. */
const MAX_HOLD_MS = 3_600_000

/** Limits how long a request waits before it is sent. @public */
export interface WaitLimit {
  readonly signal?: AbortSignal | undefined
  /** The whole time limit, in milliseconds. The {@link DeadlineError} contains it. */
  readonly limitMs: number
  /** The end of the time limit, on the monotonic clock. */
  readonly endsAtMs: number
}

/** Returns a log that is kept in memory, for a single process. @public */
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
