/** Sessions, budgets and durable work that processes on many machines share through PostgreSQL. */
export { migrate, type MigrateOptions } from './schema/migrate.ts'
export { DatabaseError, type DatabaseFailure } from './database/database-error.ts'
export type { PostgresClient, PostgresNotification, PostgresPool, PostgresResult } from './database/pool.ts'
export {
  createFleet,
  type EnqueueOptions,
  type Fleet,
  type FleetMethods,
  type FleetOptions,
  type FleetQueue,
  type FleetServices,
  type FleetWebhook,
  type WorkOptions,
} from './work/fleet.ts'
