import { hostname } from 'node:os'

import { wait } from '@concord/runtime/internal'

import { listen } from '../database/listener.ts'
import { rows, transaction } from '../database/database.ts'
import type { JobChange } from './model.ts'
import { type FleetParts, requeue, ringing } from './parts.ts'
import type { FleetService } from './service.ts'
import { Steps } from './steps.ts'
import { stepOf } from './tickets.ts'

interface WorkerParts extends FleetParts {
  readonly services: Readonly<Record<string, FleetService<unknown, unknown>>>
  readonly concurrency: number
  /** After this time without a heartbeat, other workers take over a worker's jobs. */
  readonly termMs: number
  /** How long work in progress may take after a stop. */
  readonly graceMs: number
  readonly onError: (error: unknown) => void
}

/** How often to maintain the queue, for example to release tickets that were taken too long ago. */
const MAINTENANCE_MS = 60_000

const EXPIRED_CHUNK = 1_000

/** Runs the steps of all services in this process, and takes over the jobs of dead workers. */
export class Worker {
  readonly #parts: WorkerParts
  readonly #steps: Readonly<Record<string, Steps>>
  #id = 0
  #done = 0
  /** The time (monotonic clock) at which this worker last failed to reach the database. */
  #outOfContactAtMs = -Infinity
  #maintainedAtMs: number | undefined

  constructor(parts: WorkerParts) {
    this.#parts = parts
    this.#steps = Object.fromEntries(
      Object.entries(parts.services).map(([name, service]) => [
        name,
        new Steps({
          ...parts,
          name,
          service,
          worker: () => this.#id,
          onDone: () => void this.#done++,
        }),
      ]),
    )
  }

  /**
   * Works until `stop` is aborted, then finishes the jobs in progress.
   *
   * @returns the changes that could not be recorded.
   */
  async run(stop: AbortSignal): Promise<readonly JobChange[]> {
    const { pool, journal, clock, graceMs, onError } = this.#parts
    await this.#register()
    // Before the first request, this worker must know the pauses that other workers began earlier.
    await this.#exchangeStates()
    const cut = new AbortController()
    let timer: { cancel(): void } | undefined
    const onStop = (): void => {
      timer = clock.setTimer(() => cut.abort(new Error('The worker was stopped.')), graceMs)
    }
    if (stop.aborted) onStop()
    else stop.addEventListener('abort', onStop, { once: true })
    const ended = new AbortController()
    const listener = {
      onMessage: (payload: string) => this.#ring(payload),
      onConnected: () => this.#ringAll(),
      onError,
    }
    const listening = listen(this.#parts, listener, ended.signal)
    const beating = this.#beat(ended.signal)
    const lost = await Promise.all(Object.values(this.#steps).map((steps) => steps.run(stop, cut.signal)))
    timer?.cancel()
    ended.abort()
    await Promise.all([listening, beating])
    if (lost.flat().length === 0)
      await transaction(pool, (session) => journal.unregister(session, [this.#id])).catch(onError)
    return lost.flat()
  }

  async #register(): Promise<void> {
    const { pool, journal } = this.#parts
    const name = `${hostname()} ${process.pid}`
    const [row] = await rows<{ id: number }>(pool, journal.register(name))
    this.#id = row!.id
  }

  /** Records `Steps.turn` for each service, and applies the pauses that other workers began. */
  async #exchangeStates(): Promise<void> {
    const { pool, journal } = this.#parts
    const turns = Object.fromEntries(Object.entries(this.#steps).map(([name, { turn }]) => [name, turn]))
    const states = await rows<{ service: string; pausedMs: number | null }>(
      pool,
      journal.serviceStates(turns),
    )
    for (const { service, pausedMs } of states) {
      if (pausedMs !== null && pausedMs > 0) this.#steps[service]?.pauseFor(pausedMs)
    }
  }

  #ring(payload: string): void {
    const [step = '', service = '', delayMs = '', worker = ''] = payload.split(' ')
    if (step === 'pause' && worker !== String(this.#id)) this.#steps[service]?.pauseFor(Number(delayMs))
    if (step === 'submit' || step === 'wait' || step === 'store') this.#steps[service]?.ring(step)
  }

  #ringAll(): void {
    for (const service of Object.keys(this.#steps)) {
      for (const step of ['submit', 'wait', 'store']) this.#ring(`${step} ${service}`)
    }
  }

  async #beat(signal: AbortSignal): Promise<void> {
    const { clock, termMs, onError } = this.#parts
    while (!signal.aborted) {
      try {
        await this.#beatOnce()
      } catch (error) {
        this.#outOfContactAtMs = clock.monotonic()
        onError(error)
      }
      await wait(clock, termMs / 4, [signal]).catch(() => undefined)
    }
  }

  async #beatOnce(): Promise<void> {
    const { pool, journal, tickets, clock, termMs } = this.#parts
    const done = this.#done
    const [known] = await rows(pool, journal.heartbeat(this.#id, done))
    this.#done -= done
    // If this worker's row is missing, other workers took over its jobs. This worker can still settle its work in
    // progress safely: a change is written only if the job's `intent` (a fencing token) is unchanged.
    if (known === undefined) await this.#register()
    await this.#exchangeStates()
    if (clock.monotonic() - (this.#maintainedAtMs ?? -Infinity) >= MAINTENANCE_MS) {
      this.#maintainedAtMs = clock.monotonic()
      await tickets.supervise()
    }
    const [overdue] = await rows<{ hasAbandoned: boolean; hasExpired: boolean }>(
      pool,
      journal.overdue(this.#id, termMs),
    )
    if (overdue!.hasExpired) await this.#expire()
    // After an outage, all other workers look dead to the first worker that reconnects. That worker waits, so that
    // the others can reconnect too.
    if (clock.monotonic() - this.#outOfContactAtMs < termMs) return
    if (overdue!.hasAbandoned) await this.#takeOver()
  }

  async #expire(): Promise<void> {
    const { pool, journal, tickets, channel } = this.#parts
    for (let count = EXPIRED_CHUNK; count === EXPIRED_CHUNK;) {
      count = await transaction(pool, async (session) => {
        const expired = await journal.expire(session, EXPIRED_CHUNK)
        for (const [service, own] of Map.groupBy(expired, (job) => job.service)) {
          const used = own.flatMap(({ ticket }) => ticket ?? [])
          await tickets.remove(session, service, 'submit', used)
          // `limits.unfinished` may allow another job now.
          if (own.some(({ isSent }) => isSent)) await session.rows(ringing(channel, 'submit', service))
        }
        return expired.length
      })
    }
  }

  async #takeOver(): Promise<void> {
    const { pool, journal, tickets, termMs } = this.#parts
    const freed = await transaction(pool, async (session) => {
      const silent = (await journal.silent(session, this.#id, termMs)).map(({ id }) => id)
      if (silent.length > 0) await journal.unregister(session, silent)
      const repeatable = Object.entries(this.#parts.services).flatMap(([name, each]) =>
        each.repeatable ? [name] : [],
      )
      const jobs = await journal.abandoned(session, repeatable)
      for (const [service, own] of Map.groupBy(jobs, (job) => job.service)) {
        for (const phase of ['queued', 'storing'] as const) {
          const freed = own.filter((job) => (job.phase === 'storing') === (phase === 'storing'))
          const used = freed.flatMap(({ ticket }) => ticket ?? [])
          await tickets.remove(session, service, stepOf(phase), used)
          const again = freed.filter((job) => job.phase === phase)
          await requeue(session, this.#parts, service, { jobs: again, phase })
        }
      }
      return jobs
    })
    for (const { service, phase } of freed)
      this.#steps[service]?.ring(phase === 'storing' ? 'store' : 'submit')
  }
}
