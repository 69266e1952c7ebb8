/** An entry of a {@link MinHeap}. Only the heap writes these fields. */
export interface HeapEntry {
  /** The key: the entry with the smallest key comes first. */
  dueAt: number
  /** Breaks ties: of two entries with the same key, the one that was added first comes first. */
  order: number
  /** The position in the heap, or -1. Allows removal without a search. */
  heapIndex: number
}

/**
 * A binary heap of entries that know their own position, so that adding and removing cost O(log n) and nothing is allocated
 * per entry.
 */
export class MinHeap<Entry extends HeapEntry> {
  readonly #entries: Entry[] = []
  #added = 0

  get size(): number {
    return this.#entries.length
  }

  /** Returns the first entry, without removing it. */
  peek(): Entry | undefined {
    return this.#entries[0]
  }

  /** Adds an entry, or moves it if it is already in the heap. Moving puts it behind entries with the same key. */
  add(entry: Entry, dueAt: number): void {
    this.remove(entry)
    entry.dueAt = dueAt
    entry.order = this.#added++
    entry.heapIndex = this.#entries.length
    this.#entries.push(entry)
    this.#rise(entry)
  }

  /** Removes and returns the first entry. */
  pop(): Entry | undefined {
    const first = this.#entries[0]
    if (first !== undefined) this.remove(first)
    return first
  }

  /** Removes an entry. Returns whether it was in the heap. */
  remove(entry: Entry): boolean {
    const index = entry.heapIndex
    if (index < 0 || this.#entries[index] !== entry) return false
    const last = this.#entries.pop()
    entry.heapIndex = -1
    if (last !== undefined && last !== entry) {
      last.heapIndex = index
      this.#entries[index] = last
      this.#rise(last)
      this.#sink(last)
    }
    return true
  }

  #rise(entry: Entry): void {
    while (entry.heapIndex > 0) {
      const parent = this.#entries[(entry.heapIndex - 1) >> 1]
      if (parent === undefined || !comesBefore(entry, parent)) return
      this.#swap(entry, parent)
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const left = this.#entries[2 * entry.heapIndex + 1]
      const right = this.#entries[2 * entry.heapIndex + 2]
      const child = right !== undefined && left !== undefined && comesBefore(right, left) ? right : left
      if (child === undefined || !comesBefore(child, entry)) return
      this.#swap(child, entry)
    }
  }

  #swap(one: Entry, other: Entry): void {
    const index = one.heapIndex
    one.heapIndex = other.heapIndex
    other.heapIndex = index
    this.#entries[one.heapIndex] = one
    this.#entries[other.heapIndex] = other
  }
}

function comesBefore(one: HeapEntry, other: HeapEntry): boolean {
  return one.dueAt === other.dueAt ? one.order < other.order : one.dueAt < other.dueAt
}
