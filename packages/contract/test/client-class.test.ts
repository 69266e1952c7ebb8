import { expect, it } from 'vitest'
import { readSpec } from '@concord/spec-model'

import { classSubject } from '../src/suite/client-class.ts'

it.each([
  ['import', 'importOperation'],
  ['Get-Job', 'getJob'],
])('the operation %s is the method %s of a generated class', async (operation, method) => {
  const paths = { '/a': { get: { operationId: operation, responses: {} } } }
  const spec = readSpec({ openapi: '3.1.0', info: { title: 'T' }, paths }, { file: 'test.yaml' })
  class Client {
    readonly withResponse = { [method]: async () => ({ status: 200, data: 7 }) }
    async close(): Promise<void> {}
  }
  const target = { baseUrl: 'http://127.0.0.1', servers: {}, credentials: {} }
  const input = { path: {}, query: {}, headers: {} }
  const outcome = await classSubject(spec, { client: Client }).call(operation, input, target as never)
  expect(outcome).toMatchObject({ kind: 'data', data: 7 })
})

it.each([
  ['apiKey', 'apiKey'],
  ['ApiKeyAuth', 'apiKeyAuth'],
  ['API-Key', 'apiKey'],
  ['api_key', 'apiKey'],
  ['OAuth2', 'oAuth2'],
  ['JWT', 'jwt'],
])('the credential of the scheme %s is the option %s of a generated class', async (scheme, option) => {
  const spec = readSpec(
    {
      openapi: '3.1.0',
      info: { title: 'T' },
      paths: { '/a': { get: { operationId: 'getA', responses: {} } } },
      components: { securitySchemes: { [scheme]: { type: 'http', scheme: 'bearer' } } },
    },
    { file: 'test.yaml' },
  )
  const given: object[] = []
  class Client {
    readonly withResponse = { getA: async () => ({ status: 200, data: undefined }) }
    constructor(options: object) {
      given.push(options)
    }
    async close(): Promise<void> {}
  }
  const target = { baseUrl: 'http://127.0.0.1', servers: {}, credentials: { [scheme]: 'secret' } }
  await classSubject(spec, { client: Client }).call(
    'getA',
    { path: {}, query: {}, headers: {} },
    target as never,
  )
  expect(given).toEqual([expect.objectContaining({ [option]: 'secret' })])
})
