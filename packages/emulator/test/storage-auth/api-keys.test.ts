import { expect, it } from 'vitest'

import { KIM, MAX, startStorage, type TestStorage } from '../support/storage-auth.ts'

interface Created {
  id: string
  key: string
}

const HOUR = 3_600_000

async function create(storage: TestStorage, token: string, json: object): Promise<Created> {
  const { status, body } = await storage.keys(token, '', { method: 'POST', json })
  expect(status).toBe(201)
  return body as Created
}

it('creating an API key returns the key, 64 hex characters, only once', async () => {
  await using storage = await startStorage()
  const { access_token } = await storage.tokens()
  const { body } = await storage.keys(access_token, '', { method: 'POST', json: { name: 'ci' } })
  expect(body).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-/),
    name: 'ci',
    key: expect.stringMatching(/^[0-9a-fA-F]{64}$/),
    createdAt: '2026-01-05T09:00:00.000Z',
    expiresAt: null,
    lastUsedAt: null,
    status: 'active',
  })
  const { key: _, ...record } = body as Created
  expect((await storage.keys(access_token)).body).toEqual([record])
})

it('creating an API key returns the scopes and the expiry as they were sent', async () => {
  await using storage = await startStorage()
  const { access_token } = await storage.tokens()
  const scopes = { organizations: ['org-north', 'org-south'] }
  const expiresAt = '2026-02-01T00:00:00+01:00'
  await create(storage, access_token, { name: 'reader', scopes, expiresAt })
  await create(storage, access_token, { name: 'none', scopes: { organizations: [] } })
  expect((await storage.keys(access_token)).body).toMatchObject([
    { name: 'reader', scopes, expiresAt },
    { name: 'none', scopes: { organizations: [] } },
  ])
})

it.each([
  ['without a name', {}],
  ['with an expiry that is not a datetime', { name: 'a', expiresAt: 'tomorrow' }],
  ['with an expiry that is null', { name: 'a', expiresAt: null }],
  ['with scopes that are not an object', { name: 'a', scopes: ['org-north'] }],
])('creating an API key rejects a body %s', async (_, json) => {
  await using storage = await startStorage()
  const { access_token } = await storage.tokens()
  expect((await storage.keys(access_token, '', { method: 'POST', json })).status).toBe(400)
  expect(storage.state.apiKeys).toEqual([])
})

it("listing API keys returns a bare array of the caller's active keys, without the keys themselves", async () => {
  await using storage = await startStorage()
  const { access_token } = await storage.tokens()
  storage.control.addApiKey(MAX.email, { name: 'of Max' })
  const kept = storage.control.addApiKey(KIM.email, { name: 'kept' })
  const revoked = storage.control.addApiKey(KIM.email, { name: 'revoked' })
  await storage.keys(access_token, `/${revoked.id}`, { method: 'DELETE' })
  const { body } = await storage.keys(access_token)
  expect(body).toEqual([expect.objectContaining({ id: kept.id, status: 'active' })])
  expect(JSON.stringify(body)).not.toContain('"key"')
})

it('listing API keys returns an empty array without keys', async () => {
  await using storage = await startStorage()
  const { access_token } = await storage.tokens()
  expect(await storage.keys(access_token)).toMatchObject({ status: 200, body: [] })
})

it('revoking an API key removes it from the list, makes it invalid, and returns no body', async () => {
  await using storage = await startStorage()
  const { access_token } = await storage.tokens()
  const { id, key } = await create(storage, access_token, { name: 'ci' })
  expect((await storage.whoami({ 'x-api-key': key })).status).toBe(200)
  const { status, body } = await storage.keys(access_token, `/${id}`, { method: 'DELETE' })
  expect([status, body]).toEqual([204, undefined])
  expect((await storage.keys(access_token)).body).toEqual([])
  expect((await storage.whoami({ 'x-api-key': key })).status).toBe(401)
  expect(storage.state.apiKeys).toMatchObject([{ id, revoked: true }])
})

it('faults of the body leave a response without a body unchanged, and a reset still breaks it', async () => {
  await using storage = await startStorage()
  const { access_token } = await storage.tokens()
  const revoke = async () => {
    const { id } = await create(storage, access_token, { name: 'ci' })
    return storage.keys(access_token, `/${id}`, { method: 'DELETE' })
  }
  storage.control.faults.add({ kind: 'truncate', operation: 'deleteApiKey' })
  expect((await revoke()).status).toBe(204)
  storage.control.faults.add({ kind: 'reset', when: 'mid-body', operation: 'deleteApiKey' })
  await expect(revoke()).rejects.toMatchObject({ code: 'ECONNRESET' })
})

it('revoking an API key responds with 404 to a key that is unknown, already revoked, or of another account', async () => {
  await using storage = await startStorage()
  const { access_token } = await storage.tokens()
  const { id } = await create(storage, access_token, { name: 'ci' })
  const other = storage.control.addApiKey(MAX.email, { name: 'of Max' })
  const revoke = async (one: string) =>
    (await storage.keys(access_token, `/${one}`, { method: 'DELETE' })).status
  expect(await revoke(id)).toBe(204)
  expect(await revoke(id)).toBe(404)
  expect(await revoke(other.id)).toBe(404)
  expect(await revoke('00000000-0000-4000-8000-000000000000')).toBe(404)
  expect((await storage.whoami({ 'x-api-key': other.key })).status).toBe(200)
})

it('the management of API keys denies a valid API key with 403', async () => {
  await using storage = await startStorage()
  const { key, id } = storage.control.addApiKey(KIM.email, { name: 'ci' })
  const url = `${storage.emulator.storageAuth.dataUrl}/v1/api-keys`
  const headers = { 'x-api-key': key }
  expect((await storage.call(url, { headers })).status).toBe(403)
  expect((await storage.call(url, { method: 'POST', json: { name: 'b' }, headers })).status).toBe(403)
  expect((await storage.call(`${url}/${id}`, { method: 'DELETE', headers })).status).toBe(403)
  expect(storage.state.apiKeys).toHaveLength(1)
})

it('the management of API keys denies an API key instead of the access token, and a missing one, with 401', async () => {
  await using storage = await startStorage()
  const { key } = storage.control.addApiKey(KIM.email, { name: 'ci' })
  const url = `${storage.emulator.storageAuth.dataUrl}/v1/api-keys`
  expect((await storage.keys(key)).status).toBe(401)
  expect((await storage.call(url)).status).toBe(401)
})

it('the management of API keys uses only the access token if both are present', async () => {
  await using storage = await startStorage()
  const { access_token } = await storage.tokens()
  const { key } = storage.control.addApiKey(MAX.email, { name: 'of Max' })
  const headers = { 'x-api-key': key }
  expect((await storage.keys(access_token, '', { headers })).body).toEqual([])
  expect((await storage.keys('not-a-token', '', { headers })).status).toBe(401)
})

it("the sample endpoint identifies itself as the emulator's own, and accepts an access token or an API key", async () => {
  await using storage = await startStorage()
  const { access_token } = await storage.tokens()
  const { key } = storage.control.addApiKey(MAX.email, { name: 'of Max' })
  expect((await storage.whoami({ authorization: `Bearer ${access_token}` })).body).toMatchObject({
    emulator: expect.stringContaining('not to the service'),
    credential: 'access-token',
    user: { email: KIM.email },
  })
  expect((await storage.whoami({ 'x-api-key': key })).body).toMatchObject({
    credential: 'api-key',
    user: { email: MAX.email },
  })
  expect((await storage.whoami({})).status).toBe(401)
})

it('the sample endpoint prefers the JWT if both are present, even an expired one', async () => {
  await using storage = await startStorage()
  const { access_token } = await storage.tokens()
  const { key } = storage.control.addApiKey(MAX.email, { name: 'of Max' })
  const both = { authorization: `Bearer ${access_token}`, 'x-api-key': key }
  expect((await storage.whoami(both)).body).toMatchObject({ user: { email: KIM.email } })
  expect(storage.state.apiKeys[0]?.lastUsedAt).toBeUndefined()
  storage.control.expireAccessTokens()
  expect((await storage.whoami(both)).status).toBe(401)
})

it('the sample endpoint accepts a key until it expires, and one without an expiry for years', async () => {
  await using storage = await startStorage()
  const expiresAt = new Date(storage.control.clock.now() + HOUR).toISOString()
  const limited = storage.control.addApiKey(KIM.email, { name: 'a', expiresAt })
  const unlimited = storage.control.addApiKey(KIM.email, { name: 'b' })
  const use = async (key: string) => (await storage.whoami({ 'x-api-key': key })).status
  await storage.control.clock.advance(HOUR - 1)
  expect(await use(limited.key)).toBe(200)
  await storage.control.clock.advance(1)
  expect(await use(limited.key)).toBe(401)
  await storage.control.clock.advance(10 * 365 * 24 * HOUR)
  expect(await use(unlimited.key)).toBe(200)
})

it('the sample endpoint records when a key was last used', async () => {
  await using storage = await startStorage()
  const { access_token } = await storage.tokens()
  const { key } = storage.control.addApiKey(KIM.email, { name: 'a' })
  await storage.control.clock.advance(60_000)
  await storage.whoami({ 'x-api-key': key })
  expect((await storage.keys(access_token)).body).toMatchObject([{ lastUsedAt: '2026-01-05T09:01:00.000Z' }])
})

it('the sample endpoint allows a key to access the organizations in its scopes, and one without scopes to access all', async () => {
  await using storage = await startStorage()
  const add = (organizations?: string[]) =>
    storage.control.addApiKey(KIM.email, { name: 'a', ...(organizations ? { organizations } : {}) }).key
  const reach = async (key: string) =>
    (await storage.whoami({ 'x-api-key': key }, '?organization=org-north')).status
  expect(await reach(add(['org-north', 'org-south']))).toBe(200)
  expect(await reach(add(['org-south']))).toBe(403)
  expect(await reach(add([]))).toBe(403)
  expect(await reach(add())).toBe(200)
})
