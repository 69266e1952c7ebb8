import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { createTimerHeap, type HeapTimer } from '../../src/core/timer-heap.ts'

const timerOf = (dueMs: number, order: number): HeapTimer => ({ dueMs, order, callback() {}, index: -1 })

describe('the timer heap', () => {
  it('returns timers by due time, then by creation, after any removals', () => {
    const timers = fc.array(fc.record({ dueMs: fc.integer({ min: 0, max: 20 }), removed: fc.boolean() }))
    fc.assert(
      fc.property(timers, (given) => {
        const heap = createTimerHeap()
        const made = given.map(({ dueMs, removed }, order) => ({ timer: timerOf(dueMs, order), removed }))
        for (const { timer } of made) heap.add(timer)
        for (const { timer, removed } of made) if (removed) expect(heap.remove(timer)).toBe(true)
        for (const { timer, removed } of made) if (removed) expect(heap.remove(timer)).toBe(false)
        const expected = made
          .flatMap(({ timer, removed }) => (removed ? [] : [timer]))
          .sort((one, other) => one.dueMs - other.dueMs || one.order - other.order)
        const taken: HeapTimer[] = []
        for (let first = heap.first(); first; first = heap.first()) {
          taken.push(first)
          heap.remove(first)
        }
        expect(taken).toEqual(expected)
      }),
    )
  })

  it('compares about log2(n) timers to find the next of 10,000', () => {
    let compared = 0
    const heap = createTimerHeap()
    const timers = Array.from({ length: 10_000 }, (_, order) => {
      const timer = timerOf((order * 7919) % 10_007, order)
      const { dueMs } = timer
      Object.defineProperty(timer, 'dueMs', { get: () => (compared++, dueMs) })
      return timer
    })
    for (const timer of timers) heap.add(timer)
    for (let first = heap.first(); first; first = heap.first()) heap.remove(first)
    expect(compared / timers.length).toBeLessThan(120)
  })

  it('has no timers after it is cleared', () => {
    const heap = createTimerHeap()
    const timer = timerOf(1, 1)
    heap.add(timer)
    heap.clear()
    expect([heap.first(), heap.remove(timer)]).toEqual([undefined, false])
  })
})
