import { expect, it } from 'vitest'
import {
  ApiError,
  BadRequestError,
  ConnectionError,
  OptionsError,
  ServerError,
  SessionLostError,
} from '../core/errors.ts'
import type { StoredSession } from './token-store.ts'
import {
  denial,
  HOUR,
  lostResponse,
  MINUTE,
  notSent,
  response,
  setUp,
} from './test-support/token-sessions.ts'
import { TokenSession } from './token-session.ts'

const serverError = () => new ServerError('500', response(500))

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

it.each([
  ['a lost response', lostResponse()],
  ['a server error', serverError()],
])('R-42: after %s, the refresh token is presented exactly once more', async (_what, failure) => {
  const { clock, server, store, session } = await setUp()
  server.failWith(failure)
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toBe(failure)
  expect(await store.read()).toMatchObject({ presented: 1 })
  expect(await session.accessToken()).toBe('access-2')
  expect(server.presented).toEqual(['refresh-1', 'refresh-1'])
})

it.each([
  ['lost responses', ConnectionError, lostResponse],
  ['server errors', ServerError, serverError],
])('R-42: after two %s, the session is lost, and nothing more is presented', async (_what, type, failure) => {
  const { clock, server, options, session } = await setUp()
  server.failWith(failure(), failure())
  await clock.advance(HOUR)
  for (let count = 0; count < 2; count++) await expect(session.accessToken()).rejects.toThrow(type)
  for (let count = 0; count < 5; count++)
    await expect(session.accessToken()).rejects.toMatchObject({
      code: 'session-lost',
      reason: 'outcome-unknown',
      remedy: 'Sign in again.',
      message: expect.stringContaining('lost or was a server error') as string,
    })
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
  ['a connection that was never made', notSent()],
  ['a 400', new BadRequestError('400', response(400))],
  ['a 403', new ApiError('403', response(403))],
  ['a 404', new ApiError('404', response(404))],
  ['a 422', new ApiError('422', response(422))],
  ['an error before anything is sent', new OptionsError('authUrl', 'is wrong.', 'Right it.')],
])('R-42: the refresh token can be presented again after %s', async (_what, failure) => {
  const { clock, server, store, session } = await setUp()
  server.failWith(failure, failure, failure, failure)
  await clock.advance(HOUR)
  for (let count = 0; count < 4; count++) await expect(session.accessToken()).rejects.toThrow()
  expect(await store.read()).not.toHaveProperty('presented')
  expect(await session.accessToken()).toBe('access-2')
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
  server.failWith(locked)
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toBe(locked)
  expect(await store.read()).not.toHaveProperty('presented')
  expect(await session.accessToken()).toBe('access-2')
  server.valid.clear()
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toMatchObject({ reason: 'rejected' })
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

it('R-42: an issued pair is stored without empty fields', async () => {
  const { clock, options, store } = await setUp()
  const asked = clock.now()
  await TokenSession.begin(options, { accessToken: 'a' }, asked)
  expect(await store.read()).toStrictEqual({ accessToken: 'a', obtainedAtMs: asked })
  // JSON has no infinity, so such an expiry is unknown.
  await TokenSession.begin(options, { accessToken: 'a', expiresInMs: Infinity }, asked)
  expect(await store.read()).toStrictEqual({ accessToken: 'a', obtainedAtMs: asked })
})
