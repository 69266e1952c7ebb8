import { memoryTransport } from '@concord/runtime/testing'
import { expect, it } from 'vitest'

import { createToken } from '../src/gen/operations.gen.ts'
import { envStore, StorageAuth } from '../src/index.ts'
import { toIssuedTokens } from '../src/token-endpoints.ts'
import { responding } from './support.ts'

const addresses = { authUrl: 'http://auth.test', dataUrl: 'http://data.test' }
const pair = { access_token: 'a', refresh_token: 'r' }

it.each([
  [{ refresh_token: 'r' }, '/access_token'],
  [{ ...pair, access_token: '' }, '/access_token'],
  [{ ...pair, access_token: 7 }, '/access_token'],
  [{ access_token: 'a' }, '/refresh_token'],
  [{ ...pair, refresh_token: '' }, '/refresh_token'],
  [{ ...pair, refresh_token: { text: 'r' } }, '/refresh_token'],
])('R-05: %o starts no session, and the error names what is missing', (response, path) => {
  expect(() => toIssuedTokens(response as never, createToken.id)).toThrow(
    expect.objectContaining({
      code: 'contract-drift',
      operation: createToken.id,
      issues: [{ path, reason: 'is missing' }],
    }) as Error,
  )
})

it.each([
  [{}, {}],
  [{ expires_in: 60 }, { expiresInMs: 60_000 }],
  [{ expires_in: 0 }, {}],
  [{ expires_in: -1 }, {}],
  [{ expires_in: '60' }, {}],
  [{ user: null }, {}],
  [{ user: { id: 'kim' } }, { subject: 'kim', details: { user: { id: 'kim' } } }],
  [{ user: { id: '' } }, { details: { user: { id: '' } } }],
  [{ user: { id: 7 } }, { details: { user: { id: 7 } } }],
])('R-42: from %o, the valid parts of the lifetime and the user are read', (more, expected) => {
  expect(toIssuedTokens({ ...pair, ...more } as never, createToken.id)).toStrictEqual({
    accessToken: 'a',
    refreshToken: 'r',
    ...expected,
  })
})

it('R-05, R-21: a key that is missing from the response is an error, and can be revoked by the id in the error', async () => {
  const responses = [{ ...pair }, { id: 'k1' }, { id: 'k1', key: '' }, { id: 7, key: 7 }, { key: 'k' }]
  const storage = responding(() => Response.json(responses.shift()))
  await using session = await storage.signIn({ email: 'kim@mail.example', password: 'p' })
  for (const id of ['k1', 'k1', 'unknown']) {
    const created = session.apiKeys.create({ name: 'ci' }, { save: () => expect.unreachable() })
    await expect(created).rejects.toMatchObject({
      operation: 'createApiKey',
      issues: [{ path: '/key', reason: 'is missing' }],
      message: expect.stringMatching(`\\(id ${id}\\).*Find it with apiKeys.list\\(\\), revoke it`) as string,
    })
  }
  const unsaved = session.apiKeys.create({ name: 'ci' }, { save: () => Promise.reject(new Error('full')) })
  await expect(unsaved).rejects.toThrow('The API key (id unknown) was created, but `save` failed')
})

it('R-41: tokens from the environment are saved only when they change', async () => {
  const saved: unknown[] = []
  const store = envStore({
    env: { STORAGE_ACCESS_TOKEN: 'a', STORAGE_REFRESH_TOKEN: 'r' },
    save: (variables) => void saved.push(variables),
  })
  const before = await store.read()
  expect(before).toStrictEqual({ accessToken: 'a', refreshToken: 'r', obtainedAtMs: 0 })
  await store.exclusive(async (held) => {
    await held.write({ ...before!, presented: 1 })
    await held.write({ ...before!, accessToken: 'a2' })
    await held.write({ ...before!, accessToken: 'a2', refreshToken: 'r2' })
    await held.write({ accessToken: 'a3', obtainedAtMs: 0 })
  })
  expect(saved).toStrictEqual([
    { STORAGE_ACCESS_TOKEN: 'a2', STORAGE_REFRESH_TOKEN: 'r' },
    { STORAGE_ACCESS_TOKEN: 'a2', STORAGE_REFRESH_TOKEN: 'r2' },
    { STORAGE_ACCESS_TOKEN: 'a3' },
  ])
})

it('without save, new tokens stay in this process', async () => {
  const store = envStore({ env: { STORAGE_ACCESS_TOKEN: 'a', STORAGE_REFRESH_TOKEN: 'r' } })
  expect(await store.read()).toStrictEqual({ accessToken: 'a', obtainedAtMs: 0 })
  await store.exclusive((held) => held.write({ accessToken: 'b', obtainedAtMs: 1 }))
  expect(await store.read()).toMatchObject({ accessToken: 'b' })
})

it.each([' a', 'a ', 'a\n', 'a\nb', 'a\rb'])(
  'R-11: an environment variable of %j is rejected by name, and not quoted',
  async (text) => {
    const store = envStore({ env: { STORAGE_ACCESS_TOKEN: text } })
    await expect(store.read()).rejects.toMatchObject({
      option: 'STORAGE_ACCESS_TOKEN',
      message: expect.stringMatching(/^`STORAGE_ACCESS_TOKEN` begins or ends with white space/) as string,
    })
    const read = () => StorageAuth.fromEnv(addresses, { STORAGE_API_KEY: text })
    expect(read).toThrow('`STORAGE_API_KEY` begins or ends with white space, or contains a line break.')
  },
)

it('an empty environment variable counts as missing', async () => {
  const store = envStore({ env: { STORAGE_ACCESS_TOKEN: '' } })
  const storage = StorageAuth.fromEnv({ ...addresses, store }, { STORAGE_API_KEY: '' })
  expect(await storage.resume()).toBeUndefined()
  expect(() => storage.withApiKey()).toThrow(expect.objectContaining({ option: 'apiKey' }) as Error)
})

it('a session with the API key from the environment sends only that key, and never shows it', async () => {
  const seen: [string, string | null, string | null][] = []
  const transport = memoryTransport((request) => {
    seen.push([request.url, request.headers.get('x-api-key'), request.headers.get('authorization')])
    return Response.json({})
  })
  const storage = StorageAuth.fromEnv({ ...addresses, transport }, { STORAGE_API_KEY: 'the-key' })
  await using session = (await storage.resume())!
  await session.fetch('/v1/projects')
  await session.fetch('http://auth.test/v1/other')
  expect(seen).toEqual([
    ['http://data.test/v1/projects', 'the-key', null],
    ['http://auth.test/v1/other', 'the-key', null],
  ])
  expect(session).toMatchObject({ kind: 'api-key', user: undefined, expiresAtMs: undefined })
  expect(session.toJSON()).toEqual({ kind: 'api-key' })
  expect(storage.toJSON()).toEqual({ client: 'storage-auth', sessions: 1 })
  await session.forget()
  expect(storage.toJSON()).toEqual({ client: 'storage-auth', sessions: 0 })
})

it('a session shows its kind, user and expiry; disposing it closes it, and disposing the client closes all sessions', async () => {
  const user = { id: 'kim' }
  const storage = responding(() => Response.json({ ...pair, expires_in: 60, user }))
  const login = { email: 'kim@mail.example', password: 'p' }
  const first = await storage.signIn(login)
  expect(first.toJSON()).toStrictEqual({ kind: 'tokens', user: 'kim', expiresAtMs: first.expiresAtMs })
  await storage.signIn(login)
  await first[Symbol.asyncDispose]()
  expect(storage.toJSON()).toEqual({ client: 'storage-auth', sessions: 1 })
  await storage[Symbol.asyncDispose]()
  expect(storage.toJSON()).toEqual({ client: 'storage-auth', sessions: 0 })
})
