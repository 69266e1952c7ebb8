import { OptionsError } from '../core/errors.ts'

/** A part of a {@link ConcurrencyLimit} that is held; dispose of it to free it. @public */
export interface Lease extends Disposable {
  readonly weight: number
  /**
   * Aborted if the part is no longer held although it was not disposed of, because the place that counts could not be reached
   * for too long. Absent if that cannot happen.
   */
  readonly lost?: AbortSignal
}

/** Limits how much runs at the same time, in one process or in many. @public */
export interface ConcurrencyLimit {
  /**
   * Waits for its turn.
   *
   * @param weight Expensive work can weigh more than 1, the default.
   * @param signals Aborting one ends the wait with its reason.
   */
  acquire(weight?: number, signals?: readonly AbortSignal[]): Promise<Lease>
  /** Returns whether a request of this weight may have to wait now. */
  mayWait(weight: number): boolean
}

/** Returns whether a value has the methods of a {@link ConcurrencyLimit}. @public */
export function isConcurrencyLimit(value: unknown): value is ConcurrencyLimit {
  const { acquire, mayWait } = (value ?? {}) as Partial<Record<string, unknown>>
  return typeof acquire === 'function' && typeof mayWait === 'function'
}

/** Limits how many requests are sent in a time, by one process or by many. @public */
export interface RateLimit {
  /** Waits until a request may be sent, and counts it. Called before every attempt. */
  acquire(options: { readonly signal?: AbortSignal | undefined }): Promise<unknown>
}

interface Waiting {
  readonly weight: number
  readonly grant: (lease: Lease) => void
}

/**
 * Limits how much runs at the same time in this process, such as connections to a service that limits how many are open.
 * Expensive work can weigh more than 1. Requests are served in order.
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
        '`capacity` must be above 0.',
        'Pass the total weight that may be held at once.',
      )
    this.#capacity = capacity
  }

  /** The weight that is free now. */
  get free(): number {
    return this.#capacity - this.#used
  }

  /** The number of waiting requests. */
  get waiting(): number {
    return this.#waiting.length
  }

  mayWait(weight: number): boolean {
    return this.#waiting.length > 0 || this.free < weight
  }

  /**
   * Waits for its turn.
   *
   * @throws OptionsError if `weight` isn't above 0 or exceeds the capacity. An abort throws the signal's own reason.
   */
  acquire(weight = 1, signals: readonly AbortSignal[] = []): Promise<Lease> {
    return new Promise((resolve, reject) => {
      if (!(weight > 0 && weight <= this.#capacity)) {
        throw new OptionsError(
          'weight',
          `\`weight\` must be above 0 and at most ${this.#capacity}, the capacity of the semaphore.`,
          'Pass less, or create a semaphore with more capacity.',
        )
      }
      for (const signal of signals) signal.throwIfAborted()
      const leave = (): void => {
        for (const signal of signals) signal.removeEventListener('abort', onAbort)
      }
      const waiting: Waiting = {
        weight,
        grant(lease) {
          leave()
          resolve(lease)
        },
      }
      const onAbort = (event: Event): void => {
        leave()
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        // The request that left may have been the one that blocked the others.
        this.#serve()
        reject((event.target as AbortSignal).reason as Error)
      }
      for (const signal of signals) signal.addEventListener('abort', onAbort)
      this.#waiting.push(waiting)
      this.#serve()
    })
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
