import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { scriptedTransport } from '../testing/transports.ts'
import { hostTurn, virtualClock } from '../testing/virtual-clock.ts'
import type { Client } from './client.ts'
import { clientFor, keyFrom, reply } from './test-support/clients.ts'
import { createItem, getItem, input, item, json, rejection } from './test-support/fixtures.ts'

const reason = new Error('the user left')

const never = (): Promise<never> => new Promise(() => undefined)

it.each<[string, (begin: () => void) => Client]>([
  ['before the response', (begin) => clientFor(scriptedTransport(() => (begin(), 'stalled')))],
  ['in the body', (begin) => clientFor(scriptedTransport(() => (begin(), 'stalled-body')))],
  ['in a handler that ignores it', (begin) => clientFor(() => (begin(), never()))],
  [
    'in a body that the service streams',
    (begin) =>
      clientFor(() => reply(new ReadableStream({ pull: () => (begin(), never()) }), 'application/json')),
  ],
  [
    'while a credential is read',
    (begin) => clientFor(() => json(item), { credentials: { key: keyFrom(() => (begin(), never())) } }),
  ],
  [
    'while a rejected credential is refreshed',
    (begin) => {
      const key = keyFrom('token', () => (begin(), never()))
      return clientFor(() => json({}, { status: 401 }), { credentials: { key } })
    },
  ],
])('R-03: an abort %s ends a call at once with its reason, and nothing follows', async (_, make) => {
  let begun = 0
  const { signal, abort } = abortable()
  const client = make(() => begun++)
  // A submission is no different: it throws the reason, not a SubmissionUncertainError.
  const calls = [
    rejection(client.send(getItem, input, { signal })),
    rejection(client.send(createItem, { body: {} }, { signal })),
  ]
  while (begun < calls.length) await hostTurn()
  await hostTurn()
  abort()
  for (const ended of calls) expect(await ended).toBe(reason)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  expect(begun).toBe(calls.length)
})

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort(reason) }
}

it.each<[string, (client: Client, abort: () => void) => unknown, unknown]>([
  ['an abort', (_, abort) => abort(), reason],
  [
    'closing the client',
    (client) => client.close(),
    expect.objectContaining({ code: 'connection', sent: 'no' }),
  ],
])('R-03: %s ends a back-off at once, and no request follows', async (_, end, expected) => {
  const transport = scriptedTransport(json({}, { status: 503 }))
  const clock = virtualClock({ autoAdvance: false })
  const client = clientFor(transport, { clock, random: () => 0.9 })
  const { signal, abort } = abortable()
  const sending = rejection(client.send(getItem, input, { signal }))
  while (clock.timers === 0 || transport.requests.length === 0) await hostTurn()
  await hostTurn()
  expect(clock.timers).toBe(1)
  await end(client, abort)
  expect(await sending).toEqual(expected)
  expect(clock.timers).toBe(0)
  expect(transport.requests).toHaveLength(1)
})

it('R-03: an abort of the signal of a client ends its calls', async () => {
  const { signal, abort } = abortable()
  const client = clientFor(scriptedTransport('stalled'), { signal })
  const sending = rejection(client.send(getItem, input))
  await hostTurn()
  abort()
  expect(await sending).toBe(reason)
})

it('R-03: 200 calls on one signal leave no listener on it', async () => {
  const { signal } = new AbortController()
  const steps = [json(item), 'lost', json({}, { status: 404 }), 'refused'] as const
  let count = 0
  const client = clientFor(scriptedTransport(() => steps[count++ % 4] ?? 'lost'))
  const calls = Array.from({ length: 200 }, () =>
    client.send(getItem, input, { signal }).catch(() => undefined),
  )
  expect(getEventListeners(signal, 'abort').length).toBeGreaterThan(0)
  await Promise.all(calls)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

it('sends nothing if its client is closed while a credential is read', async () => {
  const transport = scriptedTransport(json(item))
  const { promise, resolve } = Promise.withResolvers<string>()
  const client = clientFor(transport, { credentials: { key: keyFrom(() => promise) } })
  const sending = rejection(client.send(getItem, input))
  await client.close()
  resolve('token')
  expect(await sending).toMatchObject({ code: 'connection', sent: 'no' })
  expect(transport.requests).toHaveLength(0)
})

it('closes a client and its transport at the end of `await using`', async () => {
  let closed = 0
  {
    const transport = { ...scriptedTransport(json(item)), close: async () => void closed++ }
    await using client = clientFor(transport)
    await client.send(getItem, input)
  }
  expect(closed).toBe(1)
})
