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

it('OpenID Connect discovery returns the addresses of the provider as a flow', async () => {
  const provider = 'https://id.test/tenant'
  const { seen, found } = discover(
    {
      issuer: provider,
      authorization_endpoint: 'https://id.test/authorize',
      token_endpoint: 'https://id.test/token',
    },
    provider,
  )
  expect(await found).toEqual({
    authorizationUrl: 'https://id.test/authorize',
    tokenUrl: 'https://id.test/token',
  })
  expect(seen.map(({ path }) => path)).toEqual([`/tenant${WELL_KNOWN}`])
})

it('OpenID Connect discovery ignores a trailing slash of the issuer, and addresses that are missing or no strings', async () => {
  const tokenUrl = 'https://id.test/token'
  const { found } = discover({
    issuer: 'https://id.test/',
    token_endpoint: tokenUrl,
    authorization_endpoint: 7,
  })
  expect(await found).toStrictEqual({ tokenUrl })
})

it('OpenID Connect discovery accepts addresses without https from a provider without https', async () => {
  const local = 'http://127.0.0.1:8080'
  const { found } = discover({ issuer: local, token_endpoint: `${local}/token` }, local)
  expect(await found).toStrictEqual({ tokenUrl: `${local}/token` })
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
