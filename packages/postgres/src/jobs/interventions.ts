import { OptionsError } from '@concord/runtime'

import { type Session, transaction } from '../database/database.ts'
import type { PostgresPool } from '../database/pool.ts'
import { type Identifier, type Schema, sql, type Statement } from '../database/sql.ts'
import { Journal } from './journal.ts'
import type { JobKey, JobPhase } from './model.ts'
import { ringing } from './parts.ts'
import { ABANDONED, CANCELED } from './reasons.ts'
import { findTargets, isChosen, rangeOf, type Targets } from './targets.ts'
import { ticketId } from './ticket-id.ts'
import { type Step, stepOf, type Tickets } from './tickets.ts'

/** How a person settles an uncertain or expired job; see {@link FleetMethods.resolve}. @public */
export type Resolution = { readonly acceptedAs: string } | 'not-sent' | 'abandon'

export const RETRIED: readonly JobPhase[] = ['failed', 'denied', 'unstored', 'expired']
export const CANCELED_FROM: readonly JobPhase[] = ['queued', 'submitting', 'waiting', 'expired']

interface Found extends JobKey {
  readonly service: string
  readonly phase: JobPhase
  readonly ticket: string | null
  readonly isSent: boolean
}

const CHUNK = 1_000

/** The changes that a person can make to jobs. Each transaction changes jobs' rows together with their tickets. */
export class Interventions {
  readonly #pool: PostgresPool
  readonly #schema: Schema
  readonly #jobs: Identifier
  readonly #journal: Journal
  readonly #tickets: Tickets

  constructor(pool: PostgresPool, schema: Schema, tickets: Tickets) {
    this.#pool = pool
    this.#schema = schema
    this.#jobs = schema.table('fleet_jobs')
    this.#journal = new Journal(schema, () => null)
    this.#tickets = tickets
  }

  retry(targets: Targets): Promise<number> {
    return this.#change(targets, RETRIED, async (session, found) => {
      const groups = Map.groupBy(found, ({ phase, isSent }) => {
        if (phase === 'expired' && isSent) return 'waiting'
        return phase === 'unstored' ? 'storing' : 'queued'
      })
      await this.#await(session, groups.get('waiting') ?? [])
      for (const phase of ['queued', 'storing'] as const)
        await this.#requeue(session, groups.get(phase) ?? [], phase)
    })
  }

  /**
   * Sets jobs to `waiting` and removes their deadlines.
   *
   * @param remote - The service's id for the work. `null` keeps the recorded id.
   */
  async #await(session: Session, found: readonly Found[], remote: string | null = null): Promise<void> {
    if (found.length === 0) return
    if (remote !== null) await this.#journal.keepIds(session, found, remote)
    await this.#update(
      session,
      found,
      sql`phase = 'waiting', remote = coalesce(${remote}, j.remote), reason = null, polls = 0, deadline_at = null,
        cancel_asked = false, next_poll_at = to_timestamp(0), changed_at = now()`,
    )
    await this.#ring(session, 'wait', found)
  }

  async cancel(targets: Targets): Promise<{ readonly unsent: number; readonly sent: number }> {
    let sent = 0
    const all = await this.#change(
      targets,
      CANCELED_FROM,
      async (session, found) => {
        const groups = Map.groupBy(found, ({ phase, isSent }) =>
          phase === 'queued' || (phase === 'expired' && !isSent) ? 'unsent' : 'sent',
        )
        await this.#cancelUnsent(session, groups.get('unsent') ?? [])
        const atService = groups.get('sent') ?? []
        await this.#cancelSent(session, atService)
        return atService.length
      },
      (count) => void (sent += count),
    )
    return { unsent: all - sent, sent }
  }

  async #cancelUnsent(session: Session, found: readonly Found[]): Promise<void> {
    if (found.length === 0) return
    await this.#update(
      session,
      found,
      sql`phase = 'cancelled', ticket = null, reason = ${CANCELED.unsent}, deadline_at = null, cancel_asked = false,
        changed_at = now()`,
    )
    for (const [service, own] of Map.groupBy(found, (job) => job.service)) {
      const used = own.flatMap(({ ticket }) => ticket ?? [])
      await this.#tickets.remove(session, service, 'submit', used)
    }
  }

  /** Asks workers to cancel jobs. Workers do this at a job's next poll, so the next poll becomes due now. */
  async #cancelSent(session: Session, found: readonly Found[]): Promise<void> {
    if (found.length === 0) return
    await this.#update(
      session,
      found,
      sql`cancel_asked = true, phase = case when j.phase = 'expired' then 'waiting' else j.phase end,
        polls = case when j.phase = 'expired' then 0 else j.polls end, deadline_at = null,
        next_poll_at = case when j.phase in ('waiting', 'expired') then to_timestamp(0) end`,
    )
    await this.#ring(session, 'wait', found)
  }

  /** Settles an uncertain or expired job. @throws OptionsError if the job is neither. */
  async resolve(job: string, resolution: Resolution): Promise<void> {
    const targets = { ...(await findTargets(this.#pool, this.#schema, [job])), batches: [] }
    const changed = await this.#change(targets, ['uncertain', 'expired'], async (session, found) => {
      if (resolution === 'not-sent') return this.#requeue(session, found, 'queued')
      if (resolution !== 'abandon') return this.#await(session, found, resolution.acceptedAs)
      const changes = sql`phase = 'failed', reason = ${ABANDONED}, deadline_at = null, changed_at = now()`
      await this.#update(session, found, changes)
    })
    if (changed === 0)
      throw new OptionsError(
        'job',
        `${JSON.stringify(job)} isn't the name of an uncertain or expired job. Nothing was changed.`,
        'To see the names of the uncertain and expired jobs, run `concord-fleet status`.',
      )
  }

  async #requeue(session: Session, found: readonly Found[], phase: 'queued' | 'storing'): Promise<void> {
    if (found.length === 0) return
    const step = stepOf(phase)
    const fresh = found.map((job) => ({ ...job, id: ticketId() }))
    if (phase === 'queued') await this.#journal.keepIds(session, found)
    await this.#update(
      session,
      fresh,
      sql`phase = ${phase}, ticket = k.id, failures = 0, reason = null, changed_at = now(),
        deadline_at = null, cancel_asked = false, remote = case when ${phase} = 'storing' then j.remote end`,
    )
    for (const [service, own] of Map.groupBy(fresh, (job) => job.service))
      await this.#tickets.add(session, service, step, own)
    await this.#ring(session, step, found)
  }

  /** Updates jobs that this transaction has locked. In `changes`, `j` is a job's row and `k` its entry in `found`. */
  async #update(session: Session, found: readonly JobKey[], changes: Statement): Promise<void> {
    await session.rows(sql`
      update ${this.#jobs} j set ${changes}
      from json_to_recordset(${JSON.stringify(found)}::json) as k(id uuid, batch int, position int)
      where j.batch = k.batch and j.position = k.position`)
  }

  async #ring(session: Session, step: Step | 'wait', found: readonly Found[]): Promise<void> {
    const channel = this.#schema.channel('fleet')
    for (const service of new Set(found.map((job) => job.service)))
      await session.rows(ringing(channel, step, service))
  }

  /** Changes the chosen jobs whose phase is in `phases`, chunk by chunk. @returns the number of changed jobs. */
  async #change<Result>(
    targets: Targets,
    phases: readonly JobPhase[],
    change: (session: Session, found: readonly Found[]) => Promise<Result>,
    committed: (result: Result) => void = () => undefined,
  ): Promise<number> {
    let count = 0
    for (let after: JobKey | undefined; ;) {
      const { found, result } = await transaction(this.#pool, async (session) => {
        const some = await session.rows<Found>(this.#select(targets, phases, after))
        return { found: some, result: some.length === 0 ? undefined : await change(session, some) }
      })
      if (result !== undefined) committed(result)
      count += found.length
      after = found.at(-1)
      if (found.length < CHUNK) return count
    }
  }

  /** Selects and locks the next chunk of jobs. `after` is the last job of the previous chunk. */
  #select(targets: Targets, phases: readonly JobPhase[], after: JobKey | undefined): Statement {
    const { first, last } = rangeOf(targets)
    const { batch, position } = after ?? { ...first, position: first.position - 1 }
    return sql`
      select j.batch, j.position, j.service, j.phase, j.ticket, j.remote is not null as "isSent" from ${this.#jobs} j
      where j.phase = any(${phases}::text[]) and (not j.cancel_asked or j.phase not in ('submitting', 'waiting'))
        and (j.batch, j.position) > (${batch}::int, ${position}::int)
        and (j.batch, j.position) <= (${last.batch}::int, ${last.position}::int)
        and ${isChosen(targets)}
      order by j.batch, j.position limit ${CHUNK} for update of j`
  }
}
