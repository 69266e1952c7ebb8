import { describe, expect, it } from 'vitest'

import { rejection } from '../http/fixtures.ts'
import type { MemoryHandshake, MemoryPeer } from '../testing/memory-socket.ts'
import { connect } from './connect.ts'
import { bytes, gatedRadio, radio, studio } from './test-support/radio.ts'
import type { ConnectionBase, Reconnected } from './connection.ts'

describe('a connection that is replaced', () => {
  it('R-54: is not replaced unless asked for', async () => {
    const { client, peers, clock } = studio()
    const connection = await connect(client, radio)
    peers[0]?.drop()
    await clock.advance(60_000)
    expect(peers).toHaveLength(1)
    expect(connection.state).toBe('closed')
  })

  it('R-54: says in the stream what may have been lost, and continues', async () => {
    const { connection, clock, peers } = await opened()
    peers[0]?.send('{"type":"Line","text":"before"}')
    await connection.sendBinary(bytes(10))
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

  it('R-54: uses fresh credentials and a fresh query each time', async () => {
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

  it('R-54: tries with back-off and jitter until the deadline, not once', async () => {
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
    expect(await rejection(connection[Symbol.asyncIterator]().next())).toBe(error)
    expect(all.clock.timers).toBe(0)
  })

  it('R-54: starts the deadline over only after the connection held 5 s', async () => {
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
    while (connection.state !== 'closed') {
      if (connection.state === 'open') all.peer.drop()
      await all.clock.runToNextTimer()
    }
    expect((await connection.closed).error).toMatchObject({ code: 'socket-closed' })
  })

  it.each([400, 401, 403, 404])(
    'R-54: gives up at once when the server denies it with %s',
    async (status) => {
      const { connection, clock, peers, requests } = await opened(once({ status }))
      peers[0]?.drop()
      await clock.advance(60_000)
      expect(requests).toHaveLength(2)
      expect((await connection.closed).error).toMatchObject({ code: 'socket-refused', status })
    },
  )

  it('R-23: a Retry-After is not shortened', async () => {
    const answers: MemoryHandshake[] = [
      undefined,
      { status: 429, headers: { 'retry-after': '9' } },
      undefined,
    ]
    const { clock, peers, requests } = await opened(() => answers.shift())
    peers[0]?.drop()
    await clock.advance(250 + 8999)
    expect(requests).toHaveLength(2)
    await clock.advance(1)
    expect(requests).toHaveLength(3)
  })

  it('R-54: survives an unreachable server and slow handshakes', async () => {
    const answers: MemoryHandshake[] = [undefined, 'unreachable', 'silent', undefined]
    const { connection, clock, peers } = await opened(() => answers.shift(), { handshakeTimeoutMs: 1000 })
    peers[0]?.drop()
    await clock.advance(10_000)
    expect(connection.state).toBe('open')
    expect(await nextGap(connection)).toMatchObject({ attempts: 3 })
  })

  it('R-54: sends the configuration again, before anything else', async () => {
    const { connection, clock, peers } = await opened()
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

  it("R-56: a configuration that the server denied isn't sent again", async () => {
    const { connection, clock, peers } = await opened((peer) => {
      peer.onMessage = (data) =>
        peer.send(String(data).includes('bad') ? '{"type":"Refused"}' : '{"type":"Tuned"}')
    })
    await connection.request('tune', { type: 'Tune', pitch: 'good' })
    await connection.request('tune', { type: 'Tune', pitch: 'bad' })
    peers[0]?.drop()
    await clock.advance(1000)
    expect(peers[1]?.received).toEqual(['{"type":"Tune","pitch":"good"}'])
  })

  it("R-56: the reply to a replayed message isn't taken for the reply to a new request", async () => {
    const { connection, clock, peers } = await opened((peer) => {
      peer.onMessage = (data) =>
        peer.send(String(data).includes('bad') ? '{"type":"Refused"}' : '{"type":"Tuned"}')
    })
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

  it('R-56: the gate is closed again until the new connection acknowledges', async () => {
    const all = studio()
    const connection = await connect(all.client, gatedRadio, {
      reconnect: true,
      acknowledged: ({ message }) => message === 'tuned',
    })
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

  it("R-56: an early acknowledgement doesn't open the gate on a new connection", async () => {
    const channel = { ...gatedRadio, rules: { gate: { message: 'tune' } } }
    const all = studio()
    const connection = await connect(all.client, channel, {
      reconnect: true,
      acknowledged: ({ message }) => message === 'tuned',
    })
    await connection.send('tune', { type: 'Tune' })
    all.peer.send('{"type":"Tuned"}')
    await all.clock.settle()
    all.peer.drop()
    await all.clock.advance(1000)
    const held = rejection(connection.sendBinary(bytes(1)))
    all.peer.send('{"type":"Tuned"}')
    await all.clock.settle()
    expect(all.peer.received).toEqual([])
    await connection.close()
    expect(await held).toMatchObject({ code: 'socket-closed' })
  })

  it('R-54: keeps no more than 256 configuration messages, and says how many it forgot', async () => {
    const { connection, clock, peers } = await opened()
    for (let count = 0; count < 300; count++)
      await connection.send('tune', { type: 'Tune', [`pitch${count}`]: '1' } as { type: 'Tune' })
    peers[0]?.drop()
    await clock.settle()
    expect(clock.timers).toBe(1)
    await clock.advance(1000)
    expect(await nextGap(connection)).toMatchObject({ replayed: 256, forgotten: 44 })
    expect(peers[1]?.received[0]).toBe('{"type":"Tune","pitch44":"1"}')
  })

  it('R-54: messages of the gap wait, bounded, or fail by choice', async () => {
    const waits = await opened(undefined, { sending: { highBytes: 100, maxBytes: 400 } })
    waits.peers[0]?.drop()
    const sends = Array.from({ length: 5 }, () => waits.connection.sendBinary(bytes(60)))
    const refused = sends.splice(3).map((each) => rejection(each))
    expect(await Promise.all(refused)).toEqual([
      expect.objectContaining({ code: 'socket-overflow' }),
      expect.objectContaining({ code: 'socket-overflow' }),
    ])
    await waits.clock.advance(1000)
    await Promise.all(sends)

    const fails = await opened(undefined, { reconnect: { sends: 'fail' } })
    fails.peers[0]?.drop()
    expect(await rejection(fails.connection.sendBinary(bytes(1)))).toMatchObject({ code: 'socket-closed' })
    await fails.clock.advance(1000)
    await fails.connection.sendBinary(bytes(2))
    await fails.clock.settle()
    expect(fails.peers[1]?.received).toEqual([bytes(2)])
  })

  it('R-54: a request that was under way fails; one that is made in the gap waits', async () => {
    const { connection, clock, peers } = await opened()
    const lost = rejection(connection.request('tune', { type: 'Tune', pitch: '1' }))
    await clock.settle()
    peers[0]?.drop()
    expect(await lost).toMatchObject({ code: 'socket-closed' })
    const next = connection.request('tune', { type: 'Tune', pitch: '2' })
    await clock.advance(1000)
    peers[1]?.send('{"type":"Tuned"}')
    expect(await next).toMatchObject({ message: 'tuned' })
  })

  it("R-54: resends what the server hasn't heard before anything else, within the limit", async () => {
    const { connection, clock, peers } = await opened(undefined, { reconnect: { resendBytes: 25 } })
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

  it('R-54: the caller can say which message shows that the server has heard what came before', async () => {
    const { connection, clock, peers } = await opened(undefined, {
      reconnect: { resendBytes: 100, heard: ({ message }: { message?: string }) => message === 'line' },
    })
    await connection.sendBinary(bytes(10, 1))
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
    const all = studio()
    const connection = await connect(all.client, gatedRadio, {
      reconnect: { resendBytes: 100 },
      acknowledged: ({ message }) => message === 'tuned',
    })
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
    "R-54: with sends: '%s', time stamps of live audio go on at %s ms, or at byte %s",
    async (sends, offsetMs, binaryBytesBefore) => {
      const bases: ConnectionBase[] = []
      const { connection, clock, peers } = await opened(undefined, {
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

  it('R-54: reports what was rejected in between', async () => {
    const { connection, clock, peers } = await opened(undefined, { reconnect: { sends: 'fail' } })
    peers[0]?.drop()
    void connection.sendBinary(bytes(10))
    void connection.sendJson({ a: 1 })
    await clock.advance(1000)
    expect(connection.state).toBe('open')
    expect(await nextGap(connection)).toMatchObject({ rejected: { messages: 2, bytes: 17 } })
  })

  it('R-54: time stamps can be re-based', async () => {
    const bases: ConnectionBase[] = []
    const { connection, clock, peers } = await opened(undefined, {
      rebase: (data: unknown, base: ConnectionBase) => (
        bases.push(base),
        { ...(data as object), at: base.offsetMs }
      ),
    })
    await connection.sendBinary(bytes(8))
    peers[0]?.send('{"type":"Line","text":"a"}')
    await clock.advance(10_000)
    peers[0]?.drop()
    await clock.advance(1000)
    peers[1]?.send('{"type":"Line","text":"b"}')
    const reader = connection[Symbol.asyncIterator]()
    expect((await reader.next()).value?.data).toEqual({ type: 'Line', text: 'a' })
    await reader.next()
    expect((await reader.next()).value?.data).toEqual({ type: 'Line', text: 'b', at: 10_250 })
    expect(bases).toEqual([{ connection: 1, offsetMs: 10_250, binaryBytesBefore: 8 }])
  })

  it.each([1000, 1005])('R-58: a close with %s by the server is a loss like any other', async (code) => {
    const { connection, clock, peers } = await opened()
    peers[0]?.close(code)
    await clock.advance(1000)
    expect(connection.state).toBe('open')
    expect(await nextGap(connection)).toMatchObject({ closeCode: code })
  })

  it('R-58: a proper end is not followed by another connection', async () => {
    const ends: unknown[] = []
    const { connection, clock, peers } = await opened(undefined, {
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

  it('R-54: `when` decides whether to try again', async () => {
    const asked: unknown[] = []
    const other = await opened(undefined, { reconnect: { when: (end: unknown) => (asked.push(end), true) } })
    other.peers[0]?.close(1000, 'bye')
    await other.clock.advance(1000)
    expect(other.connection.state).toBe('open')
    expect(asked).toEqual([{ closeCode: 1000, reason: 'bye' }])
  })

  it("R-54: an error of the caller's own functions ends it with that error, and throws from no timer", async () => {
    const mine = new Error('mine')
    const when = await opened(undefined, {
      reconnect: {
        when() {
          throw mine
        },
      },
    })
    when.peers[0]?.drop()
    expect((await when.connection.closed).error).toBe(mine)

    let first = true
    const query = await opened(undefined, {
      query() {
        if (!first) throw mine
        first = false
        return {}
      },
    })
    query.peers[0]?.drop()
    await query.clock.advance(1000)
    expect((await query.connection.closed).error).toBe(mine)
  })

  it('close, abort and the end of the client stop it at once', async () => {
    const closed = await opened(once('silent'))
    closed.peers[0]?.drop()
    await closed.clock.advance(300)
    const held = rejection(closed.connection.sendBinary(bytes(5)))
    const end = await closed.connection.close()
    expect(end).toMatchObject({ closeCode: 1006, unsent: { messages: 1, bytes: 5 } })
    expect(end).not.toHaveProperty('error')
    expect(await held).toMatchObject({ code: 'socket-closed' })
    await closed.clock.settle()
    expect(closed.clock.timers).toBe(0)

    const controller = new AbortController()
    const aborted = await opened(undefined, { signal: controller.signal })
    aborted.peers[0]?.drop()
    controller.abort('stop')
    expect((await aborted.connection.closed).error).toBe('stop')
    await aborted.clock.advance(60_000)
    expect(aborted.requests).toHaveLength(1)
  })

  it('R-27, R-60: reports each failed attempt to replace a connection as a retry', async () => {
    const answers: MemoryHandshake[] = [undefined, { status: 503 }, 'unreachable', undefined]
    const retries: unknown[] = []
    const all = studio(() => answers.shift(), {
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

  it('R-60: reports to the observer', async () => {
    const states: string[] = []
    const all = studio(undefined, { observe: (event) => event.type === 'socket' && states.push(event.state) })
    await connect(all.client, radio, { reconnect: true })
    all.peer.drop()
    await all.clock.advance(1000)
    expect(states).toEqual(['connecting', 'open', 'reconnecting', 'reconnected'])
  })
})

async function opened(onConnect?: (peer: MemoryPeer) => MemoryHandshake, options: object = {}) {
  const all = studio(onConnect)
  const connection = await connect(all.client, radio, { reconnect: true, ...options })
  return { ...all, connection }
}

/** The first connection is accepted; all others get this answer. */
function once(answer: MemoryHandshake): () => MemoryHandshake {
  let count = 0
  return () => (count++ === 0 ? undefined : answer)
}

async function nextGap(connection: AsyncIterable<{ type: string; data: unknown }>): Promise<unknown> {
  for await (const { type, data } of connection) if (type === 'reconnected') return data
  return undefined
}
