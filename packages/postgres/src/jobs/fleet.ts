import { randomUUID } from 'node:crypto'

import { OptionsError, type Clock, type Duration } from '@concord/runtime'
import {
  checkOptionNames,
  clockOption,
  functionOption,
  numberOption,
  type OptionNames,
  parseDuration,
  requiredString,
  signalOption,
  systemClock,
} from '@concord/runtime/internal'
import { Pool } from 'pg'

import { DatabaseError } from '../database/database-error.ts'
import { rows } from '../database/database.ts'
import { poolOption, type PostgresPool, trackedPool } from '../database/pool.ts'
import { Schema } from '../database/sql.ts'
import { DEFAULT_SCHEMA, migrated } from '../schema/migrate.ts'
import { type FleetStatus, readStatus } from '../report/status.ts'
import { type BatchEstimate, enqueue, type EnqueuedBatch, estimate } from './enqueue.ts'
import { Interventions, type Resolution } from './interventions.ts'
import { Journal } from './journal.ts'
import { type FleetParts, ringing } from './parts.ts'
import type { FleetService } from './service.ts'
import { findTargets } from './targets.ts'
import { Tickets } from './tickets.ts'
import { Worker } from './worker.ts'

/** The services of a fleet. Each key is a name that you choose for the service. @public */
// oxlint-disable-next-line typescript/no-explicit-any -- each service has its own types
export type FleetServices = Readonly<Record<string, FleetService<any, any>>>

/** Options of {@link createFleet}. @public */
export interface FleetOptions<Services extends FleetServices> {
  /**
   * A `Pool` from the package `pg`. Pass this or `connectionString`. Each worker keeps one of the pool's connections,
   * to listen for notifications.
   */
  readonly pool?: PostgresPool
  /** The URL of the database. The fleet then creates its own pool, which `close` ends. */
  readonly connectionString?: string
  /** The name of the schema. Fleets with different schemas share nothing. Default: `concord`. */
  readonly schema?: string
  /**
   * The services. Each key is a name that you choose for the service. A process that only enqueues requests must use
   * the same names as the workers.
   */
  readonly services: Services
  /** The clock. Default: this machine's clock for waits, and the database's clock for the times of polls and deadlines. */
  readonly clock?: Clock
}

/** Options of {@link Fleet.work}. @public */
export interface WorkOptions {
  /**
   * The maximum number of concurrent submissions for each service. The same maximum applies to concurrent polls, and
   * to concurrent calls of the service's `sink`. Each kind is counted separately. Default: 16.
   */
  readonly concurrency?: number
  /** After this signal is aborted, the worker doesn't take new jobs, and finishes the jobs in progress. */
  readonly signal?: AbortSignal
  /** If a worker sends no heartbeat for this time, other workers take over its jobs. Default: 10 seconds. */
  readonly term?: Duration
  /** How long jobs in progress may take after `signal` is aborted. Default: 30 seconds. */
  readonly grace?: Duration
  /** Called with errors that don't stop the worker, such as an unreachable database. Default: a process warning. */
  readonly onError?: (error: unknown) => void
}

/** Options of {@link FleetQueue.enqueue}. @public */
export interface EnqueueOptions {
  /**
   * The name of the batch. If you repeat a call with the same name, no request is added twice, even if the first call
   * crashed midway. Default: a random name.
   */
  readonly batch?: string
  /**
   * The maximum total cost. If the upper estimate of all requests together is higher, or if a request has no
   * estimate, no request is added. All requests are read before the first request is added. Default: no limit.
   */
  readonly maxCost?: number
  /**
   * The maximum time from adding a request until the service has finished the work. After that, the job is `expired`:
   * workers neither submit it nor wait for it. A job doesn't expire while its result is being stored. `retry` resumes
   * an expired job. Default: no deadline.
   */
  readonly deadline?: Duration
}

/** The queue of one service. @public */
export interface FleetQueue<Request> {
  /**
   * Adds requests. They must be plain data, so that any worker can send them. A service with `encode` accepts other
   * requests too. If `enqueue` throws, some requests may have been added. To add the remaining requests, repeat
   * the call with the same `batch`.
   *
   * @throws OptionsError if a request isn't plain data, or if the batch already exists with other requests.
   * @throws DatabaseError if the database is unreachable.
   */
  enqueue(
    requests: Iterable<Request> | AsyncIterable<Request>,
    options?: EnqueueOptions,
  ): Promise<EnqueuedBatch>
  /**
   * Checks requests as `enqueue` does, and estimates their cost. Adds and sends nothing.
   *
   * @throws OptionsError for a request that can't be enqueued.
   */
  estimate(requests: Iterable<Request> | AsyncIterable<Request>): Promise<BatchEstimate>
}

/** An event from a service's webhook, which says that some work has ended. @public */
export interface FleetWebhook {
  /** The name of the service in this fleet. */
  readonly service: string
  /** The service's id for the work. */
  readonly id: string
}

/** Methods of every fleet. @public */
export interface FleetMethods {
  /**
   * Runs a worker, which submits jobs, polls them and stores their results until the signal is aborted. Call `work`
   * in as many processes as you like.
   *
   * @throws DatabaseError if the database can't be reached at the start, or if the worker can't record changes to its
   * jobs within `grace`. In the second case, the message lists the ids of accepted work.
   */
  work(options?: WorkOptions): Promise<void>
  /**
   * Finds the job that waits for the work with this `id`, and makes the job's next poll due now, or as soon as the
   * service's `Retry-After` allows. Call `webhook` from your webhook receiver. A webhook is only a hint: the poll
   * finds out whether the work has ended.
   *
   * @returns Whether a job is waiting for this work. If the webhook arrives before a worker has recorded the id, this
   * is false, and a regular poll finds the result.
   */
  webhook(event: FleetWebhook): Promise<boolean>
  /**
   * Cancels the jobs of a batch (`media/boats`), or one job (`media/boats/17`). Unsubmitted jobs end immediately. A
   * worker cancels submitted jobs at the service, even if they have expired. If the service can't cancel work,
   * workers stop waiting for these jobs. `status` then lists their ids, because the work may still finish and be
   * charged. If a job ends before a worker cancels it, the job keeps its result. Uncertain jobs aren't changed.
   *
   * @returns The number of jobs that were canceled, or that workers will cancel.
   * @throws OptionsError if the batch or job does not exist.
   */
  cancel(what: string): Promise<number>
  /**
   * Retries the jobs of a batch (`media/boats`), or one job (`media/boats/17`). Failed and denied jobs are submitted again,
   * and may be charged again. Workers try again to store results that could not be stored. Expired jobs lose their
   * deadline: workers wait again for jobs that the service accepted, and submit the other expired jobs. Uncertain
   * jobs aren't changed.
   *
   * @returns The number of jobs that workers will retry.
   * @throws OptionsError if the batch or job does not exist.
   */
  retry(what: string): Promise<number>
  /**
   * Settles an uncertain or expired job (`media/boats/17`). If the service accepted the job, pass
   * `{ acceptedAs: id }` with the service's id for the work: workers then wait for the job. If the service doesn't
   * have the job, pass `'not-sent'`: a worker then submits the job. `'abandon'` ends the job as `failed`.
   *
   * @throws OptionsError if the job doesn't exist, or is neither uncertain nor expired.
   */
  resolve(job: string, resolution: Resolution): Promise<void>
  /** Reads the progress of all batches, and the jobs that need attention. Each call reads the rows of all jobs. */
  status(): Promise<FleetStatus>
  /** Ends the pool, if the fleet created it. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A fleet: its methods, and a queue for each service. @public */
export type Fleet<Services extends FleetServices> = FleetMethods & {
  readonly [Name in keyof Services]: FleetQueue<
    // oxlint-disable-next-line typescript/no-explicit-any -- any result
    Services[Name] extends FleetService<infer Request, any> ? Request : never
  >
}

const NAMES: OptionNames<FleetOptions<FleetServices>> = {
  pool: true,
  connectionString: true,
  schema: true,
  services: true,
  clock: true,
}
const WORK_NAMES: OptionNames<WorkOptions> = {
  concurrency: true,
  signal: true,
  term: true,
  grace: true,
  onError: true,
}
const ENQUEUE_NAMES: OptionNames<EnqueueOptions> = { batch: true, maxCost: true, deadline: true }
const METHODS: Readonly<Record<keyof FleetMethods & string, true>> = {
  work: true,
  webhook: true,
  cancel: true,
  retry: true,
  resolve: true,
  status: true,
  close: true,
}

/**
 * Creates a fleet: any number of processes that share one PostgreSQL database, and that submit requests, wait for the
 * results and store them. Nothing is sent to the database until you call a method of the fleet.
 *
 * Before a worker submits a job or stores the job's result, it records this step in the database. So you can kill a
 * process at any moment: nothing is submitted twice, and no accepted work is lost. If nothing shows whether the
 * service accepted a job, the job becomes `uncertain`, and waits for a person to settle it. (If the service is
 * `repeatable`, the job is submitted again instead.)
 *
 * @example
 * ```ts
 * const fleet = createFleet({ connectionString, services: { media: mediaService(media, { sink: folderSink('out') }) } })
 * await fleet.media.enqueue(requests, { batch: 'boats' })
 * await fleet.work({ signal })
 * ```
 * @throws OptionsError if an option is missing, unknown or invalid.
 * @public
 */
export function createFleet<Services extends FleetServices>(
  options: FleetOptions<Services>,
): Fleet<Services> {
  checkOptionNames(options, NAMES, 'options')
  const { services } = options
  const clock = clockOption(options.clock)
  const names = checkedNames(services)
  const schema = new Schema(options.schema ?? DEFAULT_SCHEMA)
  const channel = schema.channel('fleet')
  const opened = openPool(options)
  const pool = trackedPool(opened.pool, clock)
  const tickets = new Tickets(pool, schema, names)
  const journal = new Journal(schema, clock === systemClock ? () => null : () => clock.now())
  const parts = { pool, schema, channel, journal, tickets, clock }
  const start = async (): Promise<void> => {
    await migrated(pool, schema)
    await tickets.start()
  }

  const queues = Object.fromEntries(
    names.map((name): [string, FleetQueue<unknown>] => [
      name,
      {
        async enqueue(requests, own = {}) {
          checkOptionNames(own, ENQUEUE_NAMES, 'options')
          const batch =
            own.batch === undefined ? randomUUID() : requiredString(own.batch, 'batch', 'Pass a name.')
          const maxCost =
            own.maxCost === undefined ? undefined : numberOption(own.maxCost, 'maxCost', 0, { min: 0 })
          const deadlineMs = own.deadline === undefined ? undefined : parseDuration(own.deadline, 'deadline')
          await start()
          const target = { name, service: services[name]!, batch, maxCost, deadlineMs }
          return enqueue(parts, target, requests)
        },
        estimate: (requests) => estimate(services[name]!, requests),
      },
    ]),
  )

  return { ...queues, ...methodsOf(parts, services, { start, end: opened.end }) } as Fleet<Services>
}

function methodsOf(
  parts: FleetParts,
  services: FleetServices,
  { start, end }: { readonly start: () => Promise<void>; readonly end: () => Promise<void> },
): FleetMethods {
  const { pool, schema, channel, journal, tickets } = parts
  const interventions = new Interventions(pool, schema, tickets)
  return {
    async work(own = {}) {
      checkOptionNames(own, WORK_NAMES, 'options')
      const concurrency = numberOption(own.concurrency, 'concurrency', 16, { min: 1, whole: true })
      const signal = signalOption(own.signal) ?? new AbortController().signal
      const onError = functionOption(own.onError, 'onError') ?? warnOfError
      const termMs = parseDuration(own.term ?? '10s', 'term')
      const graceMs = parseDuration(own.grace ?? '30s', 'grace')
      await start()
      const worker = new Worker({ ...parts, services, concurrency, termMs, graceMs, onError })
      const lost = await worker.run(signal)
      if (lost.length > 0) throw unrecorded(lost)
    },
    async webhook({ service, id }) {
      await migrated(pool, schema)
      // No recorded id contains a NUL character, because PostgreSQL can't store one. A forged id can contain one, and
      // would make the query fail.
      if (id.includes('\0')) return false
      const woken = await rows(pool, journal.wake(service, id))
      if (woken.length > 0) await rows(pool, ringing(channel, 'wait', service))
      return woken.length > 0
    },
    async cancel(what) {
      await start()
      const { unsent, sent } = await interventions.cancel(await findTargets(pool, schema, [what]))
      return unsent + sent
    },
    async retry(what) {
      await start()
      return interventions.retry(await findTargets(pool, schema, [what]))
    },
    async resolve(job, resolution) {
      await start()
      await interventions.resolve(job, resolution)
    },
    async status() {
      await migrated(pool, schema)
      return readStatus(pool, schema)
    },
    async close() {
      await tickets.stop()
      await end()
    },
    [Symbol.asyncDispose]() {
      return this.close()
    },
  }
}

const EXAMPLE =
  'Pass an object whose keys are names of your choice, and whose values come from mediaService(), extractionService() or service().'

function checkedNames(services: FleetServices): readonly string[] {
  if (typeof services !== 'object' || services === null)
    throw new OptionsError(
      'services',
      services === undefined ? '`services` is missing.' : '`services` must be an object.',
      EXAMPLE,
    )
  const names = Object.keys(services)
  for (const name of names) {
    checkServiceName(name)
    if (typeof services[name]?.submit !== 'function')
      throw new OptionsError(
        `services.${name}`,
        `\`services.${name}\` is not a service.`,
        'Use a service that mediaService(), extractionService() or service() returned.',
      )
  }
  return names
}

/** @throws OptionsError if a service can't have this name. */
export function checkServiceName(name: string): void {
  if (/^[a-z][a-z0-9]{0,29}$/i.test(name) && !Object.hasOwn(METHODS, name)) return
  throw new OptionsError(
    'services',
    `\`services\` contains ${JSON.stringify(name)}, which isn't allowed as a service name.`,
    `Use up to 30 letters and digits, starting with a letter. Reserved names: ${Object.keys(METHODS).join(', ')}.`,
  )
}

export function openPool({
  pool,
  connectionString,
}: Pick<FleetOptions<FleetServices>, 'pool' | 'connectionString'>): {
  readonly pool: PostgresPool
  readonly end: () => Promise<void>
} {
  if ((pool === undefined) === (connectionString === undefined))
    throw new OptionsError(
      'pool',
      pool === undefined
        ? 'Either `pool` or `connectionString` is required.'
        : "`pool` and `connectionString` can't be combined.",
      'Pass either a `Pool` from the package `pg` as `pool`, or the database URL as `connectionString`.',
    )
  if (pool !== undefined) return { pool: poolOption(pool), end: async () => undefined }
  const own = new Pool({ connectionString, max: 10, connectionTimeoutMillis: 10_000 })
  // Ignores the loss of an idle connection, because the pool replaces the connection on the next use.
  own.on('error', () => undefined)
  return { pool: own, end: () => own.end() }
}

function warnOfError(error: unknown): void {
  process.emitWarning(error instanceof Error ? error.message : String(error), { code: 'CONCORD_FLEET' })
}

function unrecorded(
  changes: readonly { readonly remote?: string | undefined; readonly phase: string }[],
): DatabaseError {
  const ids = changes.flatMap(({ remote }) => remote ?? [])
  return new DatabaseError(
    'lost',
    `The worker stopped before it could record ${changes.length} ${changes.length === 1 ? 'change' : 'changes'} to its jobs.` +
      (ids.length === 0 ? '' : ` Ids of accepted work: ${ids.join(', ')}.`),
    {
      remedy:
        'The jobs that were being submitted become uncertain when another worker takes over. Then run ' +
        '`concord-fleet resolve` for each of these jobs. If the service accepted a job, pass the id from the ' +
        'service as `--accepted`.',
    },
  )
}
