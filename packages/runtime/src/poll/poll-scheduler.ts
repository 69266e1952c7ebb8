import { type Clock, type RandomSource, systemClock, type Timer } from '../core/clock.ts'
import { ConnectionError, OptionsError } from '../core/errors.ts'
import type { PollBudget } from '../limit/limits.ts'

/** Options of {@link PollScheduler}. @public */
export interface PollSchedulerOptions {
  /** Default: the host's clock. */
  readonly clock?: Clock
  /** The source of jitter. Default: `Math.random`. */
  readonly random?: RandomSource
  /** How many polls may be in flight at once. Default: 64. */
  readonly maxInFlight?: number
  /** Holds polls back so that they leave room within the rate limit of the account. Default: none. */
  readonly budget?: PollBudget
}

/** Something that is due at a point in time. */
export interface ScheduledEntry extends HeapEntry {
  /** Called when it is due. */
  onDue(): void
}

/** Something that polls when it is its turn. */
export interface PollTask {
  readonly kind: string
  readonly id: string
  /** False once no caller is waiting. */
  readonly wantsPoll: boolean
  /** Never rejects. */
  runPoll(): Promise<void>
  wake(): void
  end(error: unknown): void
}

/** The longest delay that the host's timers support. For a later time, the timer is set again when it fires. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Serves every wait of a client: one heap of due times, one timer for the first of them, and a bounded number of polls in
 * flight. Polls beyond that number wait in a queue, in the order in which they became due; deadlines never wait.
 *
 * @public
 */
export class PollScheduler {
  /** @internal */ readonly clock: Clock
  /** @internal */ readonly random: RandomSource
  /** @internal */ readonly aborts = new AbortGroups()
  readonly #maxInFlight: number
  readonly #budget: PollBudget | undefined
  readonly #heap = new MinHeap<ScheduledEntry>()
  readonly #active = new Map<string, PollTask | PollTask[]>()
  #queue: PollTask[] = []
  #queueHead = 0
  #inFlight = 0
  #timer: Timer | undefined
  #timerAt = Infinity
  #closed: { readonly reason: unknown } | undefined
  /** Does nothing itself: after it has fired, `#fire` calls `#startPolls` again. */
  readonly #budgetRetry: ScheduledEntry = { dueAt: 0, order: 0, heapIndex: -1, onDue: () => {} }

  /** @throws OptionsError when `maxInFlight` is not a whole number of at least 1. */
  constructor(options: PollSchedulerOptions = {}) {
    const { clock = systemClock, random = Math.random, maxInFlight = 64, budget } = options
    if (!Number.isInteger(maxInFlight) || maxInFlight < 1) {
      throw new OptionsError(
        'maxInFlight',
        '`maxInFlight` must be a whole number of at least 1.',
        'Omit it to use 64.',
      )
    }
    this.clock = clock
    this.random = random
    this.#maxInFlight = maxInFlight
    this.#budget = budget
  }

  /** How many polls are in flight. */
  get inFlight(): number {
    return this.#inFlight
  }

  /**
   * Polls an operation at once if a caller is waiting for it. Call it when a webhook or another hint says that the
   * operation changed; only the poll decides whether it did. Hints that follow each other faster than the minimum delay
   * cause one poll.
   *
   * @param kind Limits it to one kind of operation, in case operations of different kinds can have the same id.
   * @returns How many operations were woken; 0 if no caller is waiting for this id.
   */
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

  /** Ends every wait with `reason`, and rejects every later one. */
  close(reason: unknown = closedError()): void {
    this.#closed ??= { reason }
    for (const found of this.#active.values()) {
      for (const task of Array.isArray(found) ? [...found] : [found]) task.end(reason)
    }
  }

  /**
   * @internal Returns the time on the monotonic clock, in whole milliseconds, rounded up. Thousands of waits store several
   * of these, and V8 stores whole numbers inline but allocates others on the heap.
   */
  now(): number {
    return Math.ceil(this.clock.monotonic())
  }

  /** @internal Throws the reason if it is closed. */
  assertOpen(): void {
    if (this.#closed !== undefined) throw this.#closed.reason
  }

  /** @internal */
  add(entry: ScheduledEntry, dueAt: number): void {
    this.#heap.add(entry, dueAt)
    this.#arm()
  }

  /** @internal */
  remove(entry: ScheduledEntry): void {
    // The timer stays set unless nothing is left: firing once too often costs less than setting it again.
    this.#heap.remove(entry)
    if (this.#heap.size === 0) this.#arm()
  }

  /** @internal Queues a task for a poll. */
  enqueue(task: PollTask): void {
    this.#queue.push(task)
  }

  /** @internal Lets {@link PollScheduler.wake} find a task. */
  register(task: PollTask): void {
    const found = this.#active.get(task.id)
    if (found === undefined) this.#active.set(task.id, task)
    else if (Array.isArray(found)) found.push(task)
    else this.#active.set(task.id, [found, task])
  }

  /** @internal */
  unregister(task: PollTask): void {
    const found = this.#active.get(task.id)
    const others = Array.isArray(found) ? found.filter((other) => other !== task) : []
    if (others.length > 0) this.#active.set(task.id, others)
    else this.#active.delete(task.id)
  }

  #fire(): void {
    this.#timer = undefined
    this.#timerAt = Infinity
    const now = this.clock.monotonic()
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
    while (this.#inFlight < this.#maxInFlight) {
      const task = this.#queue[this.#queueHead]
      if (task === undefined) break
      if (task.wantsPoll) {
        const waitMs = this.#budget?.takePoll() ?? 0
        if (waitMs > 0) {
          this.#heap.add(this.#budgetRetry, this.clock.monotonic() + waitMs)
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
    const delayMs = Math.max(0, dueAt - this.clock.monotonic())
    this.#timer = this.clock.setTimer(() => this.#fire(), Math.min(delayMs, MAX_TIMER_MS))
  }
}

function closedError(): ConnectionError {
  return new ConnectionError(
    'The client is closed and no longer polls. The operation continues on the service; to keep waiting for it, ' +
      'create another client.',
    { phase: 'connect', sent: 'no' },
  )
}

/** Something that can be aborted. */
export interface Abortable {
  abort(reason: unknown): void
}

interface Group {
  readonly members: Set<Abortable>
  readonly onAbort: () => void
}

/**
 * Watches abort signals with one listener per signal. Otherwise, each of thousands of waits on one signal would add its
 * own listener, and have to find it to remove it.
 */
export class AbortGroups {
  readonly #groups = new Map<AbortSignal, Group>()

  /** The signal must not be aborted yet. */
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
    if (group === undefined || !group.members.delete(member) || group.members.size > 0) return
    this.#groups.delete(signal)
    signal.removeEventListener('abort', group.onAbort)
  }
}

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
