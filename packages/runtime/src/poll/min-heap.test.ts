import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import { type HeapEntry, MinHeap } from './poll-queue.ts'

/** Each step adds or moves an entry, or removes it if the time is null. */
const steps = fc.array(fc.tuple(fc.nat(40), fc.option(fc.nat(20))), { maxLength: 120 })

it('R-34: the heap returns entries by time, and entries of the same time in the order of adding', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const heap = new MinHeap<HeapEntry>()
      const entries = Array.from({ length: 41 }, (): HeapEntry => ({ dueAt: 0, order: 0, heapIndex: -1 }))
      /** The times, in the order of adding. */
      const times = new Map<HeapEntry, number>()
      for (const [index, at] of list) {
        const entry = entries[index]!
        if (at === null) expect(heap.remove(entry)).toBe(times.has(entry))
        else heap.add(entry, at)
        times.delete(entry)
        if (at !== null) times.set(entry, at)
        expect(heap.size).toBe(times.size)
      }
      for (const [entry] of [...times].toSorted(([, one], [, other]) => one - other)) {
        expect(heap.peek()).toBe(entry)
        expect(heap.pop()).toBe(entry)
      }
      expect([heap.peek(), heap.pop()]).toEqual([undefined, undefined])
    }),
    { numRuns: 300 },
  )
})
