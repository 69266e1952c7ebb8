import { expect, it } from 'vitest'

import { json, rejection } from '../../http/test-support/fixtures.ts'
import { flow, type Reply, server } from '../test-support/oauth-server.ts'
import { memoryTokenStore } from '../token-store.ts'
import { clientCredentials } from './grants.ts'
import { deviceSession, passwordSession } from './oauth-session.ts'

function signIn(response: Reply, more: object = {}) {
  const { options, ...scene } = server(response)
  const store = memoryTokenStore()
  const own = { ...options, store, username: 'kim', password: 'pass', ...more }
  return { ...scene, options, store, begin: () => passwordSession(flow, own) }
}

const object = { toString: 1, valueOf: 1 }

it.each([
  ['null', null, ''],
  ['a string', 'access', ''],
  ['no access token', {}, '/access_token'],
  ['an empty access token', { access_token: '' }, '/access_token'],
  ['an access token that is a number', { access_token: 7 }, '/access_token'],
  ['an access token that is an object', { access_token: object }, '/access_token'],
  ['another type of token', { access_token: 'a', token_type: 'mac' }, '/token_type'],
  ['a type that only begins with Bearer', { access_token: 'a', token_type: 'bearer-2' }, '/token_type'],
  ['a type that only ends with Bearer', { access_token: 'a', token_type: 'not-bearer' }, '/token_type'],
  ['a type that is an object', { access_token: 'a', token_type: object }, '/token_type'],
])(
  'R-04, RFC 6749, section 5.1: a token response with %s is rejected, and no session begins',
  async (_what, response, path) => {
    const { begin, store } = signIn(() => json(response))
    expect(await rejection(begin())).toMatchObject({
      code: 'contract-drift',
      operation: 'oauthToken',
      issues: [{ path }],
      message: expect.stringContaining(path === '' ? ': it is not' : `: \`${path}\` `) as string,
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
  [{ expires_in: '' }, undefined, undefined],
  [{ expires_in: '1e400' }, undefined, undefined],
  [{ expires_in: object }, undefined, undefined],
  [{ expires_in: { valueOf: 1 } }, undefined, undefined],
])(
  'R-42, RFC 6749, section 5.1: of the fields %j in a token response, those that make sense are read',
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

it('R-20: a request for tokens of a user is sent once; one for a device code or for client credentials is repeated', async () => {
  const { begin, options, store, seen } = signIn(() => json({}, { status: 503 }))
  expect(await rejection(begin())).toMatchObject({ status: 503 })
  expect(seen).toHaveLength(1)
  const device = deviceSession(flow, { ...options, store, onPrompt: () => undefined })
  expect(await rejection(device)).toMatchObject({ status: 503 })
  expect(seen.filter(({ path }) => path === '/device').length).toBeGreaterThan(1)
  const before = seen.length
  expect(await rejection((async () => clientCredentials(flow, options).get())())).toMatchObject({
    status: 503,
  })
  expect(seen.length - before).toBeGreaterThan(1)
})

it('R-03: an abort ends a request for tokens with the reason', async () => {
  const controller = new AbortController()
  const respond = () => {
    controller.abort(new Error('enough'))
    return json({ access_token: 'a' })
  }
  const { begin } = signIn(respond, { signal: controller.signal })
  expect(await rejection(begin())).toMatchObject({ message: 'enough' })
})

it('an error response of an authorization server that names no code is reported as an error of the call', async () => {
  const { begin } = signIn(() => json({ error: { type: 'x' }, error_description: 'No.' }, { status: 400 }))
  expect(await rejection(begin())).toMatchObject({
    status: 400,
    message: expect.stringMatching(/^(?!.*object).*No\./) as string,
  })
})
