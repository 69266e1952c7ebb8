import { expect, it } from 'vitest'

import { createEmulator, EmulatorOptionsError } from '../../src/index.ts'
import { KIM, MAX, startStorage } from '../support/storage-auth.ts'

it('the control interface of storage authentication expires the access tokens of one account, or all', async () => {
  await using storage = await startStorage()
  const kim = await storage.control.issueTokens(KIM.email)
  const max = await storage.control.issueTokens(MAX.email)
  const works = async (token: string) => (await storage.keys(token)).status === 200
  expect(storage.control.expireAccessTokens(KIM.email)).toBe(1)
  expect([await works(kim.accessToken), await works(max.accessToken)]).toEqual([false, true])
  expect(storage.control.expireAccessTokens()).toBe(1)
  expect(await works(max.accessToken)).toBe(false)
  expect((await storage.refresh(kim.refreshToken)).status).toBe(200)
})

it('the control interface of storage authentication expires refresh tokens', async () => {
  await using storage = await startStorage()
  const kim = await storage.control.issueTokens(KIM.email)
  const max = await storage.control.issueTokens(MAX.email)
  expect(storage.control.expireRefreshTokens(KIM.email)).toBe(1)
  expect((await storage.refresh(kim.refreshToken)).status).toBe(401)
  expect((await storage.refresh(max.refreshToken)).status).toBe(200)
  expect(storage.control.counters().refreshes).toMatchObject({ granted: 1, expired: 1 })
})

it('the control interface of storage authentication issues tokens and codes without counting a request', async () => {
  await using storage = await startStorage()
  await storage.control.issueTokens(KIM.email)
  storage.control.issueCode(KIM.email)
  expect(storage.state.tokenRequests).toEqual({})
  expect(storage.control.counters().logins.granted).toBe(0)
})

it('the control interface of storage authentication adds accounts, and rejects one that already exists', async () => {
  await using storage = await startStorage()
  storage.control.addAccount({ email: 'new@mail.example', password: 'p', role: 'owner' })
  const { body } = await storage.login('new@mail.example', 'p')
  expect(body).toMatchObject({ user: { name: 'new', role: 'owner' } })
  expect(() => storage.control.addAccount({ email: 'NEW@mail.example' })).toThrow(EmulatorOptionsError)
  expect(() => storage.control.lockAccount('unknown@mail.example')).toThrow(
    'Unknown account unknown@mail.example',
  )
})

it('the control interface of storage authentication shows its state without secrets', async () => {
  await using storage = await startStorage()
  const { access_token, refresh_token } = await storage.tokens()
  const code = storage.control.issueCode(KIM.email)
  const { key } = storage.control.addApiKey(KIM.email, { name: 'ci', organizations: ['org-north'] })
  const { state } = storage
  const text = JSON.stringify(state)
  for (const secret of [access_token, refresh_token, code, key, KIM.password, MAX.password])
    expect(text).not.toContain(secret)
  expect(state).toMatchObject({
    accounts: [{ email: KIM.email, hasPassword: true }, { hasPassword: false }, {}],
    accessTokens: [{ email: KIM.email, valid: 1, expired: 0 }, {}, {}],
    refreshTokens: [{ fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/), state: 'valid' }],
    exchangeCodes: [{ state: 'issued' }],
    apiKeys: [{ name: 'ci', organizations: ['org-north'], revoked: false }],
    tokenRequests: { '127.0.0.1': 1 },
  })
})

it('the control interface of storage authentication reset clears everything except the initial accounts', async () => {
  await using storage = await startStorage()
  const before = await storage.tokens()
  storage.control.addAccount({ email: 'new@mail.example', password: 'p' })
  for (let index = 0; index < 5; index++) await storage.login(KIM.email, 'wrong')
  storage.control.reset()
  expect((await storage.keys(before.access_token)).status).toBe(401)
  expect((await storage.refresh(before.refresh_token)).status).toBe(401)
  expect((await storage.login('new@mail.example', 'p')).status).toBe(401)
  expect((await storage.tokens()).user).toEqual(before.user)
  expect(storage.control.counters().logins).toMatchObject({ granted: 1, wrongCredentials: 1, locked: 0 })
})

it('the control interface of storage authentication over HTTP has a command for each method', async () => {
  await using storage = await startStorage({}, { control: true })
  const { origin } = new URL(storage.emulator.storageAuth.authUrl)
  const command = async (name: string, json: object = {}) =>
    (await storage.call(`${origin}/_control/${name}`, { method: 'POST', json })).body
  const { email } = KIM
  const tokens = {
    accessToken: expect.any(String),
    refreshToken: expect.any(String),
    expiresInSeconds: 3600,
  }
  expect(await command('issue-tokens', { email })).toEqual(tokens)
  expect(await command('expire-access-tokens')).toEqual({ expired: 1 })
  expect(await command('expire-refresh-tokens', { email })).toEqual({ expired: 1 })
  expect(await command('issue-code', { email })).toEqual({ code: expect.any(String) })
  expect(await command('lock-account', { email })).toEqual({ done: true })
  expect((await storage.login()).status).toBe(401)
  expect(await command('unlock-account', { email })).toEqual({ done: true })
  expect(await command('add-account', { email: 'new@mail.example', password: 'p' })).toEqual({ done: true })
  expect((await storage.login('new@mail.example', 'p')).status).toBe(200)
  const { key } = (await command('add-api-key', { email, name: 'ci' })) as { key: string }
  expect((await storage.whoami({ 'x-api-key': key })).status).toBe(200)
  expect(await command('counters')).toMatchObject({ logins: { granted: 1, locked: 1 } })
  expect(await command('state')).toMatchObject({ apiKeys: [{ name: 'ci' }] })
  const missing = { detail: 'Unknown account unknown@mail.example.' }
  expect(await command('lock-account', { email: 'unknown@mail.example' })).toEqual(missing)
  expect(await command('lock-account')).toEqual({ detail: expect.stringContaining('email') })
})

it('a served emulator counts requests from the same IP address together', async () => {
  await using storage = await startStorage()
  const { authUrl } = (await storage.emulator.serve({ services: ['storageAuth'] })).storageAuth
  const statuses = []
  const headers = { 'content-type': 'application/json' }
  for (let index = 0; index < 11; index++) {
    const init = { method: 'POST', headers, body: JSON.stringify(KIM) }
    statuses.push((await fetch(`${authUrl}/auth/token`, init)).status)
  }
  expect(statuses).toEqual([...Array<number>(10).fill(200), 429])
})

it('the options of storage authentication include two accounts by default, one of them without a password', async () => {
  await using emulator = await createEmulator({ seed: 1 })
  const { fetch, authUrl, email, password, state } = emulator.storageAuth
  expect(state.accounts.map(({ hasPassword }) => hasPassword)).toEqual([true, false])
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ email, password })
  expect((await fetch(`${authUrl}/auth/token`, { method: 'POST', headers, body })).status).toBe(200)
})

it('the options of storage authentication set a path prefix for each base URL', async () => {
  await using storage = await startStorage({ authPath: '/a/v9', dataPath: '', webPath: '/w' })
  const { authUrl, dataUrl, webUrl } = storage.emulator.storageAuth
  expect([authUrl, dataUrl, webUrl].map((url) => new URL(url).pathname)).toEqual(['/a/v9', '/', '/w'])
  const { access_token } = await storage.tokens()
  expect((await storage.keys(access_token)).status).toBe(200)
  expect((await storage.page('?source=api&port=50000')).status).toBe(200)
})

it('the options of storage authentication set the lifetime of access tokens', async () => {
  await using storage = await startStorage({ accessTokenSeconds: 5 })
  const { access_token, expires_in } = await storage.tokens()
  expect(expires_in).toBe(5)
  await storage.control.clock.advance(5_000)
  expect((await storage.keys(access_token)).status).toBe(401)
})

it.each([
  [{ accounts: [{ email: 'a@mail.example' }] }, 'at least one account with a password'],
  [{ accounts: [KIM, { ...KIM, email: 'KIM@mail.example' }] }, 'The account KIM@mail.example already exists'],
  [{ authPath: 'a' }, '`authPath` must be empty or a path'],
  [{ accessTokenSeconds: 0.5 }, '`accessTokenSeconds` must be a whole number'],
  [{ choices: { nothing: 1 } as object }, 'Unknown choice `nothing`'],
])('the options of storage authentication cannot be %o', async (options, message) => {
  await expect(startStorage(options)).rejects.toThrow(message)
})
