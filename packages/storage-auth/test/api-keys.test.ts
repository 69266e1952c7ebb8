import { memoryTransport } from '@concord/runtime/testing'
import { expect, it } from 'vitest'

import {
  ApiKeyNotSavedError,
  OptionsError,
  RequestInvalidError,
  SignInRequiredError,
  StorageAuth,
  SubmissionUncertainError,
} from '../src/index.ts'
import { offline } from './support.ts'

it('with an API key alone, key management is rejected before anything is sent', async () => {
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
    expect((failure as Error).message).toMatch(/an API key is not enough. Nothing was sent/)
  }
  expect(() => session.tokens).toThrow(SignInRequiredError)
  expect(sent).toEqual([])
})

it('only save receives a key; it is listed without its secret, and is gone once revoked', async () => {
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

it('an expiry in any form of ISO 8601 reaches the service unchanged', async () => {
  const { storage, login } = await offline()
  const session = await storage.signIn(login)
  for (const expiresAt of ['2027-12-31T23:59:59', '2027-12-31T23:59:59.678000', '20271231T235959Z']) {
    const record = await session.apiKeys.create({ name: 'ci', expiresAt }, { save: () => undefined })
    expect(record.expiresAt).toBe(expiresAt)
  }
  await expect(
    session.apiKeys.create({ name: 'ci', expiresAt: 'tomorrow' }, { save: () => undefined }),
  ).rejects.toThrow(/must be an ISO 8601 date or time stamp/)
})

it('without `save` no key is created', async () => {
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
  ).rejects.toThrow(/expiresAt is not a valid date/)
  await expect(
    session.apiKeys.create({ name: 'ci', expiresAt: 5 as never }, { save: () => undefined }),
  ).rejects.toThrow(/expiresAt is not a valid date/)
  expect(sent).toHaveLength(1)
})

it('nothing is revoked without the id of a key', async () => {
  const { storage, login, sent } = await offline()
  const session = await storage.signIn(login)
  for (const key of [undefined, null, '', {}, 5]) {
    await expect(session.apiKeys.revoke(key as never)).rejects.toMatchObject({ option: 'key' })
  }
  expect(sent).toHaveLength(1)
})

it('takeKey returns a key that could not be saved; nothing else shows it', async () => {
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

it('R-05: a key is never discarded because of drift, and a missing key is always an error', async () => {
  const responses: object[] = [
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
          : responses.shift(),
      ),
    ),
  })
  const session = await storage.signIn({ email: 'a', password: 'b' })
  const kept: string[] = []
  const save = (key: string) => void kept.push(key)
  expect(await session.apiKeys.create({ name: 'ci' }, { save })).toEqual({ id: 'no uuid' })
  expect(kept).toEqual(['short'])
  await expect(session.apiKeys.create({ name: 'ci' }, { save })).rejects.toThrow(
    /id no uuid.*Find it with apiKeys.list\(\), revoke it/,
  )
  expect(kept).toEqual(['short'])
})

it('R-21: when the response with the key is lost, no second key is created', async () => {
  const { storage, login, emulator, sent } = await offline()
  const session = await storage.signIn(login)
  emulator.storageAuth.control.faults.add({ kind: 'reset', when: 'after', operation: 'createApiKey' })
  const failure = session.apiKeys.create({ name: 'ci' }, { save: () => undefined })
  await expect(failure).rejects.toBeInstanceOf(SubmissionUncertainError)
  expect(sent.filter((each) => each === 'POST /data-api/v1/api-keys')).toHaveLength(1)
  expect(await session.apiKeys.list()).toHaveLength(1)
})
