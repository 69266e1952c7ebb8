import { setTimeout as delay } from 'node:timers/promises'

import { createFleet, type WorkOptions } from '@concord/postgres'
import type { VirtualClock } from '@concord/runtime/testing'
import { PgBoss } from 'pg-boss'

import { countedPool, rowsWritten } from './counted-pool.ts'
import { stubCalls, stubService, type StubTimes } from './stub.ts'

/** The work that all subjects do. */
export interface Task {
  readonly url: string
  readonly jobs: number
  readonly times: StubTimes
  readonly pollMs: number
  readonly concurrency: number
}

export interface Cost {
  readonly seconds: number
  readonly roundTrips: number
  readonly rows: number
}

const indices = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

/**
 * The implementations that the bench compares. Each of them submits each job, waits for it and stores its result.
 * The time and the round trips don't include enqueuing the jobs; the number of written rows does.
 */
export const subjects: Readonly<Record<string, (task: Task) => Promise<Cost>>> = {
  /** Without a database: if the process ends, its jobs are lost. */
  async 'one process'({ jobs, times, pollMs, concurrency }) {
    const calls = stubCalls(times, Date.now)
    const queue = indices(jobs)
    const startedAt = performance.now()
    const waits: Promise<void>[] = []
    const wait = async (id: string): Promise<void> => {
      do await delay(pollMs)
      while (!(await calls.poll(id)))
      await calls.store(id)
    }
    const submit = async (): Promise<void> => {
      for (let index = queue.shift(); index !== undefined; index = queue.shift())
        waits.push(wait(await calls.submit(index)))
    }
    await Promise.all(indices(concurrency).map(submit))
    await Promise.all(waits)
    return { seconds: (performance.now() - startedAt) / 1000, roundTrips: 0, rows: 0 }
  },

  /**
   * Each job's handler submits the work and waits until it has ended. If the process dies, pg-boss calls the handler
   * again, so the work is submitted twice.
   */
  async 'plain pg-boss'({ url, jobs, times, pollMs, concurrency }) {
    const calls = stubCalls(times, Date.now)
    await using counted = countedPool(url)
    const boss = new PgBoss({
      schema: 'plain',
      db: {
        executeSql: async (text: string, values?: unknown[]) => {
          const client = await counted.connect()
          try {
            const result: unknown = await client.query({ text, values: values ?? [] })
            return { rows: [result].flat().flatMap((each) => (each as { rows: unknown[] }).rows) }
          } finally {
            client.release()
          }
        },
      },
    })
    boss.on('error', () => undefined)
    await boss.start()
    await boss.createQueue('jobs')
    const rowsBefore = await rowsWritten(counted.pool)
    await boss.insert(
      'jobs',
      indices(jobs).map((index) => ({ data: { index } })),
    )
    const before = counted.roundTrips
    const startedAt = performance.now()
    const done = Promise.withResolvers<void>()
    let left = jobs
    const options = { batchSize: 1, localConcurrency: concurrency, pollingIntervalSeconds: 0.5 }
    await boss.work<{ index: number }>('jobs', options, async ([job]) => {
      const id = await calls.submit(job!.data.index)
      do await delay(pollMs)
      while (!(await calls.poll(id)))
      await calls.store(id)
      if (--left === 0) done.resolve()
    })
    await done.promise
    const seconds = (performance.now() - startedAt) / 1000
    const roundTrips = counted.roundTrips - before
    await boss.stop({ graceful: false })
    return { seconds, roundTrips, rows: (await rowsWritten(counted.pool)) - rowsBefore }
  },

  async concord({ url, concurrency, ...work }) {
    await using counted = countedPool(url)
    return await runFleet(counted, work, { concurrency })
  },
}

export async function runFleet(
  counted: ReturnType<typeof countedPool>,
  { jobs, times, pollMs }: Pick<Task, 'jobs' | 'times' | 'pollMs'>,
  options: WorkOptions,
  clock?: VirtualClock,
): Promise<Cost & { readonly secondsEnqueued: number }> {
  const done = Promise.withResolvers<void>()
  let left = jobs
  const onStored = (): void => void (--left === 0 && done.resolve())
  const own = clock && { clock }
  const stub = stubService(times, { pollMs, onStored, ...own })
  await using fleet = createFleet({ pool: counted, services: { stub }, ...own })
  await fleet.stub.enqueue([])
  const rowsBefore = await rowsWritten(counted.pool)
  const enqueuedAt = performance.now()
  await fleet.stub.enqueue(requests(jobs))
  const before = counted.roundTrips
  const startedAt = performance.now()
  const stop = new AbortController()
  const working = fleet.work({ ...options, signal: stop.signal })
  await done.promise
  const seconds = (performance.now() - startedAt) / 1000
  const roundTrips = counted.roundTrips - before
  stop.abort()
  await working
  const rows = (await rowsWritten(counted.pool)) - rowsBefore
  return { secondsEnqueued: (startedAt - enqueuedAt) / 1000, seconds, roundTrips, rows }
}

function* requests(count: number): Generator<{ index: number }> {
  for (let index = 0; index < count; index++) yield { index }
}
