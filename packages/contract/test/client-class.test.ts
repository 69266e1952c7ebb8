import { expect, it } from 'vitest'
import type { Spec } from '@concord/spec-model'

import { classSubject } from '../src/suite/client-class.ts'
import { generatedMembers } from '../src/suite/member-names.ts'
import type { Outcome } from '../src/suite/subject.ts'
import { specOf } from './fixture/documents.ts'

/** Calls the only operation of a contract with a class that has this method. Returns the outcome and the options of the class. */
async function called(
  spec: Spec,
  method: string,
  credentials: Readonly<Record<string, string>> = {},
): Promise<{ readonly outcome: Outcome; readonly given: object }> {
  let given: object = {}
  class Client {
    readonly withResponse = { [method]: async () => ({ status: 200, data: 7 }) }
    constructor(options: object) {
      given = options
    }
    async close(): Promise<void> {}
  }
  const subject = classSubject(spec, { client: Client })
  const target = { baseUrl: 'http://127.0.0.1', servers: {}, credentials }
  const input = { path: {}, query: {}, headers: {} }
  return { outcome: await subject.call(spec.operations[0]?.id ?? '', input, target), given }
}

it.each([
  ['import', 'importOperation'],
  ['Get-Job', 'getJob'],
])('the operation %s is the method %s of a generated class', async (operation, method) => {
  const spec = specOf({ '/a': { get: { operationId: operation, responses: {} } } })
  expect((await called(spec, method)).outcome).toMatchObject({ kind: 'data', data: 7 })
})

it('operations and schemas of a contract are found by the names that they have in generated code', () => {
  const get = (operationId?: string) => ({ get: { ...(operationId !== undefined && { operationId }), responses: {} } })
  const spec = specOf(
    { '/a/{id}': get(), '/a': get('create__'), '/b': get('create'), '/c': get('create_'), '/d': get('2fa') },
    { components: { schemas: { myFoo: {}, MyFoo: {}, '1-10': {}, Import: {}, 'Web.Shop': {} } } },
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

/** A contract whose operation needs one of these schemes. */
const secured = (securitySchemes: Readonly<Record<string, object>>, security: readonly object[]): Spec =>
  specOf(
    { '/a': { get: { operationId: 'getA', security, responses: {} } } },
    { components: { securitySchemes } },
  )

it('a class gets no credential of a scheme that no operation needs, or that is not sent', async () => {
  const bearer = { type: 'http', scheme: 'bearer' }
  const schemes = { key: bearer, unused: bearer, cert: { type: 'mutualTLS' } }
  const spec = secured(schemes, [{ key: [] }, { cert: [] }])
  const { given } = await called(spec, 'getA', { key: 'a', unused: 'b', cert: 'c' })
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
  const spec = secured({ [scheme]: { type: 'http', scheme: 'bearer' } }, [{ [scheme]: [] }])
  const { given } = await called(spec, 'getA', { [scheme]: 'secret' })
  expect(given).toMatchObject({ [option]: 'secret' })
})
