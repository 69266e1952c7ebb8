import type { Session } from '../database/database.ts'
import { type Schema, sql, type Statement } from '../database/sql.ts'
import type { ClaimedResult, ClaimedSubmission, JobChange, JobKey } from './model.ts'
import { CANCELED, EXPIRED, SENDER_DIED } from './reasons.ts'
import type { Ticket } from './tickets.ts'

/**
 * Thrown if a transaction has taken a ticket whose job is locked. The rollback returns the ticket to the queue.
 * Waiting for the job could cause a deadlock, because the transaction that locked the job may be waiting for the
 * ticket.
 */
export class Contention extends Error {}

/** A job that could not be claimed, although its ticket was taken. */
export interface UnclaimedJob extends JobKey {
  readonly phase: string
  readonly intent: number
  /** The final phase of a queued job that was canceled or whose deadline has passed. */
  readonly ending: 'cancelled' | 'expired' | null
}

/** How long a worker may take to store a result. After that, another worker may store it. */
const STORE_LEASE_MS = 10 * 60_000

/**
 * The SQL statements for jobs, workers and services. `nowMs` replaces the database's time in simulations.
 *
 * To prevent deadlocks, transactions lock rows in the same order: workers, then jobs by key, then tickets. Only
 * transactions that take tickets lock the tickets first. They don't wait for locked rows: they skip locked tickets,
 * and roll back if a job is locked.
 */
export class Journal {
  readonly #jobs
  readonly #batches
  readonly #services
  readonly #orphans
  readonly #workers
  readonly #nowMs: () => number | null

  constructor(schema: Schema, nowMs: () => number | null) {
    this.#jobs = schema.table('fleet_jobs')
    this.#batches = schema.table('fleet_batches')
    this.#services = schema.table('fleet_services')
    this.#orphans = schema.table('fleet_orphans')
    this.#workers = schema.table('fleet_workers')
    this.#nowMs = nowMs
  }

  get now(): Statement {
    return sql`coalesce(to_timestamp(${this.#nowMs()}::float8 / 1000), now())`
  }

  /** SQL condition: the worker of job `j` was removed, or it takes too long to store the job's result. */
  get #isAbandoned(): Statement {
    return sql`j.phase in ('submitting', 'storing') and j.worker is not null
      and (not exists (select 1 from ${this.#workers} w where w.id = j.worker)
        or (j.phase = 'storing' and j.ticket is null
          and j.changed_at < now() - interval '1 millisecond' * ${STORE_LEASE_MS}::int))`
  }

  /**
   * SQL condition: the deadline of job `j` has passed. Excludes jobs whose cancellation was requested, because a
   * worker still has to cancel these jobs at the service.
   */
  get #isOverdue(): Statement {
    return sql`j.phase in ('queued', 'waiting') and j.deadline_at is not null and not j.cancel_asked
      and j.deadline_at <= ${this.now}`
  }

  /** Records the intent to submit jobs. Skips locked jobs (see {@link Contention}). */
  intend(session: Session, worker: number, tickets: readonly Ticket[]): Promise<ClaimedSubmission[]> {
    return session.rows(sql`
      update ${this.#jobs} j
      set phase = 'submitting', intent = j.intent + 1, worker = ${worker}, ticket = k.id,
        submitted_at = ${this.now}, changed_at = now()
      from (
        select k.* from ${this.#jobs} l
        join json_to_recordset(${JSON.stringify(tickets)}::json) as k(id uuid, batch int, position int)
          on l.batch = k.batch and l.position = k.position
        where l.phase = 'queued' and not l.cancel_asked
          and (l.deadline_at is null or l.deadline_at > ${this.now})
        for update of l skip locked
      ) as k
      where j.batch = k.batch and j.position = k.position and j.phase = 'queued'
      returning j.batch, j.position, j.intent, j.ticket, j.request, j.failures`)
  }

  /**
   * Counts the jobs in the phases `waiting` and `submitting`.
   *
   * Takes an advisory lock until the transaction ends, so that only one worker at a time counts and claims jobs. The
   * count is a separate statement, so that it includes the changes that the lock's previous holder made.
   */
  async unfinished(session: Session, service: string, limit: number): Promise<number> {
    await session.rows(
      sql`select pg_advisory_xact_lock(hashtextextended(${`${this.#jobs.quoted} ${service}`}, 0))`,
    )
    const [row] = await session.rows<{ count: number }>(sql`
      select count(*)::int as count from (
        (select 1 from ${this.#jobs} where phase = 'waiting' and service = ${service} limit ${limit})
        union all
        (select 1 from ${this.#jobs} where phase = 'submitting' and service = ${service} limit ${limit})
      ) as open`)
    return row!.count
  }

  /**
   * Locks and returns the jobs that could not be claimed, although their tickets were taken.
   *
   * @throws Contention if one of these jobs is locked, or was locked when this transaction tried to claim it.
   */
  async unclaimed(
    session: Session,
    keys: readonly JobKey[],
    claimable: 'queued' | 'storing',
  ): Promise<readonly UnclaimedJob[]> {
    if (keys.length === 0) return []
    const found = await session.rows<UnclaimedJob>(sql`
      select j.batch, j.position, j.phase, j.intent, case when j.phase <> 'queued' then null
          when j.cancel_asked then 'cancelled'
          when j.deadline_at <= ${this.now} then 'expired' end as ending
      from ${this.#jobs} j
      join json_to_recordset(${JSON.stringify(keys)}::json) as k(batch int, position int)
        on j.batch = k.batch and j.position = k.position
      for update of j skip locked`)
    if (found.some(({ phase, ending }) => phase === claimable && ending === null)) throw new Contention()
    if (found.length === keys.length) return found
    const [locked] = await session.rows(sql`
      select 1 from ${this.#jobs} j
      join json_to_recordset(${JSON.stringify(keys)}::json) as k(batch int, position int)
        on j.batch = k.batch and j.position = k.position
      where (j.batch, j.position) not in (
        select f.batch, f.position from json_to_recordset(${JSON.stringify(found)}::json) as f(batch int, position int))`)
    if (locked !== undefined) throw new Contention()
    return found
  }

  /**
   * Takes jobs that are due for a poll, and sets the time of each job's next poll in advance. So a poll that finds
   * unfinished work usually needs no further write. If the worker dies, each of these jobs misses only one poll.
   */
  duePolls(
    service: string,
    count: number,
    delays: { readonly minDelayMs: number; readonly maxDelayMs: number },
  ): Statement {
    return sql`
      update ${this.#jobs} j
      set polls = j.polls + 1,
        next_poll_at = ${this.now} + interval '1 millisecond' * least(
          ${delays.maxDelayMs}::float8,
          ${delays.minDelayMs}::float8 * power(1.5, least(j.polls, 30)) * (1 + 0.2 * random()))
      from (
        select d.batch, d.position from ${this.#jobs} d
        where d.phase = 'waiting' and d.service = ${service}
          and d.next_poll_at <= ${this.now}
        order by d.next_poll_at limit ${count} for update skip locked
      ) due, ${this.#batches} b
      where j.batch = due.batch and j.position = due.position and b.id = j.batch
      returning j.batch, j.position, j.intent, j.remote, b.name as "batchName", j.cancel_asked as "cancelAsked",
        1000 * extract(epoch from j.next_poll_at - ${this.now})::float8 as "nextPollInMs"`
  }

  nextPoll(service: string): Statement {
    return sql`
      select 1000 * extract(epoch from next_poll_at - ${this.now})::float8 as "inMs"
      from ${this.#jobs} where phase = 'waiting' and service = ${service} order by next_poll_at limit 1`
  }

  claimResults(session: Session, worker: number, tickets: readonly Ticket[]): Promise<ClaimedResult[]> {
    return session.rows(sql`
      update ${this.#jobs} j set worker = ${worker}, ticket = k.id
      from (
        select k.* from ${this.#jobs} l
        join json_to_recordset(${JSON.stringify(tickets)}::json) as k(id uuid, batch int, position int)
          on l.batch = k.batch and l.position = k.position
        where l.phase = 'storing' for update of l skip locked
      ) as k, ${this.#batches} b
      where j.batch = k.batch and j.position = k.position and j.phase = 'storing' and b.id = j.batch
      returning j.batch, j.position, j.intent, j.ticket, j.remote, j.failures, b.name as "batchName"`)
  }

  /**
   * Writes changes whose jobs still have the phase `from` and the number `intent`. If a submission's change contains
   * the service's id for the work, the change is written even if the job has become `uncertain`. The unchanged
   * `intent` shows that the request wasn't sent again in the meantime.
   */
  settle(session: Session, worker: number, changes: readonly JobChange[]): Promise<JobKey[]> {
    return session.rows(sql`
      update ${this.#jobs} j
      set phase = k.phase, remote = coalesce(k.remote, j.remote), status = coalesce(k.status, j.status),
        reason = k.reason, stored = coalesce(k.stored::json, j.stored), ticket = k."newTicket",
        failures = coalesce(k.failures, 0), polls = case when k."from" = 'submitting' then 0 else j.polls end,
        worker = case when k.phase in ('submitting', 'storing') then ${worker}::int end,
        cancel_asked = j.cancel_asked and k.phase in ('queued', 'waiting'),
        next_poll_at = case when k.phase = 'waiting' then
          greatest(case when k."from" = 'waiting' then j.next_poll_at end, k.due_at) end,
        not_before = case when k.phase = 'waiting' and k."from" = 'waiting' then k.due_at end,
        changed_at = now()
      from (
        select each.*, ${this.now} + interval '1 millisecond' * coalesce("delayMs", 0) as due_at
        from ${this.#jobs} l
        join json_to_recordset(${JSON.stringify(changes)}::json) as each(
          batch int, position int, intent int, "from" text, phase text, remote text, status text, reason text,
          stored text, failures int, "delayMs" float8, "newTicket" uuid)
          on l.batch = each.batch and l.position = each.position and l.intent = each.intent
        where l.phase = each."from"
          or (l.phase = 'uncertain' and each."from" = 'submitting' and each.remote is not null)
        order by l.batch, l.position for update of l
      ) as k
      where j.batch = k.batch and j.position = k.position
      returning j.batch, j.position`)
  }

  /** Finds changes that an earlier transaction already wrote, although its commit wasn't confirmed. */
  inEffect(session: Session, worker: number, changes: readonly JobChange[]): Promise<JobKey[]> {
    return session.rows(sql`
      select j.batch, j.position from ${this.#jobs} j
      join json_to_recordset(${JSON.stringify(changes)}::json) as k(
          batch int, position int, intent int, phase text, "newTicket" uuid)
        on j.batch = k.batch and j.position = k.position
      where j.ticket = k."newTicket" or (k."newTicket" is null and k.phase = 'storing' and j.phase = 'storing'
        and j.ticket is null and j.worker = ${worker} and j.intent = k.intent)`)
  }

  /**
   * Adds ids to the table of orphans, which lists accepted work that no job waits for. The ids come from changes that
   * could not be written. Skips an id if its job's row already contains it.
   */
  orphans(session: Session, changes: readonly JobChange[]): Promise<unknown[]> {
    return session.rows(sql`
      insert into ${this.#orphans} (batch, position, remote)
      select k.batch, k.position, k.remote
      from json_to_recordset(${JSON.stringify(changes)}::json) as k(batch int, position int, remote text)
      join ${this.#jobs} j on j.batch = k.batch and j.position = k.position
      where k.remote is not null and j.remote is distinct from k.remote
      order by 1, 2, 3
      on conflict do nothing`)
  }

  /**
   * Copies the service's ids from the rows of jobs to the table of orphans, because the work with these ids may still
   * finish and be charged.
   *
   * @param next - The id that the jobs' rows are about to get, if any. Jobs that already have this id are skipped.
   */
  keepIds(session: Session, keys: readonly JobKey[], next: string | null = null): Promise<unknown[]> {
    return session.rows(sql`
      insert into ${this.#orphans} (batch, position, remote)
      select j.batch, j.position, j.remote from ${this.#jobs} j
      join json_to_recordset(${JSON.stringify(keys)}::json) as k(batch int, position int)
        on j.batch = k.batch and j.position = k.position
      where j.remote is distinct from ${next} and j.remote is not null order by 1, 2, 3 on conflict do nothing`)
  }

  /**
   * Requeues jobs that this worker claimed in a transaction whose commit wasn't confirmed. Their requests weren't
   * sent. Skips the `known` jobs, which this worker is submitting.
   */
  unsent(
    session: Session,
    service: string,
    worker: number,
    known: readonly JobKey[],
  ): Promise<(JobKey & { ticket: string })[]> {
    return session.rows(sql`
      update ${this.#jobs} j set phase = 'queued', worker = null, changed_at = now()
      from (
        select batch, position from ${this.#jobs} l
        where l.worker = ${worker} and l.phase = 'submitting' and l.service = ${service}
          and not exists (
            select 1 from json_to_recordset(${JSON.stringify(known)}::json) as k(batch int, position int)
            where k.batch = l.batch and k.position = l.position)
        order by batch, position for update
      ) as l
      where j.batch = l.batch and j.position = l.position
      returning j.batch, j.position, j.ticket`)
  }

  /**
   * Releases and returns the abandoned jobs (see `#isAbandoned`). A job whose request was being sent becomes
   * uncertain, or queued if its service is `repeatable`.
   */
  abandoned(
    session: Session,
    repeatable: readonly string[],
  ): Promise<(JobKey & { service: string; phase: string; ticket: string | null })[]> {
    return session.rows(sql`
      update ${this.#jobs} j
      set phase = case when j.phase = 'storing' then 'storing'
          when j.service = any(${repeatable}::text[]) then 'queued' else 'uncertain' end,
        reason = case when j.phase = 'storing' then j.reason else ${SENDER_DIED} end,
        worker = null, cancel_asked = j.cancel_asked and j.service = any(${repeatable}::text[]), changed_at = now()
      from (
        select j.batch, j.position from ${this.#jobs} j where ${this.#isAbandoned}
        order by batch, position for update
      ) as l
      where j.batch = l.batch and j.position = l.position
      returning j.batch, j.position, j.service, j.phase, j.ticket`)
  }

  /** Sets the tickets and the phase of jobs that this transaction has locked. */
  retarget(session: Session, tickets: readonly Ticket[], phase: 'queued' | 'storing'): Promise<unknown[]> {
    return session.rows(sql`
      update ${this.#jobs} j set ticket = k.id, phase = ${phase}
      from json_to_recordset(${JSON.stringify(tickets)}::json) as k(id uuid, batch int, position int)
      where j.batch = k.batch and j.position = k.position`)
  }

  /** Sets the time of a job's next poll to now, or to the earliest time that the service allows. */
  wake(service: string, remote: string): Statement {
    return sql`
      update ${this.#jobs}
      set next_poll_at = greatest(${this.now}, not_before)
      where (batch, position) in (
        select batch, position from ${this.#jobs}
        where service = ${service} and remote = ${remote} and phase = 'waiting'
        order by batch, position for update)
      returning batch`
  }

  register(name: string): Statement {
    return sql`insert into ${this.#workers} (name) values (${name}) returning id`
  }

  /** @returns a row if the worker is still registered. Other workers remove a worker that seems dead. */
  heartbeat(worker: number, done: number): Statement {
    return sql`update ${this.#workers} set seen_at = now(), done = done + ${done} where id = ${worker} returning id`
  }

  unregister(session: Session, workers: readonly number[]): Promise<unknown[]> {
    return session.rows(sql`delete from ${this.#workers} where id = any(${workers}::int[])`)
  }

  overdue(self: number, termMs: number): Statement {
    return sql`
      select exists (
          select 1 from ${this.#workers}
          where id <> ${self} and seen_at < now() - interval '1 millisecond' * ${termMs}::float8
        ) or exists (
          select 1 from ${this.#jobs} j where ${this.#isAbandoned}
        ) as "hasAbandoned",
        exists (select 1 from ${this.#jobs} j where ${this.#isOverdue}) as "hasExpired"`
  }

  /** Ends queued jobs that must not be submitted. This transaction has locked them. */
  endUnsent(session: Session, keys: readonly UnclaimedJob[]): Promise<unknown[]> {
    return session.rows(sql`
      update ${this.#jobs} j
      set phase = k.ending, ticket = null, cancel_asked = false, changed_at = now(),
        reason = case when k.ending = 'expired' then ${EXPIRED.queued} else ${CANCELED.unsent} end
      from json_to_recordset(${JSON.stringify(keys)}::json) as k(batch int, position int, ending text)
      where j.batch = k.batch and j.position = k.position`)
  }

  /**
   * Ends at most `count` jobs whose deadlines have passed, oldest deadlines first.
   *
   * @returns the ended jobs. The caller must remove the `ticket` of each job that was queued.
   */
  expire(
    session: Session,
    count: number,
  ): Promise<(JobKey & { service: string; ticket: string | null; isSent: boolean })[]> {
    return session.rows(sql`
      update ${this.#jobs} j
      set phase = 'expired', ticket = null, next_poll_at = null, not_before = null, changed_at = now(),
        reason = case when l.phase = 'queued' then ${EXPIRED.queued} else ${EXPIRED.waiting} end
      from (
        select j.batch, j.position, j.phase, j.ticket from ${this.#jobs} j
        where ${this.#isOverdue} and (j.batch, j.position) in (
          select j.batch, j.position from ${this.#jobs} j where ${this.#isOverdue} order by j.deadline_at limit ${count})
        order by j.batch, j.position for update
      ) as l
      where j.batch = l.batch and j.position = l.position
      returning j.batch, j.position, j.service, l.ticket, l.phase = 'waiting' as "isSent"`)
  }

  /** Locks and returns the workers that haven't been seen for `termMs`. */
  silent(session: Session, self: number, termMs: number): Promise<{ id: number }[]> {
    return session.rows(sql`
      select id from ${this.#workers}
      where id <> ${self} and seen_at < now() - interval '1 millisecond' * ${termMs}::float8
      for update skip locked`)
  }

  /** Pauses a service, and tells the other workers. */
  pause(
    service: string,
    pause: { readonly delayMs: number; readonly reason: string },
    { channel, worker }: { readonly channel: string; readonly worker: number },
  ): Statement {
    const { delayMs, reason } = pause
    return sql`
      insert into ${this.#services} as s (service, paused_until, pauses, pause_reason)
      values (${service}, ${this.now} + interval '1 millisecond' * ${delayMs}::float8, 1, ${reason})
      on conflict (service) do update set pauses = s.pauses + 1, pause_reason = excluded.pause_reason,
        paused_until = greatest(s.paused_until, excluded.paused_until)
      returning pg_notify(${channel}, ${`pause ${service} ${Math.ceil(delayMs)} ${worker}`})`
  }

  /**
   * Records the highest turn that was taken from each service's queue (see `Steps.turn`). Returns how long each
   * service is still paused.
   */
  serviceStates(turns: Readonly<Record<string, number>>): Statement {
    return sql`
      insert into ${this.#services} as s (service, virtual_turn)
      select key, value::int from json_each_text(${JSON.stringify(turns)}::json) order by key
      on conflict (service) do update set virtual_turn = greatest(s.virtual_turn, excluded.virtual_turn)
      returning service,
        1000 * extract(epoch from paused_until - ${this.now})::float8 as "pausedMs"`
  }
}
