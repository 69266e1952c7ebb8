/** An account to add. @public */
export interface NewStorageAccount {
  readonly email: string
  /** Omit the password for an account that was created through external sign-in. */
  readonly password?: string
  /** By default a new UUID. */
  readonly id?: string
  readonly name?: string
  /** The URL of the user's picture. */
  readonly image?: string
  readonly organizationId?: string
  readonly role?: string
  readonly workspaces?: readonly StorageWorkspace[]
}

/** A workspace of an account. @public */
export interface StorageWorkspace {
  readonly workspaceId: string
  readonly workspaceName: string
  readonly role: string
}

/** An account that can sign in. @public */
export interface StorageAccount {
  readonly id: string
  readonly email: string
  readonly password?: string
  readonly name: string
  readonly image?: string
  readonly organizationId: string
  readonly role: string
  readonly workspaces: readonly StorageWorkspace[]
}

/** A session. All tokens from one sign-in and from later refreshes belong to the same session. */
export interface Family {
  readonly id: string
  readonly account: StorageAccount
}

export interface AccessToken {
  text: string
  readonly family: Family
  expiresAt: number
}

/** An issued refresh token. The contract defines its states. */
export interface RefreshToken {
  text: string
  /** Identifies the token without revealing it: the first 16 hex digits of its SHA-256. */
  readonly fingerprint: string
  readonly family: Family
  state: 'valid' | 'revoked'
  readonly issuedAt: number
  expiresAt: number
  successor?: RefreshToken
  /** How many refreshes were denied because the token was revoked or expired. */
  denials: number
}

/** An issued exchange code. The contract defines its states. */
export interface ExchangeCode {
  text: string
  readonly account: StorageAccount
  state: 'issued' | 'used'
  readonly expiresAt: number
}

/** An API key. @public */
export interface StorageApiKey {
  readonly id: string
  readonly name: string
  readonly key: string
  readonly owner: StorageAccount
  /** In milliseconds since the Unix epoch, like `lastUsedAt`. */
  readonly createdAt: number
  /** The expiration time, exactly as the caller sent it when creating the key. */
  readonly expiresAt?: string
  lastUsedAt?: number
  /** The organizations that the key is limited to. If this is undefined, the key can access all organizations. */
  readonly organizations?: readonly string[]
  revoked: boolean
}

/** The caller of a `/v1/` endpoint, as identified by an access token or an API key. */
export interface StorageCaller {
  readonly account: StorageAccount
  apiKey?: StorageApiKey
}

/** How often the token endpoints granted and denied requests. @public */
export interface StorageCounters {
  readonly logins: { granted: number; wrongCredentials: number; noPassword: number; locked: number }
  /**
   * Refreshes are denied for `unknown` and `expired` tokens, for `revoked` tokens (already used, or from a session
   * that has ended), and for a `locked` account.
   */
  readonly refreshes: { granted: number; unknown: number; expired: number; revoked: number; locked: number }
  /** Exchanges are denied for `unknown`, `expired` and `used` codes, and for a `locked` account. */
  readonly exchanges: { granted: number; unknown: number; expired: number; used: number; locked: number }
  /** How many requests to the three token endpoints exceeded the limit. */
  rateLimited: number
}

/**
 * A success response. `value` is the account, the API key or the list of API keys that the response is about.
 * `choices.successResponse` can change `body`. @public
 */
export type StorageSuccess =
  | { operation: 'createToken' | 'refreshToken' | 'exchangeCode'; value: StorageAccount; body: object }
  | { operation: 'createApiKey'; value: StorageApiKey; body: object }
  | { operation: 'listApiKeys'; value: readonly StorageApiKey[]; body: readonly object[] }
  | { operation: 'deleteApiKey'; value: StorageApiKey; body: undefined }

export interface Counters extends StorageCounters {
  clear(): void
}

export function createCounters(): Counters {
  const zero = (): StorageCounters => ({
    logins: { granted: 0, wrongCredentials: 0, noPassword: 0, locked: 0 },
    refreshes: { granted: 0, unknown: 0, expired: 0, revoked: 0, locked: 0 },
    exchanges: { granted: 0, unknown: 0, expired: 0, used: 0, locked: 0 },
    rateLimited: 0,
  })
  const counters: Counters = { ...zero(), clear: () => void Object.assign(counters, zero()) }
  return counters
}
