import { expect, it } from 'vitest'
import { ConnectionError } from '../core/errors.ts'
import type { ClientEvent } from '../core/events.ts'
import { keyFrom, scene, status } from './test-support/clients.ts'
import {
  createItem,
  exchangeCode,
  getItem,
  input,
  item,
  json,
  rejection,
  uploadForm,
} from './test-support/fixtures.ts'
import type { Transport } from './transport.ts'

const ok = json(item)
const submission = { body: { name: 'x', size: 2 } }

it.each([429, 500, 502, 503, 504])('R-20: sends a safe operation again on %i', async (code) => {
  const { client, transport } = scene([status(code), ok])
  expect(await client.send(getItem, input)).toEqual(item)
  expect(transport.requests).toHaveLength(2)
})

it.each([400, 401, 403, 404, 409, 413, 501])(
  'R-20: does not send a safe operation again on %i',
  async (code) => {
    const { client, transport } = scene([status(code), ok])
    expect(await rejection(client.send(getItem, input))).toMatchObject({ status: code })
    expect(transport.requests).toHaveLength(1)
  },
)

it.each(['refused', 'lost', 'truncated', 'stalled'] as const)(
  'R-20: sends a safe operation again after a connection that is %s',
  async (fault) => {
    const { client, transport } = scene([fault, ok], { timeoutMs: 1000 })
    expect(await client.send(getItem, input)).toEqual(item)
    expect(transport.requests).toHaveLength(2)
  },
)

it('R-20: statuses that the contract names replace the default ones', async () => {
  const operation = { ...getItem, retry: { class: 'safe', statuses: [409] } } as const
  const named = scene([status(409), ok])
  expect(await named.client.send(operation, input)).toEqual(item)
  const other = scene([status(503), ok])
  expect(await rejection(other.client.send(operation, input))).toMatchObject({ status: 503 })
})

it('R-20: stops after maxAttempts with the last error, for a client or for a call', async () => {
  const { client, transport } = scene([status(503)])
  expect(await rejection(client.send(getItem, input))).toMatchObject({ status: 503, attempts: 3 })
  expect(transport.requests).toHaveLength(3)
  await rejection(client.send(getItem, input, { maxAttempts: 1 }))
  expect(transport.requests).toHaveLength(4)
})

it('adds no idempotency header to a retry', async () => {
  const { client, transport } = scene([status(503), ok])
  await client.send(createItem, submission)
  const names = transport.requests.flatMap(({ headers }) => [...headers.keys()])
  expect(new Set(names)).toEqual(new Set(['accept', 'accept-encoding', 'content-type', 'x-api-key']))
})

it('R-20: sends any operation again when no byte of it can have arrived', async () => {
  const { client, transport } = scene(['refused', ok])
  expect(await client.send(createItem, submission)).toEqual(item)
  expect(transport.requests).toHaveLength(2)
})

it('R-20: sends an operation that must not run twice again on statuses that the contract names, and on no others', async () => {
  const named = scene([status(503), ok])
  expect(await named.client.send(createItem, submission)).toEqual(item)
  const other = scene([status(500), ok])
  expect(await rejection(other.client.send(createItem, submission))).toMatchObject({
    code: 'submission-uncertain',
    status: 500,
    cause: { name: 'ServerError' },
    received: '{"detail":"no"}',
  })
  expect(other.transport.requests).toHaveLength(1)
})

it.each([
  ['lost', { code: 'connection', sent: 'maybe' }],
  ['truncated', { code: 'connection', sent: 'yes' }],
  ['stalled', { code: 'timeout', limitMs: 1000, sent: 'maybe' }],
  ['stalled-body', { code: 'timeout', limitMs: 1000, sent: 'yes' }],
] as const)(
  'R-21: does not send an operation twice if its response is %s, and the error says so',
  async (fault, cause) => {
    const { client, transport, clock } = scene([fault, ok], { timeoutMs: 1000 })
    const submittedAtMs = clock.now()
    expect(await rejection(client.send(createItem, submission))).toMatchObject({
      code: 'submission-uncertain',
      operation: 'createItem',
      submitted: { method: 'POST', path: '/v1/items', fields: ['name', 'size'] },
      submittedAtMs,
      cause,
    })
    expect(transport.requests).toHaveLength(1)
  },
)

it('R-21: a 4xx whose body was lost is not uncertain: the service denied the request', async () => {
  for (const [code, expected] of [
    [400, 'connection'],
    [500, 'submission-uncertain'],
    [200, 'submission-uncertain'],
  ] as const) {
    const transport: Transport = {
      async send({ control }) {
        control.sent = 'yes'
        control.status = code
        throw new ConnectionError('cut', { phase: 'receive', sent: 'yes' })
      },
    }
    const { client } = scene([ok], { transport })
    expect(await rejection(client.send(createItem, submission))).toMatchObject({ code: expected })
  }
})

it('R-21: a deadline during the request is uncertain, too', async () => {
  const { client } = scene(['stalled'])
  const error = await rejection(client.send(createItem, { body: {} }, { deadline: '2s' }))
  expect(error).toMatchObject({ code: 'submission-uncertain', cause: { code: 'deadline' } })
})

it.each([
  ['refused', { code: 'connection', sent: 'no' }],
  ['lost', { code: 'submission-uncertain' }],
  [429, { code: 'http' }],
  [500, { code: 'submission-uncertain' }],
  [503, { code: 'submission-uncertain' }],
] as const)('R-20, R-21: sends a single-use secret only once, after %s too', async (step, expected) => {
  const { client, transport } = scene([typeof step === 'number' ? status(step) : step, ok])
  const error = await rejection(client.send(exchangeCode, { body: { code: 'c0de-c0de' } }))
  expect(error).toMatchObject(expected)
  expect(transport.requests).toHaveLength(1)
})

const limited: typeof getItem = {
  ...getItem,
  responses: {
    ...getItem.responses,
    429: {
      kind: 'json',
      rateMeanings: [
        {
          meaning: 'page-count',
          retryHelps: false,
          match: { pointer: '/detail/error', equals: 'too_many_pages' },
        },
        { meaning: 'request-rate', retryHelps: true },
      ],
    },
  },
}

it('R-25: never retries a 429 for which waiting does not help', async () => {
  const tooMany = json(
    { detail: { error: 'too_many_pages' } },
    { status: 429, headers: { 'retry-after': '1' } },
  )
  const { client, transport } = scene([tooMany, ok])
  const error = await rejection(client.send(limited, input))
  expect(error).toMatchObject({ name: 'RateLimitedError', meaning: 'page-count', retryHelps: false })
  expect(String(error)).toContain('A limit was reached (page-count), and trying again soon will not help')
  expect(transport.requests).toHaveLength(1)
})

it('R-25: claims no meaning of a 429 if the contract cannot distinguish them', async () => {
  const ambiguous: typeof getItem = {
    ...limited,
    responses: {
      429: {
        kind: 'json',
        rateMeanings: [
          { meaning: 'page-quota', retryHelps: false },
          { meaning: 'request-rate', retryHelps: true },
        ],
      },
    },
  }
  const { client } = scene([status(429)])
  const error = await rejection(client.send(ambiguous, input))
  expect(error).toMatchObject({ retryHelps: true, attempts: 3 })
  expect(error).not.toHaveProperty('meaning')
  expect(String(error)).toContain('A limit was reached. Try again later')
  const waiting = scene([json({}, { status: 429, headers: { 'retry-after': '90' } })])
  expect(String(await rejection(waiting.client.send(limited, input)))).toContain('Try again in 90 s')
})

const upload = { ...uploadForm, retry: { class: 'safe' } } as const

async function* once(): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode('content')
}

it('R-26: does not send a stream again once a byte of it was read', async () => {
  const { client, transport } = scene([status(503), ok])
  expect(await rejection(client.send(upload, { body: { file: once() } }))).toMatchObject({ status: 503 })
  expect(transport.requests).toHaveLength(1)
})

it('R-26: sends a stream again as long as nothing of it was read', async () => {
  const { client, transport } = scene(['refused', ok])
  await client.send(upload, { body: { file: once() } })
  expect(transport.requests[1]?.body).toContain('content')
})

it.each([
  ['a Blob', () => new Blob(['content'])],
  ['bytes', () => new TextEncoder().encode('content')],
])('R-26: sends %s again in full', async (_, make) => {
  const { client, transport } = scene([status(503), 'lost', ok])
  await client.send(upload, { body: { file: make(), note: 'x' } })
  expect(transport.requests).toHaveLength(3)
  expect(new Set(transport.requests.map(({ body }) => body)).size).toBe(1)
  expect(transport.requests[2]?.body).toContain('content')
})

it.each(['stalled', 'stalled-body'] as const)(
  'R-02: timeoutMs of a call ends an attempt that is %s',
  async (fault) => {
    const { client, clock } = scene([fault], { timeoutMs: 9000 })
    const error = await rejection(client.send(getItem, input, { timeoutMs: 1500, maxAttempts: 1 }))
    expect(error).toMatchObject({ code: 'timeout', limitMs: 1500, elapsedMs: 1500, operation: 'getItem' })
    expect(String(error)).toContain('`timeoutMs` covers connect, headers and body')
    expect(clock.elapsedMs).toBe(1500)
  },
)

it('R-02: the deadline covers all attempts and waits, to the millisecond', async () => {
  const { client, clock } = scene(['stalled'], { timeoutMs: 1000, deadline: 2500, random: () => 0 })
  const error = await rejection(client.send(getItem, input))
  expect(error).toMatchObject({ code: 'deadline', limitMs: 2500, elapsedMs: 2500 })
  expect(clock.elapsedMs).toBe(2500)
  const equal = scene(['stalled'], { timeoutMs: 1000, deadline: 1000 })
  expect(await rejection(equal.client.send(getItem, input))).toMatchObject({ code: 'deadline' })
})

it('R-02: a wait that would pass the deadline is skipped, and the real error is thrown at once', async () => {
  const { client, clock } = scene([status(503)], { deadline: 100, random: () => 0.9 })
  expect(await rejection(client.send(getItem, input))).toMatchObject({ status: 503 })
  expect(clock.elapsedMs).toBe(0)
})

it('R-02: the time limit covers a credential that never arrives', async () => {
  const never = new Promise<string>(() => undefined)
  const { client } = scene([ok], {
    timeoutMs: 50,
    credentials: { key: keyFrom(() => never) },
    retry: { maxAttempts: 1 },
  })
  expect(await rejection(client.send(getItem, input))).toMatchObject({ code: 'timeout', sent: 'no' })
})

it('a call leaves no timer behind', async () => {
  const { client, clock } = scene([ok, status(503), ok])
  await client.send(getItem, input)
  await client.send(getItem, input, { deadline: '5m' })
  expect(clock.timers).toBe(0)
})

it('R-60: the events of a call report each attempt and each retry, without values', async () => {
  const events: ClientEvent[] = []
  const { client } = scene([status(503, { 'x-id': 'r1' }), 'lost', ok], {
    observe: (event) => events.push(event),
    requestIdHeader: 'x-id',
  })
  await client.send(getItem, { path: { item_id: 'private-id' } })
  const request = {
    type: 'request',
    operation: 'getItem',
    method: 'GET',
    path: '/v1/items/{item_id}',
    durationMs: 0,
  }
  expect(events).toEqual([
    { ...request, attempt: 1, status: 503, failure: 'http', requestId: 'r1' },
    { type: 'retry', operation: 'getItem', attempt: 1, delayMs: 250, cause: 503 },
    { ...request, attempt: 2, failure: 'connection' },
    { type: 'retry', operation: 'getItem', attempt: 2, delayMs: 500, cause: 'connection' },
    { ...request, attempt: 3, status: 200 },
  ])
  expect(JSON.stringify(events)).not.toContain('private-id')
})
