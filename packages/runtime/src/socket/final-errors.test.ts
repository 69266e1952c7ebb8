import { expect, it } from 'vitest'

import { SocketError } from '../core/errors.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { Semaphore } from '../limit/limits.ts'
import { connect } from './connect.ts'
import type { ConnectOptions } from './options.ts'
import { bytes, opened, openedGate, openedRadio, type Radio, radio, studio } from './test-support/radio.ts'

const mine = new Error('mine')

it('a message that `finalError` recognizes is read before the error, and opens no gate', async () => {
  const { connection, clock, peers } = await openedGate({
    reconnect: true,
    acknowledged: () => true,
    finalError: (cause) => ('message' in cause && cause.message === 'refused' ? mine : undefined),
  })
  const held = rejection(connection.sendBinary(bytes(1)))
  await connection.send('tune', { type: 'Tune' })
  peers[0]?.send('{"type":"Refused"}')
  await clock.settle()
  const reader = connection[Symbol.asyncIterator]()
  expect((await reader.next()).value).toMatchObject({ message: 'refused' })
  expect(await rejection(reader.next())).toBe(mine)
  expect(await held).toBe(mine)
  expect(connection.state).toBe('closed')
  await clock.advance(60_000)
  expect(peers.map(({ received }) => received)).toEqual([['{"type":"Tune"}']])
})

it("`finalError` can recognize a message that arrives with the handshake, and isn't called again", async () => {
  const asked: unknown[] = []
  const { client } = studio((peer) => {
    for (const type of ['Refused', 'Tuned']) peer.send(JSON.stringify({ type }))
  })
  const connection = await connect(client, radio, {
    finalError: (cause) => (asked.push('message' in cause && cause.message), mine),
  })
  expect((await connection.closed).error).toBe(mine)
  expect(asked).toEqual(['refused'])
})

it('`finalError` can recognize a close, before and after the client has started to close', async () => {
  const finalError: ConnectOptions<Radio>['finalError'] = (cause) =>
    cause instanceof SocketError && cause.closeCode === 3000 ? mine : undefined
  const lost = await openedRadio(undefined, { finalError })
  lost.peers[0]?.close(3000)
  expect((await lost.connection.closed).error).toBe(mine)
  const closed = await openedRadio(undefined, { finalError })
  expect((await closed.connection.close({ code: 3000 })).error).toBe(mine)
})

it('`finalError` can recognize a denied handshake of a new connection, whatever its status', async () => {
  let isUp = true
  const { connection, clock, peers, requests } = await openedRadio(
    () => (isUp ? undefined : { status: 503 }),
    { finalError: (cause) => (cause instanceof SocketError && cause.status === 503 ? mine : undefined) },
  )
  isUp = false
  peers[0]?.drop()
  await clock.advance(60_000)
  expect((await connection.closed).error).toBe(mine)
  expect(requests).toHaveLength(2)
})

it('a failed send that the caller ignores ends an open connection with its error', async () => {
  const invalid = await openedRadio()
  void invalid.connection.send('note', { text: 5 as never })
  expect((await invalid.connection.closed).error).toMatchObject({ code: 'invalid-request' })
  const full = await openedRadio(undefined, { sending: { highBytes: 1, maxBytes: 1 } })
  full.peers[0]?.stall()
  for (const value of [1, 2]) void full.connection.sendBinary(bytes(1, value))
  expect((await full.connection.closed).error).toMatchObject({ code: 'socket-overflow' })
})

it("an ignored send that is rejected between two connections doesn't end the connection", async () => {
  const { connection, clock, peers } = await openedRadio(undefined, {
    sending: { highBytes: 1, maxBytes: 1 },
  })
  peers[0]?.drop()
  for (const value of [1, 2]) void connection.sendBinary(bytes(1, value))
  await clock.advance(1000)
  expect(connection.state).toBe('open')
  peers[1]?.drop()
  void connection.send('note', { text: 5 as never })
  expect((await connection.closed).error).toMatchObject({ code: 'invalid-request' })
})

it('an ignored send changes nothing after the end', async () => {
  const { connection, clock, states } = await opened()
  const end = await connection.close()
  void connection.sendText(5 as never)
  await clock.settle()
  expect(await connection.closed).toBe(end)
  expect(states).toEqual(['connecting', 'open', 'closed'])
})

it("R-55: a close that times out doesn't report what was written to the network as unsent", async () => {
  const { connection, clock, peer } = await opened({ closeTimeoutMs: 1000 })
  peer.stall()
  await connection.sendBinary(bytes(100))
  const closing = connection.close()
  peer.freeze()
  peer.unstall()
  await clock.advance(1000)
  expect(await closing).toEqual({
    closeCode: 1006,
    reason: '',
    unsent: { messages: 0, bytes: 0 },
    dropped: 0,
  })
})

it('R-03: an abort at the moment when the connection opens ends it', async () => {
  const controller = new AbortController()
  const { client } = studio(undefined, {
    observe: (event) => event.type === 'socket' && event.state === 'open' && controller.abort('stop'),
  })
  const connection = await connect(client, radio, { signal: controller.signal })
  expect((await connection.closed).error).toBe('stop')
})

it.each(['open', 'closing'])(
  'R-57: an aborted %s connection keeps its share of the limit until its socket is gone, at most for `closeTimeoutMs`',
  async (state) => {
    const semaphore = new Semaphore(1)
    const controller = new AbortController()
    const options = { connectionLimit: semaphore, signal: controller.signal }
    const { connection, clock, peer } = await opened(options)
    peer.stall()
    void connection.sendBinary(bytes(1))
    if (state === 'closing') void connection.close()
    expect(connection.state).toBe(state)
    controller.abort('stop')
    expect((await connection.closed).error).toBe('stop')
    expect(semaphore.free).toBe(0)
    await clock.advance(5000)
    expect([semaphore.free, peer.closedBy?.code]).toEqual([1, 1006])
  },
)
