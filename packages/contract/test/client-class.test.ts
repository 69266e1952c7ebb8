import { expect, it } from 'vitest'
import { readSpec } from '@concord/spec-model'

import { classSubject } from '../src/suite/client-class.ts'
import { generatedMembers } from '../src/suite/member-names.ts'

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

it('operations and schemas of a contract are found by the names that they have in generated code', () => {
  const get = (operationId?: string) => ({ get: { ...(operationId !== undefined && { operationId }), responses: {} } })
  const spec = readSpec(
    {
      openapi: '3.1.0',
      info: { title: 'T' },
      paths: { '/a/{id}': get(), '/a': get('create__'), '/b': get('create'), '/c': get('create_'), '/d': get('2fa') },
      components: { schemas: { myFoo: {}, MyFoo: {}, '1-10': {}, Import: {}, 'Web.Shop': {} } },
    },
    { file: 'test.yaml' },
  )
  const methods = Object.fromEntries(
    ['create', 'create2', 'create3', 'getAById', 'operation2fa'].map((name) => [name, () => name]),
  )
  const schemas = Object.fromEntries(
    ['myFoo', 'myFoo2', 'schema110', 'importSchema', 'webShop'].map((name) => [name, name]),
  )
  const { method, schema } = generatedMembers(spec)
  expect(spec.operations.map(({ id }) => (method(methods, id) as () => string)())).toEqual(
    ['getAById', 'create2', 'create', 'create3', 'operation2fa'],
  )
  expect(spec.schemas.map((name) => schema(schemas, name))).toEqual(
    ['myFoo2', 'myFoo', 'schema110', 'importSchema', 'webShop'],
  )
  expect(() => method({}, 'create')).toThrow('The client has no operation `create`.')
}) // prettier-ignore

/** Returns the options that the class of a contract with these schemes gets for one call. */
async function givenOptions(
  securitySchemes: Readonly<Record<string, object>>,
  security: readonly object[],
  credentials: Readonly<Record<string, string>>,
): Promise<object> {
  const spec = readSpec(
    {
      openapi: '3.1.0',
      info: { title: 'T' },
      paths: { '/a': { get: { operationId: 'getA', security, responses: {} } } },
      components: { securitySchemes },
    },
    { file: 'test.yaml' },
  )
  let given: object = {}
  class Client {
    readonly withResponse = { getA: async () => ({ status: 200, data: undefined }) }
    constructor(options: object) {
      given = options
    }
    async close(): Promise<void> {}
  }
  const target = { baseUrl: 'http://127.0.0.1', servers: {}, credentials }
  await classSubject(spec, { client: Client }).call(
    'getA',
    { path: {}, query: {}, headers: {} },
    target as never,
  )
  return given
}

it('a class gets no credential of a scheme that no operation needs, or that is not sent', async () => {
  const bearer = { type: 'http', scheme: 'bearer' }
  const schemes = { key: bearer, unused: bearer, cert: { type: 'mutualTLS' } }
  const given = await givenOptions(schemes, [{ key: [] }, { cert: [] }], { key: 'a', unused: 'b', cert: 'c' })
  expect(Object.keys(given).sort()).toEqual(['allServers', 'key', 'onDrift', 'retry'])
})

it.each([
  ['apiKey', 'apiKey'],
  ['ApiKeyAuth', 'apiKeyAuth'],
  ['API-Key', 'apiKey'],
  ['api_key', 'apiKey'],
  ['OAuth2', 'oAuth2'],
  ['JWT', 'jwt'],
])('the credential of the scheme %s is the option %s of a generated class', async (scheme, option) => {
  const schemes = { [scheme]: { type: 'http', scheme: 'bearer' } }
  expect(await givenOptions(schemes, [{ [scheme]: [] }], { [scheme]: 'secret' })).toMatchObject({
    [option]: 'secret',
  })
})
