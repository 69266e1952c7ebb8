import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { OperationDescriptor } from '../core/descriptors.ts'
import { httpServer, type Loopback } from '../node/test-support/loopback.ts'
import { nodeTransport } from '../node/transport.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import type { ClientOptions } from './client-options.ts'
import type { Client } from './client.ts'
import { fetchTransport } from './fetch-transport.ts'
import { stream } from './stream.ts'
import { clientFor } from './test-support/clients.ts'
import { listItems, rejection } from './test-support/fixtures.ts'
import type { Transport } from './transport.ts'

const speak = {
  ...listItems,
  id: 'speak',
  path: '/v1/speak',
  responses: { 200: { kind: 'binary', contentType: 'audio/*' } },
} as OperationDescriptor<object, Blob>

const clientTo = (origin: string, transport: Transport, options: Partial<ClientOptions> = {}): Client =>
  clientFor(transport, { servers: { api: origin }, retry: { baseMs: 0 }, ...options })

function speaking(bytes: Uint8Array, before: { status: number }[] = []): Promise<Loopback> {
  return httpServer((_request, response) => {
    const failed = before.shift()
    if (failed !== undefined) {
      response.writeHead(failed.status, { 'content-type': 'application/json' }).end('{"detail":"busy"}')
      return
    }
    response.writeHead(200, { 'content-type': 'audio/mpeg', 'x-id': 'r1', 'x-left': '41' })
    for (let at = 0; at < bytes.length; at += 50_000) response.write(bytes.subarray(at, at + 50_000))
    response.end()
  })
}

/** A server that sends the beginning of a body and then `more`, and what closes with its connection. */
async function beginning(more: Promise<string> = new Promise(() => undefined)) {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const server = await httpServer(async (request, response) => {
    request.socket.once('close', () => resolve())
    response.writeHead(200, { 'content-type': 'audio/mpeg' })
    response.write('begin')
    response.write(await more)
  })
  return { server, closed }
}

const audio = new Uint8Array(400_000).map((_, index) => index % 256)

async function collect(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(body).arrayBuffer())
}

describe.each([
  ['undici', () => nodeTransport()],
  ['fetch', () => fetchTransport()],
])('binary responses over %s', (_, makeTransport) => {
  it('are a Blob with its media type', async () => {
    await using server = await speaking(audio)
    await using client = clientTo(server.origin, makeTransport())
    const blob = await client.send(speak, {})
    expect(blob.type).toBe('audio/mpeg')
    expect(new Uint8Array(await blob.arrayBuffer())).toEqual(audio)
  })

  it('R-06: can be read as a stream with the details of other responses, after retries that depend on the headers', async () => {
    await using server = await speaking(audio, [{ status: 503 }])
    await using client = clientTo(server.origin, makeTransport(), {
      requestIdHeader: 'x-id',
      quotaHeaders: { left: 'x-left' },
    })
    const exchange = await stream(client, speak, {})
    expect(exchange).toMatchObject({ status: 200, attempts: 2, requestId: 'r1', quota: { left: 41 } })
    expect(exchange.headers.get('content-type')).toBe('audio/mpeg')
    expect(await collect(exchange.body)).toEqual(audio)
  })

  it('fail with the same errors as a stream', async () => {
    await using server = await speaking(audio, [{ status: 404 }])
    await using client = clientTo(server.origin, makeTransport())
    const error = await rejection(stream(client, speak, {}))
    expect(error).toMatchObject({ name: 'NotFoundError', body: { detail: 'busy' } })
  })

  it('R-04: fail if they have another media type', async () => {
    await using server = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
    })
    await using client = clientTo(server.origin, makeTransport())
    for (const call of [client.send(speak, {}), stream(client, speak, {})]) {
      expect(await rejection(call)).toMatchObject({ code: 'unexpected-content', excerpt: '<html>' })
    }
  })

  it('R-02: the time limit covers a silence of the server in a stream, but not a slow reader', async () => {
    const more = Promise.withResolvers<string>()
    const { server } = await beginning(more.promise)
    await using _server = server
    const clock = virtualClock({ autoAdvance: false })
    await using client = clientTo(server.origin, makeTransport(), { clock, timeoutMs: 1000 })
    const { body } = await stream(client, speak, {})
    const reader = body.getReader()
    await reader.read()
    await clock.advance(5000)
    more.resolve('more')
    expect((await reader.read()).value).toHaveLength(4)
    const reading = rejection(reader.read())
    while (clock.timers === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(1000)
    expect(await reading).toMatchObject({ code: 'timeout', limitMs: 1000, operation: 'speak' })
    expect(clock.timers).toBe(0)
  })

  it('R-03: an abort ends a stream at once and closes the connection', async () => {
    const { closed, server } = await beginning()
    await using _server = server
    await using client = clientTo(server.origin, makeTransport())
    const controller = new AbortController()
    const { body } = await stream(client, speak, {}, { signal: controller.signal })
    const reader = body.getReader()
    await reader.read()
    const reading = rejection(reader.read())
    controller.abort('enough')
    expect(await reading).toBe('enough')
    await closed
  })

  it('canceling a stream closes the connection', async () => {
    const { closed, server } = await beginning()
    await using _server = server
    await using client = clientTo(server.origin, makeTransport())
    const { body } = await stream(client, speak, {})
    const reader = body.getReader()
    await reader.read()
    await reader.cancel()
    await closed
  })

  it('R-03: a stream leaves no listener and no time limit behind, whether read to its end or not', async () => {
    await using server = await speaking(audio)
    const clock = virtualClock({ autoAdvance: false })
    await using client = clientTo(server.origin, makeTransport(), { clock })
    const { signal } = new AbortController()
    await collect((await stream(client, speak, {}, { signal })).body)
    const left = (await stream(client, speak, {}, { signal })).body.getReader()
    await left.read()
    await left.cancel()
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    expect(clock.timers).toBe(0)
  })

  it('a stream that is not read does not flow', async () => {
    let written = 0
    await using server = await httpServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      const more = (): void => {
        while (!response.destroyed && written < 400_000_000) {
          written += 65_536
          if (!response.write(new Uint8Array(65_536))) return void response.once('drain', more)
        }
      }
      more()
    })
    await using client = clientTo(server.origin, makeTransport())
    const { body } = await stream(client, speak, {})
    let before = -1
    while (before !== written) {
      before = written
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(written).toBeLessThan(40_000_000)
    await body.cancel()
  })
})
