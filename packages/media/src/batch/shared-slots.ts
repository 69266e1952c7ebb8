import type { ConcurrencyLimit, Lease, Semaphore } from '@concord/runtime'

/** The part of a limit that a batch uses. */
export type Slots = Pick<ConcurrencyLimit, 'acquire'>

/** Slots of this process that also take a place of a limit which other processes share. */
export function sharedSlots(own: Semaphore, shared: ConcurrencyLimit | undefined): Slots {
  if (shared === undefined) return own
  return {
    async acquire(weight, signals): Promise<Lease> {
      // This process's slot first, so that it holds no shared place while it waits for that slot.
      const slot = await own.acquire(weight, signals)
      let place: Lease
      try {
        place = await shared.acquire(weight, signals)
      } catch (error) {
        slot[Symbol.dispose]()
        throw error
      }
      return {
        weight: place.weight,
        [Symbol.dispose]() {
          place[Symbol.dispose]()
          slot[Symbol.dispose]()
        },
      }
    },
  }
}
