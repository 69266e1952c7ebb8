import type { Clock } from '@concord/runtime'
import { isConcurrencyLimit } from '@concord/runtime/internal'

import type { SharedLimit } from './service.ts'

/** Wakes one waiting loop. If no loop is waiting when the bell rings, the next wait ends at once. */
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

  /** Waits for the bell, but at most `limitMs`. If the signal is aborted, resolves at once, and doesn't reject. */
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

  /** Waits until at least a quarter of the slots are free, so that one transaction can take several jobs. */
  async room(signal: AbortSignal): Promise<number> {
    while (this.free < Math.ceil(this.#capacity / 4) && !signal.aborted) await this.#change(signal)
    return this.free
  }

  async idle(signal: AbortSignal): Promise<void> {
    while (this.#used > 0 && !signal.aborted) await this.#change(signal)
  }

  /** Runs `work` in a slot. `work` must never reject. */
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

/** Acquires a limit, and returns its lease, if any. If the signal is aborted, returns `undefined`. */
export async function acquire(limit: SharedLimit | undefined, signal: AbortSignal): Promise<unknown> {
  try {
    return await (isConcurrencyLimit(limit) ? limit.acquire(1, [signal]) : limit?.acquire({ signal }))
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

/**
 * Releases a lease, if any, and ignores errors.
 *
 * @returns 0, so that a step can `return release(lease)` to run again without a delay.
 */
export function release(lease: unknown): number {
  const held = (lease ?? {}) as Partial<Disposable & AsyncDisposable>
  const dispose = async (): Promise<void> =>
    held[Symbol.asyncDispose] === undefined ? held[Symbol.dispose]?.() : held[Symbol.asyncDispose]!()
  dispose().catch(() => undefined)
  return 0
}
