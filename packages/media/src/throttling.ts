import type { Clock, OperationExtra } from '@concord/runtime'

/** How long tasks were seen to be throttled. Between two polls a task counts as what the first of them saw. */
export class Throttling {
  readonly #clock: Clock
  readonly #seen = new WeakMap<OperationExtra, { totalMs: number; sinceMs: number | undefined }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Notes what a poll saw. Tasks are identified by the object that belongs to their handle. */
  note(task: OperationExtra, status: unknown): void {
    const before = this.#seen.get(task)
    if (before === undefined && status !== 'THROTTLED') return
    const now = this.#clock.monotonic()
    const spentMs = before?.sinceMs === undefined ? 0 : now - before.sinceMs
    this.#seen.set(task, {
      totalMs: (before?.totalMs ?? 0) + spentMs,
      sinceMs: status === 'THROTTLED' ? now : undefined,
    })
  }

  /** Milliseconds, as far as polls have seen. */
  totalMs(task: OperationExtra | undefined): number {
    return (task && this.#seen.get(task)?.totalMs) ?? 0
  }
}
