import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import { type HeapEntry, MinHeap } from './poll-queue.ts'

interface Named extends HeapEntry {
  name: number
}

const entry = (name: number): Named => ({ name, dueAt: 0, order: 0, heapIndex: -1 })

type Step =
  | { do: 'add'; at: number }
  | { do: 'move'; pick: number; at: number }
  | { do: 'remove'; pick: number }
  | { do: 'pop' }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('add' as const), at: fc.integer({ min: 0, max: 20 }) }),
    },
    fc.record({ do: fc.constant('move' as const), pick: fc.nat(), at: fc.integer({ min: 0, max: 20 }) }),
    fc.record({ do: fc.constant('remove' as const), pick: fc.nat() }),
    fc.record({ do: fc.constant('pop' as const) }),
  ),
  { maxLength: 120 },
)

it('R-34: the heap returns entries by time, and entries of the same time in the order of adding', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const heap = new MinHeap<Named>()
      let model: { entry: Named; at: number; order: number }[] = []
      let count = 0
      const sorted = () => model.toSorted((a, b) => a.at - b.at || a.order - b.order)
      for (const step of list) {
        if (step.do === 'add') {
          const added = entry(count)
          model.push({ entry: added, at: step.at, order: count++ })
          heap.add(added, step.at)
        } else if (step.do === 'pop') {
          const first = sorted()[0]
          expect(heap.pop()).toBe(first?.entry)
          model = model.filter((item) => item !== first)
        } else {
          const item = model[step.pick % Math.max(1, model.length)]
          if (item === undefined) continue
          if (step.do === 'remove') {
            expect(heap.remove(item.entry)).toBe(true)
            expect(heap.remove(item.entry)).toBe(false)
            model = model.filter((other) => other !== item)
          } else {
            heap.add(item.entry, step.at)
            item.at = step.at
            item.order = count++
          }
        }
        expect(heap.size).toBe(model.length)
        expect(heap.peek()).toBe(sorted()[0]?.entry)
      }
      for (const item of sorted()) expect(heap.pop()).toBe(item.entry)
      expect(heap.pop()).toBeUndefined()
    }),
  )
})

it('R-34: the order holds when many are taken out of the middle', () => {
  const times = fc.array(fc.tuple(fc.nat(1_000), fc.boolean()), { minLength: 20, maxLength: 80 })
  fc.assert(
    fc.property(times, (list) => {
      const heap = new MinHeap<Named>()
      const entries = list.map(([at, taken], index) => {
        const added = entry(index)
        heap.add(added, at)
        return { added, at, taken }
      })
      for (const { added, taken } of entries) if (taken) heap.remove(added)
      const left = entries.filter(({ taken }) => !taken).toSorted((a, b) => a.at - b.at)
      for (const { added } of left) expect(heap.pop()).toBe(added)
      expect(heap.size).toBe(0)
    }),
    { numRuns: 300 },
  )
})

it('an entry of another heap is left alone', () => {
  const one = new MinHeap<Named>()
  const other = new MinHeap<Named>()
  const mine = entry(1)
  one.add(mine, 5)
  other.add(entry(2), 5)
  expect(other.remove(mine)).toBe(false)
  expect(one.peek()).toBe(mine)
})
