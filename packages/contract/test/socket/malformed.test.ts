import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'

import { afterEach, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'

import { loadSocketSpec, playSocketClient, serveSocketProxy, type SeenSocketEvent } from '../../src/index.ts'
import { feedFile } from '../fixture/feed/feed-client.ts'

vi.setConfig({ testTimeout: 120_000 })

const spec = await loadSocketSpec(feedFile.href)
const prices = '/v1/prices?symbols=ABC'
const cleanUp: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const end of cleanUp.splice(0).toReversed()) await end()
})

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

/** A service that responds to every connection with bytes from the test. */
async function service(reply: (request: string) => Buffer, end: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.once('data', (request) => {
      socket.write(reply(request.toString()))
      end(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUp.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

const reset = (socket: Socket): void => void (random(2) === 0 ? socket.resetAndDestroy() : socket.end())

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
  const broken = await service(malformedResponse, reset)
  const noisy = await service(
    (request) => Buffer.concat([rightResponse(request), malformedFrames()]),
    (socket) => socket.end(),
  )
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
    const socket = new WebSocket(url.replace('http', 'ws') + prices, {
      headers: { 'x-feed-key': 'k' },
      perMessageDeflate: false,
    })
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
  const onEvent = ({ kind }: SeenSocketEvent): void => void (kind === 'frame' && (frames += 1))
  let frames = 0
  const proxyOf = async (upstream: string): ReturnType<typeof serveSocketProxy> => {
    const proxy = await serveSocketProxy({ spec, upstream, onEvent })
    cleanUp.push(() => proxy.close())
    return proxy
  }
  const broken = await proxyOf(await service(malformedResponse, reset))
  const noisy = await proxyOf(
    await service(
      (request) => Buffer.concat([rightResponse(request), malformedFrames()]),
      (socket) => socket.end(),
    ),
  )
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
