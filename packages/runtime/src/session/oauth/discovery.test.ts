import { expect, it } from 'vitest'

import { json, rejection } from '../../http/test-support/fixtures.ts'
import { server } from '../test-support/oauth-server.ts'
import { discoverOpenId } from './token-endpoint.ts'

const WELL_KNOWN = '/.well-known/openid-configuration'

/** Asks the provider at this address, which responds with this configuration. */
function discover(configuration: unknown, provider = 'https://id.test') {
  const { seen, options } = server(() => json(configuration))
  const { transport } = options
  return { seen, found: discoverOpenId(provider + WELL_KNOWN, { transport }) }
}

const tenant = 'https://id.test/tenant'
const local = 'http://127.0.0.1:8080'

it.each([
  [
    'returns the addresses of the provider as a flow',
    tenant,
    { authorization_endpoint: `${tenant}/authorize`, token_endpoint: `${tenant}/token`, issuer: tenant },
    { authorizationUrl: `${tenant}/authorize`, tokenUrl: `${tenant}/token` },
  ],
  [
    'ignores a trailing slash of the issuer, and addresses that are missing or no strings',
    'https://id.test',
    { authorization_endpoint: 7, token_endpoint: 'https://id.test/token', issuer: 'https://id.test/' },
    { tokenUrl: 'https://id.test/token' },
  ],
  [
    'accepts addresses without https from a provider without https',
    local,
    { token_endpoint: `${local}/token`, issuer: local },
    { tokenUrl: `${local}/token` },
  ],
])('OpenID Connect discovery %s', async (_what, provider, configuration, flow) => {
  const { seen, found } = discover(configuration, provider)
  expect(await found).toStrictEqual(flow)
  expect(seen.map(({ path }) => path)).toEqual([new URL(provider + WELL_KNOWN).pathname])
})

it.each([
  ['null', null, '/issuer'],
  ['a string', 'text', '/issuer'],
  ['no issuer', {}, '/issuer'],
  ['another issuer', { issuer: 'https://other.test' }, '/issuer'],
  ['an issuer that is an object', { issuer: { toString: 1, valueOf: 1 } }, '/issuer'],
  ['an issuer of 200,000 slashes', { issuer: `${'/'.repeat(200_000)}x` }, '/issuer'],
  [
    'a token address without https',
    { issuer: 'https://id.test', token_endpoint: 'http://id.test/token' },
    '/token_endpoint',
  ],
  [
    'a token address that is not an address',
    { issuer: 'https://id.test', token_endpoint: 'token' },
    '/token_endpoint',
  ],
])('R-04: OpenID Connect discovery rejects a configuration with %s', async (_what, configuration, path) => {
  expect(await rejection(discover(configuration).found)).toMatchObject({
    code: 'contract-drift',
    operation: 'openIdConfiguration',
    issues: [{ path }],
  })
})
