import { expect, it } from 'vitest'

import {
  apiKey,
  createApiKeyInput,
  createTokenInput,
  createdApiKey,
  deleteApiKeyInput,
  errorBody,
  exchangeCodeInput,
  listApiKeysInput,
  listApiKeysOutput,
  refreshTokenInput,
  spec,
  tokenResponse,
} from '@concord/storage-auth-validators'

import { form, incoming, person } from './consumer.ts'

const id = '0d2f6c1e-7b0a-4c53-9f5d-2a1c3e4b5f60'
const key = '0123456789abcdefABCDEF0123456789'.repeat(2)
const tokens = { access_token: 'a.b.c', refresh_token: '00', expires_in: 3600, user: { id: 'u' } }

it('schemas inside those of a consumer parse in an object, an array, a union, a record, and as optional and nullable', () => {
  const whole = { user: { name: null }, keys: [{ id }], state: null, byName: { a: { id } } }
  expect(person.parse(whole)).toEqual(whole)
  expect(incoming.parse({ ping: true })).toEqual({ ping: true })
  expect(incoming.parse({ id, key })).toEqual({ id, key })
  const login = { email: 'kim@mail.example', password: 'p' }
  expect(form.parse({ login, remember: true })).toEqual({ login, remember: true })
})

it('schemas inside those of a consumer reject with the whole path to the mistake', () => {
  const wrong = { user: {}, keys: [{ id }, { id: '7' }], state: 'active', byName: {} }
  expect(person.safeParse(wrong).error?.issues.map(({ path }) => path)).toEqual([['keys', 1, 'id']])
})

it('schemas inside those of a consumer are Standard Schemas', async () => {
  expect(apiKey['~standard'].version).toBe(1)
  expect(await apiKey['~standard'].validate({ id })).toEqual({ value: { id } })
  expect(await apiKey['~standard'].validate({})).toHaveProperty('issues')
})

it('fields that the contract does not know are kept, at every depth', () => {
  const value = { ...tokens, scope: 'all', user: { id: 'u', locale: 'en', workspaces: [{ color: 'red' }] } }
  expect(tokenResponse.parse(value)).toEqual(value)
})

it('fields that the documentation does not promise may be missing, so that no sign-in fails for it', () => {
  const user = { image: null, name: null, organizationId: null }
  expect(tokenResponse.parse({ ...tokens, user })).toEqual({ ...tokens, user })
  expect(tokenResponse.safeParse({ ...tokens, user: {} }).success).toBe(true)
  expect(tokenResponse.safeParse({ ...tokens, user: { role: 7 } }).success).toBe(false)
})

it('a token response must have the fields that a session needs', () => {
  for (const name of ['access_token', 'refresh_token'] as const) {
    const { [name]: _, ...rest } = tokens
    expect(tokenResponse.safeParse(rest).error?.issues.map(({ path }) => path)).toEqual([[name]])
  }
  expect(tokenResponse.safeParse({ ...tokens, expires_in: 3600.5 }).success).toBe(false)
})

it('a created key has 64 hex characters in any case, and a listed one has none', () => {
  expect(createdApiKey.parse({ id, key })).toEqual({ id, key })
  for (const wrong of [key.slice(1), `${key}0`, 'g'.repeat(64), '', `${key}\n`])
    expect(createdApiKey.safeParse({ id, key: wrong }).success).toBe(false)
  expect(createdApiKey.safeParse({ id }).success).toBe(false)
  expect(apiKey.safeParse({ id }).success).toBe(true)
})

it('a record of a key may have any status, and any scopes that a key without limits could show', () => {
  for (const more of [{ status: 'suspended' }, { scopes: null }, { scopes: {} }])
    expect(apiKey.parse({ id, ...more })).toEqual({ id, ...more })
})

it('an error body may be any value', () => {
  for (const body of [null, 'text', { message: 'Invalid email or password' }, [1]])
    expect(errorBody.parse(body)).toEqual(body)
})

it('issues do not repeat values, which are secrets', () => {
  const secret = 'a-secret-that-is-no-key'
  const outcome = createdApiKey.safeParse({ id, key: secret })
  expect(outcome.success).toBe(false)
  expect(JSON.stringify(outcome.error?.issues)).not.toContain(secret)
})

it.each([
  ['createToken', createTokenInput, { body: { email: 'a', password: 'b' } }, ['body', 'password']],
  ['refreshToken', refreshTokenInput, { body: { refresh_token: '00' } }, ['body', 'refresh_token']],
  ['exchangeCode', exchangeCodeInput, { body: { code: 'c' } }, ['body', 'code']],
  ['createApiKey', createApiKeyInput, { body: { name: 'a' } }, ['body', 'name']],
  ['deleteApiKey', deleteApiKeyInput, { path: { key_id: id } }, ['path', 'key_id']],
] as const)('inputs of %s require the documented fields', (_, schema, input, [part, name]) => {
  expect(schema.safeParse(input).success).toBe(true)
  const { [name]: _removed, ...rest } = (input as Record<string, Record<string, unknown>>)[part] ?? {}
  expect(schema.safeParse({ [part]: rest }).error?.issues.map(({ path }) => path)).toEqual([[part, name]])
})

it('inputs of createApiKey accept scopes and an ISO 8601 datetime, and no null', () => {
  const accepts = (body: object) => createApiKeyInput.safeParse({ body: { name: 'a', ...body } }).success
  expect(accepts({ scopes: { organizations: ['b'] }, expiresAt: '2027-01-01T00:00:00+02:00' })).toBe(true)
  expect(accepts({ expiresAt: '2027-01-01T00:00:00' })).toBe(true)
  expect(accepts({ expiresAt: 'tomorrow' })).toBe(false)
  expect(accepts({ expiresAt: null })).toBe(false)
  expect(accepts({ scopes: { organizations: 'b' } })).toBe(false)
})

it('inputs of listApiKeys are empty, and its output is a bare array', () => {
  expect(listApiKeysInput.parse({})).toEqual({})
  expect(listApiKeysOutput.parse([{ id }])).toEqual([{ id }])
  expect(listApiKeysOutput.safeParse({ data: [{ id }] }).success).toBe(false)
})

it('`spec` says which contract the package was generated from', () => {
  expect(spec).toMatchObject({ version: '0.1.0' })
})
