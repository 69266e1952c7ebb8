import { sql } from '../../database/sql.ts'
import type { Migration } from '../migration.ts'

export const sessions: Migration = {
  version: 1,
  title: 'sessions',
  statements: (schema) => [
    sql`create table ${schema.table('sessions')} (
      name text primary key,
      body text,
      changed_at timestamptz not null default now()
    )`,
    sql`create table ${schema.table('request_logs')} (
      name text primary key,
      times_ms double precision[] not null default '{}',
      hold_until_ms double precision
    )`,
  ],
}
