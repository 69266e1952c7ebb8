import { expect, it, onTestFinished, vi } from 'vitest'
import { AuthenticationError, RateLimitedError } from '../core/errors.ts'
import { rejection } from '../http/test-support/fixtures.ts'
import { flow, server as oauthServer, tokens } from './test-support/oauth-server.ts'
import { HOUR, response, setUp, write } from './test-support/token-sessions.ts'
import { resumeOAuth } from './oauth/oauth-session.ts'
import { type HeldTokenStore, memoryTokenStore, type TokenStore } from './token-store.ts'

/** A store in memory whose steps can fail. */
function failingStore() {
  const inner = memoryTokenStore()
  const fails: { write?: unknown; end?: unknown } = {}
  const store: TokenStore = {
    read: () => inner.read(),
    async exclusive<T>(work: (held: HeldTokenStore) => Promise<T>, signal?: AbortSignal): Promise<T> {
      const result = await inner.exclusive((held) => work(failing(held)), signal)
      if (fails.end !== undefined) throw fails.end
      return result
    },
  }
  const failing = (held: HeldTokenStore): HeldTokenStore => ({
    ...held,
    // Like a rename whose folder can't be synced: the content changes, but may not be durable.
    async write(session) {
      await held.write(session)
      if (fails.write !== undefined) throw fails.write
    },
  })
  return { inner, fails, store }
}

const ioError = () => Object.assign(new Error('read-only'), { code: 'EROFS' })

it.each([
  ['stored', false],
  ['not stored either', true],
])('R-42: a new pair survives a store that fails to end the turn, if it was %s', async (_what, isUnsaved) => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  onTestFinished(() => warned.mockRestore())
  const { inner, fails, store } = failingStore()
  const { clock, server, session } = await setUp({ store })
  await clock.advance(HOUR)
  const before = { ...(await inner.read())!, presented: 1 }
  server.failNext(() => {
    fails.end = ioError()
  })
  expect(await session.accessToken()).toBe('access-2')
  expect(warned).toHaveBeenCalledTimes(1)
  fails.end = undefined
  // A transaction that was rolled back, for example.
  if (isUnsaved) await write(inner, before)
  await session.close()
  expect(await inner.read()).toMatchObject({ accessToken: 'access-2', refreshToken: 'refresh-2' })
  expect(server.presented).toEqual(['refresh-1'])
})

it('R-42: a mark that was stored by a failing write does not count, because nothing was presented', async () => {
  const { inner, fails, store } = failingStore()
  const { clock, server, session } = await setUp({ store })
  await clock.advance(HOUR)
  const failure = (fails.write = ioError())
  for (let count = 0; count < 3; count++) expect(await rejection(session.accessToken())).toBe(failure)
  expect(server.presented).toEqual([])
  expect(await inner.read()).not.toHaveProperty('presented')
  fails.write = undefined
  expect(await session.accessToken()).toBe('access-2')
  await session.close()
})

it('R-47: the error of a rate limit that a store throws is not that of the refresh', async () => {
  const { fails, store } = failingStore()
  const { clock, server, session } = await setUp({ store })
  await clock.advance(HOUR)
  const denied = (fails.write = new RateLimitedError('foreign', response(429), { retryHelps: true }))
  expect(await rejection(session.accessToken())).toBe(denied)
  fails.write = undefined
  expect(await session.accessToken()).toBe('access-2')
  expect(server.presented).toEqual(['refresh-1'])
  await session.close()
})

it.each([
  ['a 401', () => new AuthenticationError('foreign', response(401))],
  [
    'a code that ends a grant',
    () => new AuthenticationError('foreign', { ...response(400), body: { error: 'invalid_grant' } }),
  ],
])('R-42: %s of the secret of the client does not reject the refresh token', async (_what, create) => {
  const { clock, options, seen } = oauthServer(tokens('access-2', { refresh_token: 'refresh-2' }))
  const store = memoryTokenStore()
  const obtainedAtMs = clock.now() - HOUR
  await write(store, {
    accessToken: 'access-1',
    refreshToken: 'refresh-1',
    obtainedAtMs,
    expiresAtMs: obtainedAtMs + 1,
  })
  const error = create()
  let fails = true
  const clientSecret = () => (fails ? Promise.reject(error) : 'secret')
  const own = { ...options, clientSecret, clientAuthentication: 'form', store } as const
  const session = (await resumeOAuth(flow, own))!
  expect(await rejection(session.accessToken())).toBe(error)
  fails = false
  expect(await session.accessToken()).toBe('access-2')
  expect(seen).toHaveLength(1)
  await session.close()
})
