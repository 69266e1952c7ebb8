import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import { startDatabaseServer } from '@concord/database'
import { createFleet } from '@concord/postgres'
import { Pool } from 'pg'

import { stubService, type StubTimes } from '../fleet/stub.ts'
import { type Cost, subjects } from '../fleet/subjects.ts'
import { type Figure, OURS, toFigure } from '../report.ts'
import type { Extent, Row } from '../row.ts'

const TIMES: StubTimes = { answerMs: 20, workMs: 200 }
const POLL_MS = 250
const CONCURRENCY = 32
const WORKER = join(import.meta.dirname, '..', 'fleet', 'worker.ts')

const PLANS: Readonly<
  Record<Extent, { readonly rounds: number; readonly jobs: number; readonly waiting: number }>
> = {
  full: { rounds: 3, jobs: 2_000, waiting: 100_000 },
  quick: { rounds: 1, jobs: 500, waiting: 20_000 },
  smoke: { rounds: 1, jobs: 20, waiting: 1_000 },
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const requests = (count: number) => Array.from({ length: count }, (_, index) => ({ index }))

/** Durable work beside plain queue handlers and one process. */
export const fleet: Row = {
  name: 'fleet',
  title: 'durable work through PostgreSQL: submit, wait and store against a service without a server',
  async run({ extent, progress }) {
    const { rounds, jobs, waiting } = PLANS[extent]
    await using server = await startDatabaseServer()
    const results = new Map<string, Cost[]>(Object.keys(subjects).map((name) => [name, []]))
    for (let round = 0; round < rounds; round++) {
      for (const [name, run] of Object.entries(subjects)) {
        progress(`fleet: ${name}, round ${round + 1} of ${rounds}`)
        const url = await server.createDatabase()
        const task = { url, jobs, times: TIMES, pollMs: POLL_MS, concurrency: CONCURRENCY }
        results.get(name)!.push(await run(task))
      }
    }
    const base = { results, targets: [], notes: [] }
    progress('fleet: workers')
    const figures: Figure[] = [
      toFigure({
        ...base,
        title: 'jobs a second',
        meaning: `${jobs} jobs, ${CONCURRENCY} requests at once, ${TIMES.answerMs} ms an answer, ${TIMES.workMs} ms of work; more is better`,
        unit: 'jobs/s',
        value: ({ seconds }) => jobs / seconds,
        compare: 'none',
      }),
      toFigure({
        ...base,
        title: 'round trips',
        meaning: 'to the database, from the first worker to the last result; less is better',
        unit: 'a job',
        value: ({ roundTrips }) => roundTrips / jobs,
        compare: 'none',
      }),
      toFigure({
        ...base,
        title: 'rows written',
        meaning: 'inserted, updated and deleted, enqueuing included; less is better',
        unit: 'a job',
        value: ({ rows }) => rows / jobs,
        compare: 'none',
      }),
      await measureMemory(await server.createDatabase(), waiting),
      await measureScaling(await server.createDatabase(), 2 * jobs, progress),
      await measureRecovery(await server.createDatabase()),
    ]
    return figures
  },
}

/** Starts a worker process, and waits until it has begun. */
async function startWorker(url: string, times = TIMES, schema = 'concord'): Promise<ChildProcess> {
  const settings = { url, schema, times, pollMs: POLL_MS, concurrency: CONCURRENCY }
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
    compare: 'none',
    targets: [],
    notes: [],
  })
}

/** The heap of a worker process with and without waiting jobs. */
async function measureMemory(url: string, waiting: number): Promise<Figure> {
  const pool = await prepare(url, waiting)
  await pool.query(
    `update concord.fleet_jobs set phase = 'waiting', remote = position::text, next_poll_at = now() + interval '1 day'`,
  )
  await pool.query(`truncate concord_queue.job`)
  const heap = async (schema: string): Promise<number> => {
    const worker = await startWorker(url, TIMES, schema)
    await sleep(3_000)
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
    'in the heap of a worker, beside one without jobs',
    'MiB',
    Math.max(0, mib),
  )
}

/** The time that one to four worker processes take. */
async function measureScaling(url: string, jobs: number, progress: (text: string) => void): Promise<Figure> {
  const results = new Map<string, number[]>()
  for (const count of [1, 2, 4]) {
    progress(`fleet: ${count} workers`)
    const schema = `workers_${count}`
    const pool = await prepare(url, jobs, schema)
    const startedAt = performance.now()
    const workers = await Promise.all(Array.from({ length: count }, () => startWorker(url, TIMES, schema)))
    for (;;) {
      const { rows } = await pool.query(`select 1 from ${schema}.fleet_jobs where phase <> 'done' limit 1`)
      if (rows.length === 0) break
      await sleep(50)
    }
    results.set(count === 1 ? OURS : `${count} workers`, [jobs / ((performance.now() - startedAt) / 1000)])
    for (const worker of workers) await end(worker)
    await pool.end()
  }
  return toFigure({
    title: 'workers',
    meaning:
      'jobs a second of 1, 2 and 4 worker processes, their start included; the first line is one worker',
    unit: 'jobs/s',
    results,
    value: (each) => each,
    compare: 'speed',
    targets: [],
    notes: [],
  })
}

/** From the death of a worker to the moment when nothing of it is left. */
async function measureRecovery(url: string): Promise<Figure> {
  const pool = await prepare(url, 2 * CONCURRENCY)
  const slow = { ...TIMES, answerMs: 60_000 }
  const victim = await startWorker(url, slow)
  const held = async (): Promise<number> => {
    const { rows } = await pool.query(
      `select count(*)::int as count from concord.fleet_jobs where phase = 'submitting' and worker = 1`,
    )
    return (rows[0] as { count: number }).count
  }
  while ((await held()) < CONCURRENCY) await sleep(20)
  const survivor = await startWorker(url)
  await sleep(1_000)
  const startedAt = performance.now()
  await end(victim)
  while ((await held()) > 0) await sleep(20)
  const seconds = (performance.now() - startedAt) / 1000
  await end(survivor)
  await pool.end()
  return single(
    'recovery',
    'from a kill until another worker has taken over, with the default term of 10 s',
    's',
    seconds,
  )
}
