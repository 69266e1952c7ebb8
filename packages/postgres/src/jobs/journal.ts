import type { Session } from '../database/database.ts'
import { type Schema, sql, type Statement } from '../database/sql.ts'
import type { ClaimedResult, ClaimedSubmission, JobChange, JobKey } from './model.ts'
import type { Ticket } from './tickets.ts'

/** The statements on job rows. `nowMs` replaces the database's time in simulations. */
export class Journal {
  readonly #jobs
  readonly #batches
  readonly #services
  readonly #orphans
  readonly #workers
  readonly #now: () => number | null

  constructor(schema: Schema, now: () => number | null) {
    this.#jobs = schema.table('fleet_jobs')
    this.#batches = schema.table('fleet_batches')
    this.#services = schema.table('fleet_services')
    this.#orphans = schema.table('fleet_orphans')
    this.#workers = schema.table('fleet_workers')
    this.#now = now
  }

  /** Records the intent to submit. Jobs that are no longer queued aren't returned. */
  intend(session: Session, worker: number, tickets: readonly Ticket[]): Promise<ClaimedSubmission[]> {
    return session.rows(sql`
      update ${this.#jobs} j
      set phase = 'submitting', intent = j.intent + 1, worker = ${worker}, ticket = k.id,
        submitted_at = coalesce(to_timestamp(${this.#now()}::float8 / 1000), now()), changed_at = now()
      from json_to_recordset(${JSON.stringify(tickets)}::json) as k(id uuid, batch int, position int)
      where j.batch = k.batch and j.position = k.position and j.phase = 'queued'
      returning j.batch, j.position, j.intent, j.ticket, j.request, j.failures`)
  }

  /**
   * Counts the jobs at the service, up to a limit. Until the transaction ends, the lock makes workers count and submit one
   * after the other. The count is a separate statement, so that it sees what the previous holder of the lock has changed.
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

  /** Returns the phases of jobs whose tickets were taken, but that could not be claimed. */
  phases(session: Session, keys: readonly JobKey[]): Promise<(JobKey & { phase: string; intent: number })[]> {
    return session.rows(sql`
      select j.batch, j.position, j.phase, j.intent from ${this.#jobs} j
      join json_to_recordset(${JSON.stringify(keys)}::json) as k(batch int, position int)
        on j.batch = k.batch and j.position = k.position`)
  }

  /**
   * Takes jobs that are due, and sets the time of their next poll. A poll that finds nothing new then needs no other write,
   * and a worker that dies delays only that one poll.
   */
  duePolls(
    service: string,
    count: number,
    delays: { readonly minDelayMs: number; readonly maxDelayMs: number },
  ): Statement {
    const now = this.#now()
    return sql`
      update ${this.#jobs} j
      set polls = j.polls + 1,
        next_poll_at = coalesce(to_timestamp(${now}::float8 / 1000), now()) + interval '1 millisecond' * least(
          ${delays.maxDelayMs}::float8,
          ${delays.minDelayMs}::float8 * power(1.5, least(j.polls, 30)) * (0.8 + 0.4 * random()))
      from (
        select d.batch, d.position from ${this.#jobs} d
        where d.phase = 'waiting' and d.service = ${service}
          and d.next_poll_at <= coalesce(to_timestamp(${now}::float8 / 1000), now())
        order by d.next_poll_at limit ${count} for update skip locked
      ) due, ${this.#batches} b
      where j.batch = due.batch and j.position = due.position and b.id = j.batch
      returning j.batch, j.position, j.intent, j.remote, b.name as "batchName", j.cancel_asked as "cancelAsked",
        1000 * extract(epoch from j.next_poll_at - coalesce(to_timestamp(${now}::float8 / 1000), now()))::float8
          as "nextPollInMs"`
  }

  /** Returns the milliseconds until the next poll is due, or no row if nothing waits. */
  nextPoll(service: string): Statement {
    return sql`
      select 1000 * extract(epoch from next_poll_at - coalesce(to_timestamp(${this.#now()}::float8 / 1000), now()))::float8 as "inMs"
      from ${this.#jobs} where phase = 'waiting' and service = ${service} order by next_poll_at limit 1`
  }

  /** Claims jobs whose results must be stored. */
  claimResults(session: Session, worker: number, tickets: readonly Ticket[]): Promise<ClaimedResult[]> {
    return session.rows(sql`
      update ${this.#jobs} j set worker = ${worker}, ticket = k.id
      from json_to_recordset(${JSON.stringify(tickets)}::json) as k(id uuid, batch int, position int), ${this.#batches} b
      where j.batch = k.batch and j.position = k.position and j.phase = 'storing' and b.id = j.batch
      returning j.batch, j.position, j.intent, j.ticket, j.remote, j.failures, b.name as "batchName"`)
  }

  /**
   * Writes changes, each only if its job is still in the same phase and intent. An id that arrives late also settles an
   * uncertain job, because nothing has been sent for it since.
   */
  settle(session: Session, worker: number, changes: readonly JobChange[]): Promise<JobKey[]> {
    const now = this.#now()
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
        select *, coalesce(to_timestamp(${now}::float8 / 1000), now())
          + interval '1 millisecond' * coalesce("delayMs", 0) as due_at
        from json_to_recordset(${JSON.stringify(changes)}::json) as each(
          batch int, position int, intent int, "from" text, phase text, remote text, status text, reason text,
          stored text, failures int, "delayMs" float8, "newTicket" uuid)
      ) as k
      where j.batch = k.batch and j.position = k.position and j.intent = k.intent
        and (j.phase = k."from" or (j.phase = 'uncertain' and k."from" = 'submitting' and k.remote is not null))
      returning j.batch, j.position`)
  }

  /** Returns the jobs that already have their new ticket, because the change took effect earlier. */
  ticketed(session: Session, changes: readonly JobChange[]): Promise<JobKey[]> {
    return session.rows(sql`
      select j.batch, j.position from ${this.#jobs} j
      join json_to_recordset(${JSON.stringify(changes)}::json) as k(batch int, position int, "newTicket" uuid)
        on j.batch = k.batch and j.position = k.position and j.ticket = k."newTicket"`)
  }

  /** Keeps the ids of work that exists although its job has moved on. Skips ids that are in the job's own row. */
  orphans(session: Session, changes: readonly JobChange[]): Promise<unknown[]> {
    return session.rows(sql`
      insert into ${this.#orphans} (batch, position, remote)
      select k.batch, k.position, k.remote
      from json_to_recordset(${JSON.stringify(changes)}::json) as k(batch int, position int, remote text)
      join ${this.#jobs} j on j.batch = k.batch and j.position = k.position
      where k.remote is not null and j.remote is distinct from k.remote
      on conflict do nothing`)
  }

  /** Requeues jobs that this worker took in a transaction whose commit was lost, so that it never sent them. */
  unsent(
    session: Session,
    service: string,
    worker: number,
    known: readonly JobKey[],
  ): Promise<(JobKey & { ticket: string })[]> {
    return session.rows(sql`
      update ${this.#jobs} j set phase = 'queued', worker = null, changed_at = now()
      where j.worker = ${worker} and j.phase = 'submitting' and j.service = ${service}
        and not exists (
          select 1 from json_to_recordset(${JSON.stringify(known)}::json) as k(batch int, position int)
          where k.batch = j.batch and k.position = j.position)
      returning j.batch, j.position, j.ticket`)
  }

  /**
   * Returns the jobs of workers that are no longer registered. Requests that were being sent become uncertain, or queued if
   * they can be repeated.
   */
  abandoned(
    session: Session,
    { reason, repeatable }: { readonly reason: string; readonly repeatable: readonly string[] },
  ): Promise<(JobKey & { service: string; phase: string; ticket: string | null })[]> {
    return session.rows(sql`
      update ${this.#jobs} j
      set phase = case when j.phase = 'storing' then 'storing'
          when j.service = any(${repeatable}::text[]) then 'queued' else 'uncertain' end,
        reason = case when j.phase = 'storing' then j.reason else ${reason} end,
        worker = null, changed_at = now()
      where j.phase in ('submitting', 'storing') and j.worker is not null
        and not exists (select 1 from ${this.#workers} w where w.id = j.worker)
      returning j.batch, j.position, j.service, j.phase, j.ticket`)
  }

  /** Assigns another ticket to a job. */
  retarget(session: Session, tickets: readonly Ticket[], phase: 'queued' | 'storing'): Promise<unknown[]> {
    return session.rows(sql`
      update ${this.#jobs} j set ticket = k.id, phase = ${phase}
      from json_to_recordset(${JSON.stringify(tickets)}::json) as k(id uuid, batch int, position int)
      where j.batch = k.batch and j.position = k.position`)
  }

  /** Makes the poll of one job due now, or as soon as the service allows. */
  wake(service: string, remote: string): Statement {
    return sql`
      update ${this.#jobs}
      set next_poll_at = greatest(coalesce(to_timestamp(${this.#now()}::float8 / 1000), now()), not_before)
      where service = ${service} and remote = ${remote} and phase = 'waiting'
      returning batch`
  }

  register(name: string): Statement {
    return sql`insert into ${this.#workers} (name) values (${name}) returning id`
  }

  /** @returns a row if the worker is still registered; others remove a worker that seems dead. */
  heartbeat(worker: number, done: number): Statement {
    return sql`update ${this.#workers} set seen_at = now(), done = done + ${done} where id = ${worker} returning id`
  }

  unregister(session: Session, workers: readonly number[]): Promise<unknown[]> {
    return session.rows(sql`delete from ${this.#workers} where id = any(${workers}::int[])`)
  }

  /** Returns whether a worker hasn't been seen for some time, or a job belongs to a worker that is no longer registered. */
  hasAbandoned(self: number, termMs: number): Statement {
    return sql`
      select exists (
          select 1 from ${this.#workers}
          where id <> ${self} and seen_at < now() - interval '1 millisecond' * ${termMs}::float8
        ) or exists (
          select 1 from ${this.#jobs} j
          where j.phase in ('submitting', 'storing') and j.worker is not null
            and not exists (select 1 from ${this.#workers} w where w.id = j.worker)
        ) as found`
  }

  /** Returns workers that haven't been seen for some time. Only one process at a time cleans up after each. */
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
      values (${service}, coalesce(to_timestamp(${this.#now()}::float8 / 1000), now())
        + interval '1 millisecond' * ${delayMs}::float8, 1, ${reason})
      on conflict (service) do update set pauses = s.pauses + 1, pause_reason = excluded.pause_reason,
        paused_until = greatest(s.paused_until, excluded.paused_until)
      returning pg_notify(${channel}, ${`pause ${service} ${Math.ceil(delayMs)} ${worker}`})`
  }

  /** Publishes the current turns of the queues, and reads the pauses. */
  serviceStates(turns: Readonly<Record<string, number>>): Statement {
    return sql`
      insert into ${this.#services} as s (service, virtual_turn)
      select key, value::int from json_each_text(${JSON.stringify(turns)}::json)
      on conflict (service) do update set virtual_turn = greatest(s.virtual_turn, excluded.virtual_turn)
      returning service,
        1000 * extract(epoch from paused_until - coalesce(to_timestamp(${this.#now()}::float8 / 1000), now()))::float8
          as "pausedMs"`
  }
}
