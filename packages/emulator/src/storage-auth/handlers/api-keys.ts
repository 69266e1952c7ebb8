import { success } from '../../core/reply.ts'
import { callerOf, jsonOf } from '../../core/service.ts'
import { NO_ORGANIZATIONS } from '../credentials.ts'
import { deny } from '../denials.ts'
import type { StorageApiKey } from '../model.ts'
import type { StorageAuthContext, StorageAuthHandler } from '../state.ts'

interface CreateRequest {
  readonly name: string
  readonly scopes?: { organizations?: string[] }
  readonly expiresAt?: string
}

export function apiKeyHandlers({
  clock,
  choices,
  apiKeys,
}: StorageAuthContext): Record<string, StorageAuthHandler> {
  return {
    createApiKey: {
      handle(call) {
        const { name, scopes, expiresAt } = jsonOf<CreateRequest>(call)
        const isPast = expiresAt !== undefined && choices.readExpiry(expiresAt) <= clock.now()
        if (isPast && !choices.apiKeys.acceptsPastExpiry) return deny(choices, 'expiry-in-the-past')
        const none = choices.apiKeys.withoutOrganizations === 'none' ? NO_ORGANIZATIONS : undefined
        const organizations = scopes && (scopes.organizations ?? none)
        const apiKey = apiKeys.create(callerOf(call).account, { name, organizations, expiresAt })
        return success(201, apiKey, { ...showApiKey(apiKey), key: apiKey.key })
      },
    },
    listApiKeys: {
      handle(call) {
        const listed = apiKeys.listed(callerOf(call).account)
        return success(200, listed, listed.map(showApiKey))
      },
    },
    deleteApiKey: {
      handle(call) {
        const apiKey = apiKeys.revoke(callerOf(call).account, call.parameters['key_id'] ?? '')
        return apiKey ? success(204, apiKey, undefined) : deny(choices, 'api-key-not-found')
      },
    },
  }
}

/** Omits `key`, which only `createApiKey` returns. */
function showApiKey(apiKey: StorageApiKey): object {
  const { id, name, createdAt, expiresAt = null, lastUsedAt, organizations } = apiKey
  return {
    id,
    name,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt,
    lastUsedAt: lastUsedAt === undefined ? null : new Date(lastUsedAt).toISOString(),
    scopes: organizations && { organizations },
    status: 'active',
  }
}
