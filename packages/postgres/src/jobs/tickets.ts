import { PgBoss } from 'pg-boss'

import { DatabaseError, isMissing } from '../database/database-error.ts'
import { rows, type Session, withSession } from '../database/database.ts'
import type { PostgresPool } from '../database/pool.ts'
import { Identifier, QUEUE_SUFFIX, type Schema, sql, Statement, type Value } from '../database/sql.ts'
import type { JobKey, JobPhase } from './model.ts'

/** The two steps that have a queue. Waiting for a service needs no queue, because the job's row says when to poll. */
export type Step = 'submit' | 'store'

/** Returns the step whose queue contains the tickets of jobs in this phase. */
export function stepOf(phase: 'queued' | 'submitting' | 'storing'): Step
export function stepOf(phase: JobPhase): Step | undefined
export function stepOf(phase: JobPhase): Step | undefined {
  if (phase === 'submitting' || phase === 'queued') return 'submit'
  return phase === 'storing' ? 'store' : undefined
}

export interface Ticket extends JobKey {
  readonly id: string
}

interface NewTicket extends Ticket {
  /** The ticket's number in the order of the queue. Workers take lower numbers first. Default: 0. */
  readonly turn?: number
  readonly delayMs?: number | undefined
}

/**
 * The settings of a queue. pg-boss must never remove a ticket because of its age or its number of retries, because no
 * worker would look at the ticket's job again.
 */
const QUEUE = {
  retryLimit: 2_000_000_000,
  retryDelay: 0,
  // After this time, pg-boss releases a ticket whose worker hangs. A dead worker is noticed sooner.
  expireInSeconds: 15 * 60,
  retentionSeconds: 50 * 365 * 24 * 60 * 60,
} as const

/**
 * Makes PostgreSQL's planner read tickets in index order. Before the statistics include a new batch, the planner
 * expects few tickets. Without these settings, it would then read and sort all tickets to take a few.
 */
const IN_ORDER = sql`set local enable_sort = off; set local enable_bitmapscan = off; set local enable_seqscan = off;
  set local enable_hashjoin = off; set local enable_mergejoin = off; set local jit = off`

/** The schema version that our pg-boss needs. pg-boss updates older schemas, but can't detect newer ones. */
const QUEUE_SCHEMA = 46

function tooNew(version: number): DatabaseError {
  return new DatabaseError(
    'schema',
    `The queue uses version ${version} of pg-boss's schema, but this process only supports versions up to ${QUEUE_SCHEMA}.`,
    {
      remedy:
        'Update @concord/postgres in this process. Nothing was changed, because schemas cannot be downgraded.',
    },
  )
}

/** The queues of a fleet, in pg-boss. Changes to tickets can be part of a transaction that also changes jobs. */
export class Tickets {
  readonly #boss: PgBoss
  readonly #schema: string
  readonly #queues: readonly string[]
  readonly #pool: PostgresPool
  /** The queues whose tables have statistics. */
  readonly #analyzed = new Set<string>()
  #started: Promise<void> | undefined
  /** The connection that creates the queues. */
  #creating: Session | undefined

  constructor(pool: PostgresPool, schema: Schema, services: readonly string[]) {
    this.#queues = services.flatMap((service) => [queueName(service, 'submit'), queueName(service, 'store')])
    this.#pool = pool
    this.#schema = `${schema.name}${QUEUE_SUFFIX}`
    this.#boss = new PgBoss({
      db: {
        executeSql: (text, values) => execute(text, values, (statement) => this.#runAlone(statement)),
      },
      schema: this.#schema,
      supervise: false,
      schedule: false,
      registerInstance: false,
      monitorVacuum: false,
      openTelemetry: { enabled: false },
    })
    // An error without a listener would crash the process.
    this.#boss.on('error', () => undefined)
  }

  /** Creates pg-boss's schema and the queues, once. */
  start(): Promise<void> {
    this.#started ??= this.#start().catch((error: unknown) => {
      this.#started = undefined
      throw error
    })
    return this.#started
  }

  async #start(): Promise<void> {
    if (await this.#isComplete()) return void (await this.#boss.start())
    await withSession(this.#pool, async (session) => {
      const lock = `concord queues ${this.#schema}`
      // Without this lock, processes that create the same queues concurrently would conflict. The lock belongs to the
      // connection instead of a transaction, because pg-boss begins and ends its own transactions.
      await session.rows(sql`select pg_advisory_lock(hashtextextended(${lock}, 0))`)
      this.#creating = session
      try {
        await this.#boss.start()
        const version = await this.#boss.schemaVersion()
        if (version !== null && version > QUEUE_SCHEMA) throw tooNew(version)
        for (const queue of this.#queues) {
          if ((await this.#boss.getQueue(queue)) === null)
            await this.#boss.createQueue(queue, { ...QUEUE, partition: true })
        }
      } finally {
        this.#creating = undefined
        await session.rows(sql`select pg_advisory_unlock(hashtextextended(${lock}, 0))`)
      }
    })
  }

  /**
   * Returns whether pg-boss's schema is current and all queues exist.
   *
   * @throws DatabaseError if a newer version of pg-boss created or updated the schema.
   */
  async #isComplete(): Promise<boolean> {
    const found = await rows<{ version: number; queues: readonly string[] }>(
      this.#pool,
      sql`select v.version, array(select q.name from ${new Identifier(this.#schema, 'queue')} q) as queues
        from ${new Identifier(this.#schema, 'version')} v`,
    ).catch(isMissing)
    const version = found?.[0]?.version ?? 0
    if (version > QUEUE_SCHEMA) throw tooNew(version)
    return version === QUEUE_SCHEMA && this.#queues.every((queue) => found![0]!.queues.includes(queue))
  }

  async stop(): Promise<void> {
    await this.#started?.catch(() => undefined)
    await this.#boss.stop({ graceful: false, close: false })
  }

  async add(session: Session, service: string, step: Step, tickets: readonly NewTicket[]): Promise<void> {
    if (tickets.length === 0) return
    await this.#boss.insert(
      queueName(service, step),
      tickets.map(({ id, batch, position, turn = 0, delayMs = 0 }) => ({
        id,
        // pg-boss serves higher priorities first.
        priority: -turn,
        data: { batch, position },
        // In seconds, by the database's clock.
        ...(delayMs > 0 && { startAfter: delayMs / 1000 }),
      })),
      { db: within(session) },
    )
  }

  /** Takes at most `count` tickets that are due, lowest turn first. Other transactions skip the taken tickets. */
  async take(
    session: Session,
    service: string,
    step: Step,
    count: number,
  ): Promise<(Ticket & { turn: number })[]> {
    await session.rows(IN_ORDER)
    const jobs = await this.#boss.fetch<JobKey>(queueName(service, step), {
      batchSize: count,
      includeMetadata: true,
      db: within(session),
    })
    return jobs.map(({ id, data, priority }) => ({ id, ...data, turn: -priority }))
  }

  /**
   * Creates the first statistics for a queue's table, because PostgreSQL creates them only minutes later. Without
   * statistics, the planner assumes that few rows contain the queue's name, although every row contains it. It then
   * reads all these rows to find one ticket.
   */
  async #analyze(session: Session, queue: string): Promise<void> {
    if (this.#analyzed.has(queue)) return
    const [table] = await session.rows<{ statement: string; isKnown: boolean }>(sql`
      select format('analyze (skip_locked) %I.%I', ${this.#schema}::text, q.table_name) as statement,
        exists (select 1 from pg_stats s
          where s.schemaname = ${this.#schema} and s.tablename = q.table_name and s.attname = 'name') as "isKnown"
      from ${new Identifier(this.#schema, 'queue')} q where q.name = ${queue}`)
    if (table?.isKnown === false) await session.rows(new Statement(table.statement, []))
    this.#analyzed.add(queue)
  }

  /** Removes tickets, whether or not they were taken. */
  async remove(session: Session, service: string, step: Step, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const queue = queueName(service, step)
    await this.#analyze(session, queue)
    await this.#boss.deleteJob(queue, [...ids], { db: within(session) })
  }

  /** Runs a statement from pg-boss. The statement may begin a transaction, so a failure is followed by a rollback. */
  #runAlone(statement: Statement): Promise<unknown[]> {
    const run = async (session: Session): Promise<unknown[]> => {
      try {
        return await session.rows(statement)
      } catch (error) {
        await session.rows(sql`rollback`).catch(() => undefined)
        throw error
      }
    }
    return this.#creating === undefined ? withSession(this.#pool, run) : run(this.#creating)
  }

  /** Runs pg-boss's maintenance once, because pg-boss's own timers are off. */
  async supervise(): Promise<void> {
    await this.#boss.supervise()
  }
}

function queueName(service: string, step: Step): string {
  return `${service}-${step}`
}

function within(session: Session) {
  return {
    executeSql: (text: string, values?: unknown[]) =>
      execute(text, values, (statement) => session.rows(statement)),
  }
}

async function execute(
  text: string,
  values: unknown[] | undefined,
  run: (statement: Statement) => Promise<unknown[]>,
): Promise<{ rows: unknown[] }> {
  return { rows: await run(new Statement(text, (values ?? []) as Value[])) }
}
