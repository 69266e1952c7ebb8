import { parseArgs } from 'node:util'

import type { Resolution } from '../jobs/interventions.ts'

export type Command =
  | { readonly name: 'help' }
  | { readonly name: 'status' | 'report'; readonly json: boolean; readonly out: string }
  | { readonly name: 'retry' | 'cancel'; readonly names: readonly string[] | 'all' }
  | { readonly name: 'resolve'; readonly job: string; readonly resolution: Resolution }

interface Invocation {
  readonly command: Command
  readonly database: string | undefined
  readonly schema: string | undefined
}

export class UsageError extends Error {}

export const HELP = `concord-fleet: shows and controls the durable work of a fleet

  concord-fleet status [--json]             prints progress, rate, longest wait, cost, and jobs that need attention.
  concord-fleet report [--out FILE]         writes the same information to an HTML file. Default: fleet.html.
  concord-fleet retry WHAT...               submits failed and denied jobs again, which may be charged again. Tries
                                            again to store results that weren't stored. Workers wait again for
                                            expired jobs that the service accepted, and submit other expired jobs.
                                            Leaves uncertain jobs alone.
  concord-fleet cancel WHAT...              cancels jobs. Workers cancel submitted jobs at the service, if the
                                            service can cancel work. Leaves uncertain jobs alone.
  concord-fleet resolve JOB --accepted ID   records that the service accepted the job as ID. Workers then wait for it.
  concord-fleet resolve JOB --not-sent      records that the service doesn't have the job. A worker then submits it.
  concord-fleet resolve JOB --abandon       ends the job as failed.

WHAT is a job (media/boats/17), a batch (media/boats), or --all. JOB is an uncertain or expired job.
A job expires when its deadline passes.

  --database URL    Default: the environment variable DATABASE_URL, which keeps the password out of the process list.
  --schema NAME     Default: concord.
`

/** @throws UsageError */
export function parseInvocation(words: readonly string[]): Invocation {
  let parsed
  try {
    parsed = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        database: { type: 'string' },
        schema: { type: 'string' },
        json: { type: 'boolean' },
        out: { type: 'string' },
        all: { type: 'boolean' },
        accepted: { type: 'string' },
        'not-sent': { type: 'boolean' },
        abandon: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
  } catch (error) {
    // Node's message continues with advice about names that begin with a dash. No job or batch has such a name.
    throw new UsageError((error as Error).message.replace(/\. To specify a positional argument.*$/s, '.'))
  }
  const { values, positionals } = parsed
  const [name = 'help', ...rest] = positionals
  const { database, schema } = values
  const common = { database, schema }
  checkOptions(name, values)
  if (values.help === true || name === 'help') return { ...common, command: { name: 'help' } }
  if (name === 'status' || name === 'report') {
    if (rest.length > 0) throw new UsageError(`The command \`${name}\` takes no names of jobs or batches.`)
    return { ...common, command: { name, json: values.json === true, out: values.out ?? 'fleet.html' } }
  }
  if (name === 'retry' || name === 'cancel') {
    return { ...common, command: { name, names: namesOf(rest, values.all === true) } }
  }
  if (name === 'resolve')
    return { ...common, command: { name, job: jobOf(rest), resolution: resolutionOf(values) } }
  throw new UsageError(`Unknown command \`${name}\`. Valid commands: ${Object.keys(OWN).join(', ')}, help.`)
}

/** The options of each command, in addition to `SHARED`. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  status: ['json'],
  report: ['out'],
  retry: ['all'],
  cancel: ['all'],
  resolve: ['accepted', 'not-sent', 'abandon'],
}
const SHARED = ['database', 'schema', 'help']

/** @throws UsageError for an option that belongs to another command, and so would have no effect. */
function checkOptions(command: string, values: Readonly<Record<string, unknown>>): void {
  const own = OWN[command]
  if (own === undefined) return
  const foreign = Object.keys(values).find((name) => !own.includes(name) && !SHARED.includes(name))
  if (foreign !== undefined) throw new UsageError(`The command \`${command}\` has no option --${foreign}.`)
}

function namesOf(words: readonly string[], all: boolean): readonly string[] | 'all' {
  if (all && words.length > 0)
    throw new UsageError('Pass either the names of jobs or batches, or --all, not both.')
  if (all) return 'all'
  if (words.length === 0)
    throw new UsageError(
      'Pass the names of jobs (such as media/boats/17) or batches (such as media/boats), or pass --all.',
    )
  for (const word of words) {
    if (!word.includes('/'))
      throw new UsageError(
        `${JSON.stringify(word)} isn't the name of a job (such as media/boats/17) or a batch (such as media/boats). For all jobs, pass --all.`,
      )
  }
  return words
}

function jobOf(words: readonly string[]): string {
  const [job] = words
  if (job === undefined || words.length > 1)
    throw new UsageError('Pass the name of one job, such as media/boats/17.')
  return job
}

function resolutionOf(values: {
  readonly accepted?: string | undefined
  readonly 'not-sent'?: boolean | undefined
  readonly abandon?: boolean | undefined
}): Resolution {
  const chosen: Resolution[] = []
  if (values.accepted !== undefined && values.accepted !== '') chosen.push({ acceptedAs: values.accepted })
  if (values['not-sent'] === true) chosen.push('not-sent')
  if (values.abandon === true) chosen.push('abandon')
  if (chosen.length !== 1)
    throw new UsageError('Pass exactly one of --accepted ID, --not-sent and --abandon.')
  return chosen[0]!
}
