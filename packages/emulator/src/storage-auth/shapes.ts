import type { StorageAccount, StorageApiKey } from './model.ts'

/** The emulator's own form of undocumented records. The choice `successResponse` replaces it. */

/** A user; `image` is null without a picture. */
export function showUser(account: StorageAccount): object {
  const { id, email, name, image = null, organizationId, role, workspaces } = account
  return { id, email, name, image, organizationId, role, workspaces }
}

/** The scopes of a key; absent if it has none. */
export const showScopes = (organizations: readonly string[] | undefined): object | undefined =>
  organizations && { organizations }

/** The record without the key; `lastUsedAt` in the format of `createdAt`, brought up to date by each use. */
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
