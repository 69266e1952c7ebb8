import { type Schema, sql, type Statement } from '../database/sql.ts'

/** One step that creates or changes the schema. Never change a released step; correct its mistakes in a later step. */
export interface Migration {
  readonly title: string
  /** Returns the step's statements for a schema. All missing steps run in one transaction. */
  readonly statements: (schema: Schema) => readonly Statement[]
}

/** The tables of the token stores. `request_logs` contains the times of recent requests, for rate limits. */
const sessions: Migration = {
  title: 'sessions',
  statements: (schema) => [
    // A process that refreshes the session first stores a random id in `holder`. If the process loses its connection to
    // the database, another process can replace this id after `free_at`.
    sql`create table ${schema.table('sessions')} (
      name text primary key,
      body text,
      holder uuid,
      free_at timestamptz,
      changed_at timestamptz not null default now()
    )`,
    sql`create table ${schema.table('request_logs')} (
      name text primary key,
      revision bigint not null,
      times_ms double precision[] not null,
      hold_until_ms double precision
    )`,
  ],
}

const fleet: Migration = {
  title: 'durable work',
  statements: (schema) => [
    sql`create table ${schema.table('fleet_services')} (
      service text primary key,
      virtual_turn integer not null default 0,
      paused_until timestamptz,
      pauses integer not null default 0,
      pause_reason text
    )`,
    sql`create table ${schema.table('fleet_batches')} (
      id integer generated always as identity primary key,
      service text not null,
      name text not null,
      created_at timestamptz not null default now(),
      added integer not null default 0,
      is_complete boolean not null default false,
      digest text not null default '',
      next_turn integer not null default 0,
      unique (service, name)
    )`,
    // With this `toast_tuple_target`, PostgreSQL stores all but tiny requests outside the row. Updates of the row then
    // don't rewrite the request.
    sql`create table ${schema.table('fleet_jobs')} (
      batch integer not null,
      position integer not null,
      service text not null,
      phase text not null,
      intent integer not null default 0,
      failures integer not null default 0,
      polls integer not null default 0,
      worker integer,
      ticket uuid,
      cancel_asked boolean not null default false,
      next_poll_at timestamptz,
      submitted_at timestamptz,
      changed_at timestamptz not null default now(),
      cost_min double precision,
      cost_max double precision,
      remote text,
      status text,
      reason text,
      stored json,
      request json not null,
      primary key (batch, position)
    ) with (toast_tuple_target = 256, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05)`,
    sql`create index fleet_jobs_due on ${schema.table('fleet_jobs')} (service, next_poll_at) where phase = 'waiting'`,
    sql`create index fleet_jobs_held on ${schema.table('fleet_jobs')} (worker) where phase in ('submitting', 'storing')`,
    sql`create index fleet_jobs_remote on ${schema.table('fleet_jobs')} (service, remote) where remote is not null`,
    sql`create index fleet_jobs_open on ${schema.table('fleet_jobs')} (batch, position)
      where phase in ('uncertain', 'failed', 'denied', 'unstored')`,
    // Work that continues at the service, although no job waits for it. For example, a job was submitted again because
    // the response to its first submission was lost. The job now waits only for the work of the second submission.
    sql`create table ${schema.table('fleet_orphans')} (
      batch integer not null,
      position integer not null,
      remote text not null,
      found_at timestamptz not null default now(),
      primary key (batch, position, remote)
    )`,
    sql`create table ${schema.table('fleet_workers')} (
      id integer generated always as identity primary key,
      name text not null,
      started_at timestamptz not null default now(),
      seen_at timestamptz not null default now(),
      done integer not null default 0
    )`,
  ],
}

/**
 * The tables of rate limits and semaphores. Each rate limit has slots (`rate_places`). Requests use the slots in turn,
 * each slot once per window. Each lease or lease request has a row in `leases`.
 */
const budgets: Migration = {
  title: 'budgets',
  statements: (schema) => [
    sql`create table ${schema.table('rates')} (name text primary key, turn bigint not null)`,
    sql`create table ${schema.table('rate_places')} (
      name text not null,
      place integer not null,
      free_at timestamptz not null,
      primary key (name, place)
    ) with (fillfactor = 50)`,
    sql`create table ${schema.table('leases')} (
      ticket bigint generated always as identity primary key,
      name text not null,
      weight numeric not null,
      is_granted boolean not null default false,
      expires_at timestamptz not null
    )`,
    sql`create index leases_of_name on ${schema.table('leases')} (name, ticket)`,
    // The lock and the change are separate statements. A single statement would not see the changes that the previous
    // holder of the lock made.
    sql`create function ${schema.table('serve_leases')} (limited text, capacity numeric, channel text)
      returns double precision language plpgsql as $$
      declare
        granted bigint;
      begin
        perform pg_advisory_xact_lock(hashtextextended(channel || limited, 0));
        delete from ${schema.table('leases')} where name = limited and expires_at <= clock_timestamp();
        for granted in
          update ${schema.table('leases')} set is_granted = true where ticket in (
            select queue.ticket from (
              select ticket, is_granted, sum(weight) over (order by not is_granted, ticket) as total
              from ${schema.table('leases')} where name = limited
            ) as queue where not queue.is_granted and queue.total <= capacity
          ) returning ticket
        loop
          perform pg_notify(channel, granted::text);
        end loop;
        return (
          select extract(epoch from min(expires_at) - clock_timestamp()) * 1000
          from ${schema.table('leases')} where name = limited and is_granted
        );
      end $$`,
    sql`create function ${schema.table('release_lease')} (released bigint, limited text, capacity numeric, channel text)
      returns void language plpgsql as $$
      begin
        delete from ${schema.table('leases')} where ticket = released;
        perform ${schema.table('serve_leases')} (limited, capacity, channel);
      end $$`,
    sql`create function ${schema.table('request_lease')} (
        limited text, capacity numeric, weighs numeric, term interval, channel text
      ) returns table (ticket bigint, is_granted boolean) language plpgsql as $$
      #variable_conflict use_column
      declare
        own bigint;
      begin
        if current_setting('transaction_isolation') <> 'read committed' then
          raise exception 'leases need the isolation level read committed' using errcode = '25001';
        end if;
        -- Get the lock before drawing a ticket, so that tickets have the order in which requests got the lock.
        perform pg_advisory_xact_lock(hashtextextended(channel || limited, 0));
        insert into ${schema.table('leases')} as row (name, weight, expires_at)
          values (limited, weighs, clock_timestamp() + term) returning row.ticket into own;
        perform ${schema.table('serve_leases')} (limited, capacity, channel);
        return query select row.ticket, row.is_granted from ${schema.table('leases')} as row where row.ticket = own;
      end $$`,
  ],
}

const fleetPace: Migration = {
  title: 'pace of polls',
  statements: (schema) => [
    // The service asked not to be polled before `not_before`. Even a webhook doesn't move the next poll to an earlier
    // time.
    sql`alter table ${schema.table('fleet_jobs')} add column not_before timestamptz`,
    // A webhook looks up only waiting jobs, so the new index contains only these. PostgreSQL had to update the old
    // index on every change to a job.
    sql`drop index ${schema.table('fleet_jobs_remote')}`,
    sql`create index fleet_jobs_remote on ${schema.table('fleet_jobs')} (service, remote) where phase = 'waiting'`,
  ],
}

const deadlines: Migration = {
  title: 'deadlines, and the order of locks',
  statements: (schema) => [
    sql`alter table ${schema.table('fleet_jobs')} add column deadline_at timestamptz`,
    // Jobs without a deadline have no entry in this index.
    sql`create index fleet_jobs_deadline on ${schema.table('fleet_jobs')} (deadline_at)
      where phase in ('queued', 'waiting') and deadline_at is not null`,
    sql`drop index ${schema.table('fleet_jobs_open')}`,
    sql`create index fleet_jobs_open on ${schema.table('fleet_jobs')} (batch, position)
      where phase in ('uncertain', 'expired', 'failed', 'denied', 'unstored')`,
    // Every function gets the semaphore's lock before it locks a lease. Otherwise, two functions could wait for each
    // other: one would have the lock and wait for a lease, and the other would have the lease and wait for the lock.
    sql`create or replace function ${schema.table('release_lease')} (
        released bigint, limited text, capacity numeric, channel text
      ) returns void language plpgsql as $$
      begin
        perform pg_advisory_xact_lock(hashtextextended(channel || limited, 0));
        delete from ${schema.table('leases')} where ticket = released;
        perform ${schema.table('serve_leases')} (limited, capacity, channel);
      end $$`,
    sql`create function ${schema.table('renew_leases')} (
        renewed bigint[], term interval, limited text, channel text
      ) returns table (ticket bigint, is_granted boolean) language plpgsql as $$
      #variable_conflict use_column
      begin
        perform pg_advisory_xact_lock(hashtextextended(channel || limited, 0));
        return query update ${schema.table('leases')} as row set expires_at = clock_timestamp() + term
          where row.ticket = any(renewed) returning row.ticket, row.is_granted;
      end $$`,
  ],
}

/** All steps of the schema, in order. The version of a schema is the number of its steps. */
export const MIGRATIONS: readonly Migration[] = [sessions, fleet, budgets, fleetPace, deadlines]
