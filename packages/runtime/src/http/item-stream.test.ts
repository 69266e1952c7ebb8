import { describe, expect, it, vi } from 'vitest'
import { httpServer } from '../node/test-support/loopback.ts'
import { nodeTransport } from '../node/transport.ts'
import type { UnexpectedContentError } from '../core/errors.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import type { ClientOptions } from './client-options.ts'
import { fetchTransport } from './fetch-transport.ts'
import { readHeaders } from './headers.ts'
import type { ItemStreamOptions } from './item-stream.ts'
import { clientFor, openBody, reply, reporting, streamOf } from './test-support/clients.ts'
import { type Item, itemSchema, json, rejection } from './test-support/fixtures.ts'
import {
  collect,
  event,
  EVENT_STREAM,
  events,
  item,
  JSON_LINES,
  watching,
} from './test-support/item-streams.ts'

const check = { schema: () => itemSchema }
const watch = watching()
const checked = watching({ ...EVENT_STREAM, check })
const lines = watching(JSON_LINES)
const sequence = watching({
  kind: 'items',
  contentType: 'application/json-seq',
  items: { format: 'sequence' },
})

const texts = [item(1), item(2)].map((one) => JSON.stringify(one))
it.each([
  ['an event stream', watch, 'text/event-stream', event(1) + event(2)],
  ['JSON Lines', lines, JSON_LINES.contentType, texts.join('\n')],
  ['JSON Lines under another name', lines, 'application/jsonl; charset=utf-8', `${texts.join('\n')}\n`],
  ['a JSON text sequence', sequence, 'application/json-seq', texts.map((text) => `\u001E${text}\n`).join('')],
])('iterates a stream item by item: %s', async (_, operation, contentType, text) => {
  await using client = clientFor(() => reply(text, contentType))
  expect(await collect(await client.send(operation, {}))).toEqual([item(1), item(2)])
})

it.each([
  ['json', item(1)],
  ['text', '{"id":"1","status":"new"}'],
  ['event', { id: '1', data: '{"id":"1","status":"new"}' }],
  ['json-event', { id: '1', data: item(1) }],
] as const)('an item is the part of an event that the contract describes: %s', async (kind, expected) => {
  await using client = clientFor(() => events(event(1)), { validate: 'off' })
  const found = await client.send(watching({ ...EVENT_STREAM, items: { format: 'sse', item: kind } }), {})
  expect(await collect(found)).toEqual([expected])
  expect(found.lastEventId).toBe('1')
})

it('validates each item of a stream: reports drift, or throws it and closes the connection', async () => {
  const { client, drift } = reporting(() => events(`${event(1)}data: {"id":7}\n\n${event(2)}`))
  expect(await collect(await client.send(checked, {}))).toHaveLength(3)
  expect(drift).toMatchObject([{ operation: 'watch', issues: [{ path: '/id' }, { path: '/status' }] }])
  const enforced = await client.send(checked, {}, { validate: 'enforce' })
  expect((await enforced.next()).value).toEqual(item(1))
  expect(await rejection(enforced.next())).toMatchObject({ code: 'contract-drift', data: { id: 7 } })
  expect(await enforced.next()).toEqual({ done: true, value: undefined })
  expect(await collect(await client.send(checked, {}, { validate: 'off' }))).toHaveLength(3)
  expect(drift).toHaveLength(1)
})

it.each([
  ['an item that is not JSON', watch, `${event(1)}data: {\n\n`, 'has an item that is not valid JSON'],
  [
    'an item that is too long',
    watch,
    `${event(1)}data: "${'a'.repeat(3000)}"\n\n`,
    'has an item of more than 2000 bytes',
  ],
  [
    'bytes that are not UTF-8',
    lines,
    Uint8Array.of(0x31, 0x0a, 0x22, 0xff, 0x22, 0x0a),
    'is not text in UTF-8',
  ],
])('R-04: a stream fails with an UnexpectedContentError for %s', async (_, operation, content, reason) => {
  const { contentType } = operation.responses[200]!
  const { body, canceled } = openBody(content)
  const headers = { 'x-a': 'b' }
  await using client = clientFor(() => reply(body, contentType!, { headers }), { maxResponseBytes: 2000 })
  const error = await rejection(collect(await client.send(operation, {})))
  await canceled
  expect(error).toMatchObject({
    code: 'unexpected-content',
    operation: 'watch',
    status: 200,
    contentType,
    attempts: 1,
    excerpt: '',
  })
  expect((error as UnexpectedContentError).headers.get('x-a')).toBe('b')
  expect(String(error)).toContain(`watch: the stream ${reason}`)
})

it('a call for a stream rejects like other calls if the response is an error or has another media type', async () => {
  await using client = clientFor(() => json({ detail: 'no' }, { status: 404 }))
  expect(await rejection(client.send(watch, {}))).toMatchObject({ name: 'NotFoundError' })
  await using other = clientFor(() => json({}))
  expect(await rejection(other.send(watch, {}))).toMatchObject({ code: 'unexpected-content' })
})

it('cancels the request when the loop is left, and when the stream is disposed of or returned during a read', async () => {
  const bodies = [openBody(event(1)), openBody(event(1)), openBody()]
  const left = [...bodies]
  await using client = clientFor(() => events(left.shift()!.body))
  for await (const _ of await client.send(watch, {})) break
  await bodies[0]?.canceled
  {
    await using stream = await client.send(watch, {})
    await stream.next()
  }
  await bodies[1]?.canceled
  const stream = await client.send(watch, {})
  const reading = stream.next()
  await stream.return()
  expect(await reading).toEqual({ done: true, value: undefined })
  await bodies[2]?.canceled
})

it('a stream ends with the reason of a signal', async () => {
  const { body, canceled } = openBody(event(1))
  await using client = clientFor(() => events(body))
  const controller = new AbortController()
  const stream = await client.send(watch, {}, { signal: controller.signal })
  await stream.next()
  const reading = rejection(stream.next())
  controller.abort(new Error('enough'))
  expect(await reading).toMatchObject({ message: 'enough' })
  await canceled
})

it('a stream has no time limit but that of a silence, and the deadline if any', async () => {
  const { body } = openBody(event(1))
  const clock = virtualClock({ autoAdvance: false })
  await using client = clientFor(() => events(body), { clock, timeoutMs: 1000 })
  const options: ItemStreamOptions = { idleTimeoutMs: 60_000 }
  const stream = await client.send(watch, {}, options)
  await stream.next()
  await clock.advance(50_000)
  const reading = rejection(stream.next())
  await vi.waitFor(() => expect(clock.timers).toBeGreaterThan(0))
  await clock.advance(59_999)
  expect(clock.timers).toBeGreaterThan(0)
  await clock.advance(1)
  expect(await reading).toMatchObject({ code: 'timeout', limitMs: 60_000 })
  const second = openBody(event(1))
  await using limited = clientFor(() => events(second.body), { clock })
  const late = await limited.send(watch, {}, { deadline: 5000 })
  await late.next()
  const waiting = rejection(late.next())
  await vi.waitFor(() => expect(clock.timers).toBeGreaterThan(0))
  await clock.advance(5000)
  expect(await waiting).toMatchObject({ code: 'deadline', limitMs: 5000 })
})

it('a stream reads no further ahead than its reader', async () => {
  let made = 0
  const body = new ReadableStream<Uint8Array>(
    { pull: (controller) => controller.enqueue(new TextEncoder().encode(event(++made))) },
    { highWaterMark: 0 },
  )
  await using client = clientFor(() => events(body))
  const stream = await client.send(watch, {})
  for (let count = 0; count < 5; count++) await stream.next()
  expect(made).toBeLessThan(10)
  await stream.return()
})

describe.each([
  ['undici', () => nodeTransport()],
  ['fetch', () => fetchTransport()],
])('an event stream over %s', (_, makeTransport) => {
  it('returns each event as it arrives, and closes the connection when the loop is left', async () => {
    const closed = Promise.withResolvers<void>()
    const first = Promise.withResolvers<void>()
    await using server = await httpServer((request, response) => {
      expect(request.headers.accept).toContain('text/event-stream')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(event(1))
      void first.promise.then(() => response.write(event(2)))
      response.on('close', () => closed.resolve())
    })
    await using client = clientFor(makeTransport(), { servers: { api: server.origin } })
    const found: Item[] = []
    for await (const one of await client.send(watch, {})) {
      found.push(one)
      first.resolve()
      if (found.length === 2) break
    }
    expect(found).toEqual([item(1), item(2)])
    await closed.promise
  })
})

const answering = (
  text: string,
  options: Partial<ClientOptions> = {},
  headers: Record<string, string> = {},
) => clientFor(() => events(text, headers), options)

it('a call for a stream of items returns the data or the exchange of another success that the contract has', async () => {
  const operation = watching(EVENT_STREAM, {
    responses: { 200: EVENT_STREAM, 202: { kind: 'json' }, 204: { kind: 'empty' } },
  })
  const other = clientFor(() => json({ a: 1 }, { status: 202 }))
  expect(await other.send(operation, {})).toEqual({ a: 1 })
  expect(await other.exchange(operation, {})).toMatchObject({ data: { a: 1 }, status: 202 })
  const none = clientFor(() => new Response(null, { status: 204 }))
  expect(await none.send(operation, {})).toBeUndefined()
  expect(await none.send(watch, {})).toBeUndefined()
})

it('the exchange of a stream has the details that the caller named, and those of the contract, but no text', async () => {
  const text = 'data: 1\n\ndata: 2\n\n'
  const headers = { 'x-id': 'r1', 'x-left': '3' }
  const check = { accepts: () => false, schema: () => Promise.reject(new Error('gone')) }
  const described = { kinds: { 'X-Left': 'number' }, read: readHeaders, check } as const
  const operation = watching({ ...EVENT_STREAM, headers: described })
  const { client, drift } = reporting(() => events(text, headers), {
    requestIdHeader: 'x-id',
    quotaHeaders: { left: 'x-left' },
  })
  const exchange = await client.exchange(operation, {})
  expect(exchange).toMatchObject({ requestId: 'r1', quota: { left: 3 }, headerValues: { 'X-Left': 3 } })
  expect(await collect(exchange.data)).toEqual([1, 2])
  // The headers are validated with the first item only.
  expect(drift).toHaveLength(1)
  const plain = await answering(text, {}, headers).exchange(watch, {})
  expect(plain).toMatchObject({ status: 200, attempts: 1 })
  expect(plain.headers.get('content-type')).toBe('text/event-stream')
  for (const read of [() => plain.text(), () => plain.bytes()])
    expect(read).toThrow('Read the items from `data`')
  await plain.data.return!()
  expect(await plain.data.return!()).toEqual({ done: true, value: undefined })
})

it.each([
  ['application/ndjson', true],
  ['application/x-jsonlines', true],
  ['application/json-stream', true],
  ['text/application/ndjson', false],
  ['application/jsonlx', false],
  ['text/plain', false],
])('a stream of JSON Lines may have the media type %s: %s', async (type, isFine) => {
  const client = clientFor(() => reply('1\n2\n', type))
  const result = client.send(watching({ ...JSON_LINES, contentType: 'application/jsonl' }), {}).then(collect)
  if (isFine) expect(await result).toEqual([1, 2])
  else expect(await rejection(result)).toMatchObject({ code: 'unexpected-content' })
  expect(await rejection(client.send(watch, {}))).toMatchObject({ code: 'unexpected-content' })
})

it('a stream ends with `[DONE]` only if its items are JSON', async () => {
  const text = 'data: 1\n\ndata: [DONE]\n\n'
  for (const [item, expected] of [
    ['json', 1],
    ['json-event', 1],
    ['text', 2],
    ['event', 2],
  ] as const) {
    const operation = watching({ ...EVENT_STREAM, items: { format: 'sse', item } })
    expect(await collect(await answering(text).send(operation, {}))).toHaveLength(expected)
  }
  const done = clientFor(() => reply('1\n[DONE]\n2\n', JSON_LINES.contentType))
  expect(await collect(await done.send(watching(JSON_LINES), {}))).toEqual([1])
})

it('an event stream has characters that are split between pieces, and replaces broken ones', async () => {
  const bytes = new TextEncoder().encode('data: "é"\n\n')
  const broken = Uint8Array.of(...new TextEncoder().encode('data: "'), 0xff, 0x22, 10, 10)
  const pieces = streamOf([bytes.subarray(0, 8), bytes.subarray(8), broken])
  const client = clientFor(() => events(pieces))
  expect(await collect(await client.send(watch, {}))).toEqual(['é', '\uFFFD'])
})

it.each([
  [watch, { reconnect: 'yes' }, 'must be a boolean'],
  [
    watching(EVENT_STREAM, { retry: { class: 'unsent-only' } }),
    { reconnect: true },
    'repeating the call may not be safe',
  ],
  [watching(JSON_LINES), { reconnect: true }, 'not an event stream'],
])('rejects `reconnect` before a request if it cannot apply: %#', async (operation, options, message) => {
  let calls = 0
  const client = clientFor(() => json(++calls))
  const error = await rejection(client.send(operation, {}, options as never))
  expect(error).toMatchObject({ code: 'invalid-options', option: 'reconnect' })
  expect(String(error)).toContain(message)
  expect(calls).toBe(0)
})
