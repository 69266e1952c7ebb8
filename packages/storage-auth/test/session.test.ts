import { bearerCredential, createClient } from '@concord/runtime'
import { memoryTransport, tokenStoreConformance } from '@concord/runtime/testing'
import { expect, test, vi } from 'vitest'

import {
  ApiKeyNotSavedError,
  envStore,
  memoryStore,
  OptionsError,
  RequestInvalidError,
  type Session,
  SessionLostError,
  SignInRequiredError,
  StorageAuth,
  SubmissionUncertainError,
} from '../src/index.ts'
import { HOUR, MINUTE, offline, WHO_AM_I, type WhoAmI } from './support.ts'

const whoAmI = async (response: Response) => (await response.json()) as WhoAmI

test('R-41: a session refreshes ahead of its end, and again, for a month and more', async () => {
  const { storage, login, clock, emulator } = await offline()
  const session = await storage.signIn(login)
  for (let day = 0; day < 35; day++) {
    await clock.advance(24 * HOUR)
    expect((await session.fetch(WHO_AM_I)).status).toBe(200)
  }
  const { refreshes } = emulator.storageAuth.control.counters()
  expect(refreshes).toMatchObject({ granted: 35, revoked: 0, expired: 0, unknown: 0 })
})

test('R-42: a refresh token that was not used for 30 days ends the session, with what to do', async () => {
  const { storage, login, clock } = await offline()
  const session = await storage.signIn(login)
  await clock.advance(30 * 24 * HOUR + 1)
  const failure = session.fetch(WHO_AM_I)
  await expect(failure).rejects.toBeInstanceOf(SessionLostError)
  await expect(failure).rejects.toThrow(/Sign in again with signIn or signInWithBrowser/)
})

test('R-43: access tokens that the service lets expire lead to one refresh for all calls in flight', async () => {
  const { storage, login, emulator, sent } = await offline()
  const session = await storage.signIn(login)
  emulator.storageAuth.control.expireAccessTokens()
  const [lists, answers] = await Promise.all([
    Promise.all(Array.from({ length: 6 }, () => session.apiKeys.list())),
    Promise.all(Array.from({ length: 6 }, () => session.fetch(WHO_AM_I))),
  ])
  expect(lists).toEqual([[], [], [], [], [], []])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  expect(sent.filter((each) => each.endsWith('/auth/token/refresh'))).toHaveLength(1)
})

test('R-43: a 401 that a fresh token does not cure is given as it came', async () => {
  const { storage, login, emulator, sent } = await offline()
  const session = await storage.signIn(login)
  emulator.storageAuth.control.faults.add({
    kind: 'status',
    status: 401,
    operation: 'page:whoami',
    times: 'always',
  })
  expect((await session.fetch(WHO_AM_I)).status).toBe(401)
  expect(sent.filter((each) => each.includes('whoami'))).toHaveLength(2)
  expect(sent.filter((each) => each.includes('refresh'))).toHaveLength(1)
})

test('a stored session is taken up by another client, and nothing is asked for it', async () => {
  const store = memoryStore()
  const { storage, client, login, sent } = await offline({ store })
  expect(await storage.resume()).toBeUndefined()
  await storage.signIn(login)
  const before = sent.length
  const session = await client().resume()
  expect(session?.user?.email).toBe(login.email)
  expect(sent).toHaveLength(before)
  expect((await whoAmI(await session!.fetch(WHO_AM_I))).user.email).toBe(login.email)
})

test('the tokens of a session serve other clients, which meet its refreshes too', async () => {
  const { storage, login, clock } = await offline()
  const session = await storage.signIn(login)
  const seen: string[] = []
  let good: string | undefined
  await using other = createClient({
    servers: { api: 'http://other.test' },
    credentials: { token: bearerCredential(session.tokens, 'token') },
    clock,
    transport: memoryTransport((request) => {
      const token = request.headers.get('authorization') ?? ''
      seen.push(token)
      return good === undefined || token === good ? Response.json({}) : new Response(null, { status: 401 })
    }),
  })
  const operation = {
    id: 'other',
    method: 'GET',
    path: '/',
    server: 'api',
    security: ['token'],
    parameters: [],
    responses: { 200: { kind: 'json' } },
    retry: { class: 'safe' },
    secrets: [],
  } as const
  await other.send(operation, {})
  expect(seen).toEqual([`Bearer ${await session.accessToken()}`])
  good = 'no such token'
  await expect(other.send(operation, {})).rejects.toMatchObject({ status: 401 })
  expect(new Set(seen).size).toBe(2)
})

test('the session wins where there is an API key as well, and only one of them is ever sent', async () => {
  const { storage, login, emulator, client } = await offline()
  const { key } = emulator.storageAuth.control.addApiKey(login.email, { name: 'a key' })
  const store = memoryStore()
  const seen: string[] = []
  const withKey = client({
    apiKey: key,
    store,
    transport: memoryTransport((request) => {
      seen.push(['authorization', 'x-api-key'].filter((name) => request.headers.has(name)).join())
      return emulator.storageAuth.fetch(request)
    }),
  })
  const first = await withKey.resume()
  expect(first?.kind).toBe('api-key')
  expect(await whoAmI(await first!.fetch(WHO_AM_I))).toMatchObject({ credential: 'api-key' })
  await withKey.signIn(login)
  const second = await withKey.resume()
  expect(second?.kind).toBe('tokens')
  expect(await whoAmI(await second!.fetch(WHO_AM_I))).toMatchObject({ credential: 'access-token' })
  const third = withKey.withApiKey()
  expect(await whoAmI(await third.fetch(WHO_AM_I))).toMatchObject({ credential: 'api-key' })
  expect(seen).toEqual(['x-api-key', '', 'authorization', 'x-api-key'])
  expect(() => storage.withApiKey()).toThrow(OptionsError)
})

test('two sessions of two accounts in one process keep to themselves, whatever happens to either', async () => {
  const accounts = [
    { email: 'kim@mail.example', password: 'of kim' },
    { email: 'max@mail.example', password: 'of max' },
  ]
  const set = await offline({ tokenRequestsPerMinute: Infinity }, { storageAuth: { accounts } })
  const { control } = set.emulator.storageAuth
  const shared = memoryStore()
  const clients = [
    set.client({ store: memoryStore() }),
    set.client({ store: memoryStore() }),
    set.client({ store: shared }),
  ]
  const [kim, max, later] = await Promise.all(
    clients.map((client, index) => client.signIn(accounts[index % 2]!)),
  )
  const who = async (session: Session) => (await whoAmI(await session.fetch(WHO_AM_I))).user.email
  for (let round = 0; round < 3; round++) {
    control.expireAccessTokens()
    expect(await Promise.all([kim!, max!, kim!, max!].map(who))).toEqual(
      [0, 1, 0, 1].map((index) => accounts[index]!.email),
    )
  }
  // Kim has signed in to the store that they share; now Max does. Kim's token is good until its end.
  expect(await who(later!)).toBe('kim@mail.example')
  const next = await clients[2]!.signIn(accounts[1]!)
  expect(await who(later!)).toBe('kim@mail.example')
  control.expireAccessTokens()
  await expect(later!.fetch(WHO_AM_I)).rejects.toMatchObject({ code: 'session-lost', reason: 'replaced' })
  await later!.forget()
  expect(await who(next)).toBe('max@mail.example')
  expect((await clients[2]!.resume())?.user?.email).toBe('max@mail.example')
  await kim!.forget()
  expect(await who(max!)).toBe('max@mail.example')
})

test('with an API key alone the management of keys is refused before anything is sent', async () => {
  const { client, sent } = await offline()
  const storage = client({ apiKey: 'a-key' })
  const session = (await storage.resume())!
  const save = () => undefined
  const calls = [
    () => session.apiKeys.create({ name: 'ci' }, { save }),
    () => session.apiKeys.list(),
    () => session.apiKeys.revoke('0d2f6c1e-7b0a-4c53-9f5d-2a1c3e4b5f60'),
    () => storage.api.listApiKeys({}),
    () => session.accessToken(),
    () => session.refresh(),
  ]
  for (const call of calls) {
    const failure = await call().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(SignInRequiredError)
    expect((failure as Error).message).toMatch(/an API key does not do. Nothing was sent/)
  }
  expect(() => session.tokens).toThrow(SignInRequiredError)
  expect(sent).toEqual([])
})

test('api uses the session that was begun last, and says so where there is none', async () => {
  const { storage, login } = await offline()
  await expect(storage.api.listApiKeys({})).rejects.toThrow(/is missing, and this operation needs one/)
  const session = await storage.signIn(login)
  expect(await storage.api.listApiKeys({})).toEqual([])
  expect((await storage.withResponse.listApiKeys({})).status).toBe(200)
  expect(JSON.stringify(storage)).toBe('{"client":"storage-auth","sessions":1}')
  await session.close()
  expect(JSON.stringify(storage)).toBe('{"client":"storage-auth","sessions":0}')
  await expect(storage.api.listApiKeys({})).rejects.toBeInstanceOf(SignInRequiredError)
})

test('a key goes to save alone, is listed without itself, and is gone once it is revoked', async () => {
  const { storage, login } = await offline()
  const session = await storage.signIn(login)
  let kept: string | undefined
  const record = await session.apiKeys.create(
    { name: 'ci', scopes: { organizations: ['org-north'] }, expiresAt: new Date(Date.UTC(2027, 0, 1)) },
    { save: (key) => void (kept = key) },
  )
  expect(kept).toMatch(/^[0-9a-f]{64}$/)
  expect(record).toMatchObject({ name: 'ci', scopes: { organizations: ['org-north'] }, status: 'active' })
  expect(record.expiresAt).toContain('2027-01-01T00:00:00')
  expect(JSON.stringify(record)).not.toContain(kept)
  expect(await session.apiKeys.list()).toEqual([record])
  await session.apiKeys.revoke(record)
  expect(await session.apiKeys.list()).toEqual([])
})

const empty: [string, unknown, RegExp][] = [
  ['an empty list', { organizations: [] }, /is empty/],
  ['no list', {}, /would reach all organizations/],
  ['an undefined list', { organizations: undefined }, /would reach all organizations/],
  ['undefined scopes', undefined, /would reach all organizations/],
  ['null scopes', null, /would reach all organizations/],
]

test.each(empty)(
  '%s of organizations never becomes all of them: it is refused',
  async (_what, scopes, reason) => {
    const { storage, login, sent } = await offline()
    const session = await storage.signIn(login)
    const failure = session.apiKeys.create({ name: 'ci', scopes } as never, { save: () => undefined })
    await expect(failure).rejects.toBeInstanceOf(RequestInvalidError)
    await expect(failure).rejects.toThrow(reason)
    expect(sent).toHaveLength(1)
  },
)

test.each([
  ['scope', { name: 'ci', scope: { organizations: ['org-north'] } }],
  ['organizations', { name: 'ci', organizations: ['org-north'] }],
  ['expires', { name: 'ci', expires: '2027-01-01T00:00:00Z' }],
  ['teams', { name: 'ci', scopes: { organizations: ['org-north'], teams: ['a'] } }],
])('a misspelt limit of a key is refused, and never becomes a key without one: %s', async (option, key) => {
  const { storage, login, sent } = await offline()
  const session = await storage.signIn(login)
  const failure = session.apiKeys.create(key as never, { save: () => undefined })
  await expect(failure).rejects.toBeInstanceOf(OptionsError)
  await expect(failure).rejects.toMatchObject({ option: expect.stringMatching(`${option}$`) as string })
  expect(sent).toHaveLength(1)
})

test('without a way to keep the key none is created', async () => {
  const { storage, login, sent } = await offline()
  const session = await storage.signIn(login)
  await expect(session.apiKeys.create({ name: 'ci' }, {} as never)).rejects.toMatchObject({ option: 'save' })
  await expect(session.apiKeys.create({ name: 'ci' }, undefined as never)).rejects.toBeInstanceOf(
    OptionsError,
  )
  for (const key of [undefined, null, 'ci'])
    await expect(session.apiKeys.create(key as never, { save: () => undefined })).rejects.toMatchObject({
      option: 'key',
    })
  await expect(session.apiKeys.create({} as never, { save: () => undefined })).rejects.toBeInstanceOf(
    RequestInvalidError,
  )
  await expect(
    session.apiKeys.create({ name: 'ci', expiresAt: new Date(Number.NaN) }, { save: () => undefined }),
  ).rejects.toThrow(/expiresAt is not a date/)
  await expect(
    session.apiKeys.create({ name: 'ci', expiresAt: 5 as never }, { save: () => undefined }),
  ).rejects.toThrow(/expiresAt is not a date/)
  expect(sent).toHaveLength(1)
})

test('nothing is revoked without the id of a key', async () => {
  const { storage, login, sent } = await offline()
  const session = await storage.signIn(login)
  for (const key of [undefined, null, '', {}, 5]) {
    await expect(session.apiKeys.revoke(key as never)).rejects.toMatchObject({ option: 'key' })
  }
  expect(sent).toHaveLength(1)
})

test('a key that could not be saved can still be taken, and is shown nowhere', async () => {
  const { storage, login } = await offline()
  const session = await storage.signIn(login)
  let key = ''
  const failure = await session.apiKeys
    .create(
      { name: 'ci' },
      {
        save(given) {
          key = given
          throw new Error(`no room for ${given}`)
        },
      },
    )
    .catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(ApiKeyNotSavedError)
  expect((failure as ApiKeyNotSavedError).takeKey()).toBe(key)
  const [listed] = await session.apiKeys.list()
  expect((failure as ApiKeyNotSavedError).keyId).toBe(listed?.id)
  const { inspect } = await import('node:util')
  expect(inspect(failure, { depth: 9, showHidden: true }) + JSON.stringify(failure)).not.toContain(key)
  expect(inspect(failure)).toContain('no room for [redacted]')
})

test('R-05: a key is never thrown away for drift, and its absence never passes', async () => {
  const answers: object[] = [
    { id: 'no uuid', key: 'short' },
    { id: 'no uuid', name: 'ci' },
  ]
  await using storage = new StorageAuth({
    authUrl: 'http://auth.test',
    dataUrl: 'http://data.test',
    validate: 'enforce',
    onDrift: () => undefined,
    transport: memoryTransport((request) =>
      Response.json(
        request.url.includes('/auth/token')
          ? { access_token: 'a', refresh_token: 'b', expires_in: 3600, user: {} }
          : answers.shift(),
      ),
    ),
  })
  const session = await storage.signIn({ email: 'a', password: 'b' })
  const kept: string[] = []
  const save = (key: string) => void kept.push(key)
  expect(await session.apiKeys.create({ name: 'ci' }, { save })).toEqual({ id: 'no uuid' })
  expect(kept).toEqual(['short'])
  await expect(session.apiKeys.create({ name: 'ci' }, { save })).rejects.toThrow(
    /id no uuid.*Revoke it by its id/,
  )
  expect(kept).toEqual(['short'])
})

test('R-21: when the answer with the key is lost, no second key is created', async () => {
  const { storage, login, emulator, sent } = await offline()
  const session = await storage.signIn(login)
  emulator.storageAuth.control.faults.add({ kind: 'reset', when: 'after', operation: 'createApiKey' })
  const failure = session.apiKeys.create({ name: 'ci' }, { save: () => undefined })
  await expect(failure).rejects.toBeInstanceOf(SubmissionUncertainError)
  expect(sent.filter((each) => each === 'POST /data-api/v1/api-keys')).toHaveLength(1)
  expect(await session.apiKeys.list()).toHaveLength(1)
})

test('forgetting removes the session everywhere here, and tells the service nothing', async () => {
  const store = memoryStore()
  const { storage, client, login, sent, clock } = await offline({ store })
  const session = await storage.signIn(login)
  const other = (await client().resume())!
  await storage.forget()
  expect(sent).toHaveLength(1)
  expect(await store.read()).toBeUndefined()
  expect(await storage.resume()).toBeUndefined()
  await expect(session.accessToken()).rejects.toMatchObject({ reason: 'removed' })
  await clock.advance(HOUR)
  await expect(other.accessToken()).rejects.toMatchObject({ reason: 'removed' })
})

test('a client that has taken up nothing forgets what is stored all the same', async () => {
  const store = memoryStore()
  const { storage, client, login } = await offline({ store })
  await (await storage.signIn(login)).close()
  await client().forget()
  expect(await store.read()).toBeUndefined()
})

test('a session that is forgotten by itself is gone from the store too', async () => {
  const { storage, login } = await offline()
  await (await storage.signIn(login)).forget()
  expect(await storage.resume()).toBeUndefined()
})

test('with keepFresh a session stays fresh although nobody uses it, until it is closed', async () => {
  const { storage, login, clock, emulator } = await offline({ keepFresh: true })
  const session = await storage.signIn(login)
  await clock.advance(5 * HOUR)
  await session.close()
  expect(emulator.storageAuth.control.counters().refreshes).toMatchObject({ granted: 5 })
  expect(clock.timers).toBe(0)
})

test('R-60: refreshes are told of, without anything secret', async () => {
  const events: unknown[] = []
  const { storage, login, clock, emulator } = await offline({ observe: (event) => events.push(event) })
  const session = await storage.signIn(login)
  await clock.advance(HOUR)
  await session.fetch(WHO_AM_I)
  expect(events).toContainEqual({ type: 'refresh', outcome: 'refreshed' })
  const asked = { type: 'request', operation: 'fetch', method: 'GET', path: '*', attempt: 1, status: 200 }
  expect(events).toContainEqual({ ...asked, durationMs: expect.any(Number) })
  emulator.storageAuth.control.expireAccessTokens()
  emulator.storageAuth.control.faults.add({ kind: 'reset', when: 'before', operation: 'refreshToken' })
  events.length = 0
  await expect(session.fetch(`${WHO_AM_I}?secret=1`)).rejects.toThrow()
  expect(events).toContainEqual({ ...asked, status: 401, durationMs: expect.any(Number) })
  expect(JSON.stringify(events)).not.toContain('secret')
  expect(JSON.stringify(events)).not.toContain(await session.accessToken())
})

const elsewhere: [string, string][] = [
  ['another host', 'http://evil.test/v1/projects'],
  ['another host without a scheme', '//evil.test/v1/projects'],
  ['another scheme', 'https://storage-auth.emulator.test/'],
  ['a port of its own', 'http://emulator.test:81/'],
  ['a path out of the prefix', '/../../v1/projects'],
  ['a user name in the address', 'http://kim@emulator.test/'],
  ['a path without a slash', 'v1/projects'],
  ['no address', ''],
  ['a script', 'javascript:alert(1)'],
]

test.each(elsewhere)('R-10: the credential does not go to %s', async (_what, address) => {
  const { storage, login, sent, emulator } = await offline()
  const session = await storage.signIn(login)
  const url = address.replace('emulator.test', new URL(emulator.storageAuth.dataUrl).host)
  await expect(session.fetch(url)).rejects.toBeInstanceOf(OptionsError)
  expect(sent).toHaveLength(1)
})

test('R-10: a request that brings a credential of its own is refused', async () => {
  const { storage, login, sent } = await offline()
  const session = await storage.signIn(login)
  for (const name of ['Authorization', 'x-api-key', 'X-API-Key']) {
    await expect(session.fetch('/v1/x', { headers: { [name]: 'mine' } })).rejects.toThrow(
      /set by the session itself/,
    )
  }
  expect(sent).toHaveLength(1)
})

test('R-10: a redirect is given as it came, and not followed', async () => {
  const { login } = await offline()
  const asked: string[] = []
  await using storage = new StorageAuth({
    authUrl: 'http://auth.test',
    dataUrl: 'http://data.test',
    transport: memoryTransport((request) => {
      asked.push(request.url)
      if (request.url.endsWith('/auth/token'))
        return Response.json({ access_token: 'a', refresh_token: 'b', expires_in: 3600, user: {} })
      return new Response(null, { status: 302, headers: { location: 'http://evil.test/' } })
    }),
  })
  const session = await storage.signIn(login)
  const answer = await session.fetch('/v1/moved')
  expect(answer.status).toBe(302)
  expect(asked).toEqual(['http://auth.test/auth/token', 'http://data.test/v1/moved'])
})

test('fetch sends what the ordinary fetch sends: texts, forms, bytes, Blobs and streams', async () => {
  const seen: [string, string | null, string][] = []
  let refuse = 0
  let issued = 0
  const { login } = await offline()
  await using storage = new StorageAuth({
    authUrl: 'http://auth.test',
    dataUrl: 'http://data.test/p',
    transport: memoryTransport(async (request) => {
      if (request.url.includes('/auth/token'))
        return Response.json({
          access_token: `a${++issued}`,
          refresh_token: `b${issued}`,
          expires_in: 3600,
          user: {},
        })
      seen.push([request.method, request.headers.get('content-type'), await request.text()])
      return new Response(null, { status: refuse-- > 0 ? 401 : 204 })
    }),
  })
  const session = await storage.signIn(login)
  const put = (body: BodyInit, headers = {}) => session.fetch('/v1/x', { method: 'PUT', body, headers })
  await put('text')
  await put(new URLSearchParams({ a: '1' }))
  await put(new Uint8Array([104, 105]), { 'content-type': 'application/x-own' })
  await put(new Blob(['blob'], { type: 'text/csv' }))
  const form = new FormData()
  form.set('name', 'value')
  await put(form)
  await put(new Blob(['streamed']).stream(), { 'content-type': 'text/x-stream' })
  expect(seen.slice(0, 4)).toEqual([
    ['PUT', 'text/plain;charset=UTF-8', 'text'],
    ['PUT', 'application/x-www-form-urlencoded;charset=UTF-8', 'a=1'],
    ['PUT', 'application/x-own', 'hi'],
    ['PUT', 'text/csv', 'blob'],
  ])
  expect(seen[4]?.[1]).toMatch(/^multipart\/form-data; boundary=/)
  expect(seen[4]?.[2]).toContain('name="name"\r\n\r\nvalue')
  expect(seen[5]).toEqual(['PUT', 'text/x-stream', 'streamed'])
  // What can be read again is sent again after a 401, a stream is not.
  seen.length = 0
  refuse = 1
  expect((await put(new Blob(['again']))).status).toBe(204)
  expect(seen.map(([, , body]) => body)).toEqual(['again', 'again'])
  refuse = 1
  expect((await put(new Blob(['once']).stream())).status).toBe(401)
})

test('R-03: an abort ends a fetch, also while its body is read', async () => {
  const { storage, login } = await offline()
  const session = await storage.signIn(login)
  const reason = new Error('enough')
  await expect(session.fetch(WHO_AM_I, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  const controller = new AbortController()
  const answer = await session.fetch(WHO_AM_I, { signal: controller.signal })
  controller.abort(reason)
  await expect(answer.text()).rejects.toBe(reason)
})

test('R-03: an abort ends a fetch that waits for a refresh, before it is sent and after a 401', async () => {
  const store = memoryStore()
  const controller = new AbortController()
  const { storage, login, sent, clock, emulator } = await offline({ store, signal: controller.signal })
  const session = await storage.signIn(login)
  const reason = new Error('enough')
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const holding = store.exclusive(() => held)
  emulator.storageAuth.control.expireAccessTokens()
  const own = new AbortController()
  const afterRefusal = session.fetch(WHO_AM_I, { signal: own.signal })
  afterRefusal.catch(() => undefined)
  await vi.waitFor(() => expect(sent).toHaveLength(2))
  await clock.settle()
  own.abort(reason)
  await expect(afterRefusal).rejects.toBe(reason)

  await clock.advance(HOUR)
  const before = new AbortController()
  const unsent = session.fetch(WHO_AM_I, { signal: before.signal })
  unsent.catch(() => undefined)
  await clock.settle()
  before.abort(reason)
  await expect(unsent).rejects.toBe(reason)
  // So does the signal of the client.
  const another = session.fetch(WHO_AM_I)
  another.catch(() => undefined)
  controller.abort(reason)
  await expect(another).rejects.toBe(reason)
  expect(sent).toHaveLength(2)
  release()
  await holding
})

const inEnvironment = tokenStoreConformance({
  create: async () => {
    const store = envStore({ env: {}, save: () => undefined })
    return { open: () => store }
  },
})
for (const { name, run } of inEnvironment) test(`R-41: in the environment, ${name}`, run)

test('the environment is read when it is asked for, by the documented names', async () => {
  const { emulator, login, client, sent } = await offline()
  const { control, authUrl, dataUrl } = emulator.storageAuth
  const pair = await control.issueTokens(login.email)
  const env = {
    STORAGE_AUTH_URL: authUrl,
    STORAGE_DATA_URL: dataUrl,
    STORAGE_ACCESS_TOKEN: pair.accessToken,
    STORAGE_REFRESH_TOKEN: pair.refreshToken,
    STORAGE_API_KEY: 'a-key',
  }
  const storage = StorageAuth.fromEnv(
    { transport: memoryTransport((request) => emulator.storageAuth.fetch(request)) },
    env,
  )
  const session = (await storage.resume())!
  expect(session.kind).toBe('tokens')
  expect((await session.fetch(WHO_AM_I)).status).toBe(200)
  // Without a way to keep its successor the refresh token is left alone.
  control.expireAccessTokens()
  await expect(session.fetch(WHO_AM_I)).rejects.toMatchObject({ reason: 'no-refresh-token' })
  await storage.close()

  const kept: Record<string, string>[] = []
  const saving = client({ store: envStore({ env, save: (variables) => void kept.push({ ...variables }) }) })
  const refreshed = (await saving.resume())!
  expect((await refreshed.fetch(WHO_AM_I)).status).toBe(200)
  expect(kept).toHaveLength(1)
  expect(Object.keys(kept[0]!)).toEqual(['STORAGE_ACCESS_TOKEN', 'STORAGE_REFRESH_TOKEN'])
  expect(kept[0]!['STORAGE_REFRESH_TOKEN']).not.toBe(pair.refreshToken)

  const onlyRefresh = client({
    store: envStore({
      env: { STORAGE_REFRESH_TOKEN: kept[0]!['STORAGE_REFRESH_TOKEN'] },
      save: (variables) => void kept.push({ ...variables }),
    }),
  })
  expect((await (await onlyRefresh.resume())!.fetch(WHO_AM_I)).status).toBe(200)
  expect(kept).toHaveLength(2)
  expect(sent.filter((each) => each.includes('refresh'))).toHaveLength(2)
  expect(await client({ store: envStore({ env: {} }) }).resume()).toBeUndefined()
  const odd = client({ store: envStore({ env: { STORAGE_ACCESS_TOKEN: 'a token\n' } }) })
  await expect(odd.resume()).rejects.toMatchObject({ option: 'STORAGE_ACCESS_TOKEN' })
  expect(() => StorageAuth.fromEnv({}, {})).toThrow(/STORAGE_AUTH_URL/)
})

test.each([
  ['a misspelt option', { sav: () => undefined }, 'sav'],
  ['a save that is none', { save: 'file' }, 'save'],
  ['no object', null, 'options'],
])('the environment is no store with %s', (_what, options, option) => {
  try {
    envStore(options as never)
    expect.unreachable()
  } catch (error) {
    expect(error).toMatchObject({ name: 'OptionsError', option })
  }
})

test('a closed client takes up nothing, and a closed session refreshes nothing', async () => {
  const { storage, login, client, sent } = await offline({ store: memoryStore(), apiKey: 'a-key' })
  const session = await storage.signIn(login)
  await session.close()
  await expect(session.refresh()).rejects.toThrow(/The session was closed/)
  await expect(session.fetch(WHO_AM_I)).rejects.toThrow(/closed/)
  await storage.close()
  await expect(storage.resume()).rejects.toThrow(/The client was closed\. Make another one/)
  expect(() => storage.withApiKey()).toThrow(/The client was closed\. Make another one/)
  await expect(storage.signIn(login)).rejects.toThrow(/The client was closed\. Make another one/)
  expect(sent).toHaveLength(1)
  // What is stored stays.
  expect((await client().resume())?.kind).toBe('tokens')
})

test('closing a client does not wait for another process that holds the store', async () => {
  const store = memoryStore()
  const { storage, login } = await offline({ store })
  const session = await storage.signIn(login)
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const holding = store.exclusive(() => held)
  const refreshing = session.refresh().catch((error: unknown) => error)
  await storage.close()
  expect(await refreshing).toMatchObject({ code: 'connection', sent: 'no' })
  release()
  await holding
})

test('nothing is read from the environment unless it is asked for', async () => {
  process.env['STORAGE_ACCESS_TOKEN'] = 'not-asked-for'
  try {
    const { storage } = await offline()
    expect(await storage.resume()).toBeUndefined()
    const asked = StorageAuth.fromEnv({ authUrl: 'http://a', dataUrl: 'http://b' })
    expect(await (await asked.resume())?.accessToken()).toBe('not-asked-for')
    await asked.close()
  } finally {
    delete process.env['STORAGE_ACCESS_TOKEN']
  }
})

test('R-46: refreshes count among the ten requests a minute, and wait for their turn', async () => {
  const { storage, login, clock, emulator } = await offline()
  const session = await storage.signIn(login)
  for (let count = 0; count < 9; count++) await session.refresh()
  expect(clock.elapsedMs).toBe(0)
  await session.refresh()
  expect(clock.elapsedMs).toBe(61_000)
  expect(emulator.storageAuth.control.counters()).toMatchObject({
    rateLimited: 0,
    refreshes: { granted: 10 },
  })
})

test('R-41: a session of 16 clients with one store is refreshed once', async () => {
  const store = memoryStore()
  const { storage, client, login, clock, emulator } = await offline({ store })
  await storage.signIn(login)
  const sessions = await Promise.all(Array.from({ length: 16 }, async () => (await client().resume())!))
  await clock.advance(HOUR - MINUTE)
  await Promise.all(sessions.map((session) => session.fetch(WHO_AM_I)))
  await clock.advance(MINUTE)
  await Promise.all(sessions.map((session) => session.fetch(WHO_AM_I)))
  expect(emulator.storageAuth.control.counters().refreshes).toMatchObject({ granted: 1, revoked: 0 })
})
