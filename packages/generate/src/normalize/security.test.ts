import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'

import { documentOf } from '../../test/support/generated.ts'
import { parseSource } from '../read/source.ts'
import type { ServiceModel } from './model.ts'
import { joinSchemes, type SchemeModel } from './security-schemes.ts'
import { readService } from './service.ts'

const scopes = { read: 'Reads.', write: 'Writes.' }
const securitySchemes = {
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'api key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  basic: { type: 'http', scheme: 'BASIC' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  digest: { type: 'http', scheme: 'Digest' },
  oauth: {
    type: 'oauth2',
    description: 'Sign in first.',
    flows: {
      clientCredentials: { tokenUrl: 'https://id.example/token', scopes },
      authorizationCode: {
        authorizationUrl: 'https://id.example/authorize',
        tokenUrl: 'https://id.example/token',
        refreshUrl: 'https://id.example/refresh',
        scopes,
      },
    },
  },
  oidc: { type: 'openIdConnect', openIdConnectUrl: 'https://id.example/.well-known/openid-configuration' },
  certificate: { type: 'mutualTLS' },
  nameless: { type: 'apiKey', in: 'header' },
  alien: { type: 'kerberos' },
}

function read(security: unknown, events?: object): Promise<ServiceModel> {
  const paths = { '/things': { get: { operationId: 'getThings', security, responses: {} } } }
  const source =
    events && parseSource(stringify({ asyncapi: '3.0.0', ...events }), 'specs/test/asyncapi.yaml')
  return readService(documentOf({ paths, components: { securitySchemes } }), source, { strict: false })
}

const securityOf = async (security: unknown) => {
  const { operations, departures } = await read(security)
  const [operation] = operations
  return {
    security: operation?.security,
    optional: operation?.securityOptional,
    doc: operation?.securityDoc,
    departures: departures
      .filter(({ place }) => /security/.test(place.pointer))
      .map(({ place, effect }) => `${effect} ${place.pointer}`),
  }
}

describe('security', () => {
  it('has every kind of scheme, with the place of its credential', async () => {
    const { schemes } = await read(Object.keys(securitySchemes).map((name) => ({ [name]: [] })))
    const brief = Object.fromEntries(schemes.map(({ name, kind, place }) => [name, place ?? kind]))
    const authorization = (prefix: string) => ({ in: 'header', name: 'authorization', prefix })
    expect(brief).toEqual({
      header: { in: 'header', name: 'X-Key' },
      query: { in: 'query', name: 'api key' },
      cookie: { in: 'cookie', name: 'sid' },
      basic: 'basic',
      bearer: authorization('Bearer '),
      digest: authorization('Digest '),
      oauth: authorization('Bearer '),
      oidc: authorization('Bearer '),
      nameless: 'custom',
      alien: 'custom',
    })
    expect(schemes.find(({ name }) => name === 'oauth')).toMatchObject({
      doc: 'Sign in first.',
      flows: securitySchemes.oauth.flows,
    })
    expect(schemes.find(({ name }) => name === 'oidc')).toMatchObject({
      openIdConnectUrl: 'https://id.example/.well-known/openid-configuration',
    })
  })

  it('has alternatives, and schemes that are needed together', async () => {
    expect(await securityOf([{ header: [], query: [] }, { bearer: [] }, {}])).toEqual({
      security: [['header', 'query'], 'bearer'],
      optional: true,
      doc: undefined,
      departures: [],
    })
  })

  it('accepts either of two credentials for the same header', async () => {
    expect(await securityOf([{ basic: [], bearer: [] }])).toMatchObject({
      security: ['basic', 'bearer'],
      departures: ['widened #/paths/~1things/get/security/0'],
    })
  })

  it('leaves certificates to the connection', async () => {
    const departures = ['noted #/components/securitySchemes/certificate/type']
    expect(await securityOf([{ certificate: [], header: [] }])).toMatchObject({
      security: ['header'],
      optional: false,
      departures,
    })
    expect(await securityOf([{ certificate: [] }])).toMatchObject({ security: [], departures })
  })

  it('leaves to the caller how an unknown, broken or missing scheme is sent', async () => {
    expect(await securityOf([{ alien: [] }, { nameless: [] }, { missing: [] }])).toMatchObject({
      security: ['alien', 'nameless', 'missing'],
      departures: [
        'widened #/components/securitySchemes/alien/type',
        'widened #/components/securitySchemes/nameless/type',
        'widened #/paths/~1things/get/security/2',
      ],
    })
  })

  it('says which scopes are needed', async () => {
    expect((await securityOf([{ oauth: ['read', 'wr`ite'] }, { oidc: ['read'] }])).doc).toBe(
      "Scopes: `read`, `wr'ite` of `oauth`, or `read` of `oidc`.",
    )
  })

  it('a scheme of a channel that is sent differently than its namesake gets a name of its own', async () => {
    const of = (name: string) => ({ $ref: `#/components/securitySchemes/${name}` })
    const { schemes, channels } = await read([{ header: [] }, { bearer: [] }], {
      info: { title: 'Test', version: '1' },
      servers: { feed: { host: '{host}', protocol: 'wss', security: [of('header'), of('bearer')] } },
      channels: { live: { address: '/live', messages: { ask: { payload: { type: 'string' } } } } },
      operations: { ask: { action: 'receive', channel: { $ref: '#/channels/live' } } },
      components: {
        securitySchemes: {
          header: { type: 'httpApiKey', in: 'query', name: 'key' },
          bearer: securitySchemes.bearer,
        },
      },
    })
    expect(channels[0]?.security).toEqual(['headerSocket', 'bearer'])
    expect(schemes.map(({ name, place }) => [name, place?.in])).toEqual([
      ['header', 'header'],
      ['bearer', 'header'],
      ['headerSocket', 'query'],
    ])
  })

  it('the new name of a channel scheme is not the name of another scheme', () => {
    const scheme = (name: string, place: 'header' | 'query'): SchemeModel => ({
      name,
      kind: 'secret',
      place: { in: place, name },
      type: 'apiKey',
      doc: undefined,
    })
    const operations = [{ security: [], schemes: [scheme('key', 'header'), scheme('keySocket', 'header')] }]
    const channels = [{ security: ['key'], schemes: [scheme('key', 'query')] }]
    const joined = joinSchemes(operations, channels)
    expect(joined.channels[0]?.security).toEqual(['keySocket2'])
    expect(joined.schemes.map(({ name }) => name)).toEqual(['key', 'keySocket', 'keySocket2'])
  })
})
