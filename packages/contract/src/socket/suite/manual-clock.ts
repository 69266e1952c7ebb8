import type { SubjectClock } from './socket-subject.ts'

/** A clock whose time changes only when `advance` is called. */
export class ManualClock implements SubjectClock {
  #nowMs = 0
  #timers: { readonly atMs: number; readonly callback: () => void }[] = []

  now(): number {
    return Date.UTC(2026, 0, 1) + this.#nowMs
  }

  monotonic(): number {
    return this.#nowMs
  }

  setTimer(callback: () => void, delayMs: number): { cancel(): void } {
    const timer = { atMs: this.#nowMs + Math.max(0, delayMs), callback }
    this.#timers.push(timer)
    return { cancel: () => void (this.#timers = this.#timers.filter((one) => one !== timer)) }
  }

  /** Runs the timers that become due, in order, and waits for the effects of each timer. */
  async advance(byMs: number): Promise<void> {
    const untilMs = this.#nowMs + byMs
    for (;;) {
      const next = this.#timers.filter((one) => one.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0]
      if (!next) break
      this.#timers = this.#timers.filter((one) => one !== next)
      this.#nowMs = next.atMs
      next.callback()
      await turns()
    }
    this.#nowMs = untilMs
    await turns()
  }
}

/** Waits for a few turns of the event loop. */
export async function turns(count = 3): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}
