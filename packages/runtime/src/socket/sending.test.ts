import { describe, expect, it } from 'vitest'
import { rejection } from '../http/test-support/fixtures.ts'
import { connect } from './connect.ts'
import { bytes, gatedRadio, radio, studio } from './test-support/radio.ts'

const sending = { highBytes: 1000, lowBytes: 250, maxBytes: 4000 }

describe('sending', () => {
  it('checks a message before it is sent', async () => {
    const { connection, peer, clock } = await opened()
    expect(await rejection(connection.send('note', { text: 5 as never }))).toMatchObject({
      code: 'invalid-request',
      issues: [{ path: '/text', reason: expect.any(String) }],
    })
    expect(await rejection(connection.send('nothing' as 'note', { text: '' }))).toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining('valid messages: audio, keepAlive, tune, note'),
    })
    expect(await rejection(connection.send('audio', 'text' as never))).toMatchObject({
      code: 'invalid-request',
    })
    expect(await rejection(connection.send('keepAlive', 1n as never))).toMatchObject({
      code: 'invalid-request',
    })
    await clock.settle()
    expect(peer.received).toEqual([])
  })

  it('R-52: waits from the high mark on until the low mark', async () => {
    const { connection, peer, clock } = await opened({ sending })
    peer.stall()
    await connection.sendBinary(bytes(600))
    let settled = 0
    const waiting = [connection.sendBinary(bytes(500)), connection.sendBinary(bytes(100))]
    for (const each of waiting) void each.then(() => (settled += 1))
    await clock.settle()
    expect(settled).toBe(0)
    expect(connection.bufferedBytes).toBe(1200)
    peer.unstall()
    await Promise.all(waiting)
    expect(connection.bufferedBytes).toBe(0)
  })

  it("R-52: a send that isn't awaited is rejected beyond the limit, and no part of that message is sent", async () => {
    const { connection, peer, clock } = await opened({ sending })
    peer.stall()
    const results = await settledSoon(
      clock,
      Array.from({ length: 10 }, () => connection.sendBinary(bytes(1000))),
    )
    expect(results.filter((each) => each.state === 'pending')).toHaveLength(4)
    expect(results.filter((each) => each.state === 'rejected')).toHaveLength(6)
    expect(results.at(-1)?.error).toMatchObject({ code: 'socket-overflow' })
    peer.unstall()
    await clock.settle()
    expect(peer.received).toHaveLength(4)
  })

  it('R-51: adds no keep-alive to a full buffer, because the line is not silent', async () => {
    const { connection, peer, clock } = await opened({ sending, liveness: false })
    peer.stall()
    const waiting = connection.sendBinary(bytes(1000))
    await clock.advance(60_000)
    expect(connection.bufferedBytes).toBe(1000)
    peer.unstall()
    await waiting
    await clock.advance(5000)
    expect(peer.received).toHaveLength(2)
  })

  it('R-52: a source is read no faster than the peer takes it', async () => {
    const { connection, peer, clock } = await opened({ sending })
    peer.stall()
    let read = 0
    async function* source() {
      for (; read < 50; read++) yield bytes(100)
    }
    const sent = connection.sendFrom(source())
    await clock.settle()
    expect(read).toBe(9)
    peer.unstall()
    await sent
    await clock.settle()
    expect(peer.received).toHaveLength(50)
  })

  it('a source that fails, or yields something other than bytes, ends its sending and not the connection', async () => {
    const { connection } = await opened()
    const mine = new Error('no microphone')
    async function* source() {
      yield bytes(1)
      throw mine
    }
    expect(await rejection(connection.sendFrom(source()))).toBe(mine)
    expect(await rejection(connection.sendFrom([bytes(1), 'text' as never]))).toMatchObject({
      code: 'invalid-request',
    })
    expect(connection.state).toBe('open')
  })

  it.each<[string, unknown]>([
    ['a text', 'text'],
    ['an empty text', ''],
    ['a buffer without a view', new ArrayBuffer(4)],
    ['an empty one', new ArrayBuffer(0)],
    ['samples', new Int16Array(4)],
    ['a number', 5],
    ['nothing', undefined],
  ])('sends %s neither as bytes nor as a source of them', async (_, value) => {
    const { connection, peer, clock } = await opened()
    for (const attempt of [connection.sendBinary(value as never), connection.sendFrom(value as never)])
      expect(await rejection(attempt)).toMatchObject({ code: 'invalid-request', operation: 'radio' })
    for (const source of [bytes(3), 'meeting.wav'])
      expect(await rejection(connection.sendFrom(source as never))).toMatchObject({
        code: 'invalid-request',
        message: expect.stringContaining(
          'not a string or a single chunk; nothing was sent. To send a file, pass',
        ),
      })
    await clock.settle()
    expect(peer.received).toEqual([])
    expect(connection.bufferedBytes).toBe(0)
  })

  it('sends only strings as text', async () => {
    const { connection, peer, clock } = await opened()
    for (const value of [undefined, {}, bytes(1)])
      expect(await rejection(connection.sendText(value as never))).toMatchObject({ code: 'invalid-request' })
    await clock.settle()
    expect(peer.received).toEqual([])
  })

  it('a silent source does not outlive the connection, and is closed', async () => {
    const { connection, peer, clock } = await opened()
    let returned = false
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<IteratorResult<Uint8Array>>(() => undefined),
        return: async () => ((returned = true), { done: true as const, value: undefined }),
      }),
    }
    const sent = rejection(connection.sendFrom(source))
    await clock.settle()
    peer.drop()
    expect(await sent).toMatchObject({ code: 'socket-closed', closeCode: 1006 })
    expect(returned).toBe(true)
    expect(await rejection(connection.sendFrom(source))).toMatchObject({ code: 'socket-closed' })
  })

  it('R-56: holds back everything but the gating message until the acknowledgement, text included', async () => {
    const { connection, peer, clock } = await opened({ acknowledged }, gatedRadio)
    const held = [
      connection.sendBinary(bytes(3)),
      connection.send('note', { text: 'x' }),
      connection.sendText('raw'),
      connection.sendJson({ raw: 1 }),
    ]
    // An acknowledgement before the gating message doesn't open the gate.
    peer.send('{"type":"Tuned"}')
    await clock.settle()
    await connection.send('tune', { type: 'Tune' })
    const later = connection.send('note', { text: 'y' })
    await clock.settle()
    expect(peer.received).toEqual(['{"type":"Tune"}'])
    peer.send('{"type":"Tuned"}')
    await Promise.all([...held, later])
    await connection.sendBinary(bytes(4))
    await clock.settle()
    expect(peer.received.slice(1)).toEqual([
      bytes(3),
      '{"text":"x"}',
      'raw',
      '{"raw":1}',
      '{"text":"y"}',
      bytes(4),
    ])
  })

  it('R-56: a gating message that is not acknowledged in time ends the connection with a TimeoutError', async () => {
    const { connection, peer, clock } = await opened(
      { acknowledged, acknowledgeTimeoutMs: 3000, reconnect: true },
      gatedRadio,
    )
    const held = rejection(connection.sendBinary(bytes(3)))
    // The time begins with the gating message.
    await clock.advance(5000)
    await connection.send('tune', { type: 'Tune' })
    peer.send('{"type":"Line","text":"something else"}')
    await clock.advance(2999)
    expect(connection.state).toBe('open')
    await clock.advance(1)
    const error = await held
    expect(error).toMatchObject({ code: 'timeout', limitMs: 3000 })
    expect(String(error)).toMatch(/`tune` was not acknowledged .* false for the only message that has/)
    expect(await connection.closed).toMatchObject({ error, unsent: { messages: 1, bytes: 3 } })
    const reader = connection[Symbol.asyncIterator]()
    expect((await reader.next()).value).toMatchObject({ message: 'line' })
    expect(await rejection(reader.next())).toBe(error)
    await clock.advance(60_000)
    expect(peer.closedBy).toMatchObject({ code: 1000 })
  })

  it('R-56: one acknowledgement is enough for several gating messages, and later ones need none', async () => {
    const { connection, peer, clock } = await opened({ acknowledged, liveness: false }, gatedRadio)
    await connection.send('tune', { type: 'Tune', pitch: '1' })
    await connection.send('tune', { type: 'Tune', pitch: '2' })
    peer.send('{"type":"Tuned"}')
    await clock.advance(60_000)
    await connection.send('tune', { type: 'Tune', pitch: '3' })
    await clock.advance(60_000)
    expect(connection.state).toBe('open')
  })

  it('R-56: keep-alives wait for the acknowledgement, too', async () => {
    const { peer, clock } = await opened({ acknowledged }, gatedRadio)
    await clock.advance(60_000)
    expect(peer.received).toEqual([])
  })

  it('R-56: what is held back is bounded', async () => {
    const { connection } = await opened({ acknowledged, sending }, gatedRadio)
    const results = Array.from({ length: 6 }, () => rejection(connection.sendBinary(bytes(900))))
    expect(await Promise.race(results)).toMatchObject({ code: 'socket-overflow' })
    const end = await connection.close()
    expect(end.unsent).toEqual({ messages: 4, bytes: 3600 })
    for (const each of results.slice(0, 4)) expect(await each).toMatchObject({ code: 'socket-closed' })
  })

  it('R-56: a channel with a gate needs to know the acknowledgement', async () => {
    const { client } = studio()
    expect(await rejection(connect(client, gatedRadio))).toMatchObject({ option: 'acknowledged' })
  })

  it('R-56: an error of the predicate ends the connection with it', async () => {
    const mine = new Error('mine')
    const { connection, peer } = await opened(
      {
        acknowledged: () => {
          throw mine
        },
      },
      gatedRadio,
    )
    await connection.send('tune', { type: 'Tune' })
    peer.send('{"type":"Tuned"}')
    expect(await rejection(connection[Symbol.asyncIterator]().next())).toBe(mine)
    expect((await connection.closed).error).toBe(mine)
  })

  it('R-56: a request gets the reply for success or failure, one request at a time', async () => {
    const { connection, peer, clock } = await opened()
    const first = connection.request('tune', { type: 'Tune', pitch: '1' })
    const second = connection.request('tune', { type: 'Tune', pitch: '2' })
    await clock.settle()
    expect(peer.received).toEqual(['{"type":"Tune","pitch":"1"}'])
    peer.send('{"type":"Line","text":"between"}')
    peer.send('{"type":"Refused"}')
    expect(await first).toEqual({ type: 'message', message: 'refused', data: { type: 'Refused' } })
    await clock.settle()
    expect(peer.received).toHaveLength(2)
    peer.send('{"type":"Tuned"}')
    expect(await second).toMatchObject({ message: 'tuned' })
    const reader = connection[Symbol.asyncIterator]()
    expect((await reader.next()).value).toMatchObject({ message: 'line' })
  })

  it('R-56: reads on for the reply to a request, up to twice the limits, and no longer', async () => {
    const { connection, peer, clock } = await opened({ receiving: { maxMessages: 4 } })
    for (let count = 0; count < 6; count++) peer.send('{"type":"Line","text":"unread"}')
    const asked = connection.request('tune', { type: 'Tune' })
    await clock.settle()
    peer.send('{"type":"Tuned"}')
    expect(await asked).toMatchObject({ message: 'tuned' })
    for (let count = 0; count < 3; count++) peer.send('{"type":"Line","text":"unread"}')
    await clock.settle()
    expect(peer.waiting).toBe(3)
  })

  it('R-56: a request ends with its time, its signal, or the connection, and the next one goes on', async () => {
    const { connection, peer, clock } = await opened()
    const controller = new AbortController()
    const late = rejection(connection.request('tune', { type: 'Tune' }, { timeoutMs: 1000 }))
    await clock.advance(1000)
    expect(await late).toMatchObject({ code: 'timeout', limitMs: 1000 })
    const given = rejection(connection.request('tune', { type: 'Tune' }, { signal: controller.signal }))
    await clock.settle()
    controller.abort('no more')
    expect(await given).toBe('no more')
    const lost = rejection(connection.request('tune', { type: 'Tune' }))
    const queued = rejection(connection.request('tune', { type: 'Tune' }))
    await clock.settle()
    peer.drop()
    expect(await lost).toMatchObject({ code: 'socket-closed' })
    expect(await queued).toMatchObject({ code: 'socket-closed' })
    expect(clock.timers).toBe(0)
  })

  it("R-56: the reply to a message that is no longer awaited isn't taken for the reply to the next one", async () => {
    const { connection, peer, clock } = await opened()
    const controller = new AbortController()
    const given = rejection(connection.request('tune', { type: 'Tune' }, { signal: controller.signal }))
    await clock.settle()
    controller.abort('no more')
    await given
    const late = rejection(connection.request('tune', { type: 'Tune' }, { timeoutMs: 1000 }))
    await clock.advance(1000)
    await late
    await connection.send('tune', { type: 'Tune' })
    const next = connection.request('tune', { type: 'Tune' })
    await clock.settle()
    for (const type of ['Tuned', 'Tuned', 'Tuned', 'Refused']) peer.send(JSON.stringify({ type }))
    expect(await next).toMatchObject({ message: 'refused' })
    const reader = connection[Symbol.asyncIterator]()
    // They are read like anything else.
    for (let count = 0; count < 3; count++)
      expect((await reader.next()).value).toMatchObject({ message: 'tuned' })
  })

  it('R-56: a message without a reply does not keep later requests from their replies', async () => {
    const { connection, peer, clock } = await opened()
    const ask = () => connection.request('tune', { type: 'Tune' }, { timeoutMs: 1000 })
    const unanswered = rejection(ask())
    await clock.advance(1000)
    expect(await unanswered).toMatchObject({ code: 'timeout' })
    // This one gets a reply, but nothing proves that the reply is its own.
    const doubted = rejection(ask())
    await clock.settle()
    peer.send('{"type":"Tuned"}')
    await clock.advance(1000)
    expect(await doubted).toMatchObject({ code: 'timeout' })
    const third = ask()
    await clock.settle()
    peer.send('{"type":"Refused"}')
    expect(await third).toMatchObject({ message: 'refused' })

    await connection.send('tune', { type: 'Tune' })
    await clock.advance(30_000)
    const fourth = ask()
    await clock.settle()
    peer.send('{"type":"Tuned"}')
    expect(await fourth).toMatchObject({ message: 'tuned' })
    for (let count = 0; count < 1000; count++) await connection.send('tune', { type: 'Tune' })
    const fifth = ask()
    await clock.settle()
    for (let count = 0; count < 256; count++) peer.send('{"type":"Tuned"}')
    peer.send('{"type":"Refused"}')
    expect(await fifth).toMatchObject({ message: 'refused' })
  })

  it('R-56: a message without a reply in the contract cannot be requested', async () => {
    const { connection } = await opened()
    expect(await rejection(connection.request('note', { text: '' }))).toMatchObject({ option: 'message' })
  })
})

const acknowledged = ({ message }: { message: string | undefined }) => message === 'tuned'

async function opened(options: object = {}, channel = radio) {
  const all = studio()
  const connection = await connect(all.client, channel, options)
  return { ...all, connection, peer: all.peer }
}

type Outcome = { state: 'pending' | 'done' | 'rejected'; error?: unknown }

async function settledSoon(clock: { settle(): Promise<void> }, work: Promise<unknown>[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = work.map(() => ({ state: 'pending' }))
  work.forEach((each, index) =>
    each.then(
      () => (outcomes[index] = { state: 'done' }),
      (error: unknown) => (outcomes[index] = { state: 'rejected', error }),
    ),
  )
  await clock.settle()
  return outcomes
}
