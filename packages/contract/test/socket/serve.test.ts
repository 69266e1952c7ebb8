import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

import { readSocketSpec } from '@concord/spec-model'
import { expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'

import {
  loadSocketSpec,
  playSocketClient,
  serveSocketMock,
  serveSocketProxy,
  transcriptLine,
  type SeenSocketEvent,
} from '../../src/index.ts'
import { ManualClock } from '../../src/socket/suite/manual-clock.ts'
import { feedFile } from '../fixture/feed/feed-client.ts'
import { listen, listenForSockets } from '../fixture/local.ts'

const spec = await loadSocketSpec(feedFile.href)
const prices = '/v1/prices?symbols=ABC'
const key = { 'x-feed-key': 'a-secret-key' }
const credentials = { token: 'a-secret-token' }

/** A raw client that keeps everything it receives. */
class Raw {
  readonly socket: WebSocket
  readonly got: (string | Buffer)[] = []
  readonly closed: Promise<number>

  constructor(url: string, path: string, headers: Record<string, string> = key) {
    this.socket = new WebSocket(url.replace('http', 'ws') + path, { headers, perMessageDeflate: false })
    this.socket.on('error', () => {})
    this.socket.on('message', (data: Buffer, binary) => this.got.push(binary ? data : data.toString()))
    this.closed = new Promise((resolve) => this.socket.once('close', resolve))
    onTestFinished(() => this.socket.terminate())
  }

  opened(): Promise<this> {
    return new Promise((resolve, reject) => {
      this.socket.once('open', () => resolve(this))
      this.socket.once('unexpected-response', (_request, response) =>
        reject(new Error(String(response.statusCode))),
      )
    })
  }

  async count(wanted: number): Promise<(string | Buffer)[]> {
    while (this.got.length < wanted) await once(this.socket, 'message')
    return this.got
  }
}

async function mock(onEvent?: (seen: SeenSocketEvent) => void) {
  const clock = new ManualClock()
  const server = await serveSocketMock({ spec, clock, ...(onEvent ? { onEvent } : {}) })
  onTestFinished(() => server.close())
  return { url: server.url, clock }
}

async function proxyOf(upstream: string, onEvent?: (seen: SeenSocketEvent) => void) {
  const proxy = await serveSocketProxy({ spec, upstream, ...(onEvent ? { onEvent } : {}) })
  onTestFinished(() => proxy.close())
  return proxy
}

it('the mock replies to a message with the documented reply', async () => {
  const { url } = await mock()
  const client = await new Raw(url, prices).opened()
  client.socket.send('{"type":"subscribe","symbol":"ABC"}')
  expect(await client.count(1)).toEqual(['{"type":"subscribed","symbol":"ABC"}'])
})

it('the mock replies with the value by which the client recognizes the reply', async () => {
  const message = (payload: object) => ({
    correlationId: { location: '$message.payload#/meta/id' },
    examples: [{ payload }],
  })
  const channel = { $ref: '#/channels/lamp' }
  const own = readSocketSpec(
    {
      asyncapi: '3.0.0',
      servers: { only: { host: 'lamps.example', protocol: 'wss' } },
      channels: { lamp: { address: '/lamp', messages: { set: message({}), done: message({ done: true }) } } },
      operations: {
        set: {
          action: 'receive',
          channel,
          messages: [{ $ref: '#/channels/lamp/messages/set' }],
          reply: { messages: [{ $ref: '#/channels/lamp/messages/done' }] },
        },
      },
    },
    { file: 'lamps.yaml' },
  )
  await using server = await serveSocketMock({ spec: own })
  const client = await new Raw(server.url, '/lamp').opened()
  client.socket.send('{"meta":{"id":"a"}}')
  client.socket.send('{"set":true}')
  expect((await client.count(2)).map((text) => JSON.parse(String(text)) as unknown)).toEqual([
    { done: true, meta: { id: 'a' } },
    { done: true },
  ])
})

it('the mock sends the example that the client prefers', async () => {
  const { url } = await mock()
  const client = await new Raw(url, prices, { ...key, prefer: 'example=refused' }).opened()
  client.socket.send('{"type":"subscribe","symbol":"ABC"}')
  const named = await new Raw(url, prices, { ...key, prefer: 'example=depth' }).opened()
  named.socket.send(Buffer.from('an order'))
  expect((await named.count(1))[0]).toBeInstanceOf(Buffer)
  await client.count(1)
})

it('the mock sends its other examples in turn', async () => {
  const { url } = await mock()
  const client = await new Raw(url, prices).opened()
  for (let time = 0; time < 3; time += 1) client.socket.send(Buffer.from('an order'))
  const [update, snapshot, other] = await client.count(3)
  expect(update).toContain('"update"')
  expect(snapshot).toBeInstanceOf(Buffer)
  expect(other).toBe('{"happened":"something"}')
})

it.each([
  ['a path that no channel has', '/v2/prices', key, '404'],
  ['a query that violates the contract', '/v1/prices', key, '400'],
  ['no credential', prices, {}, '401'],
])('the mock denies %s', async (_, path, headers, status) => {
  const { url } = await mock()
  await expect(new Raw(url, path, headers as Record<string, string>).opened()).rejects.toThrow(status)
})

it('the mock closes after the documented silence, but not while it is kept alive', async () => {
  const seen: SeenSocketEvent[] = []
  const { url, clock } = await mock((one) => seen.push(one))
  const client = await new Raw(url, prices).opened()
  for (let time = 0; time < 4; time += 1) {
    await clock.advance(4000)
    client.socket.send('{"type":"ping"}')
    await vi.waitFor(() => expect(seen.filter((one) => one.kind === 'frame')).toHaveLength(time + 1))
  }
  expect(client.socket.readyState).toBe(WebSocket.OPEN)
  await clock.advance(10_000)
  expect(await client.closed).toBe(1011)
})

it('the mock ends a connection after an empty binary frame', async () => {
  const { url } = await mock()
  const client = await new Raw(url, prices).opened()
  client.socket.send(Buffer.alloc(0))
  expect(await client.closed).toBe(1000)
})

it('the mock ignores a binary keep-alive, and reports what is wrong with it', async () => {
  const seen: SeenSocketEvent[] = []
  const { url } = await mock((one) => seen.push(one))
  const client = await new Raw(url, prices).opened()
  client.socket.send(Buffer.from('{"type":"ping"}'))
  client.socket.send(Buffer.from('an order'))
  client.socket.send('{"type":"subscribe","symbol":"ABC"}')
  expect(await client.count(1)).toEqual(['{"type":"subscribed","symbol":"ABC"}'])
  expect(seen.flatMap((one) => one.findings).map((one) => one.message)).toContain(
    'a keep-alive was sent as a binary frame; it must be a text frame',
  )
})

it('the mock ignores messages before the gate', async () => {
  const { url } = await mock()
  const client = await new Raw(url, '/v1/desk').opened()
  client.socket.send(Buffer.from('too early'))
  client.socket.send('{"name":"a desk"}')
  await client.count(1)
  client.socket.send(Buffer.from('in time'))
  expect(await client.count(2)).toHaveLength(2)
})

it('the mock closes with 1008 after a text frame that violates the contract', async () => {
  const { url } = await mock()
  const client = await new Raw(url, prices).opened()
  client.socket.send('{"type":"subscribe"}')
  expect(await client.closed).toBe(1008)
})

it('the proxy forwards frames byte for byte and checks both directions', async () => {
  const upstream = await listenForSockets()
  const bytes = randomBytes(300_000)
  upstream.server.on('connection', (socket, request) => {
    expect(request.headers['x-feed-key']).toBe('a-secret-key')
    socket.send('{"type":"update"}')
    socket.on('message', (data, binary) => socket.send(data as Buffer, { binary }))
  })
  const seen: SeenSocketEvent[] = []
  const proxy = await proxyOf(upstream.url, (one) => seen.push(one))
  const client = await new Raw(proxy.url, prices).opened()
  client.socket.send(bytes)
  const [first, second] = await client.count(2)
  expect(first).toBe('{"type":"update"}')
  expect(Buffer.compare(second as Buffer, bytes)).toBe(0)
  const findings = seen.flatMap((one) => one.findings)
  expect(findings).toEqual([
    { code: 'message', at: 'received.update', message: "must have required property 'levels'" },
  ])
  const transcript = seen.map(transcriptLine).join('\n')
  expect(transcript).toContain('-> binary  300000 B  order')
  expect(transcript).not.toContain('a-secret-key')
})

it('the proxy forwards the status, the body and the end of a denial', async () => {
  const { url } = await mock()
  const seen: SeenSocketEvent[] = []
  const proxy = await proxyOf(url, (one) => seen.push(one))
  await expect(new Raw(proxy.url, prices, {}).opened()).rejects.toThrow('401')
  expect(seen[0]).toMatchObject({ kind: 'denied', status: 401, channel: 'prices' })
  const client = await new Raw(proxy.url, prices).opened()
  client.socket.send('{"type":"subscribe"}')
  expect(await client.closed).toBe(1008)
  await vi.waitFor(() => expect(seen.at(-1)).toMatchObject({ kind: 'closed', by: 'server', code: 1008 }))
})

it('a client that disconnects during the handshake leaves no connection to the service behind', async () => {
  const upstream = await listenForSockets()
  let opened = 0
  upstream.server.on('connection', () => (opened += 1))
  const proxy = await proxyOf(upstream.url)
  const client = connect(Number(new URL(proxy.url).port), '127.0.0.1')
  client.on('error', () => {})
  // An invalid key, which is noticed only after the connection to the service has been opened.
  client.write(
    `GET ${prices} HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\n` +
      'sec-websocket-key: short\r\nx-feed-key: k\r\n\r\n',
  )
  client.resume()
  await new Promise((resolve) => client.once('close', resolve))
  await vi.waitFor(() => expect(opened).toBe(1))
  await vi.waitFor(() => expect(upstream.server.clients.size).toBe(0))
})

it('the proxy offers all subprotocols to the service, and selects the one that the service selects', async () => {
  const offered: string[][] = []
  const { url, server } = await listenForSockets()
  server.options.handleProtocols = (protocols) => {
    offered.push([...protocols])
    return 'second'
  }
  const proxy = await proxyOf(url)
  const client = new WebSocket(proxy.url.replace('http', 'ws') + prices, ['first', 'second'], {
    headers: key,
  })
  onTestFinished(() => client.terminate())
  await once(client, 'open')
  expect(client.protocol).toBe('second')
  expect(offered).toEqual([['first', 'second']])
})

it('the proxy denies a handshake whose subprotocols are invalid', async () => {
  const { url } = await listenForSockets()
  const proxy = await proxyOf(url)
  for (const invalid of ['same, same', 'a,,b', 'two words'])
    await expect(
      new Raw(proxy.url, prices, { ...key, 'sec-websocket-protocol': invalid }).opened(),
    ).rejects.toThrow('400')
})

it("the proxy reports that a service can't be reached", async () => {
  const proxy = await proxyOf('http://127.0.0.1:1')
  await expect(new Raw(proxy.url, prices).opened()).rejects.toThrow('502')
})

it('a service that never responds to the handshake ends the player with a finding, and keeps no connection of a closed proxy', async () => {
  let open = 0
  const silent = createServer((socket) => {
    open += 1
    socket.on('close', () => (open -= 1)).resume()
  })
  const upstream = await listen(silent)
  const options = { spec, upstream, credentials, channels: ['prices'], handshakeTimeoutMs: 30 }
  const [played] = await playSocketClient(options)
  expect(played?.findings).toMatchObject([{ at: 'handshake', message: 'Opening handshake has timed out' }])
  await vi.waitFor(() => expect(open).toBe(0))
  const proxy = await serveSocketProxy({ spec, upstream })
  const client = new Raw(proxy.url, prices)
  await vi.waitFor(() => expect(open).toBe(1))
  client.socket.terminate()
  await proxy.close()
  await vi.waitFor(() => expect(open).toBe(0))
}, 10_000)

it('a slow reader slows down the other side of the proxy, and nothing piles up in it', async () => {
  const upstream = await listenForSockets()
  const chunk = Buffer.alloc(64 * 1024)
  let sent = 0
  upstream.server.on('connection', (socket) => {
    const more = (): void => {
      if (sent >= 64 * 1024 * 1024) return
      sent += chunk.length
      socket.send(chunk, more)
    }
    more()
  })
  const proxy = await proxyOf(upstream.url)
  const client = await new Raw(proxy.url, prices).opened()
  client.socket.pause()
  let before = -1
  while (before !== sent) {
    before = sent
    await new Promise((resolve) => setTimeout(resolve, 80))
  }
  // The operating system's buffers at the four ends of the loopback connections, and a megabyte of ours.
  expect(sent).toBeLessThan(32 * 1024 * 1024)
})

it('the player plays the client of every channel, and checks what the server sends', async () => {
  const { url } = await mock()
  const played = await playSocketClient({ spec, upstream: url, credentials, listenMs: 500 })
  expect(played).toEqual([
    { channel: 'prices', status: 101, received: ['subscribed', 'update'], findings: [] },
    { channel: 'desk', status: 101, received: ['other'], findings: [] },
  ])
})

it('the player reports how a server violates the contract', async () => {
  const upstream = await listenForSockets()
  upstream.server.on('connection', (socket) =>
    socket.on('message', () => socket.send('{"type":"subscribed","symbol":7}')),
  )
  const [prices_] = await playSocketClient({
    spec,
    upstream: upstream.url.replace('http', 'ws'),
    credentials,
    channels: ['prices'],
    listenMs: 500,
  })
  expect(prices_?.findings[0]).toMatchObject({ code: 'message', at: 'received.subscribed/symbol' })
  const refused = await playSocketClient({ spec, upstream: (await mock()).url, channels: ['desk'] })
  expect(refused[0]?.findings[0]).toMatchObject({ message: 'the handshake was denied with 401' })
  await expect(playSocketClient({ spec, upstream: 'ws://127.0.0.1:1', channels: ['news'] })).rejects.toThrow(
    'The document has no channel `news`. It has: prices, desk.',
  )
})
