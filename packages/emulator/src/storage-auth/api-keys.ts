import type { Clock } from '../core/clock.ts'
import { randomUuid, type RandomSource } from '../core/random.ts'
import type { TransitionCheck } from '../core/transitions.ts'
import type { StorageAuthChoices } from './choices.ts'
import type { StorageAccount, StorageApiKey } from './model.ts'

/** What a new API key should be. @public */
export interface NewStorageApiKey {
  name: string
  /** The organizations that it is limited to; without them all. */
  organizations?: readonly string[]
  /** An ISO 8601 date or time stamp. */
  expiresAt?: string
}

/** The API keys, the revoked ones too. */
export interface ApiKeys {
  create(owner: StorageAccount, wanted: NewStorageApiKey): StorageApiKey
  /** The keys that the owner sees in the list. */
  listed(owner: StorageAccount): readonly StorageApiKey[]
  /** Revokes a key of the owner; nothing where there is no such key, or not any more. */
  revoke(owner: StorageAccount, id: string): StorageApiKey | undefined
  /** Looks a key up, and notes its use; or why it is not valid. */
  use(key: string): StorageApiKey | 'unknown' | 'expired' | 'revoked'
  all(): StorageApiKey[]
  clear(): void
}

/** Makes an empty set of keys. */
export function createApiKeys(parts: {
  clock: Clock
  random: RandomSource
  choices: StorageAuthChoices
  checkMove: TransitionCheck
}): ApiKeys {
  const { clock, random, choices, checkMove } = parts
  const keys = new Map<string, StorageApiKey>()

  const isExpired = ({ expiresAt }: StorageApiKey) =>
    expiresAt !== undefined && clock.now() >= choices.readExpiry(expiresAt)

  return {
    create(owner, { name, organizations, expiresAt }) {
      const apiKey: StorageApiKey = {
        id: randomUuid(random),
        name,
        key: choices.newIdentifier('api-key', random),
        owner,
        createdAt: clock.now(),
        ...(expiresAt === undefined ? {} : { expiresAt }),
        ...(organizations === undefined ? {} : { organizations }),
        revoked: false,
      }
      keys.set(apiKey.id, apiKey)
      return apiKey
    },
    listed: (owner) => [...keys.values()].filter((apiKey) => apiKey.owner === owner && !apiKey.revoked),
    revoke(owner, id) {
      const apiKey = keys.get(id.toLowerCase())
      if (!apiKey || apiKey.owner !== owner || apiKey.revoked) return undefined
      checkMove('active', 'null')
      apiKey.revoked = true
      return apiKey
    },
    use(key) {
      const apiKey = [...keys.values()].find((candidate) => candidate.key === key)
      if (!apiKey) return 'unknown'
      if (apiKey.revoked) return 'revoked'
      if (isExpired(apiKey)) return 'expired'
      apiKey.lastUsedAt = clock.now()
      return apiKey
    },
    all: () => [...keys.values()],
    clear: () => keys.clear(),
  }
}
