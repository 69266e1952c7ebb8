import { expect, it } from 'vitest'

import { at, objectAt, readDocument } from './document.ts'
import { testVerdicts } from './values.ts'

const contract = readDocument('storage-auth/openapi.yaml')
const tokens = { access_token: 'a.b.c', refresh_token: '00', expires_in: 3600, user: {} }
const nameless = { image: null, name: null, organizationId: null }
const scopes = { organizations: ['b'] }
const id = '0d2f6c1e-7b0a-4c53-9f5d-2a1c3e4b5f60'
const key = '0'.repeat(64)

it('a new API key has the fields of a listed one, and the key itself', () => {
  const schema = (name: string) => at(contract, `/components/schemas/${name}/properties`)
  const { key: _, ...listed } = schema('CreatedApiKey')
  expect(listed).toEqual(schema('ApiKey'))
})

it('all token endpoints return the same tokens, and limit the rate alike', () => {
  for (const path of ['/auth/token', '/auth/token/refresh', '/auth/token/exchange'])
    expect(objectAt(objectAt(objectAt(contract, 'paths'), path), 'post')).toMatchObject({
      responses: {
        200: { $ref: '#/components/responses/Tokens' },
        429: { $ref: '#/components/responses/RequestRateLimit' },
      },
    })
})

testVerdicts(contract, [
  ['CreateTokenRequest', 'accepts', 'a login', { email: 'a', password: 'b' }],
  ['CreateTokenRequest', 'rejects', 'no password', { email: 'a' }],
  ['CreateTokenRequest', 'rejects', 'no email', { password: 'b' }],
  ['RefreshTokenRequest', 'accepts', 'a refresh', { refresh_token: '00' }],
  ['RefreshTokenRequest', 'rejects', 'camel case', { refreshToken: '00' }],
  ['ExchangeCodeRequest', 'accepts', 'a code', { code: 'c' }],
  ['ExchangeCodeRequest', 'rejects', 'a token', { token: 'c' }],
  ['CreateApiKeyRequest', 'accepts', 'a name', { name: 'a' }],
  ['CreateApiKeyRequest', 'accepts', 'limits', { name: 'a', scopes, expiresAt: '2027-01-01T00:00:00Z' }],
  ['CreateApiKeyRequest', 'accepts', 'an expiry on a day', { name: 'a', expiresAt: '2027-01-01' }],
  ['CreateApiKeyRequest', 'rejects', 'no name', {}],
  ['CreateApiKeyRequest', 'rejects', 'an expiry in words', { name: 'a', expiresAt: 'tomorrow' }],
  ['CreateApiKeyRequest', 'rejects', 'null as its expiry', { name: 'a', expiresAt: null }],
  ['ApiKeyScopes', 'rejects', 'an organization that is a number', { organizations: [1] }],
  ['TokenResponse', 'accepts', 'all four fields', tokens],
  ['TokenResponse', 'accepts', 'a user of nulls', { ...tokens, user: nameless }],
  ['TokenResponse', 'accepts', 'any role', { ...tokens, user: { role: 'a', workspaces: [{ role: 'b' }] } }],
  ['TokenResponse', 'accepts', 'another lifetime', { ...tokens, expires_in: 60 }],
  ['TokenResponse', 'rejects', 'a lifetime that is text', { ...tokens, expires_in: '3600' }],
  ['TokenResponse', 'rejects', 'a lifetime with a fraction', { ...tokens, expires_in: 0.5 }],
  ['TokenResponse', 'rejects', 'no refresh token', { access_token: 'a', expires_in: 1, user: {} }],
  ['TokenResponse', 'rejects', 'workspaces that are not a list', { ...tokens, user: { workspaces: {} } }],
  ['ApiKey', 'accepts', 'an id', { id }],
  ['ApiKey', 'accepts', 'a status without documentation', { id, status: 'suspended' }],
  ['ApiKey', 'accepts', 'no expiry and no use', { id, expiresAt: null, lastUsedAt: null }],
  ['ApiKey', 'accepts', 'a last use in any format', { id, lastUsedAt: 'yesterday' }],
  ['ApiKey', 'accepts', 'null as its scopes', { id, scopes: null }],
  ['ApiKey', 'accepts', 'scopes without organizations', { id, scopes: {} }],
  ['ApiKey', 'accepts', 'scopes of no organization', { id, scopes: { organizations: [] } }],
  ['ApiKey', 'rejects', 'an id other than a UUID', { id: '7' }],
  ['ApiKey', 'rejects', 'a creation in words', { id, createdAt: 'yesterday' }],
  ['CreatedApiKey', 'accepts', 'a key in lower case', { id, key: 'abcdef01'.repeat(8) }],
  ['CreatedApiKey', 'accepts', 'a key in upper case', { id, key: 'ABCDEF01'.repeat(8) }],
  ['CreatedApiKey', 'rejects', 'a key of 63 characters', { id, key: key.slice(1) }],
  ['CreatedApiKey', 'rejects', 'a key of 65 characters', { id, key: `${key}0` }],
  ['CreatedApiKey', 'rejects', 'a key that is not hex', { id, key: 'g'.repeat(64) }],
  ['CreatedApiKey', 'rejects', 'no key', { id }],
  ['ErrorBody', 'accepts', 'null', null],
  ['ErrorBody', 'accepts', 'text', 'text'],
  ['ErrorBody', 'accepts', 'a message', { message: 'a' }],
  ['ErrorBody', 'accepts', 'an object in an object', { error: { code: 1 } }],
  ['ErrorBody', 'accepts', 'a list', []],
])
