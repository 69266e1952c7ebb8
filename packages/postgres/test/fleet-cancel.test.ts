import { OptionsError } from '@concord/runtime'
import { virtualClock } from '@concord/runtime/testing'
import { expect, it, onTestFinished } from 'vitest'

import type { FleetService } from '../src/index.ts'
import { testDatabase } from './support/database.ts'
import { requestsOf, startWorker } from './support/fleet.ts'
import { stubService, type StubService } from './support/stub-service.ts'

const database = testDatabase()

const jobs = (schema: string) =>
  database.rows<{ phase: string; reason: string | null }>(
    `select phase, reason from ${schema}.fleet_jobs order by batch, position`,
  )

const phasesOf = async (schema: string) => (await jobs(schema)).map(({ phase }) => phase)

function start(schema: string, service: StubService['service']) {
  const clock = virtualClock()
  const fleet = database.fleet(schema, service, { clock })
  let worker: ReturnType<typeof startWorker> | undefined
  onTestFinished(async () => {
    await worker?.stop()
    clock[Symbol.dispose]()
  })
  return { fleet, work: () => (worker = startWorker(fleet)) }
}

it('an expired job is canceled at the service if it was submitted, and never submitted otherwise', async () => {
  const stub = stubService({ polls: 1_000_000, delay: 60_000 })
  const { fleet, work } = start('late', stub.service)
  await fleet.stub.enqueue(requestsOf(3), { batch: 'short', deadline: '10m' })
  work()
  await expect.poll(() => phasesOf('late')).toEqual(['expired', 'expired', 'expired'])
  await database.pool.query(`update late.fleet_jobs set remote = null where position = 2`)
  expect(await fleet.cancel('stub/short')).toBe(3)
  await expect.poll(() => phasesOf('late')).toEqual(['cancelled', 'cancelled', 'cancelled'])
  expect(stub.cancelled.toSorted()).toEqual(['work-0', 'work-1'])
  expect((await jobs('late')).map(({ reason }) => reason)).toEqual([
    'Canceled at the service.',
    'Canceled at the service.',
    'Canceled before it was submitted.',
  ])
  expect(await fleet.cancel('stub/short')).toBe(0)
  expect((await fleet.status()).orphans).toEqual([])
})

it('if a service cannot cancel, canceled work is not awaited any longer, and is reported with its id', async () => {
  const stub = stubService({ polls: 1_000_000, delay: 60_000 })
  const service: FleetService<{ index: number }, { id: string; index: number }> = {
    ...stub.service,
    cancel: () => Promise.resolve(false),
  }
  const { fleet, work } = start('kept', service)
  await fleet.stub.enqueue(requestsOf(2), { batch: 'all' })
  work()
  await expect.poll(() => phasesOf('kept')).toEqual(['waiting', 'waiting'])
  expect(await fleet.cancel('stub/all/1')).toBe(1)
  await expect.poll(() => phasesOf('kept')).toEqual(['waiting', 'cancelled'])
  expect((await jobs('kept'))[1]!.reason).toContain('may still finish and be charged')
  const { orphans, batches } = await fleet.status()
  expect(orphans).toEqual([{ job: 'stub/all/1', id: 'work-1' }])
  // It may be charged.
  expect(batches[0]).toMatchObject({ cost: { submitted: { unpriced: 2 } } })
})

it('a job that is canceled while its request is denied for now is never submitted again', async () => {
  const denied = Promise.withResolvers<void>()
  const stub = stubService({
    async beforeResponse() {
      await denied.promise
      throw Object.assign(new OptionsError('rate', 'is used up.', 'Wait.'), { status: 429 })
    },
  })
  const { fleet, work } = start('again', stub.service)
  await fleet.stub.enqueue(requestsOf(1), { batch: 'all' })
  work()
  await expect.poll(() => stub.submissions).toEqual([0])
  expect(await fleet.cancel('stub/all')).toBe(1)
  expect((await fleet.status()).batches[0]).toMatchObject({ canceling: 1, phases: { submitting: 1 } })
  denied.resolve()
  await expect.poll(() => phasesOf('again')).toEqual(['cancelled'])
  expect(stub.submissions).toEqual([0])
  expect(await database.count('again_queue.job')).toBe(0)
  expect((await fleet.status()).batches[0]).toMatchObject({ canceling: 0 })
})

it('a job that is canceled while a worker that sends it dies is uncertain, and can be resolved', async () => {
  const stub = stubService()
  const { fleet, work } = start('died', stub.service)
  await fleet.stub.enqueue(requestsOf(3), { batch: 'all' })
  await database.pool.query(
    `update died.fleet_jobs set phase = 'submitting', intent = 1, worker = 99, cancel_asked = true where position < 2`,
  )
  await database.pool.query(`update died_queue.job set state = 'active' where (data->>'position')::int < 2`)
  work()
  await expect.poll(() => phasesOf('died')).toEqual(['uncertain', 'uncertain', 'done'])
  await fleet.resolve('stub/all/0', { acceptedAs: 'work-0' })
  await fleet.resolve('stub/all/1', 'not-sent')
  await expect.poll(() => phasesOf('died')).toEqual(['done', 'done', 'done'])
  expect(stub.submissions.toSorted()).toEqual([1, 2])
  expect(stub.cancelled).toEqual([])
})

it('work that the service does not cancel because it has ended keeps its result', async () => {
  const stub = stubService({ polls: 2, delay: 60_000 })
  const refused = Object.assign(new Error('it has ended'), { status: 409 })
  const { fleet, work } = start('refused', { ...stub.service, cancel: () => Promise.reject(refused) })
  await fleet.stub.enqueue(requestsOf(1), { batch: 'all' })
  const { errors } = work()
  await expect.poll(() => phasesOf('refused')).toEqual(['waiting'])
  expect(await fleet.cancel('stub/all')).toBe(1)
  await expect.poll(() => phasesOf('refused')).toEqual(['done'])
  expect(errors).toContain(refused)
  expect([...stub.results.values()]).toEqual([1])
})

it('canceling and retrying change the jobs of a large batch once each, and no others', async () => {
  const stub = stubService()
  const { fleet } = start('large', stub.service)
  await fleet.stub.enqueue(requestsOf(2_300), { batch: 'large' })
  await fleet.stub.enqueue(requestsOf(2), { batch: 'large/7' })
  expect(await fleet.cancel('stub/large/5')).toBe(1)
  // The name of a batch can look like the name of a job.
  expect(await fleet.cancel('stub/large/7')).toBe(3)
  expect(await fleet.cancel('stub/large')).toBe(2_298)
  expect(await fleet.cancel('stub/large')).toBe(0)
  expect(await database.count('large_queue.job')).toBe(0)
  await database.pool.query(`update large.fleet_jobs set phase = 'failed' where batch = 1`)
  expect(await fleet.retry('stub/large')).toBe(2_300)
  expect((await fleet.status()).batches).toMatchObject([
    { phases: { queued: 2_300 } },
    { phases: { cancelled: 2 } },
  ])
})

it.each(['stub/typo', 'stub/few/7', 'stub', 'other/few', 'stub/few/01234567890'])(
  'the name %s of no batch or job is rejected, and nothing is changed',
  async (name) => {
    const schema = 'names'
    const { fleet } = start(schema, stubService().service)
    await fleet.stub.enqueue(requestsOf(1), { batch: 'few' })
    for (const act of [fleet.cancel, fleet.retry])
      await expect(act(name)).rejects.toMatchObject({
        option: 'what',
        message: expect.stringContaining(`Unknown batch or job "${name}". Nothing was changed.`) as string,
      })
    await expect(fleet.resolve(name, 'abandon')).rejects.toThrow(OptionsError)
    expect(await phasesOf(schema)).toEqual(['queued'])
  },
)
