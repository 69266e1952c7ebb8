import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { virtualClock, type VirtualClock } from '@concord/runtime/testing'
import { expect, it } from 'vitest'

import { extractionService, type FleetService, mediaService, type ServiceLimits } from '../src/index.ts'
import { emulatedClients } from './support/clients.ts'
import { testDatabase } from './support/database.ts'
import { requestsOf, startWorker, workUntil } from './support/fleet.ts'
import { stubService } from './support/stub-service.ts'

const database = testDatabase()
const document = { file: 'receipt.png' }
// In memory, because a virtual clock doesn't wait for a file.
const content = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'examples', 'documents', document.file),
)
const picture = {
  operation: 'textToImage',
  request: { model: 'gen4_image_turbo', promptText: 'a' },
} as const

interface Sent {
  readonly method: string
  readonly path: string
  readonly atMs: number
}

/** Changes the response to a poll. `poll` is its number among all polls, from 0. */
type Poll = (poll: number, usual: Response) => Response | Promise<Response>

/** Clients of an emulator on a virtual clock, whose responses to polls can be replaced; and what they sent. */
async function services(clock: VirtualClock, { onPoll, limits }: { onPoll: Poll; limits?: ServiceLimits }) {
  const sent: Sent[] = []
  let polls = 0
  const { extraction, media } = await emulatedClients({ clock }, async (request, send) => {
    const path = new URL(request.url).pathname
    sent.push({ method: request.method, path, atMs: clock.elapsedMs })
    return request.method === 'GET' ? onPoll(polls++, await send(request)) : send(request)
  })
  const options = {
    sink: () => undefined,
    firstDelay: 1_000,
    minDelay: 1_000,
    maxDelay: 2_000,
    ...(limits && { limits }),
  } as const
  // The types of the requests don't matter here.
  const documents = extractionService(extraction, { ...options, open: () => content })
  const kinds = { documents, images: mediaService(media, options) } as Record<Kind, FleetService<unknown>>
  return { sent, kinds }
}

const answered = (status: number, retryAfter: string | undefined, body: unknown = {}) =>
  Response.json(body, { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } })

const CLIENTS = ['documents', 'images'] as const
type Kind = (typeof CLIENTS)[number]
const request = { documents: document, images: picture }

it.each(CLIENTS.flatMap((client) => ([429, 503] as const).map((status) => [client, status] as const)))(
  'R-23: a poll of %s that gets a %i with a Retry-After pauses all workers for that time, also one that starts later',
  async (client, status) => {
    using clock = virtualClock()
    const schema = `paused_${client}_${status}`
    const told = Promise.withResolvers<void>()
    let notified = 0
    const { sent, kinds } = await services(clock, {
      onPoll(poll, usual) {
        if (poll > 0) return usual
        // Virtual time would otherwise pass while the database notifies the workers.
        void clock.track(told.promise)
        return answered(status, '120')
      },
    })
    const open = () => {
      const pool = database.newPool()
      pool.on('connect', (connection) => {
        connection.on('notification', ({ payload = '' }) => {
          if (payload.startsWith('pause') && ++notified === 2) told.resolve()
        })
      })
      return database.fleet(schema, kinds[client], { pool, clock })
    }
    const [one, other, late] = [open(), open(), open()]
    const jobs = Array.from({ length: 3 }, () => request[client])
    const workers = [startWorker(one), startWorker(other)]
    const listening = `pg_stat_activity where query = 'listen "${schema}_fleet"'`
    await expect.poll(() => database.count(listening)).toBe(2)
    await late.stub.enqueue(jobs)
    await told.promise
    await late.stub.enqueue(jobs)
    workers.push(startWorker(late))
    await database.becomes(schema, { done: 6 })
    await Promise.all(workers.map((worker) => worker.stop()))
    const first = sent.findIndex(({ method }) => method === 'GET')
    const afterMs = sent.slice(first + 1).map(({ atMs }) => atMs - sent[first]!.atMs)
    // Polls that were sent at the same moment, before the response arrived.
    const next = afterMs.find((ms) => ms > 0)!
    expect(next).toBeGreaterThanOrEqual(120_000)
    expect(next).toBeLessThan(125_000)
  },
)

it.each(CLIENTS)(
  'R-23: a Retry-After on a pending poll of %s delays the next poll of that job alone, and a webhook does not shorten it',
  async (client) => {
    using clock = virtualClock()
    const schema = `asked_${client}`
    const held: number[] = []
    const limit = {
      acquire: async () => {
        const sinceMs = clock.elapsedMs
        return { [Symbol.dispose]: () => void held.push(clock.elapsedMs - sinceMs) }
      },
    }
    let asked = ''
    const { sent, kinds } = await services(clock, {
      limits: { poll: limit },
      async onPoll(poll, usual) {
        if (poll > 0) {
          await fleet.webhook({ service: 'stub', id: asked })
          return usual
        }
        const { id } = (await usual.json()) as { id: string }
        asked = id
        const createdAt = new Date(clock.now()).toISOString()
        const pending = client === 'images' ? { createdAt, status: 'PENDING' } : { status: 'processing' }
        return answered(200, '120', { id, ...pending })
      },
    })
    const fleet = database.fleet(schema, kinds[client], { clock })
    await fleet.stub.enqueue(Array.from({ length: 4 }, () => request[client]))
    const worker = startWorker(fleet, { concurrency: 1 })
    await database.becomes(schema, { done: 4 })
    await worker.stop()
    const polls = sent.filter(({ method }) => method === 'GET')
    const [first, second] = polls.filter(({ path }) => path.includes(asked)).map(({ atMs }) => atMs)
    expect(second! - first!).toBeGreaterThanOrEqual(120_000)
    expect(second! - first!).toBeLessThan(125_000)
    expect(polls.findLastIndex(({ path }) => path.includes(asked))).toBeGreaterThanOrEqual(4)
    expect(Math.max(...held)).toBe(0)
  },
)

it('a failed poll among successes pauses nothing, and an outage pauses the service for longer each time', async () => {
  using clock = virtualClock()
  const polls: number[] = []
  let isDown = false
  const stub = stubService({
    polls: 3,
    delay: 10_000,
    onPoll(id) {
      if (isDown) polls.push(clock.elapsedMs)
      if (isDown || id === 'work-0') throw Object.assign(new Error('forbidden'), { status: 403 })
    },
  })
  const pool = database.newPool()
  const fleet = database.fleet('outage', stub.service, { pool, clock })
  await fleet.stub.enqueue(requestsOf(20))
  const worker = startWorker(fleet, { concurrency: 1 })
  const pauses = async () =>
    (await database.rows<{ pauses: number }>('select pauses from outage.fleet_services'))[0]?.pauses ?? 0
  await stub.stored(10)
  // Virtual time would otherwise pass while the database responds.
  expect(await clock.track(pauses())).toBe(0)
  isDown = true
  await expect.poll(() => polls.length).toBeGreaterThan(8)
  await worker.stop()
  const gaps = polls.slice(1).map((atMs, index) => atMs - polls[index]!)
  // The first failure alone could be its job's. After the second one, the service is paused.
  expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(1_000)
  expect(Math.max(...gaps)).toBeGreaterThanOrEqual(8_000)
  expect(await pauses()).toBeGreaterThan(4)
})

it('work that the service no longer knows becomes uncertain, or canceled if that was asked for', async () => {
  const stub = stubService({
    delay: 60 * 60_000,
    onPoll() {
      throw Object.assign(new Error('no such task'), { status: 404 })
    },
  })
  const gone = {
    ...stub.service,
    cancel: () => Promise.reject(Object.assign(new Error('no such task'), { status: 404 })),
  }
  const fleet = database.fleet('gone', gone, { pool: database.newPool() })
  await fleet.stub.enqueue([{ index: 0 }, { index: 1 }], { batch: 'both' })
  const worker = startWorker(fleet)
  await database.becomes('gone', { waiting: 2 })
  await fleet.cancel('stub/both/0')
  await fleet.webhook({ service: 'stub', id: 'work-1' })
  await database.becomes('gone', { cancelled: 1, uncertain: 1 })
  await worker.stop()
})

it('a result that can not be fetched because of the rate is fetched later, and no attempt is counted', async () => {
  using clock = virtualClock()
  const fetches: number[] = []
  let stores = 0
  const stub = stubService({
    onPoll() {
      if (stores === 0) return
      fetches.push(clock.elapsedMs)
      if (fetches.length <= 6)
        throw Object.assign(new Error('too many'), { status: 429, retryAfterMs: 60_000 })
    },
    onStore() {
      if (stores++ === 0) throw Object.assign(new Error('the address is busy'), { retryAfterMs: 30_000 })
    },
  })
  const pool = database.newPool()
  const fleet = database.fleet('fetched', stub.service, { pool, clock })
  await fleet.stub.enqueue([{ index: 0 }])
  const worker = startWorker(fleet)
  const ticket = async () => {
    const [row] = await database.rows<{ failures: number; dueInS: number }>(
      `select j.failures, extract(epoch from t.start_after - now())::float8 as "dueInS"
        from fetched.fleet_jobs j join fetched_queue.job t on t.id = j.ticket where j.phase = 'storing'`,
    )
    return row
  }
  await expect.poll(async () => (await ticket())?.failures).toBe(1)
  expect((await ticket())!.dueInS).toBeGreaterThan(20)
  // Tickets follow the clock of the database, so they are made due by hand.
  const stored = async () => {
    await database.rows('update fetched_queue.job set start_after = now()')
    return stub.results.size
  }
  await expect.poll(stored).toBe(1)
  await worker.stop()
  expect(fetches).toHaveLength(7)
  expect(fetches.slice(1).map((atMs, index) => atMs - fetches[index]! >= 60_000)).not.toContain(false)
  expect(worker.errors).toMatchObject([{ message: 'the address is busy' }])
  expect(await database.phases('fetched')).toEqual({ done: 1 })
})

it('a successful fetch of a result ends the series of pauses', async () => {
  using clock = virtualClock()
  const pauses: number[] = []
  const [fetches, stores] = [{ count: 0 }, { count: 0 }]
  const stub = stubService({
    onPoll() {
      if (stores.count > 0 && ++fetches.count % 2 === 1)
        throw Object.assign(new Error('too many'), { status: 429 })
    },
    onStore() {
      if (++stores.count < 3) throw new Error('the address is busy')
    },
  })
  const pool = database.newPool()
  pool.on('connect', (connection) => {
    connection.on('notification', ({ payload = '' }) => {
      if (payload.startsWith('pause')) pauses.push(Number(payload.split(' ')[2]))
    })
  })
  const fleet = database.fleet('fetched_again', stub.service, { pool, clock })
  await fleet.stub.enqueue([{ index: 0 }])
  const worker = startWorker(fleet)
  // Tickets follow the clock of the database, so they are made due by hand.
  const stored = async () => {
    await database.rows('update fetched_again_queue.job set start_after = now()')
    return stub.results.size
  }
  await expect.poll(stored).toBe(1)
  await worker.stop()
  expect(fetches.count).toBe(4)
  expect(pauses).toEqual([1000, 1000])
})

it('a result that is being fetched when its worker stops is left to another one, and no attempt is counted', async () => {
  const stub = stubService()
  const fetching = Promise.withResolvers<void>()
  const slow = {
    ...stub.service,
    poll: (_id: string, signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')))
        fetching.resolve()
      }),
  }
  const fleet = database.fleet('handed', slow)
  await fleet.stub.enqueue([{ index: 0 }], { batch: 'one' })
  await database.rows("update handed.fleet_jobs set phase = 'unstored', remote = 'work-0'")
  await database.rows('delete from handed_queue.job')
  await fleet.retry('stub/one/0')
  await workUntil(fleet, () => fetching.promise)
  const rows = await database.rows('select phase, failures from handed.fleet_jobs')
  expect(rows).toEqual([{ phase: 'storing', failures: 0 }])
  await workUntil(database.fleet('handed', stub.service), () => stub.stored(1))
})

it('the polls of a job are at least `minDelay` apart', async () => {
  using clock = virtualClock()
  const times = new Map<string, number[]>()
  const stub = stubService({
    polls: 2,
    delay: 10_000,
    onPoll: (id) => times.set(id, [...(times.get(id) ?? []), clock.elapsedMs]),
  })
  const fleet = database.fleet('spaced_polls', stub.service, { clock })
  await fleet.stub.enqueue(requestsOf(30))
  const worker = startWorker(fleet)
  await database.becomes('spaced_polls', { done: 30 })
  await worker.stop()
  const gaps = [...times.values()].map(([first = 0, second = 0]) => second - first)
  expect(gaps).toHaveLength(30)
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(10_000)
})
