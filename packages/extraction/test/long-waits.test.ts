import { describe, expect, it } from 'vitest'

import { DeadlineError, JobFailedError } from '../src/index.ts'
import { invoice, offline } from './support.ts'

const webhook_url = 'https://hooks.example/extraction'

describe('a wait without its own deadline', () => {
  it('lasts 5 minutes, as the service recommends, and then says nothing about the job', async () => {
    const { extraction, clock } = await offline(
      {},
      { extraction: { choices: { courseOf: () => ({ processingMs: 3_600_000 }) } } },
    )
    const job = await extraction.submit({ file: invoice })
    const error = await job.wait().catch((caught: unknown) => caught)
    expect(DeadlineError.is(error)).toBe(true)
    expect(error).toMatchObject({ id: job.id, lastState: 'processing' })
    expect(clock.elapsedMs).toBe(300_000)
  })

  it('continues after polls that the rate of the plan rejects', async () => {
    const { extraction, emulator } = await offline(
      {},
      { extraction: { plan: 'free', choices: { courseOf: () => ({ processingMs: 200_000 }) } } },
    )
    const jobs = await Promise.all([1, 2, 3].map(() => extraction.submit({ file: invoice })))
    const done = await Promise.all(jobs.map((job) => job.wait()))
    expect(done.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
    const denied = emulator.extraction.control.requests().filter(({ status }) => status === 429)
    expect(denied.length).toBeGreaterThan(0)
  })
})

describe('a wait in addition to a webhook', () => {
  it('ends even if the webhook is lost', async () => {
    const { extraction, emulator } = await offline()
    emulator.extraction.control.faults.add({ kind: 'webhook-lost' })
    const done = await (await extraction.submit({ file: invoice, webhook_url })).wait()
    expect(done).toMatchObject({ status: 'completed', webhook_url, webhook_delivered: false })
  })

  it('ends when the job fails, which no webhook reports', async () => {
    let calls = 0
    const webhookFetch = async () => {
      calls++
      return new Response()
    }
    const { extraction, emulator } = await offline({}, { extraction: { webhookFetch } })
    emulator.extraction.control.scriptJobs({ outcome: 'fail', error: 'poor scan' })
    const job = await extraction.submit({ file: invoice, webhook_url })
    const error = await job.wait().catch((caught: unknown) => caught)
    expect(JobFailedError.is(error)).toBe(true)
    expect(error).toMatchObject({ reason: 'poor scan' })
    expect(calls).toBe(0)
  })
})
