import { describe, expect, it } from 'vitest'

import { at, objectAt, readDocument } from './document.ts'
import type { Json } from './document.ts'
import { operationsOf } from './walk.ts'

const document = readDocument('storage-auth/openapi.yaml')
const info = objectAt(document, 'info')
const schema = (name: string) => at(document, `/components/schemas/${name}`)
const property = (name: string, key: string) => at(document, `/components/schemas/${name}/properties/${key}`)
const operation = (id: string) =>
  operationsOf(document).find(({ value }) => value['operationId'] === id)?.value ?? {}

describe('what is said in words', () => {
  const says = (words: string, text: unknown) => expect(String(text).replaceAll(/\s+/g, ' ')).toContain(words)

  it.each([
    ['which credential counts', 'When both are present, the JWT wins.'],
    ['what manages API keys', 'takes the access token only; an API key is refused there.'],
    ['how long a key lives', 'It does not expire unless `expiresAt` is set, and needs no refresh.'],
    ['when to refresh', '1 hour; refresh it before, about every 55 minutes'],
    ['which refresh token to keep', 'always keep the newest'],
    ['where clients keep them', '`STORAGE_ACCESS_TOKEN`, `STORAGE_REFRESH_TOKEN` and `STORAGE_API_KEY`'],
    ['what addresses include', '`{auth_url}` and `{data_url}` each include the path prefix of their API.'],
    ['what else there is', 'Project, folder and file endpoints exist under `/v1` but are not shown'],
  ])('the introduction says %s', (_, words) => {
    says(words, info['description'])
  })

  it.each<[string, Json, string]>([
    ['scopes that are left out', property('ApiKey', 'scopes'), 'left out, the key reaches all organizations'],
    ['scopes that are not sent', schema('ApiKeyScopes'), 'Without scopes a key reaches all organizations.'],
    ['an expiry that is null', property('ApiKey', 'expiresAt'), 'Null means no expiry.'],
    ['a key', property('CreatedApiKey', 'key'), 'Returned only here, never again.'],
    ['the life of an access token', property('TokenResponse', 'access_token'), 'a JWT. It lives for 1 hour.'],
    ['a lifetime', property('TokenResponse', 'expires_in'), 'in seconds, 3600. A duration'],
    [
      'a refresh token',
      schema('RefreshToken'),
      'An opaque hex string that lives for 30 days and works once.',
    ],
    ['a code', schema('ExchangeCode'), 'An opaque one-time code that lives for 60 seconds.'],
    ['a refresh', operation('refreshToken'), 'of two refreshes with one token exactly one succeeds'],
    ['a login', operation('createToken'), 'Five failed logins lock the account for 15 minutes'],
    ['a revocation', operation('deleteApiKey'), 'a soft delete, after which the key is in no list'],
    ['a list', operation('listApiKeys'), "the caller's active keys as a bare array, without the keys"],
    [
      'a 400',
      at(document, '/components/responses/BadRequest'),
      'The body is invalid, or a field is missing.',
    ],
    ['a 401 of a refresh', at(operation('refreshToken'), '/responses/401'), 'invalid, expired or was used'],
    ['a 401 of a code', at(operation('exchangeCode'), '/responses/401'), 'invalid, expired or was used'],
    ['a 429', at(document, '/components/responses/RequestRateLimit'), 'it is one count, not three'],
    ['back-off', at(document, '/components/responses/RequestRateLimit'), 'Back off exponentially.'],
  ])('the place itself says it of %s', (_, place, words) => {
    says(words, (place as { description?: string }).description)
  })
})

describe('open places', () => {
  const created = operation('createToken')
  const revoked = at(operation('deleteApiKey'), '/responses/200')

  it.each<[string, Json, string]>([
    ['the addresses', info, 'values of `{auth_url}`, `{data_url}` and `{web_url}`'],
    ['the shape of errors', info, 'shape of error bodies'],
    ['the other endpoints', info, 'Project, folder and file endpoints'],
    ['deprecations', info, 'policy for changes and deprecations'],
    ['the JWT', info, 'claims, the algorithm and the keys of the JWT'],
    ['earlier access tokens', info, 'issued earlier stay valid after a refresh'],
    ['a sign-out', info, 'How a sign-out'],
    ['errors of the data endpoints', info, 'Which errors apply to the endpoints at `{data_url}`'],
    ['a JWT that is not valid', info, 'the JWT is present but not valid'],
    ['keys that are no good', info, 'when an API key is expired or revoked'],
    ['the sign-in page', info, '`state` or PKCE'],
    ['the count of failures', created, 'How failed logins are counted'],
    ['the fifth failure', created, 'the fifth failure itself'],
    ['attempts during the lock', created, 'the right password is refused during the lock'],
    ['what the lock stops', created, 'the lock also stops a refresh or an exchange'],
    ['the end of the locked message', at(created, '/responses/401'), 'only its beginning is documented'],
    ['a reuse', operation('refreshToken'), 'does more than fail'],
    ['a refresh token', schema('RefreshToken'), 'Its length'],
    ['the window of the limit', at(document, '/components/responses/RequestRateLimit'), 'fixed or sliding'],
    ['Retry-After', at(document, '/components/responses/RequestRateLimit'), 'Retry-After'],
    ['users', schema('User'), 'may be missing'],
    ['roles', property('User', 'role'), 'The allowed values.'],
    ['roles in a workspace', property('Workspace', 'role'), 'The allowed values.'],
    ['a picture', property('User', 'image'), 'Whether it may be null'],
    ['limits of a new key', operation('createApiKey'), '`expiresAt` in the past'],
    ['an expiry of null', schema('CreateApiKeyRequest'), '`expiresAt` may be sent as null'],
    ['scopes of nothing', schema('ApiKeyScopes'), 'scopes without `organizations`'],
    ['no organization', property('ApiKeyScopes', 'organizations'), 'What an empty array means'],
    ['a key without scopes', schema('ApiKey'), '`scopes` missing, null, or without organizations'],
    ['the case of a key', schema('CreatedApiKey'), 'upper or lower case'],
    ['the last use', property('ApiKey', 'lastUsedAt'), 'when it is brought up to date'],
    ['other states', schema('ApiKeyStatus'), 'the name of the state after a revocation'],
    ['expired keys in the list', operation('listApiKeys'), 'has expired but was not revoked'],
    ['the order of the list', operation('listApiKeys'), 'The order of the list'],
    ['keys that cannot be revoked', operation('deleteApiKey'), "revoked already, or another user's"],
    ['what a revocation answers', revoked, 'The body.'],
    ['more in the callback', at(document, '/webhooks/signInCallback/get'), 'further query parameters'],
    ['a login that fails', at(document, '/webhooks/signInCallback/get'), 'when the login fails'],
    ['the local answer', at(document, '/webhooks/signInCallback/get/responses/200'), "agent's choice"],
    ['errors', schema('ErrorBody'), 'Its shape.'],
  ])('are marked: %s', (_, place, words) => {
    const { 'x-not-shown': open = [] } = place as { 'x-not-shown'?: string[] }
    expect(open.join(' ')).toContain(words)
  })

  it('leave the answer to a revocation without a media type, and an API key in place of a token without a status', () => {
    expect(revoked['content']).toBeUndefined()
    for (const id of ['createApiKey', 'listApiKeys', 'deleteApiKey'])
      expect(operation(id)['x-not-shown']).toContain(
        'The answer to an API key in place of the access token; it is refused.',
      )
  })
})
