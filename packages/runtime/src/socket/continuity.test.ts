import { expect, it } from 'vitest'
import type { Clock } from '../core/clock.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import type { ConnectionBase } from './connection.ts'
import { Configuration, StreamPosition } from './reconnect.ts'
import type { MemoryPeer } from '../testing/memory-socket.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { bytes, nextGap, openedGate, openedRadio } from './test-support/radio.ts'

it('R-54: sends the configuration again on a new connection, before anything else', async () => {
  const { connection, clock, peers } = await openedRadio()
  await connection.send('tune', { type: 'Tune', pitch: '1' })
  await connection.send('note', { text: 'not configuration' })
  await connection.send('tune', { type: 'Tune', speed: '2' })
  await connection.send('tune', { type: 'Tune', pitch: '3' })
  await clock.settle()
  peers[0]?.drop()
  const waiting = connection.sendBinary(bytes(1))
  await clock.advance(1000)
  await waiting
  await clock.settle()
  expect(peers[1]?.received).toEqual([
    // The third sets everything that the first had set; the second sets something else.
    '{"type":"Tune","speed":"2"}',
    '{"type":"Tune","pitch":"3"}',
    bytes(1),
  ])
  expect(await nextGap(connection)).toMatchObject({ replayed: 2 })
})

it('R-54: sends raw messages again that the contract or `replay` marks as configuration', async () => {
  const all = await openedGate({ reconnect: true })
  const { connection } = all
  await connection.sendText('{"type":"Tune"}')
  all.peer.send('{"type":"Tuned"}')
  await connection.sendJson({ marked: 1 }, { replay: true })
  await connection.sendJson({ once: 1 }, { replay: false })
  await connection.sendJson({ once: 2 })
  await all.clock.settle()
  expect(all.peer.received).toHaveLength(4)
  all.peer.drop()
  await all.clock.advance(1000)
  expect(all.peer.received).toEqual(['{"type":"Tune"}'])
  all.peer.send('{"type":"Tuned"}')
  await all.clock.settle()
  expect(all.peer.received).toEqual(['{"type":"Tune"}', '{"marked":1}'])
  // Messages that wait for another acknowledgement are given up with the connection.
  all.peer.drop()
  await all.clock.advance(1000)
  await connection.close()
  expect(all.peer.received).toEqual(['{"type":"Tune"}'])
})

it("R-56: doesn't send a configuration again that the server denied", async () => {
  const { connection, clock, peers } = await openedRadio(denyBad)
  await connection.request('tune', { type: 'Tune', pitch: 'good' })
  await connection.request('tune', { type: 'Tune', pitch: 'bad' })
  peers[0]?.drop()
  await clock.advance(1000)
  expect(peers[1]?.received).toEqual(['{"type":"Tune","pitch":"good"}'])
})

it("R-56: the reply to a replayed message isn't taken for the reply to a new request", async () => {
  const { connection, clock, peers } = await openedRadio(denyBad)
  await connection.request('tune', { type: 'Tune', pitch: 'good' })
  peers[0]?.drop()
  const refused = connection.request('tune', { type: 'Tune', pitch: 'bad' })
  await clock.advance(1000)
  expect(peers[1]?.received).toHaveLength(2)
  expect(await refused).toMatchObject({ message: 'refused' })
  await nextGap(connection)
  expect((await connection[Symbol.asyncIterator]().next()).value).toMatchObject({ message: 'tuned' })
  // The server denied it, so it isn't sent again either.
  peers[1]?.drop()
  await clock.advance(1000)
  expect(peers[2]?.received).toEqual(['{"type":"Tune","pitch":"good"}'])
})

it('R-56: closes the gate again until the server acknowledges on the new connection', async () => {
  const all = await openedGate({ reconnect: true })
  const { connection } = all
  await connection.send('tune', { type: 'Tune' })
  all.peer.send('{"type":"Tuned"}')
  await all.clock.settle()
  await connection.sendBinary(bytes(1))
  all.peer.drop()
  await all.clock.advance(1000)
  const audio = connection.sendBinary(bytes(2))
  await all.clock.settle()
  expect(all.peer.received).toEqual(['{"type":"Tune"}'])
  all.peer.send('{"type":"Tuned"}')
  await audio
  await all.clock.settle()
  expect(all.peer.received).toEqual(['{"type":"Tune"}', bytes(2)])
})

it('R-54: keeps at most 256 configuration messages, and reports how many it dropped', async () => {
  const { connection, clock, peers } = await openedRadio()
  for (let count = 0; count < 300; count++)
    await connection.send('tune', { type: 'Tune', [`pitch${count}`]: '1' } as { type: 'Tune' })
  peers[0]?.drop()
  await clock.settle()
  expect(clock.timers).toBe(1)
  await clock.advance(1000)
  expect(await nextGap(connection)).toMatchObject({ replayed: 256, forgotten: 44 })
  expect(peers[1]?.received[0]).toBe('{"type":"Tune","pitch44":"1"}')
})

it('R-54: a request fails if its connection is lost, and waits if it is made in the gap', async () => {
  const { connection, clock, peers } = await openedRadio()
  const lost = rejection(connection.request('tune', { type: 'Tune', pitch: '1' }))
  await clock.settle()
  peers[0]?.drop()
  expect(await lost).toMatchObject({
    code: 'socket-closed',
    message: expect.stringContaining('A new connection is being opened'),
  })
  const next = connection.request('tune', { type: 'Tune', pitch: '2' })
  await clock.advance(1000)
  peers[1]?.send('{"type":"Tuned"}')
  expect(await next).toMatchObject({ message: 'tuned' })
})

it("R-54: first resends what the server hasn't heard, up to `resendBytes`", async () => {
  const { connection, clock, peers } = await openedRadio(undefined, { reconnect: { resendBytes: 25 } })
  await connection.sendBinary(bytes(10, 1))
  peers[0]?.send('{"type":"Tuned"}')
  await clock.settle()
  for (const value of [2, 3, 4]) await connection.sendBinary(bytes(10, value))
  peers[0]?.drop()
  const waiting = connection.sendBinary(bytes(10, 5))
  await clock.advance(1000)
  await waiting
  expect(peers[1]?.received).toEqual([bytes(10, 3), bytes(10, 4), bytes(10, 5)])
  expect(await nextGap(connection)).toMatchObject({
    sentBytes: 40,
    possiblyLostBytes: 10,
    resentBytes: 20,
  })
  // Lost again before the server said anything: what was resent counts once.
  peers[1]?.drop()
  await clock.advance(1000)
  expect(peers[2]?.received).toEqual([bytes(10, 4), bytes(10, 5)])
  expect(await nextGap(connection)).toMatchObject({
    sentBytes: 30,
    possiblyLostBytes: 10,
    resentBytes: 20,
  })
})

it('R-54: `heard` decides which messages show that the server has heard what came before', async () => {
  const { connection, clock, peers } = await openedRadio(undefined, {
    reconnect: { resendBytes: 100, heard: ({ message }) => message === 'line' },
  })
  await connection.sendBinary(bytes(10, 1))
  await clock.settle()
  peers[0]?.send('{"type":"Line","text":"heard"}')
  await clock.settle()
  await connection.sendBinary(bytes(10, 2))
  peers[0]?.send('{"type":"Tuned"}')
  await clock.settle()
  peers[0]?.drop()
  await clock.advance(1000)
  expect(peers[1]?.received).toEqual([bytes(10, 2)])
})

it('R-54: resent messages wait for the gate, and keep their place over several losses', async () => {
  const all = await openedGate({ reconnect: { resendBytes: 100 } })
  const { connection } = all
  await connection.send('tune', { type: 'Tune' })
  all.peer.send('{"type":"Tuned"}')
  await all.clock.settle()
  await connection.sendBinary(bytes(10, 1))
  all.peer.drop()
  await all.clock.advance(1000)
  all.peer.drop()
  const later = connection.sendBinary(bytes(10, 2))
  await all.clock.advance(2000)
  expect(all.peer.received).toEqual(['{"type":"Tune"}'])
  all.peer.send('{"type":"Tuned"}')
  await later
  await all.clock.settle()
  expect(all.peer.received).toEqual(['{"type":"Tune"}', bytes(10, 1), bytes(10, 2)])
})

// Ten bytes every 100 ms; the connection is lost after 1 s and back after 4 s.
it.each([
  ['wait', 1000, 100],
  ['fail', 4000, 400],
] as const)(
  "R-54: with sends: '%s', time stamps of live audio continue at %s ms, or at byte %s",
  async (sends, offsetMs, binaryBytesBefore) => {
    const bases: ConnectionBase[] = []
    const { connection, clock, peers } = await openedRadio(undefined, {
      reconnect: { sends, baseMs: 6000 },
      rebase: (data: unknown, base: ConnectionBase) => (bases.push(base), data),
    })
    for (let chunk = 0; chunk < 45; chunk++) {
      if (chunk === 10) peers[0]?.drop()
      void connection.sendBinary(bytes(10))
      await clock.advance(100)
    }
    peers.at(-1)?.send('{"type":"Line","text":"x"}')
    for await (const { message } of connection) if (message === 'line') break
    expect(bases).toEqual([{ connection: 1, offsetMs, binaryBytesBefore }])
  },
)

const rules = { replay: ['tune'] }

it('keeps the configuration only if there may be another connection', () => {
  const configuration = new Configuration(rules, false)
  configuration.noteApplied('tune', '{"a":1}')
  configuration.keep(undefined, '{"a":1}')
  expect(configuration.messages).toEqual([])
})

it('the configuration consists of the JSON messages that the contract marks', () => {
  const configuration = new Configuration(rules, true)
  configuration.noteApplied('note', '{"a":1}')
  configuration.noteApplied('tune', bytes(1))
  configuration.noteApplied('tune', '{"a":1}')
  expect(configuration.messages).toMatchObject([{ message: 'tune', text: '{"a":1}' }])
  const none = new Configuration({}, true)
  none.noteApplied('tune', '{"a":1}')
  expect(none.messages).toEqual([])
})

it.each<[string, string[], string[]]>([
  ['the same value', ['{"a":1}', '{"a":2}'], ['{"a":2}']],
  ['one more value', ['{"a":1}', '{"a":2,"b":3}'], ['{"a":2,"b":3}']],
  ['another value', ['{"a":1}', '{"b":2}'], ['{"a":1}', '{"b":2}']],
  ['fewer values', ['{"a":1,"b":2}', '{"b":3}'], ['{"a":1,"b":2}', '{"b":3}']],
  ['a nested value', ['{"a":{"b":1}}', '{"a":{"b":2}}'], ['{"a":{"b":2}}']],
  ['another nested value', ['{"a":{"b":1}}', '{"a":{"c":2}}'], ['{"a":{"b":1}}', '{"a":{"c":2}}']],
  ['a whole array', ['{"a":[{"b":1}]}', '{"a":[]}'], ['{"a":[]}']],
  ['null', ['{"a":{"b":1}}', '{"a":null}'], ['{"a":{"b":1}}', '{"a":null}']],
  ['text that is not JSON', ['one', 'two'], ['two']],
  ['an object after text', ['one', '{"a":1}'], ['one', '{"a":1}']],
])('a later configuration message with %s replaces only earlier ones that it covers', (_, texts, kept) => {
  const configuration = new Configuration(rules, true)
  configuration.noteApplied('tune', '{"a":0}')
  for (const text of texts) configuration.keep(undefined, text)
  // Messages of another kind are not replaced.
  expect(configuration.messages.map(({ text }) => text)).toEqual(['{"a":0}', ...kept])
  expect(configuration.forgotten).toBe(0)
})

it('keeps at most `resendBytes` bytes of audio', () => {
  const { position } = trailed(10)
  for (const value of [1, 2, 3]) position.noteSent(bytes(5, value), value)
  expect(position.beginConnection(false)).toEqual({
    connection: 1,
    sentBytes: 15,
    possiblyLostBytes: 5,
    resentBytes: 10,
    rejected: { messages: 0, bytes: 0 },
    resend: [
      { bytes: bytes(5, 2), offeredMs: 2 },
      { bytes: bytes(5, 3), offeredMs: 3 },
    ],
  })
  position.noteSent(bytes(11), 4)
  expect(position.beginConnection(false)).toMatchObject({
    connection: 2,
    resentBytes: 0,
    possiblyLostBytes: 11,
    resend: [],
  })
})

it('audio counts as heard if it was sent before a ping whose pong arrived before the message', () => {
  const { position, clock } = trailed(0)
  const send = () => position.noteSent(bytes(5), clock.monotonic())
  const link = pinged()
  position.attach(link)
  send()
  position.noteHeard()
  link.confirmedMarks = 1
  clock.skip(1000)
  send()
  expect(link.marks).toBe(2)
  // A message from before the second pong crossed the second bytes.
  position.noteHeard()
  expect(position.beginConnection(false)).toMatchObject({ sentBytes: 10, possiblyLostBytes: 5 })
})

it('pings after the first audio, then at most every second, and only if the last pong has arrived', () => {
  const { position, clock } = trailed(0)
  const send = () => position.noteSent(bytes(5), clock.monotonic())
  for (let connection = 0; connection < 2; connection++) {
    const link = pinged()
    position.attach(link)
    send()
    expect(link.marks).toBe(1)
    clock.skip(1000)
    send()
    position.noteHeard()
    expect(link.marks).toBe(1)
    link.confirmedMarks = 1
    send()
    expect(link.marks).toBe(2)
    link.confirmedMarks = 2
    clock.skip(999)
    send()
    expect(link.marks).toBe(2)
    position.noteHeard()
    link.confirmedMarks = 3
    position.noteHeard()
    position.noteHeard()
    expect(link.marks).toBe(3)
    expect(position.beginConnection(false)).toMatchObject({ sentBytes: 20, possiblyLostBytes: 0 })
  }
})

it.each([
  [0, { resentBytes: 0, possiblyLostBytes: 0 }],
  [1, { resentBytes: 5, possiblyLostBytes: 0 }],
  [5, { resentBytes: 5, possiblyLostBytes: 0 }],
  // Frames have headers, so a chunk more may be kept.
  [6, { resentBytes: 10, possiblyLostBytes: 0 }],
  [99, { resentBytes: 10, possiblyLostBytes: 0 }],
])(
  'without pings, keeps audio that covers the %i bytes still in the buffer 5 s earlier',
  (buffered, expected) => {
    const { position, clock } = trailed(10)
    const link = { canPing: false, bufferedBytes: 0, confirmedMarks: 0, mark: () => 0 }
    position.attach(link)
    for (const value of [1, 2, 3]) position.noteSent(bytes(5, value), clock.monotonic())
    clock.skip(5000)
    link.bufferedBytes = buffered
    position.noteHeard()
    clock.skip(4999)
    link.bufferedBytes = 0
    position.noteHeard()
    clock.skip(1)
    position.noteHeard()
    expect(position.beginConnection(false)).toMatchObject(expected)
  },
)

it('the position in the stream counts resent bytes once, and rejected bytes where they belong', () => {
  const { position, clock } = trailed(10)
  position.noteSent(bytes(4), 0)
  expect(position.base).toBeUndefined()
  position.noteRejected(bytes(3))
  position.noteRejected('text')
  clock.skip(1000)
  // The four bytes are resent first, so the second connection begins with them, and the rejected ones come later.
  expect(position.beginConnection(false)).toMatchObject({
    resentBytes: 4,
    rejected: { messages: 2, bytes: 7 },
  })
  expect(position.base).toEqual({ connection: 1, offsetMs: 1000, binaryBytesBefore: 0 })
  expect(position.openedMs).toBe(1000)
  position.noteSent(bytes(4), 0)
  expect(position.base?.offsetMs).toBe(0)
  position.noteSent(bytes(2), 1500)
  expect(position.base?.offsetMs).toBe(0)
  hearAll(position)
  // Rejected bytes count in a stream that continues after them, not in one whose messages were held.
  position.noteRejected(bytes(5))
  expect(position.beginConnection(false)).toMatchObject({
    sentBytes: 6,
    rejected: { messages: 1, bytes: 5 },
  })
  expect(position.base).toMatchObject({ connection: 2, binaryBytesBefore: 4 + 3 + 2 + 5 })
  position.noteRejected(bytes(1))
  position.beginConnection(true)
  expect(position.base).toMatchObject({ connection: 3, binaryBytesBefore: 14 })
  position.beginConnection(false)
  expect(position.base).toMatchObject({ connection: 4, binaryBytesBefore: 15 })
})

it('resends audio again if a second loss prevented the first resend', () => {
  const { position } = trailed(10)
  position.noteSent(bytes(6), 0)
  position.beginConnection(false)
  // Two of six bytes go out before the next loss; the rest is still held.
  position.noteSent(bytes(2), 0)
  expect(position.beginConnection(true)).toMatchObject({ resentBytes: 2, sentBytes: 2 })
  expect(position.base).toMatchObject({ connection: 2, binaryBytesBefore: 0 })
  position.noteSent(bytes(6), 0)
  position.noteSent(bytes(1), 0)
  hearAll(position)
  position.beginConnection(false)
  expect(position.base).toMatchObject({ binaryBytesBefore: 7 })
})

it('the offset of a connection counts from the first binary message of the stream', () => {
  const { position, clock } = trailed(0)
  clock.skip(500)
  position.noteSent(bytes(1), 400)
  position.beginConnection(false)
  expect(position.base?.offsetMs).toBe(100)
  position.noteSent(bytes(1), 900)
  expect(position.base?.offsetMs).toBe(500)
})

/** Replies to each message, and denies those that contain `bad`. */
function denyBad(peer: MemoryPeer): void {
  peer.onMessage = (data) =>
    peer.send(String(data).includes('bad') ? '{"type":"Refused"}' : '{"type":"Tuned"}')
}

/** A position on a clock that tests move without running timers. */
function trailed(resendBytes: number) {
  let nowMs = 0
  const real = virtualClock({ autoAdvance: false })
  const clock: Clock = {
    now: () => real.now(),
    monotonic: () => nowMs,
    setTimer: (callback, delayMs) => real.setTimer(callback, delayMs),
  }
  return {
    position: new StreamPosition(clock, resendBytes),
    clock: { monotonic: clock.monotonic, skip: (byMs: number) => (nowMs += byMs) },
  }
}

/** A link that can ping, without a pong so far. */
function pinged() {
  const link = { canPing: true, bufferedBytes: 0, confirmedMarks: 0, marks: 0, mark: () => ++link.marks }
  return link
}

/** The server shows that it has heard everything so far. */
function hearAll(position: StreamPosition): void {
  position.attach({ canPing: true, bufferedBytes: 0, confirmedMarks: Infinity, mark: () => 1 })
  // The first message makes it ping, and the second one comes after the pong.
  position.noteHeard()
  position.noteHeard()
}
