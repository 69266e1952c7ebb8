import { describe, expect, it } from 'vitest'

import { type Fault } from '../../src/core/faults.ts'
import { until, type TestSocket } from '../support/sockets.ts'
import { openMarket, startMarket, ways, type Setup } from '../support/market.ts'

describe.each(ways)('a WebSocket %s with faults', (way) => {
  const open = (setup?: Setup, fault?: Fault) => openMarket(way, setup, fault)

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

  // The first draw decides whether the fault happens.
  it.each([
    { draws: [0, 0.5, 0.5], delayMs: 100, upToMs: 200, dueMs: 150 },
    { draws: [0, 0.9, 0.1], delayMs: 0, upToMs: 100, dueMs: 90 },
  ])('delays messages in order, even if a later one has a shorter delay: %j', async (given) => {
    const { draws, dueMs, ...delays } = given
    const { socket, clock, seen } = await open(
      { random: () => draws.shift() ?? 0 },
      { kind: 'socket-latency', ...delays },
    )
    socket.send({ type: 'subscribe', symbol: 'A' })
    socket.send(new Uint8Array([1]))
    await until(() => seen.length === 2)
    await clock.advance(dueMs - 1)
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
    await until(() => service.records.requests().length === 4)
    await service.clock.advance(999)
    expect(isOpen).toBe(false)
    await service.clock.advance(1)
    await late
  })

  it('is released when the emulator is closed while its upgrade hangs', async () => {
    const service = await startMarket()
    service.faults.add({ kind: 'stall', when: 'before' })
    const opening = service.connect(way)
    await until(() => service.records.requests().length === 1)
    service.closer.abort(new DOMException('closed', 'AbortError'))
    expect((await opening).error).toBeInstanceOf(Error)
  })
})
