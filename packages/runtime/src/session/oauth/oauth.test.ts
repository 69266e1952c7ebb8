import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { getItem, json, rejection } from '../../http/test-support/fixtures.ts'
import { createClient } from '../../http/client.ts'
import { bearerCredential } from '../../http/credential.ts'
import { memoryTransport } from '../../testing/transports.ts'
import { memoryTokenStore } from '../token-store.ts'
import { clientCredentials, finishAuthorization, startAuthorization } from './grants.ts'
import { deviceSession, passwordSession, resumeOAuth } from './oauth-session.ts'
import { denial, deviceCode, flow, server, tokens } from '../test-support/oauth-server.ts'

it('RFC 6749, section 4.4: client credentials get one token for all calls, renewed before it expires', async () => {
  const { seen, clock, options } = server(
    tokens('first-token'),
    tokens('second-token'),
    tokens('third-token'),
  )
  const source = clientCredentials(flow, {
    ...options,
    scopes: ['read', 'write'],
    fields: { audience: 'x' },
  })
  expect(await source.rejected('the token of another source')).toBe(true)
  expect(seen).toEqual([])
  expect(await Promise.all([source.get(), source.get()])).toEqual(['first-token', 'first-token'])
  expect(seen).toEqual([
    {
      path: '/token?tenant=a',
      authorization: `Basic ${btoa('my+app:client%3Asecret')}`,
      form: { grant_type: 'client_credentials', scope: 'read write', audience: 'x' },
    },
  ])
  await clock.advance(56 * 60_000)
  expect(source.get()).toBe('first-token')
  await clock.settle()
  expect(source.get()).toBe('second-token')
  await clock.advance(2 * 3600_000)
  expect(await source.get()).toBe('third-token')
  expect(seen).toHaveLength(3)
})

it('R-43: a token that the service rejects is replaced once for all calls, and not again at once', async () => {
  const { seen, options } = server(tokens('first-token'), tokens('second-token'))
  const source = clientCredentials(flow, options)
  let accepted = 'second-token'
  const client = createClient({
    servers: { api: 'https://service.test' },
    credentials: { key: bearerCredential(source) },
    transport: memoryTransport((request) =>
      request.headers.get('authorization') === `Bearer ${accepted}`
        ? json({ id: 'a', status: 'done' })
        : json({}, { status: 401 }),
    ),
  })
  const call = () => client.send(getItem, { path: { item_id: '1' } })
  expect(await Promise.all([call(), call()])).toHaveLength(2)
  expect(seen).toHaveLength(2)
  // A call that was under way with the first token is repeated with the second.
  expect(await source.rejected('first-token')).toBe(true)
  accepted = 'none'
  expect(await rejection(call())).toMatchObject({ status: 401 })
  expect(await source.rejected('second-token')).toBe(false)
  expect(seen).toHaveLength(2)
})

it('client credentials can be sent in a header, in the form, or without a secret', async () => {
  const { seen, options } = server(tokens('a-token'))
  await clientCredentials(flow, { ...options, clientAuthentication: 'form' }).get()
  await clientCredentials(flow, { ...options, clientSecret: undefined }).get()
  await clientCredentials(flow, { ...options, clientSecret: async () => 'later' }).get()
  await clientCredentials(flow, { ...options, clientSecret: { get: () => 'kept' } }).get()
  expect(
    seen.map(({ authorization, form }) => [authorization, form['client_id'], form['client_secret']]),
  ).toEqual([
    [null, 'my app', 'client:secret'],
    [null, 'my app', undefined],
    [`Basic ${btoa('my+app:later')}`, undefined, undefined],
    [`Basic ${btoa('my+app:kept')}`, undefined, undefined],
  ])
})

it('R-11: an error of client credentials has the code of the server, and no secret', async () => {
  const { options } = server(() =>
    json({ error: 'invalid_client', error_description: 'client%3Asecret client:secret' }, { status: 401 }),
  )
  const source = clientCredentials(flow, { ...options, clientAuthentication: 'form' })
  const error = await rejection(Promise.resolve(source.get()))
  expect((error as Error).message).toContain('invalid_client')
  expect(inspect([source, error], { depth: 9, showHidden: true })).not.toMatch(/client(?::|%3A)secret/)
})

it('RFC 7636: a sign-in with a code proves that it is the one that began', async () => {
  const { seen, options } = server(tokens('access-token', { refresh_token: 'refresh-token' }))
  const request = {
    clientId: 'my app',
    redirectUri: 'http://localhost:8080/back',
    scopes: ['read'],
  } as const
  const started = await startAuthorization(flow, { ...request, parameters: { prompt: 'login' } })
  const query = Object.fromEntries(new URL(started.url).searchParams)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(started.codeVerifier))
  expect(query).toEqual({
    tenant: 'a',
    response_type: 'code',
    client_id: 'my app',
    redirect_uri: 'http://localhost:8080/back',
    scope: 'read',
    state: started.state,
    code_challenge: Buffer.from(digest).toString('base64url'),
    code_challenge_method: 'S256',
    prompt: 'login',
  })
  expect(started.codeVerifier).toMatch(/^[\w-]{43}$/)
  const store = memoryTokenStore()
  const back = `/back?code=the-code&state=${started.state}`
  const session = await finishAuthorization(flow, started, back, { ...options, store })
  expect(await session.accessToken()).toBe('access-token')
  expect(seen[0]?.form).toEqual({
    grant_type: 'authorization_code',
    code: 'the-code',
    redirect_uri: 'http://localhost:8080/back',
    code_verifier: started.codeVerifier,
  })
})

it('a sign-in that was denied, or that someone else began, sends nothing', async () => {
  const { seen, options } = server(tokens('access-token'))
  const started = await startAuthorization(flow, { clientId: 'app', redirectUri: 'http://localhost/back' })
  for (const scopes of [undefined, []]) {
    const { url } = await startAuthorization(flow, {
      clientId: 'app',
      redirectUri: 'https://app.test/',
      scopes,
    })
    expect(new URL(url).searchParams.has('scope')).toBe(false)
  }
  const finish = (query: string) =>
    rejection(finishAuthorization(flow, started, `?${query}`, { ...options, store: memoryTokenStore() }))
  const { state } = started
  expect(await finish('code=stolen&state=other')).toMatchObject({ option: 'callbackUrl' })
  expect(await finish(`state=${state}&error=access_denied`)).toMatchObject({ code: 'authorization-denied' })
  expect(await finish(`state=${state}&error=server_error`)).toMatchObject({ code: 'authorization-failed' })
  const long = await finish(`state=${state}&error=${'x'.repeat(10_000)}`)
  expect(String(long).length).toBeLessThan(400)
  for (const query of ['', '&code='])
    expect(await finish(`state=${state}${query}`)).toMatchObject({ option: 'callbackUrl' })
  expect(seen).toEqual([])
})

it('RFC 6749, section 6: a session of a user is refreshed, resumed, and lost if the server rejects its refresh token', async () => {
  const { seen, clock, options } = server(
    tokens('access-1', { refresh_token: 'refresh-1' }),
    tokens('access-2'),
    denial('invalid_client', 401),
    denial('invalid_grant'),
  )
  const store = memoryTokenStore()
  const first = await passwordSession(flow, { ...options, store, username: 'kim', password: 'pass' })
  expect(seen[0]?.form).toMatchObject({ grant_type: 'password', username: 'kim', password: 'pass' })
  await clock.advance(2 * 3600_000)
  expect(await first.accessToken()).toBe('access-2')
  const session = await resumeOAuth(flow, { ...options, store })
  await clock.advance(2 * 3600_000)
  // A mistake in the client's own credentials says nothing about the token.
  expect(await rejection(session!.accessToken())).toMatchObject({ status: 401 })
  expect(await rejection(session!.accessToken())).toMatchObject({
    code: 'session-lost',
    reason: 'rejected',
  })
  expect(seen.slice(1).map(({ path, form }) => [path, form['refresh_token']])).toEqual([
    ['/refresh', 'refresh-1'],
    ['/refresh', 'refresh-1'],
    ['/refresh', 'refresh-1'],
  ])
  expect(await resumeOAuth(flow, { ...options, store })).toBeUndefined()
})

it('R-41: a session of a user is kept fresh, reports refreshes and ends with its signal, as the options say', async () => {
  const { seen, clock, options } = server(
    tokens('access-1', { refresh_token: 'refresh-1' }),
    tokens('access-2', { refresh_token: 'refresh-2' }),
    denial('temporarily_unavailable', 503),
  )
  const controller = new AbortController()
  const events: unknown[] = []
  const session = await passwordSession(flow, {
    ...options,
    store: memoryTokenStore(),
    username: 'kim',
    password: 'pass',
    keepFresh: true,
    random: () => 0,
    signal: controller.signal,
    observe: (event) => void events.push(event),
  })
  await clock.advance(55 * 60_000)
  await clock.settle()
  expect(seen).toHaveLength(2)
  expect(events).toContainEqual({ type: 'refresh', outcome: 'refreshed' })
  controller.abort(new Error('enough'))
  expect(await rejection(session.refresh())).toMatchObject({ message: 'enough' })
  events.splice(0)
  await clock.advance(2 * 3600_000)
  expect(events).toEqual([])
  expect(seen).toHaveLength(2)
})

it('RFC 8628: a session begins once the user has approved on another device', async () => {
  const { seen, clock, options } = server(
    deviceCode,
    denial('authorization_pending'),
    denial('slow_down'),
    tokens('access-token', { refresh_token: 'refresh-token' }),
  )
  const prompts: unknown[] = []
  const store = memoryTokenStore()
  const onPrompt = ({ user_code }: { user_code: string }) => void prompts.push(user_code)
  const session = await deviceSession(flow, { ...options, store, onPrompt, scopes: ['read'] })
  expect(await session.accessToken()).toBe('access-token')
  expect(prompts).toEqual(['AB-12'])
  expect(await store.read()).toMatchObject({ refreshToken: 'refresh-token', obtainedAtMs: clock.now() })
  expect(seen[0]?.form).toMatchObject({ client_id: 'my app', scope: 'read' })
  expect(seen.map(({ path }) => path)).toEqual(['/device', ...Array<string>(3).fill('/token?tenant=a')])
  expect(seen[1]?.form).toMatchObject({
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: 'device-secret',
  })
  const denied = server(deviceCode, denial('access_denied'))
  expect(
    await rejection(deviceSession(flow, { ...denied.options, store: memoryTokenStore(), onPrompt })),
  ).toMatchObject({ code: 'authorization-denied' })
})
