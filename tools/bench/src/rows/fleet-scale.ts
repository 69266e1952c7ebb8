import { startDatabaseServer } from '@concord/database'
import { virtualClock } from '@concord/runtime/testing'

import { countedPool } from '../fleet/counted-pool.ts'
import { type Cost, runFleet } from '../fleet/subjects.ts'
import { OURS, toFigure } from '../report.ts'
import type { Extent, Row } from '../row.ts'

const SIZES: Readonly<Record<Extent, readonly number[]>> = {
  full: [10_000, 100_000, 1_000_000],
  quick: [10_000, 30_000],
  smoke: [100],
}

interface Measured extends Cost {
  readonly secondsEnqueued: number
  readonly jobs: number
  readonly tableMib: number
}

export const fleetScale: Row = {
  name: 'fleet-scale',
  title: 'up to 1,000,000 jobs of a fleet, with a real database and a virtual clock',
  async run({ extent, progress, server: shared }) {
    const results = new Map<string, Measured[]>()
    for (const jobs of SIZES[extent]) {
      progress(`fleet-scale: ${jobs} jobs`)
      await using own = shared === undefined ? await startDatabaseServer() : undefined
      const server = (shared ?? own)!
      results.set(results.size === 0 ? OURS : `${jobs} jobs`, [
        await measure(await server.createDatabase(), jobs),
      ])
    }
    const base = { results, notes: [`the first line is for ${SIZES[extent][0]} jobs`] }
    return [
      toFigure({
        ...base,
        title: 'cost',
        meaning:
          'time per job, from the start of the worker to the last result, and relative to the first size; the goal is a ratio of at most 1.2',
        unit: 'ms',
        value: ({ seconds, jobs }) => (1000 * seconds) / jobs,
        compare: 'cost',
      }),
      toFigure({
        ...base,
        title: 'enqueuing',
        meaning: 'time per job, and relative to the first size',
        unit: 'ms',
        value: ({ secondsEnqueued, jobs }) => (1000 * secondsEnqueued) / jobs,
        compare: 'cost',
      }),
      toFigure({
        ...base,
        title: 'total',
        meaning: 'real time from the start of the worker to the last result',
        unit: 's',
        value: ({ seconds }) => seconds,
      }),
      toFigure({
        ...base,
        title: 'rows',
        meaning: 'written per job',
        unit: '',
        value: ({ rows, jobs }) => rows / jobs,
      }),
      toFigure({
        ...base,
        title: 'tables',
        meaning: 'all tables and indexes at the end',
        unit: 'MiB',
        value: ({ tableMib }) => tableMib,
      }),
    ]
  },
}

async function measure(url: string, jobs: number): Promise<Measured> {
  using clock = virtualClock()
  await using counted = countedPool(url)
  const work = { jobs, times: { responseMs: 0, workMs: 10 * 60_000 }, pollMs: 6 * 60_000 }
  const cost = await runFleet(counted, work, { concurrency: 512, term: '10m' }, clock)
  const { rows } = await counted.pool.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(relid)) as bytes from pg_stat_user_tables`,
  )
  return { ...cost, jobs, tableMib: Number(rows[0]!.bytes) / 2 ** 20 }
}
