/** A person who can sign in, as given in an option or to the control interface. @public */
export interface NewStorageAccount {
  readonly email: string
  /** Left out for an account that was created through external sign-in only. */
  readonly password?: string
  /** By default a new one. */
  readonly id?: string
  readonly name?: string
  /** The address of a picture. */
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

/** A person who can sign in. @public */
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

/** A sign-in with everything that came of it by refreshing. */
export interface Family {
  readonly id: string
  readonly account: StorageAccount
}

/** An access token that was issued. */
export interface AccessToken {
  text: string
  readonly family: Family
  readonly expiresAt: number
}

/** A refresh token that was issued. Its states are those of the contract. */
export interface RefreshToken {
  text: string
  /** Identifies a token without showing it: the start of the SHA-256 of the token, in hex. */
  readonly fingerprint: string
  readonly family: Family
  state: 'valid' | 'revoked'
  readonly issuedAt: number
  readonly expiresAt: number
  /** The token that was issued in its place. */
  successor?: RefreshToken
  /** How often it was presented and denied. */
  denials: number
}

/** An exchange code that was issued. Its states are those of the contract. */
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
  /** In milliseconds since the Unix epoch, as all times here. */
  readonly createdAt: number
  /** As it was sent. */
  readonly expiresAt?: string
  lastUsedAt?: number
  /** The organizations that it is limited to; without them all. */
  readonly organizations?: readonly string[]
  revoked: boolean
}

/** Whom a credential of a V1 endpoint stands for. */
export interface StorageCaller {
  readonly account: StorageAccount
  apiKey?: StorageApiKey
}

/** The responses of the token endpoints, counted. @public */
export interface StorageCounters {
  readonly logins: { granted: number; wrongCredentials: number; noPassword: number; locked: number }
  /** Denied are `unknown` tokens, `expired` ones, `revoked` ones (used before), and those of a `locked` account. */
  readonly refreshes: { granted: number; unknown: number; expired: number; revoked: number; locked: number }
  /** Denied are `unknown` codes, `expired` ones, `used` ones, and those of a `locked` account. */
  readonly exchanges: { granted: number; unknown: number; expired: number; used: number; locked: number }
  /** Requests to the three token endpoints that were over the limit. */
  rateLimited: number
}

/** A success: `value` is what `body` shows in the emulator's own way. @public */
export type StorageSuccess =
  | { operation: 'createToken' | 'refreshToken' | 'exchangeCode'; value: StorageAccount; body: object }
  | { operation: 'createApiKey'; value: StorageApiKey; body: object }
  | { operation: 'listApiKeys'; value: readonly StorageApiKey[]; body: readonly object[] }
  | { operation: 'deleteApiKey'; value: StorageApiKey; body: undefined }

/** Counts the responses of the token endpoints. */
export interface Counters extends StorageCounters {
  clear(): void
}

/** Starts at zero. */
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

/** A copy of the counts. */
export function copyCounters({ logins, refreshes, exchanges, rateLimited }: Counters): StorageCounters {
  return { logins: { ...logins }, refreshes: { ...refreshes }, exchanges: { ...exchanges }, rateLimited }
}
