import { type ConcurrencyLimit, type Lease, OptionsError } from '@concord/runtime'
import { checkOptionNames, checkWeight, numberOption, type OptionNames } from '@concord/runtime/internal'

import type { PostgresPool } from '../database/pool.ts'
import { LeaseKeeper } from './lease-keeper.ts'
import { LimitGuard, SHARED_NAMES, type SharedLimitOptions } from './when-down.ts'

/** Options of {@link postgresSemaphore}. @public */
export interface PostgresSemaphoreOptions extends SharedLimitOptions {
  /**
   * The maximum total weight of the leases that are held at the same time. All processes must pass the same value. By
   * default, each lease weighs 1.
   */
  readonly capacity: number
  /**
   * How long a lease lasts without a renewal, in milliseconds. A process renews its leases three times during this
   * time, so a lease ends at most `termMs` after its process dies. Default: 30,000.
   */
  readonly termMs?: number
}

/** A share of the capacity of a {@link PostgresSemaphore}. @public */
export interface PostgresLease extends Lease {
  /**
   * A fencing token, higher than the token of every lease that was requested earlier. Use it to reject writes from a
   * previous holder. Absent if the database could not be used and `whenDown` is `open`, because the lease then
   * isn't counted.
   */
  readonly token?: bigint
  /**
   * Aborted with a `DatabaseError` if this process lost the lease, because it could not renew it within `termMs`.
   * Never aborted if `whenDown` is `open`.
   */
  readonly lost: AbortSignal
}

/** A semaphore that processes on any number of machines share. @public */
export interface PostgresSemaphore extends ConcurrencyLimit {
  acquire(weight?: number, signals?: readonly AbortSignal[]): Promise<PostgresLease>
  /** Waits until all disposed leases have been freed in the database. Call `settled` before you end the pool. */
  settled(): Promise<void>
}

const NAMES: OptionNames<PostgresSemaphoreOptions> = { ...SHARED_NAMES, capacity: true, termMs: true }
const TERM_MS = 30_000
const MIN_TERM_MS = 1000

/**
 * Limits concurrency, such as the connections or unfinished tasks of an account, across any number of machines.
 *
 * Leases are granted first come, first served, across all processes. A lease ends when it is disposed, or at most
 * `termMs` after its process dies. A waiting process listens to the database (`LISTEN`) on one connection, and checks
 * for dead holders when a lease expires.
 *
 * @throws OptionsError
 * @public
 */
export function postgresSemaphore(pool: PostgresPool, options: PostgresSemaphoreOptions): PostgresSemaphore {
  checkOptionNames(options, NAMES, 'options')
  const guard = new LimitGuard(pool, options)
  const termMs = numberOption(options.termMs, 'termMs', TERM_MS, { min: MIN_TERM_MS })
  const { capacity } = options
  if (!(capacity > 0 && Number.isFinite(capacity)))
    throw new OptionsError(
      'capacity',
      'must be a finite number above 0.',
      'Pass the maximum total weight of the leases held at the same time (by default, each lease weighs 1).',
    )
  const keeper = new LeaseKeeper(guard, capacity, termMs)
  return {
    // Only the database knows whether a lease request has to wait.
    mayWait: () => true,
    settled: () => keeper.settled(),
    async acquire(weight = 1, signals = []) {
      checkWeight(weight, capacity)
      for (const signal of signals) signal.throwIfAborted()
      const request = await keeper.request(weight, signals)
      if (request === undefined)
        return { weight, lost: new AbortController().signal, [Symbol.dispose]: () => undefined }
      return {
        weight,
        token: BigInt(request.ticket),
        lost: request.lost.signal,
        [Symbol.dispose]: () => keeper.release(request),
      }
    },
  }
}
