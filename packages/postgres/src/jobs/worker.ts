import { hostname } from 'node:os'

import type { Clock } from '@concord/runtime'
import { wait } from '@concord/runtime/internal'

import { rows, transaction } from '../database/database.ts'
import type { PostgresPool } from '../database/pool.ts'
import { sql } from '../database/sql.ts'
import type { Journal } from './journal.ts'
import { listen } from './listener.ts'
import type { JobChange } from './model.ts'
import type { FleetService } from './service.ts'
import { Steps } from './steps.ts'
import { ticketId } from './ticket-id.ts'
import type { Tickets } from './tickets.ts'

/** The parts of a fleet that a worker uses. */
interface WorkerTools {
  readonly pool: PostgresPool
  readonly journal: Journal
  readonly tickets: Tickets
  readonly clock: Clock
  readonly channel: string
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

/** The maximum number of expired jobs that one transaction ends. */
const EXPIRED_CHUNK = 1_000

/** The work of one process in a fleet. */
export class Worker {
  readonly #tools: WorkerTools
  readonly #steps: Readonly<Record<string, Steps>>
  #id = 0
  #done = 0
  /** When this worker last failed to reach the database, on the monotonic clock. */
  #outOfContactAtMs = -Infinity
  #maintainedAtMs: number | undefined

  constructor(tools: WorkerTools) {
    this.#tools = tools
    this.#steps = Object.fromEntries(
      Object.entries(tools.services).map(([name, service]) => [
        name,
        new Steps({
          ...tools,
          name,
          service,
          worker: () => this.#id,
          onDone: () => void this.#done++,
        }),
      ]),
    )
  }

  /** Works until `stop` is aborted, then finishes the jobs in progress. @returns the changes that could not be recorded. */
  async run(stop: AbortSignal): Promise<readonly JobChange[]> {
    const { pool, journal, clock, graceMs, onError } = this.#tools
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
    const listening = listen(
      {
        ...this.#tools,
        onMessage: (payload) => this.#ring(payload),
        onConnected: () => this.#ringAll(),
      },
      ended.signal,
    )
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
    const { pool, journal } = this.#tools
    const name = `${hostname()} ${process.pid}`
    const [row] = await rows<{ id: number }>(pool, journal.register(name))
    this.#id = row!.id
  }

  /** Records the current turn of each service's queue, and applies the pauses that other workers began. */
  async #exchangeStates(): Promise<void> {
    const { pool, journal } = this.#tools
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
    const { clock, termMs, onError } = this.#tools
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
    const { pool, journal, tickets, clock, termMs } = this.#tools
    const done = this.#done
    const [known] = await rows(pool, journal.heartbeat(this.#id, done))
    this.#done -= done
    // Other workers took over this worker's jobs. It can still settle its work in progress, because a change is written only if
    // the intent is the same.
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
    // After an outage, all other workers look dead to the first worker that reconnects. It waits, so that they can reconnect
    // too.
    if (clock.monotonic() - this.#outOfContactAtMs < termMs) return
    if (overdue!.hasAbandoned) await this.#takeOver()
  }

  /** Ends jobs whose deadlines have passed. */
  async #expire(): Promise<void> {
    const { pool, journal, tickets, channel } = this.#tools
    for (let count = EXPIRED_CHUNK; count === EXPIRED_CHUNK;) {
      count = await transaction(pool, async (session) => {
        const expired = await journal.expire(session, EXPIRED_CHUNK)
        for (const [service, own] of Map.groupBy(expired, (job) => job.service)) {
          const used = own.flatMap(({ ticket }) => ticket ?? [])
          await tickets.remove(session, service, 'submit', used)
          // `limits.unfinished` may allow another job now.
          if (own.some(({ isSent }) => isSent))
            await session.rows(sql`select pg_notify(${channel}, ${`submit ${service}`})`)
        }
        return expired.length
      })
    }
  }

  /** Takes over the jobs of dead workers. */
  async #takeOver(): Promise<void> {
    const { pool, journal, tickets, termMs } = this.#tools
    const freed = await transaction(pool, async (session) => {
      const silent = (await journal.silent(session, this.#id, termMs)).map(({ id }) => id)
      if (silent.length > 0) await journal.unregister(session, silent)
      const repeatable = Object.entries(this.#tools.services).flatMap(([name, each]) =>
        each.repeatable ? [name] : [],
      )
      const jobs = await journal.abandoned(session, repeatable)
      for (const service of new Set(jobs.map((job) => job.service))) {
        for (const step of ['submit', 'store'] as const) {
          const phase = step === 'submit' ? 'queued' : 'storing'
          const own = jobs.filter(
            (job) => job.service === service && (step === 'store') === (job.phase === 'storing'),
          )
          const used = own.flatMap(({ ticket }) => ticket ?? [])
          await tickets.remove(session, service, step, used)
          const again = own.filter((job) => job.phase === phase)
          const fresh = again.map(({ batch, position }) => ({ id: ticketId(), batch, position }))
          await journal.retarget(session, fresh, phase)
          await tickets.add(session, service, step, fresh)
        }
      }
      return jobs
    })
    for (const { service, phase } of freed)
      this.#steps[service]?.ring(phase === 'storing' ? 'store' : 'submit')
  }
}
