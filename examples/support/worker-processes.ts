import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/**
 * The worker processes of the fleet example. Any of them can be killed. Spare processes have already loaded
 * everything, so that they can replace killed workers immediately.
 */
export class WorkerProcesses {
  readonly #script: string
  readonly #working = new Map<number, ChildProcess>()
  #spares: ChildProcess[]

  /** @param script - The module that each process runs. A process starts working when it receives a message. */
  constructor(script: string, spares: number) {
    this.#script = script
    this.#spares = Array.from({ length: spares }, () => this.#fork())
  }

  get ids(): ReadonlySet<number> {
    return new Set(this.#working.keys())
  }

  /** Starts workers until `count` are running. */
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

  /** Stops all processes. Workers get a signal to finish their work first. */
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
