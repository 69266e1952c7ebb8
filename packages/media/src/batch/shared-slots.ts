import type { ConcurrencyLimit, Lease, Semaphore } from '@concord/runtime'

/** The part of a limit that a batch uses. */
export type Slots = Pick<ConcurrencyLimit, 'acquire'>

/** Slots of this process, each with a lease of a limit that other processes share. */
export function sharedSlots(own: Semaphore, shared: ConcurrencyLimit | undefined): Slots {
  if (shared === undefined) return own
  return {
    async acquire(weight, signals): Promise<Lease> {
      // This process's slot first, so that it holds no shared lease while it waits for that slot.
      const slot = await own.acquire(weight, signals)
      let lease: Lease
      try {
        lease = await shared.acquire(weight, signals)
      } catch (error) {
        slot[Symbol.dispose]()
        throw error
      }
      return {
        weight: lease.weight,
        [Symbol.dispose]() {
          lease[Symbol.dispose]()
          slot[Symbol.dispose]()
        },
      }
    },
  }
}
