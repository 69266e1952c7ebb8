import type { Clock } from '@concord/runtime'
import { isConcurrencyLimit } from '@concord/runtime/internal'

import type { SharedLimit } from './service.ts'

/** Wakes one waiting loop. If no loop is waiting, the ring is kept for the next wait. */
export class Bell {
  readonly #clock: Clock
  #rung = false
  #wake: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  ring(): void {
    this.#rung = true
    this.#wake?.()
  }

  /** Resolves when rung, after `limitMs`, or when the signal is aborted. Never rejects. */
  wait(limitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel()
        signal.removeEventListener('abort', end)
        this.#wake = undefined
        this.#rung = false
        resolve()
      }
      const timer = this.#clock.setTimer(end, limitMs)
      if (this.#rung || signal.aborted) return end()
      signal.addEventListener('abort', end)
      this.#wake = end
    })
  }
}

/** A limited number of slots for work in progress. */
export class Slots {
  readonly #capacity: number
  #used = 0
  #changed: (() => void) | undefined

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get free(): number {
    return this.#capacity - this.#used
  }

  /** Waits until a quarter of the slots are free, so that one transaction takes several jobs. @returns how many are free. */
  async room(signal: AbortSignal): Promise<number> {
    while (this.free < Math.ceil(this.#capacity / 4) && !signal.aborted) await this.#change(signal)
    return this.free
  }

  /** Waits until nothing is in progress. */
  async idle(): Promise<void> {
    const never = new AbortController().signal
    while (this.#used > 0) await this.#change(never)
  }

  /** Runs work that never rejects. */
  run(work: () => Promise<void>): void {
    this.#used++
    void work().finally(() => {
      this.#used--
      this.#changed?.()
    })
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const before = this.#changed
      const end = (): void => {
        signal.removeEventListener('abort', end)
        if (this.#changed === end) this.#changed = undefined
        before?.()
        resolve()
      }
      this.#changed = end
      signal.addEventListener('abort', end)
    })
  }
}

/** Pauses of one service in this worker, each longer than the one before until a request succeeds. */
export class Pause {
  readonly #clock: Clock
  #untilMs = 0
  #failures = 0
  #suspicions = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get remainingMs(): number {
    return Math.max(0, this.#untilMs - this.#clock.monotonic())
  }

  /** Extends the pause because another worker paused the service. */
  extend(delayMs: number): void {
    this.#untilMs = Math.max(this.#untilMs, this.#clock.monotonic() + delayMs)
  }

  /** @returns how long to wait: at least as long as the service asked for, and longer after each failure. */
  failed(askedMs: number | undefined): number {
    // Failures of requests that were already in progress when the pause started don't count.
    if (this.remainingMs === 0) this.#failures++
    const delayMs = Math.max(askedMs ?? 0, Math.min(15 * 60_000, 500 * 2 ** this.#failures))
    this.extend(delayMs)
    return delayMs
  }

  /** A request failed, perhaps because of its job alone. @returns whether the request before it failed too. */
  suspect(): boolean {
    return this.#suspicions++ > 0
  }

  succeeded(): void {
    this.#failures = 0
    this.#suspicions = 0
  }
}

/** Waits for a limit. @returns a lease if it has any, or `undefined` after an abort. */
export async function acquire(limit: SharedLimit | undefined, signal: AbortSignal): Promise<unknown> {
  try {
    return await (isConcurrencyLimit(limit) ? limit.acquire(1, [signal]) : limit?.acquire({ signal }))
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/** Disposes of a lease, if it is one. */
export function release(lease: unknown): number {
  const held = (lease ?? {}) as Partial<Disposable & AsyncDisposable>
  if (held[Symbol.asyncDispose] !== undefined) void held[Symbol.asyncDispose]!()
  else held[Symbol.dispose]?.()
  return 0
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
