import { expect, it } from 'vitest'

import type { EmulatorOptions, ExtractionOptions } from '../../src/index.ts'
import { pdfFile, schemaText, startExtraction } from '../support/extraction.ts'

const webhook_url = 'https://hooks.example/extraction'

/** Starts a service whose receiver responds with these statuses in order, then with 200, and keeps what it received. */
async function start(
  options: ExtractionOptions = {},
  statuses: number[] = [],
  emulator: EmulatorOptions = {},
) {
  const got: { method: string; url: string; headers: Headers; body: Record<string, unknown> }[] = []
  const service = await startExtraction(
    {
      async webhookFetch(request) {
        const { method, url, headers } = request
        got.push({ method, url, headers, body: (await request.json()) as Record<string, unknown> })
        return new Response(null, { status: statuses.shift() ?? 200 })
      },
      ...options,
    },
    emulator,
  )
  const read = async (id: string) => (await service.job(id)).webhook_delivered
  return Object.assign(service, { got, read })
}

it('the webhook is sent once when a job completes, and its delivery is recorded', async () => {
  await using service = await start()
  const { got } = service
  const schema = schemaText({ total: { type: 'number' } })
  const job = await service.process({ file: await pdfFile(['Total: 5']), schema, webhook_url })
  expect(got).toHaveLength(1)
  expect(got[0]).toMatchObject({ method: 'POST', url: webhook_url })
  expect(got[0]?.headers.get('content-type')).toBe('application/json')
  expect(got[0]?.headers.has('x-api-key')).toBe(false)
  expect(got[0]?.body).toEqual({
    event: 'job.completed',
    job_id: job.id,
    status: 'completed',
    result: { text: 'Total: 5', data: { total: { value: 5, hil_flag: false, found_on_page: 1 } } },
    metadata: job.metadata,
    preview_url: job.preview_url,
  })
  expect(job).toMatchObject({ webhook_url, webhook_delivered: true })
})

it('the webhook is not sent for a job without a URL, whose record does not mention it', async () => {
  await using service = await start()
  const { got } = service
  const job = await service.process({ file: await pdfFile(['Hello']) })
  expect(job).not.toHaveProperty('webhook_delivered')
  expect(got).toEqual([])
})

it('the webhook is not sent for a failed job, unless that is chosen', async () => {
  await using service = await start()
  const { got } = service
  await using telling = await start({
    choices: { webhook: ({ job, body }) => ({ body: body ?? { event: 'job.failed', job_id: job.id } }) },
  })
  const file = new File(['%PDF-1.7 broken'], 'a.pdf')
  expect((await service.process({ file, webhook_url })).status).toBe('failed')
  expect(got).toEqual([])
  const { id } = await telling.process({ file, webhook_url })
  expect(telling.got.map(({ body }) => body)).toEqual([{ event: 'job.failed', job_id: id }])
})

it('the webhook is retried until a 2xx confirms it', async () => {
  await using service = await start({}, [500, 302])
  const { got } = service
  const { id, webhook_delivered } = await service.process({ file: await pdfFile(['Hello']), webhook_url })
  expect([got.length, webhook_delivered]).toEqual([1, false])
  await service.control.clock.advance(999)
  expect(got).toHaveLength(1)
  await service.control.clock.advance(1)
  expect([got.length, await service.read(id)]).toEqual([2, false])
  await service.control.clock.advance(2_000)
  expect([got.length, await service.read(id)]).toEqual([3, true])
  expect(service.emulator.extraction.state.jobs[0]?.webhookAttempts).toEqual([
    { at: Date.UTC(2026, 0, 5, 9, 0, 4), url: webhook_url, status: 500, outcome: 'rejected' },
    { at: Date.UTC(2026, 0, 5, 9, 0, 5), url: webhook_url, status: 302, outcome: 'rejected' },
    { at: Date.UTC(2026, 0, 5, 9, 0, 7), url: webhook_url, status: 200, outcome: 'delivered' },
  ])
})

it("the clock waits for the webhook's receiver in the same process", async () => {
  const statuses = [500, 200]
  await using service = await start({
    async webhookFetch() {
      for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
      return new Response(null, { status: statuses.shift() ?? 500 })
    },
  })
  await service.submit({ file: await pdfFile(['Hello']), webhook_url })
  await service.control.clock.advance(3_600_000)
  const attempts = service.emulator.extraction.state.jobs[0]?.webhookAttempts
  expect(attempts?.map((attempt) => attempt['outcome'])).toEqual(['rejected', 'delivered'])
  expect(attempts?.map((attempt) => Number(attempt['at']) - Date.UTC(2026, 0, 5, 9))).toEqual([4_000, 5_000])
})

it("the webhook is not delivered if the receiver can't be reached or never responds", async () => {
  let calls = 0
  await using service = await start({
    webhookFetch: () =>
      ++calls === 1 ? Promise.reject(new TypeError('fetch failed')) : new Promise<never>(() => {}),
    choices: { webhook: ({ body = {} }) => ({ body, attempts: 2, retryDelayMs: () => 0, timeoutMs: 5_000 }) },
  })
  const { id } = await service.process({ file: await pdfFile(['Hello']), webhook_url })
  await service.control.clock.advance(10_000)
  expect(await service.read(id)).toBe(false)
  const { webhookAttempts } = service.emulator.extraction.state.jobs[0] ?? {}
  expect(webhookAttempts?.map((attempt) => attempt['outcome'])).toEqual(['unreachable', 'timeout'])
})

it('a choice that fails between two deliveries ends the delivery, and is logged', async () => {
  const errors: string[] = []
  const log = (level: string, message: string) => void (level === 'error' && errors.push(message))
  const retryDelayMs = () => {
    throw new Error('no delay')
  }
  await using service = await start(
    {
      webhookFetch: async () => new Response(null, { status: 500 }),
      choices: { webhook: ({ body = {} }) => ({ body, attempts: 2, retryDelayMs }) },
    },
    [],
    { log },
  )
  const { id } = await service.process({ file: await pdfFile(['Hello']), webhook_url })
  await service.control.clock.advance(10_000)
  expect(await service.read(id)).toBe(false)
  expect(errors).toEqual([expect.stringMatching(/the choice `webhook` failed: Error: no delay/)])
})

it('the webhook is lost or duplicated by a fault', async () => {
  await using service = await start()
  const { got } = service
  const file = await pdfFile(['Hello'])
  service.control.faults.add({ kind: 'webhook-lost' })
  expect(await service.process({ file, webhook_url })).toMatchObject({ webhook_delivered: false })
  expect(got).toHaveLength(0)
  service.control.faults.add({ kind: 'webhook-duplicate', copies: 2 })
  expect(await service.process({ file, webhook_url })).toMatchObject({ webhook_delivered: true })
  expect(got).toHaveLength(3)
  expect(new Set(got.map(({ body }) => body['job_id'])).size).toBe(1)
  expect(got[0]?.body['result'], 'without data, because no field was requested').toEqual({ text: 'Hello' })
  await service.process({ file, webhook_url })
  expect(got).toHaveLength(4)
})

it('the webhook has the chosen method, headers, copies and contents', async () => {
  await using service = await start({
    choices: {
      webhook: ({ job, body }) => ({
        body: { ...body, status: 'done', result: { text: job.text.slice(0, 2) }, metadata: { seen: true } },
        method: 'PUT',
        headers: { 'x-job': job.id },
        copies: 2,
      }),
    },
  })
  const { got } = service
  const job = await service.process({ file: await pdfFile(['Hello']), webhook_url })
  expect(got).toHaveLength(2)
  expect(got[0]?.method).toBe('PUT')
  expect(got[0]?.headers.get('x-job')).toBe(job.id)
  expect(got[0]?.body).toMatchObject({ status: 'done', result: { text: 'He' }, metadata: { seen: true } })
})

it('the webhook is recorded and not sent if it breaks the contract', async () => {
  await using service = await start({
    choices: {
      webhook: ({ body }) => ({ body: { ...body, result: { text: 5 } } }),
    },
  })
  const { got } = service
  const job = await service.process({ file: await pdfFile(['Hello']), webhook_url })
  expect(job).toMatchObject({ status: 'completed', webhook_delivered: false })
  expect(got).toEqual([])
  expect(service.control.violations()).toMatchObject([
    { direction: 'webhook', operationId: 'jobCompleted', mismatches: [{ path: 'body/result/text' }] },
  ])
})
