import { fileURLToPath } from 'node:url'

import { checkAnswer } from '../answers.ts'
import { completedJob, countValues } from '../contract.ts'
import { cost, speed } from '../measure/compare.ts'
import { interleave } from '../measure/interleave.ts'
import { spread } from '../measure/stats.ts'
import { type Child, startChild } from '../process/child.ts'
import type { Cost } from '../process/cost.ts'
import type { Figure, Line, Target } from '../report/figure.ts'
import { CORES, type Extent, type Row, type RowContext } from '../row.ts'
import { jobAddress } from '../server/job-address.ts'
import { startServer } from '../server/start-server.ts'
import { stockClient } from '../stock/stock-client.ts'

/** The subjects by their names; the first is the base of the ratios. */
const subjects = new Map(
  [
    ['raw undici', './subjects/raw-undici.ts'],
    ['node:http', './subjects/node-http.ts'],
    ['global fetch', './subjects/global-fetch.ts'],
    ['stock client', './subjects/stock-client.ts'],
    ['concord', './subjects/concord.ts'],
  ].map(([name = '', file = '']) => [name, fileURLToPath(new URL(file, import.meta.url))]),
)
const OURS = 'concord'
const CONNECTIONS = 64
const CALLS_OF_CPU_FIGURE = 10_000

interface Plan {
  readonly rounds: number
  readonly warmUpCalls: number
  readonly parallelCalls: number
  readonly serialCalls: number
}

const plans: Readonly<Record<Extent, Plan>> = {
  full: { rounds: 25, warmUpCalls: 12_000, parallelCalls: 3_000, serialCalls: 1_000 },
  quick: { rounds: 7, warmUpCalls: 4_000, parallelCalls: 1_000, serialCalls: 300 },
  smoke: { rounds: 2, warmUpCalls: 5, parallelCalls: 5, serialCalls: 2 },
}

/** Reading a job, 64 at a time and one after the other. */
export const calls: Row = {
  name: 'calls',
  title: 'GET and decode a completed job',
  run: (context) => measureCalls(subjects, plans[context.extent], context),
}

/** The row, for any subjects. The first is the base; all must give what the server sent. */
export async function measureCalls(
  modules: ReadonlyMap<string, string>,
  plan: Plan,
  context: RowContext,
): Promise<readonly Figure[]> {
  const job = completedJob()
  const { module: stockModule } = await stockClient()
  await using processes = new AsyncDisposableStack()
  const server = processes.use(startServer('jobs', context))
  const target = { ...(await jobAddress(server)), connections: CONNECTIONS, stockModule }

  const workers = new Map<string, Child>()
  for (const [name, subject] of modules) {
    context.progress.tell(`calls: warming up ${name}`)
    const file = fileURLToPath(new URL('./worker.ts', import.meta.url))
    const worker = processes.use(startChild(file, { core: context.pin ? CORES.subject : undefined }))
    await worker.ask('connect', { subject, target })
    checkAnswer(name, await worker.ask('call'), job)
    for (const inFlight of [CONNECTIONS, 1])
      await worker.ask('burst', { count: Math.ceil(plan.warmUpCalls / (inFlight === 1 ? 4 : 1)), inFlight })
    workers.set(name, worker)
  }

  const measure = (what: string, count: number, inFlight: number) =>
    interleave(
      new Map(
        [...workers].map(([name, worker]) => [name, () => worker.ask<Cost>('burst', { count, inFlight })]),
      ),
      plan.rounds,
      (done) => context.progress.tell(`calls: ${what}, round ${done + 1} of ${plan.rounds}`),
    )
  const parallel = await measure(`${CONNECTIONS} in flight`, plan.parallelCalls, CONNECTIONS)
  const serial = await measure('one after the other', plan.serialCalls, 1)
  for (const [name, worker] of workers) checkAnswer(name, await worker.ask('call'), job)

  const fast: readonly Target[] = [
    { direction: 'at least', limit: 0.8, of: 'compared' },
    { direction: 'at least', limit: 0.9, of: 'compared' },
  ]
  const size = `${Buffer.byteLength(JSON.stringify(job))} bytes of JSON with ${countValues(job)} values`
  const shared = { rounds: plan.rounds, notes: [] }
  return [
    {
      ...shared,
      title: `${CONNECTIONS} in flight`,
      meaning: 'time per call; speed beside raw undici, more is better',
      unit: 'us',
      lines: toLines(parallel, ({ elapsedMs }) => (elapsedMs * 1000) / plan.parallelCalls, speed),
      targets: fast,
      notes: [`${plan.parallelCalls} calls of ${size} in each round`],
    },
    {
      ...shared,
      title: 'one after the other',
      meaning: 'time per call; speed beside raw undici, more is better',
      unit: 'us',
      lines: toLines(serial, ({ elapsedMs }) => (elapsedMs * 1000) / plan.serialCalls, speed),
      targets: [{ direction: 'at least', limit: 0.95, of: 'compared' }],
      notes: [`${plan.serialCalls} calls in each round`],
    },
    {
      ...shared,
      title: `processor time of ${CALLS_OF_CPU_FIGURE} calls, ${CONNECTIONS} in flight`,
      meaning: 'of the whole client process; beside raw undici, less is better',
      unit: 'ms',
      lines: toLines(parallel, ({ cpuMs }) => (cpuMs * CALLS_OF_CPU_FIGURE) / plan.parallelCalls, cost),
      targets: [{ direction: 'at most', limit: 1.3, of: 'compared' }],
    },
  ]
}

function toLines(
  results: ReadonlyMap<string, readonly Cost[]>,
  value: (cost: Cost) => number,
  compare: typeof speed,
): Line[] {
  const rounds = [...results].map(([subject, costs]) => ({ subject, values: costs.map(value) }))
  const base = rounds[0]?.values ?? []
  return rounds.map(({ subject, values }) => ({
    subject,
    ours: subject === OURS,
    value: spread(values),
    compared: compare(values, base),
  }))
}
