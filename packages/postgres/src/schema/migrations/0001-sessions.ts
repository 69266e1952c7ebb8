import { sql } from '../../database/sql.ts'
import type { Migration } from '../migration.ts'

/** Token stores: a row for each session, and one for each record of requests that are limited together. */
export const sessions: Migration = {
  version: 1,
  title: 'sessions',
  statements: (schema) => [
    // `holder` identifies the work that holds the session. If its lock is gone, `free_at` is when other work may replace it.
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
