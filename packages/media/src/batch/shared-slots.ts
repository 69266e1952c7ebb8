import type { ConcurrencyLimit, Lease, Semaphore } from '@concord/runtime'

/** Slots of this process that also take a place of a limit which other processes share. */
export function sharedSlots(own: Semaphore, shared: ConcurrencyLimit | undefined): ConcurrencyLimit {
  if (shared === undefined) return own
  return {
    mayWait: (weight) => own.mayWait(weight) || shared.mayWait(weight),
    async acquire(weight = 1, signals = []): Promise<Lease> {
      // The own slot first: a place that others could use isn't held while it waits.
      const slot = await own.acquire(weight, signals)
      let place: Lease
      try {
        place = await shared.acquire(weight, signals)
      } catch (error) {
        slot[Symbol.dispose]()
        throw error
      }
      return {
        weight,
        [Symbol.dispose]() {
          place[Symbol.dispose]()
          slot[Symbol.dispose]()
        },
      }
    },
  }
}
