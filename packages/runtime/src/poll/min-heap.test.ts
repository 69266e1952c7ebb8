import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import { type HeapEntry, MinHeap } from './poll-queue.ts'

const steps = fc.array(
  fc.record({
    do: fc.constantFrom('add', 'add', 'add', 'move', 'remove', 'pop'),
    pick: fc.nat(),
    at: fc.integer({ min: 0, max: 20 }),
  }),
  { maxLength: 120 },
)

it('R-34: the heap returns entries by time, and entries of the same time in the order of adding', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const heap = new MinHeap<HeapEntry>()
      let model: { readonly entry: HeapEntry; at: number; order: number }[] = []
      let count = 0
      const sorted = () => model.toSorted((a, b) => a.at - b.at || a.order - b.order)
      const forget = (item: (typeof model)[number]) => {
        expect(heap.remove(item.entry)).toBe(false)
        model = model.filter((other) => other !== item)
      }
      for (const step of list) {
        const picked = model[step.pick % Math.max(1, model.length)]
        if (step.do === 'add' || picked === undefined) {
          const entry = { dueAt: 0, order: 0, heapIndex: -1 }
          model.push({ entry, at: step.at, order: count++ })
          heap.add(entry, step.at)
        } else if (step.do === 'move') {
          heap.add(picked.entry, step.at)
          picked.at = step.at
          picked.order = count++
        } else if (step.do === 'remove') {
          expect(heap.remove(picked.entry)).toBe(true)
          forget(picked)
        } else {
          const first = sorted()[0]!
          expect(heap.pop()).toBe(first.entry)
          forget(first)
        }
        expect(heap.size).toBe(model.length)
        expect(heap.peek()).toBe(sorted()[0]?.entry)
      }
      for (const item of sorted()) expect(heap.pop()).toBe(item.entry)
      expect(heap.pop()).toBeUndefined()
    }),
    { numRuns: 300 },
  )
})
