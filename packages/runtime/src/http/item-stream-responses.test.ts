import { describe, expect, it } from 'vitest'

import type { DriftReport } from '../core/events.ts'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { readHeaders } from './headers.ts'
import type { ItemStream } from './item-stream.ts'
import { clientFor, getItem, json, rejection } from './test-support/fixtures.ts'

type Responses = OperationDescriptor['responses']
type Watch = OperationDescriptor<object, ItemStream<unknown>>

const EVENTS = { 'content-type': 'text/event-stream' }
const items = { format: 'sse' } as const
const success = { kind: 'items', contentType: 'text/event-stream', items } as const

function watching(responses: Responses, more: Partial<OperationDescriptor> = {}): Watch {
  const { types: _, ...base } = getItem
  return { ...base, id: 'watch', path: '/v1/watch', parameters: [], responses, ...more } as Watch
}

const events = watching({ 200: success })
const answering = (text: string, headers: Record<string, string> = EVENTS, options = {}) =>
  clientFor(() => new Response(text, { headers }), options)

async function collect(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = []
  for await (const item of stream) found.push(item)
  return found
}

describe('the response to a call for a stream of items', () => {
  it('is the data or the exchange of another success that the contract has', async () => {
    const operation = watching({ 200: success, 202: { kind: 'json' }, 204: { kind: 'empty' } })
    const other = clientFor(() => json({ a: 1 }, { status: 202 }))
    expect(await other.send(operation, {})).toEqual({ a: 1 })
    expect(await other.exchange(operation, {})).toMatchObject({ data: { a: 1 }, status: 202 })
    const none = clientFor(() => new Response(null, { status: 204 }))
    expect(await none.send(operation, {})).toBeUndefined()
    expect(await none.send(events, {})).toBeUndefined()
  })

  it('has the details that the caller named, and those of the contract', async () => {
    const headers = { ...EVENTS, 'x-id': 'r1', 'x-left': '3' }
    const options = { requestIdHeader: 'x-id', quotaHeaders: { left: 'x-left' } }
    const reports: DriftReport[] = []
    const check = { accepts: () => false, schema: () => Promise.reject(new Error('gone')) }
    const described = { kinds: { 'X-Left': 'number' }, read: readHeaders, check } as const
    const operation = watching({ 200: { ...success, headers: described } })
    const client = answering('data: 1\n\ndata: 2\n\n', headers, {
      ...options,
      onDrift: (found: DriftReport) => reports.push(found),
    })
    const exchange = await client.exchange(operation, {})
    expect(exchange).toMatchObject({ requestId: 'r1', quota: { left: 3 }, headerValues: { 'X-Left': 3 } })
    expect(await collect(exchange.data)).toEqual([1, 2])
    // The headers are validated with the first item only.
    expect(reports).toHaveLength(1)
    const plain = await answering('data: 1\n\n', headers).exchange(events, {})
    expect(['requestId' in plain, 'quota' in plain]).toEqual([false, false])
    for (const read of [() => plain.text(), () => plain.bytes()]) expect(read).toThrow(TypeError)
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
  ])('may have another name of JSON Lines: %s %s', async (type, isFine) => {
    const lines = watching({
      200: { kind: 'items', contentType: 'application/jsonl', items: { format: 'lines' } },
    })
    const client = answering('1\n2\n', { 'content-type': type })
    const result = client.send(lines, {}).then(collect)
    if (isFine) expect(await result).toEqual([1, 2])
    else expect(await rejection(result)).toMatchObject({ code: 'unexpected-content' })
    const other = answering('1\n2\n', { 'content-type': type }).send(events, {})
    expect(await rejection(other)).toMatchObject({ code: 'unexpected-content' })
  })

  it('R-04: ends with an error that has its status, headers and media type', async () => {
    const error = await rejection(
      answering('data: {\n\n', { ...EVENTS, 'x-a': 'b' })
        .send(events, {})
        .then(collect),
    )
    expect(error).toMatchObject({ status: 200, contentType: 'text/event-stream', attempts: 1 })
    expect((error as { headers: Headers }).headers.get('x-a')).toBe('b')
  })

  it('ends with `[DONE]` only if its items are JSON', async () => {
    const text = 'data: 1\n\ndata: [DONE]\n\n'
    for (const [item, expected] of [
      ['json', 1],
      ['json-event', 1],
      ['text', 2],
      ['event', 2],
    ] as const) {
      const operation = watching({ 200: { ...success, items: { format: 'sse', item } } })
      expect(await collect(await answering(text).send(operation, {}))).toHaveLength(expected)
    }
    const lines = watching({
      200: { kind: 'items', contentType: 'application/jsonl', items: { format: 'lines' } },
    })
    const done = answering('1\n[DONE]\n2\n', { 'content-type': 'application/jsonl' })
    expect(await collect(await done.send(lines, {}))).toEqual([1])
  })

  it('decodes characters that are split between pieces, and replaces broken ones', async () => {
    const bytes = new TextEncoder().encode('data: "é"\n\n')
    const pieces = [
      bytes.subarray(0, 8),
      bytes.subarray(8),
      Uint8Array.of(...new TextEncoder().encode('data: "'), 0xff, 0x22, 10, 10),
    ]
    const start = (body: ReadableStreamDefaultController): void => {
      for (const piece of pieces) body.enqueue(piece)
      body.close()
    }
    const client = clientFor(() => new Response(new ReadableStream({ start }), { headers: EVENTS }))
    expect(await collect(await client.send(events, {}))).toEqual(['é', '\uFFFD'])
  })

  it('is not validated if validation is off', async () => {
    const reports: DriftReport[] = []
    const check = { accepts: () => false, schema: () => Promise.reject(new Error('gone')) }
    const operation = watching({ 200: { ...success, check } })
    const options = { onDrift: (found: DriftReport) => reports.push(found), validate: 'off' }
    expect(await collect(await answering('data: 1\n\n', EVENTS, options).send(operation, {}))).toEqual([1])
    expect(reports).toEqual([])
  })
})

describe('the options of a stream of items', () => {
  it.each([
    [events, { reconnect: 'yes' }, 'must be a boolean'],
    [
      watching({ 200: success }, { retry: { class: 'unsent-only' } }),
      { reconnect: true },
      'it may not be repeated',
    ],
    [
      watching({ 200: { kind: 'items', items: { format: 'lines' } } }),
      { reconnect: true },
      'not an event stream',
    ],
  ])('are rejected before a request: %#', async (operation, options, message) => {
    let calls = 0
    const client = clientFor(() => json(++calls))
    const error = await rejection(client.send(operation, {}, options as never))
    expect(error).toMatchObject({ code: 'invalid-options', option: 'reconnect' })
    expect(String(error)).toContain(message)
    expect(calls).toBe(0)
  })

  it('R-02: the deadline also limits connections that are opened again, and the last id is sent', async () => {
    const virtual = virtualClock()
    const clock = { ...virtual, monotonic: () => virtual.monotonic() + 5_000 }
    const seen: (string | null)[] = []
    const client = clientFor(
      ({ headers }) => {
        seen.push(headers.get('last-event-id'))
        return new Response(seen.length < 3 ? `id: ${seen.length}\ndata: ${seen.length}\n\n` : 'id\n\n', {
          headers: EVENTS,
        })
      },
      { clock },
    )
    const operation = watching({ 200: success, 404: { kind: 'json' } })
    const stream = await client.send(operation, {}, { reconnect: true, deadline: '1m' } as never)
    const found: unknown[] = []
    const reading = (async () => {
      for await (const item of stream) found.push(item)
    })()
    expect(await rejection(reading)).toMatchObject({ code: 'deadline', limitMs: 60_000, operation: 'watch' })
    expect(found).toEqual([1, 2])
    expect(seen.slice(0, 4)).toEqual([null, '1', '2', null])
    expect(virtual.elapsedMs).toBeLessThanOrEqual(60_000)
  })
})
