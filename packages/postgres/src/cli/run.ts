import { writeFile } from 'node:fs/promises'

import { ConcordError } from '@concord/runtime'

import { rows } from '../database/database.ts'
import { Schema, sql } from '../database/sql.ts'
import type { PostgresPool } from '../database/pool.ts'
import { toHtml } from '../report/html.ts'
import { readStatus } from '../report/status.ts'
import { toText } from '../report/text.ts'
import { checkInstalled, DEFAULT_SCHEMA } from '../schema/migrate.ts'
import { openPool } from '../jobs/fleet.ts'
import { CANCELED_FROM, Interventions, RETRIED } from '../jobs/interventions.ts'
import { PHASE_NAMES, type JobPhase } from '../jobs/model.ts'
import { countTargets, findTargets } from '../jobs/targets.ts'
import { Tickets } from '../jobs/tickets.ts'
import { HELP, parseInvocation, UsageError, type Command } from './options.ts'

type Help = { readonly name: 'help' }
type Reading = Extract<Command, { readonly json: boolean }>

export interface Output {
  print(text: string): void
  complain(text: string): void
}

/** @returns the exit code: 0 for success, 1 for a failure, or 2 for a mistake in the command line. */
export async function run(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  output: Output,
): Promise<number> {
  try {
    const { command, database, schema } = parseInvocation(words)
    if (command.name === 'help') {
      output.print(HELP)
      return 0
    }
    const connectionString = database ?? environment['DATABASE_URL']
    if (connectionString === undefined || connectionString === '')
      throw new UsageError('Set DATABASE_URL to the URL of the database, or pass the URL with --database.')
    const { pool, end } = openPool({ connectionString })
    try {
      await execute(command, pool, new Schema(schema ?? DEFAULT_SCHEMA), output)
      return 0
    } finally {
      await end()
    }
  } catch (error) {
    // Prints only messages, because other fields of errors can contain the database URL with its password.
    if (error instanceof UsageError) output.complain(`concord-fleet: ${error.message}\n\n${HELP}`)
    else
      output.complain(
        `concord-fleet: ${ConcordError.is(error) || error instanceof Error ? error.message : 'the command failed'}`,
      )
    return error instanceof UsageError ? 2 : 1
  }
}

async function execute(command: Exclude<Command, Help>, pool: PostgresPool, schema: Schema, output: Output) {
  // Doesn't create a missing schema. Otherwise, a wrong URL would create tables in another database.
  await checkInstalled(pool, schema)
  if ('json' in command) {
    const status = await readStatus(pool, schema)
    if (command.name === 'status')
      return output.print(command.json ? `${JSON.stringify(status, undefined, 2)}\n` : toText(status))
    await writeFile(command.out, toHtml(status))
    return output.print(`Wrote ${command.out}\n`)
  }
  const services = await rows<{ service: string }>(
    pool,
    sql`select distinct service from ${schema.table('fleet_batches')}`,
  )
  const tickets = new Tickets(
    pool,
    schema,
    services.map(({ service }) => service),
  )
  if (services.length > 0) await tickets.start()
  try {
    const interventions = new Interventions(pool, schema, tickets)
    output.print(`${await intervene(interventions, command, pool, schema)}\n`)
  } finally {
    await tickets.stop()
  }
}

async function intervene(
  interventions: Interventions,
  command: Exclude<Command, Help | Reading>,
  pool: PostgresPool,
  schema: Schema,
): Promise<string> {
  if ('job' in command) {
    await interventions.resolve(command.job, command.resolution)
    return `Resolved ${command.job}: ${RESOLVED[typeof command.resolution === 'string' ? command.resolution : 'accepted']}.`
  }
  const targets = await findTargets(pool, schema, command.names)
  const before = await countTargets(pool, schema, targets)
  if (command.name === 'retry')
    return [`Will retry ${jobs(await interventions.retry(targets))}.`, ...leftAlone(before, RETRIED)].join(
      '\n',
    )
  const { unsent, sent } = await interventions.cancel(targets)
  const lines = [
    ...(unsent > 0 ? [`Canceled ${jobs(unsent)} that had not been submitted.`] : []),
    ...(sent > 0
      ? [`Workers will cancel ${jobs(sent)} that had been submitted, if the service can cancel work.`]
      : []),
    ...leftAlone(before, CANCELED_FROM),
  ]
  return unsent + sent === 0 ? ['Nothing to cancel.', ...lines].join('\n') : lines.join('\n')
}

const RESOLVED = {
  accepted: 'a worker will poll the id that you passed',
  'not-sent': 'a worker will submit it',
  abandon: 'it counts as failed',
} as const

const jobs = (count: number): string => `${count} ${count === 1 ? 'job' : 'jobs'}`

/** Returns a line that counts, by phase, the chosen jobs that weren't changed. */
function leftAlone(
  counts: Awaited<ReturnType<typeof countTargets>>,
  changed: readonly JobPhase[],
): readonly string[] {
  const names = { ...PHASE_NAMES, canceling: 'already being canceled', uncertain: 'uncertain (see resolve)' }
  const left = (Object.keys(names) as (keyof typeof names)[])
    .filter((phase) => (counts[phase] ?? 0) > 0 && !changed.some((each) => each === phase))
    .map((phase) => `${counts[phase]} ${names[phase]}`)
  return left.length === 0 ? [] : [`Left alone: ${left.join(', ')}.`]
}
