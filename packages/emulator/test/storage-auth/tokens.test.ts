import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose'
import { expect, it } from 'vitest'

import { ConnectionBrokenError } from '../../src/index.ts'
import { KIM, MAX, OLA, startStorage, type TestTokens } from '../support/storage-auth.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

it('POST /auth/token returns an access token, a refresh token, the lifetime in seconds, and the user', async () => {
  await using storage = await startStorage()
  const { status, body } = await storage.login()
  expect(status).toBe(200)
  expect(body).toEqual({
    access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    refresh_token: expect.stringMatching(/^[0-9a-f]+$/),
    expires_in: 3600,
    user: {
      id: expect.any(String),
      email: KIM.email,
      name: 'Kim Berg',
      image: null,
      organizationId: 'org-north',
      role: 'member',
      workspaces: [],
    },
  })
})

it('POST /auth/token returns "Invalid email or password" both for a wrong password and for an unknown email address', async () => {
  await using storage = await startStorage()
  const wrong = await storage.login(KIM.email, 'wrong')
  const unknown = await storage.login('unknown@mail.example', 'wrong')
  expect([wrong.status, unknown.status]).toEqual([401, 401])
  expect([wrong.body, unknown.body]).toEqual([
    { message: 'Invalid email or password' },
    { message: 'Invalid email or password' },
  ])
})

it('POST /auth/token returns "Password is not set for this user" if the account has none', async () => {
  await using storage = await startStorage()
  const response = await storage.login(OLA.email, 'anything')
  expect(response).toMatchObject({ status: 401, body: { message: 'Password is not set for this user' } })
})

it.each([
  ['without an email', { password: 'a' }],
  ['without a password', { email: KIM.email }],
  ['with an email that is not a string', { email: 1, password: 'a' }],
  ['that is not an object', []],
])('POST /auth/token responds to a body %s with 400', async (_, json) => {
  await using storage = await startStorage()
  const url = `${storage.emulator.storageAuth.authUrl}/auth/token`
  expect((await storage.call(url, { method: 'POST', json })).status).toBe(400)
})

it('POST /auth/token is only served under the prefix of its own base URL', async () => {
  await using storage = await startStorage()
  const { authUrl, dataUrl } = storage.emulator.storageAuth
  const post = (url: string) => storage.call(url, { method: 'POST', json: KIM })
  expect((await post(`${new URL(authUrl).origin}/auth/token`)).status).toBe(404)
  expect((await post(`${dataUrl}/auth/token`)).status).toBe(404)
  expect((await post(`${authUrl}/v1/auth/token`)).status).toBe(404)
  expect((await post(`${authUrl}/auth/token`)).status).toBe(200)
})

const locked = { message: expect.stringMatching(/^Account is temporarily locked/) }

async function fail(storage: Awaited<ReturnType<typeof startStorage>>, times: number) {
  const responses = []
  for (let index = 0; index < times; index++) responses.push(await storage.login(KIM.email, 'wrong'))
  return responses
}

it('the lock starts after five failures, with a 401 and the documented beginning of the message', async () => {
  await using storage = await startStorage()
  for (const { status, body } of await fail(storage, 5))
    expect([status, body]).toEqual([401, { message: 'Invalid email or password' }])
  const { status, body } = await storage.login()
  expect([status, body]).toEqual([401, locked])
  expect(storage.control.counters().logins).toEqual({
    granted: 0,
    wrongCredentials: 5,
    noPassword: 0,
    locked: 1,
  })
})

it('the lock does not start after four failures and a success', async () => {
  await using storage = await startStorage()
  await fail(storage, 4)
  expect((await storage.login()).status).toBe(200)
  await fail(storage, 4)
  expect((await storage.login()).status).toBe(200)
})

it('the lock lasts 15 minutes', async () => {
  await using storage = await startStorage()
  await fail(storage, 5)
  await storage.control.clock.advance(15 * MINUTE - 1)
  expect((await storage.login()).body).toEqual(locked)
  await storage.control.clock.advance(1)
  expect((await storage.login()).status).toBe(200)
})

it('the lock only affects one account, but not its refresh tokens and codes', async () => {
  await using storage = await startStorage()
  const { refresh_token } = await storage.tokens()
  const code = storage.control.issueCode(KIM.email)
  storage.control.lockAccount(KIM.email)
  expect((await storage.login()).body).toEqual(locked)
  expect((await storage.login(MAX.email, MAX.password)).status).toBe(200)
  expect((await storage.refresh(refresh_token)).status).toBe(200)
  expect((await storage.exchange(code)).status).toBe(200)
  storage.control.unlockAccount(KIM.email)
  expect((await storage.login()).status).toBe(200)
})

it('the access token is a JWT that verifies with the published key, until its hour is over', async () => {
  await using storage = await startStorage()
  const { authUrl } = storage.emulator.storageAuth
  const keySet = (await storage.call(`${authUrl}/.well-known/jwks.json`)).body as JSONWebKeySet
  const { access_token, user } = await storage.tokens()
  const verify = () =>
    jwtVerify(access_token, createLocalJWKSet(keySet), {
      currentDate: new Date(storage.control.clock.now()),
    })
  const { payload, protectedHeader } = await verify()
  expect(protectedHeader.alg).toBe('EdDSA')
  expect(payload).toMatchObject({ sub: user['id'], email: KIM.email })
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600)
  await storage.control.clock.advance(HOUR - 1)
  expect((await storage.keys(access_token)).status).toBe(200)
  await storage.control.clock.advance(1)
  expect((await storage.keys(access_token)).status).toBe(401)
  await expect(verify()).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' })
})

it('the access token does not verify after a change, and is denied', async () => {
  await using storage = await startStorage()
  const { authUrl } = storage.emulator.storageAuth
  const keySet = (await storage.call(`${authUrl}/.well-known/jwks.json`)).body as JSONWebKeySet
  const { access_token } = await storage.tokens()
  const [header, , signature] = access_token.split('.')
  const claims = Buffer.from(JSON.stringify({ sub: 'somebody else', exp: 9e9 })).toString('base64url')
  const forged = [header, claims, signature].join('.')
  await expect(jwtVerify(forged, createLocalJWKSet(keySet))).rejects.toMatchObject({
    code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  })
  expect((await storage.keys(forged)).status).toBe(401)
})

it('the access token stays valid after a refresh', async () => {
  await using storage = await startStorage()
  const { access_token, refresh_token } = await storage.tokens()
  await storage.refresh(refresh_token)
  expect((await storage.keys(access_token)).status).toBe(200)
})

it('the access token is different each time, even in the same instant, and the same for the same seed', async () => {
  await using storage = await startStorage()
  await using again = await startStorage()
  const first = await storage.tokens()
  expect((await storage.tokens()).access_token).not.toBe(first.access_token)
  expect((await again.tokens()).access_token).toBe(first.access_token)
})

it('POST /auth/token/refresh returns a new pair and revokes the token; its reuse gets 401 and changes nothing', async () => {
  await using storage = await startStorage()
  const first = await storage.tokens()
  const { status, body } = await storage.refresh(first.refresh_token)
  const second = body as TestTokens
  expect(status).toBe(200)
  expect(second.refresh_token).not.toBe(first.refresh_token)
  expect(second.access_token).not.toBe(first.access_token)
  expect((await storage.refresh(first.refresh_token)).status).toBe(401)
  expect((await storage.refresh(first.refresh_token)).status).toBe(401)
  expect((await storage.refresh(second.refresh_token)).status).toBe(200)
  expect(storage.control.counters().refreshes).toEqual({
    granted: 2,
    unknown: 0,
    expired: 0,
    revoked: 2,
    locked: 0,
  })
})

it.each(['refresh', 'exchange'] as const)(
  'POST /auth/token/%s lets exactly one of many concurrent requests succeed',
  async (name) => {
    await using storage = await startStorage({ tokenRequestsPerMinute: Infinity })
    const secret =
      name === 'refresh' ? (await storage.tokens()).refresh_token : storage.control.issueCode(KIM.email)
    const responses = await Promise.all(Array.from({ length: 20 }, () => storage[name](secret)))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(19)
  },
)

it('POST /auth/token/refresh accepts a token for 30 days, to the millisecond', async () => {
  await using storage = await startStorage()
  const [early, late] = [await storage.tokens(), await storage.tokens()]
  await storage.control.clock.advance(30 * DAY - 1)
  expect((await storage.refresh(early.refresh_token)).status).toBe(200)
  await storage.control.clock.advance(1)
  expect((await storage.refresh(late.refresh_token)).status).toBe(401)
  expect(storage.control.counters().refreshes.expired).toBe(1)
})

it('POST /auth/token/refresh lets each new token expire after 30 days', async () => {
  await using storage = await startStorage()
  let { refresh_token } = await storage.tokens()
  for (let round = 0; round < 3; round++) {
    await storage.control.clock.advance(20 * DAY)
    const { status, body } = await storage.refresh(refresh_token)
    expect(status).toBe(200)
    refresh_token = (body as TestTokens).refresh_token
  }
})

it.each(['refresh', 'exchange'] as const)(
  'POST /auth/token/%s responds to an unknown secret with 401, and to a missing one with 400',
  async (name) => {
    await using storage = await startStorage()
    const url = `${storage.emulator.storageAuth.authUrl}/auth/token/${name}`
    expect((await storage[name]('00ff')).status).toBe(401)
    expect((await storage.call(url, { method: 'POST', json: { token: 'a' } })).status).toBe(400)
  },
)

it('POST /auth/token/refresh revokes the token even if the response is lost', async () => {
  await using storage = await startStorage()
  const { refresh_token } = await storage.tokens()
  storage.control.faults.add({ kind: 'reset', when: 'after', operation: 'refreshToken' })
  await expect(storage.refresh(refresh_token)).rejects.toThrow(ConnectionBrokenError)
  expect((await storage.refresh(refresh_token)).status).toBe(401)
  const [old, successor] = storage.state.refreshTokens
  expect(old).toMatchObject({ state: 'revoked', denials: 1, successor: successor?.fingerprint })
  expect(successor).toMatchObject({ state: 'valid', denials: 0 })
})

it('POST /auth/token/exchange returns tokens for a code once', async () => {
  await using storage = await startStorage()
  const code = storage.control.issueCode(OLA.email)
  const { status, body } = await storage.exchange(code)
  expect(status).toBe(200)
  expect((body as TestTokens).user['email']).toBe(OLA.email)
  expect((await storage.exchange(code)).status).toBe(401)
  expect(storage.control.counters().exchanges).toMatchObject({ granted: 1, used: 1 })
})

it('POST /auth/token/exchange only accepts a code within 60 seconds', async () => {
  await using storage = await startStorage()
  const [early, late] = [storage.control.issueCode(KIM.email), storage.control.issueCode(KIM.email)]
  await storage.control.clock.advance(60_000)
  expect((await storage.exchange(early)).status).toBe(200)
  await storage.control.clock.advance(1)
  expect((await storage.exchange(late)).status).toBe(401)
  expect(storage.state.exchangeCodes.map(({ state }) => state)).toEqual(['used', 'expired'])
})

it('the limit of the token endpoints is shared by all three: the eleventh request in a minute gets 429', async () => {
  await using storage = await startStorage()
  const { refresh_token } = await storage.tokens()
  for (let index = 0; index < 3; index++) await storage.login(KIM.email, 'wrong')
  for (let index = 0; index < 3; index++) await storage.refresh('00')
  for (let index = 0; index < 3; index++) await storage.exchange('none')
  expect((await storage.refresh(refresh_token)).status).toBe(429)
  expect((await storage.login()).status).toBe(429)
  expect((await storage.exchange('none')).status).toBe(429)
  expect(storage.control.counters().rateLimited).toBe(3)
})

it('the limit of the token endpoints counts requests that break the contract', async () => {
  await using storage = await startStorage()
  const url = `${storage.emulator.storageAuth.authUrl}/auth/token`
  for (let index = 0; index < 10; index++)
    expect((await storage.call(url, { method: 'POST', json: {} })).status).toBe(400)
  expect((await storage.login()).status).toBe(429)
})

it('the limit of the token endpoints ends a minute after the first request, and a token still works after a 429', async () => {
  await using storage = await startStorage()
  const { refresh_token } = await storage.tokens()
  await storage.control.clock.advance(30_000)
  for (let index = 0; index < 9; index++) await storage.refresh('00')
  await storage.control.clock.advance(29_999)
  expect((await storage.refresh(refresh_token)).status).toBe(429)
  await storage.control.clock.advance(1)
  expect((await storage.refresh(refresh_token)).status).toBe(200)
  expect((await storage.refresh('00')).status).toBe(429)
})

it('the limit of the token endpoints does not count or deny requests for API keys and the sign-in page', async () => {
  await using storage = await startStorage()
  const { access_token } = await storage.tokens()
  for (let index = 0; index < 20; index++) {
    expect((await storage.keys(access_token)).status).toBe(200)
    expect((await storage.page('?source=api&port=50000')).status).toBe(200)
  }
  for (let index = 0; index < 9; index++) await storage.refresh('00')
  expect((await storage.refresh('00')).status).toBe(429)
  expect((await storage.keys(access_token)).status).toBe(200)
  expect((await storage.page('?source=api&port=50000', KIM)).status).toBe(303)
})

it('the limit of the token endpoints is separate for each IP address', async () => {
  await using storage = await startStorage({
    choices: { addressOf: ({ headers }) => headers.get('x-forwarded-for') ?? '' },
  })
  const url = `${storage.emulator.storageAuth.authUrl}/auth/token`
  const from = async (address: string) => {
    const headers = { 'x-forwarded-for': address }
    return (await storage.call(url, { method: 'POST', json: KIM, headers })).status
  }
  for (let index = 0; index < 10; index++) expect(await from('192.0.2.1')).toBe(200)
  expect(await from('192.0.2.1')).toBe(429)
  expect(await from('192.0.2.2')).toBe(200)
  expect(storage.state.tokenRequests).toEqual({ '192.0.2.1': 10, '192.0.2.2': 1 })
})

it('the limit of the token endpoints can be `Infinity`', async () => {
  await using storage = await startStorage({ tokenRequestsPerMinute: Infinity })
  for (let index = 0; index < 50; index++) expect((await storage.login()).status).toBe(200)
})

it.each([0, -1, 1.5, NaN])(
  'the limit of the token endpoints cannot be %s',
  async (tokenRequestsPerMinute) => {
    await expect(startStorage({ tokenRequestsPerMinute })).rejects.toThrow(
      '`tokenRequestsPerMinute` must be a whole number above 0, or `Infinity` (no limit)',
    )
  },
)
