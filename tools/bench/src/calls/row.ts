import { join } from 'node:path'

import { checkAnswer } from '../answers.ts'
import { completedJob, countValues } from '../contract.ts'
import { interleave } from '../measure/interleave.ts'
import { type Child, startChild } from '../process/child.ts'
import type { Cost } from '../process/cost.ts'
import type { Figure } from '../report/figure.ts'
import { toFigure } from '../report/to-figure.ts'
import { CORES, type Extent, type Row, type RowContext } from '../row.ts'
import { jobAddress } from '../server/job-address.ts'
import { startServer } from '../server/start-server.ts'
import { stockClient } from '../stock/stock-client.ts'
import { subjectsIn } from '../subjects.ts'

const names = ['raw undici', 'node http', 'global fetch', 'stock client', 'concord', 'concord unchecked']
const CONNECTIONS = 64
const CALLS_OF_CPU_FIGURE = 10_000

interface Plan {
  readonly rounds: number
  /** For each of the two ways of calling. */
  readonly limitMs: number
  readonly warmUpCalls: number
  readonly parallelCalls: number
  readonly serialCalls: number
}

const plans: Readonly<Record<Extent, Plan>> = {
  full: { rounds: 40, limitMs: 20_000, warmUpCalls: 10_000, parallelCalls: 1_500, serialCalls: 500 },
  quick: { rounds: 7, limitMs: 3_000, warmUpCalls: 2_000, parallelCalls: 700, serialCalls: 200 },
  smoke: { rounds: 2, limitMs: 1_000, warmUpCalls: 5, parallelCalls: 5, serialCalls: 2 },
}

/** Reading a job, 64 at a time and one after the other. */
export const calls: Row = {
  name: 'calls',
  title: 'GET and decode a completed job',
  run: (context) =>
    measureCalls(subjectsIn(join(import.meta.dirname, 'subjects'), names), plans[context.extent], context),
}

/**
 * The row, for any subjects. The first is the base.
 *
 * @throws WrongAnswerError when one does not give what the server sent.
 */
export async function measureCalls(
  subjects: ReadonlyMap<string, string>,
  plan: Plan,
  context: RowContext,
): Promise<readonly Figure[]> {
  const { pin, progress } = context
  const job = completedJob()
  const { module: stockModule } = await stockClient()
  await using processes = new AsyncDisposableStack()
  const server = processes.use(startServer('jobs', context))
  const target = { ...(await jobAddress(server)), connections: CONNECTIONS, stockModule }

  const workers = new Map<string, Child>()
  for (const [name, subject] of subjects) {
    progress.tell(`calls: warming up ${name}`)
    const file = join(import.meta.dirname, 'worker.ts')
    const worker = processes.use(startChild(file, { core: pin ? CORES.subject : undefined }))
    await worker.ask('connect', { subject, target })
    checkAnswer(name, await worker.ask('call'), job)
    await worker.ask('burst', { count: plan.warmUpCalls, inFlight: CONNECTIONS })
    await worker.ask('burst', { count: Math.ceil(plan.warmUpCalls / 5), inFlight: 1 })
    workers.set(name, worker)
  }

  const measure = (what: string, count: number, inFlight: number) => {
    const burst = (worker: Child) => () => worker.ask<Cost>('burst', { count, inFlight })
    const bursts = [...workers].map(([name, worker]) => [name, burst(worker)] as const)
    const onRound = (done: number) => progress.tell(`calls: ${what}, round ${done + 1} of ${plan.rounds}`)
    return interleave(new Map(bursts), { ...plan, onRound })
  }
  const parallel = await measure(`${CONNECTIONS} in flight`, plan.parallelCalls, CONNECTIONS)
  const serial = await measure('one after the other', plan.serialCalls, 1)
  for (const [name, worker] of workers) checkAnswer(name, await worker.ask('call'), job)

  return toFigures(parallel, serial, plan, job)
}

type Results = ReadonlyMap<string, readonly Cost[]>

function toFigures(parallel: Results, serial: Results, plan: Plan, job: unknown): Figure[] {
  const { parallelCalls, serialCalls } = plan
  const meaning = 'time per call; speed beside raw undici, more is better'
  return [
    toFigure({
      title: `${CONNECTIONS} in flight`,
      meaning,
      unit: 'us',
      results: parallel,
      value: ({ elapsedMs }) => (elapsedMs * 1000) / parallelCalls,
      compare: 'speed',
      targets: [
        { direction: 'at least', limit: 0.8, of: 'compared' },
        { direction: 'at least', limit: 0.9, of: 'compared' },
      ],
      notes: [
        `${parallelCalls} calls in each round; ${Buffer.byteLength(JSON.stringify(job))} bytes of JSON with ${countValues(job)} values`,
        'concord and the stock client check request and answer against the contract, concord unchecked the request alone',
      ],
    }),
    toFigure({
      title: 'one after the other',
      meaning,
      unit: 'us',
      results: serial,
      value: ({ elapsedMs }) => (elapsedMs * 1000) / serialCalls,
      compare: 'speed',
      targets: [{ direction: 'at least', limit: 0.95, of: 'compared' }],
      notes: [`${serialCalls} calls in each round`],
    }),
    toFigure({
      title: `processor time of ${CALLS_OF_CPU_FIGURE} calls, ${CONNECTIONS} in flight`,
      meaning: 'of the whole client process; beside raw undici, less is better',
      unit: 'ms',
      results: parallel,
      value: ({ cpuMs }) => (cpuMs * CALLS_OF_CPU_FIGURE) / parallelCalls,
      compare: 'cost',
      targets: [{ direction: 'at most', limit: 1.3, of: 'compared' }],
      notes: [],
    }),
    toFigure({
      title: `processor time of ${CALLS_OF_CPU_FIGURE} calls, one after the other`,
      meaning: 'of the whole client process; beside raw undici, less is better',
      unit: 'ms',
      results: serial,
      value: ({ cpuMs }) => (cpuMs * CALLS_OF_CPU_FIGURE) / serialCalls,
      compare: 'cost',
      targets: [],
      notes: [],
    }),
  ]
}
