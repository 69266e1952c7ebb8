import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { scriptedTransport } from '../testing/transports.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { createClient } from './client.ts'
import { clientFor, createItem, getItem, json, KEY, rejection } from './test-support/fixtures.ts'

const input = { path: { item_id: 'a' } }
const item = { id: 'a', status: 'done' }
const reason = new Error('the user left')
const base = {
  servers: { api: 'http://service.test' },
  credentials: { key: { in: 'header', name: 'X-API-Key', value: KEY } },
} as const

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

describe('abort', () => {
  it('R-03: an abort before the call sends nothing, and throws the reason of the signal', async () => {
    const transport = scriptedTransport(json(item))
    const client = createClient({ ...base, transport })
    expect(await rejection(client.send(getItem, input, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(transport.requests).toHaveLength(0)
  })

  it.each(['stalled', 'stalled-body'] as const)(
    'R-03: an abort takes effect at once while %s, and no request follows',
    async (fault) => {
      const transport = scriptedTransport(fault)
      const client = createClient({ ...base, transport })
      const controller = new AbortController()
      const sending = rejection(client.send(getItem, input, { signal: controller.signal }))
      // The first call loads code, which can take several turns.
      while (transport.requests.length === 0) await turn()
      controller.abort(reason)
      expect(await sending).toBe(reason)
      expect(transport.requests).toHaveLength(1)
    },
  )

  it('R-03: an abort takes effect at once even if the handler of a memory transport ignores it', async () => {
    const client = clientFor(() => new Promise<Response>(() => undefined))
    const controller = new AbortController()
    const sending = rejection(client.send(getItem, input, { signal: controller.signal }))
    await turn()
    controller.abort(reason)
    expect(await sending).toBe(reason)
  })

  it('R-03: an abort takes effect at once in a stalled body', async () => {
    const body = new ReadableStream<Uint8Array>({ start: (stream) => stream.enqueue(new Uint8Array([123])) })
    const client = clientFor(() => new Response(body, { headers: { 'content-type': 'application/json' } }))
    const controller = new AbortController()
    const sending = rejection(client.send(getItem, input, { signal: controller.signal }))
    await turn()
    await turn()
    controller.abort(reason)
    expect(await sending).toBe(reason)
  })

  it('R-03: an abort takes effect at once in a back-off, and no request follows', async () => {
    const transport = scriptedTransport(json({}, { status: 503 }))
    const clock = virtualClock({ autoAdvance: false })
    const client = createClient({ ...base, transport, clock, random: () => 0.9 })
    const controller = new AbortController()
    const sending = rejection(client.send(getItem, input, { signal: controller.signal }))
    while (clock.timers === 0 || transport.requests.length === 0) await turn()
    await turn()
    expect(clock.timers).toBe(1)
    controller.abort(reason)
    expect(await sending).toBe(reason)
    expect(clock.timers).toBe(0)
    expect(transport.requests).toHaveLength(1)
  })

  it('R-03: an abort takes effect at once while a credential is being read', async () => {
    const value = (): Promise<string> => new Promise(() => undefined)
    const client = createClient({
      ...base,
      transport: scriptedTransport(json(item)),
      credentials: { key: { in: 'header', name: 'X-API-Key', value } },
    })
    const controller = new AbortController()
    const sending = rejection(client.send(getItem, input, { signal: controller.signal }))
    await turn()
    controller.abort(reason)
    expect(await sending).toBe(reason)
  })

  it('R-03: an abort takes effect at once while a rejected credential is being refreshed', async () => {
    const transport = scriptedTransport(json({}, { status: 401 }))
    const rejected = (): Promise<boolean> => new Promise(() => undefined)
    const credentials = { key: { in: 'header', name: 'X-API-Key', value: () => 'token', rejected } } as const
    const client = createClient({ ...base, transport, credentials })
    const controller = new AbortController()
    const sending = rejection(client.send(getItem, input, { signal: controller.signal }))
    while (transport.requests.length === 0) await turn()
    await turn()
    controller.abort(reason)
    expect(await sending).toBe(reason)
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
  })

  it('R-03: an abort of the signal of the client ends its calls', async () => {
    const controller = new AbortController()
    const client = createClient({
      ...base,
      transport: scriptedTransport('stalled'),
      signal: controller.signal,
    })
    const sending = rejection(client.send(getItem, input))
    await turn()
    controller.abort(reason)
    expect(await sending).toBe(reason)
  })

  it('R-03: a submission that the caller aborts throws the reason of the abort, not SubmissionUncertainError', async () => {
    const client = createClient({ ...base, transport: scriptedTransport('stalled') })
    const controller = new AbortController()
    const sending = rejection(client.send(createItem, { body: {} }, { signal: controller.signal }))
    await turn()
    controller.abort(reason)
    expect(await sending).toBe(reason)
  })

  it('R-03: 200 calls on one signal leave no listener on it', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const steps = [json(item), 'lost', json({}, { status: 404 }), 'refused'] as const
    const client = createClient({
      ...base,
      transport: scriptedTransport(() => steps[count++ % 4] ?? 'lost'),
      random: () => 0,
    })
    let count = 0
    const calls = Array.from({ length: 200 }, () =>
      client.send(getItem, input, { signal }).catch(() => undefined),
    )
    expect(getEventListeners(signal, 'abort').length).toBeGreaterThan(0)
    await Promise.all(calls)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})

describe('closing', () => {
  it('makes later calls fail with a clear error, without a request', async () => {
    const transport = scriptedTransport(json(item))
    const client = createClient({ ...base, transport })
    await client.close()
    await client.close()
    expect(await rejection(client.send(getItem, input))).toMatchObject({ code: 'connection', sent: 'no' })
    expect(transport.requests).toHaveLength(0)
  })

  it('ends a back-off at once, and no request follows', async () => {
    const transport = scriptedTransport(json({}, { status: 503 }))
    const clock = virtualClock({ autoAdvance: false })
    const client = createClient({ ...base, transport, clock, random: () => 0.9 })
    const sending = rejection(client.send(getItem, input))
    while (transport.requests.length === 0 || clock.timers === 0) await turn()
    await turn()
    await client.close()
    expect(await sending).toMatchObject({ code: 'connection', sent: 'no' })
    expect(clock.timers).toBe(0)
    expect(transport.requests).toHaveLength(1)
  })

  it('sends nothing if a credential is being read', async () => {
    const transport = scriptedTransport(json(item))
    const { promise, resolve } = Promise.withResolvers<string>()
    const credentials = { key: { in: 'header', name: 'X-API-Key', value: () => promise } } as const
    const client = createClient({ ...base, transport, credentials })
    const sending = rejection(client.send(getItem, input))
    await client.close()
    resolve('token')
    expect(await sending).toMatchObject({ code: 'connection', sent: 'no' })
    expect(transport.requests).toHaveLength(0)
  })

  it('happens at the end of `await using`', async () => {
    let closed = 0
    const transport = { ...scriptedTransport(json(item)), close: async () => void closed++ }
    {
      await using client = createClient({ ...base, transport })
      await client.send(getItem, input)
    }
    expect(closed).toBe(1)
  })
})
