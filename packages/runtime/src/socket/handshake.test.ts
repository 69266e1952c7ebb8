import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import type { ChannelDescriptor } from '../core/descriptors.ts'
import { OptionsError } from '../core/errors.ts'
import { KEY, rejection } from '../http/test-support/fixtures.ts'
import { Semaphore } from '../limit/limits.ts'
import { connect } from './connect.ts'
import type { SocketFactory } from './socket.ts'
import { opened, radio, studio } from './test-support/radio.ts'
import { RecordingSocket } from './test-support/recording-socket.ts'

it('checks the query before anything is opened, and names the wrong parameter', async () => {
  const { client, requests } = studio()
  const error = await rejection(connect(client, radio, { query: { band: 4 as never } }))
  expect(error).toMatchObject({
    code: 'invalid-request',
    issues: [{ path: '/query/band', reason: 'must be a string' }],
  })
  expect(requests).toEqual([])
})

it("rejects query parameters that the contract doesn't have, because they would be left out", async () => {
  const { client, requests } = studio()
  const error = await rejection(connect(client, radio, { query: { band: 'a', bnd: 'b' } as never }))
  expect(error).toMatchObject({
    code: 'invalid-request',
    issues: [{ path: '/query/bnd', reason: expect.stringContaining('extra.query') }],
    operation: 'radio',
  })
  const broken = connect(client, radio, { extra: { query: { half: '\uD800' } } })
  expect(await rejection(broken)).toMatchObject({ issues: [{ path: '/query/half' }] })
  expect(requests).toEqual([])
})

it('passes `extra` through to the query and the headers', async () => {
  const { requests, peer } = await opened({
    extra: { query: { 'new one': [1, 2] }, headers: { 'X-Trace': 'abc' } },
  })
  expect(requests[0]?.url).toBe('wss://service.test/prefix/v1/radio?new%20one=1&new%20one=2')
  expect(peer.headers.get('x-trace')).toBe('abc')
})

it('opens a channel with an optional credential with or without it', async () => {
  const optional = { ...radio, securityOptional: true }
  const known = studio()
  await connect(known.client, optional)
  expect(known.peer.headers.get('authorization')).toBe(`Token ${KEY}`)
  const unknown = studio(undefined, { credentials: {} })
  await connect(unknown.client, optional)
  expect(unknown.peer.headers.get('authorization')).toBeNull()
  expect(await rejection(connect(unknown.client, radio))).toMatchObject({ option: 'credentials.key' })
})

it('opens an http base URL as ws', async () => {
  const { client, requests } = studio(undefined, { servers: { api: 'http://localhost:8080' } })
  await connect(client, radio)
  expect(requests[0]?.url).toBe('ws://localhost:8080/v1/radio')
})

it('R-55: a denied upgrade is an error with status, headers and body, and shows no secret', async () => {
  const { client } = studio(
    () => ({
      status: 429,
      headers: { 'retry-after': '7', 'x-why': 'full' },
      body: `{"error":"no more for ${KEY}"}`,
    }),
    { explain: (body) => (body as { error: string }).error },
  )
  const error = await rejection(connect(client, radio))
  expect(error).toMatchObject({
    name: 'SocketError',
    code: 'socket-denied',
    status: 429,
    retryAfterMs: 7000,
    operation: 'radio',
    body: expect.stringContaining('no more'),
    message:
      'radio: the service responded with 429 instead of opening the connection: too many connections are open; ' +
      'close a connection, or limit them with `connectionLimit`. The service says: "no more for [redacted]". The error\'s `body` contains the response.',
  })
  expect((error as { headers: Headers }).headers.get('x-why')).toBe('full')
  expect(inspect(error) + JSON.stringify(error) + String(error)).not.toContain(KEY)
})

it('R-02: a handshake ends after `handshakeTimeoutMs`, and leaves nothing open', async () => {
  const { client, clock, requests } = studio(() => 'silent')
  const failed = rejection(connect(client, radio, { handshakeTimeoutMs: 2000 }))
  await clock.advance(1999)
  expect(requests).toHaveLength(1)
  await clock.advance(1)
  expect(await failed).toMatchObject({
    code: 'timeout',
    limitMs: 2000,
    elapsedMs: 2000,
    operation: 'radio',
  })
  expect(clock.timers).toBe(0)
})

it('R-03: an abort ends a handshake at once with its own reason', async () => {
  const { client, clock } = studio(() => 'silent')
  const controller = new AbortController()
  const failed = rejection(connect(client, radio, { signal: controller.signal }))
  await clock.settle()
  controller.abort('changed my mind')
  expect(await failed).toBe('changed my mind')
  expect(await rejection(connect(client, radio, { signal: controller.signal }))).toBe('changed my mind')
  expect(clock.timers).toBe(0)
})

it.each([
  [300, /with 300 .*: a redirect, which is not followed/],
  [399, /a redirect/],
  [400, /check the query/],
  [404, /check the base URL/],
  [418, /the status doesn't say why\.$/],
  [499, /the status doesn't say why\.$/],
  [500, /the problem is on its side/],
  [101, /the status doesn't say why\.$/],
])(
  'R-10, R-55: the error of a handshake denied with %s says what the status means, and no redirect is followed',
  async (status, message) => {
    const { client, requests } = studio(() => ({ status, headers: { location: 'wss://elsewhere.test/' } }))
    const error = await rejection(connect(client, radio))
    expect(error).toMatchObject({ code: 'socket-denied', status, body: '' })
    expect(String(error)).toMatch(message)
    expect(requests).toHaveLength(1)
  },
)

it.each([() => JSON.parse('{') as string, () => 7 as unknown as string])(
  'R-55: a denied handshake is an error with its status even if `explain` throws or returns no string',
  async (explain) => {
    const { client } = studio(() => ({ status: 429, headers: {}, body: '{}' }), { explain })
    const error = await rejection(connect(client, radio))
    expect(error).toMatchObject({ code: 'socket-denied', status: 429 })
    expect(String(error)).not.toContain('It says')
  },
)

it("R-55: passes a body that isn't JSON to `explain` as a string", async () => {
  const bodies: unknown[] = []
  const { client } = studio(() => ({ status: 503, body: '<html>' }), {
    explain: (body, status) => (bodies.push([body, status]), undefined),
  })
  expect(String(await rejection(connect(client, radio)))).toMatch(
    /handshake\. The error's `body` contains the response\.$/,
  )
  expect(bodies).toEqual([['<html>', 503]])
})

it('rethrows a typed error of a socket factory, and wraps other errors without secrets', async () => {
  const typed = new OptionsError('socketFactory', 'has no proxy.', 'Pass one.')
  const failing = (error: Error) => () => {
    throw error
  }
  const { client } = studio()
  expect(await rejection(connect(client, radio, { socketFactory: failing(typed) }))).toBe(typed)
  const socketFactory = failing(new Error(`no socket for ${KEY}`))
  const error = await rejection(connect(client, radio, { socketFactory }))
  expect(error).toMatchObject({ code: 'connection', phase: 'connect', sent: 'maybe', operation: 'radio' })
  expect(inspect(error)).not.toContain(KEY)
})

it.each([
  [401, 1, false],
  [401, 2, true],
  [403, 1, true],
])(
  'R-43: a handshake denied with %s is sent %i times in all (a fresh credential is available: %s)',
  async (status, count, isFresh) => {
    const { client, requests } = studio(() => ({ status }), {
      credentials: {
        key: { in: 'header', name: 'authorization', value: 'some-key', rejected: () => isFresh },
      },
    })
    expect(await rejection(connect(client, radio))).toMatchObject({ code: 'socket-denied', status })
    expect(requests).toHaveLength(count)
  },
)

it('sends the headers of the client, and rejects headers that cannot be sent', async () => {
  const { client, requests } = studio(undefined, { headers: { 'x-app': 'a' } })
  await connect(client, radio)
  expect(requests[0]?.headers).toContain('x-app')
  const extra = { headers: { 'bad name': 'x' } }
  expect(await rejection(connect(client, radio, { extra }))).toMatchObject({ code: 'invalid-request' })
  expect(requests).toHaveLength(1)
})

it('passes the options of the socket to the socket factory', async () => {
  const { client, requests, clock } = studio()
  await connect(client, radio, { compression: true, maxMessageBytes: 7 })
  expect(requests[0]).toMatchObject({ compression: true, maxMessageBytes: 7, clock })
})

it('R-43: renews a credential once that the server denies', async () => {
  let current = 'old-one'
  const asked: string[] = []
  const { client, requests } = studio(
    ({ headers }) => (headers.get('authorization') === 'old-one' ? { status: 401 } : undefined),
    {
      credentials: {
        key: {
          in: 'header',
          name: 'authorization',
          value: () => current,
          rejected: (value) => {
            asked.push(value)
            current = 'new-one'
            return true
          },
        },
      },
    },
  )
  await connect(client, radio)
  expect(asked).toEqual(['old-one'])
  expect(requests).toHaveLength(2)
})

it('rejects a client without the server that the contract names', async () => {
  const other = studio(undefined, { servers: { web: 'https://service.test' } })
  expect(await rejection(connect(other.client, radio))).toMatchObject({ option: 'servers.api' })
})

it('R-57: waits for a share of the semaphore, and releases it when the connection ends or is denied', async () => {
  const semaphore = new Semaphore(3)
  let deny = false
  const { client, peers } = studio(() => (deny ? { status: 503 } : undefined))
  const first = await connect(client, radio, { connectionLimit: semaphore, weight: 3 })
  const waiting = connect(client, radio, { connectionLimit: semaphore })
  await Promise.resolve()
  expect(peers).toHaveLength(1)
  await first.close()
  await waiting
  deny = true
  await rejection(connect(client, radio, { connectionLimit: semaphore, weight: 2 }))
  expect(semaphore.free).toBe(2)
})

it('R-57: reports that a connection waits for the semaphore, and ends the wait after `connectionLimitTimeoutMs`', async () => {
  const semaphore = new Semaphore(1)
  const { client, clock, states } = studio()
  const first = await connect(client, radio, { connectionLimit: semaphore, connectionLimitTimeoutMs: 5000 })
  const late = rejection(
    connect(client, radio, { connectionLimit: semaphore, connectionLimitTimeoutMs: 5000 }),
  )
  await clock.advance(5000)
  expect(await late).toMatchObject({
    code: 'timeout',
    limitMs: 5000,
    operation: 'radio',
    message: expect.stringContaining(
      'the connection limit had no room for this connection within 5000 ms (`connectionLimitTimeoutMs`)',
    ),
  })
  expect(states).toEqual(['connecting', 'open', 'waiting', 'closed'])
  await first.close()
  expect(semaphore.free).toBe(1)
  expect(clock.timers).toBe(0)
})

it('R-57: an abort at the moment when the semaphore becomes free leaves its share to others', async () => {
  const { client, clock } = studio()
  for (let turns = 0; turns < 12; turns++) {
    const semaphore = new Semaphore(1)
    const first = await semaphore.acquire(1, [])
    const controller = new AbortController()
    const opening = rejection(
      connect(client, radio, { connectionLimit: semaphore, signal: controller.signal }).then(({ closed }) =>
        closed.then(({ error }) => Promise.reject(error as Error)),
      ),
    )
    await clock.settle()
    first[Symbol.dispose]()
    for (let turn = 0; turn < turns; turn++) await undefined
    controller.abort('stop')
    expect(await opening).toBe('stop')
    await clock.settle()
    expect(semaphore.free).toBe(1)
  }
})

it('terminates the socket of a denied handshake', async () => {
  const socket = new RecordingSocket()
  const { client } = studio()
  const socketFactory: SocketFactory = (_, handlers) => {
    handlers.denied({ status: 503, headers: {}, body: '' })
    return socket
  }
  expect(await rejection(connect(client, radio, { socketFactory }))).toMatchObject({ status: 503 })
  expect(socket.calls).toEqual(['terminate'])
})

it('a closed client opens no connection', async () => {
  const { client } = studio()
  await client.close()
  expect(await rejection(connect(client, radio))).toMatchObject({ code: 'connection' })
})

const rooms: ChannelDescriptor<unknown, unknown, unknown, { room: string; side?: string }> = {
  ...(radio as ChannelDescriptor<never, never, never, never>),
  address: '/rooms/{room}/{side}?v=2',
  parameters: [{ name: 'room' }, { name: 'side', default: 'left' }],
}

it("fills the parameters of an address with values or defaults, and keeps the address's own query", async () => {
  const { client, requests } = studio()
  await connect(client, rooms, { parameters: { room: 'a/b c' }, query: { band: 'x' } })
  expect(requests[0]?.url).toBe('wss://service.test/prefix/rooms/a%2Fb%20c/left?v=2&band=x')
  await connect(client, rooms, { parameters: { room: 'a', side: 'right' } })
  expect(requests[1]?.url).toBe('wss://service.test/prefix/rooms/a/right?v=2')
})

it("rejects parameters that are missing, can't be one path segment, or aren't in the address", async () => {
  const { client, requests } = studio()
  const reason = 'is missing, empty, or a dot segment (`.` or `..`)'
  for (const [parameters, path] of [
    [{}, '/parameters/room'],
    [{ room: '..' }, '/parameters/room'],
    [{ room: 'a', side: '' }, '/parameters/side'],
  ] as const) {
    const opened = connect(client, rooms, { parameters: parameters as never })
    expect(await rejection(opened)).toMatchObject({ code: 'invalid-request', issues: [{ path, reason }] })
  }
  const unknown = connect(client, rooms, { parameters: { room: 'a', rom: 'b' } as never })
  expect(await rejection(unknown)).toMatchObject({ issues: [{ path: '/parameters/rom' }] })
  expect(requests).toEqual([])
})

it('checks the parameters of an address with their schema', async () => {
  const { client } = studio()
  const values: unknown[] = []
  const checked = {
    ...rooms,
    parametersCheck: {
      accepts: () => false,
      schema: async () => ({
        '~standard': {
          version: 1 as const,
          vendor: 'test',
          validate: (value: unknown) => {
            values.push(value)
            return { issues: [{ message: 'must be a room', path: ['room'] }] }
          },
        },
      }),
    },
  }
  expect(await rejection(connect(client, checked, { parameters: { room: 'a' } }))).toMatchObject({
    issues: [{ path: '/parameters/room', reason: 'must be a room' }],
  })
  await rejection(connect(client, checked))
  expect(values).toStrictEqual([{ room: 'a', side: 'left' }, { side: 'left' }])
})
