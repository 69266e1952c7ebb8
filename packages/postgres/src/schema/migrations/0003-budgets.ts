import { sql } from '../../database/sql.ts'
import type { Migration } from '../migration.ts'

/**
 * Rates: slots (`rate_places`) that are used in turn, each once per window. Semaphores: a row for each lease or lease
 * request.
 */
export const budgets: Migration = {
  version: 3,
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
    // Separate statements, because each then sees what the previous holder of the lock has changed; a single one would not.
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
        -- Before the ticket is drawn, so that tickets are in the order of the lock.
        perform pg_advisory_xact_lock(hashtextextended(channel || limited, 0));
        insert into ${schema.table('leases')} as row (name, weight, expires_at)
          values (limited, weighs, clock_timestamp() + term) returning row.ticket into own;
        perform ${schema.table('serve_leases')} (limited, capacity, channel);
        return query select row.ticket, row.is_granted from ${schema.table('leases')} as row where row.ticket = own;
      end $$`,
  ],
}
