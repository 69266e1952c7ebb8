import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { KEY, rejection } from '../http/test-support/fixtures.ts'
import { connect } from './connect.ts'
import { countListeners } from '../poll/test-support/scripted-service.ts'
import {
  bytes,
  opened,
  openedGate,
  radio,
  silentSource,
  studio,
  unhandledRejections,
} from './test-support/radio.ts'

it.each<[string, (all: Awaited<ReturnType<typeof opened>> & { controller: AbortController }) => void]>([
  ['is lost', ({ peer }) => peer.drop()],
  ['is closed by the server', ({ peer }) => peer.close(1011)],
  ['is closed as it should be', ({ peer }) => peer.close(1000)],
  ['is closed here', ({ connection }) => void connection.close()],
  ['is aborted', ({ controller }) => controller.abort(new Error('enough'))],
])('R-55: an ignored sendFrom() causes no unhandled rejection when the connection %s', async (_, end) => {
  using unhandled = unhandledRejections()
  const controller = new AbortController()
  const all = await opened({ signal: controller.signal, sending: { highBytes: 10, lowBytes: 1 } })
  const { connection, peer, clock } = all
  void connection.sendFrom(silentSource)
  peer.stall()
  void connection.sendFrom([bytes(20), bytes(20)])
  await clock.settle()
  end({ ...all, controller })
  await clock.advance(60_000)
  await connection.closed
  void connection.sendFrom([bytes(1)])
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled.errors).toEqual([])
  // Only the connection reports an error of the source.
  const failing = connection.sendFrom(undefined as never)
  expect(await rejection(failing)).toMatchObject({ code: 'invalid-request' })
})

it('R-55: finish() closes after a quiet period, without losing late messages', async () => {
  const { connection, peer, clock } = await opened()
  const closed = connection.finish({ quietMs: 3000 })
  for (let count = 0; count < 4; count++) {
    await clock.advance(2000)
    peer.send('{"type":"Line","text":"late"}')
  }
  await clock.advance(2999)
  expect(connection.state).toBe('open')
  await clock.advance(1)
  expect(connection.state).not.toBe('open')
  await clock.advance(1000)
  expect(await closed).toMatchObject({ closeCode: 1000 })
  let count = 0
  for await (const _ of connection) count += 1
  expect(count).toBe(4)
  expect(clock.timers).toBe(0)
  // One that is over already is not waited for.
  expect(await connection.finish({ quietMs: 3000 })).toMatchObject({ closeCode: 1000 })
})

it('R-55: finish() resolves when the connection ends before the quiet period does', async () => {
  const { connection, peer, clock } = await opened()
  const closed = connection.finish({ quietMs: 3000 })
  await clock.settle()
  peer.drop()
  expect(await closed).toMatchObject({ closeCode: 1006 })
  const { connection: second, clock: other, peer: busy } = await opened()
  const waiting = second.finish({ quietMs: 3000 })
  await other.settle()
  busy.stall()
  const closing = second.close()
  await other.settle()
  busy.unstall()
  expect(await waiting).toMatchObject({ closeCode: 1000 })
  expect(await closing).not.toHaveProperty('error')
  expect(clock.timers + other.timers).toBe(0)
  const { connection: third } = await opened()
  expect(await rejection(third.finish({ quietMs: -1 }))).toMatchObject({ option: 'quietMs' })
})

it('R-59: the quiet period of finish() starts when everything has been read', async () => {
  const { connection, peer, clock } = await opened({ receiving: { maxMessages: 4 } })
  const seen: unknown[] = []
  const gate: (() => void)[] = []
  const reading = (async () => {
    for await (const { data } of connection) {
      seen.push(data)
      await new Promise<void>((resolve) => gate.push(resolve))
    }
  })()
  for (let count = 0; count < 20; count++) peer.send('{"type":"Tuned"}')
  const finished = connection.finish({ quietMs: 1000 })
  // The reader takes its time, but less than a minute for each message.
  for (let count = 0; count < 19; count++) {
    await clock.advance(30_000)
    expect(connection.state).toBe('open')
    gate.shift()?.()
  }
  await clock.advance(2000)
  const { error, ...end } = await finished
  expect(error).toBeUndefined()
  expect(end).toMatchObject({ closeCode: 1000, dropped: 0 })
  gate.shift()?.()
  await reading
  expect(seen).toHaveLength(20)
  expect(clock.timers).toBe(0)
})

it('R-59: the quiet period of finish() starts when the server has received every byte', async () => {
  const { connection, peer, clock } = await opened({ liveness: false })
  peer.stall()
  await connection.sendBinary(bytes(1000))
  const finished = connection.finish({ quietMs: 1000 })
  await clock.advance(50_000)
  expect(connection.state).toBe('open')
  peer.unstall()
  await clock.advance(900)
  expect(connection.state).toBe('open')
  peer.send('{"type":"Line","text":"the last word"}')
  await clock.advance(2000)
  expect(await finished).toEqual({
    closeCode: 1000,
    reason: '',
    unsent: { messages: 0, bytes: 0 },
    dropped: 0,
  })
  expect(peer.received).toContainEqual(bytes(1000))
})

it('R-59: finish() waits for a source that is still being sent, however long it is silent', async () => {
  const { connection, clock } = await opened({ liveness: false })
  let end = (): void => undefined
  async function* source() {
    yield bytes(1)
    await new Promise<void>((resolve) => (end = resolve))
  }
  void connection.sendFrom(source())
  const finished = connection.finish({ quietMs: 1000 })
  await clock.advance(600_000)
  expect(connection.state).toBe('open')
  end()
  await clock.advance(2000)
  expect((await finished).error).toBeUndefined()
})

it('R-59: the reader gets the error of a source or an option if finish() is ignored', async () => {
  using unhandled = unhandledRejections()
  const { connection } = await opened()
  const mine = new Error('no such file')
  void connection.sendFrom({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(mine) }) })
  void connection.finish()
  expect(await rejection(connection[Symbol.asyncIterator]().next())).toBe(mine)
  expect((await connection.closed).error).toBe(mine)
  const { connection: other } = await opened()
  void other.finish({ quietMs: -1 })
  expect(await rejection(other[Symbol.asyncIterator]().next())).toMatchObject({ option: 'quietMs' })
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled.errors).toEqual([])
})

it('R-59: finish() ends with an error after a minute without progress, not counting pongs that only show that the server is there', async () => {
  const stalled = await opened({ liveness: false })
  stalled.peer.stall()
  await stalled.connection.sendBinary(bytes(1000))
  const held = await openedGate({ acknowledged: () => false })
  void held.connection.sendBinary(bytes(10))
  for (const text of ['one', 'two']) held.peer.send(JSON.stringify({ type: 'Line', text }))
  await held.connection[Symbol.asyncIterator]().next()
  const frozen = await opened({ liveness: false })
  frozen.peer.freeze()
  await frozen.connection.sendBinary(bytes(1))
  for (const [{ connection, clock }, missing] of [
    // With the keep-alives of a minute.
    [stalled, '1300 bytes were not sent. Keep'],
    [held, '10 bytes were not sent, and 1 received messages were not read. Keep'],
    [frozen, "the server hasn't received everything. Keep"],
  ] as const) {
    const finished = connection.finish()
    await clock.advance(120_000)
    expect(connection.state).toBe('closed')
    const { error } = await finished
    expect(error).toMatchObject({ code: 'socket-closed', operation: 'radio' })
    expect(String(error)).toContain(`\`finish()\` made no progress for a minute: ${missing}`)
  }
})

it.each([
  [1000, 'has received everything', false],
  [1005, 'has received everything', false],
  [1011, 'has received everything', true],
  [1000, 'is stalled', true],
  [1000, 'waits for a source', true],
])(
  'R-59: a close with %i during finish() by a server that %s is an error: %s',
  async (code, state, isError) => {
    const { connection, peer, clock } = await opened({ reconnect: !isError })
    if (state === 'is stalled') peer.stall()
    await connection.sendBinary(bytes(10))
    if (state === 'waits for a source') void connection.sendFrom(silentSource)
    const finished = connection.finish()
    await clock.advance(100)
    peer.close(code)
    const { closeCode, error } = await finished
    expect(closeCode).toBe(code)
    if (isError) return expect(error).toMatchObject({ code: 'socket-closed' })
    expect(error).toBeUndefined()
    for await (const _ of connection) expect.unreachable()
  },
)

it('R-58: notices a silent network, and counts the gap from the last sign of life', async () => {
  const { connection, peer, clock, peers } = await opened({ reconnect: { baseMs: 0 } })
  await clock.advance(3000)
  peer.send('{"type":"Tuned"}')
  await clock.advance(1000)
  peer.freeze()
  void connection.sendBinary(bytes(5))
  await clock.advance(18_999)
  expect(peers).toHaveLength(1)
  await clock.advance(1)
  expect(peers).toHaveLength(2)
  const reader = connection[Symbol.asyncIterator]()
  await reader.next()
  expect((await reader.next()).value).toMatchObject({
    type: 'reconnected',
    data: { closeCode: 1006, gapMs: 20_000, sentBytes: 5, possiblyLostBytes: 5 },
  })
})

it('R-58: closes a connection whose close frame is queued behind unread messages', async () => {
  const { connection, peer, clock } = await opened({ receiving: { maxMessages: 4 } })
  for (let count = 0; count < 6; count++) peer.send('{"type":"Tuned"}')
  peer.close(1011, 'over')
  await clock.settle()
  expect(peer.paused).toBe(true)
  await clock.advance(10_000)
  expect(connection.state).toBe('closed')
  const reader = connection[Symbol.asyncIterator]()
  for (let count = 0; count < 6; count++) expect((await reader.next()).done).toBe(false)
  expect(await rejection(reader.next())).toMatchObject({ closeCode: 1011 })
})

it('R-55: the reader gets a close by the server once, with its code and reason but no secret', async () => {
  const { connection, peer } = await opened()
  peer.send('{"type":"Tuned"}')
  peer.close(1011, `broken for ${KEY}`)
  const reader = connection[Symbol.asyncIterator]()
  expect((await reader.next()).done).toBe(false)
  const error = await rejection(reader.next())
  expect(error).toMatchObject({
    code: 'socket-closed',
    closeCode: 1011,
    reason: 'broken for [redacted]',
    message:
      'radio: the connection ended because the server failed (close code 1011). The server says: "broken for [redacted]". ' +
      'Open a new connection, or use `reconnect`.',
  })
  expect(inspect(error)).not.toContain(KEY)
  expect(await reader.next()).toEqual({ done: true, value: undefined })
  expect(await connection.closed).toMatchObject({ closeCode: 1011, reason: 'broken for [redacted]', error })
  expect(await rejection(connection.sendBinary(bytes(1)))).toBe(error)
})

it.each([
  [1000, /the server closed it, although the client had not finished.*properEnd/],
  [1005, /the server closed it without a code, although the client had not finished.*properEnd/],
  [
    1009,
    /too long \(close code 1009\)\. If you sent it, send shorter messages\. If the server sent it, raise `maxMessageBytes`/,
  ],
  [4321, /the server ended it \(close code 4321\)\. Open a new connection, or use `reconnect`\.$/],
])('R-58: a close with %s that the client did not ask for is an error', async (code, message) => {
  const { connection, peer } = await opened()
  peer.close(code)
  const { closeCode, error } = await connection.closed
  expect(closeCode).toBe(code)
  expect(String(error)).toMatch(message)
})

it('R-58: the error of a connection that fell silent has the rounded time in its cause', async () => {
  const { connection, peer, clock } = await opened({ liveness: { inactivityMs: 1000.4 } })
  peer.freeze()
  await clock.advance(1001)
  expect((await connection.closed).error).toMatchObject({
    closeCode: 1006,
    cause: { closeCode: 1006, operation: 'radio', message: expect.stringMatching(/ for 100\d ms,/) },
  })
})

it('R-58: `properEnd` decides which closes by the server are not errors', async () => {
  const { connection, peer } = await opened({
    properEnd: ({ closeCode }: { closeCode: number }) => closeCode === 1000,
  })
  peer.close(1000)
  for await (const _ of connection) expect.unreachable()
  expect(await connection.closed).toMatchObject({ closeCode: 1000 })
  expect(await connection.closed).not.toHaveProperty('error')
  expect(await rejection(connection.sendBinary(bytes(1)))).toMatchObject({ code: 'socket-closed' })
})

it('R-55: reports which messages were not sent when the connection is lost', async () => {
  const { connection, peer, clock } = await opened()
  peer.stall()
  await connection.sendBinary(bytes(100))
  await connection.sendText('abc')
  await clock.settle()
  peer.drop()
  expect(await connection.closed).toMatchObject({ unsent: { messages: 2, bytes: 103 } })
  expect(await rejection(connection.sendText('x'))).toMatchObject({ unsent: { messages: 2, bytes: 103 } })
})

it("R-55: cuts the connection to a server that doesn't respond to the close, and reports what the server didn't receive", async () => {
  const { connection, peer, clock } = await opened({ closeTimeoutMs: 1000, sending: { highBytes: 50 } })
  peer.stall()
  const waiting = rejection(connection.sendBinary(bytes(100)))
  const source = rejection(connection.sendFrom(silentSource))
  const closing = connection.close()
  expect(connection.state).toBe('closing')
  expect(await source).toMatchObject({ code: 'socket-closed' })
  expect(await rejection(connection.sendBinary(bytes(1)))).toMatchObject({ code: 'socket-closed' })
  await clock.advance(1000)
  const { error, ...end } = await closing
  expect(end).toMatchObject({ closeCode: 1006, unsent: { messages: 1, bytes: 100 } })
  // The reader's error lists the loss, too.
  expect(error).toMatchObject({ code: 'socket-closed', unsent: { messages: 1, bytes: 100 } })
  expect(String(error)).toContain(
    'too early: up to 1 messages (100 bytes) were not sent. To close after everything is sent and read, call `finish()`.',
  )
  expect(await waiting).toMatchObject({ code: 'socket-closed' })
  expect(clock.timers).toBe(0)
  expect(peer.closedBy).toMatchObject({ code: 1006 })
  expect(await rejection(connection[Symbol.asyncIterator]().next())).toBe(error)
})

it('close() can be called repeatedly, and returns the same result', async () => {
  const { connection } = await opened()
  const ends = await Promise.all([connection.close(), connection.close({ code: 3001 }), connection.closed])
  expect(new Set(ends).size).toBe(1)
  expect(await connection.close()).toBe(ends[0])
})

it('R-55: `await using` closes the connection', async () => {
  const { connection, peer } = await opened()
  {
    await using _live = connection
  }
  expect(connection.state).toBe('closed')
  expect(peer.closedBy).toEqual({ code: 1000, reason: '' })
})

it('R-03: an abort ends everything that is waiting at once, with its own reason, and closes the socket properly', async () => {
  const controller = new AbortController()
  const { connection, peer, clock } = await openedGate({
    signal: controller.signal,
    sending: { highBytes: 10, maxBytes: 1000 },
    acknowledged: () => false,
  })
  peer.send('{"type":"Tuned"}')
  peer.stall()
  const held = rejection(connection.sendBinary(bytes(20)))
  const sent = rejection(connection.sendText('x'.repeat(20)))
  const asked = rejection(connection.request('tune', { type: 'Tune' }))
  await clock.settle()
  controller.abort('stop')
  const all = await Promise.all([held, sent, asked, rejection(connection[Symbol.asyncIterator]().next())])
  expect(all).toEqual(['stop', 'stop', 'stop', 'stop'])
  // The peer is busy, and nothing waits for it.
  expect(await connection.closed).toMatchObject({
    error: 'stop',
    unsent: { messages: 3, bytes: 55 },
    dropped: 1,
  })
  expect(clock.elapsedMs).toBe(0)
  peer.unstall()
  await clock.settle()
  expect(peer.closedBy).toEqual({ code: 1000, reason: '' })
  expect(clock.timers).toBe(0)
})

it('R-03: leaves no listener on the signal', async () => {
  const { signal } = new AbortController()
  const listeners = countListeners(signal)
  const { client } = studio()
  for (let count = 0; count < 20; count++) {
    const connection = await connect(client, radio, { signal })
    const asked = rejection(connection.request('tune', { type: 'Tune' }, { signal }))
    await connection.close()
    await asked
  }
  expect(listeners()).toBe(0)
})

it('closing the client ends its connections', async () => {
  const { connection, client } = await opened()
  await client.close()
  expect((await connection.closed).error).toMatchObject({ code: 'connection' })
})

it('R-60: reports the states of a connection to `observe`, without addresses or secrets', async () => {
  const events: unknown[] = []
  const { client, peers } = studio(undefined, { observe: (event) => events.push(event) })
  const connection = await connect(client, radio, { query: { band: 'x' } })
  peers[0]?.close(1013)
  await connection.closed
  expect(events).toEqual([
    { type: 'socket', channel: 'radio', state: 'connecting' },
    { type: 'socket', channel: 'radio', state: 'open' },
    { type: 'socket', channel: 'radio', state: 'closed', closeCode: 1013, failure: 'socket-closed' },
  ])
  const controller = new AbortController()
  const other = await connect(client, radio, { signal: controller.signal })
  controller.abort()
  await other.closed
  expect(events.at(-1)).toMatchObject({ state: 'closed', failure: 'aborted' })
})

it('R-11: a connection shows no secret when it is printed', async () => {
  const { connection } = await opened()
  expect(inspect(connection, { depth: 9, showHidden: true }) + JSON.stringify(connection)).not.toContain(KEY)
})

it.each([1000, 1005, 1011])(
  'R-59: close() reports what was not sent when the server closed with %s',
  async (code) => {
    const { connection, peer, clock } = await opened()
    peer.stall()
    await connection.sendBinary(bytes(10))
    const closed = connection.close()
    peer.close(code)
    await clock.settle()
    expect(await closed).toMatchObject({
      closeCode: code,
      unsent: { messages: 1, bytes: 10 },
      error: { code: 'socket-closed' },
    })
  },
)

it.each(['reply', 'time-out'])(
  'R-55: an error that `finalError` throws at the %s of close() ends the connection',
  async (how) => {
    const mine = new Error('mine')
    const finalError = () => {
      throw mine
    }
    const { connection, peer, clock } = await opened({ finalError })
    if (how === 'time-out') peer.freeze()
    const closed = connection.close()
    await clock.advance(60_000)
    expect(connection.state).toBe('closed')
    expect((await closed).error).toBe(mine)
    expect(clock.timers).toBe(0)
  },
)
