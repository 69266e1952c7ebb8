import { jsonReply, type Reply } from '../core/reply.ts'
import type { Page, PageCall } from '../core/service.ts'
import { showUser, type StorageAuthContext } from './state.ts'
import type { StorageApiKey, StorageCaller } from './model.ts'
import { NO_ORGANIZATIONS } from './credentials.ts'
import { deny } from './denials.ts'

/**
 * Creates two undocumented endpoints: the emulator's own `whoami`, for testing credentials, and a JSON Web Key Set
 * with the public key for verifying access tokens.
 */
export function samplePages(context: StorageAuthContext): Page[] {
  const { choices, signer } = context
  return [
    {
      name: 'page:whoami',
      method: 'GET',
      baseUrlName: 'dataUrl',
      path: '/v1/_emulator/whoami',
      handle(call) {
        const caller = admit(context, call.headers)
        if ('status' in caller) return caller
        const organization = call.query.get('organization')
        const organizations = caller.apiKey?.organizations
        if (organization !== null && !canAccess(context, organizations, organization))
          return deny(choices, 'organization-out-of-scope')
        return jsonReply(200, {
          emulator: 'This endpoint belongs to the Concord emulator, not to the service.',
          credential: caller.apiKey ? 'api-key' : 'access-token',
          user: showUser(caller.account),
          scopes: organizations && { organizations },
        })
      },
    },
    {
      name: 'page:jwks',
      method: 'GET',
      baseUrlName: 'authUrl',
      path: choices.keySetPath,
      handle: () => jsonReply(200, signer.keySet()),
    },
  ]
}

/** Checks credentials as documented for `/v1/` endpoints: an access token (a JWT) has precedence over an API key. */
function admit(
  { choices, tokens, apiKeys }: StorageAuthContext,
  headers: PageCall['headers'],
): StorageCaller | Reply {
  const [, token] = /^bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '') ?? []
  const key = headers.get('x-api-key')
  if (token !== undefined) {
    const account = tokens.findAccess(token)
    if (account) return { account }
    if (!key || choices.apiKeys.besideInvalidJwt === 'rejected') return deny(choices, 'access-token-rejected')
  }
  if (!key) return deny(choices, 'credential-missing')
  const apiKey = apiKeys.use(key)
  return typeof apiKey === 'string'
    ? deny(choices, 'api-key-rejected', { cause: apiKey })
    : { account: apiKey.owner, apiKey }
}

function canAccess(
  { choices }: StorageAuthContext,
  organizations: StorageApiKey['organizations'],
  organization: string,
): boolean {
  if (!organizations) return true
  if (organizations.length === 0)
    return organizations !== NO_ORGANIZATIONS && choices.apiKeys.emptyOrganizations === 'all'
  return organizations.includes(organization)
}
