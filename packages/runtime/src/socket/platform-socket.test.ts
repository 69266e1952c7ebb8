import { afterEach, expect, it } from 'vitest'
import { createClient } from '../http/client.ts'
import { KEY, rejection } from '../http/test-support/fixtures.ts'
import { wsServer, type WsServer } from '../node/test-support/ws-server.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { connect } from './connect.ts'
import { defaultSocketFactory } from './default-socket.ts'
import { PlatformSocket, platformSocketFactory, type PlatformWebSocket } from './socket.ts'
import { bytes, radio } from './test-support/radio.ts'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each[Symbol.asyncDispose]()
})

const publicRadio = { ...radio, security: [] }

it('platform sockets carry text and bytes in both directions', async () => {
  const server = await serve((socket) =>
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })),
  )
  const connection = await connect(clientOf(server.origin), publicRadio)
  const reader = connection[Symbol.asyncIterator]()
  await connection.sendText('{"type":"Line","text":"é"}')
  await connection.sendBinary(bytes(70_000))
  expect((await reader.next()).value).toMatchObject({ message: 'line', data: { text: 'é' } })
  expect((await reader.next()).value).toEqual({ type: 'message', message: 'audio', data: bytes(70_000) })
  expect(await connection.close({ code: 3001, reason: 'bye' })).toMatchObject({
    closeCode: 3001,
    reason: 'bye',
  })
})

it('platform sockets reject a handshake with headers, and say what to do', async () => {
  const error = await rejection(connect(clientOf('http://127.0.0.1:1'), radio))
  expect(error).toMatchObject({
    option: 'socketFactory',
    message: expect.stringContaining(
      "This platform's WebSocket can't send headers, but the handshake needs `authorization`",
    ),
  })
  expect((error as Error).message).not.toContain(KEY)
  const extra = { headers: { 'x-trace': 'a' } }
  expect(await rejection(connect(clientOf('http://127.0.0.1:1'), radio, { extra }))).toMatchObject({
    message: expect.stringMatching(/needs (?:`authorization`, `x-trace`|`x-trace`, `authorization`)\./),
  })
})

it('platform sockets leave out the headers for a relay that adds the credential', async () => {
  const server = await serve((socket) => socket.send('{"type":"Tuned"}'))
  const client = createClient({
    servers: { api: server.origin },
    credentials: { key: { in: 'header', name: 'authorization', value: KEY } },
    socketFactory: platformSocketFactory({ relay: true }),
  })
  await using connection = await connect(client, radio)
  expect((await connection[Symbol.asyncIterator]().next()).value).toMatchObject({ message: 'tuned' })
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
})

it('the error of a failed platform socket says that its cause is unknown', async () => {
  const server = await serve(undefined, { deny: () => 'HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n' })
  expect(await rejection(connect(clientOf(server.origin), publicRadio))).toMatchObject({
    code: 'socket-denied',
    message: expect.stringContaining("doesn't say whether"),
  })
})

it('R-52: platform sockets check the buffer regularly while a sender waits', async () => {
  const clock = virtualClock({ autoAdvance: false })
  const fake = new FakeWebSocket()
  const client = createClient({
    servers: { api: 'http://host.test' },
    clock,
    socketFactory: platformSocketFactory({
      WebSocket: function () {
        return fake
      } as unknown as new (url: string) => PlatformWebSocket,
    }),
  })
  const connecting = connect(
    client,
    { ...publicRadio, rules: {} },
    { sending: { highBytes: 100, lowBytes: 20 } },
  )
  await clock.settle()
  fake.emit('open', {})
  const connection = await connecting
  let sent = false
  await connection.sendBinary(bytes(1))
  expect(clock.timers).toBe(0)
  fake.bufferedAmount = 100
  const sending = connection.sendBinary(bytes(50)).then(() => (sent = true))
  await clock.advance(1000)
  expect(sent).toBe(false)
  void connection.sendBinary(bytes(1))
  expect(clock.timers).toBe(1)
  fake.bufferedAmount = 20
  await clock.advance(10)
  await sending
  fake.bufferedAmount = 0
  await clock.advance(10)
  expect(clock.timers).toBe(0)
  fake.readyState = 2
  void connection.sendBinary(bytes(7))
  expect(fake.calls).toEqual([1, 50, 1])
  fake.emit('close', { code: 1006, reason: '' })
  expect(await connection.closed).toMatchObject({ closeCode: 1006, unsent: { messages: 1, bytes: 7 } })
})

it('platform sockets end a handshake with close()', async () => {
  const fake = new FakeWebSocket()
  const request = { url: '', headers: [], compression: false, maxMessageBytes: 1, clock: virtualClock() }
  new PlatformSocket(fake as PlatformWebSocket, request, {} as never).terminate()
  expect(fake.calls).toEqual(['close'])
})

it('R-53: platform sockets overflow instead of applying pressure', async () => {
  const server = await serve((socket) => {
    for (let count = 0; count < 50; count++) socket.send('{"type":"Tuned"}')
  })
  const connection = await connect(clientOf(server.origin), publicRadio, { receiving: { maxMessages: 5 } })
  expect(await connection.closed).toMatchObject({ error: { code: 'socket-overflow' } })
})

it('rejects a host without a WebSocket', async () => {
  const own = globalThis.WebSocket
  Reflect.deleteProperty(globalThis, 'WebSocket')
  try {
    expect(await rejection(connect(clientOf('http://127.0.0.1:1'), publicRadio))).toMatchObject({
      option: 'socketFactory',
    })
  } finally {
    globalThis.WebSocket = own
  }
})

function clientOf(origin: string) {
  return createClient({
    servers: { api: origin },
    credentials: { key: { in: 'header', name: 'authorization', value: KEY } },
    socketFactory: defaultSocketFactory(),
    onDrift: () => undefined,
  })
}

async function serve(...args: Parameters<typeof wsServer>): Promise<WsServer> {
  const server = await wsServer(...args)
  open.push(server)
  return server
}

class FakeWebSocket extends EventTarget {
  binaryType = ''
  readyState = 1
  bufferedAmount = 0
  readonly calls: unknown[] = []
  send(data: string | Uint8Array): void {
    this.calls.push(data.length)
  }
  close(): void {
    this.calls.push('close')
  }
  emit(type: string, properties: object): void {
    this.dispatchEvent(Object.assign(new Event(type), properties))
  }
}
