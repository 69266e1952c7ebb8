/** Remembers the last jobs that were handled, and runs at most one handling of a job at a time. */
export class SeenJobs {
  readonly #limit: number
  readonly #done = new Set<string>()
  readonly #running = new Map<string, Promise<Response>>()

  constructor(limit: number) {
    this.#limit = limit
  }

  has(jobId: string): boolean {
    return this.#done.has(jobId)
  }

  add(jobId: string): void {
    this.#done.add(jobId)
    if (this.#done.size <= this.#limit) return
    const [oldest] = this.#done
    if (oldest !== undefined) this.#done.delete(oldest)
  }

  /** Runs `handle`, or joins the run that is under way for the same job. */
  once(jobId: string, handle: () => Promise<Response>): Promise<Response> {
    const running = this.#running.get(jobId)
    if (running) return running
    const started = handle().finally(() => this.#running.delete(jobId))
    this.#running.set(jobId, started)
    return started
  }
}
