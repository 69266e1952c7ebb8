import { sql } from '../../database/sql.ts'
import type { Migration } from '../migration.ts'

export const deadlines: Migration = {
  version: 5,
  title: 'deadlines, and leases locked in one order',
  statements: (schema) => [
    sql`alter table ${schema.table('fleet_jobs')} add column deadline_at timestamptz`,
    // Jobs without a deadline have no entry.
    sql`create index fleet_jobs_deadline on ${schema.table('fleet_jobs')} (deadline_at)
      where phase in ('queued', 'waiting') and deadline_at is not null`,
    sql`drop index ${schema.table('fleet_jobs_open')}`,
    sql`create index fleet_jobs_open on ${schema.table('fleet_jobs')} (batch, position)
      where phase in ('uncertain', 'expired', 'failed', 'denied', 'unstored')`,
    // Every function takes the lock of the semaphore before it locks a lease. Otherwise, one that holds the lock can wait for a lease
    // while the one that holds the lease waits for the lock.
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
