import { expect, it, vi } from 'vitest'

import type { PostgresPool } from '../src/index.ts'
import type { Resolution } from '../src/jobs/interventions.ts'
import { Journal } from '../src/jobs/journal.ts'
import { Settler } from '../src/jobs/settler.ts'
import { Tickets } from '../src/jobs/tickets.ts'
import { Schema } from '../src/database/sql.ts'
import { systemClock } from '@concord/runtime/internal'
import { testDatabase } from './support/database.ts'
import { faultyPool } from './support/faulty-pool.ts'
import { requestsOf, startWorker } from './support/fleet.ts'
import { stubService } from './support/stub-service.ts'

const database = testDatabase()

it('webhooks that arrive before the id is stored, twice, after the end, or for unknown work change nothing but the time of a poll', async () => {
  const answered = Promise.withResolvers<void>()
  const stub = stubService({ polls: 1, delay: 60 * 60_000, beforeResponse: () => answered.promise })
  const fleet = database.fleet('hooked', stub.service)
  await fleet.stub.enqueue(requestsOf(2))
  const worker = startWorker(fleet)
  await expect.poll(() => stub.submissions.length).toBe(2)
  const hook = (id: string, service = 'stub') =>
    database.fleet('hooked', stub.service).webhook({ service, id })
  expect(await hook('work-0')).toBe(false)
  answered.resolve()
  await database.becomes('hooked', { waiting: 2 })

  for (const id of ['', 'work', '%', "work-0' or true --", 'work-0\0', '\uD800', 'x'.repeat(1_000_000)])
    expect(await hook(id)).toBe(false)
  expect(await hook('work-0', 'another')).toBe(false)
  expect(await database.phases('hooked')).toEqual({ waiting: 2 })
  const results = await Promise.all(Array.from({ length: 10 }, () => hook('work-0')))
  expect(results).toContain(true)
  await stub.stored(1)
  await database.becomes('hooked', { waiting: 1, done: 1 })
  expect(await hook('work-0')).toBe(false)
  await worker.stop()
  expect(stub.submissions.toSorted()).toEqual([0, 1])
  expect([...stub.results]).toEqual([[expect.stringMatching(/-0$/), 1]])
})

/** An uncertain job whose worker learns the id late, while a person resolves it. */
async function contested(name: string) {
  const schema = new Schema(name)
  const stub = stubService()
  const gate = Promise.withResolvers<void>()
  /** A pool that stops after the statement that locks the job. */
  const pausing = () => {
    const pool = faultyPool(database.pool, (text) => {
      if (/for update of [jl]/.test(text)) pool.held = gate.promise
      return 'pass'
    })
    return pool
  }
  await database.fleet(name, stub.service).stub.enqueue(requestsOf(1), { batch: 'all' })
  await database.pool.query(`delete from ${name}_queue.job`)
  await database.pool.query(`update ${name}.fleet_jobs set phase = 'uncertain', intent = 1, ticket = null`)
  const settle = (pool: PostgresPool) => {
    const onError = (error: unknown) => {
      throw error
    }
    const tickets = new Tickets(pool, schema, ['stub'])
    const journal = new Journal(schema, () => null)
    const common = { pool, schema, journal, tickets, clock: systemClock, onError, worker: () => 1 }
    const own = { channel: `${name}_fleet`, name: 'stub', service: stub.service as never }
    const settler = new Settler({ ...common, ...own })
    const change = { batch: 1, position: 0, intent: 1, from: 'submitting', phase: 'waiting' } as const
    return settler.add({ ...change, remote: 'work-0' })
  }
  const resolve = (pool: PostgresPool, resolution: Resolution) =>
    database.fleet(name, stub.service, { pool }).resolve('stub/all/0', resolution)
  const job = async () => {
    const [row] = await database.rows(
      `select phase, remote, (select count(*)::int from ${name}_queue.job) as tickets,
        array(select remote from ${name}.fleet_orphans) as orphans from ${name}.fleet_jobs`,
    )
    return row
  }
  return { settle, resolve, pausing, job, go: gate.resolve }
}

it.each<[name: string, resolution: Resolution, after: object]>([
  ['not_sent', 'not-sent', { phase: 'queued', remote: null, tickets: 1, orphans: ['work-0'] }],
  ['abandon', 'abandon', { phase: 'failed', remote: null, tickets: 0, orphans: ['work-0'] }],
  ['same', { acceptedAs: 'work-0' }, { phase: 'waiting', remote: 'work-0', tickets: 0, orphans: [] }],
  [
    'other',
    { acceptedAs: 'work-7' },
    { phase: 'waiting', remote: 'work-7', tickets: 0, orphans: ['work-0'] },
  ],
])(
  'an id that arrives while a person resolves its job (%s) is kept, and the resolution remains',
  async (name, resolution, after) => {
    const { settle, resolve, pausing, job, go } = await contested(`first_${name}`)
    const resolving = resolve(pausing(), resolution)
    // The worker's change waits for the person's, which has locked the job.
    const locks = `pg_locks where mode = 'RowShareLock' and relation = 'first_${name}.fleet_jobs'::regclass`
    await expect.poll(() => database.count(locks)).toBeGreaterThan(0)
    const settling = settle(database.pool)
    await database.blocked()
    go()
    await resolving
    expect(await settling).toBe(false)
    expect(await job()).toEqual(after)
  },
)

it.each<[name: string, resolution: Resolution]>([
  ['not_sent', 'not-sent'],
  ['abandon', 'abandon'],
  ['other', { acceptedAs: 'work-7' }],
])(
  'a person who resolves a job (%s) while its worker stores the id learns that it is not uncertain any longer',
  async (name, resolution) => {
    const { settle, resolve, pausing, job, go } = await contested(`second_${name}`)
    const settling = settle(pausing())
    const locks = `pg_locks where mode = 'RowExclusiveLock' and relation = 'second_${name}.fleet_jobs'::regclass`
    await expect.poll(() => database.count(locks)).toBeGreaterThan(0)
    const resolving = resolve(database.pool, resolution)
    const rejected = expect(resolving).rejects.toThrow(
      '"stub/all/0" isn\'t the name of an uncertain or expired job',
    )
    await database.blocked()
    go()
    expect(await settling).toBe(true)
    await rejected
    expect(await job()).toEqual({ phase: 'waiting', remote: 'work-0', tickets: 0, orphans: [] })
  },
)

it('workers whose clocks differ by many minutes, and jump, submit and store each job once, and end none early', async () => {
  const stub = stubService({ polls: 2 })
  const realNow = Date.now.bind(Date)
  let readings = 0
  const clock = vi
    .spyOn(Date, 'now')
    .mockImplementation(() => realNow() + ((readings++ % 5) - 2) * 11 * 60_000)
  try {
    const fleets = [1, 2, 3].map(() => database.fleet('clocks', stub.service, { pool: database.newPool() }))
    await fleets[0]!.stub.enqueue(requestsOf(100), { batch: 'all', deadline: '5m' })
    const workers = fleets.map((fleet) => startWorker(fleet))
    await stub.stored(100)
    await Promise.all(workers.map((worker) => worker.stop()))
    expect(workers.flatMap(({ errors }) => errors)).toEqual([])
    expect(await database.phases('clocks')).toEqual({ done: 100 })
    expect(stub.submissions).toHaveLength(100)
    expect([...stub.results.values()].every((count) => count === 1)).toBe(true)
    expect(readings).toBeGreaterThan(0)
  } finally {
    clock.mockRestore()
  }
})
