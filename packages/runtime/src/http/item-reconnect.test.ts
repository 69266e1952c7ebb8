import { expect, it, onTestFinished, vi } from 'vitest'

import { virtualClock } from '../testing/virtual-clock.ts'
import type { ClientOptions } from './client-options.ts'
import { fetchTransport } from './fetch-transport.ts'
import type { ItemStreamOptions } from './item-stream.ts'
import { clientFor, cutShort } from './test-support/clients.ts'
import { json, rejection } from './test-support/fixtures.ts'
import { collect, event, EVENT_STREAM, events, watching } from './test-support/item-streams.ts'

const watch = watching()
const options: ItemStreamOptions = { reconnect: true }

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
  onTestFinished(() => client.close())
  return { clock, client, seen }
}

const over = () => new Response(null, { status: 204 })
const down = () => json({}, { status: 503 })
const cut = (): Response => {
  throw new TypeError('unreachable')
}

it('reconnects an event stream after its last event, when the service says so, until the service ends it', async () => {
  const { client, seen } = watched(
    [
      () => events(`retry: 200\n\n${event(1)}`),
      () => events(cutShort(new TextEncoder().encode(event(2)))),
      () => events(`${event(3)}data: cut`),
      over,
    ],
    { validate: 'enforce' },
  )
  const found = await collect(await client.send(watch, {}, options))
  expect(found.map(({ id }) => id)).toEqual(['1', '2', '3'])
  expect(seen).toEqual([
    { id: null, atMs: 0 },
    { id: '1', atMs: 200 },
    { id: '2', atMs: 400 },
    { id: '3', atMs: 600 },
  ])
})

it('ends without waiting when the stream is returned between two connections', async () => {
  const clock = virtualClock({ autoAdvance: false })
  await using client = clientFor(() => events(event(1)), { clock })
  const stream = await client.send(watch, {}, options)
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
])('ends without waiting when %s ends the stream between two connections', async (who, error) => {
  const clock = virtualClock({ autoAdvance: false })
  const controller = new AbortController()
  await using client = clientFor(() => events(event(1)), { clock })
  const stream = await client.send(watch, {}, { ...options, signal: controller.signal })
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
  const fetch = async () => (++requests === 1 ? events(event(1)) : second.promise)
  await using client = clientFor(json, { clock, transport: fetchTransport({ fetch }) })
  const stream = await client.send(watch, {}, options)
  await stream.next()
  const reading = stream.next()
  await vi.waitFor(() => expect(clock.timers).toBe(1))
  clock.advance(5_000)
  await vi.waitFor(() => expect(requests).toBe(2))
  const returned = stream.return()
  second.resolve(events(body))
  await returned
  expect(await reading).toEqual({ done: true, value: undefined })
  await vi.waitFor(() => expect(isCancelled).toBe(true))
})

it('does not reconnect after `[DONE]`', async () => {
  const { client, seen } = watched([() => events(`${event(1)}data: [DONE]\n\n`)])
  expect(await collect(await client.send(watch, {}, options))).toHaveLength(1)
  expect(seen).toHaveLength(1)
})

it('R-02: the deadline of an event stream also ends the wait for the response of another connection', async () => {
  const { client, seen } = watched([
    () => events(event(1, 'retry: 1000\n')),
    () => new Promise<Response>(() => undefined),
  ])
  const stream = await client.send(watch, {}, { ...options, deadline: 5_500 })
  expect(await rejection(collect(stream))).toMatchObject({ code: 'deadline' })
  expect(seen).toHaveLength(2)
})

it('R-02: the deadline of an event stream limits all of its connections, each of which begins after the last id', async () => {
  const { client, clock, seen } = watched([
    () => events(event(1)),
    () => events(event(2)),
    () => events('id\n\n'),
  ])
  const operation = watching(EVENT_STREAM, { responses: { 404: { kind: 'json' }, 200: EVENT_STREAM } })
  const stream = await client.send(operation, {}, { ...options, deadline: '1m' } as ItemStreamOptions)
  for (const id of ['1', '2']) expect((await stream.next()).value).toMatchObject({ id })
  const error = await rejection(stream.next())
  expect(error).toMatchObject({ code: 'deadline', limitMs: 60_000, operation: 'watch' })
  expect(seen.slice(0, 4).map(({ id }) => id)).toEqual([null, '1', '2', null])
  expect(clock.elapsedMs).toBeLessThanOrEqual(60_000)
})

it('reconnects with growing delays during an outage, each a `retry` event, and starts over with the next item', async () => {
  const retries: number[] = []
  const { client, seen } = watched(
    [() => events(event(1, 'retry: 1000\n')), down, cut, down, down, () => events(event(2)), over],
    {
      random: () => 0.5,
      observe: (one) => {
        if (one.type === 'retry') retries.push(one.delayMs)
      },
    },
  )
  const found = await collect(await client.send(watch, {}, options))
  expect(found.map(({ id }) => id)).toEqual(['1', '2'])
  expect(retries).toEqual([1_050, 1_050, 2_100, 4_200, 8_400, 1_050])
  expect(seen.map(({ id }) => id)).toEqual([null, '1', '1', '1', '1', '1', '2'])
})

it('ends an event stream with an error that another connection would not change', async () => {
  const { client, seen } = watched([() => events(event(1)), () => json({}, { status: 404 })])
  expect(await rejection(collect(await client.send(watch, {}, options)))).toMatchObject({ status: 404 })
  expect(seen).toHaveLength(2)
})

it.each([
  ['no items', 'retry: 0\n\n', 70],
  ['an endless wait', event(1, `retry: ${'9'.repeat(60)}\n`), 1],
])('does not hammer a service that asks for it with %s', async (_name, text, most) => {
  const controller = new AbortController()
  const { client, seen, clock } = watched([() => events(text)], { random: () => 0.5 })
  clock.setTimer(() => controller.abort(new Error('enough')), 3_600_000)
  const stream = await client.send(watch, {}, { ...options, signal: controller.signal })
  expect(await rejection(collect(stream))).toMatchObject({ message: 'enough' })
  expect(seen.length).toBeLessThanOrEqual(most * 2)
})

it('sends event ids of any language back in UTF-8, and rejects an id that cannot be sent', async () => {
  const { client, seen } = watched([() => events(event('é日本')), over])
  await collect(await client.send(watch, {}, options))
  expect(Buffer.from(seen[1]?.id ?? '', 'latin1').toString()).toBe('é日本')
  const longest = watched([() => events(event('a'.repeat(8_192))), over])
  await collect(await longest.client.send(watch, {}, options))
  expect(longest.seen[1]?.id).toHaveLength(8_192)
  for (const id of ['a\u0001b', 'a'.repeat(8_193)]) {
    const other = watched([() => events(event(id))])
    const error = await rejection(collect(await other.client.send(watch, {}, options)))
    expect(error).toMatchObject({ code: 'unexpected-content' })
    expect(String(error)).toContain('has an event id that cannot be sent in the `Last-Event-ID` header')
  }
})
