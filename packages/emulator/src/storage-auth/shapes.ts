import type { StorageAccount, StorageApiKey } from './model.ts'

/** The emulator's own representation of undocumented records. The choice `successResponse` can override it. */

/** Represents a user. `image` is null for a user without one. */
export function showUser(account: StorageAccount): object {
  const { id, email, name, image = null, organizationId, role, workspaces } = account
  return { id, email, name, image, organizationId, role, workspaces }
}

/** Represents the scopes of a key, or undefined if it has none. */
export const showScopes = (organizations: readonly string[] | undefined): object | undefined =>
  organizations && { organizations }

/** Represents an API key without the key itself. `lastUsedAt` has the format of `createdAt`. */
export function showApiKey(apiKey: StorageApiKey): object {
  const { id, name, createdAt, expiresAt = null, lastUsedAt, organizations } = apiKey
  return {
    id,
    name,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt,
    lastUsedAt: lastUsedAt === undefined ? null : new Date(lastUsedAt).toISOString(),
    scopes: showScopes(organizations),
    status: 'active',
  }
}
