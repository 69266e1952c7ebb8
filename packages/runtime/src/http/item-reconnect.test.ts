import { describe, expect, it, vi } from 'vitest'

import type { OperationDescriptor } from '../core/descriptors.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import type { ClientOptions } from './client-options.ts'
import { fetchTransport } from './fetch-transport.ts'
import type { ItemStream, ItemStreamOptions } from './item-stream.ts'
import { clientFor, type Item, json, rejection } from './test-support/fixtures.ts'

const EVENTS = { headers: { 'content-type': 'text/event-stream' } }
const event = (id: number | string, more = '') =>
  `${more}id: ${id}\ndata: ${JSON.stringify({ id: String(id), status: 'new' })}\n\n`

function watching(
  format: 'sse' | 'lines' = 'sse',
  retry: OperationDescriptor['retry'] = { class: 'safe' },
): OperationDescriptor<object, ItemStream<Item>> {
  const contentType = format === 'sse' ? 'text/event-stream' : 'application/x-ndjson'
  return {
    id: 'watch',
    method: 'GET',
    path: '/v1/watch',
    server: 'api',
    security: ['key'],
    parameters: [],
    responses: { 200: { kind: 'items', contentType, items: { format } } },
    retry,
    secrets: [],
  } as OperationDescriptor<object, ItemStream<Item>>
}

const events = watching()

async function collect<Value>(stream: AsyncIterable<Value>): Promise<Value[]> {
  const values: Value[] = []
  for await (const value of stream) values.push(value)
  return values
}

/** A service that responds in turn; the last response stays. */
function watched(
  responses: readonly (() => Response | Promise<Response>)[],
  own: Partial<ClientOptions> = {},
) {
  const clock = virtualClock()
  const seen: { id: string | null; atMs: number }[] = []
  const beganMs = clock.monotonic()
  const client = clientFor(
    (request) => {
      seen.push({ id: request.headers.get('last-event-id'), atMs: clock.monotonic() - beganMs })
      return (responses[seen.length - 1] ?? responses.at(-1))!()
    },
    { clock, ...own },
  )
  return { clock, client, seen }
}

const over = () => new Response(null, { status: 204 })
const down = () => json({}, { status: 503 })
const cut = (): Response => {
  throw new TypeError('unreachable')
}

describe('an event stream that is asked to reconnect', () => {
  const options: ItemStreamOptions = { reconnect: true }

  it('continues after the last event, when the service says so, until it ends the stream', async () => {
    const clock = virtualClock()
    const seen: [id: string | null, atMs: number][] = []
    const responses = [
      () => new Response(`retry: 200\n\n${event(1)}`, EVENTS),
      () => {
        const pieces = [event(2)]
        const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
          const piece = pieces.shift()
          if (piece === undefined) controller.error(new Error('cut'))
          else controller.enqueue(new TextEncoder().encode(piece))
        }
        return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), EVENTS)
      },
      () => new Response(`${event(3)}data: cut`, EVENTS),
      () => new Response(null, { status: 204 }),
    ]
    const began = clock.monotonic()
    await using client = clientFor(
      (request) => {
        seen.push([request.headers.get('last-event-id'), clock.monotonic() - began])
        return responses.shift()?.() ?? json({}, { status: 500 })
      },
      { clock, validate: 'enforce' },
    )
    const found = await collect(await client.send(events, {}, options))
    expect(found.map(({ id }) => id)).toEqual(['1', '2', '3'])
    expect(seen).toEqual([
      [null, 0],
      ['1', 200],
      ['2', 400],
      ['3', 600],
    ])
  })

  it('throws an OptionsError for a call that may not be repeated, and for other streams', async () => {
    await using client = clientFor(() => new Response(event(1), EVENTS))
    for (const operation of [watching('sse', { class: 'never' }), watching('lines')])
      expect(await rejection(client.send(operation, {}, options))).toMatchObject({ option: 'reconnect' })
  })

  it('ends without waiting when it is returned between two connections', async () => {
    const clock = virtualClock({ autoAdvance: false })
    await using client = clientFor(() => new Response(event(1), EVENTS), { clock })
    const stream = await client.send(events, {}, options)
    await stream.next()
    const reading = stream.next()
    await vi.waitFor(() => expect(clock.timers).toBe(1))
    await stream.return()
    expect(await reading).toEqual({ done: true, value: undefined })
    expect(clock.timers).toBe(0)
  })

  it.each([
    ['a signal', { message: 'enough' }],
    ['the client', { code: 'connection', message: expect.stringContaining('client is closed') }],
  ])('ends without waiting when %s ends it between two connections', async (who, error) => {
    const clock = virtualClock({ autoAdvance: false })
    const controller = new AbortController()
    await using client = clientFor(() => new Response(event(1), EVENTS), { clock })
    const stream = await client.send(events, {}, { ...options, signal: controller.signal })
    await stream.next()
    const reading = rejection(stream.next())
    await vi.waitFor(() => expect(clock.timers).toBe(1))
    if (who === 'a signal') controller.abort(new Error('enough'))
    else void client.close()
    expect(await reading).toMatchObject(error)
    expect(clock.timers).toBe(0)
  })

  it('closes a connection that opens after the stream was returned', async () => {
    const clock = virtualClock({ autoAdvance: false })
    const second = Promise.withResolvers<Response>()
    let isCancelled = false
    let requests = 0
    const body = new ReadableStream({ cancel: () => void (isCancelled = true) })
    // It ignores the signal, as some do.
    const fetch = async () => (++requests === 1 ? new Response(event(1), EVENTS) : second.promise)
    await using client = clientFor(json, { clock, transport: fetchTransport({ fetch }) })
    const stream = await client.send(events, {}, options)
    await stream.next()
    const reading = stream.next()
    await vi.waitFor(() => expect(clock.timers).toBe(1))
    clock.advance(5_000)
    await vi.waitFor(() => expect(requests).toBe(2))
    const returned = stream.return()
    second.resolve(new Response(body, EVENTS))
    await returned
    expect(await reading).toEqual({ done: true, value: undefined })
    await vi.waitFor(() => expect(isCancelled).toBe(true))
  })

  it('opens no other connection after `[DONE]`', async () => {
    const { client, seen } = watched([() => new Response(`${event(1)}data: [DONE]\n\n`, EVENTS)])
    await using _ = client
    expect(await collect(await client.send(events, {}, options))).toHaveLength(1)
    expect(seen).toHaveLength(1)
  })

  it('R-02: the deadline also ends the wait for the response of another connection', async () => {
    const { client, seen } = watched([
      () => new Response(event(1, 'retry: 1000\n'), EVENTS),
      () => new Promise<Response>(() => undefined),
    ])
    await using _ = client
    const stream = await client.send(events, {}, { ...options, deadline: 5_500 })
    expect(await rejection(collect(stream))).toMatchObject({ code: 'deadline' })
    expect(seen).toHaveLength(2)
  })

  it('survives an outage with growing delays, each a `retry` event, and starts over with the next item', async () => {
    const retries: number[] = []
    const { client, seen } = watched(
      [
        () => new Response(event(1, 'retry: 1000\n'), EVENTS),
        down,
        cut,
        down,
        down,
        () => new Response(event(2), EVENTS),
        over,
      ],
      {
        random: () => 0.5,
        observe: (one) => {
          if (one.type === 'retry') retries.push(one.delayMs)
        },
      },
    )
    await using _ = client
    const found = await collect(await client.send(events, {}, options))
    expect(found.map(({ id }) => id)).toEqual(['1', '2'])
    expect(retries).toEqual([1_050, 1_050, 2_100, 4_200, 8_400, 1_050])
    expect(seen.map(({ id }) => id)).toEqual([null, '1', '1', '1', '1', '1', '2'])
  })

  it('ends with an error that another connection would not change', async () => {
    const { client, seen } = watched([() => new Response(event(1), EVENTS), () => json({}, { status: 404 })])
    await using _ = client
    expect(await rejection(collect(await client.send(events, {}, options)))).toMatchObject({ status: 404 })
    expect(seen).toHaveLength(2)
  })

  it.each([
    ['no items', 'retry: 0\n\n', 70],
    ['an endless wait', event(1, `retry: ${'9'.repeat(60)}\n`), 1],
  ])('does not hammer a service that asks for it with %s', async (_name, text, most) => {
    const controller = new AbortController()
    const { client, seen, clock } = watched([() => new Response(text, EVENTS)], { random: () => 0.5 })
    await using _ = client
    clock.setTimer(() => controller.abort(new Error('enough')), 3_600_000)
    const stream = await client.send(events, {}, { ...options, signal: controller.signal })
    expect(await rejection(collect(stream))).toMatchObject({ message: 'enough' })
    expect(seen.length).toBeLessThanOrEqual(most * 2)
  })

  it('sends ids of any language back in UTF-8, and reports one that cannot be sent', async () => {
    const { client, seen } = watched([() => new Response(event('é日本'), EVENTS), over])
    await using _ = client
    await collect(await client.send(events, {}, options))
    expect(Buffer.from(seen[1]?.id ?? '', 'latin1').toString()).toBe('é日本')
    const longest = watched([() => new Response(event('a'.repeat(8_192)), EVENTS), over])
    await using _longest = longest.client
    await collect(await longest.client.send(events, {}, options))
    expect(longest.seen[1]?.id).toHaveLength(8_192)
    for (const id of ['a\u0001b', 'a'.repeat(8_193)]) {
      const other = watched([() => new Response(event(id), EVENTS)])
      await using _other = other.client
      const error = await rejection(collect(await other.client.send(events, {}, options)))
      expect(error).toMatchObject({ code: 'unexpected-content' })
      expect(String(error)).toContain('has an event id that cannot be sent in a header')
    }
  })

  it('R-02: has one deadline for all of its connections', async () => {
    const { client, seen } = watched([() => new Response(event(1, 'retry: 1000\n'), EVENTS)], {
      random: () => 0,
    })
    await using _ = client
    const stream = await client.send(events, {}, { ...options, deadline: 5_500 })
    expect(await rejection(collect(stream))).toMatchObject({ code: 'deadline', limitMs: 5_500 })
    expect(seen.map(({ atMs }) => atMs)).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000])
  })
})
