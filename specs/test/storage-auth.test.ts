import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

import { operationLines, publicOperations } from './checks/operations.ts'
import { at, fileOf, objectAt, readDocument } from './document.ts'
import type { Json } from './document.ts'
import { documentedPart } from './documented.ts'
import { operationsOf, schemasOf, walk } from './walk.ts'

const DOCUMENTED = [
  'POST /auth/token',
  'POST /auth/token/refresh',
  'POST /auth/token/exchange',
  'POST /v1/api-keys',
  'GET /v1/api-keys',
  'DELETE /v1/api-keys/{key_id}',
]
const document = documentedPart(readDocument('storage-auth/openapi.yaml'), DOCUMENTED)
const info = objectAt(document, 'info')
const schema = (name: string) => at(document, `/components/schemas/${name}`)
const property = (name: string, key: string) => at(document, `/components/schemas/${name}/properties/${key}`)
const operation = (id: string) =>
  operationsOf(document).find(({ value }) => value['operationId'] === id)?.value ?? {}
const byOperation = <T>(read: (id: string) => T) =>
  Object.fromEntries(
    operationsOf(document).map(({ value }) => [
      String(value['operationId']),
      read(String(value['operationId'])),
    ]),
  )

const tokenOperations = ['createToken', 'refreshToken', 'exchangeCode']

describe('operations', () => {
  it('are those of the documentation: no version segment for the token endpoints, /v1 for the API keys', () => {
    expect(operationLines(document)).toEqual(DOCUMENTED)
  })

  it('have two base URLs, both placeholders with a path prefix under a reserved domain', () => {
    const servers = Object.entries(objectAt(document, 'paths')).map(([path, item]) => {
      const [server] = ((item as { servers?: Json[] }).servers ?? document['servers']) as {
        url: string
        variables: Record<string, { default: string }>
      }[]
      const [placeholder] = Object.values(server?.variables ?? {})
      const { hostname, pathname } = new URL(placeholder?.default ?? '')
      expect(hostname).toMatch(/\.example$/)
      expect(pathname.length).toBeGreaterThan(1)
      return [path, server?.url]
    })
    expect(servers).toEqual([
      ['/auth/token', '{auth_url}'],
      ['/auth/token/refresh', '{auth_url}'],
      ['/auth/token/exchange', '{auth_url}'],
      ['/v1/api-keys', '{data_url}'],
      ['/v1/api-keys/{key_id}', '{data_url}'],
    ])
  })

  it('need no credential for tokens, and only accept the access token for API keys', () => {
    expect(publicOperations(document)).toEqual(tokenOperations)
    expect(byOperation((id) => operation(id)['security'])).toEqual({
      createToken: [],
      refreshToken: [],
      exchangeCode: [],
      createApiKey: [{ accessToken: [] }],
      listApiKeys: [{ accessToken: [] }],
      deleteApiKey: [{ accessToken: [] }],
    })
  })

  it('list a bearer token and X-API-Key as alternatives for V1 endpoints in general', () => {
    expect(document['security']).toEqual([{ accessToken: [] }, { apiKey: [] }])
    expect(at(document, '/components/securitySchemes/accessToken')).toMatchObject({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
    })
    expect(at(document, '/components/securitySchemes/apiKey')).toMatchObject({
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
    })
  })

  it("respond with 200, 400, 401, 429 and 500 for tokens, and for API keys with statuses that the documentation doesn't show", () => {
    expect(byOperation((id) => Object.keys(objectAt(operation(id), 'responses')))).toEqual({
      createToken: ['200', '400', '401', '429', '500', 'default'],
      refreshToken: ['200', '400', '401', '429', '500', 'default'],
      exchangeCode: ['200', '400', '401', '429', '500', 'default'],
      createApiKey: ['200', 'default'],
      listApiKeys: ['200', 'default'],
      deleteApiKey: ['200', 'default'],
    })
    const told = operationsOf(document).filter(({ value }) => !('x-not-shown' in at(value, '/responses/200')))
    expect(told.map(({ value }) => value['operationId'])).toEqual(tokenOperations)
  })

  it('return the same tokens from all three token endpoints', () => {
    for (const id of tokenOperations)
      expect(at(operation(id), '/responses/200')).toEqual({ $ref: '#/components/responses/Tokens' })
  })

  it('never resend a single-use secret, and only resend a new key if the request cannot have arrived', () => {
    expect(byOperation((id) => operation(id)['x-retry'])).toEqual({
      createToken: { class: 'unsent-only', statuses: [429] },
      refreshToken: { class: 'never' },
      exchangeCode: { class: 'never' },
      createApiKey: { class: 'unsent-only' },
      listApiKeys: { class: 'safe' },
      deleteApiKey: { class: 'unsent-only' },
    })
  })

  it('have no parameters except the one in the path and the code of the callback', () => {
    const parameters = walk(document).filter(({ kind, value }) => kind === 'parameter' && 'name' in value)
    expect(parameters.map(({ value }) => `${String(value['in'])} ${String(value['name'])}`)).toEqual([
      'query token',
      'path key_id',
    ])
  })
})

describe('the browser sign-in', () => {
  const callback = at(document, '/webhooks/signInCallback')
  const get = objectAt(callback, 'get')

  it('ends with a navigation to localhost, with the code in `token`', () => {
    const [server] = callback['servers'] as { url: string }[]
    expect(server?.url).toBe('http://localhost:{port}/callback')
    expect(get['parameters']).toMatchObject([
      { name: 'token', in: 'query', required: true, 'x-secret': true },
    ])
  })

  it('links the code to the exchange, where it is called `code`', () => {
    expect(at(get, '/responses/200/links/exchange')).toMatchObject({
      operationId: 'exchangeCode',
      requestBody: { code: '$request.query.token' },
    })
    expect(schema('ExchangeCodeRequest')['required']).toEqual(['code'])
  })

  it('is not an event: there is no AsyncAPI document', () => {
    expect(info['x-not-shown']).toContain('Events sent by the service.')
    expect(existsSync(fileOf('storage-auth/asyncapi.yaml'))).toBe(false)
  })
})

describe('documented values', () => {
  it('have one meaning of 429, shared by all three endpoints', () => {
    for (const id of tokenOperations)
      expect(at(operation(id), '/responses/429')).toEqual({ $ref: '#/components/responses/RequestRateLimit' })
    expect(at(document, '/components/responses/RequestRateLimit')['x-rate-meaning']).toMatchObject([
      { meaning: 'request-rate', retryHelps: true },
    ])
  })

  it('are secret if they are a password, a token, a code or a key', () => {
    const secrets = walk(document).filter(({ value }) => 'x-secret' in value)
    expect(secrets.map(({ pointer }) => pointer)).toEqual([
      '/webhooks/signInCallback/get/parameters/0',
      '/components/schemas/CreateTokenRequest/properties/password',
      '/components/schemas/TokenResponse/properties/access_token',
      '/components/schemas/RefreshToken',
      '/components/schemas/ExchangeCode',
      '/components/schemas/CreatedApiKey/properties/key',
    ])
    expect(property('RefreshTokenRequest', 'refresh_token')).toEqual({
      $ref: '#/components/schemas/RefreshToken',
    })
    expect(property('TokenResponse', 'refresh_token')).toEqual({ $ref: '#/components/schemas/RefreshToken' })
    expect(property('ExchangeCodeRequest', 'code')).toEqual({ $ref: '#/components/schemas/ExchangeCode' })
  })

  it('have the names on the wire, snake case for tokens and camel case for users and keys', () => {
    const names = (name: string) => Object.keys(objectAt(schema(name), 'properties'))
    expect(names('TokenResponse')).toEqual(['access_token', 'refresh_token', 'expires_in', 'user'])
    expect(names('User')).toEqual(['id', 'email', 'name', 'image', 'organizationId', 'role', 'workspaces'])
    expect(names('Workspace')).toEqual(['workspaceId', 'workspaceName', 'role'])
    const record = ['id', 'name', 'createdAt', 'expiresAt', 'lastUsedAt', 'scopes', 'status']
    expect(names('ApiKey')).toEqual(record)
    expect(names('CreatedApiKey')).toEqual([...record, 'key'])
    expect(names('CreateApiKeyRequest')).toEqual(['name', 'scopes', 'expiresAt'])
  })

  it('are the same in the records of a new key and a listed key, except the key itself', () => {
    const { key: _, ...record } = objectAt(schema('CreatedApiKey'), 'properties')
    expect(record).toEqual(schema('ApiKey')['properties'])
  })

  it('have one enum, the open status of a key, and no defaults', () => {
    const enums = schemasOf(document).filter(({ value }) => 'enum' in value)
    expect(enums.map(({ pointer, value }) => [pointer, value['enum'], value['x-open-enum']])).toEqual([
      ['/components/schemas/ApiKeyStatus', ['active'], true],
    ])
    expect(schemasOf(document).filter(({ value }) => 'default' in value)).toEqual([])
  })

  it('have the documented transitions', () => {
    const moves = (name: string) =>
      (schema(name)['x-transitions'] as { from: string | null; to: string | null }[]).map(
        ({ from, to }) => `${from} > ${to}`,
      )
    expect(moves('RefreshToken')).toEqual(['null > valid', 'valid > revoked', 'revoked > revoked'])
    expect(moves('ExchangeCode')).toEqual([
      'null > issued',
      'issued > used',
      'issued > issued',
      'used > used',
    ])
    expect(moves('ApiKeyStatus')).toEqual(['null > active', 'active > null'])
  })
})
