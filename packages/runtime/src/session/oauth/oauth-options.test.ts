import { expect, it } from 'vitest'

import { rejection } from '../../http/test-support/fixtures.ts'
import { flow, server, tokens } from '../test-support/oauth-server.ts'
import { memoryTokenStore } from '../token-store.ts'
import { clientCredentials, finishAuthorization, startAuthorization } from './grants.ts'
import { deviceSession, passwordSession, resumeOAuth } from './oauth-session.ts'
import { discoverOpenId } from './token-endpoint.ts'

const { seen, options } = server(tokens('access-token'))
const session = { ...options, store: memoryTokenStore() }
const started = { url: '', state: 's', codeVerifier: 'v', redirectUri: 'https://me.test/back' }
const request = { clientId: 'app', redirectUri: 'https://me.test/back' }
const user = { ...session, username: 'kim', password: 'pass' }

/** Mistakes that only callers without types can make. */
const untyped = <T = never>(value: unknown): T => value as T

const finish = (own: object, callbackUrl = '?state=s&code=c', of: unknown = started): Promise<unknown> =>
  finishAuthorization(flow, untyped(of), callbackUrl, untyped({ ...session, ...own }))
const start = (own: object): Promise<unknown> => startAuthorization(flow, untyped({ ...request, ...own }))
const sign = (own: object, tokenUrl: string = flow.tokenUrl): Promise<unknown> =>
  passwordSession({ tokenUrl }, untyped({ ...user, ...own }))
const device = (own: object): Promise<unknown> =>
  deviceSession(flow, untyped({ ...session, onPrompt() {}, ...own }))

it.each<[string, () => unknown, string]>([
  ['no store to keep the session in', () => finish({ store: undefined }), '`store` is missing'],
  ['no store to resume from', () => resumeOAuth(flow, untyped({ ...options })), '`store` is missing'],
  [
    'a store that is none',
    () => sign({ store: { read() {} } }),
    '`store` must be an object with read(), exclusive()',
  ],
  [
    'no store on a device',
    () => device({ store: null }),
    '`store` must be an object with read(), exclusive()',
  ],
  ['no username', () => sign({ username: undefined }), '`username` is missing'],
  ['an empty password', () => sign({ password: '' }), '`password` must be a non-empty string'],
  ['no redirectUri', () => start({ redirectUri: undefined }), '`redirectUri` is missing'],
  ['a relative redirectUri', () => start({ redirectUri: '/back' }), '`redirectUri` is not an absolute URL'],
  ['no clientId', () => start({ clientId: undefined }), '`clientId` is missing'],
  [
    'an empty clientId',
    () => clientCredentials(flow, { ...options, clientId: '' }),
    '`clientId` must be a non-empty string',
  ],
  ['a scope that is a string', () => start({ scopes: 'read' }), '`scopes` must be an array of strings'],
  ['a state of its own', () => start({ parameters: { state: 'x' } }), '`parameters.state` is set by'],
  [
    'a parameter that is a number',
    () => start({ parameters: { max_age: 1 } }),
    '`parameters.max_age` must be',
  ],
  [
    'a callback without a state',
    () => finish({}, '?code=1'),
    '`callbackUrl` has no `state`. Nothing was sent',
  ],
  ['a callback that is not a URL', () => finish({}, 'http://['), '`callbackUrl` is not a URL'],
  ['a callback without its URL', () => finish({}, 'code=1'), 'its query, which begins with `?`'],
  ['a sign-in that was not kept', () => finish({}, '?state=s&code=c', {}), '`started` lacks `state`'],
  [
    'a sign-in without its verifier',
    () => finish({}, '?state=s&code=c', { ...started, codeVerifier: '' }),
    '`started` lacks `state`, `codeVerifier` or `redirectUri`',
  ],
  ['a scope that is a number', () => start({ scopes: ['read', 7] }), '`scopes` must be an array of strings'],
  ['a keepFresh that is a string', () => sign({ keepFresh: 'yes' }), '`keepFresh` must be true or false'],
  [
    'fields that are a list',
    () => clientCredentials(flow, untyped({ ...options, fields: ['x'] })),
    '`fields` must be an object',
  ],
  [
    'a transport for a provider that is none',
    () => discoverOpenId('https://id.test', untyped({ transport: {} })),
    '`transport` must be an object with send()',
  ],
  ['no options', () => passwordSession(flow, untyped(undefined)), 'The options must be an object'],
  ['no flow', () => resumeOAuth(untyped(undefined), session), '`flow` is missing'],
  [
    'a flow that is a URL',
    () => resumeOAuth(untyped('https://id.test'), session),
    '`flow` must be an object',
  ],
  [
    'a clock that is a date',
    () => sign({ clock: new Date() }),
    '`clock` must be an object with now(), monotonic(), setTimer()',
  ],
  ['a time limit that is a string', () => device({ timeoutMs: '5s' }), '`timeoutMs` must be a number'],
  [
    'an unknown authentication',
    () => sign({ clientAuthentication: 'jwt' }),
    "must be one of 'basic', 'form'",
  ],
  ['a secret that is a number', () => sign({ clientSecret: 7 }), '`clientSecret` must be a string'],
  [
    'a relative refreshUrl',
    () => resumeOAuth({ refreshUrl: '/r' }, session),
    'The flow has no `refreshUrl`, or the URL is not an absolute http or https URL',
  ],
  [
    'a device without tokenUrl',
    () => deviceSession(untyped({ ...flow, tokenUrl: undefined }), { ...session, onPrompt() {} }),
    'The flow has no `tokenUrl`, or the URL is not an absolute http or https URL',
  ],
  [
    'client credentials without tokenUrl',
    () => clientCredentials(untyped({ ...flow, tokenUrl: undefined }), options),
    'The flow has no `tokenUrl`, or the URL is not an absolute http or https URL',
  ],
  [
    'a tokenUrl without a scheme',
    () => sign({}, 'id.test/token'),
    'The flow has no `tokenUrl`, or the URL is not an absolute http or https URL',
  ],
  [
    'a tokenUrl of another scheme',
    () => sign({}, 'ftp://id.test/token'),
    'The flow has no `tokenUrl`, or the URL is not an absolute http or https URL',
  ],
  [
    'a tokenUrl of a scheme that ends in https',
    () => sign({}, 'xhttps://id.test'),
    'The flow has no `tokenUrl`, or the URL is not an absolute http or https URL',
  ],
  [
    'fields that are a string',
    () => clientCredentials(flow, untyped({ ...options, fields: 'x' })),
    '`fields` must',
  ],
  [
    'a provider that is a path',
    () => discoverOpenId('/id'),
    '`openIdConnectUrl` is not an absolute http or https URL',
  ],
  [
    'servers for a provider',
    () => discoverOpenId('https://id.test', untyped({ servers: {} })),
    'Unknown option `servers`',
  ],
])('%s is rejected before anything is sent, and the error says what to do', async (_, begin, message) => {
  const error = await rejection((async () => begin())())
  expect(error).toMatchObject({ code: 'invalid-options' })
  expect(String(error)).toContain(message)
  expect(seen).toEqual([])
})

it.each<[string, () => unknown]>([
  ['clientCredentials', () => clientCredentials(flow, untyped({ ...options, scope: ['read'] }))],
  ['passwordSession', () => sign({ scope: ['read'] })],
  ['deviceSession', () => device({ scope: ['read'] })],
  ['resumeOAuth', () => resumeOAuth(flow, untyped({ ...session, scope: ['read'] }))],
  ['startAuthorization', () => start({ scope: ['read'] })],
  ['finishAuthorization', () => finish({ scope: ['read'] })],
])('%s rejects a misspelled option instead of ignoring it', async (_name, begin) => {
  expect(await rejection((async () => begin())())).toMatchObject({ option: 'scope' })
  expect(seen).toEqual([])
})

it('the valid options of each function are all listed', async () => {
  const listed = async (own: () => Promise<unknown>): Promise<string> => String(await rejection(own()))
  expect(await listed(() => sign({ user: 1 }))).toMatch(/Valid options: .*`username`, `password`, `scopes`/)
  expect(await listed(() => device({ prompt: 1 }))).toMatch(/Did you mean|`onPrompt`, `onUpdate`, `deadline`/)
})

it('a request for a device code is named as such', async () => {
  const failing = server(() => new Response(null, { status: 400 }))
  const own = { ...failing.options, store: memoryTokenStore(), onPrompt() {} }
  expect(await rejection(deviceSession(flow, own))).toMatchObject({ operation: 'oauthDeviceAuthorization' })
})
