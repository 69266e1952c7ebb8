import { expect, it } from 'vitest'
import { SocketError } from '../core/errors.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { Semaphore } from '../limit/limits.ts'
import type { MemoryHandshake } from '../testing/memory-socket.ts'
import { connect } from './connect.ts'
import type { Reconnected } from './connection.ts'
import { bytes, nextGap, openedRadio, radio, studio } from './test-support/radio.ts'
import { RecordingSocket } from './test-support/recording-socket.ts'

it('R-54: the stream says what may have been lost, and continues', async () => {
  const { connection, clock, peers } = await openedRadio()
  await connection.sendBinary(bytes(10))
  await clock.settle()
  peers[0]?.send('{"type":"Line","text":"before"}')
  await clock.advance(6000)
  peers[0]?.stall()
  await connection.sendBinary(bytes(70))
  await clock.settle()
  peers[0]?.drop()
  expect(connection.state).toBe('reconnecting')
  await clock.advance(250)
  expect(connection.state).toBe('open')
  peers[1]?.send('{"type":"Line","text":"after"}')
  const reader = connection[Symbol.asyncIterator]()
  expect((await reader.next()).value).toMatchObject({ data: { text: 'before' } })
  expect((await reader.next()).value).toEqual({
    type: 'reconnected',
    message: undefined,
    data: {
      connection: 1,
      gapMs: 6250,
      attempts: 1,
      closeCode: 1006,
      reason: '',
      sentBytes: 80,
      possiblyLostBytes: 70,
      resentBytes: 0,
      rejected: { messages: 0, bytes: 0 },
      unsent: { messages: 1, bytes: 70 },
      replayed: 0,
      forgotten: 0,
    },
  } satisfies Reconnected)
  expect((await reader.next()).value).toMatchObject({ data: { text: 'after' } })
})

it('R-54: the stream says what may have been lost even if the queue is full', async () => {
  const receiving = { maxMessages: 2, whenFull: 'overflow' } as const
  const { connection, clock, peers } = await openedRadio(undefined, { receiving })
  for (const text of ['one', 'two']) peers[0]?.send(JSON.stringify({ type: 'Line', text }))
  await clock.settle()
  peers[0]?.drop()
  await clock.advance(1000)
  expect(await nextGap(connection)).toMatchObject({ connection: 1 })
  void connection.close()
  await clock.settle()
  expect(await connection.closed).toMatchObject({ dropped: 0 })
})

it('R-59: finish() waits for a new connection as long as the deadline of reconnecting allows', async () => {
  let isUp = true
  const { connection, clock, peers } = await openedRadio(() => (isUp ? undefined : 'unreachable'), {
    reconnect: { deadline: '5m' },
  })
  isUp = false
  peers[0]?.drop()
  void connection.sendBinary(bytes(10))
  const finished = connection.finish()
  await clock.advance(120_000)
  expect(connection.state).toBe('reconnecting')
  isUp = true
  await clock.advance(30_000)
  expect(await finished).toMatchObject({ closeCode: 1000, unsent: { messages: 0 } })
  expect(peers[1]?.received).toContainEqual(bytes(10))
})

it('R-40, R-54: reconnects with a fresh credential and a fresh query', async () => {
  let token = 0
  const { client, peers, clock } = studio(undefined, {
    credentials: { key: { in: 'header', name: 'authorization', value: () => `token-${++token}` } },
  })
  await connect(client, radio, { reconnect: true, query: async () => ({ band: `b${token}` }) })
  peers[0]?.drop()
  await clock.advance(1000)
  expect(peers.map(({ headers, url }) => headers.get('authorization') + url.search)).toEqual([
    'token-1?band=b0',
    'token-2?band=b1',
  ])
})

it('R-54: tries to reconnect with back-off and jitter until the deadline', async () => {
  const times: number[] = []
  const all = studio(
    () => (times.push(all.clock.monotonic()), times.length > 1 ? { status: 503 } : undefined),
  )
  const connection = await connect(all.client, radio, { reconnect: { deadline: '30s' } })
  all.peer.drop()
  await all.clock.advance(60_000)
  // Half of 500, 1000, 2000, ... at most 20,000: the random source always says 0.5.
  expect(times.slice(1)).toEqual([250, 750, 1750, 3750, 7750, 15_750, 25_750, 30_000])
  const { error } = await connection.closed
  expect(error).toMatchObject({ code: 'socket-closed', closeCode: 1006, cause: { status: 503 } })
  expect(String(error)).toContain('The error of the last attempt: radio: the service responded with 503')
  expect(await rejection(connection[Symbol.asyncIterator]().next())).toBe(error)
  expect(all.clock.timers).toBe(0)
})

it('R-54: the deadline of reconnecting starts over only after a connection has lasted 5 s', async () => {
  const times: number[] = []
  const all = studio(() => void times.push(all.clock.monotonic()))
  const connection = await connect(all.client, radio, { reconnect: { deadline: '20s' } })
  for (let count = 0; count < 4; count++) {
    all.peer.drop()
    await all.clock.runToNextTimer()
  }
  expect(times).toEqual([0, 250, 750, 1750, 3750])
  await all.clock.advance(5000)
  all.peer.drop()
  await all.clock.advance(250)
  expect(times.at(-1)).toBe(3750 + 5000 + 250)
  // One that never holds is given up by the deadline.
  for (let count = 0; count < 50 && connection.state !== 'closed'; count++) {
    if (connection.state === 'open') all.peer.drop()
    await all.clock.runToNextTimer()
  }
  const { error } = await connection.closed
  expect(error).toMatchObject({ code: 'socket-closed' })
  expect(String(error)).toContain('and `reconnect.deadline` (20000 ms) has passed.')
})

it.each([400, 401, 403, 404])(
  'R-54: gives up reconnecting at once when the server responds with %s',
  async (status) => {
    const { connection, clock, peers, requests } = await openedRadio(once({ status }))
    peers[0]?.drop()
    await clock.advance(60_000)
    expect(requests).toHaveLength(2)
    expect((await connection.closed).error).toMatchObject({ code: 'socket-denied', status })
  },
)

it('R-23: reconnecting never shortens a Retry-After', async () => {
  const responses: MemoryHandshake[] = [
    undefined,
    { status: 429, headers: { 'retry-after': '9' } },
    undefined,
  ]
  const { clock, peers, requests } = await openedRadio(() => responses.shift())
  peers[0]?.drop()
  await clock.advance(250 + 8999)
  expect(requests).toHaveLength(2)
  await clock.advance(1)
  expect(requests).toHaveLength(3)
})

it('R-54: reconnecting survives an unreachable server and slow handshakes', async () => {
  const responses: MemoryHandshake[] = [undefined, 'unreachable', 'silent', undefined]
  const { connection, clock, peers } = await openedRadio(() => responses.shift(), {
    handshakeTimeoutMs: 1000,
  })
  peers[0]?.drop()
  await clock.advance(10_000)
  expect(connection.state).toBe('open')
  expect(await nextGap(connection)).toMatchObject({ attempts: 3 })
})

it('R-58: a proper end is not followed by another connection', async () => {
  const ends: unknown[] = []
  const { connection, clock, peers } = await openedRadio(undefined, {
    properEnd: (end: { reason: string }) => (ends.push(end), end.reason === 'bye'),
  })
  peers[0]?.close(1000, 'not yet')
  await clock.advance(1000)
  peers[1]?.close(1000, 'bye')
  await clock.advance(60_000)
  expect(peers).toHaveLength(2)
  expect(ends).toEqual([
    { closeCode: 1000, reason: 'not yet' },
    { closeCode: 1000, reason: 'bye' },
  ])
  expect(await connection.closed).not.toHaveProperty('error')
})

it('R-54: `when` decides whether to reconnect', async () => {
  const { connection, clock, peers } = await openedRadio(undefined, {
    reconnect: { when: ({ closeCode, reason }) => closeCode === 1000 && reason === 'again' },
  })
  peers[0]?.close(1000, 'again')
  await clock.advance(1000)
  expect(connection.state).toBe('open')
  peers[1]?.close(1000, 'bye')
  expect((await connection.closed).error).toMatchObject({ reason: 'bye' })
})

it('R-54: an error that `when` throws ends the connection', async () => {
  const mine = new Error('mine')
  const when = await openedRadio(undefined, {
    reconnect: {
      when() {
        throw mine
      },
    },
  })
  when.peers[0]?.drop()
  expect((await when.connection.closed).error).toBe(mine)
})

it('close() and an abort stop reconnecting at once', async () => {
  const semaphore = new Semaphore(1)
  const closed = await openedRadio(once('silent'), { connectionLimit: semaphore })
  closed.peers[0]?.drop()
  await closed.clock.advance(300)
  const held = rejection(closed.connection.sendBinary(bytes(5)))
  const end = await closed.connection.close()
  expect(end).toMatchObject({ closeCode: 1006, unsent: { messages: 1, bytes: 5 } })
  expect(end).not.toHaveProperty('error')
  expect(await held).toMatchObject({ code: 'socket-closed' })
  await closed.clock.settle()
  expect(closed.clock.timers).toBe(0)
  expect(closed.connection.state).toBe('closed')
  expect(semaphore.free).toBe(1)

  const controller = new AbortController()
  const aborted = await openedRadio(undefined, { signal: controller.signal })
  aborted.peers[0]?.drop()
  controller.abort('stop')
  expect((await aborted.connection.closed).error).toBe('stop')
  expect(aborted.connection.state).toBe('closed')
  await aborted.clock.advance(60_000)
  expect(aborted.requests).toHaveLength(1)
})

it('R-54: leaves no socket behind, and ends once, if the connection is closed when its replacement opens', async () => {
  for (let turns = 0; turns < 12; turns++) {
    const all = studio((peer) => {
      if (all.peers.length > 0) void closeLater(turns)
      return void peer
    })
    const connection = await connect(all.client, radio, { reconnect: true })
    const closeLater = async (left: number): Promise<void> => {
      for (let turn = 0; turn < left; turn++) await undefined
      await connection.close()
    }
    all.peer.drop()
    await all.clock.advance(1000)
    await connection.closed
    await all.clock.settle()
    expect(all.states.filter((state) => state === 'closed')).toHaveLength(1)
    for (const peer of all.peers.slice(1)) expect(peer.closedBy).toBeDefined()
  }
})

it('R-54: reconnects although the host hides why a handshake failed', async () => {
  const all = studio()
  let isHidden = false
  const connection = await connect(all.client, radio, {
    reconnect: true,
    socketFactory(request, handlers) {
      if (!isHidden) return all.socketFactory(request, handlers)
      isHidden = false
      queueMicrotask(() => handlers.failed(new SocketError('socket-denied', 'hidden')))
      return new RecordingSocket()
    },
  })
  isHidden = true
  all.peer.drop()
  await all.clock.advance(1000)
  expect(connection.state).toBe('open')
  expect(await nextGap(connection)).toMatchObject({ attempts: 2 })
})

it('R-27, R-60: reports each failed attempt to replace a connection as a retry', async () => {
  const responses: MemoryHandshake[] = [undefined, { status: 503 }, 'unreachable', undefined]
  const retries: unknown[] = []
  const all = studio(() => responses.shift(), {
    observe: (event) => event.type === 'retry' && retries.push(event),
  })
  await connect(all.client, radio, { reconnect: true })
  all.peer.drop()
  await all.clock.advance(10_000)
  expect(retries).toEqual([
    { type: 'retry', operation: 'radio', attempt: 1, delayMs: 500, cause: 503 },
    { type: 'retry', operation: 'radio', attempt: 2, delayMs: 1000, cause: 'connection' },
  ])
})

it('R-60: reports the states of a replaced connection to `observe`', async () => {
  const { clock, peer, states } = await openedRadio()
  peer.drop()
  await clock.advance(1000)
  expect(states).toEqual(['connecting', 'open', 'reconnecting', 'reconnected'])
})

/** The first connection is accepted; all others get this response. */
function once(response: MemoryHandshake): () => MemoryHandshake {
  let count = 0
  return () => (count++ === 0 ? undefined : response)
}
