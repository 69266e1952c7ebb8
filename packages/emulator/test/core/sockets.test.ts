import { describe, expect, it } from 'vitest'

import { HandlerMismatchError, MessageRejectedError } from '../../src/index.ts'
import { until } from '../support/sockets.ts'
import { openMarket, startMarket, ways, type Setup } from '../support/market.ts'

describe.each(ways)('a WebSocket %s', (way) => {
  const open = (setup?: Setup) => openMarket(way, setup)

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
        rejected: 0,
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
    expect(service.records.requests()).toMatchObject([{ method: 'GET', status }])
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
      { path: 'message', reason: 'must match one of these messages of the contract: `subscribe`, `ping`' },
    ],
    [
      'a message that lacks something',
      '{"type":"subscribe"}',
      { path: 'message', reason: expect.stringContaining('symbol') },
    ],
  ])('marks %s as rejected, and records it', async (_, frame, mismatch) => {
    const { socket, seen, records, control } = await open()
    socket.send(frame)
    await until(() => seen.length > 0)
    expect(seen).toEqual([[mismatch]])
    expect(records.violations()).toMatchObject([
      { direction: 'received', operationId: 'prices', mismatches: [mismatch] },
    ])
    expect(control.connections()[0]?.rejected).toBe(1)
  })

  it('ends with 1011 if a message of the emulator would break the contract, and records it', async () => {
    const { socket, records, lines } = await open({
      handlers: {
        prices: (connection) => ({
          message: () => connection.send('price', { price: 'dear' }),
          rejected() {},
        }),
      },
    })
    socket.send({ type: 'ping' })
    await socket.over
    expect(socket.closed?.code).toBe(1011)
    expect(socket.closed?.reason).toContain("rejects the emulator's message price on prices")
    if (way === 'in process') expect(socket.closed?.error).toBeInstanceOf(MessageRejectedError)
    expect(records.violations()).toMatchObject([
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
          rejected() {},
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
    expect(() => service.control.dropConnection(2)).toThrow('The connection 2 is not open')
  })

  it('ends when the emulator is closed', async () => {
    const { socket, closer, seen } = await open()
    closer.abort(new DOMException('closed', 'AbortError'))
    await socket.over
    expect(socket.closed).toMatchObject({ code: 1006 })
    await until(() => seen.length > 0)
  })
})

it('a WebSocket in process reports flushed frames, as one over the network does', async () => {
  const service = await startMarket({ handlers: { prices: () => ({ message() {}, rejected() {} }) } })
  service.faults.add({ kind: 'socket-stall' })
  let flushed = 0
  const opened = Promise.withResolvers<void>()
  const socket = service.factory(
    { url: 'ws://market.invalid/api/prices?depth=1', headers: ['X-Key', 'good'] },
    {
      opened: () => opened.resolve(),
      denied: (response) => opened.reject(new Error(String(response.status))),
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
        prices: () => ({ message() {}, rejected() {} }),
        more: () => ({ message() {}, rejected() {} }),
      },
    }),
  ).rejects.toThrow('channels that are not in the market contract: more')
})
