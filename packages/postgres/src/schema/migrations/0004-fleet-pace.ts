import { sql } from '../../database/sql.ts'
import type { Migration } from '../migration.ts'

export const fleetPace: Migration = {
  version: 4,
  title: 'pace of polls',
  statements: (schema) => [
    // The service asked not to poll the work before then. A webhook doesn't move the next poll before it.
    sql`alter table ${schema.table('fleet_jobs')} add column not_before timestamptz`,
    // Webhooks look for waiting jobs only. Before, each change of a job added an entry.
    sql`drop index ${schema.table('fleet_jobs_remote')}`,
    sql`create index fleet_jobs_remote on ${schema.table('fleet_jobs')} (service, remote) where phase = 'waiting'`,
  ],
}
