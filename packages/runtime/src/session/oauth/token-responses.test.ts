import { describe, expect, it } from 'vitest'

import { json, rejection } from '../../http/test-support/fixtures.ts'
import { memoryTransport } from '../../testing/transports.ts'
import { virtualClock } from '../../testing/virtual-clock.ts'
import { memoryTokenStore } from '../token-store.ts'
import { startAuthorization } from './grants.ts'
import { discoverOpenId } from './token-endpoint.ts'
import { deviceSession, passwordSession } from './oauth-session.ts'

const tokenUrl = 'https://id.test/token'
const user = { username: 'kim', password: 'pass' }

function signIn(response: () => Response, more: object = {}) {
  const clock = virtualClock()
  const store = memoryTokenStore()
  const paths: string[] = []
  const transport = memoryTransport((request) => {
    paths.push(new URL(request.url).pathname)
    return response()
  })
  const options = { clientId: 'app', transport, clock, store }
  return {
    clock,
    store,
    paths,
    options,
    begin: () => passwordSession({ tokenUrl }, { ...options, ...user, ...more }),
  }
}

describe('the token response of an authorization server', () => {
  it.each([
    ['null', null, ''],
    ['a string', 'access', ''],
    ['no access token', {}, '/access_token'],
    ['an empty access token', { access_token: '' }, '/access_token'],
    ['an access token that is a number', { access_token: 7 }, '/access_token'],
    ['another type of token', { access_token: 'a', token_type: 'mac' }, '/token_type'],
    ['a type that only begins with Bearer', { access_token: 'a', token_type: 'bearer-2' }, '/token_type'],
    ['a type that only ends with Bearer', { access_token: 'a', token_type: 'not-bearer' }, '/token_type'],
  ])(
    'RFC 6749, section 5.1: cannot be used with %s, and no session begins',
    async (_what, response, path) => {
      const { begin, store } = signIn(() => json(response))
      expect(await rejection(begin())).toMatchObject({
        code: 'contract-drift',
        operation: 'oauthToken',
        issues: [{ path }],
        message: expect.stringContaining(path === '' ? ': it is not' : `: ${path} is not`) as string,
      })
      expect(await store.read()).toBeUndefined()
    },
  )

  it.each([
    [{ token_type: 'BEARER', expires_in: 60 }, undefined, 60_000],
    [{ expires_in: '60', refresh_token: 'r' }, 'r', 60_000],
    [{ expires_in: 0, refresh_token: '' }, undefined, undefined],
    [{ expires_in: -1, refresh_token: 7 }, undefined, undefined],
    [{ expires_in: 'soon', refresh_token: null }, undefined, undefined],
    [{ expires_in: '1e400' }, undefined, undefined],
  ])(
    'RFC 6749, section 5.1: %o is read as far as it makes sense',
    async (fields, refreshToken, lifetimeMs) => {
      const { begin, store, clock } = signIn(() => json({ access_token: 'a', ...fields }))
      const nowMs = clock.now()
      await begin()
      expect(await store.read()).toStrictEqual({
        accessToken: 'a',
        obtainedAtMs: nowMs,
        ...(refreshToken !== undefined && { refreshToken }),
        ...(lifetimeMs !== undefined && { expiresAtMs: nowMs + lifetimeMs }),
      })
    },
  )

  it('R-20: a request for tokens is sent once, and one for a device code again after a failure', async () => {
    const broken = signIn(() => json({}, { status: 503 }))
    expect(await rejection(broken.begin())).toMatchObject({ status: 503 })
    expect(broken.paths).toEqual(['/token'])
    const flow = { tokenUrl, deviceAuthorizationUrl: 'https://id.test/device' }
    const device = deviceSession(flow, { ...broken.options, onPrompt: () => undefined })
    expect(await rejection(device)).toMatchObject({ status: 503 })
    expect(broken.paths.filter((path) => path === '/device').length).toBeGreaterThan(1)
  })

  it('R-03: an abort ends the request with the reason', async () => {
    const controller = new AbortController()
    const { begin } = signIn(
      () => {
        controller.abort(new Error('enough'))
        return json({ access_token: 'a' })
      },
      { signal: controller.signal },
    )
    expect(await rejection(begin())).toMatchObject({ message: 'enough' })
  })

  it.each(['id.test/token', 'ftp://id.test/token', 'xhttps://id.test/token', undefined])(
    'an address such as %s is rejected before anything is sent',
    async (address) => {
      const { options, paths } = signIn(() => json({}))
      const flow = { tokenUrl: address } as { tokenUrl: string }
      expect(await rejection(passwordSession(flow, { ...options, ...user }))).toMatchObject({
        code: 'invalid-options',
        option: 'tokenUrl',
      })
      expect(paths).toEqual([])
    },
  )

  it('an error that names no code is reported as an error of the call', async () => {
    const { begin } = signIn(() => json({ error: { type: 'x' }, error_description: 'No.' }, { status: 400 }))
    expect(await rejection(begin())).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^(?!.*object).*No\./) as string,
    })
  })
})

describe('the address of a sign-in with a code', () => {
  it('has no scope unless the caller names one, and an unpadded challenge of 256 bits', async () => {
    const flow = { tokenUrl, authorizationUrl: 'http://id.test/authorize' }
    const { url } = await startAuthorization(flow, { clientId: 'app', redirectUri: 'https://app.test/back' })
    const query = new URL(url).searchParams
    expect(query.has('scope')).toBe(false)
    expect(query.get('code_challenge')).toMatch(/^[\w-]{43}$/)
    const none = await startAuthorization(flow, {
      clientId: 'app',
      redirectUri: 'https://app.test/back',
      scopes: [],
    })
    expect(new URL(none.url).searchParams.has('scope')).toBe(false)
  })
})

describe('OpenID Connect discovery', () => {
  const url = 'https://id.test/.well-known/openid-configuration'

  it('ignores a trailing slash of the issuer, and addresses that are missing or no strings', async () => {
    const response = { issuer: 'https://id.test/', token_endpoint: tokenUrl, authorization_endpoint: 7 }
    const transport = memoryTransport(() => json(response))
    expect(await discoverOpenId(url, { transport })).toStrictEqual({ tokenUrl })
  })

  it('accepts addresses without https from a provider without https', async () => {
    const local = 'http://127.0.0.1:8080'
    const transport = memoryTransport(() => json({ issuer: local, token_endpoint: `${local}/token` }))
    const found = await discoverOpenId(`${local}/.well-known/openid-configuration`, { transport })
    expect(found).toStrictEqual({ tokenUrl: `${local}/token` })
  })

  it.each([null, 'text', {}])('rejects %o, which names no issuer', async (response) => {
    const transport = memoryTransport(() => json(response))
    expect(await rejection(discoverOpenId(url, { transport }))).toMatchObject({
      code: 'contract-drift',
      operation: 'openIdConfiguration',
      issues: [{ path: '/issuer' }],
    })
  })
})
