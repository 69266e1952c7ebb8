import { expect, onTestFinished, it, vi } from 'vitest'
import {
  ApiError,
  BadRequestError,
  ConnectionError,
  OptionsError,
  ServerError,
  SessionLostError,
} from '../core/errors.ts'
import { memoryTokenStore, type StoredSession, type TokenStore } from './token-store.ts'
import {
  response,
  HOUR,
  lostResponse,
  MINUTE,
  notSent,
  denial,
  setUp,
  write,
} from './test-support/token-sessions.ts'
import { TokenSession } from './token-session.ts'

it('R-42: the store says that the refresh token was presented before it is sent', async () => {
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

it('R-42: a refresh token without a known response is presented exactly once more', async () => {
  const { clock, server, store, session } = await setUp()
  server.failNext(() => {
    throw lostResponse()
  })
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toThrow(ConnectionError)
  expect(await store.read()).toMatchObject({ presented: 1 })
  expect(await session.accessToken()).toBe('access-2')
  expect(server.presented).toEqual(['refresh-1', 'refresh-1'])
})

it('R-42: after two presentations without a response the session is lost, and nothing more is presented', async () => {
  const { clock, server, options, session } = await setUp()
  const fail = () => {
    throw lostResponse()
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

it('R-42: a refresh token that the service rejects is never presented again by any process', async () => {
  const { clock, server, options, session, events } = await setUp()
  server.valid.clear()
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toMatchObject({ code: 'session-lost', reason: 'rejected' })
  await expect(session.accessToken()).rejects.toThrow(/session is lost.*rejected.*Sign in again/)
  expect(await TokenSession.resume(options)).toBeUndefined()
  expect(server.presented).toEqual(['refresh-1'])
  // An observer of the new process learns why the session is gone.
  const failed = { type: 'refresh', outcome: 'failed', failure: 'session-lost' }
  expect([events[0], events.at(-1)]).toEqual([failed, failed])
})

it('R-42: an access token is used until it expires, even if an early refresh was rejected', async () => {
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
  ['a 400', () => new BadRequestError('400', response(400))],
  ['a 403', () => new ApiError('403', response(403))],
  ['a 404', () => new ApiError('404', response(404))],
  ['a 422', () => new ApiError('422', response(422))],
  ['an error before anything is sent', () => new OptionsError('authUrl', 'is wrong.', 'Right it.')],
])('R-42: the refresh token can be presented again after %s', async (_what, failure) => {
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
    throw new ServerError('500', response(500))
  })
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toThrow(ServerError)
  expect(await store.read()).toMatchObject({ presented: 1 })
})

it.each([
  ['an authentication error', denial()],
  ['an error of a request that was not sent', notSent()],
])('R-42: the reason for ending a refresh does not judge its token, even if it is %s', async (_, reason) => {
  const ending = new AbortController()
  const { clock, server, store, session } = await setUp({
    signal: ending.signal,
    outcomeOf: (error) => (error === reason ? 'not-presented' : undefined),
  })
  server.failNext(() => {
    ending.abort(reason)
    throw reason
  })
  await clock.advance(HOUR)
  expect(await session.accessToken().catch((error: unknown) => error)).toBe(reason)
  const stored = await store.read()
  expect(stored).toMatchObject({ refreshToken: 'refresh-1', presented: 1 })
  expect(stored).not.toHaveProperty('rejected')
})

it('R-42: outcomeOf overrides the judgment by status', async () => {
  const locked = denial()
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
  await expect(session.accessToken()).rejects.toMatchObject({ reason: 'rejected' })
})

it('R-42: a session that is lost by server errors says so', async () => {
  const { clock, server, session } = await setUp()
  const fail = () => {
    throw new ServerError('500', response(500))
  }
  server.failNext(fail, fail)
  await clock.advance(HOUR)
  for (let count = 0; count < 2; count++) await expect(session.accessToken()).rejects.toThrow(ServerError)
  await expect(session.accessToken()).rejects.toThrow(/lost or a server error/)
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
    // Storing is tried again after half a minute, not by every call.
    await session.accessToken()
    await clock.settle()
    expect(warned).toHaveBeenCalledTimes(1)
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
  ['is stored when the session is closed, if that works then', false, 'refresh-2'],
  ['is reported once, if it still fails', true, 'refresh-1'],
])('R-42: a pair that could not be stored %s', async (_what, stillFull, expected) => {
  const { session, inner, warned, disk } = await unsavedPair()
  disk.full = stillFull
  await session.close()
  expect(await inner.read()).toMatchObject({ refreshToken: expected })
  expect(warned).toHaveBeenCalledTimes(1)
})

it('R-42: nothing is presented if the store cannot record it', async () => {
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

it('R-42: a session with an expired refresh token is not resumed', async () => {
  const { clock, options, session } = await setUp()
  await session.close()
  const limited = { ...options, refreshLifetimeMs: 30 * 24 * HOUR }
  await clock.advance(30 * 24 * HOUR - 1)
  expect(await TokenSession.resume(limited)).toBeInstanceOf(TokenSession)
  await clock.advance(1)
  expect(await TokenSession.resume(limited)).toBeUndefined()
})

/** A session with a pair that could not be stored, and the store, which works again. */
async function unsavedPair() {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  onTestFinished(() => warned.mockRestore())
  const inner = memoryTokenStore()
  const disk = { full: false }
  const store: TokenStore = {
    read: () => inner.read(),
    exclusive: (work, signal) =>
      inner.exclusive((held) => {
        const write = (session: StoredSession): Promise<void> =>
          disk.full && session.presented === undefined
            ? Promise.reject(new Error('no space'))
            : held.write(session)
        return work({ ...held, write })
      }, signal),
  }
  const scene = await setUp({ store })
  disk.full = true
  await scene.clock.advance(HOUR)
  expect(await scene.session.accessToken()).toBe('access-2')
  disk.full = false
  return { ...scene, inner, warned, disk }
}

it('R-42: an unsaved pair does not replace one that another process has stored since', async () => {
  const { session, clock, inner, server } = await unsavedPair()
  const other = {
    accessToken: 'access-of-another',
    refreshToken: 'refresh-of-another',
    obtainedAtMs: clock.now() + HOUR,
    expiresAtMs: clock.now() + 2 * HOUR,
    subject: 'kim',
  }
  await write(inner, other)
  await clock.advance(HOUR)
  expect(await session.accessToken()).toBe('access-of-another')
  await session.close()
  expect(await inner.read()).toEqual(other)
  expect(server.presented).toEqual(['refresh-1'])
})

it('R-42: an unsaved pair does not bring back a session that was removed since', async () => {
  const { session, clock, inner } = await unsavedPair()
  await inner.exclusive((held) => held.remove())
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toMatchObject({ code: 'session-lost', reason: 'removed' })
  await session.close()
  expect(await inner.read()).toBeUndefined()
})

it('R-42: an issued pair is stored without empty fields', async () => {
  const { clock, options, store } = await setUp()
  const asked = clock.now()
  await TokenSession.begin(options, { accessToken: 'a' }, asked)
  expect(await store.read()).toStrictEqual({ accessToken: 'a', obtainedAtMs: asked })
  // JSON has no infinity, so such an expiry is unknown.
  await TokenSession.begin(options, { accessToken: 'a', expiresInMs: Infinity }, asked)
  expect(await store.read()).toStrictEqual({ accessToken: 'a', obtainedAtMs: asked })
})
