import { expect, it } from 'vitest'

import { DeadlineError, type Extraction, JobFailedError } from '../src/index.ts'
import { invoice, offline, rejection, responding } from './support.ts'

const webhook_url = 'https://hooks.example/extraction'
const ids = Array.from({ length: 5 }, (_, index) => `7f3c2a10-0000-4000-8000-00000000000${index}`)
const id = ids[0]!
const job = { id, created_at: '2026-03-02T09:00:00Z', completed_at: '2026-03-02T09:00:09Z' }

it.each([
  ['a job', (extraction: Extraction) => extraction.job(id).wait(), 11_667],
  ['an optimization', (extraction: Extraction) => extraction.optimization(id).wait(), 12_500],
] as const)(
  'R-33: after a failed poll of %s, the next poll comes at the pace of polls, which `random` spreads',
  async (_what, wait, soonestMs) => {
    const responses = [
      Response.json({}, { status: 503 }),
      Response.json({ ...job, status: 'processing' }),
      Response.json({ ...job, status: 'completed', result: {} }),
    ]
    const atMs: number[] = []
    const respond = () => {
      atMs.push(Math.round(clock.elapsedMs))
      return responses.shift()!
    }
    const { extraction, clock } = responding(respond, { random: () => 0 })
    await wait(extraction)
    expect(atMs).toEqual([0, 5000, soonestMs])
  },
)

it('R-60: an observer sees the polls of jobs and of optimizations', async () => {
  const polls: string[] = []
  const { extraction } = responding(() => Response.json({ ...job, status: 'completed', result: {} }), {
    observe: (event) => void (event.type === 'poll' && polls.push(event.operation)),
  })
  await Promise.all([extraction.job(id).wait(), extraction.optimization(id).wait()])
  expect(polls.toSorted()).toEqual(['getJob', 'getOptimizationJob'])
})

it('R-34: no more polls are under way at once than `connections` allows', async () => {
  let underWay = 0
  let most = 0
  const { extraction, clock } = responding(
    async () => {
      most = Math.max(most, ++underWay)
      await new Promise<void>((resolve) => clock.setTimer(resolve, 100))
      underWay--
      return Response.json({ ...job, status: 'completed', result: {} })
    },
    { polling: { connections: 2 } },
  )
  await Promise.all(ids.map((each) => extraction.job(each).wait()))
  expect(most).toBe(2)
})

it('a wait without its own deadline lasts 5 minutes, as the service recommends, and then says nothing about the job', async () => {
  const { extraction, clock } = await offline(
    {},
    { choices: { courseOf: () => ({ processingMs: 3_600_000 }) } },
  )
  const job = await extraction.submit({ file: invoice })
  const error = await rejection(job.wait())
  expect(DeadlineError.is(error)).toBe(true)
  expect(error).toMatchObject({ id: job.id, lastState: 'processing' })
  expect(clock.elapsedMs).toBe(300_000)
})

it('a wait in addition to a webhook ends even if the webhook is lost', async () => {
  const { extraction, emulator } = await offline()
  emulator.extraction.control.faults.add({ kind: 'webhook-lost' })
  const done = await (await extraction.submit({ file: invoice, webhook_url })).wait()
  expect(done).toMatchObject({ status: 'completed', webhook_url, webhook_delivered: false })
})

it('a wait in addition to a webhook ends when the job fails, which no webhook reports', async () => {
  let calls = 0
  const webhookFetch = async () => {
    calls++
    return new Response()
  }
  const { extraction, emulator } = await offline({}, { webhookFetch })
  emulator.extraction.control.scriptJobs({ outcome: 'fail', error: 'poor scan' })
  const job = await extraction.submit({ file: invoice, webhook_url })
  const error = await rejection(job.wait())
  expect(JobFailedError.is(error)).toBe(true)
  expect(error).toMatchObject({
    code: 'operation-failed',
    operation: 'getJob',
    id: job.id,
    reason: 'poor scan',
    advice: 'none',
    job: { status: 'failed' },
  })
  expect(calls).toBe(0)
})
