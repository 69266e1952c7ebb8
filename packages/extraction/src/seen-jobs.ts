/** Remembers the most recently handled jobs. */
export class SeenJobs {
  readonly #limit: number
  readonly #ids = new Set<string>()

  constructor(limit: number) {
    this.#limit = limit
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  add(id: string): void {
    this.#ids.add(id)
    for (const oldest of this.#ids) {
      if (this.#ids.size <= this.#limit) break
      this.#ids.delete(oldest)
    }
  }
}

/** Runs at most one piece of work per key at a time; callers with the same key share its result. */
export class SharedRuns<T> {
  readonly #running = new Map<string, Promise<T>>()

  run(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(key)
    if (running) return running
    const started = work().finally(() => this.#running.delete(key))
    this.#running.set(key, started)
    return started
  }
}
