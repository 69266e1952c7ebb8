import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'

import { completedJob } from '../contract.ts'
import { interleave } from '../measure.ts'
import {
  type Child,
  type CostWithMemory,
  costWithMemoryOf,
  serveSubject,
  startSubject,
  usedHeapBytes,
} from '../processes.ts'
import { type Figure, toFigure } from '../report.ts'
import {
  checkResult,
  type Extent,
  ownSubjects,
  type Row,
  type RowContext,
  type Subjects,
  WrongResultError,
} from '../row.ts'
import { type JobAddress, jobAddress, type SeenPolls, startServer } from '../servers.ts'
import { undiciGetJob } from './calls.ts'

const CONNECTIONS = 64
const POLLS_EACH = 3

/** The job server to poll, and the polling settings. The first poll is sent without a delay. */
export interface WaitTarget extends JobAddress {
  readonly connections: number
  readonly minDelayMs: number
  readonly maxDelayMs: number
}

/** Polls a job until it is completed, and returns the job. */
export type Wait = (jobId: string) => Promise<unknown>

/** Each function connects to the server, and returns the function to measure. */
export const subjects: Readonly<Record<string, (target: WaitTarget) => Promise<Wait>>> = {
  /** The base of all ratios: each wait has its own loop and timer, and polls through undici's connection pool. */
  'bare timers': async (target) => {
    const { minDelayMs, maxDelayMs } = target
    const getJob = await undiciGetJob(target)
    return async (jobId) => {
      for (;;) {
        const job = (await getJob(jobId)) as { status: string }
        if (job.status === 'completed') return job
        await delay(minDelayMs + Math.random() * (maxDelayMs - minDelayMs))
      }
    }
  },

  concord: async (target) => {
    const { Extraction } = await import('@concord/extraction')
    const { baseUrl, apiKey, connections, minDelayMs, maxDelayMs } = target
    const polling = { job: { minDelayMs, maxDelayMs }, connections }
    const extraction = new Extraction({ baseUrl, apiKey, connections, polling })
    return (jobId) => extraction.job(jobId).wait()
  },
}

interface Plan {
  readonly rounds: number
  readonly limitMs: number
  readonly waits: number
  readonly minDelayMs: number
  readonly maxDelayMs: number
}

const PLANS: Readonly<Record<Extent, Plan>> = {
  full: { rounds: 5, limitMs: 30_000, waits: 5_000, minDelayMs: 1_000, maxDelayMs: 1_500 },
  quick: { rounds: 1, limitMs: 0, waits: 2_000, minDelayMs: 500, maxDelayMs: 800 },
  smoke: { rounds: 1, limitMs: 0, waits: 20, minDelayMs: 100, maxDelayMs: 150 },
}

export const waits: Row = {
  name: 'waits',
  title: 'thousands of waits at once',
  run: (context) => measureWaits(ownSubjects(import.meta.filename, subjects), PLANS[context.extent], context),
}

interface Found extends CostWithMemory {
  readonly heapBytesEach: number
  readonly connections: number
}

/** @throws WrongResultError if a subject returns the wrong job, or doesn't send the expected number of polls. */
export async function measureWaits(
  all: Subjects,
  plan: Plan,
  context: RowContext,
): Promise<readonly Figure[]> {
  await using server = startServer('jobs', context)
  const { minDelayMs, maxDelayMs } = plan
  const address = await jobAddress(server)
  const target: WaitTarget = { ...address, connections: CONNECTIONS, minDelayMs, maxDelayMs }

  const measureOnce = async (file: string, name: string): Promise<Found> => {
    const options = { context, nodeOptions: ['--expose-gc'] }
    await using worker = startSubject(import.meta.filename, [name, file], target, options)
    // Warm-up: Node compiles the code and opens connections. The cost is ignored.
    await server.ask('prepare', 1)
    const id = randomUUID()
    checkResult(name, await worker.ask('wait', id), { ...completedJob(), id })
    await worker.ask('cost', plan.waits)

    await server.ask('prepare', POLLS_EACH)
    const found = await worker.ask<CostWithMemory>('cost', plan.waits)
    const { connections, polls } = await server.ask<SeenPolls>('seen')
    const expected = plan.waits * POLLS_EACH
    if (polls !== expected) {
      throw new WrongResultError(`${name} polled ${polls} times, not the expected ${expected}`)
    }
    return { ...found, connections, heapBytesEach: await heapOfWaits(server, worker, plan.waits) }
  }
  const results = await interleave(all, measureOnce, { ...plan, ...context, what: 'waits' })
  return toFigures(results, plan)
}

/** Measures how much heap each wait uses after its first poll and before its second one. */
async function heapOfWaits(server: Child, worker: Child, count: number): Promise<number> {
  await server.ask('prepare', 2)
  await worker.ask('begin', count)
  while ((await server.ask<SeenPolls>('seen')).polls < count) await delay(10)
  // Lets the last responses reach the worker.
  await delay(50)
  const heapBytesEach = await worker.ask<number>('heapBytesEach')
  await worker.ask('finish')
  return heapBytesEach
}

function toFigures(results: ReadonlyMap<string, readonly Found[]>, { waits }: Plan): Figure[] {
  const meaning = 'relative to bare timers; less is better'
  const shared = { meaning, results, compare: 'cost' } as const
  return [
    toFigure({
      ...shared,
      title: `${waits} waits: processor time`,
      unit: 'ms',
      value: ({ cpuMs }) => cpuMs,
      targets: [{ direction: 'at most', limit: 1.2, of: 'compared' }],
      notes: [`${POLLS_EACH} polls each; concord checks every response, bare timers check none`],
    }),
    toFigure({
      ...shared,
      title: `${waits} waits: extra peak memory`,
      unit: 'MiB',
      value: ({ extraPeakBytes }) => extraPeakBytes / 2 ** 20,
      targets: [{ direction: 'at most', limit: 1.2, of: 'compared' }],
    }),
    toFigure({
      ...shared,
      title: 'heap of one wait between two polls',
      unit: 'bytes',
      value: ({ heapBytesEach }) => heapBytesEach,
      targets: [{ direction: 'at most', limit: 1024, of: 'value' }],
    }),
    toFigure({
      ...shared,
      title: `${waits} waits: connections`,
      meaning: 'the largest number that was open at once',
      unit: '',
      value: ({ connections }) => connections,
      targets: [{ direction: 'at most', limit: CONNECTIONS, of: 'value' }],
    }),
  ]
}

function answersOf(wait: Wait) {
  let running:
    | { readonly all: Promise<unknown>; readonly count: number; readonly heapBytes: number }
    | undefined
  const waitForAll = (count: number) => Promise.all(Array.from({ length: count }, () => wait(randomUUID())))
  return {
    wait,
    cost: (count: number) => costWithMemoryOf(() => waitForAll(count)),
    begin: (count: number) => {
      const heapBytes = usedHeapBytes()
      running = { all: waitForAll(count), count, heapBytes }
    },
    heapBytesEach: () =>
      running === undefined ? NaN : (usedHeapBytes() - running.heapBytes) / running.count,
    finish: async () => {
      await running?.all
      running = undefined
    },
  }
}

if (import.meta.main) void serveSubject(answersOf)
