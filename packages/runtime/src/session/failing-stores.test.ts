import { expect, it } from 'vitest'
import { AuthenticationError } from '../core/errors.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { flow, server as oauthServer, tokens } from './test-support/oauth-server.ts'
import {
  failingStore,
  HOUR,
  pairOfAnother,
  recordWarnings,
  response,
  setUp,
  tooMany,
  write,
} from './test-support/token-sessions.ts'
import { resumeOAuth } from './oauth/oauth-session.ts'
import { TokenSession } from './token-session.ts'
import { memoryTokenStore } from './token-store.ts'

const ioError = () => Object.assign(new Error('read-only'), { code: 'EROFS' })

/** A session whose second pair could not be stored, and its store, which works again. */
async function unsavedPair() {
  const warned = recordWarnings()
  const { store, ...failing } = failingStore()
  const scene = await setUp({ store })
  failing.faults.full = 'pairs'
  await scene.clock.advance(HOUR)
  expect(await scene.session.accessToken()).toBe('access-2')
  failing.faults.full = undefined
  return { ...scene, ...failing, warned }
}

it('R-42: a pair that cannot be stored is kept in memory, and stored as soon as that works', async () => {
  const { clock, session, server, inner, faults, warned } = await unsavedPair()
  faults.full = 'pairs'
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
  faults.full = undefined
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
})

it.each([
  ['is stored when the session is closed, if that works then', undefined, 'refresh-2'],
  ['is reported once, if it still fails', 'pairs', 'refresh-1'],
] as const)('R-42: a pair that could not be stored %s', async (_what, full, expected) => {
  const { session, inner, warned, faults } = await unsavedPair()
  faults.full = full
  await session.close()
  expect(await inner.read()).toMatchObject({ refreshToken: expected })
  expect(warned).toHaveBeenCalledTimes(1)
})

it('R-42: an unsaved pair does not replace one that another process has stored since', async () => {
  const { session, clock, inner, server } = await unsavedPair()
  await clock.advance(HOUR)
  const other = pairOfAnother(clock)
  await write(inner, other)
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

it('R-41: a session without a known user is forgotten even if its last pair could not be stored', async () => {
  recordWarnings()
  const { clock, server, options } = await setUp()
  const { inner, faults, store } = failingStore()
  const { subject: _, ...pair } = server.pair()
  const session = await TokenSession.begin({ ...options, store }, pair, clock.now())
  faults.full = 'pairs'
  await session.refresh()
  faults.full = undefined
  await session.forget()
  expect(await inner.read()).toBeUndefined()
})

it('R-42: nothing is presented if the store cannot record it', async () => {
  const { faults, store } = failingStore()
  const { clock, session, server } = await setUp({ store })
  faults.full = 'marks'
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toThrow('no space')
  expect(server.presented).toEqual([])
})

it.each([
  ['stored', false],
  ['not stored either', true],
])('R-42: a new pair survives a store that fails to end the turn, if it was %s', async (_what, isUnsaved) => {
  const warned = recordWarnings()
  const { inner, faults, store } = failingStore()
  const { clock, server, session } = await setUp({ store })
  await clock.advance(HOUR)
  const before = { ...(await inner.read())!, presented: 1 }
  server.failNext(() => {
    faults.ended = ioError()
  })
  expect(await session.accessToken()).toBe('access-2')
  expect(warned).toHaveBeenCalledTimes(1)
  faults.ended = undefined
  // A transaction that was rolled back, for example.
  if (isUnsaved) await write(inner, before)
  await session.close()
  expect(await inner.read()).toMatchObject({ accessToken: 'access-2', refreshToken: 'refresh-2' })
  expect(server.presented).toEqual(['refresh-1'])
})

it('R-42: a mark that was stored by a failing write does not count, because nothing was presented', async () => {
  const { inner, faults, store } = failingStore()
  const { clock, server, session } = await setUp({ store })
  await clock.advance(HOUR)
  const failure = (faults.written = ioError())
  for (let count = 0; count < 3; count++) expect(await rejection(session.accessToken())).toBe(failure)
  expect(server.presented).toEqual([])
  expect(await inner.read()).not.toHaveProperty('presented')
  faults.written = undefined
  expect(await session.accessToken()).toBe('access-2')
})

it('R-47: the error of a rate limit that a store throws is not that of the refresh', async () => {
  const { faults, store } = failingStore()
  const { clock, server, session } = await setUp({ store })
  await clock.advance(HOUR)
  const denied = (faults.written = tooMany())
  expect(await rejection(session.accessToken())).toBe(denied)
  faults.written = undefined
  expect(await session.accessToken()).toBe('access-2')
  expect(server.presented).toEqual(['refresh-1'])
})

it.each([
  ['a 401', new AuthenticationError('foreign', response(401))],
  [
    'a code that ends a grant',
    new AuthenticationError('foreign', { ...response(400), body: { error: 'invalid_grant' } }),
  ],
])('R-42: %s of the secret of the client does not reject the refresh token', async (_what, error) => {
  const { clock, options, seen } = oauthServer(tokens('access-2', { refresh_token: 'refresh-2' }))
  const store = memoryTokenStore()
  const obtainedAtMs = clock.now() - HOUR
  await write(store, {
    accessToken: 'access-1',
    refreshToken: 'refresh-1',
    obtainedAtMs,
    expiresAtMs: obtainedAtMs + 1,
  })
  let fails = true
  const clientSecret = () => (fails ? Promise.reject(error) : 'secret')
  const own = { ...options, clientSecret, clientAuthentication: 'form', store } as const
  const session = (await resumeOAuth(flow, own))!
  expect(await rejection(session.accessToken())).toBe(error)
  fails = false
  expect(await session.accessToken()).toBe('access-2')
  expect(seen).toHaveLength(1)
})
