import { expect, it } from 'vitest'

import { ApiKeyNotSavedError, SignInRequiredError, SubmissionUncertainError } from '../src/index.ts'
import { offline, rejection, responding, TOKENS } from './support.ts'

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
    const failure = await rejection(call())
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
    const record = await session.apiKeys.create({ name: 'ci', expiresAt }, { save })
    expect(record.expiresAt).toBe(expiresAt)
  }
})

const save = () => undefined
const organizations = ['org-north']
const ALL = /would reach all organizations/

it.each<[string, unknown, unknown, object]>([
  ['without `save`', { name: 'ci' }, {}, { option: 'save' }],
  ['without options', { name: 'ci' }, undefined, { option: 'save' }],
  ['without properties', undefined, { save }, { option: 'key' }],
  ['of null', null, { save }, { option: 'key' }],
  ['of a string', 'ci', { save }, { option: 'key' }],
  ['without a name', {}, { save }, { code: 'invalid-request' }],
  [
    'with an invalid date',
    { name: 'ci', expiresAt: new Date(Number.NaN) },
    { save },
    invalid(/not a valid date/),
  ],
  ['with a number as its expiry', { name: 'ci', expiresAt: 5 }, { save }, invalid(/not a valid date/)],
  [
    'with a word as its expiry',
    { name: 'ci', expiresAt: 'tomorrow' },
    { save },
    invalid(/ISO 8601 date or time stamp/),
  ],
  // None of these may create a key without limits.
  ['with an empty list', { name: 'ci', scopes: { organizations: [] } }, { save }, invalid(/is empty/)],
  [
    'with a name for a list',
    { name: 'ci', scopes: { organizations: 'a' } },
    { save },
    invalid(/is not a list/),
  ],
  ['with empty scopes', { name: 'ci', scopes: {} }, { save }, invalid(ALL)],
  ['with an undefined list', { name: 'ci', scopes: { organizations: undefined } }, { save }, invalid(ALL)],
  ['with undefined scopes', { name: 'ci', scopes: undefined }, { save }, invalid(ALL)],
  ['with null scopes', { name: 'ci', scopes: null }, { save }, invalid(ALL)],
  ['with `scope`', { name: 'ci', scope: { organizations } }, { save }, { option: 'key.scope' }],
  ['with `organizations`', { name: 'ci', organizations }, { save }, { option: 'key.organizations' }],
  ['with `expires`', { name: 'ci', expires: '2027-01-01T00:00:00Z' }, { save }, { option: 'key.expires' }],
  [
    'with `teams`',
    { name: 'ci', scopes: { organizations, teams: ['a'] } },
    { save },
    { option: 'scopes.teams' },
  ],
])('a key %s is not created, and nothing is sent', async (_what, key, options, expected) => {
  const { storage, login, sent } = await offline()
  const session = await storage.signIn(login)
  const failure = await rejection(session.apiKeys.create(key as never, options as never))
  expect(failure).toMatchObject(expected)
  expect(sent).toHaveLength(1)
})

function invalid(message: RegExp): object {
  return {
    code: 'invalid-request',
    operation: 'createApiKey',
    message: expect.stringMatching(message) as string,
    issues: [{ path: expect.stringMatching('^/body/') as string, reason: expect.any(String) as string }],
  }
}

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
  const saveFails = (given: string): never => {
    key = given
    throw new Error(`no room for ${given}`)
  }
  const failure = await rejection(session.apiKeys.create({ name: 'ci' }, { save: saveFails }))
  expect(failure).toBeInstanceOf(ApiKeyNotSavedError)
  expect((failure as ApiKeyNotSavedError).takeKey()).toBe(key)
  const [listed] = await session.apiKeys.list()
  expect((failure as ApiKeyNotSavedError).keyId).toBe(listed?.id)
  expect((failure as Error).message).toContain(`The API key ${listed?.id} was created`)
  const { inspect } = await import('node:util')
  expect(inspect(failure, { depth: 9, showHidden: true }) + JSON.stringify(failure)).not.toContain(key)
  expect(inspect(failure)).toContain('no room for [redacted]')
})

it('R-05: a key is never discarded because of drift', async () => {
  const created = { id: 'no uuid', key: 'short' }
  const storage = responding(({ url }) => Response.json(url.includes('/auth/token') ? TOKENS : created), {
    validate: 'enforce',
  })
  const session = await storage.signIn({ email: 'a', password: 'b' })
  const kept: string[] = []
  const save = (key: string) => void kept.push(key)
  expect(await session.apiKeys.create({ name: 'ci' }, { save })).toEqual({ id: 'no uuid' })
  expect(kept).toEqual(['short'])
})

it('R-21: when the response with the key is lost, no second key is created', async () => {
  const { storage, login, emulator, sent } = await offline()
  const session = await storage.signIn(login)
  emulator.storageAuth.control.faults.add({ kind: 'reset', when: 'after', operation: 'createApiKey' })
  const failure = session.apiKeys.create({ name: 'ci' }, { save })
  await expect(failure).rejects.toBeInstanceOf(SubmissionUncertainError)
  expect(sent.filter((each) => each === 'POST /data-api/v1/api-keys')).toHaveLength(1)
  expect(await session.apiKeys.list()).toHaveLength(1)
})
