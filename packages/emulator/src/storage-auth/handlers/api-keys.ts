import { success } from '../../core/reply.ts'
import { callerOf, jsonOf, type StorageAuthContext, type StorageAuthHandler } from '../state.ts'
import { deny } from '../denials.ts'
import { showApiKey } from '../shapes.ts'

interface CreateRequest {
  readonly name: string
  readonly scopes?: { organizations?: string[] }
  readonly expiresAt?: string
}

/** POST /v1/api-keys */
function createApiKey({ clock, choices, apiKeys }: StorageAuthContext): StorageAuthHandler {
  return {
    handle(call) {
      const { account } = callerOf(call)
      const { name, scopes, expiresAt } = jsonOf<CreateRequest>(call)
      const isPast = expiresAt !== undefined && choices.readExpiry(expiresAt) <= clock.now()
      if (isPast && !choices.apiKeys.acceptsPastExpiry) return deny(choices, 'expiry-in-the-past')
      const none = choices.apiKeys.withoutOrganizations === 'none' ? [] : undefined
      const organizations = scopes && (scopes.organizations ?? none)
      const apiKey = apiKeys.create(account, {
        name,
        ...(organizations === undefined ? {} : { organizations }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      })
      const { key } = apiKey
      return success(201, apiKey, { ...showApiKey(apiKey), key })
    },
  }
}

/** GET /v1/api-keys */
function listApiKeys({ apiKeys }: StorageAuthContext): StorageAuthHandler {
  return {
    handle(call) {
      const listed = apiKeys.listed(callerOf(call).account)
      return success(200, listed, listed.map(showApiKey))
    },
  }
}

/** DELETE /v1/api-keys/{key_id} */
function deleteApiKey({ choices, apiKeys }: StorageAuthContext): StorageAuthHandler {
  return {
    handle(call) {
      const apiKey = apiKeys.revoke(callerOf(call).account, call.parameters['key_id'] ?? '')
      if (!apiKey) return deny(choices, 'api-key-not-found')
      return success(204, apiKey, undefined)
    },
  }
}

export function apiKeyHandlers(context: StorageAuthContext): Record<string, StorageAuthHandler> {
  return {
    createApiKey: createApiKey(context),
    listApiKeys: listApiKeys(context),
    deleteApiKey: deleteApiKey(context),
  }
}
