import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { startDatabaseServer } from '@concord/database'
import { createFleet } from '@concord/postgres'
import { Pool } from 'pg'

import { stubService, type StubTimes } from '../fleet/stub.ts'
import { subjects } from '../fleet/subjects.ts'
import { interleave } from '../measure.ts'
import { type Figure, OURS, toFigure } from '../report.ts'
import type { Extent, Row } from '../row.ts'

const TIMES: StubTimes = { responseMs: 20, workMs: 200 }
const POLL_MS = 250
const CONCURRENCY = 32
const WORKER = join(import.meta.dirname, '..', 'fleet', 'worker.ts')

/** Limits each worker to 20 requests per second (4 every 200 ms), so that a few cores are enough for all workers. */
const SMALL = { times: { responseMs: 200, workMs: 200 }, concurrency: 4 } as const

interface Plan {
  readonly rounds: number
  readonly jobs: number
  readonly waiting: number
  /** The number of jobs in each measurement of {@link measureScaling}. */
  readonly scaled: number
  readonly workers: readonly number[]
  /** If a worker sends no heartbeat for this time, other workers take over its jobs. */
  readonly termMs: number
  /** How long a worker runs before its memory is measured. */
  readonly settleMs: number
}

const PLANS: Readonly<Record<Extent, Plan>> = {
  full: {
    rounds: 3,
    jobs: 2_000,
    waiting: 100_000,
    scaled: 600,
    workers: [1, 2, 4],
    termMs: 10_000,
    settleMs: 3_000,
  },
  quick: {
    rounds: 1,
    jobs: 500,
    waiting: 20_000,
    scaled: 300,
    workers: [1, 2, 4],
    termMs: 10_000,
    settleMs: 3_000,
  },
  smoke: { rounds: 1, jobs: 20, waiting: 1_000, scaled: 4, workers: [1, 2], termMs: 200, settleMs: 200 },
}

const requests = (count: number) => Array.from({ length: count }, (_, index) => ({ index }))

export const fleet: Row = {
  name: 'fleet',
  title: 'durable work through PostgreSQL: submit, wait and store, against a stub of a service',
  async run({ extent, progress, server: shared }) {
    const plan = PLANS[extent]
    const { jobs } = plan
    await using own = shared === undefined ? await startDatabaseServer() : undefined
    const server = (shared ?? own)!
    const task = { jobs, times: TIMES, pollMs: POLL_MS, concurrency: CONCURRENCY }
    const results = await interleave(
      new Map(Object.entries(subjects)),
      async (run) => run({ ...task, url: await server.createDatabase() }),
      { rounds: plan.rounds, progress, what: 'fleet' },
    )
    progress('fleet: workers')
    return [
      toFigure({
        results,
        title: 'jobs per second',
        meaning: `${jobs} jobs, ${CONCURRENCY} requests at once, ${TIMES.responseMs} ms per response, ${TIMES.workMs} ms of work per job; more is better`,
        unit: 'jobs/s',
        value: ({ seconds }) => jobs / seconds,
      }),
      toFigure({
        results,
        title: 'round trips',
        meaning: 'to the database, from the start of the first worker to the last result; less is better',
        unit: 'per job',
        value: ({ roundTrips }) => roundTrips / jobs,
      }),
      toFigure({
        results,
        title: 'rows written',
        meaning: 'inserted, updated and deleted, enqueuing included; less is better',
        unit: 'per job',
        value: ({ rows }) => rows / jobs,
      }),
      await measureMemory(await server.createDatabase(), plan),
      await measureScaling(await server.createDatabase(), plan, progress),
      await measureRecovery(await server.createDatabase(), plan),
    ]
  },
}

interface WorkerSettings {
  readonly schema: string
  readonly times: StubTimes
  readonly concurrency: number
  readonly termMs: number
}

/** Waits until the worker is ready. */
async function startWorker(url: string, own: Partial<WorkerSettings> = {}): Promise<ChildProcess> {
  const common = { schema: 'concord', times: TIMES, concurrency: CONCURRENCY, termMs: 10_000 }
  const settings = { url, pollMs: POLL_MS, ...common, ...own }
  const worker = fork(WORKER, [JSON.stringify(settings)], { execArgv: [...process.execArgv, '--expose-gc'] })
  await once(worker, 'message')
  return worker
}

async function end(worker: ChildProcess): Promise<void> {
  worker.kill('SIGKILL')
  await once(worker, 'exit')
}

async function prepare(url: string, count: number, schema = 'concord'): Promise<Pool> {
  const pool = new Pool({ connectionString: url })
  pool.on('error', () => undefined)
  await using queue = createFleet({
    pool,
    schema,
    services: { stub: stubService(TIMES, { pollMs: POLL_MS }) },
  })
  await queue.stub.enqueue(requests(count))
  return pool
}

function single(title: string, meaning: string, unit: string, value: number): Figure {
  const results = new Map([[OURS, [value]]])
  return toFigure({
    title,
    meaning,
    unit,
    results,
    value: (each) => each,
  })
}

async function measureMemory(url: string, { waiting, settleMs }: Plan): Promise<Figure> {
  const pool = await prepare(url, waiting)
  await pool.query(
    `update concord.fleet_jobs set phase = 'waiting', remote = position::text, next_poll_at = now() + interval '1 day'`,
  )
  await pool.query(`truncate concord_queue.job`)
  const heap = async (schema: string): Promise<number> => {
    const worker = await startWorker(url, { schema })
    await delay(settleMs)
    worker.send('heap')
    const [bytes] = (await once(worker, 'message')) as [number]
    await end(worker)
    return bytes
  }
  const loaded = await heap('concord')
  const empty = await heap('another')
  await pool.end()
  const mib = ((loaded - empty) / 2 ** 20) * (100_000 / waiting)
  return single(
    'memory of 100,000 waiting jobs',
    'in the heap of a worker, compared with a worker without jobs',
    'MiB',
    Math.max(0, mib),
  )
}

async function measureScaling(
  url: string,
  { scaled, workers: counts }: Plan,
  progress: (text: string) => void,
): Promise<Figure> {
  const results = new Map<string, number[]>()
  for (const count of counts) {
    progress(`fleet: ${count} workers`)
    const schema = `workers_${count}`
    const pool = await prepare(url, 0, schema)
    const workers = await Promise.all(
      Array.from({ length: count }, () => startWorker(url, { schema, ...SMALL })),
    )
    const rowsOf = async (text: string): Promise<number> => (await pool.query(text)).rowCount ?? 0
    while ((await rowsOf(`select 1 from ${schema}.fleet_workers`)) < count) await delay(20)
    const startedAt = performance.now()
    await (await prepare(url, scaled, schema)).end()
    while ((await rowsOf(`select 1 from ${schema}.fleet_jobs where phase <> 'done' limit 1`)) > 0)
      await delay(20)
    results.set(count === 1 ? OURS : `${count} workers`, [scaled / ((performance.now() - startedAt) / 1000)])
    for (const worker of workers) await end(worker)
    await pool.end()
  }
  const { concurrency, times } = SMALL
  return toFigure({
    title: 'workers',
    meaning:
      `jobs per second with ${counts.join(', ')} worker processes, averaged over the time from enqueuing ${scaled} jobs to the last result; ` +
      `each process sends ${concurrency} requests at once, and a response takes ${times.responseMs} ms; the first line is for one worker`,
    unit: 'jobs/s',
    results,
    value: (each) => each,
    compare: 'speed',
    notes: [`on ${availableParallelism()} cores, which the database and the workers share`],
  })
}

async function measureRecovery(url: string, { termMs }: Plan): Promise<Figure> {
  const pool = await prepare(url, 2 * CONCURRENCY)
  const victim = await startWorker(url, { times: { ...TIMES, responseMs: 60_000 }, termMs })
  const held = async (): Promise<number> => {
    const { rows } = await pool.query(
      `select count(*)::int as count from concord.fleet_jobs where phase = 'submitting' and worker = 1`,
    )
    return (rows[0] as { count: number }).count
  }
  while ((await held()) < CONCURRENCY) await delay(20)
  const survivor = await startWorker(url, { termMs })
  await delay(Math.min(1_000, termMs))
  const startedAt = performance.now()
  await end(victim)
  while ((await held()) > 0) await delay(20)
  const seconds = (performance.now() - startedAt) / 1000
  await end(survivor)
  await pool.end()
  return single(
    'recovery',
    `from the death of a worker until another worker has taken over all of its jobs; a worker loses its jobs after ${termMs / 1000} s without a heartbeat`,
    's',
    seconds,
  )
}
