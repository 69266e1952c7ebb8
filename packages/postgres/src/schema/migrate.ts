import { DatabaseError, isMissing } from '../database/database-error.ts'
import { rows, type Session, transaction } from '../database/database.ts'
import type { PostgresPool } from '../database/pool.ts'
import { type Schema, sql } from '../database/sql.ts'
import { type Migration, MIGRATIONS } from './migrations.ts'

export const DEFAULT_SCHEMA = 'concord'

/** The oldest version of PostgreSQL that pg-boss supports, in the format of the setting `server_version_num`. */
const OLDEST_SERVER = 130_000

/**
 * Creates a schema and its tables, or updates them, in one transaction. Any number of processes can do this
 * concurrently.
 *
 * @returns the version of the schema.
 */
export async function migrateWith(
  pool: PostgresPool,
  schema: Schema,
  steps: readonly Migration[],
  oldestServer = OLDEST_SERVER,
): Promise<number> {
  const newest = steps.length
  if ((await installedVersion(pool, schema)) === newest) return newest
  return transaction(pool, async (session) => {
    await checkServer(session, oldestServer)
    // Without this lock, processes that create a schema at the same time would conflict, even with `if not exists`.
    await session.rows(
      sql`select pg_advisory_xact_lock(hashtextextended(${`concord migrate ${schema.name}`}, 0))`,
    )
    const version = await currentVersion(session, schema)
    if (version > newest) throw tooNew(schema, version, newest)
    for (const [index, { title, statements }] of steps.entries()) {
      if (index < version) continue
      for (const statement of statements(schema)) await session.rows(statement)
      await session.rows(
        sql`insert into ${schema.table('migrations')} (version, title) values (${index + 1}, ${title})`,
      )
    }
    return newest
  })
}

/** Returns the version of a schema, or `undefined` if the schema doesn't exist. */
async function installedVersion(pool: PostgresPool, schema: Schema): Promise<number | undefined> {
  const known = await rows<VersionRow>(pool, versionOf(schema)).catch(isMissing)
  return known?.[0]?.version ?? undefined
}

/**
 * Checks that a schema exists and has the version that this package needs.
 *
 * @throws DatabaseError with the reason `schema` if not.
 */
export async function checkInstalled(pool: PostgresPool, schema: Schema): Promise<void> {
  const version = await installedVersion(pool, schema)
  const newest = MIGRATIONS.length
  if (version === newest) return
  if (version !== undefined && version > newest) throw tooNew(schema, version, newest)
  throw new DatabaseError(
    'schema',
    version === undefined
      ? `The database has no schema "${schema.name}" of @concord/postgres, so nothing can be shown or changed.`
      : `The schema "${schema.name}" has version ${version}, but this version of @concord/postgres needs schema version ${newest}.`,
    {
      remedy:
        version === undefined
          ? 'Check the database URL and the schema name.'
          : 'To update the schema, start a process that uses this version of the package, or run `migrate(pool, { schema })`.',
    },
  )
}

async function checkServer(session: Session, oldest: number): Promise<void> {
  const [row] = await session.rows<{ number: number; version: string }>(
    sql`select current_setting('server_version_num')::int as number, current_setting('server_version') as version`,
  )
  if (row!.number >= oldest) return
  throw new DatabaseError(
    'unsupported',
    `The server is PostgreSQL ${row!.version}, which @concord/postgres doesn't support.`,
    { remedy: `Use PostgreSQL ${Math.floor(oldest / 10_000)} or later. Nothing was changed.` },
  )
}

interface VersionRow {
  readonly version: number | null
}

const versionOf = (schema: Schema) => sql`select max(version) as version from ${schema.table('migrations')}`

async function currentVersion(session: Session, schema: Schema): Promise<number> {
  // PostgreSQL checks the right to create schemas even if the schema exists, so look for the schema first.
  const [found] = await session.rows(sql`select 1 from pg_namespace where nspname = ${schema.name}`)
  if (found === undefined) await session.rows(sql`create schema ${schema.self}`)
  await session.rows(
    sql`create table if not exists ${schema.table('migrations')} (
      version integer primary key,
      title text not null,
      applied_at timestamptz not null default now()
    )`,
  )
  const [row] = await session.rows<VersionRow>(versionOf(schema))
  return row?.version ?? 0
}

function tooNew(schema: Schema, version: number, newest: number): DatabaseError {
  return new DatabaseError(
    'schema',
    `The schema "${schema.name}" has version ${version}, but this version of @concord/postgres only supports schema versions up to ${newest}.`,
    {
      remedy:
        'Update @concord/postgres in this process, or pass another `schema`. Nothing was changed, because schemas cannot be downgraded.',
    },
  )
}

const done = new WeakMap<PostgresPool, Map<string, Promise<unknown>>>()

/** Migrates a schema once per pool. After a failure, the next call tries again. */
export async function migrated(pool: PostgresPool, schema: Schema): Promise<void> {
  let schemas = done.get(pool)
  if (schemas === undefined) done.set(pool, (schemas = new Map()))
  let running = schemas.get(schema.name)
  if (running === undefined) {
    running = migrateWith(pool, schema, MIGRATIONS)
    schemas.set(schema.name, running)
    running.catch(() => schemas.delete(schema.name))
  }
  await running
}
