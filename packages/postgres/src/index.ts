/** Sessions, limits and durable jobs that processes on many machines share through PostgreSQL. */
export { postgresTokenStore, type PostgresTokenStoreOptions } from './session/postgres-token-store.ts'
export type { EncryptionKey } from './session/sealed-body.ts'
export { postgresRateLimit, type PostgresRateLimitOptions } from './budget/rate-limit.ts'
export {
  type PostgresLease,
  postgresSemaphore,
  type PostgresSemaphore,
  type PostgresSemaphoreOptions,
} from './budget/semaphore.ts'
export type { LimitDownEvent, LimitEvent, LimitUpEvent, SharedLimitOptions } from './budget/when-down.ts'
export { migrate, type MigrateOptions } from './jobs/migrate.ts'
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
} from './jobs/fleet.ts'
export {
  service,
  type CostEstimate,
  type FleetService,
  type JobContext,
  type PollFinding,
  type ServiceLimits,
  type ServiceOptions,
  type SharedLimit,
  type Sink,
  type WorkHandle,
} from './jobs/service.ts'
export {
  extractionService,
  mediaService,
  type AdapterOptions,
  type DocumentClient,
  type DocumentOf,
  type DocumentOptions,
  type DocumentSubmission,
  type GenerationClient,
  type GenerationOf,
  type TaskOf,
} from './jobs/adapters.ts'
export { folderSink, type DownloadableResult } from './jobs/sinks.ts'
export type { BatchEstimate, EnqueuedBatch } from './jobs/enqueue.ts'
export type {
  BatchStatus,
  CostSum,
  FleetStatus,
  JobStatus,
  ServiceStatus,
  WorkerStatus,
} from './report/status.ts'
export type { JobPhase } from './jobs/model.ts'
export type { Resolution } from './jobs/interventions.ts'
