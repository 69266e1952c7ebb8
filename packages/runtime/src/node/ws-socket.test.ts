import { Agent } from 'node:http'
import type { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { ClientOptions } from '../http/client-options.ts'
import { createClient } from '../http/client.ts'
import { KEY, rejection } from '../http/test-support/fixtures.ts'
import { connect } from '../socket/connect.ts'
import type { ConnectOptions } from '../socket/options.ts'
import { bytes, type Radio, radio } from '../socket/test-support/radio.ts'
import { socketServer } from './test-support/loopback.ts'
import { runProgram } from './test-support/program.ts'
import { serveSockets } from './test-support/ws-server.ts'
import { nodeSocketFactory } from './ws-socket.ts'

it('sockets carry text and bytes both ways over a real connection, with the credential in the handshake', async () => {
  const server = await serveSockets((socket) =>
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })),
  )
  const connection = await connectTo(server, { query: { band: 'x' } })
  expect(server.requests[0]?.url).toBe('/v1/radio?band=x')
  expect(server.requests[0]?.headers.authorization).toBe(`Token ${KEY}`)
  const reader = connection[Symbol.asyncIterator]()
  await connection.sendText('{"type":"Line","text":"é"}')
  expect((await reader.next()).value).toEqual({
    type: 'message',
    message: 'line',
    data: { type: 'Line', text: 'é' },
  })
  for (const size of [1, 125, 126, 65_535, 65_536, 1_000_000]) {
    await connection.sendBinary(bytes(size, size % 251))
    expect((await reader.next()).value).toEqual({
      type: 'message',
      message: 'audio',
      data: bytes(size, size % 251),
    })
  }
  const end = await connection.close({ code: 3000, reason: 'done' })
  expect(end).toEqual({ closeCode: 3000, reason: 'done', unsent: { messages: 0, bytes: 0 }, dropped: 0 })
})

it('R-52: over an agent of the caller, sockets write the frames of one turn together and in order, and start before the turn ends if there are many', async () => {
  const received: number[] = []
  const server = await serveSockets((socket) =>
    socket.on('message', (data) => received.push((data as Uint8Array)[0] ?? -1)),
  )
  const { agent, wires } = observedAgent()
  const connection = await connectTo(server, { socketFactory: nodeSocketFactory({ agent }) })
  const [wire] = wires
  const written = vi.spyOn(wire as Writable, '_write' as never)
  for (let count = 0; count < 100; count++) await connection.sendBinary(bytes(100, count))
  // All frames are sent in the turn of the first one, which is still waiting for the others.
  expect(written).not.toHaveBeenCalled()
  expect(connection.bufferedBytes).toBe(100 * 106)
  await new Promise((resolve) => process.nextTick(resolve))
  expect(written).toHaveBeenCalledOnce()
  expect(connection.bufferedBytes).toBe(0)
  for (let count = 0; count < 100; count++) await connection.sendBinary(bytes(1000, count))
  expect(written).toHaveBeenCalledTimes(2)
  await connection.sendBinary(bytes(1, 200))
  expect((await connection.close()).unsent).toEqual({ messages: 0, bytes: 0 })
  const hundred = Array.from({ length: 100 }, (_, count) => count)
  expect(received).toEqual([...hundred, ...hundred, 200])
})

it('R-55: sockets report status, headers and body of a declined upgrade', async () => {
  const server = await serveSockets(undefined, {
    deny: () =>
      'HTTP/1.1 429 Too Many\r\ncontent-type: application/json\r\nretry-after: 3\r\ncontent-length: 14\r\n\r\n{"err":"full"}',
  })
  const error = await rejection(connectTo(server))
  expect(error).toMatchObject({
    code: 'socket-denied',
    status: 429,
    retryAfterMs: 3000,
    body: '{"err":"full"}',
  })
  expect((error as { headers: Headers }).headers.get('content-type')).toBe('application/json')
})

it.each([
  ['gzip', 'compressed', gzipSync('full'), 'full'],
  ['gzip', 'not compressed', Buffer.from('full'), ''],
  ['x-own', 'in an unknown coding', Buffer.from('full'), ''],
])(
  'R-04: sockets decode the body of a declined upgrade with the content-encoding %s that is %s',
  async (coding, _is, body, expected) => {
    const head = `HTTP/1.1 429 No\r\ncontent-encoding: ${coding}\r\ncontent-length: ${body.length}\r\n\r\n`
    const server = await serveSockets(undefined, { deny: () => head + body.toString('latin1') })
    expect(await rejection(connectTo(server))).toMatchObject({ status: 429, body: expected })
  },
)

it('R-55: sockets read at most 64 KiB of the response to a declined upgrade, within the time limit of the handshake', async () => {
  const endless = await serveSockets(undefined, {
    deny: () => `HTTP/1.1 500 No\r\n\r\n${'x'.repeat(200_000)}`,
  })
  expect(((await rejection(connectTo(endless))) as { body: string }).body).toHaveLength(65_536)
  const silent = await serveSockets(undefined, {
    deny: () => 'HTTP/1.1 500 No\r\ncontent-length: 9\r\n\r\nlost',
  })
  expect(await rejection(connectTo(silent))).toMatchObject({ code: 'socket-denied', body: 'lost' })
})

it('R-10: sockets follow no redirects, so that the credential is not sent elsewhere', async () => {
  const other = await serveSockets()
  const server = await serveSockets(undefined, {
    deny: () => `HTTP/1.1 307 Elsewhere\r\nlocation: ${other.origin}/v1/radio\r\ncontent-length: 0\r\n\r\n`,
  })
  expect(await rejection(connectTo(server))).toMatchObject({ code: 'socket-denied', status: 307 })
  expect(other.requests).toEqual([])
})

const reached = {
  code: 'connection',
  phase: 'receive',
  message: expect.stringContaining('the server was reached'),
}
it.each([
  ['a plain 200', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok', { code: 'socket-denied', status: 200 }],
  [
    'a wrong accept key',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: no\r\n\r\n',
    {
      ...reached,
      message: expect.stringMatching(/was reached, .* failed: Invalid Sec-WebSocket-Accept header\./),
    },
  ],
  ['no HTTP at all', 'hello\r\n\r\n', reached],
  ['nothing', '', { ...reached, message: expect.stringContaining('socket hang up') }],
])('sockets report a handshake that gets %s', async (_, response, expected) => {
  const server = await serveSockets(undefined, { deny: () => response })
  expect(await rejection(connectTo(server))).toMatchObject(expected)
})

it('sockets report an unreachable server', async () => {
  const gone = await socketServer(() => undefined)
  await gone[Symbol.asyncDispose]()
  expect(await rejection(connectTo(gone))).toMatchObject({
    code: 'connection',
    phase: 'connect',
    sent: 'no',
    message: expect.stringContaining('could not be reached'),
  })
})

it('R-02: sockets end a handshake without a response', async () => {
  await using mute = await socketServer((socket) => socket.resume())
  const failed = rejection(connectTo(mute, { handshakeTimeoutMs: 50 }))
  expect(await failed).toMatchObject({ code: 'timeout', limitMs: 50 })
  await waitUntil(() => mute.sockets.size === 0)
})

it('R-57: sockets offer permessage-deflate only if enabled', async () => {
  const server = await serveSockets(undefined, { perMessageDeflate: true })
  await connectTo(server)
  await connectTo(server, { compression: true })
  expect(server.requests.map(({ headers }) => headers['sec-websocket-extensions'])).toEqual([
    undefined,
    expect.stringContaining('permessage-deflate'),
  ])
  expect(server.sockets.map(({ extensions }) => extensions)).toEqual(['', 'permessage-deflate'])
})

it('R-53: sockets stop reading from the network while the reader is slow, and lose no messages', async () => {
  let backlog = 0
  const server = await serveSockets((socket) => {
    for (let count = 0; count < 4000; count++) socket.send(Buffer.alloc(8192, count % 251))
    backlog = socket.bufferedAmount
  })
  const connection = await connectTo(server, { receiving: { maxBytes: 100_000 } })
  await waitUntil(
    () =>
      server.sockets[0]?.bufferedAmount === backlog ||
      ((backlog = server.sockets[0]?.bufferedAmount ?? 0), false),
  )
  // Bytes that the kernel doesn't accept stay with the server.
  expect(backlog).toBeGreaterThan(8_000_000)
  let count = 0
  for await (const { data } of connection) {
    expect((data as Uint8Array)[8191]).toBe(count % 251)
    count += 1
    if (count === 4000) break
  }
})

it('R-55: sockets report a lost connection, a message that is too long and a broken frame', async () => {
  const cut = await serveSockets((socket) => socket.terminate())
  expect(await firstError(await connectTo(cut))).toMatchObject({ code: 'socket-closed', closeCode: 1006 })
  const long = await serveSockets((socket) => socket.send('x'.repeat(2000)))
  expect(await firstError(await connectTo(long, { maxMessageBytes: 1000 }))).toMatchObject({
    code: 'socket-closed',
    closeCode: 1006,
    cause: { code: 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' },
  })
  const broken = await serveSockets((socket) => {
    // A text frame that is not UTF-8.
    ;(socket as unknown as { _socket: { write(data: Uint8Array): void } })._socket.write(
      Uint8Array.of(0x81, 1, 0xff),
    )
  })
  expect(await firstError(await connectTo(broken))).toMatchObject({ code: 'socket-closed' })
})

it.each<[string, number[], object]>([
  ['a close frame', [0x88, 4, 0x03, 0xf3, 0x6e, 0x6f], { closeCode: 1011, reason: 'no' }],
  ['a frame with a reserved bit', [0xc2, 0], { closeCode: 1006, cause: { code: 'WS_ERR_UNEXPECTED_RSV_1' } }],
])('R-58: sockets end at once after %s of a server that does not end TCP', async (_what, frame, expected) => {
  const server = await serveSockets((socket) => {
    const { _socket: wire } = socket as unknown as { _socket: Socket }
    wire.removeAllListeners('data').resume()
    wire.write(Uint8Array.from(frame))
  })
  const connection = await connectTo(server)
  expect(await firstError(connection)).toMatchObject({ code: 'socket-closed', ...expected })
  expect(connection.state).toBe('closed')
  expect(server.sockets[0]?.readyState).toBe(1)
})

it('R-58: sockets ping a silent server, accept its pong as a sign of life, and give up on one that does not respond', async () => {
  let answers = true
  const pings: unknown[] = []
  const server = await serveSockets(
    (socket) => socket.on('ping', (data) => (pings.push(data), answers && socket.pong(data))),
    { autoPong: false },
  )
  const liveness = { pingIntervalMs: 20, pongTimeoutMs: 200 }
  const connection = await connectTo(server, { liveness })
  await waitUntil(() => pings.length >= 3)
  expect(connection.state).toBe('open')
  answers = false
  const error = await firstError(connection)
  expect(error).toMatchObject({ code: 'socket-closed', closeCode: 1006 })
  expect(String((error as Error).cause)).toContain('no sign of life')
})

it('R-58: sockets survive bursts of pings, and respond to the latest', async () => {
  const pongs: string[] = []
  const server = await serveSockets((socket) => {
    socket.on('pong', (data) => pongs.push(data.toString()))
    for (let count = 1; count <= 1000; count++) socket.ping(String(count))
    socket.send('{"type":"Tuned"}')
  })
  const connection = await connectTo(server)
  expect((await connection[Symbol.asyncIterator]().next()).value).toMatchObject({ message: 'tuned' })
  await waitUntil(() => pongs.at(-1) === '1000')
  expect(connection.state).toBe('open')
  expect((await connection.close()).closeCode).toBe(1000)
})

it('R-59: sockets finish a recording only once a slow server has read every byte, and lose none of its events', async () => {
  let receivedBytes = 0
  const server = await serveSockets((socket) => {
    // Reads one message per turn, long after all messages have left this process.
    socket.on('message', (data) => {
      receivedBytes += (data as Uint8Array).length
      socket.pause()
      setImmediate(() => setImmediate(() => socket.resume()))
      if (receivedBytes === 20 * 200_000) socket.send('{"type":"Line","text":"the end"}')
    })
  })
  const connection = await connectTo(server)
  const lines: unknown[] = []
  const reading = (async () => {
    for await (const { data } of connection) lines.push(data)
  })()
  void connection.sendFrom(Array.from({ length: 20 }, () => bytes(200_000)))
  const end = await connection.finish({ quietMs: 1 })
  await reading
  expect(receivedBytes).toBe(4_000_000)
  expect(lines).toEqual([{ type: 'Line', text: 'the end' }])
  expect(end).toEqual({ closeCode: 1000, reason: '', unsent: { messages: 0, bytes: 0 }, dropped: 0 })
})

it('R-54: sockets reconnect over the network', async () => {
  const server = await serveSockets((socket) => {
    socket.on('message', () => socket.terminate())
  })
  const connection = await connectTo(server, { reconnect: { baseMs: 1 } })
  await connection.sendBinary(bytes(1))
  const reader = connection[Symbol.asyncIterator]()
  expect((await reader.next()).value).toMatchObject({
    type: 'reconnected',
    data: { connection: 1, closeCode: 1006 },
  })
  expect(server.sockets).toHaveLength(2)
})

it('R-55: sockets terminate the connection to a peer that does not respond to the close', async () => {
  const server = await serveSockets((socket) => socket.pause())
  const connection = await connectTo(server, { closeTimeoutMs: 20, sending: { highBytes: 2 ** 26 } })
  for (let count = 0; count < 30; count++) await connection.sendBinary(bytes(1_000_000))
  const end = await connection.close()
  expect(end.closeCode).toBe(1006)
  expect(end.unsent.bytes).toBeGreaterThan(10_000_000)
  expect(end.unsent.messages).toBeGreaterThan(10)
})

it('R-12: importing the package loads no ws; the first connection does', async () => {
  const program = `
      const { createRequire } = await import('node:module')
      const loaded = () => Object.keys(createRequire('/').cache).some((path) => path.includes('/ws/lib/'))
      const { createClient, connect } = await import(${JSON.stringify(new URL('../index.ts', import.meta.url).href)})
      const client = createClient({ servers: { api: 'http://127.0.0.1:1' } })
      const before = loaded()
      const channel = { id: 'x', address: '/', server: 'api', security: [], query: [], sends: {}, receives: {}, replies: {}, rules: {}, secrets: [] }
      await connect(client, channel).catch(() => undefined)
      console.log(before, loaded())`
  expect(await runProgram(program)).toBe('false true')
})

it('many connections on one client raise no warning', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  const server = await serveSockets()
  const client = clientOf(server)
  const all = await Promise.all(Array.from({ length: 40 }, () => connect(client, radio)))
  await client.close()
  await Promise.all(all.map((each) => each.closed))
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})

function clientOf({ origin }: { readonly origin: string }, options: Partial<ClientOptions> = {}) {
  return createClient({
    servers: { api: origin },
    credentials: { key: { in: 'header', name: 'authorization', prefix: 'Token ', value: KEY } },
    onDrift: () => undefined,
    ...options,
  })
}

async function connectTo(server: { readonly origin: string }, options: ConnectOptions<Radio> = {}) {
  const connection = await connect(clientOf(server), radio, options)
  onTestFinished(() => connection[Symbol.asyncDispose]())
  return connection
}

/** An agent that records its connections. */
function observedAgent() {
  const wires: ReturnType<Agent['createConnection']>[] = []
  class Observed extends Agent {
    override createConnection(...args: Parameters<Agent['createConnection']>) {
      const wire = super.createConnection(...args)
      wires.push(wire)
      return wire
    }
  }
  return { agent: new Observed(), wires }
}

async function firstError(source: AsyncIterable<unknown>): Promise<unknown> {
  return rejection(
    (async () => {
      for await (const _ of source);
    })(),
  )
}

/** Checks a condition in every turn of the event loop. */
async function waitUntil(holds: () => boolean): Promise<void> {
  for (let quiet = 0; quiet < 20;) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    quiet = holds() ? quiet + 1 : 0
  }
}
