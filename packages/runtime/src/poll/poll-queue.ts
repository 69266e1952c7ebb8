import type { Clock, Timer } from '../core/clock.ts'
import type { PollBudget } from '../limit/limits.ts'

export interface ScheduledEntry extends HeapEntry {
  onDue(): void
}

export interface PollTask {
  readonly kind: string
  readonly id: string
  /** False once no caller is waiting for the queued poll. */
  readonly wantsPoll: boolean
  /** Never rejects. */
  runPoll(): Promise<void>
  wake(): void
  end(error: unknown): void
}

/** The longest delay that the platform's timers support. For a longer wait, the timer is set again each time it fires. */
const MAX_TIMER_MS = 2 ** 31 - 1

interface QueueOptions {
  readonly clock: Clock
  readonly maxInFlight: number
  readonly budget: PollBudget | undefined
}

/**
 * Schedules the polls and deadlines of all waits of a client. One timer is set for the earliest due time. If
 * `maxInFlight` polls are in flight, further polls wait in a queue. This queue doesn't delay deadlines.
 */
export class PollQueue {
  readonly aborts = new AbortGroups()
  readonly #options: QueueOptions
  readonly #heap = new MinHeap<ScheduledEntry>()
  readonly #active = new Map<string, PollTask | PollTask[]>()
  #queue: PollTask[] = []
  #queueHead = 0
  #inFlight = 0
  #timer: Timer | undefined
  #timerAt = Infinity
  /**
   * This entry is due when the budget allows the next poll. Its `onDue` does nothing, because `#fire` itself calls
   * `#startPolls` after all due entries.
   */
  readonly #budgetRetry: ScheduledEntry = { dueAt: 0, order: 0, heapIndex: -1, onDue: () => {} }

  constructor(options: QueueOptions) {
    this.#options = options
  }

  get inFlight(): number {
    return this.#inFlight
  }

  wake(id: string, kind?: string): number {
    const found = this.#active.get(id)
    let woken = 0
    for (const task of found === undefined ? [] : Array.isArray(found) ? [...found] : [found]) {
      if (kind !== undefined && task.kind !== kind) continue
      task.wake()
      woken += 1
    }
    return woken
  }

  end(reason: unknown): void {
    for (const found of this.#active.values()) {
      for (const task of Array.isArray(found) ? [...found] : [found]) task.end(reason)
    }
  }

  add(entry: ScheduledEntry, dueAt: number): void {
    this.#heap.add(entry, dueAt)
    this.#arm()
  }

  remove(entry: ScheduledEntry): void {
    // The timer is canceled only if no entry is left. An unneeded firing costs less than setting the timer again.
    this.#heap.remove(entry)
    if (this.#heap.size === 0) this.#arm()
  }

  enqueue(task: PollTask): void {
    this.#queue.push(task)
  }

  /** Lets {@link PollQueue.wake} and {@link PollQueue.end} find a task. */
  register(task: PollTask): void {
    const found = this.#active.get(task.id)
    if (found === undefined) this.#active.set(task.id, task)
    else if (Array.isArray(found)) found.push(task)
    else this.#active.set(task.id, [found, task])
  }

  unregister(task: PollTask): void {
    const found = this.#active.get(task.id)
    const others = Array.isArray(found) ? found.filter((other) => other !== task) : []
    if (others.length > 0) this.#active.set(task.id, others)
    else this.#active.delete(task.id)
  }

  #fire(): void {
    this.#timer = undefined
    this.#timerAt = Infinity
    const now = this.#options.clock.monotonic()
    for (
      let first = this.#heap.peek();
      first !== undefined && first.dueAt <= now;
      first = this.#heap.peek()
    ) {
      this.#heap.remove(first)
      first.onDue()
    }
    this.#startPolls()
    this.#arm()
  }

  #startPolls(): void {
    while (this.#inFlight < this.#options.maxInFlight) {
      const task = this.#queue[this.#queueHead]
      if (task === undefined) break
      if (task.wantsPoll) {
        const waitMs = this.#options.budget?.takePoll() ?? 0
        if (waitMs > 0) {
          this.#heap.add(this.#budgetRetry, this.#options.clock.monotonic() + waitMs)
          break
        }
        this.#inFlight += 1
        void task.runPoll().then(this.#onPolled)
      }
      this.#queueHead += 1
    }
    if (this.#queueHead === this.#queue.length) this.#queue = []
    else if (this.#queueHead < 1_024) return
    else this.#queue = this.#queue.slice(this.#queueHead)
    this.#queueHead = 0
  }

  readonly #onPolled = (): void => {
    this.#inFlight -= 1
    this.#startPolls()
    this.#arm()
  }

  #arm(): void {
    const first = this.#heap.peek()
    const dueAt = first?.dueAt ?? Infinity
    if (first !== undefined && this.#timerAt <= dueAt) return
    this.#timer?.cancel()
    this.#timer = undefined
    this.#timerAt = dueAt
    if (first === undefined) return
    const delayMs = Math.max(0, dueAt - this.#options.clock.monotonic())
    this.#timer = this.#options.clock.setTimer(() => this.#fire(), Math.min(delayMs, MAX_TIMER_MS))
  }
}

export interface Abortable {
  abort(reason: unknown): void
}

interface Group {
  readonly members: Set<Abortable>
  readonly onAbort: () => void
}

/**
 * Watches abort signals with one listener per signal. Thousands of waits can share a signal. With one listener per
 * wait, removing a listener would require a search.
 */
export class AbortGroups {
  readonly #groups = new Map<AbortSignal, Group>()

  /** Aborts `member` when the signal is aborted. Don't pass a signal that is already aborted. */
  join(signal: AbortSignal, member: Abortable): void {
    let group = this.#groups.get(signal)
    if (group === undefined) {
      const members = new Set<Abortable>()
      const onAbort = (): void => {
        for (const each of members) each.abort(signal.reason)
      }
      group = { members, onAbort }
      this.#groups.set(signal, group)
      signal.addEventListener('abort', onAbort)
    }
    group.members.add(member)
  }

  leave(signal: AbortSignal, member: Abortable): void {
    const group = this.#groups.get(signal)
    group?.members.delete(member)
    if (group === undefined || group.members.size > 0) return
    this.#groups.delete(signal)
    signal.removeEventListener('abort', group.onAbort)
  }
}

/** An entry of a {@link MinHeap}. Only the heap changes these fields. */
export interface HeapEntry {
  /** The key: the entry with the smallest key comes first. */
  dueAt: number
  /** Breaks ties: entries with the same key come in the order in which they were added. */
  order: number
  /** The position in the heap, or -1 if the entry isn't in a heap. Allows removal without a search. */
  heapIndex: number
}

/**
 * A binary heap. Each entry stores its own position, so the heap allocates no objects for its entries.
 */
export class MinHeap<Entry extends HeapEntry> {
  readonly #entries: Entry[] = []
  #added = 0

  get size(): number {
    return this.#entries.length
  }

  peek(): Entry | undefined {
    return this.#entries[0]
  }

  /** Adds an entry, or moves it if it is already in the heap. A moved entry comes after entries with the same key. */
  add(entry: Entry, dueAt: number): void {
    this.remove(entry)
    entry.dueAt = dueAt
    entry.order = this.#added++
    entry.heapIndex = this.#entries.length
    this.#entries.push(entry)
    this.#rise(entry)
  }

  pop(): Entry | undefined {
    const first = this.#entries[0]
    if (first !== undefined) this.remove(first)
    return first
  }

  /** Returns whether the entry was in the heap. */
  remove(entry: Entry): boolean {
    const index = entry.heapIndex
    if (index < 0) return false
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
