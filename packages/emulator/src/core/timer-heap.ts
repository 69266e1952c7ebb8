/** A timer in a heap. */
export interface HeapTimer {
  readonly dueMs: number
  /** The order of creation, which decides between timers that are due at the same time. */
  readonly order: number
  readonly callback: () => void
  /** The position in the heap, maintained by the heap; -1 if the timer isn't in one. */
  index: number
}

/** Timers ordered by due time. Adding and removing take O(log n). */
interface TimerHeap {
  first(): HeapTimer | undefined
  add(timer: HeapTimer): void
  /** Returns whether the timer was in the heap. */
  remove(timer: HeapTimer): boolean
  clear(): void
}

export function createTimerHeap(): TimerHeap {
  let heap: HeapTimer[] = []

  const isBefore = (one: HeapTimer, other: HeapTimer) =>
    one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order)

  function place(timer: HeapTimer, index: number): void {
    heap[index] = timer
    timer.index = index
  }

  function rise(timer: HeapTimer): void {
    let { index } = timer
    while (index > 0) {
      const parentIndex = (index - 1) >> 1
      const parent = heap[parentIndex]
      if (!parent || !isBefore(timer, parent)) break
      place(parent, index)
      index = parentIndex
    }
    place(timer, index)
  }

  function sink(timer: HeapTimer): void {
    let { index } = timer
    for (;;) {
      const left = heap[2 * index + 1]
      const right = heap[2 * index + 2]
      const child = left && right && isBefore(right, left) ? right : left
      if (!child || !isBefore(child, timer)) break
      const childIndex = child.index
      place(child, index)
      index = childIndex
    }
    place(timer, index)
  }

  return {
    first: () => heap[0],
    add(timer) {
      place(timer, heap.length)
      rise(timer)
    },
    remove(timer) {
      const { index } = timer
      if (heap[index] !== timer) return false
      const last = heap.pop()
      timer.index = -1
      if (last && last !== timer) {
        place(last, index)
        rise(last)
        sink(last)
      }
      return true
    },
    clear() {
      for (const timer of heap) timer.index = -1
      heap = []
    },
  }
}
