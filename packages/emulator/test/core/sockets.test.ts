import { describe, expect, it, onTestFinished } from 'vitest'

import { createApp } from '../../src/core/app.ts'
import { readChannels } from '../../src/core/channels.ts'
import { ControlledClock, frozenClock } from '../../src/core/clock.ts'
import { createFaults, type Fault } from '../../src/core/faults.ts'
import { createJournal } from '../../src/core/journal.ts'
import { memorySockets } from '../../src/core/memory-socket.ts'
import { serveOverHttp } from '../../src/core/node-server.ts'
import { jsonReply } from '../../src/core/reply.ts'
import type { Service } from '../../src/core/service.ts'
import { SocketControl } from '../../src/core/control.ts'
import type { Connection, SocketService } from '../../src/core/socket-service.ts'
import { readSpecification } from '../../src/core/specification.ts'
import { HandlerMismatchError, MessageRejectedError } from '../../src/index.ts'
import { inProcess, overNetwork, until, type TestSocket } from '../support/sockets.ts'

/** A minimal service with all features of channels. */
const market = {
  asyncapi: '3.0.0',
  servers: {
    main: { host: '{api_url}', protocol: 'wss', security: [{ $ref: '#/components/securitySchemes/key' }] },
  },
  channels: {
    prices: {
      address: '/prices',
      'x-socket-rules': {
        keepAlive: { message: 'ping', payload: { type: 'ping' }, minIntervalMs: 1, maxIntervalMs: 2 },
        idleCloseMs: 10_000,
        emptyBinaryCloses: true,
      },
      messages: {
        subscribe: { payload: { $ref: './shared.yaml#/Subscribe' } },
        ping: { payload: { type: 'object', required: ['type'], properties: { type: { const: 'ping' } } } },
        raw: { contentType: 'application/octet-stream' },
        price: {
          payload: { type: 'object', required: ['price'], properties: { price: { type: 'number' } } },
        },
      },
      bindings: {
        ws: {
          query: {
            type: 'object',
            required: ['depth'],
            properties: { depth: { type: 'integer' }, of: { type: ['array', 'string'] } },
          },
        },
      },
    },
  },
  operations: {
    hear: {
      action: 'receive',
      channel: { $ref: '#/channels/prices' },
      messages: ['subscribe', 'ping', 'raw'].map((key) => ({ $ref: `#/channels/prices/messages/${key}` })),
    },
    tell: {
      action: 'send',
      channel: { $ref: '#/channels/prices' },
      messages: ['price', 'raw'].map((key) => ({ $ref: `#/channels/prices/messages/${key}` })),
    },
  },
  components: { securitySchemes: { key: { type: 'httpApiKey', in: 'header', name: 'X-Key' } } },
}
const shared = {
  Subscribe: {
    type: 'object',
    required: ['type', 'symbol'],
    properties: { type: { const: 'subscribe' }, symbol: { type: 'string' } },
  },
}

class TestControl extends SocketControl {
  readonly reset = (): void => {}
}

interface Setup {
  random?: () => number
  handlers?: SocketService<string>['handlers']
  messageLimitBytes?: number
}

async function startMarket({ handlers, messageLimitBytes = 1_000_000, random = () => 0.5 }: Setup = {}) {
  const clock = new ControlledClock(frozenClock())
  const journal = createJournal()
  const faults = createFaults(() => 0.5, ['prices'])
  const closer = new AbortController()
  const seen: unknown[] = []
  const connections: Connection<string>[] = []
  let open = 0
  const lines: string[] = []
  const sockets: SocketService<string> = {
    specification: readChannels(market, '/market.yaml', () => shared),
    handlers: handlers ?? {
      prices(connection) {
        connections.push(connection)
        return {
          message(key, payload) {
            seen.push([key, payload])
            if (key === 'subscribe') connection.send('price', { price: 5 })
            if (key === 'raw') connection.send('raw', payload)
          },
          denied: (mismatches) => seen.push(mismatches),
          closed: () => seen.push('closed'),
        }
      },
    },
    authenticate: (value) => (value === 'good' ? 'somebody' : undefined),
    admit() {
      if (open >= 2) return jsonReply(429, { detail: 'too many' }, { 'x-open': String(open) })
      open++
      return () => void open--
    },
    deny: (denial) =>
      jsonReply(denial.kind === 'query-rejected' ? 400 : 401, {
        kind: denial.kind,
        ...('mismatches' in denial ? { mismatches: denial.mismatches } : {}),
      }),
    closeFor: (cause) => ({ code: 4000, reason: cause }),
    messageLimitBytes,
  }
  const service: Service<string> = {
    name: 'market',
    specification: readSpecification({ openapi: '3.1.0' }),
    handlers: {},
    pages: [],
    authenticate: () => undefined,
    admit: () => undefined,
    bodyLimitBytes: () => 0,
    deny: (denial) => jsonReply(denial.kind === 'server-error' ? 500 : 404, { kind: denial.kind }),
    responseHeaders: () => ({ 'x-emulator': 'market' }),
    tolerates: () => false,
    sockets,
  }
  const app = createApp(service, {
    clock,
    random,
    faults,
    journal,
    log: (level, message) => lines.push(`${level} ${message}`),
    basePath: { apiUrl: '/api' },
    closing: closer.signal,
  })
  if (!app.sockets) throw new Error('There are no sockets.')
  const { sockets: endpoint } = app
  const control = new TestControl({ clock, faults, journal }, () => endpoint.open())
  const server = await serveOverHttp(app, '127.0.0.1', 0)
  onTestFinished(async () => {
    closer.abort(new DOMException('closed', 'AbortError'))
    await server.close()
  })
  const factory = memorySockets(app.sockets)
  const ways = {
    'in process': (path: string, headers: Record<string, string>) =>
      inProcess(factory)(`ws://market.invalid/api${path}`, headers),
    'over the network': (path: string, headers: Record<string, string>) =>
      overNetwork(`${server.url}/api${path}`, headers),
  }
  return {
    clock,
    journal,
    control,
    faults,
    seen,
    lines,
    connections,
    closer,
    openCount: () => open,
    factory,
    async connect(way: Way, path = '/prices?depth=5', headers: Record<string, string> = { 'x-key': 'good' }) {
      const socket = ways[way](path, headers)
      await socket.settled
      return socket
    },
  }
}

type Way = 'in process' | 'over the network'
const ways: Way[] = ['in process', 'over the network']

describe.each(ways)('a WebSocket %s', (way) => {
  const open = async (setup?: Setup, fault?: Fault) => {
    const service = await startMarket(setup)
    if (fault) service.faults.add(fault)
    const socket = await service.connect(way)
    return { ...service, socket }
  }

  it('reads the messages of the contract and passes them to the handler', async () => {
    const { socket, seen, control } = await open()
    socket.send({ type: 'subscribe', symbol: 'A' })
    socket.send({ type: 'ping' })
    socket.send(new Uint8Array([1, 2, 3]))
    await until(() => socket.received.length === 2)
    expect(seen).toEqual([
      ['subscribe', { type: 'subscribe', symbol: 'A' }],
      ['ping', { type: 'ping' }],
      ['raw', new Uint8Array([1, 2, 3])],
    ])
    expect(socket.received).toEqual(['{"price":5}', new Uint8Array([1, 2, 3])])
    socket.close(1000, 'enough')
    await socket.over
    expect(socket.closed).toEqual({ code: 1000, reason: 'enough' })
    await until(() => control.connections()[0]?.closed !== undefined)
    expect(control.connections()).toEqual([
      {
        id: 1,
        channel: 'prices',
        openedAt: Date.UTC(2026, 0, 5, 9),
        received: 3,
        receivedBytes: 51,
        sent: 2,
        sentBytes: 14,
        denied: 0,
        faults: [],
        closed: { at: Date.UTC(2026, 0, 5, 9), code: 1000, reason: 'enough', by: 'client' },
      },
    ])
  })

  it.each([
    ['nothing', '/prices?depth=5', {}, 401, { kind: 'key-missing' }],
    ['a wrong key', '/prices?depth=5', { 'x-key': 'bad' }, 401, { kind: 'key-invalid' }],
    [
      'a query that breaks the contract',
      '/prices?depth=a&of=1&of=2',
      { 'x-key': 'good' },
      400,
      { kind: 'query-rejected', mismatches: [{ path: 'query/depth', reason: 'must be integer' }] },
    ],
    ['no such channel', '/price', { 'x-key': 'good' }, 404, { kind: 'route-unknown' }],
  ])('is denied for %s, with status, headers and body', async (_, path, headers, status, body) => {
    const service = await startMarket()
    const { denial } = await service.connect(way, path, headers as Record<string, string>)
    expect(denial?.status).toBe(status)
    expect(JSON.parse(denial?.body ?? '')).toEqual(body)
    expect(denial?.headers['x-emulator']).toBe('market')
    expect(service.journal.requests()).toMatchObject([{ method: 'GET', status }])
  })

  it('is denied while too many are open, and accepted once one of them has ended', async () => {
    const service = await startMarket()
    const first = await service.connect(way)
    const second = await service.connect(way)
    expect((await service.connect(way)).denial).toMatchObject({ status: 429, body: '{"detail":"too many"}' })
    first.close()
    second.terminate()
    await until(() => service.openCount() === 0)
    expect((await service.connect(way)).denial).toBeUndefined()
  })

  it.each<[string, string | Uint8Array, object]>([
    ['text that is not JSON', '{', { path: 'frame', reason: 'must be JSON' }],
    [
      'a message without a name',
      '{"symbol":"A"}',
      { path: 'message', reason: 'must be one of subscribe, ping' },
    ],
    [
      'a message that lacks something',
      '{"type":"subscribe"}',
      { path: 'message', reason: expect.stringContaining('symbol') },
    ],
  ])('marks %s as rejected, and records it', async (_, frame, mismatch) => {
    const { socket, seen, journal, control } = await open()
    socket.send(frame)
    await until(() => seen.length > 0)
    expect(seen).toEqual([[mismatch]])
    expect(journal.violations()).toMatchObject([
      { direction: 'received', operationId: 'prices', mismatches: [mismatch] },
    ])
    expect(control.connections()[0]?.denied).toBe(1)
  })

  it('ends with 1011 if a message of the emulator would break the contract, and the journal records it', async () => {
    const { socket, journal, lines } = await open({
      handlers: {
        prices: (connection) => ({
          message: () => connection.send('price', { price: 'dear' }),
          denied() {},
        }),
      },
    })
    socket.send({ type: 'ping' })
    await socket.over
    expect(socket.closed?.code).toBe(1011)
    expect(socket.closed?.reason).toContain("rejects the emulator's message price on prices")
    if (way === 'in process') expect(socket.closed?.error).toBeInstanceOf(MessageRejectedError)
    expect(journal.violations()).toMatchObject([
      { direction: 'sent', mismatches: [{ path: 'message/price', reason: 'must be number' }] },
    ])
    expect(lines).toEqual([expect.stringMatching(/^error market: prices: The contract rejects/)])
  })

  it('ends with 1011 if its handler fails, without ending any other connection', async () => {
    const service = await startMarket({
      handlers: {
        prices: () => ({
          message() {
            throw new TypeError('oh')
          },
          denied() {},
        }),
      },
    })
    const [broken, other] = [await service.connect(way), await service.connect(way)]
    broken.send({ type: 'ping' })
    await broken.over
    expect(broken.closed).toMatchObject({ code: 1011, reason: expect.stringContaining('TypeError: oh') })
    expect(other.closed).toBeUndefined()
  })

  it('closes after an empty binary frame if the channel has that rule', async () => {
    const { socket } = await open()
    socket.send(new Uint8Array())
    await socket.over
    expect(socket.closed).toEqual({ code: 4000, reason: 'empty-binary' })
  })

  it('closes after the idle time, counted from the last binary message or keep-alive', async () => {
    const { socket, clock, seen } = await open()
    await clock.advance(9_999)
    socket.send({ type: 'ping' })
    await until(() => seen.length === 1)
    await clock.advance(9_999)
    socket.send(new Uint8Array([1]))
    await until(() => seen.length === 2)
    await clock.advance(9_999)
    socket.send({ type: 'subscribe', symbol: 'A' })
    await until(() => seen.length === 3)
    expect(socket.closed).toBeUndefined()
    await clock.advance(1)
    await socket.over
    expect(socket.closed).toEqual({ code: 4000, reason: 'idle' })
  })

  it('ends with 1009 for a message that is too long', async () => {
    const { socket, seen } = await open({ messageLimitBytes: 100 })
    socket.send(new Uint8Array(101))
    await socket.over
    expect(socket.closed?.code).toBe(1009)
    await until(() => seen.length > 0)
    expect(seen).toEqual(['closed'])
  })

  it('can be sent messages, closed and dropped by the control interface', async () => {
    const service = await startMarket()
    const [first, second] = [await service.connect(way), await service.connect(way)]
    service.control.sendMessage(1, { any: 'thing' })
    service.control.closeConnection(1, { code: 4001, reason: 'because' })
    service.control.dropConnection(2)
    await Promise.all([first.over, second.over])
    expect(first.json()).toEqual([{ any: 'thing' }])
    expect(first.closed).toEqual({ code: 4001, reason: 'because' })
    expect(second.closed).toMatchObject({ code: 1006 })
    await until(() => service.openCount() === 0)
    expect(service.control.connections().map(({ closed }) => closed?.by)).toEqual(['emulator', 'emulator'])
    expect(() => service.control.dropConnection(2)).toThrow('Unknown connection 2')
  })

  it('ends when the emulator is closed', async () => {
    const { socket, closer, seen } = await open()
    closer.abort(new DOMException('closed', 'AbortError'))
    await socket.over
    expect(socket.closed).toMatchObject({ code: 1006 })
    await until(() => seen.length > 0)
  })

  describe('with faults', () => {
    it.each<[Fault, Partial<NonNullable<TestSocket['closed']>>]>([
      [{ kind: 'socket-drop', afterReceived: 2 }, { code: 1006 }],
      [{ kind: 'socket-drop', afterSent: 2 }, { code: 1006 }],
      [
        { kind: 'socket-close', code: 1012, reason: 'restart', afterReceived: 2 },
        { code: 1012, reason: 'restart' },
      ],
    ])('ends by %j', async (fault, end) => {
      const { socket, seen } = await open({}, fault)
      socket.send({ type: 'subscribe', symbol: 'A' })
      await until(() => socket.received.length === 1)
      expect(socket.closed).toBeUndefined()
      socket.send({ type: 'subscribe', symbol: 'B' })
      await socket.over
      expect(socket.closed).toMatchObject(end)
      await until(() => seen.at(-1) === 'closed')
    })

    it('ends after a time on the clock', async () => {
      const { socket, clock, control } = await open({}, { kind: 'socket-drop', afterMs: 500 })
      await clock.advance(499)
      expect(socket.closed).toBeUndefined()
      await clock.advance(1)
      await socket.over
      await until(() => control.connections()[0]?.closed !== undefined)
      expect(control.connections()[0]).toMatchObject({ faults: ['socket-drop'], closed: { by: 'emulator' } })
    })

    it('is no longer read, so that messages stay buffered at the sender', async () => {
      const { socket, seen } = await open({}, { kind: 'socket-stall', afterReceived: 1 })
      socket.send(new Uint8Array([1]))
      await until(() => seen.length === 1)
      for (let round = 0; round < 20; round++) {
        for (let message = 0; message < 4; message++) socket.send(new Uint8Array(500_000))
        for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
      }
      expect(socket.buffered).toBeGreaterThan(1_000_000)
      expect(seen.length).toBeLessThan(10)
      socket.terminate()
      await socket.over
    })

    it('delays messages in order', async () => {
      const { socket, clock, seen } = await open({}, { kind: 'socket-latency', delayMs: 100, upToMs: 200 })
      socket.send({ type: 'subscribe', symbol: 'A' })
      socket.send(new Uint8Array([1]))
      await until(() => seen.length === 2)
      await clock.advance(149)
      expect(socket.received).toEqual([])
      await clock.advance(1)
      await until(() => socket.received.length === 2)
      expect(socket.received).toEqual(['{"price":5}', new Uint8Array([1])])
    })

    it('keeps the order even if a later message has a shorter delay', async () => {
      const draws = [0.9, 0.1]
      const { socket, clock, seen } = await open(
        { random: () => draws.shift() ?? 0 },
        { kind: 'socket-latency', delayMs: 0, upToMs: 100 },
      )
      socket.send({ type: 'subscribe', symbol: 'A' })
      socket.send(new Uint8Array([1]))
      await until(() => seen.length === 2)
      await clock.advance(89)
      expect(socket.received).toEqual([])
      await clock.advance(1)
      await until(() => socket.received.length === 2)
      expect(socket.received).toEqual(['{"price":5}', new Uint8Array([1])])
    })

    it('can be denied with a status, delayed, or broken before and after the upgrade', async () => {
      const service = await startMarket()
      service.faults.add({ kind: 'status', status: 503, headers: { 'retry-after': '3' } })
      expect((await service.connect(way)).denial).toMatchObject({
        status: 503,
        headers: { 'retry-after': '3' },
      })
      service.faults.add({ kind: 'reset', when: 'before' })
      const broken = await service.connect(way)
      expect(broken.denial).toBeUndefined()
      expect(broken.error).toBeInstanceOf(Error)
      service.faults.add({ kind: 'reset', when: 'after' })
      const short = await service.connect(way)
      await short.over
      expect(short.closed).toMatchObject({ code: 1006 })
      service.faults.add({ kind: 'latency', delayMs: 1_000 })
      let isOpen = false
      const late = service.connect(way).then(() => (isOpen = true))
      await until(() => service.journal.requests().length === 4)
      await service.clock.advance(999)
      expect(isOpen).toBe(false)
      await service.clock.advance(1)
      await late
    })

    it('is released when the emulator is closed while its upgrade hangs', async () => {
      const service = await startMarket()
      service.faults.add({ kind: 'stall', when: 'before' })
      const opening = service.connect(way)
      await until(() => service.journal.requests().length === 1)
      service.closer.abort(new DOMException('closed', 'AbortError'))
      expect((await opening).error).toBeInstanceOf(Error)
    })
  })
})

it('a WebSocket in process reports flushed frames, as one over the network does', async () => {
  const service = await startMarket({ handlers: { prices: () => ({ message() {}, denied() {} }) } })
  service.faults.add({ kind: 'socket-stall' })
  let flushed = 0
  const opened = Promise.withResolvers<void>()
  const socket = service.factory(
    { url: 'ws://market.invalid/api/prices?depth=1', headers: ['X-Key', 'good'] },
    {
      opened: () => opened.resolve(),
      denied: (answer) => opened.reject(new Error(String(answer.status))),
      failed: opened.reject,
      message() {},
      flushed: () => flushed++,
      closed() {},
    },
  )
  await opened.promise
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
  await turn()
  for (let message = 0; message < 3; message++) socket.send(new Uint8Array(30_000), true)
  expect(socket.bufferedBytes).toBe(90_000 - 65_536)
  await turn()
  expect(flushed).toBe(2)
  const small = await service.connect('in process')
  small.send(new Uint8Array(30_000))
  expect(small.buffered).toBe(0)
  socket.terminate()
  await turn()
  expect(flushed).toBe(2)
})

it('every channel needs a handler, and every handler a channel', async () => {
  await expect(startMarket({ handlers: {} })).rejects.toThrow(HandlerMismatchError)
  await expect(
    startMarket({
      handlers: {
        prices: () => ({ message() {}, denied() {} }),
        more: () => ({ message() {}, denied() {} }),
      },
    }),
  ).rejects.toThrow('channels that are not in the market contract: more')
})
