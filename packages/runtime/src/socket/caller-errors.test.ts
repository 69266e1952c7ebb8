import { describe, expect, it } from 'vitest'
import { SocketError, TimeoutError } from '../core/errors.ts'
import type { ClientOptions } from '../http/client-options.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { foreignErrors } from '../retry/test-support/foreign-errors.ts'
import { MINUTE, notSent, setUp } from '../session/test-support/token-sessions.ts'
import { connect } from './connect.ts'
import type { ConnectOptions } from './options.ts'
import { bytes, openedRadio, type Radio, radio, studio } from './test-support/radio.ts'

/** A channel with functions of the caller that throw an error once it is armed. */
function failing(where: 'query' | 'credential' | 'rejected' | 'socketFactory', error: unknown) {
  const calls = { isArmed: false, count: 0, judged: [] as unknown[] }
  const fail = (): void => {
    if (!calls.isArmed) return
    calls.count += 1
    throw error
  }
  const credential = {
    in: 'header',
    name: 'authorization',
    value: () => (where === 'credential' && fail(), 'some-key'),
    rejected: () => (fail(), false),
  } as const
  const own: Partial<ClientOptions> = { credentials: { key: credential } }
  const all = studio(() => (where === 'rejected' && calls.isArmed ? { status: 401 } : undefined), own)
  const options: ConnectOptions<Radio> = {
    reconnect: true,
    finalError: (cause) => void calls.judged.push(cause),
    ...(where === 'query' && { query: async () => (fail(), {}) }),
    ...(where === 'socketFactory' && {
      socketFactory: (request, handlers) => (fail(), all.socketFactory(request, handlers)),
    }),
  }
  return { all, calls, options }
}

describe.each(['query', 'credential', 'rejected', 'socketFactory'] as const)(
  'an error that `%s` throws',
  (where) => {
    it.each(foreignErrors)('R-54: fails a connection as it is: %s', async (_name, create) => {
      const error = create()
      const { all, calls, options } = failing(where, error)
      calls.isArmed = true
      expect(await rejection(connect(all.client, radio, options))).toBe(error)
      expect(calls.count).toBe(1)
      expect(calls.judged).not.toContain(error)
    })

    it.each(foreignErrors)('R-54: ends reconnecting as it is, at once: %s', async (_name, create) => {
      const error = create()
      const { all, calls, options } = failing(where, error)
      const connection = await connect(all.client, radio, options)
      calls.isArmed = true
      all.peer.drop()
      await all.clock.advance(250)
      expect(connection.state).toBe('closed')
      expect((await connection.closed).error).toBe(error)
      expect(calls.count).toBe(1)
      expect(calls.judged).not.toContain(error)
      expect(all.clock.timers).toBe(0)
    })
  },
)

it('R-54: a socket factory that throws another error is not called again', async () => {
  const { all, calls, options } = failing('socketFactory', new Error('no such proxy'))
  const connection = await connect(all.client, radio, options)
  calls.isArmed = true
  all.peer.drop()
  await all.clock.advance(60_000)
  expect((await connection.closed).error).toMatchObject({
    code: 'connection',
    cause: { message: 'no such proxy' },
  })
  expect(calls.count).toBe(1)
})

it('R-54: the reason of an abort is not passed to `finalError`', async () => {
  const reason = new SocketError('socket-closed', 'another connection')
  const controller = new AbortController()
  const judged: unknown[] = []
  const all = studio(() => 'silent')
  const finalError = (cause: unknown): undefined => void judged.push(cause)
  const connecting = rejection(connect(all.client, radio, { signal: controller.signal, finalError }))
  await all.clock.settle()
  expect(all.requests).toHaveLength(1)
  controller.abort(reason)
  expect(await connecting).toBe(reason)
  expect(judged).toEqual([])
})

it('R-54: a session whose token cannot be refreshed during an outage does not end reconnecting', async () => {
  const { clock, server, session } = await setUp()
  let isDown = true
  const fail = (): void => {
    if (isDown) throw notSent()
  }
  const { client, peers } = studio(undefined, { clock, credentials: { key: session.credential } })
  const connection = await connect(client, radio, { reconnect: true, liveness: false })
  server.failNext(...Array.from({ length: 100 }, () => fail))
  await clock.advance(64 * MINUTE)
  peers[0]?.drop()
  await clock.advance(20_000)
  expect(connection.state).toBe('reconnecting')
  isDown = false
  await clock.advance(20_000)
  expect(connection.state).toBe('open')
  expect(peers[1]?.headers.get('authorization')).toBe('Bearer access-2')
  await connection.close()
  await session.close()
})

it('R-59: the error of an ignored source ends the connection, even if it is that of another connection', async () => {
  const lost = new SocketError('socket-closed', 'the connection of the microphone was lost')
  const { connection, clock, peers } = await openedRadio()
  const { promise, reject } = Promise.withResolvers<never>()
  async function* microphone(): AsyncGenerator<Uint8Array> {
    yield bytes(10)
    yield await promise
  }
  void connection.sendFrom(microphone())
  await clock.settle()
  peers[0]?.drop()
  await clock.settle()
  expect(connection.state).toBe('reconnecting')
  reject(lost)
  await clock.advance(1000)
  expect((await connection.closed).error).toBe(lost)
})

it('R-56: a request that was aborted with a TimeoutError has not timed out', async () => {
  const { connection, clock, peers } = await openedRadio()
  const controller = new AbortController()
  void connection.send('tune', { type: 'Tune', pitch: 'a' })
  const given = rejection(
    connection.request('tune', { type: 'Tune', pitch: 'b' }, { signal: controller.signal }),
  )
  await clock.settle()
  peers[0]?.send('{"type":"Tuned"}')
  await clock.settle()
  controller.abort(new TimeoutError('foreign', { limitMs: 1, elapsedMs: 1 }))
  expect(await given).toMatchObject({ message: 'foreign' })
  // The reply to the request that was given up is still expected, so it isn't that of the next one.
  const next = connection.request('tune', { type: 'Tune', pitch: 'c' })
  await clock.settle()
  peers[0]?.send('{"type":"Refused"}')
  peers[0]?.send('{"type":"Tuned"}')
  expect(await next).toMatchObject({ message: 'tuned' })
})
