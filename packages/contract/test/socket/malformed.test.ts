import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

import { expect, it } from 'vitest'
import { WebSocket } from 'ws'

import {
  loadSocketSpec,
  playSocketClient,
  serveSocketMock,
  serveSocketProxy,
  type SeenSocketEvent,
} from '../../src/index.ts'
import { feedFile } from '../fixture/feed/feed-client.ts'
import { listen } from '../fixture/local.ts'

const spec = await loadSocketSpec(feedFile.href)
const prices = '/v1/prices?symbols=ABC'
const headers = { 'x-feed-key': 'k' }

let state = 7
function random(below: number): number {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0
  return state % below
}
const pick = <Value>(list: readonly Value[]): Value => list[random(list.length)] as Value

/** The correct response to an upgrade. */
function rightResponse(request: string): Buffer {
  const key = /sec-websocket-key: (.*)\r\n/i.exec(request)?.[1] ?? ''
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  const lines = ['HTTP/1.1 101 Switching Protocols', 'upgrade: websocket', 'connection: Upgrade']
  return Buffer.from(`${[...lines, `sec-websocket-accept: ${accept}`].join('\r\n')}\r\n\r\n`)
}

const heads = [
  '',
  'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\nshort',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 302 Found\r\nlocation: ::::\r\n\r\n',
  'HTTP/1.1 401 Unauthorized\r\nset-cookie: a=1\r\nset-cookie: b=2\r\n\r\nno',
  'HTTP/1.1 429 Too Many Requests\r\ncontent-length: 3\r\n\r\nno!!!!!',
  'HTTP/1.1 999 ?\r\nx-any: a\x80b\r\n\r\n',
  'HTTP/1.1 000 ?\r\n\r\n',
  'HTTP/1.1 -7 ?\r\n\r\n',
  'ICY 200 OK\r\n\r\n',
]
const noise = (): Buffer => randomBytes(1 + random(60))

/** A response that is almost always wrong: noise, another status, a changed byte, or an early end. */
function malformedResponse(request: string): Buffer {
  const right = rightResponse(request)
  const reply = pick([() => Buffer.from(pick(heads), 'latin1'), () => right, noise])()
  if (reply.length > 0 && random(2) === 0) reply[random(reply.length)] = random(256)
  const end = random(3) === 0 ? random(reply.length + 1) : reply.length
  return Buffer.concat([reply.subarray(0, end), random(2) === 0 ? noise() : Buffer.alloc(0)])
}

/**
 * Twenty frames, most of them whole: noise as text or bytes, JSON that isn't a message, and invalid frames at the end.
 */
function malformedFrames(): Buffer {
  const frames = Array.from({ length: 20 }, () => {
    const isBinary = random(2) === 0
    const texts = ['{}', '[1]', 'null', '{"type":"update"', '{"type":{}}', '7', noise().toString('base64')]
    const payload = isBinary ? noise() : Buffer.from(pick(texts))
    return Buffer.concat([Buffer.from([isBinary ? 0x82 : 0x81, payload.length]), payload])
  })
  return Buffer.concat([...frames, noise()])
}

/** A service that responds to every connection with bytes from the test, and then ends or resets it. */
const service = (reply: (request: string) => Buffer, isReset = (): boolean => false): Promise<string> =>
  listen(
    createServer((socket) => {
      socket.once('data', (request) => {
        socket.write(reply(request.toString()))
        end(socket, isReset())
      })
    }),
  )
const end = (socket: Socket, isReset: boolean): void =>
  void (isReset ? socket.resetAndDestroy() : socket.end())
/** A service that violates the protocol. */
const brokenService = (): Promise<string> => service(malformedResponse, () => random(2) === 0)
/** A service whose messages are noise. */
const noisyService = (): Promise<string> =>
  service((request) => Buffer.concat([rightResponse(request), malformedFrames()]))

async function inTurns(times: number, atOnce: number, run: () => Promise<void>): Promise<void> {
  const worker = async (): Promise<void> => {
    for (let time = 0; time < times / atOnce; time += 1) await run()
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

async function withoutStrayErrors(work: () => Promise<void>): Promise<void> {
  const stray: unknown[] = []
  const note = (reason: unknown) => void stray.push(reason)
  process.on('unhandledRejection', note)
  process.on('uncaughtException', note)
  try {
    await work()
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  } finally {
    process.off('unhandledRejection', note)
    process.off('uncaughtException', note)
  }
  expect(stray).toEqual([])
}

it('10,000 malformed handshakes and frames from a service do not crash the player', async () => {
  const [broken, noisy] = [await brokenService(), await noisyService()]
  let [findings, frames] = [0, 0]
  const onEvent = ({ kind, ...seen }: SeenSocketEvent): void => {
    if (kind === 'frame' && 'direction' in seen && seen.direction === 'received') frames += 1
  }
  const play = async (upstream: string): Promise<void> => {
    const [played] = await playSocketClient({ spec, upstream, channels: ['prices'], listenMs: 5, onEvent })
    findings += played?.findings.length ?? 0
  }
  await withoutStrayErrors(async () => {
    await inTurns(4000, 40, () => play(broken))
    expect(findings).toBeGreaterThan(2000)
    await inTurns(300, 20, () => play(noisy))
  })
  expect(frames).toBeGreaterThan(5000)
})

/** Connects a client through the proxy. Settles when the connection ends, however that happens. */
function through(url: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url.replace('http', 'ws') + prices, { headers })
    socket.on('error', () => resolve(0))
    socket.on('unexpected-response', (_request, response) => {
      response.socket.on('error', () => {})
      response.resume().on('error', () => {})
      resolve(response.statusCode ?? 0)
      socket.terminate()
    })
    socket.on('close', () => resolve(101))
  })
}

it('10,000 malformed handshakes and frames from a service neither crash the proxy nor leave a client waiting', async () => {
  let frames = 0
  const onEvent = ({ kind }: SeenSocketEvent): void => void (kind === 'frame' && (frames += 1))
  await using broken = await serveSocketProxy({ spec, upstream: await brokenService(), onEvent })
  await using noisy = await serveSocketProxy({ spec, upstream: await noisyService(), onEvent })
  const statuses = new Map<number, number>()
  await withoutStrayErrors(async () => {
    await inTurns(4000, 40, async () => {
      const status = await through(broken.url)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    })
    await inTurns(300, 20, async () => void (await through(noisy.url)))
  })
  expect(frames).toBeGreaterThan(5000)
  expect(statuses.get(502)).toBeGreaterThan(1000)
  expect(statuses.get(101)).toBeGreaterThan(100)
  expect([...statuses.values()].reduce((sum, one) => sum + one, 0)).toBe(4000)
})

/** Sends bytes, and ends or resets the connection. */
async function attempt(url: string, bytes: Buffer): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const closed = once(
    socket.on('error', () => {}),
    'close',
  )
  socket.on('data', () => socket.destroy())
  await once(socket, 'connect')
  socket.write(bytes)
  end(socket, random(4) === 0)
  await closed
}

const handshake = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nx-feed-key: k\r\n\r\n`

it('10,000 malformed handshakes and frames from clients crash neither mock nor proxy', async () => {
  await using mock = await serveSocketMock({ spec })
  await using proxy = await serveSocketProxy({ spec, upstream: mock.url })
  // For each of the two: 2,000 pieces of noise and 7,500 whole frames on 125 connections, and 1,000 handshakes that are
  // noise, or have one wrong byte, or end early.
  for (const { url } of [mock, proxy]) {
    const opened = async (path: string): Promise<WebSocket> => {
      const socket = new WebSocket(url.replace('http', 'ws') + path, { headers })
      await once(
        socket.on('error', () => {}),
        'open',
      )
      return socket
    }
    await inTurns(50, 50, () =>
      attempt(url, Buffer.concat([Buffer.from(handshake(prices)), ...Array.from({ length: 40 }, noise)])),
    )
    // Whole frames whose content is noise. Unlike invalid frames, they don't end their connection.
    for (let connection = 0; connection < 75; connection += 1) {
      const client = await opened(connection % 2 ? prices : '/v1/desk')
      for (let frame = 0; frame < 100; frame += 1) {
        const text = pick(['{}', '[1]', 'null', '{"type":"ping"', noise().toString('latin1')])
        client.send(random(2) ? noise() : text)
      }
      client.close()
      await once(client, 'close')
    }
    await inTurns(1000, 50, () => {
      const right = Buffer.from(handshake(random(2) === 0 ? prices : '/v1/%zz?symbols=%ff'))
      right[random(right.length)] = random(256)
      const sent = random(3) === 0 ? noise() : right
      return attempt(url, random(3) === 0 ? sent.subarray(0, random(sent.length)) : sent)
    })
    const client = await opened(prices)
    client.send('{"type":"subscribe","symbol":"ABC"}')
    await once(client, 'message')
    client.terminate()
  }
})
