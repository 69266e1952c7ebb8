import { type VirtualClock, virtualClock } from '@concord/runtime/testing'
import { beforeAll, expect, it } from 'vitest'

import type { Fleet } from '../src/index.ts'
import { testDatabase } from './support/database.ts'
import { faultyPool } from './support/faulty-pool.ts'
import { requestsOf, workUntil } from './support/fleet.ts'
import { stubService } from './support/stub-service.ts'

const database = testDatabase()
/**
 * The most cuts of one act. Otherwise, an act that needs as many statements to retry as lie between two cuts would never
 * end.
 */
const MOST_CUTS = 5
/** The responses to requests from this index on are lost. */
const LOST_FROM = 1_000_000
const stub = stubService({
  polls: 2,
  onSubmit(index) {
    if (index >= LOST_FROM) throw new Error('the response was lost')
  },
})
const open = (options?: { readonly clock: VirtualClock }) =>
  database.fleet('cuts', stub.service, { pool, ...options })

/** `cut-all` ends all connections of the pool, as a failover does. */
type Kind = 'cut-before' | 'cut-after' | 'cut-all' | 'full'
const KINDS: readonly Kind[] = ['cut-before', 'cut-after', 'cut-all', 'full']
let cut: { readonly kind: Kind; readonly at: number; readonly every: number } | undefined
let statements = 0
let cutsOfAct = 0
/** The clock of the current worker. */
let clock: VirtualClock | undefined
let pool: ReturnType<typeof faultyPool>
let sound: Fleet<{ readonly stub: typeof stub.service }>
beforeAll(() => {
  pool = faultyPool(database.newPool({ application_name: 'victim' }), async () => {
    statements++
    if (cut === undefined || statements < cut.at || (statements - cut.at) % cut.every > 0) return 'pass'
    if (++cutsOfAct > MOST_CUTS) return 'pass'
    if (cut.kind !== 'cut-all') return cut.kind
    // Virtual time would otherwise pass while the server ends them.
    await (clock?.track(endConnections()) ?? endConnections())
    return 'pass'
  })
  sound = database.fleet('cuts', stub.service)
})

/** Ends all connections of the pool at the server, also those with statements in progress. */
async function endConnections(): Promise<void> {
  const ended = await database.rows<{ pid: number }>(
    `select pid, pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'victim' and datname = current_database()`,
  )
  const pids = ended.map(({ pid }) => pid)
  while ((await database.rows('select 1 from pg_stat_activity where pid = any($1)', [pids])).length > 0);
}

/**
 * Repeats a step. The connection is cut in the first statement of its act, then in the second, and so on: each time once
 * before the statement is sent, and once after it is executed. After that, all connections
 * are cut in each statement, and then the disk is full.
 *
 * @param step - Calls `act` with the work whose statements are cut. Each step has its own number.
 * @param every - Within one act, the connection is cut again each time after this many statements. Default: it is cut once.
 * @returns The number of cuts.
 */
async function cutEverywhere(
  step: (number: number, act: (work: () => Promise<void>) => Promise<void>) => Promise<void>,
  every = Infinity,
): Promise<number> {
  let steps = 0
  let cuts = 0
  for (const kind of KINDS) {
    for (let at = 1; at <= every; at++) {
      await step(++steps, async (work) => {
        statements = 0
        cutsOfAct = 0
        cut = { kind, at, every }
        await work()
        cut = undefined
      })
      cuts += Math.min(cutsOfAct, MOST_CUTS)
      if (statements < at) break
    }
  }
  return cuts
}

/**
 * Repeats a call that failed because of the cut, as a caller would: a few times, because a pool hands out connections until it
 * notices their end.
 */
async function repeatedly<Result>(call: () => Promise<Result>, tries = 5): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    expect(error).toMatchObject({
      code: 'database',
      reason: expect.stringMatching(/^(unavailable|full)$/) as string,
      remedy: expect.any(String) as string,
    })
    if (tries === 1) throw error
    return repeatedly(call, tries - 1)
  }
}

const jobs = (batch: string) =>
  database.rows<{ phase: string; remote: string | null; ticket: string | null }>(
    `select phase, remote, j.ticket from cuts.fleet_jobs j join cuts.fleet_batches b on b.id = j.batch
      where b.name = $1 order by position`,
    [batch],
  )

const tickets = () => database.count('cuts_queue.job')

it('in any statement of enqueuing or canceling, a cut connection, the end of all connections and a full disk add and cancel each request once', async () => {
  const fleet = open()
  const started = await tickets().catch(() => 0)
  const cuts = await cutEverywhere(async (number, act) => {
    const batch = `enqueued-${number}`
    await act(async () => {
      // The first rounds also cover the start of the fleet, which creates its tables.
      await repeatedly(() => fleet.stub.enqueue([{ index: 1 }, { index: 2 }], { batch }))
    })
    expect((await jobs(batch)).map(({ phase }) => phase)).toEqual(['queued', 'queued'])
    expect(await tickets()).toBe(started + 2)
    await sound.cancel(`stub/${batch}`)
  })
  expect(cuts).toBeGreaterThan(30)
  const canceled = await cutEverywhere(async (number, act) => {
    const batch = `canceled-${number}`
    await sound.stub.enqueue([{ index: 1 }, { index: 2 }], { batch })
    await act(async () => void (await repeatedly(() => fleet.cancel(`stub/${batch}`))))
    expect((await jobs(batch)).map(({ phase }) => phase)).toEqual(['cancelled', 'cancelled'])
    expect(await tickets()).toBe(started)
  })
  expect(canceled).toBeGreaterThan(10)
  await fleet.close()
})

it('in any statement of a worker, a cut connection, the end of all connections and a full disk neither lose nor duplicate its job, and nothing becomes uncertain', async () => {
  const cuts = await cutEverywhere(async (number, act) => {
    using own = virtualClock()
    clock = own
    const fleet = open({ clock })
    const batch = `worked-${number}`
    const index = 1_000 + number
    await sound.stub.enqueue([{ index }], { batch })
    // The start of a fleet has its own test.
    await fleet.stub.enqueue([], { batch: 'none' })
    const stop = new AbortController()
    await act(async () => {
      const done = stub.stored(stub.results.size + 1)
      const working = repeatedly(() => fleet.work({ signal: stop.signal, onError: () => undefined }))
      await Promise.race([done, working])
      stop.abort()
      await working
    })
    expect(await jobs(batch)).toEqual([{ phase: 'done', remote: `work-${index}`, ticket: null }])
    expect(stub.submissions.filter((each) => each === index)).toHaveLength(1)
  }, 12)
  clock = undefined
  expect(cuts).toBeGreaterThan(80)
  expect(await tickets()).toBe(0)
  expect((await sound.status()).orphans).toEqual([])
})

it('in any statement of resolving or retrying, a cut connection, the end of all connections and a full disk leave the job either unchanged or changed as requested', async () => {
  const fleet = open()
  await fleet.stub.enqueue([], { batch: 'none' })
  await sound.stub.enqueue(requestsOf(300, LOST_FROM), { batch: 'open' })
  const inPhase = async (phase: string) => (await jobs('open')).filter((job) => job.phase === phase).length
  await workUntil(sound, () => expect.poll(() => inPhase('uncertain')).toBe(300), { concurrency: 300 })
  let position = 0
  for (const [resolution, phase] of [
    ['not-sent', 'queued'],
    ['abandon', 'failed'],
    [{ acceptedAs: 'work-7' }, 'waiting'],
  ] as const) {
    await cutEverywhere(async (_, act) => {
      const job = position++
      await act(() =>
        fleet.resolve(`stub/open/${job}`, resolution).catch(async (error: unknown) => {
          expect(error).toMatchObject({ reason: expect.stringMatching(/^(unavailable|full)$/) as string })
          const { phase: now } = (await jobs('open'))[job]!
          if (now === 'uncertain') await fleet.resolve(`stub/open/${job}`, resolution)
        }),
      )
      expect((await jobs('open'))[job]).toMatchObject({ phase })
    })
  }
  position = 200
  await database.pool.query(`update cuts.fleet_jobs set phase = 'failed' where phase = 'uncertain'`)
  await cutEverywhere(async (_, act) => {
    const job = position++
    await act(async () => void (await repeatedly(() => fleet.retry(`stub/open/${job}`))))
    expect((await jobs('open'))[job]).toMatchObject({ phase: 'queued', ticket: expect.any(String) as string })
  })
  expect(await inPhase('queued')).toBe(await tickets())
  await fleet.close()
})
