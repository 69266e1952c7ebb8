import { Agent, get } from 'node:http'

import { completedJob, countValues } from '../contract.ts'
import { interleave } from '../measure.ts'
import { type Child, type Cost, costOf, serveSubject, startSubject } from '../processes.ts'
import { type Figure, toFigure } from '../report.ts'
import { checkResult, type Extent, ownSubjects, type Row, type RowContext, type Subjects } from '../row.ts'
import { type JobAddress, jobAddress, startServer } from '../servers.ts'
import { loadStock, stockClient } from '../stock-client.ts'

const CONNECTIONS = 64
const CALLS_OF_CPU_FIGURE = 10_000

export interface CallTarget extends JobAddress {
  readonly connections: number
  readonly stockModule: string
}

export type Call = () => Promise<unknown>

/** Each subject connects to the server, and returns the call that is measured. */
export const subjects: Readonly<Record<string, (target: CallTarget) => Call | Promise<Call>>> = {
  /** The base of all ratios: undici itself, without checks. Its pool has the settings of Concord's transport. */
  'raw undici': async (target) => {
    const getJob = await undiciGetJob(target)
    return () => getJob(target.jobId)
  },

  'node http': ({ baseUrl, jobId, apiKey, connections }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    const { hostname, port } = new URL(baseUrl)
    const headers = { accept: 'application/json', 'x-api-key': apiKey }
    const options = { agent, hostname, port, path: `/v1/jobs/${jobId}`, headers }
    return () =>
      new Promise((resolve, reject) => {
        const request = get(options, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            if (response.statusCode === 200) resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')))
            else reject(new Error(`the server responded with ${response.statusCode}`))
          })
        })
        request.on('error', reject)
      })
  },

  /** `fetch` opens as many connections as there are calls in flight. */
  'global fetch': ({ baseUrl, jobId, apiKey }) => {
    const url = `${baseUrl}/v1/jobs/${jobId}`
    return async () => {
      const response = await fetch(url, { headers: { accept: 'application/json', 'x-api-key': apiKey } })
      if (!response.ok) throw new Error(`the server responded with ${response.status}`)
      return response.json()
    }
  },

  'stock client': async ({ baseUrl, jobId, apiKey, stockModule }) => {
    const { createClient, getJob } = await loadStock(stockModule)
    const client = createClient({ baseUrl, auth: apiKey })
    const path = { job_id: jobId }
    return async () => (await getJob({ client, path, throwOnError: true })).data
  },

  concord: (target) => connectConcord(target, {}),

  /** This subject shows the cost of everything but the validation of responses. */
  'concord unchecked': (target) => connectConcord(target, { validate: 'off' }),
}

export async function undiciGetJob({
  baseUrl,
  apiKey,
  connections,
}: Pick<CallTarget, 'baseUrl' | 'apiKey' | 'connections'>): Promise<(jobId: string) => Promise<unknown>> {
  const { Pool } = await import('undici')
  const pool = new Pool(baseUrl, {
    connections,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const headers = { accept: 'application/json', 'x-api-key': apiKey }
  return async (jobId) => {
    const { statusCode, body } = await pool.request({ method: 'GET', path: `/v1/jobs/${jobId}`, headers })
    if (statusCode !== 200) throw new Error(`the server responded with ${statusCode}`)
    return body.json()
  }
}

async function connectConcord(
  { baseUrl, jobId, apiKey, connections }: CallTarget,
  options: { readonly validate?: 'off' },
): Promise<Call> {
  const { Extraction } = await import('@concord/extraction')
  const { api } = new Extraction({ baseUrl, apiKey, connections, ...options })
  const path = { job_id: jobId }
  return () => api.getJob({ path })
}

interface Plan {
  readonly rounds: number
  /** The time limit of each of the two measurements: parallel calls, and one call at a time. */
  readonly limitMs: number
  readonly warmUpCalls: number
  readonly parallelCalls: number
  readonly serialCalls: number
}

const PLANS: Readonly<Record<Extent, Plan>> = {
  full: { rounds: 40, limitMs: 20_000, warmUpCalls: 10_000, parallelCalls: 1_500, serialCalls: 500 },
  quick: { rounds: 7, limitMs: 3_000, warmUpCalls: 2_000, parallelCalls: 700, serialCalls: 200 },
  smoke: { rounds: 2, limitMs: 1_000, warmUpCalls: 5, parallelCalls: 5, serialCalls: 2 },
}

export const calls: Row = {
  name: 'calls',
  title: 'GET and decode a completed job',
  run: (context) => measureCalls(ownSubjects(import.meta.filename, subjects), PLANS[context.extent], context),
}

/** @throws WrongResultError if a subject returns something other than what the server sent. */
export async function measureCalls(
  all: Subjects,
  plan: Plan,
  context: RowContext,
): Promise<readonly Figure[]> {
  const job = completedJob()
  const { module: stockModule } = await stockClient()
  await using processes = new AsyncDisposableStack()
  const server = processes.use(startServer('jobs', context))
  const target = { ...(await jobAddress(server)), connections: CONNECTIONS, stockModule }

  const workers = new Map<string, Child>()
  for (const [name, file] of all) {
    context.progress(`calls: warming up ${name}`)
    const worker = processes.use(startSubject(import.meta.filename, [name, file], target, { context }))
    checkResult(name, await worker.ask('call'), job)
    await worker.ask('burst', { count: plan.warmUpCalls, inFlight: CONNECTIONS })
    await worker.ask('burst', { count: Math.ceil(plan.warmUpCalls / 5), inFlight: 1 })
    workers.set(name, worker)
  }

  const measure = (what: string, burst: Burst) =>
    interleave(workers, (worker) => worker.ask<Cost>('burst', burst), {
      ...plan,
      ...context,
      what: `calls: ${what}`,
    })
  const parallel = await measure(`${CONNECTIONS} in flight`, {
    count: plan.parallelCalls,
    inFlight: CONNECTIONS,
  })
  const serial = await measure('one after the other', { count: plan.serialCalls, inFlight: 1 })
  for (const [name, worker] of workers) checkResult(name, await worker.ask('call'), job)

  return toFigures(parallel, serial, plan)
}

type Results = ReadonlyMap<string, readonly Cost[]>

function toFigures(parallel: Results, serial: Results, { parallelCalls, serialCalls }: Plan): Figure[] {
  const job = completedJob()
  const time = {
    meaning: 'time per call, and speed relative to raw undici (for the speed, more is better)',
    unit: 'us',
    compare: 'speed',
  } as const
  const processorTime = {
    meaning: 'measured for the whole client process, also as a ratio to raw undici; less is better',
    unit: 'ms',
    compare: 'cost',
  } as const
  return [
    toFigure({
      ...time,
      title: `${CONNECTIONS} in flight`,
      results: parallel,
      value: ({ elapsedMs }) => (elapsedMs * 1000) / parallelCalls,
      targets: [
        { direction: 'at least', limit: 0.8, of: 'compared' },
        { direction: 'at least', limit: 0.9, of: 'compared' },
      ],
      notes: [
        `${parallelCalls} calls in each round; ${Buffer.byteLength(JSON.stringify(job))} bytes of JSON with ${countValues(job)} values`,
        "'concord' and 'stock client' check the request and the response against the contract; 'concord unchecked' checks only the request",
      ],
    }),
    toFigure({
      ...time,
      title: 'one after the other',
      results: serial,
      value: ({ elapsedMs }) => (elapsedMs * 1000) / serialCalls,
      targets: [{ direction: 'at least', limit: 0.95, of: 'compared' }],
      notes: [`${serialCalls} calls in each round`],
    }),
    toFigure({
      ...processorTime,
      title: `processor time of ${CALLS_OF_CPU_FIGURE} calls, ${CONNECTIONS} in flight`,
      results: parallel,
      value: ({ cpuMs }) => (cpuMs * CALLS_OF_CPU_FIGURE) / parallelCalls,
      targets: [{ direction: 'at most', limit: 1.3, of: 'compared' }],
    }),
    toFigure({
      ...processorTime,
      title: `processor time of ${CALLS_OF_CPU_FIGURE} calls, one after the other`,
      results: serial,
      value: ({ cpuMs }) => (cpuMs * CALLS_OF_CPU_FIGURE) / serialCalls,
    }),
  ]
}

interface Burst {
  readonly count: number
  readonly inFlight: number
}

if (import.meta.main)
  void serveSubject<Call>((call) => ({
    call,
    burst: ({ count, inFlight }: Burst) =>
      costOf(() => {
        let left = count
        const lane = async () => {
          while (left-- > 0) await call()
        }
        return Promise.all(Array.from({ length: inFlight }, lane))
      }),
  }))
