import { expect, it } from 'vitest'
import { authorizedFetch } from '../session/authorized-fetch.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { fetchTransport } from './fetch-transport.ts'
import { clientFor, streamOf } from './test-support/clients.ts'
import { KEY, rejection, uploadBytes } from './test-support/fixtures.ts'

const putSound = { ...uploadBytes, responses: { 200: { kind: 'text' } } } as const

/** A service that reads the upload, and a stream that produces a piece after each pause. */
function scene(options: { readonly deadline?: '100s' } = {}) {
  const clock = virtualClock()
  const client = clientFor(async (request) => new Response(`${(await request.bytes()).length}`), {
    clock,
    ...options,
  })
  async function* pieces(...pausesMs: number[]): AsyncGenerator<Uint8Array> {
    for (const pauseMs of pausesMs) {
      await new Promise<void>((resolve) => clock.setTimer(resolve, pauseMs))
      yield new Uint8Array(10)
    }
  }
  return { clock, client, pieces }
}

it('R-02: `timeoutMs` does not end an upload that makes progress, however long it takes', async () => {
  const { clock, client, pieces } = scene()
  const body = pieces(...Array<number>(10).fill(40_000))
  expect(await client.send(putSound, { body })).toBe('100')
  expect(clock.monotonic()).toBeGreaterThan(399_000)
})

it('R-02: a silence of `timeoutMs` ends the upload, and the error says what was limited', async () => {
  const { client, pieces } = scene()
  const error = await rejection(client.send(putSound, { body: pieces(40_000, 40_000, 70_000) }))
  const { cause } = error as { cause: unknown }
  expect(cause).toMatchObject({ code: 'timeout', limitMs: 60_000, elapsedMs: 140_000 })
  expect(String(cause)).toContain(
    'for 60000 ms, the server accepted no more of the body and sent no complete response',
  )
})

it('R-02: `deadline` limits the whole upload', async () => {
  const { clock, client, pieces } = scene({ deadline: '100s' })
  const error = await rejection(client.send(putSound, { body: pieces(40_000, 40_000, 40_000) }))
  expect((error as { cause: unknown }).cause).toMatchObject({ code: 'deadline', limitMs: 100_000 })
  expect(clock.monotonic()).toBe(100_000)
})

it('R-02: `timeoutMs` allows for each mebibyte of an upload on a host that reports no progress', async () => {
  const clock = virtualClock()
  const transport = fetchTransport({
    streams: false,
    fetch: async () => {
      await new Promise<void>((resolve) => clock.setTimer(resolve, 170_000))
      return new Response('done')
    },
  })
  const client = clientFor(transport, { clock })
  expect(await client.send(putSound, { body: new Uint8Array(3 * 2 ** 20) })).toBe('done')
  const error = await rejection(client.send(putSound, { body: new Uint8Array(2 * 2 ** 20) }))
  expect(error).toMatchObject({ cause: { code: 'timeout', limitMs: 120_000 } })
})

it('R-02: `timeoutMs` limits each silence of an upload of an authorized fetch', async () => {
  const { client, pieces } = scene()
  const fetch = authorizedFetch(client, {
    credential: { in: 'header', name: 'authorization', value: KEY },
    base: 'http://service.test',
    addresses: ['http://service.test'],
    credentialHeaders: [],
  })
  const send = (...pausesMs: number[]) => fetch('/x', { method: 'PUT', body: streamOf(pieces(...pausesMs)) })
  expect(await (await send(40_000, 40_000, 40_000)).text()).toBe('30')
  expect(await rejection(send(40_000, 70_000))).toMatchObject({ code: 'timeout', limitMs: 60_000 })
})
