import { ContractDriftError } from '../../core/errors.ts'
import type { OperationDescriptor } from '../../core/operation.ts'
import { createClient } from '../../http/client.ts'
import type { CommonOptions } from '../../http/client-options.ts'
import { type OAuthFlow, toUrl } from './token-endpoint.ts'

const WELL_KNOWN = '/.well-known/openid-configuration'

/**
 * Asks an OpenID Connect provider for its addresses (OpenID Connect Discovery 1.0, section 4), once, and returns them as a flow. No
 * other function asks for them.
 *
 * @param openIdConnectUrl The address in the contract.
 * @throws ContractDriftError if the response is not the configuration of this provider, and the errors of any call.
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
  const found: unknown = await client.send({ ...CONFIGURATION, path: url.pathname }, {})
  const configuration = (found ?? {}) as Readonly<Record<string, unknown>>
  // Another issuer could name endpoints of its own: section 4.3.
  const { issuer } = configuration
  const from = typeof issuer === 'string' && issuer.endsWith('/') ? issuer.slice(0, -1) : issuer
  if (typeof from !== 'string' || from + WELL_KNOWN !== openIdConnectUrl)
    throw unusable('names another issuer than its address', '/issuer', 'does not belong to this address')
  const flow: Record<string, string> = {}
  for (const [name, field] of Object.entries(FIELDS)) {
    const address = configuration[field]
    if (typeof address !== 'string') continue
    // The client's secret and the tokens go there: RFC 6749, section 3.2.
    if (url.protocol === 'https:' && URL.parse(address)?.protocol !== 'https:')
      throw unusable('has an address without https', `/${field}`, 'is not an https address')
    flow[name] = address
  }
  return flow
}

/** The fields of the configuration with the addresses of a flow. */
const FIELDS = {
  authorizationUrl: 'authorization_endpoint',
  deviceAuthorizationUrl: 'device_authorization_endpoint',
  tokenUrl: 'token_endpoint',
} as const

function unusable(what: string, path: string, reason: string): ContractDriftError {
  return new ContractDriftError(
    `The configuration of the OpenID Connect provider ${what}, so it is not used.`,
    [{ path, reason }],
    undefined,
    { operation: CONFIGURATION.id },
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
