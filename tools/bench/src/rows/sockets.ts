import type { ChannelDescriptor } from '@concord/runtime'

import { type Transcript, transcript } from '../contract.ts'
import { interleave } from '../measure.ts'
import { type Child, type Cost, costOf, serveSubject, startSubject } from '../processes.ts'
import { type Figure, toFigure } from '../report.ts'
import { checkResult, type Extent, ownSubjects, type Row, type RowContext, type Subjects } from '../row.ts'
import { startServer } from '../servers.ts'

const HIGH_BYTES = 2 ** 20

export interface BenchSocket {
  /**
   * Sends `count` binary frames, waiting whenever 1 MiB is buffered. Then asks the server how many bytes it received,
   * and returns this number.
   */
  sendFrames(frame: Uint8Array, count: number): Promise<number>
  /** Like `sendFrames`, but after each frame, waits until nothing is buffered. */
  sendSingly(frame: Uint8Array, count: number): Promise<number>
  /** Asks the server for `count` messages. Once all have arrived, returns the sum of their `start` values. */
  receive(count: number): Promise<number>
}

interface Count {
  readonly type: 'Count'
  readonly bytes: number
}

/** Each subject opens a socket to the server at the origin. */
export const subjects: Readonly<Record<string, (origin: string) => Promise<BenchSocket>>> = {
  /**
   * The base of all ratios: `ws` itself and JSON.parse. The send buffer has the same limit as Concord's, and messages
   * aren't checked.
   */
  'raw ws': async (origin) => {
    const { WebSocket } = await import('ws')
    const socket = new WebSocket(origin.replace('http', 'ws'), { perMessageDeflate: false })
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    let onMessage: (message: Transcript | Count) => void = () => undefined
    socket.on('message', (data) => onMessage(JSON.parse((data as Buffer).toString())))
    const countBytes = (): Promise<number> =>
      new Promise((resolve) => {
        onMessage = (message) => message.type === 'Count' && resolve(message.bytes)
        socket.send('{}')
      })
    return {
      async sendFrames(frame, count) {
        for (let index = 0; index < count; index++) {
          if (socket.bufferedAmount < HIGH_BYTES) socket.send(frame)
          else await new Promise((resolve) => socket.send(frame, resolve))
        }
        return countBytes()
      },
      async sendSingly(frame, count) {
        for (let index = 0; index < count; index++)
          await new Promise((resolve) => socket.send(frame, resolve))
        return countBytes()
      },
      receive: (count) =>
        new Promise((resolve) => {
          let left = count
          let sum = 0
          onMessage = (message) => {
            if (message.type !== 'Transcript') return
            sum += message.start
            if (--left === 0) resolve(sum)
          }
          socket.send(JSON.stringify({ send: count }))
        }),
    }
  },

  concord: async (origin) => {
    const { connect, createClient } = await import('@concord/runtime')
    const client = createClient({ servers: { api: origin } })
    const channel = await describeChannel()
    const connection = await connect(client, channel, { validate: 'enforce' })
    // With this limit, each send waits until nothing is buffered anymore.
    const single = await connect(client, channel, { sending: { highBytes: 1 } })
    const sendAll = async (to: typeof connection, frame: Uint8Array, frames: number): Promise<number> => {
      for (let index = 0; index < frames; index++) await to.sendBinary(frame)
      const { data } = await to.request('ask', {})
      return (data as Count).bytes
    }
    return {
      sendFrames: (frame, frames) => sendAll(connection, frame, frames),
      sendSingly: (frame, frames) => sendAll(single, frame, frames),
      async receive(messages) {
        await connection.send('ask', { send: messages })
        let left = messages
        let sum = 0
        for await (const event of connection) {
          if (event.message !== 'transcript') continue
          sum += event.data.start
          if (--left === 0) break
        }
        return sum
      },
    }
  },
}

type BenchChannel = ChannelDescriptor<
  unknown,
  { readonly audio: Uint8Array; readonly ask: { readonly send?: number } },
  { readonly transcript: Transcript; readonly count: Count }
>

/** Returns a channel in the form that the generator writes. */
async function describeChannel(): Promise<BenchChannel> {
  const { z } = await import('zod')
  const word = z.looseObject({ word: z.string(), start: z.number(), end: z.number(), confidence: z.number() })
  const transcriptSchema = z.looseObject({
    type: z.literal('Transcript'),
    start: z.number(),
    duration: z.number(),
    final: z.boolean(),
    text: z.string(),
    words: z.array(word),
  })
  const countSchema = z.looseObject({ type: z.literal('Count'), bytes: z.int() })
  return {
    id: 'bench',
    address: '/',
    server: 'api',
    security: [],
    query: [],
    sends: { audio: { kind: 'binary', tags: [] }, ask: { kind: 'json', tags: [] } },
    receives: {
      transcript: {
        kind: 'json',
        tags: [{ pointer: '/type', equals: 'Transcript' }],
        check: { accepts: acceptsTranscript, schema: () => transcriptSchema },
      },
      count: {
        kind: 'json',
        tags: [{ pointer: '/type', equals: 'Count' }],
        check: { accepts: acceptsCount, schema: () => countSchema },
      },
    },
    replies: { ask: ['count'] },
    rules: {
      keepAlive: { message: 'ask', payload: {}, minIntervalMs: 3000, maxIntervalMs: 5000 },
    },
    secrets: [],
  }
}

function acceptsTranscript(value: unknown): boolean {
  return (
    isRecord(value) &&
    value['type'] === 'Transcript' &&
    typeof value['start'] === 'number' &&
    Number.isFinite(value['start']) &&
    typeof value['duration'] === 'number' &&
    Number.isFinite(value['duration']) &&
    typeof value['final'] === 'boolean' &&
    typeof value['text'] === 'string' &&
    Array.isArray(value['words']) &&
    value['words'].every(acceptsWord)
  )
}

function acceptsWord(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['word'] === 'string' &&
    typeof value['start'] === 'number' &&
    Number.isFinite(value['start']) &&
    typeof value['end'] === 'number' &&
    Number.isFinite(value['end']) &&
    typeof value['confidence'] === 'number' &&
    Number.isFinite(value['confidence'])
  )
}

function acceptsCount(value: unknown): boolean {
  return (
    isRecord(value) &&
    value['type'] === 'Count' &&
    typeof value['bytes'] === 'number' &&
    Number.isSafeInteger(value['bytes'])
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `atLeast` is the target for the speed relative to raw ws. */
const FRAME_KINDS = [
  { title: 'frames of 640 bytes', sizeBytes: 640, singly: false, atLeast: 0.95 },
  { title: 'frames of 8000 bytes', sizeBytes: 8000, singly: false, atLeast: 0.95 },
  { title: 'frames of 8000 bytes, one at a time', sizeBytes: 8000, singly: true, atLeast: 1 },
]

/**
 * Concord's process loads zod, which enlarges the heap. With a larger heap, V8 collects garbage differently: raw ws
 * takes 25% longer in a process that has loaded zod. A young generation (V8's memory for new objects) of fixed size
 * keeps this effect out of the ratio.
 */
const SAME_HEAP = ['--min-semi-space-size=64', '--max-semi-space-size=64']

interface Plan {
  readonly rounds: number
  /** The time limit for the rounds of each figure. */
  readonly limitMs: number
  readonly warmUp: number
  readonly frames: number
  readonly messages: number
}

const PLANS: Readonly<Record<Extent, Plan>> = {
  full: { rounds: 40, limitMs: 12_000, warmUp: 20_000, frames: 10_000, messages: 10_000 },
  quick: { rounds: 7, limitMs: 3_000, warmUp: 5_000, frames: 4_000, messages: 4_000 },
  smoke: { rounds: 2, limitMs: 1_000, warmUp: 5, frames: 5, messages: 5 },
}

const own = () => ownSubjects(import.meta.filename, subjects)

export const socketFrames: Row = {
  name: 'socket-frames',
  title: 'binary frames sent over a socket',
  run: (context) => measureFrames(own(), PLANS[context.extent], context),
}

export const socketMessages: Row = {
  name: 'socket-messages',
  title: 'JSON messages received over a socket',
  run: (context) => measureMessages(own(), PLANS[context.extent], context),
}

interface Measured extends Cost {
  readonly result: number
}

/** @throws WrongResultError if a subject doesn't send every byte. */
export async function measureFrames(
  all: Subjects,
  plan: Plan,
  context: RowContext,
): Promise<readonly Figure[]> {
  await using processes = new AsyncDisposableStack()
  const workers = await connectAll(all, context, processes)
  const figures: Figure[] = []
  for (const { title, sizeBytes, singly, atLeast } of FRAME_KINDS) {
    const send = async (worker: Child, name: string, count: number) => {
      const measured = await worker.ask<Measured>('frames', { sizeBytes, count, singly })
      checkResult(name, measured.result, sizeBytes * count)
      return measured
    }
    for (const [name, worker] of workers) await send(worker, name, plan.warmUp)
    const results = await interleave(workers, (worker, name) => send(worker, name, plan.frames), {
      ...plan,
      ...context,
      what: `sockets: ${title}`,
    })
    figures.push(
      toFigure({
        title,
        meaning: 'time per frame, and speed relative to raw ws (for the speed, more is better)',
        unit: 'us',
        results,
        value: ({ elapsedMs }) => (elapsedMs * 1000) / plan.frames,
        compare: 'speed',
        targets: [{ direction: 'at least', limit: atLeast, of: 'compared' }],
        notes: [
          `${plan.frames} frames in each round; the time ends when the server has counted them`,
          ...(singly ? ['each frame is sent only after the previous one has left the send buffer'] : []),
        ],
      }),
    )
  }
  return figures
}

/** @throws WrongResultError if a subject doesn't receive every message. */
export async function measureMessages(
  all: Subjects,
  plan: Plan,
  context: RowContext,
): Promise<readonly Figure[]> {
  await using processes = new AsyncDisposableStack()
  const workers = await connectAll(all, context, processes)
  const receive = async (worker: Child, name: string, count: number) => {
    const measured = await worker.ask<Measured>('messages', { count })
    checkResult(name, measured.result, sumOfStarts(count))
    return measured
  }
  for (const [name, worker] of workers) await receive(worker, name, plan.warmUp)
  const results = await interleave(workers, (worker, name) => receive(worker, name, plan.messages), {
    ...plan,
    ...context,
    what: 'sockets: messages',
  })
  return [
    toFigure({
      title: 'messages',
      meaning:
        'time per message, and speed relative to raw ws with JSON.parse (for the speed, more is better)',
      unit: 'us',
      results,
      value: ({ elapsedMs }) => (elapsedMs * 1000) / plan.messages,
      compare: 'speed',
      targets: [{ direction: 'at least', limit: 0.85, of: 'compared' }],
      notes: [
        `${plan.messages} messages of about ${transcript(500).length} bytes in each round`,
        'concord checks every message; raw ws checks nothing',
      ],
    }),
  ]
}

async function connectAll(
  all: Subjects,
  context: RowContext,
  processes: AsyncDisposableStack,
): Promise<ReadonlyMap<string, Child>> {
  const server = processes.use(startServer('sockets', context))
  const origin = await server.ask<string>('address')
  const options = { context, nodeOptions: SAME_HEAP }
  const start = (name: string, file: string) =>
    processes.use(startSubject(import.meta.filename, [name, file], origin, options))
  return new Map([...all].map(([name, file]) => [name, start(name, file)]))
}

function sumOfStarts(count: number): number {
  let sum = 0
  for (let index = 0; index < count; index++) sum += (JSON.parse(transcript(index)) as Transcript).start
  return sum
}

function answersOf(socket: BenchSocket) {
  const measured = async (work: () => Promise<number>): Promise<Measured> => {
    let result = 0
    const cost = await costOf(async () => void (result = await work()))
    return { ...cost, result }
  }
  return {
    frames: ({ sizeBytes, count, singly }: { sizeBytes: number; count: number; singly: boolean }) => {
      const frame = new Uint8Array(sizeBytes).fill(7)
      return measured(() => socket[singly ? 'sendSingly' : 'sendFrames'](frame, count))
    },
    messages: ({ count }: { count: number }) => measured(() => socket.receive(count)),
  }
}

if (import.meta.main) void serveSubject(answersOf)
