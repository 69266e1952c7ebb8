import { join } from 'node:path'

import { checkAnswer } from '../answers.ts'
import { interleave } from '../measure/interleave.ts'
import { type Child, startChild } from '../process/child.ts'
import type { Cost } from '../process/cost.ts'
import type { Figure } from '../report/figure.ts'
import { toFigure } from '../report/to-figure.ts'
import { CORES, type Extent, type Row, type RowContext } from '../row.ts'
import { startServer } from '../server/start-server.ts'
import { subjectsIn } from '../subjects.ts'
import { type Transcript, transcript } from './transcript.ts'

const names = ['raw ws', 'concord']
const FRAME_SIZES = [640, 8000]

/**
 * How large a heap is at the start decides whether V8 frees frames with quick or with full collections: raw ws is 1.25
 * times as costly in a process that has merely loaded zod. A young generation of one size keeps that out of the ratio.
 */
const SAME_HEAP = ['--min-semi-space-size=64', '--max-semi-space-size=64']

interface Plan {
  readonly rounds: number
  /** For each figure. */
  readonly limitMs: number
  readonly warmUp: number
  readonly frames: number
  readonly messages: number
}

const plans: Readonly<Record<Extent, Plan>> = {
  full: { rounds: 40, limitMs: 12_000, warmUp: 20_000, frames: 10_000, messages: 10_000 },
  quick: { rounds: 7, limitMs: 3_000, warmUp: 5_000, frames: 4_000, messages: 4_000 },
  smoke: { rounds: 2, limitMs: 1_000, warmUp: 5, frames: 5, messages: 5 },
}

const subjects = () => subjectsIn(join(import.meta.dirname, 'subjects'), names)

/** Audio sent in binary frames. */
export const socketFrames: Row = {
  name: 'socket-frames',
  title: 'binary frames sent over a socket',
  run: (context) => measureFrames(subjects(), plans[context.extent], context),
}

/** Messages received, told apart, checked and read. */
export const socketMessages: Row = {
  name: 'socket-messages',
  title: 'JSON messages received over a socket',
  run: (context) => measureMessages(subjects(), plans[context.extent], context),
}

interface Measured extends Cost {
  readonly result: number
}

/** @throws WrongAnswerError when a subject did not send every byte. */
export async function measureFrames(
  paths: ReadonlyMap<string, string>,
  plan: Plan,
  context: RowContext,
): Promise<readonly Figure[]> {
  await using processes = new AsyncDisposableStack()
  const workers = await connectAll(paths, context, processes)
  const figures: Figure[] = []
  for (const sizeBytes of FRAME_SIZES) {
    const send = async (name: string, worker: Child, count: number) => {
      const measured = await worker.ask<Measured>('frames', { sizeBytes, count })
      checkAnswer(name, measured.result, sizeBytes * count)
      return measured
    }
    for (const [name, worker] of workers) await send(name, worker, plan.warmUp)
    const results = await measure(workers, plan, context, `frames of ${sizeBytes} bytes`, (name, worker) =>
      send(name, worker, plan.frames),
    )
    figures.push(
      toFigure({
        title: `frames of ${sizeBytes} bytes`,
        meaning: 'time per frame; speed beside raw ws, more is better',
        unit: 'us',
        results,
        value: ({ elapsedMs }) => (elapsedMs * 1000) / plan.frames,
        compare: 'speed',
        targets: [{ direction: 'at least', limit: 0.95, of: 'compared' }],
        notes: [`${plan.frames} frames in each round, until the server has counted them`],
      }),
    )
  }
  return figures
}

/** @throws WrongAnswerError when a subject did not get every message. */
export async function measureMessages(
  paths: ReadonlyMap<string, string>,
  plan: Plan,
  context: RowContext,
): Promise<readonly Figure[]> {
  await using processes = new AsyncDisposableStack()
  const workers = await connectAll(paths, context, processes)
  const receive = async (name: string, worker: Child, count: number) => {
    const measured = await worker.ask<Measured>('messages', { count })
    checkAnswer(name, measured.result, sumOfStarts(count))
    return measured
  }
  for (const [name, worker] of workers) await receive(name, worker, plan.warmUp)
  const results = await measure(workers, plan, context, 'messages', (name, worker) =>
    receive(name, worker, plan.messages),
  )
  return [
    toFigure({
      title: 'messages',
      meaning: 'time per message; speed beside raw ws with JSON.parse, more is better',
      unit: 'us',
      results,
      value: ({ elapsedMs }) => (elapsedMs * 1000) / plan.messages,
      compare: 'speed',
      targets: [{ direction: 'at least', limit: 0.85, of: 'compared' }],
      notes: [
        `${plan.messages} messages of about ${transcript(500).length} bytes in each round`,
        'concord checks every message, as generated code does, and gives it typed; raw ws checks nothing',
      ],
    }),
  ]
}

async function connectAll(
  paths: ReadonlyMap<string, string>,
  context: RowContext,
  processes: AsyncDisposableStack,
): Promise<ReadonlyMap<string, Child>> {
  const server = processes.use(startServer('sockets', context))
  const origin = await server.ask<string>('address')
  const workers = new Map<string, Child>()
  for (const [name, subject] of paths) {
    const file = join(import.meta.dirname, 'worker.ts')
    const worker = processes.use(
      startChild(file, { core: context.pin ? CORES.subject : undefined, nodeOptions: SAME_HEAP }),
    )
    await worker.ask('connect', { subject, origin })
    workers.set(name, worker)
  }
  return workers
}

function measure(
  workers: ReadonlyMap<string, Child>,
  plan: Plan,
  { progress }: RowContext,
  what: string,
  once: (name: string, worker: Child) => Promise<Measured>,
): Promise<Map<string, Measured[]>> {
  const onRound = (done: number) => progress.tell(`sockets: ${what}, round ${done + 1} of ${plan.rounds}`)
  const bursts = [...workers].map(([name, worker]) => [name, () => once(name, worker)] as const)
  return interleave(new Map(bursts), { ...plan, onRound })
}

function sumOfStarts(count: number): number {
  let sum = 0
  for (let index = 0; index < count; index++) sum += (JSON.parse(transcript(index)) as Transcript).start
  return sum
}
