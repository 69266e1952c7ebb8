import { inspect } from 'node:util'

import { expect, onTestFinished, it, vi } from 'vitest'

import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  OptionsError,
  RateLimitedError,
  ServerError,
  SessionLostError,
} from '../core/errors.ts'
import type { Clock } from '../core/clock.ts'
import { memoryTransport } from '../testing/memory-transport.ts'
import { virtualClock } from '../testing/virtual-clock.ts'
import { createClient } from '../http/client.ts'
import { bearerCredential } from '../http/credential-source.ts'
import { memoryTokenStore } from './memory-token-store.ts'
import { memoryRequestLog, RequestGate } from './request-gate.ts'
import { TokenSession } from './token-session.ts'
import type { IssuedTokens } from './token-session-options.ts'
import type { StoredSession, TokenStore } from './token-store.ts'
import {
  answer,
  HOUR,
  lostAnswer,
  MINUTE,
  notSent,
  refusal,
  setUp,
  write,
} from './test-support/token-sessions.ts'

it('R-41: for 55 minutes the access token is given as it is', async () => {
  const { clock, server, session } = await setUp()
  await clock.advance(55 * MINUTE - 1)
  expect(await session.accessToken()).toBe('access-1')
  await clock.settle()
  expect(server.presented).toEqual([])
})

it('R-41: after 55 minutes a call starts a refresh, and does not wait for it', async () => {
  const { clock, server, session, events, store } = await setUp()
  const { promise: gate, resolve } = Promise.withResolvers<void>()
  server.failNext(() => gate)
  await clock.advance(55 * MINUTE)
  expect(await session.accessToken()).toBe('access-1')
  expect(await session.accessToken()).toBe('access-1')
  await clock.settle()
  expect(server.presented).toEqual(['refresh-1'])
  resolve()
  await clock.settle()
  expect(await session.accessToken()).toBe('access-2')
  expect(server.presented).toEqual(['refresh-1'])
  expect(events).toEqual([{ type: 'refresh', outcome: 'refreshed' }])
  // Whose session it is, and what is kept beside it, stay.
  expect(await store.read()).toEqual({
    accessToken: 'access-2',
    refreshToken: 'refresh-2',
    obtainedAtMs: clock.now(),
    expiresAtMs: clock.now() + HOUR,
    subject: 'kim',
    details: { name: 'Kim' },
  })
})

it('R-41: a call waits for the refresh once the access token is over, and all calls wait for one', async () => {
  const { clock, server, session, events } = await setUp()
  await clock.advance(HOUR)
  const tokens = await Promise.all(Array.from({ length: 20 }, () => session.accessToken()))
  expect(new Set(tokens)).toEqual(new Set(['access-2']))
  expect(server.presented).toEqual(['refresh-1'])
  expect(events).toHaveLength(1)
})

it('R-41: an access token is not given in the last seconds of its life', async () => {
  const { clock, session } = await setUp()
  await clock.advance(HOUR - 5000)
  expect(await session.accessToken()).toBe('access-2')
})

it('R-41: the life of a token is counted from when it was asked for, not from when it came', async () => {
  const { clock, server, session } = await setUp()
  await clock.advance(HOUR)
  server.failNext(() => new Promise<void>((resolve) => void clock.setTimer(resolve, 10_000)))
  const waiting = session.accessToken()
  await clock.advance(10_000)
  await waiting
  expect(session.expiresAtMs).toBe(clock.now() - 10_000 + HOUR)
})

it('R-41: sessions that share a store refresh once', async () => {
  const { clock, server, options, session, events } = await setUp()
  const others = await Promise.all([1, 2, 3].map(() => TokenSession.resume(options)))
  await clock.advance(HOUR)
  const tokens = await Promise.all([session, ...others].map((each) => each!.accessToken()))
  expect(tokens).toEqual(['access-2', 'access-2', 'access-2', 'access-2'])
  expect(server.presented).toEqual(['refresh-1'])
  expect(events.map(({ outcome }) => outcome).sort()).toEqual([
    'refreshed',
    'taken-over',
    'taken-over',
    'taken-over',
  ])
})

it('R-41: what another process has refreshed is found without holding the store', async () => {
  const { clock, store, session, server } = await setUp()
  await clock.advance(HOUR)
  await write(store, {
    accessToken: 'access-of-another',
    refreshToken: 'refresh-of-another',
    obtainedAtMs: clock.now(),
    expiresAtMs: clock.now() + HOUR,
    subject: 'kim',
  })
  const { promise: busy, resolve } = Promise.withResolvers<void>()
  const holding = store.exclusive(() => busy)
  expect(await session.accessToken()).toBe('access-of-another')
  resolve()
  await holding
  expect(server.presented).toEqual([])
})

it('R-42: word is left in the store before the refresh token is presented', async () => {
  const { clock, server, store, session } = await setUp()
  let seen: StoredSession | undefined
  server.failNext(async () => {
    seen = await store.read()
  })
  await clock.advance(HOUR)
  await session.accessToken()
  expect(seen).toMatchObject({ refreshToken: 'refresh-1', presented: 1 })
  expect(await store.read()).not.toHaveProperty('presented')
})

it('R-42: a refresh token whose presentation has no known end is tried exactly once more', async () => {
  const { clock, server, store, session } = await setUp()
  server.failNext(() => {
    throw lostAnswer()
  })
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toThrow(ConnectionError)
  expect(await store.read()).toMatchObject({ presented: 1 })
  expect(await session.accessToken()).toBe('access-2')
  expect(server.presented).toEqual(['refresh-1', 'refresh-1'])
})

it('R-42: after two presentations without an answer the session is lost, and nothing is presented any more', async () => {
  const { clock, server, options, session } = await setUp()
  const fail = () => {
    throw lostAnswer()
  }
  server.failNext(fail, fail)
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toThrow(ConnectionError)
  await expect(session.accessToken()).rejects.toThrow(ConnectionError)
  for (let count = 0; count < 5; count++) {
    const failure = await session.accessToken().catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'session-lost',
      reason: 'outcome-unknown',
      remedy: 'Sign in again.',
    })
  }
  expect(await TokenSession.resume(options)).toBeUndefined()
  expect(server.presented).toHaveLength(2)
})

it('R-42: a refresh token that the service refuses is never presented again, by anyone', async () => {
  const { clock, server, options, session, events } = await setUp()
  server.valid.clear()
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toMatchObject({ code: 'session-lost', reason: 'refused' })
  await expect(session.accessToken()).rejects.toThrow(/session is lost.*rejected.*Sign in again/)
  expect(await TokenSession.resume(options)).toBeUndefined()
  expect(server.presented).toEqual(['refresh-1'])
  // An observer of the new process learns why there is no session.
  const failed = { type: 'refresh', outcome: 'failed', failure: 'session-lost' }
  expect([events[0], events.at(-1)]).toEqual([failed, failed])
})

it('R-42: an access token is good until its end, also when its refresh was refused ahead of time', async () => {
  const { clock, server, session } = await setUp()
  server.valid.clear()
  await clock.advance(55 * MINUTE)
  await session.accessToken()
  await clock.settle()
  await clock.advance(4 * MINUTE)
  expect(await session.accessToken()).toBe('access-1')
  await clock.advance(MINUTE)
  await expect(session.accessToken()).rejects.toThrow(SessionLostError)
  expect(server.presented).toEqual(['refresh-1'])
})

it.each([
  ['a connection that was never made', notSent],
  ['a body that the service finds wrong', () => new BadRequestError('400', answer(400))],
  ['a refusal that has nothing to do with the token', () => new ApiError('403', answer(403))],
  ['a wrong address', () => new ApiError('404', answer(404))],
  ['a body that the service cannot process', () => new ApiError('422', answer(422))],
  ['what is wrong before anything is sent', () => new OptionsError('authUrl', 'is wrong.', 'Right it.')],
])('R-42: %s uses the refresh token up in no way', async (_what, failure) => {
  const { clock, server, store, session } = await setUp()
  const fail = () => {
    throw failure()
  }
  server.failNext(fail, fail, fail, fail)
  await clock.advance(HOUR)
  for (let count = 0; count < 4; count++) await expect(session.accessToken()).rejects.toThrow()
  expect(await store.read()).not.toHaveProperty('presented')
  expect(await session.accessToken()).toBe('access-2')
})

it('R-42: an error of the server may have used the refresh token up', async () => {
  const { clock, server, store, session } = await setUp()
  server.failNext(() => {
    throw new ServerError('500', answer(500))
  })
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toThrow(ServerError)
  expect(await store.read()).toMatchObject({ presented: 1 })
})

it('R-42: what a service says in words can count for more than its status', async () => {
  const locked = refusal()
  const outcomeOf = (error: unknown) => (error === locked ? ('not-presented' as const) : undefined)
  const { clock, server, store, session } = await setUp({ outcomeOf })
  server.failNext(() => {
    throw locked
  })
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toBe(locked)
  expect(await store.read()).not.toHaveProperty('presented')
  expect(await session.accessToken()).toBe('access-2')
  server.valid.clear()
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toMatchObject({ reason: 'refused' })
})

it('R-42: a session that errors of the server have lost does not say that answers were lost', async () => {
  const { clock, server, session } = await setUp()
  const fail = () => {
    throw new ServerError('500', answer(500))
  }
  server.failNext(fail, fail)
  await clock.advance(HOUR)
  for (let count = 0; count < 2; count++) await expect(session.accessToken()).rejects.toThrow(ServerError)
  await expect(session.accessToken()).rejects.toThrow(/lost or a server error/)
})

it('R-46: the wait for the gate, and that after a 429, end with the signal of the session', async () => {
  const log = memoryRequestLog()
  const clock = virtualClock({ autoAdvance: false })
  const gate = new RequestGate({ limit: 1, windowMs: MINUTE, log, clock, name: 'the token endpoints' })
  for (const limited of [true, false]) {
    const controller = new AbortController()
    const { session, server, store } = await setUp({
      clock,
      signal: controller.signal,
      ...(limited ? { gate } : {}),
    })
    if (limited) await gate.enter()
    server.failNext(() => {
      throw new RateLimitedError('429', answer(429), { retryHelps: true })
    })
    const refreshing = session.refresh()
    refreshing.catch(() => undefined)
    await clock.settle()
    expect(clock.timers).toBe(1)
    expect(server.presented).toHaveLength(limited ? 0 : 1)
    controller.abort(new Error('enough'))
    await expect(refreshing).rejects.toThrow('enough')
    expect(clock.timers).toBe(0)
    expect(await store.read()).not.toHaveProperty('presented')
  }
})

it('R-46: a 429 is waited out, with back-off or as long as the service asks, and uses nothing up', async () => {
  using clock = virtualClock()
  const log = memoryRequestLog()
  const gate = new RequestGate({ limit: 10, windowMs: MINUTE, log, clock, name: 'the token endpoints' })
  const { server, session } = await setUp({ clock, gate })
  const tooMany = (retryAfterMs?: number) => () => {
    throw new RateLimitedError('429', { ...answer(429), retryAfterMs }, { retryHelps: true })
  }
  let otherEnteredAtMs = 0
  server.failNext(tooMany(), () => {
    // What the service asks for holds for everybody else as well.
    clock.setTimer(() => void gate.enter().then(() => (otherEnteredAtMs = clock.elapsedMs)), 1)
    tooMany(7000)()
  })
  clock.setWallTime(clock.now() + HOUR)
  expect(await session.accessToken()).toBe('access-2')
  expect(clock.elapsedMs).toBe(5000 + 10_000)
  await clock.settle()
  expect(otherEnteredAtMs).toBe(5000 + 10_000)
  server.failNext(tooMany(), tooMany(), tooMany(), tooMany(), tooMany())
  clock.setWallTime(clock.now() + HOUR)
  await expect(session.accessToken()).rejects.toThrow(RateLimitedError)
  expect(await session.accessToken()).toBe('access-3')
})

it('R-46: a pause that nobody would sit through is not waited out, and the store is held for none', async () => {
  using clock = virtualClock()
  const gate = new RequestGate({
    limit: 10,
    windowMs: MINUTE,
    log: memoryRequestLog(),
    clock,
    name: 'the token endpoints',
  })
  const { server, session, store } = await setUp({ clock, gate })
  server.failNext(() => {
    throw new RateLimitedError('429', { ...answer(429), retryAfterMs: 20 * MINUTE }, { retryHelps: true })
  })
  clock.setWallTime(clock.now() + HOUR)
  await expect(session.accessToken()).rejects.toMatchObject({ retryAfterMs: 20 * MINUTE })
  // Whoever comes meanwhile is told, and sends nothing.
  await expect(session.accessToken()).rejects.toMatchObject({ code: 'deadline' })
  expect(clock.elapsedMs).toBe(0)
  expect(server.presented).toEqual(['refresh-1'])
  expect((await store.read())?.presented).toBeUndefined()
  await clock.advance(20 * MINUTE)
  expect(await session.accessToken()).toBe('access-2')
})

it('R-41: a refresh that failed ahead of time is tried again after half a minute, not by every call', async () => {
  const { clock, server, session } = await setUp()
  server.failNext(() => {
    throw notSent()
  })
  await clock.advance(55 * MINUTE)
  for (let count = 0; count < 10; count++) {
    expect(await session.accessToken()).toBe('access-1')
    await clock.settle()
  }
  expect(server.presented).toHaveLength(1)
  await clock.advance(30_000)
  await session.accessToken()
  await clock.settle()
  expect(server.presented).toHaveLength(2)
  expect(await session.accessToken()).toBe('access-2')
})

it('R-43: a refused access token leads to one refresh for all calls in flight, and to one retry each', async () => {
  const { server, session } = await setUp()
  let good = 'access-2'
  const seen: string[] = []
  await using client = createClient({
    servers: { api: 'http://service.test' },
    credentials: { accessToken: bearerCredential(session.tokens, 'accessToken') },
    transport: memoryTransport(async (request) => {
      const token = request.headers.get('authorization')!.slice('Bearer '.length)
      seen.push(token)
      await new Promise(setImmediate)
      return token === good ? Response.json({ ok: true }) : new Response(null, { status: 401 })
    }),
  })
  const operation = {
    id: 'list',
    method: 'GET',
    path: '/list',
    server: 'api',
    security: ['accessToken'],
    parameters: [],
    responses: { 200: { kind: 'json' } },
    retry: { class: 'safe' },
    secrets: [],
  } as const
  const results = await Promise.all(Array.from({ length: 12 }, () => client.send(operation, {})))
  expect(results).toHaveLength(12)
  expect(server.presented).toEqual(['refresh-1'])
  expect(seen.filter((token) => token === 'access-1')).toHaveLength(12)
  expect(seen.filter((token) => token === 'access-2')).toHaveLength(12)

  // A service that refuses whatever comes is believed the second time.
  good = 'none'
  seen.length = 0
  await expect(client.send(operation, {})).rejects.toThrow(AuthenticationError)
  expect(seen).toEqual(['access-2', 'access-3'])
})

it('R-43: a token that was replaced meanwhile is not refreshed again', async () => {
  const { server, session } = await setUp()
  expect(await session.refused('access-1')).toBe(true)
  expect(await session.refused('access-1')).toBe(true)
  expect(server.presented).toEqual(['refresh-1'])
})

it('R-43: a refusal that meets a refresh under way waits for it', async () => {
  const { clock, server, session } = await setUp()
  await clock.advance(55 * MINUTE)
  await session.accessToken()
  expect(await session.refused('access-1')).toBe(true)
  expect(server.presented).toEqual(['refresh-1'])
  expect(await session.accessToken()).toBe('access-2')
})

it('R-43: a service that issues the very token that it refuses is asked once', async () => {
  const { session, server } = await setUp({
    refresh: async (token) => {
      server.presented.push(token)
      return { accessToken: 'access-1', refreshToken: 'refresh-2', expiresInMs: HOUR }
    },
  })
  expect(await session.refused('access-1')).toBe(false)
  expect(server.presented).toEqual(['refresh-1'])
})

it('R-43: a token of which the end is not known is used until it is refused', async () => {
  const { clock, server, store, options } = await setUp()
  await write(store, { accessToken: 'access-x', refreshToken: 'refresh-1', obtainedAtMs: 0 })
  const session = (await TokenSession.resume(options))!
  await clock.advance(40 * HOUR)
  expect(await session.accessToken()).toBe('access-x')
  expect(server.presented).toEqual([])
  expect(await session.refused('access-x')).toBe(true)
  expect(await session.accessToken()).toBe('access-2')
})

it('R-43: without a refresh token a refused access token is the end, and says so', async () => {
  const { store, options } = await setUp({ remedy: 'Set the variable anew.' })
  await write(store, { accessToken: 'access-x', obtainedAtMs: 0 })
  const session = (await TokenSession.resume(options))!
  await expect(session.refused('access-x')).rejects.toMatchObject({
    reason: 'no-refresh-token',
    message: expect.stringContaining('Set the variable anew.') as string,
  })
})

it('R-41: a session never changes hands: what somebody else has signed in with is not taken over', async () => {
  const { clock, store, session, server } = await setUp()
  await clock.advance(HOUR)
  await write(store, {
    accessToken: 'access-of-ola',
    obtainedAtMs: clock.now(),
    expiresAtMs: clock.now() + HOUR,
    subject: 'ola',
  })
  await expect(session.accessToken()).rejects.toMatchObject({ reason: 'replaced' })
  expect(server.presented).toEqual([])
})

it('R-41: a session that was removed from the store ends, and does not come back', async () => {
  const { clock, store, session, options, server } = await setUp()
  await (await TokenSession.resume(options))!.forget()
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toMatchObject({ reason: 'removed' })
  expect(await store.read()).toBeUndefined()
  expect(server.presented).toEqual([])
})

const OTHER = { accessToken: 'access-of-other', refreshToken: 'refresh-of-other' }
const owners: [string, Partial<StoredSession>, Partial<StoredSession>, 'stays' | 'goes'][] = [
  ['somebody else has signed in', { ...OTHER, subject: 'ola' }, { subject: 'kim' }, 'stays'],
  ['the same person has signed in again', { ...OTHER, subject: 'kim' }, { subject: 'kim' }, 'goes'],
  ['nobody knows whose the other pair is', OTHER, { subject: 'kim' }, 'stays'],
  ['nobody knows whose any of the two is', OTHER, {}, 'stays'],
  ['it is the same pair, whose nobody knows', { ...OTHER, refreshToken: 'refresh-1' }, {}, 'goes'],
  ['there is only an access token, another one', { accessToken: 'access-of-other' }, {}, 'stays'],
  ['there is only an access token, the same', { accessToken: 'access-1' }, {}, 'goes'],
]

it.each(owners)('R-41: forgetting removes what is its own alone: %s', async (_what, stored, known, what) => {
  const { options, server, clock, store } = await setUp()
  const { subject: _, ...pair } = server.pair()
  const session = await TokenSession.begin(options, { ...pair, ...known } as IssuedTokens, clock.now())
  await write(store, { obtainedAtMs: 0, ...stored } as StoredSession)
  await session.forget()
  expect((await store.read()) === undefined ? 'goes' : 'stays').toBe(what)
})

it('R-41: a session that was forgotten gives no token, although it has one', async () => {
  const { session } = await setUp()
  await session.forget()
  await expect(session.accessToken()).rejects.toMatchObject({ reason: 'removed' })
  expect(await session.refused('access-1')).toBe(false)
})

it('R-42: a pair that cannot be stored is kept in memory, and stored as soon as that works', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const inner = memoryTokenStore()
  let full = false
  const store: TokenStore = {
    read: () => inner.read(),
    exclusive: (work, signal) =>
      inner.exclusive(
        (held) =>
          work({
            ...held,
            async write(session) {
              if (full && session.presented === undefined) {
                throw Object.assign(new Error('no space access-2'), { code: 'ENOSPC' })
              }
              await held.write(session)
            },
          }),
        signal,
      ),
  }
  try {
    const { clock, session, server } = await setUp({ store })
    full = true
    await clock.advance(HOUR)
    expect(await session.accessToken()).toBe('access-2')
    expect(String(warned.mock.calls)).toMatch(/could not be stored \(ENOSPC\)/)
    expect(String(warned.mock.calls)).not.toMatch(/access-2/)
    expect(await inner.read()).toMatchObject({ refreshToken: 'refresh-1', presented: 1 })
    await clock.advance(30_000)
    await session.accessToken()
    await clock.settle()
    full = false
    await session.accessToken()
    await clock.settle()
    expect(warned).toHaveBeenCalledTimes(2)
    await clock.advance(30_000)
    expect(await session.accessToken()).toBe('access-2')
    await clock.settle()
    expect(await inner.read()).toMatchObject({ refreshToken: 'refresh-2' })
    expect(server.presented).toEqual(['refresh-1'])
    await clock.advance(HOUR)
    expect(await session.accessToken()).toBe('access-3')
    expect(server.presented).toEqual(['refresh-1', 'refresh-2'])
    expect(await inner.read()).toMatchObject({ refreshToken: 'refresh-3' })
  } finally {
    warned.mockRestore()
  }
})

it.each([
  ['is stored when the session is closed, if that works by then', false, 'refresh-2'],
  ['is told of once, if it still does not work', true, 'refresh-1'],
])('R-42: a pair that could not be stored %s', async (_what, stillFull, expected) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  onTestFinished(() => warned.mockRestore())
  const inner = memoryTokenStore()
  let full = false
  const store: TokenStore = {
    read: () => inner.read(),
    exclusive: (work, signal) =>
      inner.exclusive((held) => {
        const write = (session: StoredSession): Promise<void> =>
          full && session.presented === undefined
            ? Promise.reject(new Error('no space'))
            : held.write(session)
        return work({ ...held, write })
      }, signal),
  }
  const { clock, session } = await setUp({ store })
  full = true
  await clock.advance(HOUR)
  expect(await session.accessToken()).toBe('access-2')
  full = stillFull
  await session.close()
  expect(await inner.read()).toMatchObject({ refreshToken: expected })
  expect(warned).toHaveBeenCalledTimes(1)
})

it('R-42: nothing is presented when the store cannot keep word of it', async () => {
  const inner = memoryTokenStore()
  const store: TokenStore = {
    read: () => inner.read(),
    exclusive: (work) =>
      inner.exclusive((held) =>
        work({
          ...held,
          write: (session) =>
            session.presented === undefined ? held.write(session) : Promise.reject(new Error('no space')),
        }),
      ),
  }
  const { clock, session, server } = await setUp({ store })
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toThrow('no space')
  expect(server.presented).toEqual([])
})

it('R-03: an abort ends the wait for a refresh at once; the refresh goes on, and nothing of it is lost', async () => {
  const { clock, server, session, store } = await setUp()
  const { promise: gate, resolve } = Promise.withResolvers<void>()
  server.failNext(() => gate)
  await clock.advance(HOUR)
  const controller = new AbortController()
  const waiting = session.accessToken(controller.signal)
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(waiting).rejects.toBe(reason)
  await expect(session.accessToken(controller.signal)).rejects.toBe(reason)
  resolve()
  await session.close()
  expect(await store.read()).toMatchObject({ refreshToken: 'refresh-2' })
})

it('R-41: refresh() refreshes at once', async () => {
  const { session, server } = await setUp()
  await session.refresh()
  expect(await session.accessToken()).toBe('access-2')
  expect(server.presented).toEqual(['refresh-1'])
})

it('R-60: an observer that throws disturbs nothing', async () => {
  const { clock, session } = await setUp({
    emit() {
      throw new Error('mine')
    },
  })
  await clock.advance(HOUR)
  expect(await session.accessToken()).toBe('access-2')
})

it('R-11: a session, its credential and its errors show no token', async () => {
  const { clock, session, server } = await setUp()
  await session.refresh()
  server.failNext((token) => {
    throw new Error(`the answer to ${token}`)
  })
  await clock.advance(HOUR)
  const failure = await session.accessToken().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Error)
  const credential = bearerCredential(session.tokens)
  const shown = [session, credential, session.credential, session.tokens].map(
    (each) => inspect(each, { depth: 9, showHidden: true }) + JSON.stringify(each),
  )
  expect(shown.join()).not.toMatch(/access-\d|refresh-\d/)
})

const gateOn = (clock: Clock, limit = 10) =>
  new RequestGate({ limit, windowMs: MINUTE, log: memoryRequestLog(), clock, name: 'the token endpoints' })

it('R-42: a session whose refresh token has outlived its lifetime is not resumed', async () => {
  const { clock, options, session } = await setUp()
  await session.close()
  const limited = { ...options, refreshLifetimeMs: 30 * 24 * HOUR }
  await clock.advance(30 * 24 * HOUR - 1)
  expect(await TokenSession.resume(limited)).toBeInstanceOf(TokenSession)
  await clock.advance(1)
  expect(await TokenSession.resume(limited)).toBeUndefined()
})

it('R-43: the successor of a rejected token is kept for a minute if it is rejected, too, and the rate is limited', async () => {
  using clock = virtualClock({ autoAdvance: false })
  const { server, session, options } = await setUp({ clock, gate: gateOn(clock) })
  await clock.advance(2 * MINUTE)
  expect(await session.refused(await session.accessToken())).toBe(true)
  // Another process that shares the store does not try either.
  const other = (await TokenSession.resume(options))!
  expect(await other.refused(await other.accessToken())).toBe(false)
  // An endpoint that rejects every token: nine refreshes a minute would leave no room for a sign-in.
  for (let calls = 0; calls < 20; calls++)
    expect(await session.refused(await session.accessToken())).toBe(false)
  expect(server.presented).toEqual(['refresh-1'])
  expect(clock.elapsedMs).toBe(2 * MINUTE)
  await clock.advance(MINUTE)
  expect(await session.refused(await session.accessToken())).toBe(true)
  expect(server.presented).toEqual(['refresh-1', 'refresh-2'])
})

it('R-46: a refresh that waits for its turn does not hold the store', async () => {
  using clock = virtualClock({ autoAdvance: false })
  const gate = gateOn(clock, 1)
  const { session, server, store } = await setUp({ clock, gate })
  await clock.advance(HOUR)
  await gate.enter()
  const waiting = session.accessToken()
  await clock.settle()
  expect(await store.exclusive(async () => 'free')).toBe('free')
  expect(server.presented).toEqual([])
  await clock.advance(MINUTE + 1000)
  expect(await waiting).toBe('access-2')
})

it('R-46: a refresh that waits for its turn takes over the pair that another process has stored meanwhile', async () => {
  using clock = virtualClock({ autoAdvance: false })
  const gate = gateOn(clock, 1)
  const { session, server, store } = await setUp({ clock, gate })
  await clock.advance(HOUR)
  await gate.enter()
  const waiting = session.accessToken()
  await clock.settle()
  await write(store, {
    accessToken: 'access-of-another',
    refreshToken: 'refresh-of-another',
    obtainedAtMs: clock.now(),
    expiresAtMs: clock.now() + HOUR,
    subject: 'kim',
  })
  await clock.advance(MINUTE + 1000)
  expect(await waiting).toBe('access-of-another')
  expect(server.presented).toEqual([])
})

it('R-41: a token that lives for five seconds is used for most of them', async () => {
  const { clock, server, options } = await setUp()
  const issued: IssuedTokens = { accessToken: 'short', refreshToken: 'refresh-1', expiresInMs: 5000 }
  const session = await TokenSession.begin(options, issued, clock.now())
  for (let calls = 0; calls < 3; calls++) expect(await session.accessToken()).toBe('short')
  await clock.advance(3000)
  expect(await session.accessToken()).toBe('short')
  expect(server.presented).toEqual([])
  await clock.advance(1000)
  expect(await session.accessToken()).not.toBe('short')
})
