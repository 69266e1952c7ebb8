import { ContractDriftError } from '../../core/errors.ts'
import type { OperationDescriptor } from '../../core/operation.ts'
import { createClient } from '../../http/client.ts'
import type { CommonOptions } from '../../http/client-options.ts'
import type { OAuthFlow } from './flow.ts'
import { toUrl } from './token-endpoint.ts'

const WELL_KNOWN = '/.well-known/openid-configuration'

/**
 * Asks an OpenID Connect provider for its addresses (OpenID Connect Discovery 1.0, section 4), once, and returns them as a flow. No
 * other function asks for them.
 *
 * @param openIdConnectUrl The address in the contract.
 * @throws ContractDriftError if the answer is not the configuration of this provider, and the errors of any call.
 * @public
 */
export async function discoverOpenId(
  openIdConnectUrl: string,
  options: Pick<CommonOptions, 'timeoutMs' | 'retry' | 'observe' | 'transport' | 'signal' | 'clock'> = {},
): Promise<OAuthFlow> {
  const url = toUrl(openIdConnectUrl, 'openIdConnectUrl')
  const { transport, ...shared } = options
  await using client = createClient({
    ...shared,
    ...(transport && { transport: { send: (request) => transport.send(request) } }),
    servers: { provider: url.origin },
  })
  const query = Object.fromEntries(url.searchParams)
  const found: unknown = await client.send(
    { ...CONFIGURATION, path: url.pathname },
    {},
    Object.keys(query).length === 0 ? {} : { extra: { query } },
  )
  const configuration = (typeof found === 'object' ? (found ?? {}) : {}) as Readonly<Record<string, unknown>>
  // Another issuer could name endpoints of its own: section 4.3.
  if (`${String(configuration['issuer']).replace(/\/+$/, '')}${WELL_KNOWN}` !== openIdConnectUrl) {
    throw new ContractDriftError(
      'The OpenID Connect provider calls itself something else than its address, so its answer is not used.',
      [{ path: '/issuer', reason: 'does not belong to this address' }],
      undefined,
      { operation: CONFIGURATION.id },
    )
  }
  const addresses = {
    authorizationUrl: configuration['authorization_endpoint'],
    deviceAuthorizationUrl: configuration['device_authorization_endpoint'],
    tokenUrl: configuration['token_endpoint'],
  }
  return Object.fromEntries(
    Object.entries(addresses).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

const CONFIGURATION: OperationDescriptor = {
  id: 'openIdConfiguration',
  method: 'GET',
  path: WELL_KNOWN,
  server: 'provider',
  security: [],
  parameters: [],
  responses: { 200: { kind: 'json', contentType: 'application/json' } },
  retry: { class: 'safe' },
  secrets: [],
}
