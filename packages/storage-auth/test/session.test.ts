import { memoryTransport } from '@concord/runtime/testing'
import { expect, it } from 'vitest'

import {
  memoryStore,
  OptionsError,
  type Session,
  SessionLostError,
  SignInRequiredError,
} from '../src/index.ts'
import { HOUR, offline, WHO_AM_I, type WhoAmI } from './support.ts'

const whoAmI = async (response: Response) => (await response.json()) as WhoAmI

it('R-41, R-42: a session refreshes before it expires, for more than a month, until it was not used for 30 days', async () => {
  const { storage, login, clock, emulator } = await offline()
  const session = await storage.signIn(login)
  for (let day = 0; day < 35; day++) {
    await clock.advance(24 * HOUR)
    expect((await session.fetch(WHO_AM_I)).status).toBe(200)
  }
  const { refreshes } = emulator.storageAuth.control.counters()
  expect(refreshes).toMatchObject({ granted: 35, revoked: 0, expired: 0, unknown: 0 })
  await clock.advance(30 * 24 * HOUR + 1)
  const failure = session.fetch(WHO_AM_I)
  await expect(failure).rejects.toBeInstanceOf(SessionLostError)
  await expect(failure).rejects.toThrow(/Sign in again with signIn or signInWithBrowser/)
})

it('R-43: expired access tokens cause one refresh for all calls in flight', async () => {
  const { storage, login, emulator, sent } = await offline()
  const session = await storage.signIn(login)
  emulator.storageAuth.control.expireAccessTokens()
  const [lists, responses] = await Promise.all([
    Promise.all(Array.from({ length: 6 }, () => session.apiKeys.list())),
    Promise.all(Array.from({ length: 6 }, () => session.fetch(WHO_AM_I))),
  ])
  expect(lists).toEqual([[], [], [], [], [], []])
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  expect(sent.filter((each) => each.endsWith('/auth/token/refresh'))).toHaveLength(1)
})

it('another client resumes a stored session without a request', async () => {
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

it('the session wins over an API key, and only one of them is ever sent', async () => {
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
  expect(() => storage.withApiKey()).toThrow(
    /Pass the API key to StorageAuth, or set STORAGE_API_KEY before you call fromEnv/,
  )
})

it('two sessions of two accounts in one process never affect each other', async () => {
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
  // Kim has signed in to the store that they share; now Max does. Kim's token stays valid until it expires.
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

it('api uses the latest session, and throws without one', async () => {
  const { storage, login } = await offline()
  await expect(storage.api.listApiKeys({})).rejects.toThrow(/`api` needs a session/)
  const session = await storage.signIn(login)
  expect(await storage.api.listApiKeys({})).toEqual([])
  expect((await storage.withResponse.listApiKeys({})).status).toBe(200)
  expect(JSON.stringify(storage)).toBe('{"client":"storage-auth","sessions":1}')
  await session.close()
  expect(JSON.stringify(storage)).toBe('{"client":"storage-auth","sessions":0}')
  await expect(storage.api.listApiKeys({})).rejects.toBeInstanceOf(SignInRequiredError)
})

it('forget removes the session from the store and from this process, without a request', async () => {
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

it('a client without a session can forget the stored one, and a session itself', async () => {
  const store = memoryStore()
  const { storage, client, login } = await offline({ store })
  await (await storage.signIn(login)).close()
  await client().forget()
  expect(await store.read()).toBeUndefined()
  await (await storage.signIn(login)).forget()
  expect(await store.read()).toBeUndefined()
})

it('with keepFresh a session stays fresh without being used, until it is closed', async () => {
  const { storage, login, clock, emulator } = await offline({ keepFresh: true })
  const session = await storage.signIn(login)
  await clock.advance(5 * HOUR)
  await session.close()
  expect(emulator.storageAuth.control.counters().refreshes).toMatchObject({ granted: 5 })
  expect(clock.timers).toBe(0)
})

it('a closed client resumes no session, and a closed session no longer refreshes', async () => {
  const { storage, login, client, sent } = await offline({ store: memoryStore(), apiKey: 'a-key' })
  const session = await storage.signIn(login)
  await session.close()
  await expect(session.refresh()).rejects.toThrow(/This session is closed/)
  await expect(session.fetch(WHO_AM_I)).rejects.toThrow(/This session is closed and sends nothing/)
  await expect(session.fetch(WHO_AM_I)).rejects.toMatchObject({ phase: 'connect', sent: 'no' })
  await expect(session.apiKeys.list()).rejects.toThrow(/This session is closed and sends nothing/)
  expect(await session.accessToken()).toBe(await session.tokens.get())
  await storage.close()
  await expect(storage.resume()).rejects.toThrow(/This client is closed\. Create another one/)
  expect(() => storage.withApiKey()).toThrow(/This client is closed\. Create another one/)
  await expect(storage.signIn(login)).rejects.toThrow(/This client is closed\. Create another one/)
  await expect(storage.signIn(login)).rejects.toMatchObject({ phase: 'connect', sent: 'no' })
  expect(sent).toHaveLength(1)
  // The stored session remains.
  expect((await client().resume())?.kind).toBe('tokens')
})

it('R-42: after 30 days a session is lost, and resume() uses the API key', async () => {
  const { storage, login, clock, emulator } = await offline({ apiKey: 'the-key-of-this-test' })
  await storage.signIn(login)
  expect((await storage.resume())?.kind).toBe('tokens')
  await clock.advance(30 * 24 * HOUR)
  expect((await storage.resume())?.kind).toBe('api-key')
  expect(emulator.storageAuth.control.counters().refreshes.granted).toBe(0)
})

it('R-60: an observer sees refreshes, and waits for the rate of the token endpoints', async () => {
  const events: unknown[] = []
  const observe = (event: unknown) => void events.push(event)
  const { storage, login, clock } = await offline({ tokenRequestsPerMinute: 1, observe })
  await (await storage.signIn(login)).refresh()
  expect(events).toContainEqual({ type: 'wait', limit: 'The token endpoints', delayMs: 61_000 })
  expect(events).toContainEqual({ type: 'refresh', outcome: 'refreshed' })
  expect(clock.elapsedMs).toBeGreaterThanOrEqual(61_000)
})

it('R-10: a request to an origin of another service, or with its own credential, is rejected', async () => {
  const { storage, login, sent } = await offline()
  const session = await storage.signIn(login)
  await expect(session.fetch('http://evil.test/v1/projects')).rejects.toBeInstanceOf(OptionsError)
  for (const name of ['Authorization', 'x-api-key', 'X-API-Key']) {
    await expect(session.fetch('/v1/x', { headers: { [name]: 'mine' } })).rejects.toThrow(
      /session sets the header/,
    )
  }
  expect(sent).toHaveLength(1)
})

it("R-03: the client's signal ends the requests of its sessions", async () => {
  const controller = new AbortController()
  const { storage, login } = await offline({ signal: controller.signal })
  const session = await storage.signIn(login)
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(session.fetch(WHO_AM_I)).rejects.toBe(reason)
})

it('R-03: an abort ends a fetch while its body is being read', async () => {
  const { storage, login } = await offline()
  const session = await storage.signIn(login)
  const reason = new Error('enough')
  const controller = new AbortController()
  const response = await session.fetch(WHO_AM_I, { signal: controller.signal })
  controller.abort(reason)
  await expect(response.text()).rejects.toBe(reason)
})
