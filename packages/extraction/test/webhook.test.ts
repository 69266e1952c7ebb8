import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

import { expect, it, onTestFinished, vi } from 'vitest'

import {
  NotFoundError,
  webhookReceiver,
  type Job,
  type WebhookClient,
  type WebhookReceiver,
  type WebhookReceiverOptions,
} from '../src/index.ts'
import { nodeWebhookListener } from '../src/node.ts'
import { invoice, offline } from './support.ts'

const webhook_url = 'https://hooks.example/extraction'

/** Returns a call as the service makes it, with this body. */
const call = (body: unknown) =>
  new Request(webhook_url, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) })
const completed = (job_id: string) => ({ event: 'job.completed', job_id, status: 'completed' })

const onJob = (): void => undefined
const notFound = { status: 404, headers: () => new Headers(), body: undefined, text: '' }

async function receiving(options: Partial<WebhookReceiverOptions> = {}) {
  const setUp = await offline()
  const jobs: Job[] = []
  const receive = webhookReceiver(setUp.extraction, { onJob: (job) => void jobs.push(job), ...options })
  const fetches = () =>
    setUp.emulator.extraction.control.requests().filter((request) => request.operationId === 'getJob').length
  return { ...setUp, jobs, receive, fetches }
}

async function finished(setUp: Awaited<ReturnType<typeof offline>>): Promise<string> {
  const job = await setUp.extraction.submit({ file: invoice })
  await setUp.emulator.extraction.control.completeJob(job.id)
  return job.id
}

it('R-35: a webhook receiver fetches the job when the service calls, passes it to onJob, and wakes the wait', async () => {
  const { promise, resolve } = Promise.withResolvers<Job>()
  let receive: ((request: Request) => Promise<Response>) | undefined
  const webhookFetch = async (request: Request) => receive?.(request) ?? new Response(null, { status: 500 })
  const setUp = await offline({}, { webhookFetch })
  receive = webhookReceiver(setUp.extraction, { onJob: resolve })
  const job = await setUp.extraction.submit({ file: invoice, webhook_url })
  const waiting = job.wait()
  const received = await promise
  expect(received).toMatchObject({ id: job.id, status: 'completed' })
  await waiting
  // The job is done after 4 s; without the wake the first poll would come after 5 s.
  expect(setUp.clock.elapsedMs).toBeLessThan(5_000)
  expect((await setUp.extraction.api.getJob({ path: { job_id: job.id } })).webhook_delivered).toBe(true)
})

it('a webhook receiver trusts only the id: the job that it passes to onJob comes from the service', async () => {
  const setUp = await receiving()
  const id = await finished(setUp)
  const response = await setUp.receive(
    call({ ...completed(id), result: { text: 'forged' }, preview_url: 'https://evil.example' }),
  )
  expect(response.status).toBe(204)
  expect(setUp.jobs).toHaveLength(1)
  expect(JSON.stringify(setUp.jobs)).not.toMatch(/forged|evil/)
})

it('a webhook receiver does not fetch or confirm a job before it is expected, so that forged calls cost nothing and real ones are repeated', async () => {
  const mine = new Set<string>()
  const setUp = await receiving({ expecting: (id) => mine.has(id) })
  const id = await finished(setUp)
  expect((await setUp.receive(call(completed(id)))).status).toBe(404)
  expect(setUp.fetches()).toBe(0)
  mine.add(id)
  expect((await setUp.receive(call(completed(id)))).status).toBe(204)
  expect(setUp.jobs).toHaveLength(1)
})

it.each([
  ['three times', 1, (id: string) => [id, id, id]],
  [
    'in three spellings',
    3,
    (id: string) => [id, id.toUpperCase(), id.slice(0, 9) + id.slice(9).toUpperCase()],
  ],
])(
  'a webhook receiver passes a job to onJob once if its id arrives %s, at once or later',
  async (_what, fetches, idsOf) => {
    const setUp = await receiving()
    const spellings = idsOf(await finished(setUp))
    const responses = await Promise.all(spellings.map((spelling) => setUp.receive(call(completed(spelling)))))
    for (const spelling of spellings) responses.push(await setUp.receive(call(completed(spelling))))
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 204))
    expect(setUp.jobs).toHaveLength(1)
    expect(setUp.fetches()).toBe(fetches)
  },
)

it('a webhook receiver does not let a rejected spelling confirm the call with the right one', async () => {
  const id = '00000000-0000-4000-8000-00000000abcd'
  const { promise: held, resolve } = Promise.withResolvers<void>()
  const jobs: Job[] = []
  const client: WebhookClient = {
    api: {
      async getJob({ path: { job_id } }) {
        await held
        if (job_id !== id) throw new NotFoundError('no such job', notFound)
        return { id, status: 'completed' } as Job
      },
    },
    wake: () => undefined,
  }
  const onError = () => undefined
  const receive = webhookReceiver(client, { onJob: (job) => void jobs.push(job), onError })
  const forged = receive(call(completed(id.toUpperCase())))
  const real = receive(call(completed(id)))
  resolve()
  expect((await forged).status).toBe(404)
  expect((await real).status).toBe(204)
  expect(jobs).toHaveLength(1)
})

it('a webhook receiver does not confirm a forged call for an unfinished job, so that the real one still counts', async () => {
  const setUp = await receiving()
  const job = await setUp.extraction.submit({ file: invoice })
  // A 2xx would confirm the delivery, and the job would never be reported.
  expect((await setUp.receive(call(completed(job.id)))).status).toBe(503)
  expect(setUp.jobs).toHaveLength(0)
  await setUp.emulator.extraction.control.completeJob(job.id)
  await setUp.receive(call(completed(job.id)))
  expect(setUp.jobs).toHaveLength(1)
})

it('a webhook receiver responds with 404 to an id that the service does not know, and 503 while the job cannot be fetched', async () => {
  const errors: unknown[] = []
  const setUp = await receiving({ onError: (error) => errors.push(error) })
  expect((await setUp.receive(call(completed('00000000-0000-4000-8000-000000000000')))).status).toBe(404)
  const id = await finished(setUp)
  const fault = { kind: 'status', status: 500, operation: 'getJob', times: 3 } as const
  setUp.emulator.extraction.control.faults.add(fault)
  expect((await setUp.receive(call(completed(id)))).status).toBe(503)
  expect(errors).toHaveLength(2)
  expect((await setUp.receive(call(completed(id)))).status).toBe(204)
  expect(setUp.jobs).toHaveLength(1)
})

it('a webhook receiver lets the sender try again when the handler fails', async () => {
  let fails = true
  const errors: unknown[] = []
  const setUp = await receiving({
    onJob: () => {
      if (fails) throw new Error('the database is down')
    },
    onError: (error) => errors.push(error),
  })
  const id = await finished(setUp)
  expect((await setUp.receive(call(completed(id)))).status).toBe(500)
  fails = false
  expect((await setUp.receive(call(completed(id)))).status).toBe(204)
  expect(errors).toEqual([expect.objectContaining({ message: 'the database is down' })])
})

it('a webhook receiver passes on a job that failed', async () => {
  const setUp = await receiving()
  setUp.emulator.extraction.control.scriptJobs({ outcome: 'fail', error: 'poor scan' })
  const job = await setUp.extraction.submit({ file: invoice })
  await job.wait().catch(() => undefined)
  expect((await setUp.receive(call(completed(job.id)))).status).toBe(204)
  expect(setUp.jobs).toMatchObject([{ id: job.id, status: 'failed' }])
})

it('a webhook receiver responds with 500 when another callback fails, and reports why', async () => {
  const failure = new Error('the database is down')
  const errors: unknown[] = []
  const fail = () => Promise.reject(failure)
  const setUp = await receiving({
    expecting: fail,
    onUnknownEvent: fail,
    onError: (error) => errors.push(error),
  })
  for (const body of [completed(crypto.randomUUID()), { event: 'something.else' }])
    expect((await setUp.receive(call(body))).status).toBe(500)
  expect(errors).toEqual([failure, failure])
  expect(setUp.fetches()).toBe(0)
})

it('a webhook receiver reports unknown events, and accepts them', async () => {
  const unknown: unknown[] = []
  const setUp = await receiving({ onUnknownEvent: (event) => void unknown.push(event) })
  expect((await setUp.receive(call({ event: 'job.failed', job_id: 'x' }))).status).toBe(204)
  expect(unknown).toEqual([{ event: 'job.failed', job_id: 'x' }])
  expect((await (await receiving()).receive(call({ event: 'something.else' }))).status).toBe(204)
})

it.each([
  ['no JSON', () => call('not json'), 400],
  ['JSON that is not an object', () => call('7'), 400],
  ['null', () => call('null'), 400],
  ['an event that is not a string', () => call({ event: 7 }), 400],
  ['an event without an id', () => call({ event: 'job.completed' }), 400],
  ['an id that is not a UUID', () => call(completed('../../etc')), 400],
  ['an id in a list', () => call({ event: 'job.completed', job_id: [crypto.randomUUID()] }), 400],
  ['more than it may read', () => call({ ...completed('x'), filler: 'x'.repeat(2_000) }), 413],
  ['a GET', () => new Request(webhook_url), 405],
  ['a HEAD', () => new Request(webhook_url, { method: 'HEAD' }), 405],
])('a webhook receiver responds to %s without fetching anything', async (_what, request, status) => {
  const setUp = await receiving({ maxBytes: 1_000 })
  expect((await setUp.receive(request())).status).toBe(status)
  expect(setUp.fetches()).toBe(0)
})

it('a webhook receiver forgets the oldest jobs when it has seen more than it can remember', async () => {
  const setUp = await receiving({ remember: 1 })
  const [first, second] = [await finished(setUp), await finished(setUp)]
  for (const id of [first, first, second, first]) await setUp.receive(call(completed(id)))
  expect(setUp.jobs.map((job) => job.id)).toEqual([first, second, first])
})

async function listening(receive: WebhookReceiver): Promise<string> {
  const server = createServer(nodeWebhookListener(receive))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks?x=1`
}

it('the Node adapter passes calls from a real HTTP server to the receiver', async () => {
  const setUp = await receiving({ maxBytes: 1_000 })
  const url = await listening(setUp.receive)
  const id = await finished(setUp)
  const handled = await fetch(url, { method: 'POST', body: JSON.stringify(completed(id)) })
  expect(handled.status).toBe(204)
  expect(handled.headers.get('connection')).toBe('keep-alive')
  expect(setUp.jobs).toHaveLength(1)
  const denied = await fetch(url)
  expect(denied.status).toBe(405)
  expect(denied.headers.get('allow')).toBe('POST')
  // The rest of the body is not read: closing the connection stops the sender.
  const tooLarge = await fetch(url, { method: 'POST', body: 'x'.repeat(200_000) })
  expect(tooLarge.status).toBe(413)
  expect(tooLarge.headers.get('connection')).toBe('close')
})

it('the Node adapter keeps the method, the address and the headers of a request, and responds with 400 to one that Fetch lacks', async () => {
  const seen: unknown[] = []
  const url = await listening(async (incoming) => {
    seen.push([incoming.method, new URL(incoming.url).pathname, incoming.headers.get('x-own')])
    return new Response(null, { status: 202, headers: { 'x-answer': 'yes' } })
  })
  const send = (method: string) =>
    new Promise<unknown[]>((resolve, reject) => {
      request(url, { method, headers: { 'x-own': 'a' }, agent: false }, (response) => {
        response.resume().once('end', () => resolve([response.statusCode, response.headers['x-answer']]))
      })
        .once('error', reject)
        .end()
    })
  for (const method of ['POST', 'HEAD', 'GET']) expect(await send(method)).toEqual([202, 'yes'])
  expect(seen).toEqual(['POST', 'HEAD', 'GET'].map((method) => [method, '/hooks', 'a']))
  expect(await send('TRACE')).toEqual([400, undefined])
})

it.each([
  ['onJob', {}],
  ['expecting', { onJob, expecting: 'all' }],
  ['onUnknownEvent', { onJob, onUnknownEvent: 1 }],
  ['onError', { onJob, onError: {} }],
  ['maxBytes', { onJob, maxBytes: 'ten' }],
  ['maxBytes', { onJob, maxBytes: 1.5 }],
  ['remember', { onJob, remember: -1 }],
  ['remember', { onJob, remember: 1.5 }],
])('a webhook receiver is not created if its `%s` is invalid', async (option, options) => {
  const { extraction } = await offline()
  expect(() => webhookReceiver(extraction, options as never)).toThrow(expect.objectContaining({ option }))
})

it.each([undefined, {}, { api: {} }, { api: { getJob: onJob } }])(
  'a webhook receiver is not created with %j instead of a client',
  (client) => {
    expect(() => webhookReceiver(client as never, { onJob })).toThrow(/`client` must be an Extraction client/)
  },
)

it('without onError, the first failure of a webhook receiver becomes a process warning', async () => {
  const setUp = await offline({ apiKey: 'wrong' })
  const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  onTestFinished(() => warnings.mockRestore())
  const receive = webhookReceiver(setUp.extraction, { onJob })
  const id = '00000000-0000-4000-8000-000000000000'
  expect((await receive(call(completed(id)))).status).toBe(503)
  expect((await receive(call(completed(id)))).status).toBe(503)
  expect(warnings).toHaveBeenCalledOnce()
  expect(warnings.mock.lastCall?.[0]).toMatch(
    /A webhook call could not be handled\. .*401.*\.\nOnly the first .* pass `onError` to/,
  )
})
