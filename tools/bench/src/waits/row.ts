import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { checkAnswer, WrongAnswerError } from '../answers.ts'
import { completedJob } from '../contract.ts'
import { cost } from '../measure/compare.ts'
import { interleave } from '../measure/interleave.ts'
import { spread } from '../measure/stats.ts'
import { type Child, startChild } from '../process/child.ts'
import type { Figure, Line } from '../report/figure.ts'
import { CORES, type Extent, type Row, type RowContext } from '../row.ts'
import { jobAddress } from '../server/job-address.ts'
import { startServer } from '../server/start-server.ts'
import type { WaitTarget } from './subject.ts'
import type { WaitsCost } from './worker.ts'

/** The subjects by their names; the first is the base of the ratios. */
const subjects = new Map(
  [
    ['bare timers', './subjects/bare-timers.ts'],
    ['concord', './subjects/concord.ts'],
  ].map(([name = '', file = '']) => [name, fileURLToPath(new URL(file, import.meta.url))]),
)
const OURS = 'concord'
const CONNECTIONS = 64
const POLLS_EACH = 3

interface Plan {
  readonly rounds: number
  readonly waits: number
  readonly minDelayMs: number
  readonly maxDelayMs: number
}

const plans: Readonly<Record<Extent, Plan>> = {
  full: { rounds: 5, waits: 5_000, minDelayMs: 1_000, maxDelayMs: 1_500 },
  quick: { rounds: 1, waits: 5_000, minDelayMs: 1_000, maxDelayMs: 1_500 },
  smoke: { rounds: 1, waits: 20, minDelayMs: 100, maxDelayMs: 150 },
}

/** Waiting for thousands of jobs at once. */
export const waits: Row = {
  name: 'waits',
  title: 'thousands of waits at once',
  run: (context) => measureWaits(subjects, plans[context.extent], context),
}

interface Found extends WaitsCost {
  readonly heapBytesEach: number
  readonly connections: number
}

/** The row, for any subjects. The first is the base; all must send the same number of polls. */
export async function measureWaits(
  modules: ReadonlyMap<string, string>,
  plan: Plan,
  context: RowContext,
): Promise<readonly Figure[]> {
  await using server = startServer('jobs', context)
  const { minDelayMs, maxDelayMs, rounds } = plan
  const address = await jobAddress(server)
  const target = { ...address, connections: CONNECTIONS, minDelayMs, maxDelayMs }
  const results = await interleave(
    new Map([...modules].map(([name, subject]) => [name, () => measureOnce(name, subject, target)])),
    rounds,
    (done) => context.progress.tell(`waits: round ${done + 1} of ${rounds}`),
  )
  return toFigures(results, plan)

  async function measureOnce(name: string, subject: string, target: WaitTarget): Promise<Found> {
    const file = fileURLToPath(new URL('./worker.ts', import.meta.url))
    const nodeOptions = ['--expose-gc']
    await using worker = startChild(file, { core: context.pin ? CORES.subject : undefined, nodeOptions })
    await worker.ask('connect', { subject, target })
    // Once unmeasured: code is then compiled, and connections are open.
    await server.ask('prepare', 1)
    const id = randomUUID()
    checkAnswer(name, await worker.ask('wait', id), { ...completedJob(), id })
    await worker.ask('cost', plan.waits)

    await server.ask('prepare', POLLS_EACH)
    const found = await worker.ask<WaitsCost>('cost', plan.waits)
    const { connections, polls } = await server.ask<Seen>('seen')
    if (polls !== plan.waits * POLLS_EACH) {
      throw new WrongAnswerError(`${name} polled ${polls} times where ${plan.waits * POLLS_EACH} were due`)
    }
    return { ...found, connections, heapBytesEach: await heapOfWaits(server, worker, plan.waits) }
  }
}

interface Seen {
  readonly connections: number
  readonly polls: number
}

/** Looks at the heap when every wait has been polled once; the second polls are not due before the shortest delay. */
async function heapOfWaits(server: Child, worker: Child, count: number): Promise<number> {
  await server.ask('prepare', 2)
  await worker.ask('begin', count)
  while ((await server.ask<Seen>('seen')).polls < count) await delay(10)
  // The last answers are still on their way.
  await delay(50)
  const heapBytesEach = await worker.ask<number>('heapBytesEach')
  await worker.ask('finish')
  return heapBytesEach
}

function toFigures(results: ReadonlyMap<string, readonly Found[]>, { rounds, waits }: Plan): Figure[] {
  const column = (value: (found: Found) => number): Line[] => {
    const rows = [...results].map(([subject, found]) => ({ subject, values: found.map(value) }))
    const base = rows[0]?.values ?? []
    return rows.map(({ subject, values }) => ({
      subject,
      ours: subject === OURS,
      value: spread(values),
      compared: cost(values, base),
    }))
  }
  const shared = { rounds, notes: [] }
  const meaning = 'beside bare timers over a pool, less is better'
  return [
    {
      ...shared,
      title: `${waits} waits: processor time`,
      meaning,
      unit: 'ms',
      lines: column(({ cpuMs }) => cpuMs),
      targets: [{ direction: 'at most', limit: 1.2, of: 'compared' }],
      notes: [`${POLLS_EACH} polls each; ours checks every answer, bare timers check none`],
    },
    {
      ...shared,
      title: `${waits} waits: extra peak memory`,
      meaning,
      unit: 'MiB',
      lines: column(({ extraPeakBytes }) => extraPeakBytes / 2 ** 20),
      targets: [{ direction: 'at most', limit: 1.2, of: 'compared' }],
    },
    {
      ...shared,
      title: 'heap of one wait between two polls',
      meaning,
      unit: 'bytes',
      lines: column(({ heapBytesEach }) => heapBytesEach),
      targets: [{ direction: 'at most', limit: 1024, of: 'value' }],
    },
    {
      ...shared,
      title: `${waits} waits: connections`,
      meaning: 'the most that were open at once',
      unit: '',
      lines: column(({ connections }) => connections),
      targets: [{ direction: 'at most', limit: CONNECTIONS, of: 'value' }],
    },
  ]
}
