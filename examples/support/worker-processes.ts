// Worker processes of the fleet example, for as long as it runs.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** Worker processes that can be killed. A spare one has loaded everything, so that it can start in the place of a killed one at once. */
export class WorkerProcesses {
  readonly #script: string
  readonly #working = new Map<number, ChildProcess>()
  #spares: ChildProcess[]

  /** @param script - It begins to work when it receives a message. */
  constructor(script: string, spares: number) {
    this.#script = script
    this.#spares = Array.from({ length: spares }, () => this.#fork())
  }

  get ids(): ReadonlySet<number> {
    return new Set(this.#working.keys())
  }

  /** Starts as many as are missing. */
  fill(count: number): void {
    while (this.#working.size < count) {
      this.#spares.push(this.#fork())
      const worker = this.#spares.shift()!
      this.#working.set(worker.pid!, worker)
      worker.send('work')
    }
  }

  kill(id: number): void {
    this.#working.get(id)?.kill('SIGKILL')
    this.#working.delete(id)
  }

  /** Ends all of them, the working ones in an orderly way. */
  async stop(): Promise<void> {
    for (const spare of this.#spares) spare.kill('SIGKILL')
    this.#spares = []
    for (const worker of this.#working.values()) {
      const ended = once(worker, 'exit')
      worker.kill('SIGTERM')
      await ended
    }
  }

  #fork(): ChildProcess {
    return fork(this.#script, ['--worker'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  }
}
