import type { Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { ClientOptions } from '../http/client-options.ts'
import { type Client } from '../http/client.ts'
import { createItem, getItem, rejection } from '../http/test-support/fixtures.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import {
  clientTo as connectTo,
  httpServer,
  listen,
  type Loopback,
  socketServer,
} from './test-support/loopback.ts'

const input = { path: { item_id: 'a' } }
const item = '{"id":"a","status":"done"}'
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

/** A client that makes one attempt. */
const clientTo = (origin: string, options: Partial<ClientOptions> = {}): Client =>
  connectTo(origin, { retry: { maxAttempts: 1 }, ...options })

/** Does something to a socket once a request has arrived. */
function onRequest(act: (socket: Socket, count: number) => void): Promise<Loopback> {
  let count = 0
  return socketServer((socket) => socket.on('data', () => act(socket, ++count)))
}

const unhandled: unknown[] = []
const note = (error: unknown): void => void unhandled.push(error)
beforeEach(() => process.on('unhandledRejection', note))
afterEach(() => {
  process.off('unhandledRejection', note)
  expect(unhandled.splice(0)).toEqual([])
})

it('R-20: after an unknown server name, the error says that nothing was sent', async () => {
  await using client = clientTo('http://no-such-host.invalid')
  const error = await rejection(client.send(getItem, input))
  expect(error).toMatchObject({ code: 'connection', phase: 'dns', sent: 'no' })
  // Emulators in the same process have such addresses.
  expect((error as Error).message).toContain('exists only inside a process')
  expect((error as Error).message).toContain('fetchTransport()')
})

it.each([
  ['that the server ends', () => socketServer((socket) => socket.destroy())],
  ['with a server that has no certificate', () => listen(createTlsServer(() => undefined))],
])('R-20: after a TLS handshake %s, the error says that nothing was sent', async (_what, serve) => {
  await using server = await serve()
  await using client = clientTo(server.origin.replace('http:', 'https:'))
  const error = await rejection(client.send(getItem, input))
  expect(error).toMatchObject({ code: 'connection', phase: 'tls', sent: 'no' })
})

it('R-21: a submission is sent once, and is uncertain after a reset', async () => {
  let requests = 0
  await using server = await onRequest((socket) => {
    requests++
    socket.resetAndDestroy()
  })
  await using client = clientTo(server.origin, { retry: { maxAttempts: 3, baseMs: 0 } })
  const error = await rejection(client.send(createItem, { body: { name: 'x' } }))
  expect(error).toMatchObject({
    code: 'submission-uncertain',
    cause: { code: 'connection', phase: 'receive', sent: 'maybe' },
  })
  expect(requests).toBe(1)
})

it('R-21: a kept connection that the server closes does not lose a submission silently', async () => {
  let requests = 0
  await using server = await onRequest((socket) => {
    requests++
    if (requests === 1) socket.write(`${HEAD}content-length: ${item.length}\r\n\r\n${item}`)
    else socket.destroy()
  })
  await using client = clientTo(server.origin)
  await client.send(getItem, input)
  const error = await rejection(client.send(createItem, { body: {} }))
  expect(error).toMatchObject({ code: 'submission-uncertain' })
  expect(requests).toBe(2)
})

it.each([
  ['a body shorter than its length', 'content-length: 100\r\n\r\n{"id":'],
  ['chunks that end early', 'transfer-encoding: chunked\r\n\r\n6\r\n{"id":\r\n'],
])('R-04: a body cut short (%s) is a lost connection, not data', async (_, rest) => {
  await using server = await onRequest((socket) => socket.end(HEAD + rest))
  await using client = clientTo(server.origin)
  const error = await rejection(client.send(getItem, input))
  expect(error).toMatchObject({ code: 'connection', phase: 'receive', sent: 'yes' })
})

it('R-04: a body that ends with the connection is whole only if it is JSON', async () => {
  await using server = await onRequest((socket) =>
    socket.end(`${HEAD}connection: close\r\n\r\n{"id": "a", "st`),
  )
  await using client = clientTo(server.origin)
  expect(await rejection(client.send(getItem, input))).toMatchObject({ code: 'unexpected-content' })
})

it('a response that is not HTTP is a lost connection', async () => {
  await using server = await onRequest((socket) => socket.end('SSH-2.0-server\r\n'))
  await using client = clientTo(server.origin)
  const error = await rejection(client.send(getItem, input))
  expect(error).toMatchObject({ code: 'connection', cause: { name: 'HTTPParserError' } })
})

it.each([
  ['HTML', 'text/html', '<html></html>'],
  ['an empty body', 'application/json', ''],
  ['broken JSON', 'application/json', '{"id":'],
])('R-04: %s with a 200 is an error, and the connection is kept', async (_, type, body) => {
  await using server = await httpServer((_request, response) => {
    response.writeHead(200, { 'content-type': type }).end(body)
  })
  await using client = clientTo(server.origin)
  for (let call = 0; call < 6; call++) {
    expect(await rejection(client.send(getItem, input))).toMatchObject({ code: 'unexpected-content' })
  }
  // undici doesn't reuse a connection for a turn of the event loop after each response, so it may want a second one.
  expect(server.connections()).toBeLessThanOrEqual(2)
})

it('R-04: a body above maxResponseBytes is not read to its end', async () => {
  let written = 0
  await using server = await httpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = (): void => {
      while (!response.destroyed && written < 50_000_000) {
        written += 65_536
        if (!response.write('x'.repeat(65_536))) return void response.once('drain', more)
      }
    }
    more()
  })
  await using client = clientTo(server.origin, { maxResponseBytes: 100_000 })
  const error = await rejection(client.send(getItem, input))
  expect(error).toMatchObject({ code: 'unexpected-content', status: 200, contentType: 'application/json' })
  expect(written).toBeLessThan(20_000_000)
})

describe('slow servers', () => {
  /** `arrived` resolves when the server has received the request and sent its part of the response. */
  async function slow(reply: string | undefined, tls = false) {
    const clock = virtualClock({ autoAdvance: false })
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const server = tls
      ? await socketServer(() => arrive())
      : await onRequest((socket) => (reply === undefined ? arrive() : socket.write(reply, () => arrive())))
    const origin = tls ? server.origin.replace('http:', 'https:') : server.origin
    const client = clientTo(origin, { clock, timeoutMs: 5000 })
    onTestFinished(async () => {
      await client.close()
      await server[Symbol.asyncDispose]()
    })
    return { server, clock, client, arrived }
  }

  const stalls: [string, string | undefined, boolean, string][] = [
    ['in the handshake', undefined, true, 'no'],
    ['before the headers', undefined, false, 'maybe'],
    ['in the headers', 'HTTP/1.1 200 OK\r\ncontent-ty', false, 'maybe'],
    ['in the body', `${HEAD}content-length: 100\r\n\r\n{"id":`, false, 'yes'],
  ]

  it.each(stalls)('R-02: the time limit ends a stall %s', async (_, reply, tls, sent) => {
    const { clock, client, arrived } = await slow(reply, tls)
    const sending = rejection(client.send(getItem, input))
    await arrived
    await clock.advance(4999)
    await clock.settle()
    await clock.advance(1)
    expect(await sending).toMatchObject({ code: 'timeout', limitMs: 5000, sent })
  })

  it.each(stalls)(
    'R-03: an abort takes effect at once in a stall %s, and the connection is closed',
    async (_, reply, tls) => {
      const { server, client, arrived } = await slow(reply, tls)
      const controller = new AbortController()
      const reason = new Error('the user left')
      const sending = rejection(client.send(getItem, input, { signal: controller.signal }))
      await arrived
      controller.abort(reason)
      expect(await sending).toBe(reason)
      if (!tls) while (server.sockets.size > 0) await new Promise((resolve) => setImmediate(resolve))
    },
  )

  it('R-03: an abort of a call that waits for a connection leaves the others alone', async () => {
    const waiting: (() => void)[] = []
    await using server = await httpServer((_request, response) => {
      waiting.push(() => response.writeHead(200, { 'content-type': 'application/json' }).end(item))
    })
    await using client = clientTo(server.origin, { connections: 1 })
    const controller = new AbortController()
    const first = client.send(getItem, input)
    const second = rejection(client.send(getItem, input, { signal: controller.signal }))
    const third = client.send(getItem, input)
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
    controller.abort('enough')
    expect(await second).toBe('enough')
    waiting.shift()?.()
    expect(await first).toEqual(JSON.parse(item))
    while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve))
    waiting.shift()?.()
    expect(await third).toEqual(JSON.parse(item))
    expect(server.connections()).toBe(1)
  })

  it('R-02: connections that stall in their handshake do not hold the pool: the calls after them succeed', async () => {
    let stalls = 8
    let connections = 0
    const { promise: stalled, resolve: stalledAll } = Promise.withResolvers<void>()
    await using server = await socketServer((socket) => {
      connections++
      // The first connections swallow all input, as a firewall does; TLS waits for a response.
      if (stalls-- > 0) {
        if (stalls === 0) stalledAll()
      } else socket.destroy()
    })
    await using client = clientTo(server.origin.replace('http:', 'https:'), { connections: 8 })
    const controller = new AbortController()
    const first = Array.from({ length: 8 }, () =>
      rejection(client.send(getItem, input, { signal: controller.signal })),
    )
    await stalled
    // These calls wait for a connection, since the pool is full.
    const second = Array.from({ length: 8 }, () => rejection(client.send(getItem, input)))
    controller.abort('enough')
    expect(await Promise.all(first)).toEqual(Array(8).fill('enough'))
    for (const error of await Promise.all(second))
      expect(error).toMatchObject({ code: 'connection', phase: 'tls' })
    expect(connections).toBeGreaterThan(8)
  })

  it('closing ends calls in flight', async () => {
    const { client, arrived } = await slow(undefined)
    const sending = rejection(client.send(getItem, input))
    await arrived
    await client.close()
    expect(await sending).toMatchObject({ code: 'connection' })
  })
})
