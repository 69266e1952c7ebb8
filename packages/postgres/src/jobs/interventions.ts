import { OptionsError } from '@concord/runtime'

import { type Session, transaction } from '../database/database.ts'
import type { PostgresPool } from '../database/pool.ts'
import { type Identifier, type Schema, sql, type Statement } from '../database/sql.ts'
import type { JobKey } from './model.ts'
import { ticketId } from './ticket-id.ts'
import type { Step, Tickets } from './tickets.ts'

/** The jobs to change: whole batches, single jobs, or both. */
export interface Selection {
  /** `media/boats`: the name of a service and of a batch. */
  readonly batches: readonly string[]
  /** `media/boats/17`. */
  readonly jobs: readonly string[]
  /** All batches. */
  readonly all: boolean
}

/** How a person settles an uncertain job. @public */
export type Resolution = { readonly acceptedAs: string } | 'not-sent' | 'abandon'

interface Found extends JobKey {
  readonly service: string
  readonly phase: string
  readonly ticket: string | null
  readonly isSent: boolean
}

/** The number of jobs that one transaction changes. */
const CHUNK = 1_000

/** Lets a person change jobs. Like a worker, it changes rows and the queue in one transaction. */
export class Interventions {
  readonly #pool: PostgresPool
  readonly #schema: Schema
  readonly #jobs: Identifier
  readonly #tickets: Tickets

  constructor(pool: PostgresPool, schema: Schema, tickets: Tickets) {
    this.#pool = pool
    this.#schema = schema
    this.#jobs = schema.table('fleet_jobs')
    this.#tickets = tickets
  }

  /**
   * Submits failed and denied jobs again, which can cost again, and retries storing results that could not be stored.
   * Expired jobs are awaited again if the service accepted them, and submitted otherwise. Uncertain jobs are left alone.
   */
  retry(selection: Selection): Promise<number> {
    return this.#change(selection, ['failed', 'denied', 'unstored', 'expired'], async (session, found) => {
      const groups = Map.groupBy(found, ({ phase, isSent }) => {
        if (phase === 'expired' && isSent) return 'waiting'
        return phase === 'unstored' ? 'storing' : 'queued'
      })
      await this.#await(session, groups.get('waiting') ?? [])
      for (const phase of ['queued', 'storing'] as const)
        await this.#requeue(session, groups.get(phase) ?? [], phase)
    })
  }

  /** Awaits accepted work, without a deadline. @param remote - its id, if it isn't known yet. */
  async #await(session: Session, found: readonly Found[], remote: string | null = null): Promise<void> {
    if (found.length === 0) return
    if (remote !== null) await this.#keepIds(session, found, remote)
    await session.rows(sql`
      update ${this.#jobs} j
      set phase = 'waiting', remote = coalesce(${remote}, j.remote), reason = null, polls = 0, deadline_at = null,
        next_poll_at = to_timestamp(0), changed_at = now()
      from json_to_recordset(${JSON.stringify(found)}::json) as k(batch int, position int)
      where j.batch = k.batch and j.position = k.position`)
    await this.#ring(session, 'wait', found)
  }

  /** Keeps the ids of accepted work that jobs are about to lose, because it may have been charged. */
  async #keepIds(session: Session, found: readonly Found[], next: string | null): Promise<void> {
    await session.rows(sql`
      insert into ${this.#schema.table('fleet_orphans')} (batch, position, remote)
      select j.batch, j.position, j.remote from ${this.#jobs} j
      join json_to_recordset(${JSON.stringify(found)}::json) as k(batch int, position int)
        on j.batch = k.batch and j.position = k.position
      where j.remote <> ${next} or (j.remote is not null and ${next}::text is null)
      order by 1, 2, 3 on conflict do nothing`)
  }

  /**
   * Cancels jobs. Those that haven't been submitted never will be; a worker cancels waiting jobs at the service, if the
   * service supports that.
   */
  async cancel(selection: Selection): Promise<number> {
    const unsent = await this.#change(selection, ['queued'], async (session, found) => {
      for (const [service, own] of Map.groupBy(found, (job) => job.service)) {
        const used = own.flatMap(({ ticket }) => ticket ?? [])
        await this.#tickets.remove(session, service, 'submit', used)
      }
      await session.rows(sql`
        update ${this.#jobs} j
        set phase = 'cancelled', ticket = null, reason = 'Canceled.', changed_at = now()
        from json_to_recordset(${JSON.stringify(found)}::json) as k(batch int, position int)
        where j.batch = k.batch and j.position = k.position and j.phase = 'queued'`)
    })
    const sent = await this.#change(selection, ['submitting', 'waiting'], async (session, found) => {
      await session.rows(sql`
        update ${this.#jobs} j
        set cancel_asked = true, next_poll_at = case when j.phase = 'waiting' then now() end
        from json_to_recordset(${JSON.stringify(found)}::json) as k(batch int, position int)
        where j.batch = k.batch and j.position = k.position and j.phase in ('submitting', 'waiting')`)
      await this.#ring(session, 'wait', found)
    })
    return unsent + sent
  }

  /** Settles an uncertain or expired job. @throws OptionsError if it is neither. */
  async resolve(job: string, resolution: Resolution): Promise<void> {
    const selection = { jobs: [job], batches: [], all: false }
    const changed = await this.#change(selection, ['uncertain', 'expired'], async (session, found) => {
      if (resolution === 'not-sent') return this.#requeue(session, found, 'queued')
      if (resolution !== 'abandon') return this.#await(session, found, resolution.acceptedAs)
      await session.rows(sql`
        update ${this.#jobs} j
        set phase = 'failed', reason = 'A person abandoned it.', deadline_at = null, changed_at = now()
        from json_to_recordset(${JSON.stringify(found)}::json) as k(batch int, position int)
        where j.batch = k.batch and j.position = k.position`)
    })
    if (changed === 0)
      throw new OptionsError(
        'job',
        `There is no uncertain or expired job ${JSON.stringify(job)}.`,
        'Pass the name of one, such as media/boats/17; `concord-fleet status` lists them.',
      )
  }

  async #requeue(session: Session, found: readonly Found[], phase: 'queued' | 'storing'): Promise<void> {
    if (found.length === 0) return
    const step: Step = phase === 'queued' ? 'submit' : 'store'
    const fresh = found.map(({ batch, position, service }) => ({
      id: ticketId(),
      batch,
      position,
      service,
    }))
    if (phase === 'queued') await this.#keepIds(session, found, null)
    await session.rows(sql`
      update ${this.#jobs} j
      set phase = ${phase}, ticket = k.id, failures = 0, reason = null, changed_at = now(),
        deadline_at = null, remote = case when ${phase} = 'storing' then j.remote end
      from json_to_recordset(${JSON.stringify(fresh)}::json) as k(id uuid, batch int, position int)
      where j.batch = k.batch and j.position = k.position`)
    for (const [service, own] of Map.groupBy(fresh, (job) => job.service))
      await this.#tickets.add(session, service, step, own)
    await this.#ring(session, step, found)
  }

  async #ring(session: Session, step: Step | 'wait', found: readonly Found[]): Promise<void> {
    const channel = this.#schema.channel('fleet')
    for (const service of new Set(found.map((job) => job.service)))
      await session.rows(sql`select pg_notify(${channel}, ${`${step} ${service}`})`)
  }

  /** Locks and changes the selected jobs that are in one of the phases, in chunks. @returns how many there were. */
  async #change(
    selection: Selection,
    phases: readonly string[],
    change: (session: Session, found: readonly Found[]) => Promise<void>,
  ): Promise<number> {
    let count = 0
    for (;;) {
      const found = await transaction(this.#pool, async (session) => {
        const some = await session.rows<Found>(this.#select(selection, phases))
        if (some.length > 0) await change(session, some)
        return some.length
      })
      count += found
      if (found < CHUNK) return count
    }
  }

  #select({ batches, jobs, all }: Selection, phases: readonly string[]): Statement {
    return sql`
      select j.batch, j.position, j.service, j.phase, j.ticket, j.remote is not null as "isSent"
      from ${this.#schema.table('fleet_batches')} b join ${this.#jobs} j on j.batch = b.id
      where j.phase = any(${phases}::text[]) and not j.cancel_asked
        and (${all} or b.service || '/' || b.name = any(${batches}::text[])
          or b.service || '/' || b.name || '/' || j.position = any(${jobs}::text[]))
      order by j.batch, j.position limit ${CHUNK} for update of j`
  }
}
