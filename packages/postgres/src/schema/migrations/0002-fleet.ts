import { sql } from '../../database/sql.ts'
import type { Migration } from '../migration.ts'

export const fleet: Migration = {
  version: 2,
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
    // Unless it is tiny, the request is stored outside the row, so that updates of the row don't rewrite it.
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
    // Work that exists at the service although its job has moved on, for example because its id arrived after a second
    // submission.
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
