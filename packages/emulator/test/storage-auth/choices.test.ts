import { expect, it } from 'vitest'

import type { StorageAuthOptions } from '../../src/index.ts'
import { KIM, MAX, OLA, startStorage, type TestStorage, type TestTokens } from '../support/storage-auth.ts'

const MINUTE = 60_000

const startWith = (choices: NonNullable<StorageAuthOptions['choices']>) =>
  startStorage({ tokenRequestsPerMinute: Infinity, choices })

/** Returns the start of the message for a login of Kim. */
async function words(storage: TestStorage, password = KIM.password): Promise<string> {
  const { status, body } = await storage.login(KIM.email, password)
  return status === 200 ? 'in' : String((body as { message: string }).message).slice(0, 21)
}

async function fail(storage: TestStorage, times: number): Promise<string> {
  let last = ''
  for (let index = 0; index < times; index++) last = await words(storage, 'wrong')
  return last
}

it('normalizeEmail can make case matter', async () => {
  await using storage = await startWith({ normalizeEmail: (email) => email })
  expect((await storage.login('KIM@mail.example')).status).toBe(401)
  await using other = await startWith({})
  expect((await other.login('KIM@mail.example')).status).toBe(200)
})

it('failureScope can count by IP address, even for unknown accounts', async () => {
  await using storage = await startWith({ failureScope: ({ address }) => address })
  for (let index = 0; index < 5; index++) await storage.login('unknown@mail.example', 'a')
  expect(await words(storage)).toBe('Account is temporaril')
})

it('failureScope can ignore the sign-in page', async () => {
  await using storage = await startWith({
    failureScope: ({ email, place }) => (place === 'token-endpoint' ? email : undefined),
  })
  for (let index = 0; index < 5; index++)
    await storage.page('?source=api&port=50000', { email: KIM.email, password: 'wrong' })
  expect(await words(storage)).toBe('in')
})

it('lock.failureWindowMs can forget old failures', async () => {
  await using storage = await startWith({ lock: { failureWindowMs: MINUTE } })
  const counted = () => storage.state.accounts.find(({ email }) => email === KIM.email)?.failedLogins
  await fail(storage, 4)
  expect(counted()).toBe(4)
  await storage.control.clock.advance(MINUTE)
  expect(counted()).toBe(0)
  await fail(storage, 4)
  expect(await words(storage)).toBe('in')
})

it('lock.successForgetsFailures can be off', async () => {
  await using storage = await startWith({ lock: { successForgetsFailures: false } })
  await fail(storage, 4)
  expect(await words(storage)).toBe('in')
  await fail(storage, 1)
  expect(await words(storage)).toBe('Account is temporaril')
})

it('lock.lastFailureSaysLocked can be on', async () => {
  await using storage = await startWith({ lock: { lastFailureSaysLocked: true } })
  expect(await fail(storage, 4)).toBe('Invalid email or pass')
  expect(await fail(storage, 1)).toBe('Account is temporaril')
})

it('lock.attemptsExtend can be on', async () => {
  await using storage = await startWith({ lock: { attemptsExtend: true } })
  await fail(storage, 5)
  await storage.control.clock.advance(14 * MINUTE)
  await fail(storage, 1)
  await storage.control.clock.advance(14 * MINUTE)
  expect(await words(storage)).toBe('Account is temporaril')
})

it('lock.deniesRightPassword can be off', async () => {
  await using storage = await startWith({ lock: { deniesRightPassword: false } })
  expect(await fail(storage, 6)).toBe('Account is temporaril')
  expect(await words(storage)).toBe('in')
})

it('lock.stops can include refreshes and exchanges', async () => {
  await using storage = await startWith({ lock: { stops: ['refresh', 'exchange'] } })
  const { refresh_token } = await storage.tokens()
  const code = storage.control.issueCode(KIM.email)
  storage.control.lockAccount(KIM.email)
  const locked = { status: 401, body: { message: expect.stringMatching(/^Account is temporarily locked/) } }
  expect(await storage.refresh(refresh_token)).toMatchObject(locked)
  expect(await storage.exchange(code)).toMatchObject(locked)
  expect(storage.control.counters()).toMatchObject({ refreshes: { locked: 1 }, exchanges: { locked: 1 } })
  storage.control.unlockAccount(KIM.email)
  expect((await storage.refresh(refresh_token)).status).toBe(200)
  expect((await storage.exchange(code)).status).toBe(200)
})

it('the message of an error can be chosen, unless it is documented', async () => {
  await using storage = await startWith({
    errorResponse: ({ kind, facts }) =>
      kind === 'locked'
        ? { message: `Account is temporarily locked for ${facts.waitMs} ms` }
        : { message: 'No.' },
  })
  storage.control.lockAccount(KIM.email)
  expect((await storage.login()).body).toEqual({ message: 'Account is temporarily locked for 900000 ms' })
  await expect(storage.login(MAX.email, 'wrong')).rejects.toThrow(
    'During `createToken`, the choice `errorResponse` of `storage-auth` returned, for the error `wrong-credentials`, a message that doesn\'t begin with the documented "Invalid email or password"',
  )
})

it('session.reuseEnds can end the whole session of the login, and nothing else', async () => {
  await using storage = await startWith({ session: { reuseEnds: true } })
  const first = await storage.tokens()
  const other = await storage.tokens()
  const second = (await storage.refresh(first.refresh_token)).body as TestTokens
  expect((await storage.refresh(first.refresh_token)).status).toBe(401)
  expect((await storage.refresh(second.refresh_token)).status).toBe(401)
  expect((await storage.keys(second.access_token)).status).toBe(401)
  expect((await storage.keys(other.access_token)).status).toBe(200)
  expect((await storage.refresh(other.refresh_token)).status).toBe(200)
})

it('session.refreshKeepsAccessTokens can be off', async () => {
  await using storage = await startWith({ session: { refreshKeepsAccessTokens: false } })
  const first = await storage.tokens()
  const second = (await storage.refresh(first.refresh_token)).body as TestTokens
  expect((await storage.keys(first.access_token)).status).toBe(401)
  expect((await storage.keys(second.access_token)).status).toBe(200)
})

it('tokens, codes and keys can look different, and the key set can be at another path', async () => {
  let count = 0
  await using storage = await startWith({
    newIdentifier(kind) {
      if (kind === 'api-key') return 'A'.repeat(64)
      return kind === 'refresh-token' ? `ABC${count++}` : `code-${count++}`
    },
    accessTokenClaims: ({ account }) => ({ who: account.email }),
    keySetPath: '/keys',
  })
  const { access_token, refresh_token } = await storage.tokens()
  expect(refresh_token).toBe('ABC0')
  expect(storage.control.issueCode(KIM.email)).toBe('code-1')
  expect(storage.control.addApiKey(KIM.email, { name: 'a' }).key).toBe('A'.repeat(64))
  const claims = Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()
  expect(JSON.parse(claims)).toEqual({ who: KIM.email })
  expect((await storage.call(`${storage.emulator.storageAuth.authUrl}/keys`)).body).toMatchObject({
    keys: [{ kty: 'OKP', crv: 'Ed25519' }],
  })
})

it('rate.window can be fixed', async () => {
  await using storage = await startStorage({ choices: { rate: { window: 'fixed' } } })
  await storage.control.clock.advance(59_000)
  for (let index = 0; index < 10; index++) expect((await storage.login()).status).toBe(200)
  expect((await storage.login()).status).toBe(429)
  await storage.control.clock.advance(1_000)
  expect((await storage.login()).status).toBe(200)
})

it('rate.countsDenied can keep denying a caller that keeps sending', async () => {
  const eager = async (rateCountsDenied: boolean) => {
    await using storage = await startStorage({ choices: { rate: { countsDenied: rateCountsDenied } } })
    for (let index = 0; index < 10; index++) await storage.login()
    await storage.control.clock.advance(30_000)
    for (let index = 0; index < 10; index++) await storage.login()
    await storage.control.clock.advance(30_000)
    return (await storage.login()).status
  }
  expect(await eager(false)).toBe(200)
  expect(await eager(true)).toBe(429)
})

it('errorResponse can send Retry-After', async () => {
  await using storage = await startStorage({
    choices: {
      errorResponse: ({ facts: { waitMs = 0 } }) => ({
        headers: { 'retry-after': String(Math.ceil(waitMs / 1_000)) },
      }),
    },
  })
  await storage.login()
  await storage.control.clock.advance(20_500)
  for (let index = 0; index < 9; index++) await storage.login()
  const { status, headers } = await storage.login()
  expect([status, headers.get('retry-after')]).toEqual([429, '40'])
})

it('the list can omit expired keys, and have a different order', async () => {
  await using storage = await startWith({
    successResponse: ({ operation, body }) => ({
      body:
        operation === 'listApiKeys'
          ? body.filter((key) => !('expiresAt' in key) || key.expiresAt === null).toReversed()
          : body,
    }),
  })
  const { control } = storage
  for (const name of ['first', 'short', 'last'])
    control.addApiKey(KIM.email, { name, ...(name === 'short' ? { expiresAt: '2026-01-06' } : {}) })
  const { access_token } = await storage.tokens()
  expect((await storage.keys(access_token)).body).toMatchObject([{ name: 'last' }, { name: 'first' }])
})

it('lock.stops can leave out accounts without a password', async () => {
  await using storage = await startWith({ lock: { stops: [] } })
  storage.control.lockAccount(OLA.email)
  expect((await storage.page('?source=api&port=50000', { external: OLA.email })).status).toBe(303)
})

it('a past expiry can be rejected', async () => {
  const create = async (acceptsPastExpiry: boolean) => {
    await using storage = await startWith({ apiKeys: { acceptsPastExpiry } })
    const { access_token } = await storage.tokens()
    const json = { name: 'a', expiresAt: '2020-01-01T00:00:00Z' }
    return (await storage.keys(access_token, '', { method: 'POST', json })).status
  }
  expect([await create(true), await create(false)]).toEqual([201, 400])
})

it('scopes without organizations are like no scopes, or can limit the key', async () => {
  const reach = async (choices: NonNullable<StorageAuthOptions['choices']>) => {
    await using storage = await startWith(choices)
    const { access_token } = await storage.tokens()
    const created = await storage.keys(access_token, '', { method: 'POST', json: { name: 'a', scopes: {} } })
    const { key } = created.body as { key: string }
    return (await storage.whoami({ 'x-api-key': key }, '?organization=any')).status
  }
  expect(await reach({})).toBe(200)
  expect(await reach({ apiKeys: { withoutOrganizations: 'none' } })).toBe(403)
  expect(await reach({ apiKeys: { withoutOrganizations: 'none', emptyOrganizations: 'all' } })).toBe(403)
})

it('an empty array of organizations can allow access to all', async () => {
  await using storage = await startWith({ apiKeys: { emptyOrganizations: 'all' } })
  const { key } = storage.control.addApiKey(KIM.email, { name: 'a', organizations: [] })
  expect((await storage.whoami({ 'x-api-key': key }, '?organization=any')).status).toBe(200)
})

it('an API key can be used in spite of an invalid JWT', async () => {
  await using storage = await startWith({ apiKeys: { besideInvalidJwt: 'used' } })
  const { key } = storage.control.addApiKey(MAX.email, { name: 'a' })
  const headers = { authorization: 'Bearer nothing', 'x-api-key': key }
  expect((await storage.whoami(headers)).body).toMatchObject({ credential: 'api-key' })
})

it('the page can have no external sign-in, and other statuses', async () => {
  await using storage = await startWith({
    page: {
      offersExternalSignIn: false,
      redirectStatus: 302,
      badQueryStatus: 422,
      loginDeniedStatus: 200,
    },
  })
  const query = '?source=api&port=50000'
  expect((await storage.page(query)).body).not.toContain('Continue as')
  expect((await storage.page(query, { external: OLA.email })).headers.get('location')).toBeNull()
  expect((await storage.page(query, KIM)).status).toBe(302)
  expect((await storage.page(query, { email: KIM.email, password: 'wrong' })).status).toBe(200)
  expect((await storage.page('')).status).toBe(422)
})

it('errors can have a different shape, statuses and messages', async () => {
  await using storage = await startWith({
    errorResponse: ({ kind }) => ({ body: { error: { code: kind, text: 'No.' } } }),
    statuses: { 'api-key-on-key-management': 401 },
  })
  expect((await storage.refresh('00')).body).toEqual({
    error: { code: 'refresh-token-rejected', text: 'No.' },
  })
  const url = `${storage.emulator.storageAuth.dataUrl}/v1/api-keys`
  expect((await storage.call(url, { headers: { 'x-api-key': 'a' } })).status).toBe(401)
})

it('the largest body can be smaller', async () => {
  await using storage = await startWith({ largestBodyBytes: 10 })
  expect((await storage.login()).status).toBe(413)
})

it('readExpiry decides when a key expires', async () => {
  await using storage = await startWith({ readExpiry: () => 0 })
  const { key } = storage.control.addApiKey(KIM.email, { name: 'a', expiresAt: '2099-01-01' })
  expect((await storage.whoami({ 'x-api-key': key })).status).toBe(401)
})
