import { inspect } from 'node:util'
import { expect, it, vi } from 'vitest'
import { bearerCredential } from '../http/credential.ts'
import { HOUR, MINUTE, notSent, pairOfAnother, setUp, write } from './test-support/token-sessions.ts'
import { TokenSession } from './token-session.ts'
import type { IssuedTokens, StoredSession } from './token-store.ts'

it('R-41: after 55 minutes a call starts a refresh, and does not wait for it', async () => {
  const { clock, server, session, events, store } = await setUp()
  const { promise: limiter, resolve } = Promise.withResolvers<void>()
  server.failNext(() => limiter)
  await clock.advance(55 * MINUTE - 1)
  expect(await session.accessToken()).toBe('access-1')
  await clock.settle()
  expect(server.presented).toEqual([])
  await clock.advance(1)
  expect(await session.accessToken()).toBe('access-1')
  expect(await session.accessToken()).toBe('access-1')
  await clock.settle()
  expect(server.presented).toEqual(['refresh-1'])
  resolve()
  await clock.settle()
  expect(await session.accessToken()).toBe('access-2')
  expect(server.presented).toEqual(['refresh-1'])
  expect(events).toEqual([{ type: 'refresh', outcome: 'refreshed' }])
  // The user and the details stay.
  expect(await store.read()).toEqual({
    accessToken: 'access-2',
    refreshToken: 'refresh-2',
    obtainedAtMs: clock.now(),
    expiresAtMs: clock.now() + HOUR,
    subject: 'kim',
    details: { name: 'Kim' },
  })
})

it('R-41: once the access token has expired, all calls wait for one refresh', async () => {
  const { clock, server, session, events } = await setUp()
  await clock.advance(HOUR)
  const tokens = await Promise.all(Array.from({ length: 20 }, () => session.accessToken()))
  expect(new Set(tokens)).toEqual(new Set(['access-2']))
  expect(server.presented).toEqual(['refresh-1'])
  expect(events).toHaveLength(1)
})

it('R-41: the lifetime of a token is counted from its request, not from its receipt', async () => {
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

it('R-41: a pair that another process has stored is found without holding the store', async () => {
  const { clock, store, session, server } = await setUp()
  await clock.advance(HOUR)
  await write(store, pairOfAnother(clock))
  const { promise: busy, resolve } = Promise.withResolvers<void>()
  const holding = store.exclusive(() => busy)
  expect(await session.accessToken()).toBe('access-of-another')
  resolve()
  await holding
  expect(server.presented).toEqual([])
})

it('R-41: a failed early refresh is repeated after half a minute, not by every call', async () => {
  const { clock, server, session } = await setUp()
  server.failWith(notSent())
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

it('R-41: a session is never replaced by one of another user', async () => {
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

it('R-41: a session that was removed from the store ends for good', async () => {
  const { clock, store, session, options, server } = await setUp()
  await (await TokenSession.resume(options))!.forget()
  await clock.advance(HOUR)
  await expect(session.accessToken()).rejects.toMatchObject({ reason: 'removed' })
  expect(await store.read()).toBeUndefined()
  expect(server.presented).toEqual([])
})

const NO_REFRESH: Partial<StoredSession> = { refreshToken: undefined as never }
const OTHER = { accessToken: 'access-of-other', refreshToken: 'refresh-of-other' }
const OWNERS: [string, Partial<StoredSession>, Partial<StoredSession>, 'stays' | 'goes'][] = [
  ['another user has signed in', { ...OTHER, subject: 'ola' }, { subject: 'kim' }, 'stays'],
  [
    'another user has the same pair',
    { ...OTHER, refreshToken: 'refresh-1', subject: 'ola' },
    { subject: 'kim' },
    'stays',
  ],
  ['the same user has signed in again', { ...OTHER, subject: 'kim' }, { subject: 'kim' }, 'goes'],
  ['the user of the stored pair is unknown', OTHER, { subject: 'kim' }, 'stays'],
  ['the users of both pairs are unknown', OTHER, {}, 'stays'],
  ['the users are unknown, but the pairs are the same', { ...OTHER, refreshToken: 'refresh-1' }, {}, 'goes'],
  [
    'only the stored pair has a user, and the pairs are the same',
    { ...OTHER, refreshToken: 'refresh-1', subject: 'kim' },
    {},
    'goes',
  ],
  ['there is only an access token, another one', { accessToken: 'access-of-other' }, {}, 'stays'],
  ['there is only an access token, the same', { accessToken: 'access-1' }, {}, 'goes'],
  ['only the stored pair can be refreshed', OTHER, NO_REFRESH, 'stays'],
  [
    'only the stored pair can be refreshed, and the access tokens are the same',
    { ...OTHER, accessToken: 'access-1' },
    NO_REFRESH,
    'goes',
  ],
]

it.each(OWNERS)('R-41: forgetting removes only its own session: %s', async (_what, stored, known, what) => {
  const { options, server, clock, store } = await setUp()
  const { subject: _, ...pair } = server.pair()
  const session = await TokenSession.begin(options, { ...pair, ...known } as IssuedTokens, clock.now())
  await write(store, { obtainedAtMs: 0, ...stored } as StoredSession)
  await session.forget()
  expect((await store.read()) === undefined ? 'goes' : 'stays').toBe(what)
})

it('R-41: a forgotten session returns no token, even though it has one, and renews none', async () => {
  const { server, session } = await setUp({ remedy: 'Sign in again.' })
  await session.forget()
  await expect(session.accessToken()).rejects.toMatchObject({
    reason: 'removed',
    message: expect.stringContaining('Sign in again.') as string,
  })
  expect(await session.rejected('access-1')).toBe(false)
  expect(server.presented).toEqual([])
})

it('R-03: an abort ends the wait for a refresh at once; the refresh continues, and its pair is stored', async () => {
  const { clock, server, session, store } = await setUp()
  const { promise: limiter, resolve } = Promise.withResolvers<void>()
  server.failNext(() => limiter)
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

it('R-60: an observer that throws affects nothing', async () => {
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
  server.failWith(new Error('the response to refresh-2'))
  await clock.advance(HOUR)
  const failure = await session.accessToken().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Error)
  const credential = bearerCredential(session.tokens)
  const shown = [session, credential, session.credential, session.tokens].map(
    (each) => inspect(each, { depth: 9, showHidden: true }) + JSON.stringify(each),
  )
  expect(shown.join()).not.toMatch(/access-\d|refresh-\d/)
})

it('R-41: a session has its details and expiry, and JSON shows only the expiry', async () => {
  const { clock, session } = await setUp()
  expect(session.details).toEqual({ name: 'Kim' })
  expect(session.expiresAtMs).toBe(clock.now() + HOUR)
  expect(JSON.parse(JSON.stringify(session))).toEqual({ expiresAtMs: clock.now() + HOUR })
})

it('R-40: the credential of a session sends the current access token, and renews it', async () => {
  const { clock, session } = await setUp()
  const { value, rejected, ...header } = session.credential
  expect(header).toEqual({ in: 'header', name: 'authorization', prefix: 'Bearer ' })
  const read = value as () => Promise<string>
  expect(await read()).toBe('access-1')
  expect(await rejected?.('access-1')).toBe(true)
  expect(await read()).toBe('access-2')
  await clock.advance(HOUR)
  expect(await session.tokens.get()).toBe('access-3')
  expect(await session.tokens.rejected('access-3')).toBe(true)
  expect(await session.tokens.get()).toBe('access-4')
})

it('R-41: a session that another process has removed can still be forgotten', async () => {
  const { session, store } = await setUp()
  await store.exclusive((held) => held.remove())
  await session.forget()
  expect(await store.read()).toBeUndefined()
})

it('R-60: a failed refresh is an event with the code of the error, if it has one', async () => {
  const { clock, server, session, events } = await setUp()
  server.failWith(notSent(), new Error('a bug'))
  await clock.advance(HOUR)
  for (let count = 0; count < 2; count++) await expect(session.accessToken()).rejects.toThrow()
  expect(events).toStrictEqual([
    { type: 'refresh', outcome: 'failed', failure: 'connection' },
    { type: 'refresh', outcome: 'failed' },
  ])
})

it('R-41: with keepFresh, a pair without a known expiry sets no timer', async () => {
  const { clock, options } = await setUp()
  const setTimer = vi.spyOn(clock, 'setTimer')
  const pair = { accessToken: 'a', refreshToken: 'r' }
  const session = await TokenSession.begin({ ...options, keepFresh: true }, pair, clock.now())
  // Even one that never fires would keep the process alive.
  expect(setTimer).not.toHaveBeenCalled()
  await session.close()
})

it('R-03: accessToken with an aborted signal rejects, even if the token is valid', async () => {
  const { session } = await setUp()
  const reason = new Error('enough')
  await expect(session.accessToken(AbortSignal.abort(reason))).rejects.toBe(reason)
})

it('R-03: a wait for a refresh ends with the signal', async () => {
  const { server, session } = await setUp()
  server.failNext(() => new Promise<never>(() => undefined))
  const controller = new AbortController()
  const waiting = [session.refresh(controller.signal), session.rejected('access-1', controller.signal)]
  const reason = new Error('enough')
  controller.abort(reason)
  for (const each of waiting) await expect(each).rejects.toBe(reason)
})
