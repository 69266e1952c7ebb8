import { OptionsError } from '@concord/runtime'
import { checkOptionNames, type OptionNames } from '@concord/runtime/internal'

import { poolOption, type PostgresPool } from '../database/pool.ts'
import { Schema } from '../database/sql.ts'
import { DEFAULT_SCHEMA, migrateWith } from '../schema/migrate.ts'
import { MIGRATIONS } from '../schema/migrations.ts'
import { checkServiceName } from './fleet.ts'
import { Tickets } from './tickets.ts'

/** Options of {@link migrate}. @public */
export interface MigrateOptions {
  /** The name of the schema. Fleets with different schemas share nothing. Default: `concord`. */
  readonly schema?: string
  /** The names of a fleet's services, such as `['media']`. Their queues are created or updated too. Default: none. */
  readonly services?: readonly string[]
}

const NAMES: OptionNames<MigrateOptions> = { schema: true, services: true }

/**
 * Creates the schema and its tables, or updates them to the version that this package needs. With `services`, also
 * creates or updates the queues of these services. Token stores, limits and fleets create or update what they need on
 * first use. So you need this function only if your processes' database user isn't allowed to create tables. Then
 * call it during deployment, as a user with this right.
 *
 * All steps run under locks, so any number of processes can call this function at once. A migration can't be undone.
 *
 * @returns The version of the schema.
 * @throws DatabaseError with reason `schema` if a newer version of this package created or updated the schema or the
 * queues. `migrate` then leaves them unchanged.
 * @throws DatabaseError with reason `unsupported` if the server is older than PostgreSQL 13. Nothing is changed then.
 * @throws OptionsError if `pool` is not a pool, or an option is invalid.
 * @public
 */
export async function migrate(pool: PostgresPool, options: MigrateOptions = {}): Promise<number> {
  checkOptionNames(options, NAMES, 'options')
  const { services = [] } = options
  if (!Array.isArray(services))
    throw new OptionsError(
      'services',
      'must be an array of service names.',
      "Pass an array such as ['media'].",
    )
  for (const name of services) checkServiceName(name)
  const usable = poolOption(pool)
  const schema = new Schema(options.schema ?? DEFAULT_SCHEMA)
  const version = await migrateWith(usable, schema, MIGRATIONS)
  if (services.length > 0) await createQueues(usable, schema, services)
  return version
}

async function createQueues(pool: PostgresPool, schema: Schema, services: readonly string[]): Promise<void> {
  const tickets = new Tickets(pool, schema, services)
  try {
    await tickets.start()
  } finally {
    await tickets.stop()
  }
}
