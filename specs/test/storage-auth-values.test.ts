import { describe, expect, it } from 'vitest'

import { judgeOf } from './checks/examples.ts'
import { readDocument } from './document.ts'
import type { Json } from './document.ts'

const judge = judgeOf(readDocument('storage-auth/openapi.yaml'))

/** Whether the contract accepts a value as one of its named schemas. */
const accepts = (schema: string, value: Json) => judge(`/components/schemas/${schema}`, value).length === 0

describe('requests', () => {
  it.each<[string, string, boolean, Json]>([
    ['a login', 'CreateTokenRequest', true, { email: 'a', password: 'b' }],
    ['a login without a password', 'CreateTokenRequest', false, { email: 'a' }],
    ['a login without an email', 'CreateTokenRequest', false, { password: 'b' }],
    ['a refresh', 'RefreshTokenRequest', true, { refresh_token: '00' }],
    ['a refresh in camel case', 'RefreshTokenRequest', false, { refreshToken: '00' }],
    ['an exchange', 'ExchangeCodeRequest', true, { code: 'c' }],
    ['an exchange of a token', 'ExchangeCodeRequest', false, { token: 'c' }],
    ['a new key', 'CreateApiKeyRequest', true, { name: 'a' }],
    ['a new key without a name', 'CreateApiKeyRequest', false, {}],
    [
      'a limited key',
      'CreateApiKeyRequest',
      true,
      { name: 'a', scopes: { organizations: ['b'] }, expiresAt: '2027-01-01T00:00:00Z' },
    ],
    ['a key for an organization that is a number', 'ApiKeyScopes', false, { organizations: [1] }],
    ['a key that expires on a day', 'CreateApiKeyRequest', true, { name: 'a', expiresAt: '2027-01-01' }],
    ['a key that expires tomorrow', 'CreateApiKeyRequest', false, { name: 'a', expiresAt: 'tomorrow' }],
    ['a key that expires at null', 'CreateApiKeyRequest', false, { name: 'a', expiresAt: null }],
  ])('%s as %s: accepted is %s', (_, schema, accepted, value) => {
    expect(accepts(schema, value)).toBe(accepted)
  })
})

describe('tokens', () => {
  const tokens = { access_token: 'a.b.c', refresh_token: '00', expires_in: 3600, user: {} }

  it.each<[string, boolean, Json]>([
    ['all four fields', true, tokens],
    ['a user without anything', true, { ...tokens, user: {} }],
    [
      'a user whose picture, name and organization are null',
      true,
      { ...tokens, user: { image: null, name: null, organizationId: null } },
    ],
    ['another role', true, { ...tokens, user: { role: 'anything', workspaces: [{ role: 'else' }] } }],
    ['another lifetime', true, { ...tokens, expires_in: 60 }],
    ['a lifetime that is text', false, { ...tokens, expires_in: '3600' }],
    ['a lifetime with a fraction', false, { ...tokens, expires_in: 0.5 }],
    ['no refresh token', false, { access_token: 'a', expires_in: 1, user: {} }],
    ['workspaces in another form than an array', false, { ...tokens, user: { workspaces: {} } }],
  ])('with %s: accepted is %s', (_, accepted, value) => {
    expect(accepts('TokenResponse', value)).toBe(accepted)
  })
})

describe('API keys', () => {
  const id = '0d2f6c1e-7b0a-4c53-9f5d-2a1c3e4b5f60'
  const key = '0'.repeat(64)

  it.each<[string, string, boolean, Json]>([
    ['a record of its id', 'ApiKey', true, { id }],
    ['an id in another form than a UUID', 'ApiKey', false, { id: '7' }],
    ['a status that is not documented', 'ApiKey', true, { id, status: 'suspended' }],
    ['no expiry and no use', 'ApiKey', true, { id, expiresAt: null, lastUsedAt: null }],
    ['a last use in any format', 'ApiKey', true, { id, lastUsedAt: 'yesterday' }],
    ['a creation in another form than a datetime', 'ApiKey', false, { id, createdAt: 'yesterday' }],
    ['scopes that are null', 'ApiKey', true, { id, scopes: null }],
    ['scopes without organizations', 'ApiKey', true, { id, scopes: {} }],
    ['scopes of no organization', 'ApiKey', true, { id, scopes: { organizations: [] } }],
    ['a key in lower case', 'CreatedApiKey', true, { id, key: 'abcdef01'.repeat(8) }],
    ['a key in upper case', 'CreatedApiKey', true, { id, key: 'ABCDEF01'.repeat(8) }],
    ['a key of 63 characters', 'CreatedApiKey', false, { id, key: key.slice(1) }],
    ['a key of 65 characters', 'CreatedApiKey', false, { id, key: `${key}0` }],
    ['a key that is not hex', 'CreatedApiKey', false, { id, key: 'g'.repeat(64) }],
    ['no key where it is created', 'CreatedApiKey', false, { id }],
  ])('%s as %s: accepted is %s', (_, schema, accepted, value) => {
    expect(accepts(schema, value)).toBe(accepted)
  })
})

describe('errors', () => {
  it.each<[Json]>([[null], ['text'], [{ message: 'a' }], [{ error: { code: 1 } }], [[]]])(
    'may be %j, because their shape is not shown',
    (value) => {
      expect(accepts('ErrorBody', value)).toBe(true)
    },
  )
})
