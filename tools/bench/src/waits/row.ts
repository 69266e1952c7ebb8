import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { checkAnswer, WrongAnswerError } from '../answers.ts'
import { completedJob } from '../contract.ts'
import { interleave } from '../measure/interleave.ts'
import { type Child, startChild } from '../process/child.ts'
import type { Figure } from '../report/figure.ts'
import { toFigure } from '../report/to-figure.ts'
import { CORES, type Extent, type Row, type RowContext } from '../row.ts'
import { jobAddress } from '../server/job-address.ts'
import { startServer } from '../server/start-server.ts'
import { subjectsIn } from '../subjects.ts'
import type { WaitTarget } from './subject.ts'
import type { WaitsCost } from './worker.ts'

const names = ['bare timers', 'concord']
const CONNECTIONS = 64
const POLLS_EACH = 3

interface Plan {
  readonly rounds: number
  readonly limitMs: number
  readonly waits: number
  readonly minDelayMs: number
  readonly maxDelayMs: number
}

const plans: Readonly<Record<Extent, Plan>> = {
  full: { rounds: 5, limitMs: 30_000, waits: 5_000, minDelayMs: 1_000, maxDelayMs: 1_500 },
  quick: { rounds: 1, limitMs: 0, waits: 2_000, minDelayMs: 500, maxDelayMs: 800 },
  smoke: { rounds: 1, limitMs: 0, waits: 20, minDelayMs: 100, maxDelayMs: 150 },
}

/** Waiting for thousands of jobs at once. */
export const waits: Row = {
  name: 'waits',
  title: 'thousands of waits at once',
  run: (context) =>
    measureWaits(subjectsIn(join(import.meta.dirname, 'subjects'), names), plans[context.extent], context),
}

interface Found extends WaitsCost {
  readonly heapBytesEach: number
  readonly connections: number
}

/**
 * The row, for any subjects. The first is the base.
 *
 * @throws WrongAnswerError when one gives another job, or polls more or less often than is due.
 */
export async function measureWaits(
  subjects: ReadonlyMap<string, string>,
  plan: Plan,
  context: RowContext,
): Promise<readonly Figure[]> {
  await using server = startServer('jobs', context)
  const { minDelayMs, maxDelayMs, rounds, limitMs } = plan
  const address = await jobAddress(server)
  const target = { ...address, connections: CONNECTIONS, minDelayMs, maxDelayMs }
  const results = await interleave(
    new Map([...subjects].map(([name, subject]) => [name, () => measureOnce(name, subject, target)])),
    { rounds, limitMs, onRound: (done) => context.progress.tell(`waits: round ${done + 1} of ${rounds}`) },
  )
  return toFigures(results, plan)

  async function measureOnce(name: string, subject: string, target: WaitTarget): Promise<Found> {
    const file = join(import.meta.dirname, 'worker.ts')
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

function toFigures(results: ReadonlyMap<string, readonly Found[]>, { waits }: Plan): Figure[] {
  const meaning = 'beside bare timers over a pool, less is better'
  const shared = { meaning, results, compare: 'cost', notes: [] } as const
  return [
    toFigure({
      ...shared,
      title: `${waits} waits: processor time`,
      unit: 'ms',
      value: ({ cpuMs }) => cpuMs,
      targets: [{ direction: 'at most', limit: 1.2, of: 'compared' }],
      notes: [`${POLLS_EACH} polls each; concord checks every answer, bare timers check none`],
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
      meaning: 'the most that were open at once',
      unit: '',
      value: ({ connections }) => connections,
      targets: [{ direction: 'at most', limit: CONNECTIONS, of: 'value' }],
    }),
  ]
}
