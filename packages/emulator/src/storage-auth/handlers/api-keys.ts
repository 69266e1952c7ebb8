import { jsonReply } from '../../core/reply.ts'
import type { StorageAuthChoices } from '../choices.ts'
import { callerOf, jsonOf, type StorageAuthContext, type StorageAuthHandler } from '../context.ts'
import type { StorageApiKey } from '../model.ts'
import { refuse } from '../refusals.ts'

interface CreateRequest {
  name: string
  scopes?: { organizations?: string[] }
  expiresAt?: string
}

/** POST /v1/api-keys */
export function createApiKey({ clock, choices, apiKeys }: StorageAuthContext): StorageAuthHandler {
  return {
    handle(call) {
      const { account } = callerOf(call)
      const { name, scopes, expiresAt } = jsonOf<CreateRequest>(call)
      const isPast = expiresAt !== undefined && choices.readExpiry(expiresAt) <= clock.now()
      if (isPast && !choices.acceptsPastExpiry) return refuse(choices, 'expiry-in-the-past')
      const organizations = scopes && choices.readScopes(scopes)
      const apiKey = apiKeys.create(account, {
        name,
        ...(organizations === undefined ? {} : { organizations }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      })
      const { key } = apiKey
      return jsonReply(choices.successStatuses.createApiKey, { ...show(choices, apiKey), key })
    },
  }
}

/** GET /v1/api-keys */
export function listApiKeys({ choices, apiKeys }: StorageAuthContext): StorageAuthHandler {
  return {
    handle: (call) =>
      jsonReply(
        choices.successStatuses.listApiKeys,
        apiKeys.listed(callerOf(call).account).map((apiKey) => show(choices, apiKey)),
      ),
  }
}

/** DELETE /v1/api-keys/{key_id} */
export function deleteApiKey({ choices, apiKeys }: StorageAuthContext): StorageAuthHandler {
  return {
    handle(call) {
      const apiKey = apiKeys.revoke(callerOf(call).account, call.parameters['key_id'] ?? '')
      if (!apiKey) return refuse(choices, 'api-key-not-found')
      const body = choices.revokedBody(apiKey)
      const status = choices.successStatuses.deleteApiKey
      return body === undefined ? { status } : jsonReply(status, body)
    },
  }
}

/** The record without the key. */
function show(choices: StorageAuthChoices, apiKey: StorageApiKey): object {
  const { id, name, createdAt, expiresAt = null, lastUsedAt, organizations } = apiKey
  return {
    id,
    name,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt,
    lastUsedAt: choices.showLastUsed(lastUsedAt),
    scopes: choices.showScopes(organizations),
    status: 'active',
  }
}
