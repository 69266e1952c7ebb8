import { describe, expect, it, vi } from 'vitest'

import type { OperationDescriptor } from '../core/descriptors.ts'
import { httpServer } from '../node/test-support/loopback.ts'
import { nodeTransport } from '../node/transport.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import type { ClientOptions } from './client-options.ts'
import { createClient } from './client.ts'
import { fetchTransport } from './fetch-transport.ts'
import type { ItemStream, ItemStreamOptions } from './item-stream.ts'
import { clientFor, type Item, itemSchema, json, KEY, rejection } from './test-support/fixtures.ts'

type Items = NonNullable<OperationDescriptor['responses'][string]['items']>

function watching(
  contentType: string,
  items: Items,
  more: Partial<OperationDescriptor> = {},
): OperationDescriptor<object, ItemStream<Item>> {
  return {
    id: 'watch',
    method: 'GET',
    path: '/v1/watch',
    server: 'api',
    security: ['key'],
    parameters: [],
    responses: { 200: { kind: 'items', contentType, items, check: { schema: () => itemSchema } } },
    retry: { class: 'safe' },
    secrets: [],
    ...more,
  } as OperationDescriptor<object, ItemStream<Item>>
}

const events = watching('text/event-stream', { format: 'sse' })
const lines = watching('application/x-ndjson', { format: 'lines' })
const EVENTS = { headers: { 'content-type': 'text/event-stream' } }
const item = (id: number) => ({ id: String(id), status: 'new' })
const event = (id: number) => `id: ${id}\ndata: ${JSON.stringify(item(id))}\n\n`

async function collect<Value>(stream: AsyncIterable<Value>): Promise<Value[]> {
  const values: Value[] = []
  for await (const value of stream) values.push(value)
  return values
}

/** A body that its test writes to, and that notes whether it was canceled. */
function openBody(...first: readonly string[]) {
  const canceled = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of first) controller.enqueue(new TextEncoder().encode(text))
    },
    cancel: () => canceled.resolve(),
  })
  return { body, canceled: canceled.promise }
}

describe('a stream of items', () => {
  it.each([
    ['an event stream', events, 'text/event-stream', event(1) + event(2)],
    ['JSON Lines', lines, 'application/x-ndjson', [item(1), item(2)].map((one) => JSON.stringify(one)).join('\n')],
    ['JSON Lines under another of its names', lines, 'application/jsonl; charset=utf-8', [item(1), item(2)].map((one) => `${JSON.stringify(one)}\n`).join('')],
    ['a JSON text sequence', watching('application/json-seq', { format: 'sequence' }), 'application/json-seq', [item(1), item(2)].map((one) => `\u001E${JSON.stringify(one)}\n`).join('')],
  ])('is iterated item by item: %s', async (_, operation, contentType, text) => {
    await using client = clientFor(() => new Response(text, { headers: { 'content-type': contentType } }))
    expect(await collect(await client.send(operation, {}))).toEqual([item(1), item(2)])
  }) // prettier-ignore

  it.each([
    ['json', item(1)],
    ['text', '{"id":"1","status":"new"}'],
    ['event', { id: '1', data: '{"id":"1","status":"new"}' }],
    ['json-event', { id: '1', data: item(1) }],
  ] as const)('has the part of an event that the contract describes: %s', async (kind, expected) => {
    await using client = clientFor(() => new Response(event(1), EVENTS), { validate: 'off' })
    const found = await client.send(watching('text/event-stream', { format: 'sse', item: kind }), {})
    expect(await collect(found)).toEqual([expected])
    expect(found.lastEventId).toBe('1')
  })

  it('ends with `[DONE]`, which is not JSON', async () => {
    await using client = clientFor(() => new Response(`${event(1)}data: [DONE]\n\n${event(2)}`, EVENTS))
    expect(await collect(await client.send(events, {}))).toEqual([item(1)])
  })

  it('validates each item: reports drift, or throws it and closes the connection', async () => {
    const drift: unknown[] = []
    const text = event(1) + 'data: {"id":7}\n\n' + event(2)
    await using client = clientFor(() => new Response(text, EVENTS), {
      onDrift: (found) => drift.push(found),
    })
    expect(await collect(await client.send(events, {}))).toHaveLength(3)
    expect(drift).toMatchObject([{ operation: 'watch', issues: [{ path: '/id' }, { path: '/status' }] }])
    const enforced = await client.send(events, {}, { validate: 'enforce' })
    expect((await enforced.next()).value).toEqual(item(1))
    expect(await rejection(enforced.next())).toMatchObject({ code: 'contract-drift', data: { id: 7 } })
    expect(await enforced.next()).toEqual({ done: true, value: undefined })
  })

  it.each([
    ['an item that is not JSON', 'data: {\n\n', 'has an item that is not valid JSON'],
    ['an item that is too long', `data: "${'a'.repeat(3000)}"\n\n`, 'has an item of more than 2000 bytes'],
  ])('fails with an error of its own for %s', async (_, text, reason) => {
    let isCancelled = false
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(event(1) + text)),
      cancel: () => void (isCancelled = true),
    })
    await using client = clientFor(() => new Response(body, EVENTS), { maxResponseBytes: 2000 })
    const stream = await client.send(events, {})
    await stream.next()
    const error = await rejection(stream.next())
    await vi.waitFor(() => expect(isCancelled).toBe(true))
    expect(error).toMatchObject({ code: 'unexpected-content', operation: 'watch', excerpt: '' })
    expect(String(error)).toContain(`watch: the stream ${reason}`)
  })

  it('fails for bytes that are not UTF-8 if its items are JSON', async () => {
    const body = new Uint8Array([0x22, 0xff, 0x22, 0x0a])
    await using client = clientFor(() => new Response(body, { headers: { 'content-type': 'application/x-ndjson' } })) // prettier-ignore
    expect(String(await rejection(collect(await client.send(lines, {}))))).toContain('is not text in UTF-8')
  })

  it('rejects like other calls if the response is an error or has another media type', async () => {
    await using client = clientFor(() => json({ detail: 'no' }, { status: 404 }))
    expect(await rejection(client.send(events, {}))).toMatchObject({ name: 'NotFoundError' })
    await using other = clientFor(() => json({}))
    expect(await rejection(other.send(events, {}))).toMatchObject({ code: 'unexpected-content' })
  })

  it('is the data of an exchange, whose text is not kept', async () => {
    await using client = clientFor(() => new Response(event(1), EVENTS))
    const exchange = await client.exchange(events, {})
    expect(exchange).toMatchObject({ status: 200, attempts: 1 })
    expect(exchange.headers.get('content-type')).toBe('text/event-stream')
    expect(() => exchange.text()).toThrow('Read the items from `data`')
    expect(await collect(exchange.data)).toEqual([item(1)])
  })

  it('cancels the request when the loop is left, and when it is disposed of or returned during a read', async () => {
    const bodies = [openBody(event(1)), openBody(event(1)), openBody()]
    const left = [...bodies]
    await using client = clientFor(() => new Response(left.shift()?.body, EVENTS))
    for await (const _ of await client.send(events, {})) break
    await bodies[0]?.canceled
    {
      await using stream = await client.send(events, {})
      await stream.next()
    }
    await bodies[1]?.canceled
    const stream = await client.send(events, {})
    const reading = stream.next()
    await stream.return()
    expect(await reading).toEqual({ done: true, value: undefined })
    await bodies[2]?.canceled
  })

  it('ends with the reason of a signal', async () => {
    const { body, canceled } = openBody(event(1))
    await using client = clientFor(() => new Response(body, EVENTS))
    const controller = new AbortController()
    const stream = await client.send(events, {}, { signal: controller.signal })
    await stream.next()
    const reading = rejection(stream.next())
    controller.abort(new Error('enough'))
    expect(await reading).toMatchObject({ message: 'enough' })
    await canceled
  })

  it('has no limit in time but that of a silence, and the deadline if any', async () => {
    const { body } = openBody(event(1))
    const clock = virtualClock({ autoAdvance: false })
    await using client = clientFor(() => new Response(body, EVENTS), { clock, timeoutMs: 1000 })
    const options: ItemStreamOptions = { idleTimeoutMs: 60_000 }
    const stream = await client.send(events, {}, options)
    await stream.next()
    await clock.advance(50_000)
    const reading = rejection(stream.next())
    await vi.waitFor(() => expect(clock.timers).toBeGreaterThan(0))
    await clock.advance(59_999)
    expect(clock.timers).toBeGreaterThan(0)
    await clock.advance(1)
    expect(await reading).toMatchObject({ code: 'timeout', limitMs: 60_000 })
    const second = openBody(event(1))
    await using limited = clientFor(() => new Response(second.body, EVENTS), { clock })
    const late = await limited.send(events, {}, { deadline: 5000 })
    await late.next()
    const waiting = rejection(late.next())
    await vi.waitFor(() => expect(clock.timers).toBeGreaterThan(0))
    await clock.advance(5000)
    expect(await waiting).toMatchObject({ code: 'deadline', limitMs: 5000 })
  })

  it('reads no further ahead than its reader', async () => {
    let made = 0
    const body = new ReadableStream<Uint8Array>(
      { pull: (controller) => controller.enqueue(new TextEncoder().encode(event(++made))) },
      { highWaterMark: 0 },
    )
    await using client = clientFor(() => new Response(body, EVENTS))
    const stream = await client.send(events, {})
    for (let count = 0; count < 5; count++) await stream.next()
    expect(made).toBeLessThan(10)
    await stream.return()
  })
})

describe.each([
  ['undici', () => nodeTransport()],
  ['fetch', () => fetchTransport()],
])('an event stream over %s', (_, makeTransport) => {
  it('hands over each event as it arrives, and closes the connection when the loop is left', async () => {
    const closed = Promise.withResolvers<void>()
    const first = Promise.withResolvers<void>()
    await using server = await httpServer((request, response) => {
      expect(request.headers.accept).toContain('text/event-stream')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(event(1))
      void first.promise.then(() => response.write(event(2)))
      response.on('close', () => closed.resolve())
    })
    const settings: Partial<ClientOptions> = { transport: makeTransport() }
    await using client = createClient({
      servers: { api: server.origin },
      credentials: { key: { in: 'header', name: 'X-API-Key', value: KEY } },
      ...settings,
    })
    const found: Item[] = []
    for await (const one of await client.send(events, {})) {
      found.push(one)
      first.resolve()
      if (found.length === 2) break
    }
    expect(found).toEqual([item(1), item(2)])
    await closed.promise
  })
})
