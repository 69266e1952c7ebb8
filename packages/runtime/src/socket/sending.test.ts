import { expect, it } from 'vitest'
import { rejection } from '../http/test-support/fixtures.ts'
import { bytes, opened, openedGate } from './test-support/radio.ts'

const sending = { highBytes: 1000, lowBytes: 250, maxBytes: 4000 }

it('checks a message before it is sent', async () => {
  const { connection, peer, clock } = await opened()
  expect(await rejection(connection.send('note', { text: 5 as never }))).toMatchObject({
    code: 'invalid-request',
    issues: [{ path: '/text', reason: expect.any(String) }],
  })
  expect(await rejection(connection.send('nothing' as 'note', { text: '' }))).toMatchObject({
    code: 'invalid-request',
    message: expect.stringContaining('Valid messages: audio, keepAlive, tune, note.'),
  })
  expect(await rejection(connection.send('audio', 'text' as never))).toMatchObject({
    issues: [{ path: '', reason: 'must be a Uint8Array' }],
    operation: 'radio',
  })
  for (const payload of [1n, undefined])
    expect(await rejection(connection.send('keepAlive', payload as never))).toMatchObject({
      code: 'invalid-request',
      issues: [{ path: '' }],
    })
  await clock.settle()
  expect(peer.received).toEqual([])
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

it("a source that fails, or yields anything but bytes, doesn't end the connection", async () => {
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
  ['an object', {}],
  ['null', null],
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

it('sends only strings as text, and only what JSON can express as JSON', async () => {
  const { connection, peer, clock } = await opened()
  for (const value of [undefined, {}, bytes(1)])
    expect(await rejection(connection.sendText(value as never))).toMatchObject({ code: 'invalid-request' })
  expect(await rejection(connection.sendJson(undefined))).toMatchObject({ issues: [{ path: '' }] })
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

it('R-56: holds back everything but the gating message until the acknowledgement, including text', async () => {
  const { connection, peer, clock } = await openedGate()
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

it.each([
  [0, 'The service sent no message in that time.'],
  [3, '`acknowledged` returned false for all 3 messages that arrived in that time.'],
])(
  'R-56: the error of a missing acknowledgement counts the %i messages that arrived',
  async (count, seen) => {
    const { connection, peer, clock } = await openedGate({ acknowledgeTimeoutMs: 7 })
    await connection.send('tune', { type: 'Tune' })
    for (let sent = 0; sent < count; sent++) peer.send('{"type":"Line","text":"something else"}')
    await clock.advance(7)
    const { error } = await connection.closed
    expect(error).toMatchObject({ code: 'timeout', limitMs: 7, elapsedMs: 7, operation: 'radio' })
    expect(String(error)).toContain(`not acknowledged within 7 ms (\`acknowledgeTimeoutMs\`). ${seen}`)
  },
)

it('R-56: a gating message that is not acknowledged in time ends the connection with a TimeoutError', async () => {
  const { connection, peer, clock } = await openedGate({ acknowledgeTimeoutMs: 3000, reconnect: true })
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
  expect(String(error)).toMatch(/`tune` was not acknowledged .* false for the only message that arrived/)
  expect(await connection.closed).toMatchObject({ error, unsent: { messages: 1, bytes: 3 } })
  const reader = connection[Symbol.asyncIterator]()
  expect((await reader.next()).value).toMatchObject({ message: 'line' })
  expect(await rejection(reader.next())).toBe(error)
  await clock.advance(60_000)
  expect(peer.closedBy).toMatchObject({ code: 1000 })
})

it('R-56: one acknowledgement is enough for several gating messages, and later ones need none', async () => {
  const { connection, peer, clock } = await openedGate({ liveness: false })
  await connection.send('tune', { type: 'Tune', pitch: '1' })
  await connection.send('tune', { type: 'Tune', pitch: '2' })
  peer.send('{"type":"Tuned"}')
  await clock.advance(60_000)
  await connection.send('tune', { type: 'Tune', pitch: '3' })
  await clock.advance(60_000)
  expect(connection.state).toBe('open')
})

it('R-56: keep-alives wait for the acknowledgement, too', async () => {
  const { peer, clock } = await openedGate()
  await clock.advance(60_000)
  expect(peer.received).toEqual([])
})

it('R-56: an error that `acknowledged` throws ends the connection', async () => {
  const mine = new Error('mine')
  const { connection, peer } = await openedGate({
    acknowledged: () => {
      throw mine
    },
  })
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

it.each([1, 2, 3])('R-56: a request that is aborted after %i microtasks sends nothing', async (count) => {
  const { connection, peer, clock } = await opened()
  const controller = new AbortController()
  const { signal } = controller
  const asked = rejection(connection.request('tune', { type: 'Tune', pitch: '1' }, { signal }))
  for (let turn = 0; turn < count; turn++) await Promise.resolve()
  const before = peer.received.length
  const reason = new Error('enough')
  controller.abort(reason)
  await clock.settle()
  expect(await asked).toBe(reason)
  expect(peer.received).toHaveLength(before)
})

it('R-56: reads up to twice the limits for the reply to a request, and no longer', async () => {
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
