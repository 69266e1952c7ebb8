import { describe, expect, it } from 'vitest'
import { ConnectionError } from '../core/errors.ts'
import type { ClientEvent } from '../core/events.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { type VirtualClock } from '../testing/virtual-clock.ts'
import { createItem, exchangeCode, getItem, json, rejection } from './test-support/fixtures.ts'
import type { Transport } from './transport.ts'
import { scene, status } from './test-support/scene.ts'

const item = { id: 'a', status: 'done' }
const ok = json(item)
const input = { path: { item_id: 'a' } }

describe('safe operations', () => {
  it.each([429, 500, 502, 503, 504])('R-20: are sent again on %i', async (code) => {
    const { client, transport } = scene([status(code), ok])
    expect(await client.send(getItem, input)).toEqual(item)
    expect(transport.requests).toHaveLength(2)
  })

  it.each([400, 401, 403, 404, 409, 413, 501])('R-20: are not sent again on %i', async (code) => {
    const { client, transport } = scene([status(code), ok])
    expect(await rejection(client.send(getItem, input))).toMatchObject({ status: code })
    expect(transport.requests).toHaveLength(1)
  })

  it.each(['refused', 'lost', 'truncated'] as const)(
    'R-20: are sent again on a connection that is %s',
    async (fault) => {
      const { client, transport } = scene([fault, ok])
      expect(await client.send(getItem, input)).toEqual(item)
      expect(transport.requests).toHaveLength(2)
    },
  )

  it('R-20: are sent again after a time-out', async () => {
    const { client, transport } = scene(['stalled', ok], { timeoutMs: 1000 })
    expect(await client.send(getItem, input)).toEqual(item)
    expect(transport.requests).toHaveLength(2)
  })

  it('R-20: statuses that the contract names replace the default ones', async () => {
    const operation = { ...getItem, retry: { class: 'safe', statuses: [409] } } as const
    const named = scene([status(409), ok])
    expect(await named.client.send(operation, input)).toEqual(item)
    const other = scene([status(503), ok])
    expect(await rejection(other.client.send(operation, input))).toMatchObject({ status: 503 })
  })

  it('R-20: stop after maxAttempts with the last error, for a client or for a call', async () => {
    const { client, transport } = scene([status(503)])
    expect(await rejection(client.send(getItem, input))).toMatchObject({ status: 503, attempts: 3 })
    expect(transport.requests).toHaveLength(3)
    await rejection(client.send(getItem, input, { maxAttempts: 1 }))
    expect(transport.requests).toHaveLength(4)
  })

  it('add no idempotency header', async () => {
    const { client, transport } = scene([status(503), ok])
    await client.send(createItem, { body: {} })
    const names = transport.requests.flatMap(({ headers }) => [...headers.keys()])
    expect(new Set(names)).toEqual(new Set(['accept', 'accept-encoding', 'content-type', 'x-api-key']))
  })
})

describe('operations that must not run twice', () => {
  it('R-20: are sent again when no byte of them can have arrived', async () => {
    const { client, transport } = scene(['refused', ok])
    expect(await client.send(createItem, { body: {} })).toEqual(item)
    expect(transport.requests).toHaveLength(2)
  })

  it('R-20: are sent again on statuses that the contract names, and on no others', async () => {
    const named = scene([status(503), ok])
    expect(await named.client.send(createItem, { body: {} })).toEqual(item)
    const other = scene([status(500), ok])
    expect(await rejection(other.client.send(createItem, { body: {} }))).toMatchObject({
      code: 'submission-uncertain',
      status: 500,
      cause: { name: 'ServerError' },
    })
    expect(other.transport.requests).toHaveLength(1)
  })

  it.each(['lost', 'truncated'] as const)(
    'R-21: are not sent again if the response is %s, and the error says so',
    async (fault) => {
      const { client, transport, clock } = scene([fault, ok])
      const error = await rejection(client.send(createItem, { body: { name: 'x', size: 2 } }))
      expect(error).toMatchObject({
        code: 'submission-uncertain',
        operation: 'createItem',
        submitted: { method: 'POST', path: '/v1/items', fields: ['name', 'size'] },
        submittedAtMs: clock.now(),
        cause: { code: 'connection' },
      })
      expect(transport.requests).toHaveLength(1)
    },
  )

  it.each(['stalled', 'stalled-body'] as const)(
    'R-21: a time-out while %s is uncertain as well',
    async (fault) => {
      const { client, transport, clock } = scene([fault, ok], { timeoutMs: 1000 })
      const beganAtMs = clock.now()
      const error = await rejection(client.send(createItem, { body: {} }))
      expect(error).toMatchObject({
        code: 'submission-uncertain',
        submittedAtMs: beganAtMs,
        cause: { code: 'timeout', limitMs: 1000 },
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
      expect(await rejection(client.send(createItem, { body: {} }))).toMatchObject({ code: expected })
    }
  })

  it('R-21: a deadline during the request is uncertain, too', async () => {
    const { client } = scene(['stalled'])
    const error = await rejection(client.send(createItem, { body: {} }, { deadline: '2s' }))
    expect(error).toMatchObject({ code: 'submission-uncertain', cause: { code: 'deadline' } })
  })

  it('R-20: single-use secrets are sent only once', async () => {
    for (const step of ['refused', 'lost', status(429), status(500), status(503)] as const) {
      const { client, transport } = scene([step, ok])
      await rejection(client.send(exchangeCode, { body: { code: 'c0de-c0de' } }))
      expect(transport.requests).toHaveLength(1)
    }
  })

  it('R-21: a single-use secret is uncertain if its response was lost, but not if the connection was refused', async () => {
    const lost = await rejection(scene(['lost']).client.send(exchangeCode, { body: { code: 'c0de-c0de' } }))
    expect(lost).toMatchObject({ code: 'submission-uncertain' })
    const rejected = await rejection(
      scene(['refused']).client.send(exchangeCode, { body: { code: 'c0de-c0de' } }),
    )
    expect(rejected).toMatchObject({ code: 'connection', sent: 'no' })
  })
})

describe('what a 429 means', () => {
  const operation: typeof getItem = {
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

  it('R-25: a limit that waiting cannot help with is never retried', async () => {
    const limited = json(
      { detail: { error: 'too_many_pages' } },
      { status: 429, headers: { 'retry-after': '1' } },
    )
    const { client, transport } = scene([limited, ok])
    const error = await rejection(client.send(operation, input))
    expect(error).toMatchObject({ name: 'RateLimitedError', meaning: 'page-count', retryHelps: false })
    expect(String(error)).toContain('A limit was reached (page-count); trying again soon will not help')
    expect(transport.requests).toHaveLength(1)
  })

  it('R-25: a limit that waiting helps with is waited for', async () => {
    const { client, transport } = scene([status(429), ok])
    expect(await client.send(operation, input)).toEqual(item)
    expect(transport.requests).toHaveLength(2)
  })

  it('R-25: no meaning is claimed if the contract cannot distinguish them', async () => {
    const ambiguous: typeof getItem = {
      ...operation,
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
    expect(String(error)).toContain('A limit was reached; try again later')
    const waiting = scene([json({}, { status: 429, headers: { 'retry-after': '90' } })])
    expect(String(await rejection(waiting.client.send(operation, input)))).toContain('try again in 90 s')
  })
})

describe('bodies that can be read only once', () => {
  const upload: OperationDescriptor<{ readonly body: { readonly file: unknown } }, unknown> = {
    ...createItem,
    types: undefined as never,
    id: 'upload',
    path: '/v1/upload',
    retry: { class: 'safe' },
    body: {
      kind: 'multipart',
      contentType: 'multipart/form-data',
      required: true,
      parts: { file: { kind: 'file' } },
    },
  }

  async function* once(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('content')
  }

  it('R-26: are not sent again once a byte was read', async () => {
    const { client, transport } = scene([status(503), ok])
    expect(await rejection(client.send(upload, { body: { file: once() } }))).toMatchObject({ status: 503 })
    expect(transport.requests).toHaveLength(1)
  })

  it('R-26: are sent again as long as nothing was read', async () => {
    const { client, transport } = scene(['refused', ok])
    await client.send(upload, { body: { file: once() } })
    expect(transport.requests[1]?.body).toContain('content')
  })

  it.each([
    ['a Blob', () => new Blob(['content'])],
    ['bytes', () => new TextEncoder().encode('content')],
  ])('R-26: %s is sent again in full', async (_, make) => {
    const { client, transport } = scene([status(503), 'lost', ok])
    await client.send(upload, { body: { file: make(), note: 'x' } as never })
    expect(transport.requests).toHaveLength(3)
    expect(new Set(transport.requests.map(({ body }) => body)).size).toBe(1)
    expect(transport.requests[2]?.body).toContain('content')
  })
})

describe('time', () => {
  it.each(['stalled', 'stalled-body'] as const)(
    'R-02: timeoutMs ends an attempt that is %s',
    async (fault) => {
      const { client, clock } = scene([fault], { timeoutMs: 1500, retry: { maxAttempts: 1 } })
      const error = await rejection(client.send(getItem, input))
      expect(error).toMatchObject({ code: 'timeout', limitMs: 1500, elapsedMs: 1500, operation: 'getItem' })
      expect(String(error)).toContain('`timeoutMs` covers connect, headers and body')
      expect(clock.elapsedMs).toBe(1500)
    },
  )

  it('R-02: a call can have its own time limit', async () => {
    const { client } = scene(['stalled'])
    const error = await rejection(client.send(getItem, input, { timeoutMs: 10, maxAttempts: 1 }))
    expect(error).toMatchObject({ code: 'timeout', limitMs: 10 })
  })

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

  it('R-02: nothing is sent after the deadline, even if refreshing a credential took long', async () => {
    const { client, transport, clock } = scene([status(401)], {
      credentials: {
        key: {
          in: 'header',
          name: 'X-API-Key',
          value: () => 'token',
          rejected: () => new Promise((resolve) => void clockOf().setTimer(() => resolve(true), 3000)),
        },
      },
    })
    const clockOf = (): VirtualClock => clock
    expect(await rejection(client.send(getItem, input, { deadline: '2s' }))).toMatchObject({
      code: 'deadline',
    })
    expect(transport.requests).toHaveLength(1)
    expect(clock.elapsedMs).toBe(2000)
  })

  it('R-02: the time limit covers a credential that never arrives', async () => {
    const never = new Promise<string>(() => undefined)
    const { client } = scene([ok], {
      timeoutMs: 50,
      credentials: { key: { in: 'header', name: 'X-API-Key', value: () => never } },
      retry: { maxAttempts: 1 },
    })
    expect(await rejection(client.send(getItem, input))).toMatchObject({ code: 'timeout', sent: 'no' })
  })

  it('leaves no timer behind', async () => {
    const { client, clock } = scene([ok, status(503), ok])
    await client.send(getItem, input)
    await client.send(getItem, input, { deadline: '5m' })
    expect(clock.timers).toBe(0)
  })
})

describe('events', () => {
  it('R-60: report each attempt and each retry, without values', async () => {
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
})
