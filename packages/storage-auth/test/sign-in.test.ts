import { scriptedTransport, virtualClock } from '@concord/runtime/testing'
import { expect, it } from 'vitest'

import {
  AccountLockedError,
  AuthenticationError,
  CodeRejectedError,
  DeadlineError,
  type HeldTokenStore,
  memoryStore,
  OptionsError,
  PasswordNotSetError,
  RateLimitedError,
  StorageAuth,
  type StorageAuthOptions,
  type TokenStore,
  WrongCredentialsError,
} from '../src/index.ts'
import { hold, HOUR, MINUTE, offline, rejection, responding, TOKENS } from './support.ts'

it('signIn returns a session that knows its user', async () => {
  const { storage, login, clock } = await offline()
  const session = await storage.signIn(login)
  expect(session.kind).toBe('tokens')
  expect(session.user).toMatchObject({ email: 'kim@mail.example', name: 'Kim Berg' })
  expect(session.expiresAtMs).toBe(clock.now() + HOUR)
})

it('a wrong password throws WrongCredentialsError, and is not repeated', async () => {
  const { storage, login, sent } = await offline()
  const failure = await rejection(storage.signIn({ ...login, password: 'wrong' }))
  expect(failure).toBeInstanceOf(WrongCredentialsError)
  expect(failure).toMatchObject({ code: 'http', operation: 'createToken', status: 401, attempts: 1 })
  expect((failure as Error).message).toBe(
    'createToken: the service returned 401: the email address or the password is wrong. The sign-in is not retried automatically: ' +
      'five failures lock the account for 15 minutes. The service says: Invalid email or password',
  )
  expect(AuthenticationError.is(failure)).toBe(true)
  expect(sent).toEqual(['POST /auth-api/auth/token'])
})

it('an account without a password throws PasswordNotSetError, with a remedy', async () => {
  const { storage } = await offline()
  const failure = storage.signIn({ email: 'ola@mail.example', password: 'any' })
  await expect(failure).rejects.toBeInstanceOf(PasswordNotSetError)
  await expect(failure).rejects.toThrow(/signInWithBrowser/)
})

it('a locked account is recognized by the beginning of the message, and the error says when to try again', async () => {
  const { storage, login, emulator, clock } = await offline()
  emulator.storageAuth.control.lockAccount(login.email)
  await clock.advance(4 * MINUTE)
  const failure = await rejection(storage.signIn(login))
  expect(failure).toBeInstanceOf(AccountLockedError)
  expect(failure).toMatchObject({ operation: 'createToken', lockedUntilMs: clock.now() + 15 * MINUTE })
  expect((failure as AccountLockedError).message).toContain('Try again after 2026-03-02T09:19:00.000Z')
})

it('a Retry-After that is shorter than the documented lock does not move its latest end', async () => {
  const clock = virtualClock()
  const init = { status: 401, headers: { 'retry-after': '90' } }
  const storage = responding(() => Response.json('Account is temporarily locked', init), { clock })
  const failure = await rejection(storage.signIn({ email: 'a', password: 'b' }))
  expect(failure).toBeInstanceOf(AccountLockedError)
  expect(failure).toMatchObject({ lockedUntilMs: clock.now() + 15 * MINUTE, retryAfterMs: 90_000 })
})

const bodies: [string, (message: string) => Response][] = [
  ['a field', (message) => Response.json({ message }, { status: 401 })],
  ['another field', (message) => Response.json({ error: message }, { status: 401 })],
  [
    'a nested field',
    (message) => Response.json({ errors: [{ detail: { text: message } }] }, { status: 401 }),
  ],
  ['a JSON string', (message) => Response.json(message, { status: 401 })],
  ['plain text', (message) => new Response(message, { status: 401 })],
  ['plain text with white space', (message) => new Response(` ${message}\n`, { status: 401 })],
]

it.each(bodies)('the messages of a rejected login are found in %s', async (_where, respond) => {
  const codes = async (message: string) => {
    const storage = responding(() => respond(message))
    const failure = await rejection(storage.signIn({ email: 'a', password: 'b' }))
    return (failure as Error).name
  }
  expect(await codes('Invalid email or password')).toBe('storage-auth.WrongCredentialsError')
  expect(await codes('Password is not set for this user')).toBe('storage-auth.PasswordNotSetError')
  expect(await codes('Account is temporarily locked for 9 minutes')).toBe('storage-auth.AccountLockedError')
  // Only the beginning of the last message is documented; the others must match exactly.
  expect(await codes('Invalid email or password.')).toBe('AuthenticationError')
  expect(await codes('Your account is temporarily locked')).toBe('AuthenticationError')
  expect(await codes('Sorry. Account is temporarily locked')).toBe('AuthenticationError')
})

it('a code signs in once; used again, or after a minute, it throws CodeRejectedError', async () => {
  const { storage, emulator, login, clock } = await offline()
  const { control } = emulator.storageAuth
  const code = control.issueCode(login.email)
  const session = await storage.exchangeCode(code)
  expect(session.user?.email).toBe(login.email)
  const again = storage.exchangeCode(code)
  await expect(again).rejects.toBeInstanceOf(CodeRejectedError)
  await expect(again).rejects.toThrow(/works only once, and expires after 60 seconds/)
  const late = control.issueCode(login.email)
  await clock.advance(60_001)
  await expect(storage.exchangeCode(late)).rejects.toBeInstanceOf(CodeRejectedError)
})

it('R-46: at most ten requests a minute are sent, of any kind and by any client', async () => {
  const { storage, client, login, clock, emulator } = await offline()
  for (let count = 0; count < 10; count++) await storage.signIn(login)
  expect(clock.elapsedMs).toBe(0)
  const session = await storage.signIn(login)
  expect(clock.elapsedMs).toBe(61_000)
  for (let count = 0; count < 10; count++) await session.refresh()
  expect(clock.elapsedMs).toBe(2 * 61_000)
  expect(emulator.storageAuth.control.counters().rateLimited).toBe(0)
  // A client with its own store doesn't know about these requests, so the service denies one of its own.
  for (let count = 0; count < 9; count++) await session.refresh()
  const other = client()
  await other.signIn(login)
  expect(emulator.storageAuth.control.counters().rateLimited).toBeGreaterThan(0)
})

it('R-46: a wait for the rate that would outlast the deadline of the client or the call is an error immediately', async () => {
  const { client, login, sent, clock } = await offline()
  const storage = client({ deadline: '30s' })
  for (let count = 0; count < 10; count++) await storage.signIn(login)
  for (const wait of [
    () => storage.signIn(login),
    () => storage.api.createToken({ body: login }),
    () => storage.signIn(login, { deadline: '1m' }),
  ])
    expect(await rejection(wait())).toBeInstanceOf(DeadlineError)
  expect(sent).toHaveLength(10)
  expect(clock.elapsedMs).toBe(0)
  await storage.signIn(login, { deadline: '2m' })
  expect(clock.elapsedMs).toBe(61_000)
})

it('tokens that could not be stored are not requested', async () => {
  const failure = new Error('the disk is gone')
  const read = () => Promise.reject(failure)
  const { client, login, emulator, sent } = await offline()
  const held = { read, write: read, remove: read }
  for (const exclusive of [read, (work: (store: HeldTokenStore) => Promise<never>) => work(held)]) {
    const storage = client({ store: { read, exclusive } as TokenStore })
    await expect(storage.signIn(login)).rejects.toBe(failure)
    const code = emulator.storageAuth.control.issueCode(login.email)
    await expect(storage.exchangeCode(code)).rejects.toBe(failure)
  }
  expect(sent).toEqual([])
})

it('R-03: while another process holds the store, a sign-in waits until its deadline or an abort', async () => {
  const store = memoryStore()
  const { storage, login, sent, clock } = await offline({ store })
  const release = hold(store)
  const failure = storage.signIn(login, { deadline: '3s' })
  await expect(failure).rejects.toBeInstanceOf(DeadlineError)
  await expect(failure).rejects.toThrow(/The store was in use until the deadline/)
  await expect(failure).rejects.toMatchObject({ limitMs: 3000, elapsedMs: 3000 })
  expect(clock.elapsedMs).toBe(3000)
  const reason = new Error('enough')
  await expect(storage.signIn(login, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  expect(sent).toEqual([])
  await release()
  await storage.signIn(login, { deadline: '3s' })
  expect(clock.timers).toBe(0)
})

it('R-46: a 429 is retried with growing pauses, up to five attempts or as many as requested', async () => {
  const { storage, login, emulator, sent, clock } = await offline({ tokenRequestsPerMinute: Infinity })
  const { faults } = emulator.storageAuth.control
  faults.add({ kind: 'status', status: 429, operation: 'createToken', times: 2 })
  await storage.signIn(login)
  expect(sent).toHaveLength(3)
  expect(clock.elapsedMs).toBe(5000 + 10_000)
  faults.add({ kind: 'status', status: 429, operation: 'exchangeCode', times: 6 })
  const code = emulator.storageAuth.control.issueCode(login.email)
  await expect(storage.exchangeCode(code, { maxAttempts: 1 })).rejects.toBeInstanceOf(RateLimitedError)
  expect(sent).toHaveLength(4)
  await expect(storage.exchangeCode(code)).rejects.toBeInstanceOf(RateLimitedError)
  expect(sent).toHaveLength(9)
  // A refresh token works only once, so the raw call sends it once.
  faults.add({ kind: 'status', status: 429, operation: 'refreshToken' })
  await expect(storage.api.refreshToken({ body: { refresh_token: 'a' } })).rejects.toThrow(RateLimitedError)
  expect(sent).toHaveLength(10)
})

it('R-46: a refresh is retried after a 429 with the same pauses and attempts as other token requests', async () => {
  const options = { tokenRequestsPerMinute: Infinity, retry: { maxAttempts: 3 } }
  const { storage, login, emulator, sent, clock } = await offline(options)
  const session = await storage.signIn(login)
  const { faults } = emulator.storageAuth.control
  faults.add({ kind: 'status', status: 429, operation: 'refreshToken', times: 2 })
  await session.refresh()
  expect(sent).toHaveLength(1 + 3)
  expect(clock.elapsedMs).toBe(5_000 + 10_000)
  faults.add({ kind: 'status', status: 429, operation: 'refreshToken', times: 3 })
  await expect(session.refresh()).rejects.toBeInstanceOf(RateLimitedError)
  expect(sent).toHaveLength(1 + 3 + 3)
})

it('R-46: a pause that would outlast the deadline throws the error immediately; others that share the store pause too', async () => {
  const store = memoryStore()
  const { storage, client, login, emulator, clock } = await offline({ store })
  const { faults } = emulator.storageAuth.control
  const headers = { 'retry-after': '50' }
  faults.add({ kind: 'status', status: 429, headers, operation: 'createToken', times: 1 })
  const failure = await rejection(storage.signIn(login, { deadline: '30s' }))
  expect(failure).toBeInstanceOf(RateLimitedError)
  expect((failure as RateLimitedError).retryAfterMs).toBe(50_000)
  expect(clock.elapsedMs).toBe(0)
  const first = storage.signIn(login).then(() => clock.elapsedMs)
  await clock.advance(1000)
  const second = client()
    .signIn(login)
    .then(() => clock.elapsedMs)
  expect(await Promise.all([first, second])).toEqual([50_000, 50_000])
})

it('R-46: a very long Retry-After is an error immediately, unless the options allow it', async () => {
  const { storage, client, login, emulator, clock, sent } = await offline({ store: memoryStore() })
  const { faults } = emulator.storageAuth.control
  const headers = { 'retry-after': '900' }
  faults.add({ kind: 'status', status: 429, headers, operation: 'createToken', times: 2 })
  await expect(storage.signIn(login)).rejects.toMatchObject({ retryAfterMs: 900_000 })
  expect(clock.elapsedMs).toBe(0)
  // It applies to all processes that share the store, and a call with a shorter deadline gets an error.
  await expect(storage.signIn(login, { deadline: '1m' })).rejects.toBeInstanceOf(DeadlineError)
  expect(sent).toHaveLength(1)
  const patient = client({ store: memoryStore(), retry: { maxRetryAfterMs: 1_000_000 } })
  await patient.signIn(login)
  expect(clock.elapsedMs).toBe(900_000)
})

it('R-20: a login that was not sent is repeated, with a retry event', async () => {
  const { client, login } = await offline()
  const retries: unknown[] = []
  const storage = client({
    observe: (event) => event.type === 'retry' && retries.push(event),
    transport: scriptedTransport('refused', 'refused', Response.json(TOKENS)),
    onDrift: () => undefined,
  })
  expect((await storage.signIn(login)).kind).toBe('tokens')
  expect(retries).toEqual([
    { type: 'retry', operation: 'createToken', attempt: 1, delayMs: 250, cause: 'connection' },
    { type: 'retry', operation: 'createToken', attempt: 2, delayMs: 500, cause: 'connection' },
  ])
})

it('R-20: a single-use code is not sent again, even if it was not sent', async () => {
  const { client } = await offline()
  const transport = scriptedTransport('refused')
  const storage = client({ transport })
  await expect(storage.exchangeCode('code-1')).rejects.toMatchObject({ code: 'connection' })
  expect(transport.requests).toHaveLength(1)
})

it('R-20, R-21: a lost response to a login, a code or a refresh is never followed by the same request, and the error says what to do', async () => {
  const { storage, login, emulator, sent } = await offline()
  const { control } = emulator.storageAuth
  control.faults.add({ kind: 'reset', when: 'after', times: 3 })
  const lost = await rejection(storage.signIn(login))
  expect(lost).toMatchObject({ code: 'submission-uncertain', operation: 'createToken' })
  expect(String(lost)).toContain('`createToken` can be called again')
  const spent = await rejection(storage.exchangeCode(control.issueCode(login.email)))
  expect(String(spent)).toContain('works only once and may be used up')
  await expect(storage.api.refreshToken({ body: { refresh_token: 'ab' } })).rejects.toThrow()
  expect(sent).toHaveLength(3)
})

it('R-05: tokens are never discarded because of drift, and missing tokens are always an error', async () => {
  const drift: unknown[] = []
  const odd = { access_token: 'a-token', refresh_token: 'another', expires_in: '3600', user: null }
  const onDrift = (report: unknown) => void drift.push(report)
  const own = responding(() => Response.json(odd), { validate: 'enforce', onDrift })
  const session = await own.signIn({ email: 'a', password: 'b' })
  expect(await session.accessToken()).toBe('a-token')
  expect(session.user).toBeUndefined()
  expect(drift).toHaveLength(1)
  await session.refresh()
  expect(drift).toHaveLength(2)
  const none = responding(() => Response.json({ access_token: 'a-token' }))
  await expect(none.signIn({ email: 'a', password: 'b' })).rejects.toMatchObject({ code: 'contract-drift' })
})

it.each<[string, object | undefined, string]>([
  ['nothing', undefined, 'options'],
  ['no authUrl', { authUrl: undefined }, 'authUrl'],
  ['no dataUrl', { dataUrl: undefined }, 'dataUrl'],
  ['a base URL without a scheme', { authUrl: 'auth.example' }, 'authUrl'],
  ['a webUrl without a scheme', { webUrl: 'web' }, 'webUrl'],
  ['a webUrl without a host', { webUrl: 'http://' }, 'webUrl'],
  ['a webUrl with a password', { webUrl: 'http://u:p@web' }, 'webUrl'],
  ['a webUrl with a query', { webUrl: 'http://web/?a=1' }, 'webUrl'],
  ['a webUrl with a fragment', { webUrl: 'http://web/#a' }, 'webUrl'],
  ['an empty API key', { apiKey: '' }, 'apiKey'],
  ['an API key of the wrong type', { apiKey: 3 }, 'apiKey'],
  ['a signal of the wrong type', { signal: 'stop' }, 'signal'],
  ['a keepFresh of the wrong type', { keepFresh: 'yes' }, 'keepFresh'],
  ['a misspelled option', { apikey: 'k' }, 'apikey'],
  ['a store of the wrong type', { store: 'file' }, 'store'],
  ['a store that only reads', { store: { read() {} } }, 'store'],
  ['a store without read', { store: { exclusive() {} } }, 'store'],
  ['a rate of 0', { tokenRequestsPerMinute: 0 }, 'tokenRequestsPerMinute'],
  ['a rate that is not whole', { tokenRequestsPerMinute: 1.5 }, 'tokenRequestsPerMinute'],
])('a client is not created with %s', (_what, own, option) => {
  const options = own && { authUrl: 'http://a', dataUrl: 'http://a', ...own }
  expect(() => new StorageAuth(options as StorageAuthOptions)).toThrow(
    expect.objectContaining({ code: 'invalid-options', option }),
  )
})

it.each([
  ['no login', undefined],
  ['no email', { password: 'p' }],
  ['an empty email', { email: ' ', password: 'p' }],
  ['no password', { email: 'e' }],
  ['an empty password', { email: 'e', password: '' }],
])('nothing is sent for %s', async (_what, login) => {
  const { storage, sent } = await offline()
  await expect(storage.signIn(login as never)).rejects.toBeInstanceOf(OptionsError)
  await expect(storage.exchangeCode('')).rejects.toBeInstanceOf(OptionsError)
  expect(sent).toEqual([])
})
