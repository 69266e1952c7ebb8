import { defined } from '../core/json.ts'
import { randomUuid } from '../core/random.ts'
import type { TransitionCheck } from '../core/transitions.ts'
import type { StorageTools } from './choices.ts'
import { EXCHANGE_CODE_MS } from './limits.ts'
import type { ExchangeCode, StorageAccount, StorageApiKey } from './model.ts'

interface CredentialTools extends StorageTools {
  readonly checkMove: TransitionCheck
}

/** The settings of a new API key. @public */
export interface NewStorageApiKey {
  readonly name: string
  /** The organizations that the key is limited to. If this is undefined, the key can access all organizations. */
  readonly organizations?: readonly string[] | undefined
  /** When the key expires: an ISO 8601 date or timestamp. */
  readonly expiresAt?: string | undefined
}

/**
 * The `organizations` of a key that was created with `scopes` but without `scopes.organizations`, if
 * `choices.apiKeys.withoutOrganizations` is `none`. Compare with this array by `===`, because
 * `choices.apiKeys.emptyOrganizations` applies to an empty array that a caller sent, but not to this array.
 */
export const NO_ORGANIZATIONS: readonly string[] = []

/** The API keys, including revoked keys. */
export class ApiKeys {
  readonly #tools: CredentialTools
  readonly #keys = new Map<string, StorageApiKey>()

  constructor(tools: CredentialTools) {
    this.#tools = tools
  }

  create(owner: StorageAccount, { name, organizations, expiresAt }: NewStorageApiKey): StorageApiKey {
    const { clock, random, choices } = this.#tools
    const apiKey: StorageApiKey = {
      id: randomUuid(random),
      name,
      key: choices.newIdentifier('api-key', random),
      owner,
      createdAt: clock.now(),
      ...defined({ expiresAt, organizations }),
      revoked: false,
    }
    this.#keys.set(apiKey.id, apiKey)
    return apiKey
  }

  /** Returns the keys that `listApiKeys` lists. */
  listed(owner: StorageAccount): readonly StorageApiKey[] {
    return this.all().filter((apiKey) => apiKey.owner === owner && !apiKey.revoked)
  }

  revoke(owner: StorageAccount, id: string): StorageApiKey | undefined {
    const apiKey = this.#keys.get(id.toLowerCase())
    if (!apiKey || apiKey.owner !== owner || apiKey.revoked) return undefined
    this.#tools.checkMove('active', 'null')
    apiKey.revoked = true
    return apiKey
  }

  /** Finds a key and records its use, or returns why the key isn't valid. */
  use(key: string): StorageApiKey | 'unknown' | 'expired' | 'revoked' {
    const apiKey = this.all().find((candidate) => candidate.key === key)
    if (!apiKey) return 'unknown'
    if (apiKey.revoked) return 'revoked'
    const { clock, choices } = this.#tools
    const { expiresAt } = apiKey
    if (expiresAt !== undefined && clock.now() >= choices.readExpiry(expiresAt)) return 'expired'
    apiKey.lastUsedAt = clock.now()
    return apiKey
  }

  all(): StorageApiKey[] {
    return [...this.#keys.values()]
  }

  clear(): void {
    this.#keys.clear()
  }
}

/** The issued exchange codes, including used and expired codes. */
export class Codes {
  readonly #tools: CredentialTools
  readonly #codes = new Map<string, ExchangeCode>()

  constructor(tools: CredentialTools) {
    this.#tools = tools
  }

  issue(account: StorageAccount): string {
    const { clock, random, choices } = this.#tools
    const text = choices.newIdentifier('exchange-code', random)
    this.#codes.set(text, { text, account, state: 'issued', expiresAt: clock.now() + EXCHANGE_CODE_MS })
    return text
  }

  /** Returns the account that a code belongs to, even if the code is used or expired. */
  ownerOf(text: string): StorageAccount | undefined {
    return this.#codes.get(text)?.account
  }

  /** Uses a code and returns the account that the code belongs to, or returns why the code isn't valid. */
  use(text: string): StorageAccount | 'unknown' | 'expired' | 'used' {
    const code = this.#codes.get(text)
    if (!code) return 'unknown'
    if (code.state === 'used') return 'used'
    if (this.#tools.clock.now() > code.expiresAt) return 'expired'
    code.state = this.#tools.checkMove(code.state, 'used')
    return code.account
  }

  all(): ExchangeCode[] {
    return [...this.#codes.values()]
  }

  clear(): void {
    this.#codes.clear()
  }
}
