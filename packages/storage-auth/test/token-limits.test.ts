import { memoryTransport, scriptedTransport, virtualClock } from '@concord/runtime/testing'
import { expect, it, vi } from 'vitest'

import { memoryStore } from '../src/index.ts'
import { hold, MINUTE, offline, rejection, TOKENS } from './support.ts'

it('R-46: calls to the token endpoints share the rate, however they are made, and other calls are not held back', async () => {
  const { storage, login, clock } = await offline()
  for (let count = 0; count < 9; count++) await storage.signIn(login)
  expect((await storage.withResponse.createToken({ body: login })).status).toBe(200)
  expect(await storage.api.listApiKeys({})).toEqual([])
  expect((await storage.withResponse.listApiKeys({})).data).toEqual([])
  expect(clock.elapsedMs).toBe(0)
  await storage.withResponse.createToken({ body: login })
  expect(clock.elapsedMs).toBe(61_000)
})

it('R-02: the deadline of a sign-in includes the waits for the store and after a 429', async () => {
  const store = memoryStore()
  const { client, login, clock } = await offline({ store, tokenRequestsPerMinute: Infinity })
  let responses = [Response.json({}, { status: 429, headers: { 'retry-after': '2' } })]
  const storage = client({
    transport: memoryTransport(() => responses.pop() ?? new Promise<never>(() => undefined)),
  })
  await clock.advance(MINUTE)
  const beganMs = clock.elapsedMs
  await expect(storage.signIn(login, { deadline: '10s' })).rejects.toThrow()
  expect(clock.elapsedMs - beganMs).toBe(10_000)

  responses = [Response.json(TOKENS)]
  const release = hold(store)
  const signedIn = storage.signIn(login, { deadline: '10s' })
  clock.setTimer(() => void release(), 4000)
  expect(await (await signedIn).accessToken()).toBe('a')
  const secondMs = clock.elapsedMs
  const releaseAgain = hold(store)
  clock.setTimer(() => void releaseAgain(), 4000)
  await expect(storage.exchangeCode('a-code', { deadline: '10s' })).rejects.toThrow()
  expect(clock.elapsedMs - secondMs).toBe(10_000)
})

it('R-03: a wait for the rate ends with the signal of the call, and with the client', async () => {
  const clock = virtualClock({ autoAdvance: false })
  const { storage, login, sent } = await offline({ clock, tokenRequestsPerMinute: 1 }, { clock })
  await storage.signIn(login)
  const controller = new AbortController()
  const waits = [controller.signal, new AbortController().signal].map((signal) =>
    rejection(storage.signIn(login, { signal })),
  )
  await clock.settle()
  const reason = new Error('enough')
  controller.abort(reason)
  expect(await waits[0]).toBe(reason)
  await storage.close()
  expect(String(await waits[1])).toContain('This client is closed')
  expect(sent).toHaveLength(1)
})

it.each([
  ['a 429 without Retry-After', Response.json({}, { status: 429 }), 5000],
  ['a connection that could not be opened', 'refused', 0],
] as const)(
  'R-46: after %s, other clients of the store wait only if the rate is used up',
  async (_what, first, waitMs) => {
    const { client, login, clock, emulator } = await offline({ store: memoryStore() })
    let elsewhere: Promise<number> | undefined
    let failures = 1
    const service = memoryTransport((request) => emulator.storageAuth.fetch(request))
    const failing = scriptedTransport(first)
    const storage = client({
      observe: (event) => {
        if (event.type !== 'retry') return
        elsewhere = client()
          .signIn(login)
          .then(() => clock.elapsedMs)
      },
      transport: { send: (request) => (failures-- > 0 ? failing : service).send(request) },
    })
    await storage.signIn(login)
    expect(await elsewhere).toBe(waitMs)
  },
)

it('R-42: a refresh that is stopped by a lock of the account does not lose the session', async () => {
  const { client, login, emulator } = await offline()
  const responses = [Response.json('Account is temporarily locked', { status: 401 })]
  const storage = client({
    transport: memoryTransport((request) => {
      const response = request.url.endsWith('/refresh') ? responses.pop() : undefined
      return response ?? emulator.storageAuth.fetch(request)
    }),
  })
  const session = await storage.signIn(login)
  await expect(session.refresh()).rejects.toMatchObject({ name: 'storage-auth.AccountLockedError' })
  await session.refresh()
  expect((await storage.resume())?.kind).toBe('tokens')
})

it('R-43: api refreshes a rejected token, and throws the 401 if its session was closed by then', async () => {
  const { storage, client, login, emulator, sent } = await offline()
  await storage.signIn(login)
  emulator.storageAuth.control.expireAccessTokens()
  expect(await storage.api.listApiKeys({})).toEqual([])
  expect(sent.filter((each) => each.includes('refresh'))).toHaveLength(1)

  let requests = 0
  const closing = client({
    transport: memoryTransport(async (request) => {
      if (request.url.includes('/auth/token')) return emulator.storageAuth.fetch(request)
      requests++
      await session.close()
      return Response.json({}, { status: 401 })
    }),
  })
  const session = await closing.signIn(login)
  await expect(closing.api.listApiKeys({})).rejects.toMatchObject({ code: 'http', status: 401 })
  expect(requests).toBe(1)
})

it('api keeps to the latest session while an older one and one of an API key are closed', async () => {
  const { client, login } = await offline()
  const storage = client({ apiKey: 'a-key' })
  const first = await storage.signIn(login)
  const latest = await storage.signIn(login)
  await first.close()
  await storage.withApiKey().close()
  expect(await storage.api.listApiKeys({})).toEqual([])
  // Forgetting is about tokens: a session of an API key goes on.
  const withKey = storage.withApiKey()
  await storage.forget()
  expect((await withKey.fetch('/v1/unknown')).status).toBe(404)
  await expect(latest.fetch('/v1/unknown')).rejects.toThrow()
})

it('R-03: an abort ends a browser sign-in that waits for the store', async () => {
  const store = memoryStore()
  const { storage, sent } = await offline({ store })
  const release = hold(store)
  const controller = new AbortController()
  const onAddress = vi.fn<() => void>()
  const signingIn = storage.signInWithBrowser({ openBrowser: false, onAddress, signal: controller.signal })
  const reason = new Error('enough')
  controller.abort(reason)
  await expect(signingIn).rejects.toBe(reason)
  expect(onAddress).not.toHaveBeenCalled()
  await release()
  expect(sent).toEqual([])
})
