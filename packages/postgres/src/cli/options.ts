import { parseArgs } from 'node:util'

import type { Selection, Resolution } from '../jobs/interventions.ts'

/** A command of the command line. */
export type Command =
  | { readonly name: 'help' }
  | { readonly name: 'status' | 'report'; readonly json: boolean; readonly out: string }
  | { readonly name: 'retry'; readonly selection: Selection }
  | { readonly name: 'cancel'; readonly selection: Selection }
  | { readonly name: 'resolve'; readonly job: string; readonly resolution: Resolution }

/** The parsed command line. */
export interface Invocation {
  readonly command: Command
  readonly database: string | undefined
  readonly schema: string | undefined
}

/** A mistake in the command line. */
export class UsageError extends Error {}

export const HELP = `concord-fleet: shows and controls the durable work of a fleet

  concord-fleet status [--json]             progress, rate, longest wait, cost, and what needs attention.
  concord-fleet report [--out FILE]         the same as one HTML page; default fleet.html.
  concord-fleet retry WHAT...               submits failed and denied jobs again (which can cost again), and retries storing
                                            unstored results. Awaits expired jobs again, or submits them if they never
                                            were. Uncertain jobs are left alone.
  concord-fleet cancel WHAT...              cancels jobs, including submitted ones.
  concord-fleet resolve JOB --accepted ID   the service accepted an uncertain or expired job under this id: wait for it.
  concord-fleet resolve JOB --not-sent      the service doesn't have the job: submit it.
  concord-fleet resolve JOB --abandon       abandon the job.

WHAT is a job (media/boats/17), a batch (media/boats), or --all.

  --database URL    default: the environment variable DATABASE_URL, which keeps the password out of the process list.
  --schema NAME     default: concord.
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
        json: { type: 'boolean', default: false },
        out: { type: 'string', default: 'fleet.html' },
        all: { type: 'boolean', default: false },
        accepted: { type: 'string' },
        'not-sent': { type: 'boolean', default: false },
        abandon: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
  const { values, positionals } = parsed
  const [name = 'help', ...rest] = positionals
  const { database, schema } = values
  const common = { database, schema }
  if (values.help || name === 'help') return { ...common, command: { name: 'help' } }
  if (name === 'status' || name === 'report') {
    if (rest.length > 0) throw new UsageError(`${name} takes no names.`)
    return { ...common, command: { name, json: values.json, out: values.out } }
  }
  if (name === 'retry' || name === 'cancel') {
    const selection = selectionOf(rest, values.all)
    return { ...common, command: { name, selection } }
  }
  if (name === 'resolve')
    return { ...common, command: { name, job: jobOf(rest), resolution: resolutionOf(values) } }
  throw new UsageError(`There is no command ${JSON.stringify(name)}.`)
}

function selectionOf(words: readonly string[], all: boolean): Selection {
  if (words.length === 0 && !all)
    throw new UsageError('Name jobs (media/boats/17) or batches (media/boats), or pass --all.')
  for (const word of words) {
    if (!word.includes('/'))
      throw new UsageError(
        `${JSON.stringify(word)} is neither a job (media/boats/17) nor a batch (media/boats).`,
      )
  }
  // A batch name can look like a job name, so each word is treated as both.
  return { all, batches: words, jobs: words }
}

function jobOf(words: readonly string[]): string {
  const [job] = words
  if (job === undefined || words.length > 1) throw new UsageError('Name one job, such as media/boats/17.')
  return job
}

function resolutionOf(values: {
  readonly accepted?: string | undefined
  readonly 'not-sent': boolean
  readonly abandon: boolean
}): Resolution {
  const chosen: Resolution[] = []
  if (values.accepted !== undefined && values.accepted !== '') chosen.push({ acceptedAs: values.accepted })
  if (values['not-sent']) chosen.push('not-sent')
  if (values['abandon']) chosen.push('abandon')
  if (chosen.length !== 1) throw new UsageError('Pass one of --accepted ID, --not-sent and --abandon.')
  return chosen[0]!
}
