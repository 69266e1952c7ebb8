import { OptionsError } from '@concord/runtime'

import { rows } from '../database/database.ts'
import type { PostgresPool } from '../database/pool.ts'
import { type Schema, sql, type Statement } from '../database/sql.ts'
import type { JobKey, JobPhase } from './model.ts'

export interface Targets {
  /** The chosen batches, or `undefined` for all batches. */
  readonly batches: readonly number[] | undefined
  /** Jobs chosen individually, in addition to the batches. */
  readonly jobs: readonly JobKey[]
}

/**
 * Finds the batches and jobs that `names` lists, such as `media/boats` (a batch) or `media/boats/17` (a job). A batch
 * can be named `boats/17`, so `media/boats/17` can match both a job and a batch.
 *
 * @throws OptionsError if a name matches neither a batch nor a job.
 */
export async function findTargets(
  pool: PostgresPool,
  schema: Schema,
  names: readonly string[] | 'all',
): Promise<Targets> {
  if (names === 'all') return { batches: undefined, jobs: [] }
  const parts = names.flatMap((name) => {
    const [, batch, position] = /^(.+)\/(\d{1,9})$/s.exec(name) ?? []
    return batch === undefined ? [] : [{ name, batch, position: Number(position) }]
  })
  const found = await rows<{ name: string; batch: number; position: number | null }>(
    pool,
    sql`
      select b.service || '/' || b.name as name, b.id as batch, null::int as position
      from ${schema.table('fleet_batches')} b where b.service || '/' || b.name = any(${names}::text[])
      union all
      select p.name, j.batch, j.position
      from json_to_recordset(${JSON.stringify(parts)}::json) as p(name text, batch text, position int)
      join ${schema.table('fleet_batches')} b on b.service || '/' || b.name = p.batch
      join ${schema.table('fleet_jobs')} j on j.batch = b.id and j.position = p.position`,
  )
  const missing = names.filter((name) => !found.some((each) => each.name === name))
  if (missing.length > 0)
    throw new OptionsError(
      'what',
      `Unknown ${missing.length === 1 ? 'batch or job' : 'batches or jobs:'} ${missing.map((name) => JSON.stringify(name)).join(', ')}. Nothing was changed.`,
      'Pass names such as media/boats (a batch) or media/boats/17 (a job); `concord-fleet status` lists the batches.',
    )
  return {
    batches: found.flatMap(({ batch, position }) => (position === null ? batch : [])),
    jobs: found.flatMap(({ batch, position }) => (position === null ? [] : { batch, position })),
  }
}

/** Counts the chosen jobs in each phase. Jobs that a worker has yet to cancel are counted as `canceling`. */
export async function countTargets(
  pool: PostgresPool,
  schema: Schema,
  targets: Targets,
): Promise<Readonly<Partial<Record<JobPhase | 'canceling', number>>>> {
  const found = await rows<{ phase: JobPhase; count: number }>(
    pool,
    sql`
      select case when j.cancel_asked and j.phase in ('submitting', 'waiting') then 'canceling' else j.phase end as phase,
        count(*)::int as count
      from ${schema.table('fleet_jobs')} j
      where ${isChosen(targets)} group by 1`,
  )
  return Object.fromEntries(found.map(({ phase, count }) => [phase, count]))
}

/** Returns an SQL condition for the jobs table, whose alias must be `j`. */
export function isChosen({ batches, jobs }: Targets): Statement {
  return sql`(${batches === undefined} or j.batch = any(${batches ?? []}::int[]) or (j.batch, j.position) in (
    select k.batch, k.position from json_to_recordset(${JSON.stringify(jobs)}::json) as k(batch int, position int)))`
}

const LAST = 2 ** 31 - 1

/** Returns the first and last keys that the chosen jobs can have. A query then reads only this range of the index. */
export function rangeOf({ batches, jobs }: Targets): { readonly first: JobKey; readonly last: JobKey } {
  if (batches === undefined)
    return { first: { batch: 0, position: 0 }, last: { batch: LAST, position: LAST } }
  const keys = [
    ...batches.flatMap((batch) => [
      { batch, position: 0 },
      { batch, position: LAST },
    ]),
    ...jobs,
  ]
  keys.sort((a, b) => a.batch - b.batch || a.position - b.position)
  const none = { batch: 0, position: 0 }
  return { first: keys[0] ?? none, last: keys.at(-1) ?? none }
}
