import { type Clock, type RandomSource, systemClock } from '../core/clock.ts'
import { ConnectionError } from '../core/errors.ts'
import { numberOption } from '../core/option-checks.ts'
import type { PollBudget } from '../limit/limits.ts'
import type { PollQueue } from './poll-queue.ts'

/** Options of {@link PollScheduler}. @public */
export interface PollSchedulerOptions {
  /** Default: the system clock. */
  readonly clock?: Clock
  /** The source of jitter. Default: `Math.random`. */
  readonly random?: RandomSource
  /** How many polls may be in flight at once. Default: 64. */
  readonly maxInFlight?: number
  /** Delays polls, to leave room for other requests within the account's rate limit. Default: none. */
  readonly budget?: PollBudget
}

interface StartingOperation {
  readonly id: string
  readonly settings: { readonly kind: string }
  wake(): void
}

/**
 * Schedules the polls for all waits of a client. The polling code is loaded before the first submission or with the
 * first wait, whichever comes first.
 *
 * @public
 */
export class PollScheduler {
  /** @internal */ readonly clock: Clock
  /** @internal */ readonly random: RandomSource
  /** @internal */ readonly maxInFlight: number
  /** @internal */ readonly budget: PollBudget | undefined
  /** @internal Created by the first wait. */
  queue: PollQueue | undefined
  /** @internal For each operation, the number of waits that can't begin until the polling code is loaded. */
  readonly starting = new Map<StartingOperation, number>()
  #closed: { readonly reason: unknown } | undefined

  /** @throws OptionsError if `maxInFlight` is not a whole number of at least 1. */
  constructor(options: PollSchedulerOptions = {}) {
    const { clock = systemClock, random = Math.random, maxInFlight, budget } = options
    this.clock = clock
    this.random = random
    this.maxInFlight = numberOption(maxInFlight, 'maxInFlight', 64, { min: 1, whole: true })
    this.budget = budget
  }

  /** How many polls are in flight. */
  get inFlight(): number {
    return this.queue?.inFlight ?? 0
  }

  /**
   * Polls the operation with this id at once, or as soon as the service's `Retry-After` has passed. Does nothing if
   * no caller is waiting for the operation. Call `wake` when a webhook or another hint says that the operation
   * changed. Even many calls of `wake` cause at most one poll per minimum delay.
   *
   * @param kind The operation's kind, in case operations of different kinds can have the same id. Default: any kind.
   * @returns How many operations were woken; 0 if no caller is waiting for this id.
   */
  wake(id: string, kind?: string): number {
    let woken = this.queue?.wake(id, kind) ?? 0
    for (const operation of this.starting.keys()) {
      if (operation.id !== id || (kind !== undefined && operation.settings.kind !== kind)) continue
      operation.wake()
      woken += 1
    }
    return woken
  }

  /** Ends every wait with `reason`, and rejects every later wait with the same reason. */
  close(reason: unknown = closedError()): void {
    this.#closed ??= { reason }
    this.queue?.end(reason)
  }

  /**
   * @internal Returns the time on the monotonic clock, in milliseconds, rounded up to a whole number. Rounding saves
   * memory when there are thousands of waits, each with several timestamps: V8 stores whole numbers inline, but
   * allocates other numbers on the heap.
   */
  now(): number {
    return Math.ceil(this.clock.monotonic())
  }

  /** @internal Throws the reason of `close` if the scheduler is closed. */
  assertOpen(): void {
    if (this.#closed !== undefined) throw this.#closed.reason
  }
}

function closedError(): ConnectionError {
  return new ConnectionError(
    'The client is closed and no longer polls. The operation continues on the service; to keep waiting for it, ' +
      'resume it with another client.',
    { phase: 'connect', sent: 'no' },
  )
}
