import { TEXT, type CommandShapes } from '../core/control-commands.ts'
import type { ServiceControl } from '../core/control.ts'
import type { NewStorageApiKey } from './api-keys.ts'
import type { JsonObject } from '../core/json.ts'
import type { NewStorageAccount, StorageCounters } from './model.ts'

/** What the control interface of the storage authentication service can do. @public */
export interface StorageAuthControl extends ServiceControl {
  /** Lets access tokens expire at once: those of an account, or all. Answers how many did. */
  expireAccessTokens(email?: string): number
  /** Lets refresh tokens expire at once: those of an account, or all. Answers how many did. */
  expireRefreshTokens(email?: string): number
  /** Locks an account for 15 minutes, as five failed logins do. */
  lockAccount(email: string): void
  /** Ends a lock, and forgets the failed logins. */
  unlockAccount(email: string): void
  /** Adds an account. */
  addAccount(account: NewStorageAccount): void
  /** Begins a session without a login: a pair of tokens, and no request counted. */
  issueTokens(email: string): Promise<{ accessToken: string; refreshToken: string; expiresInSeconds: number }>
  /** Does what a person does who signs in on the page: answers the code that the browser brings to the callback. */
  issueCode(email: string): string
  /** Adds an API key of an account. */
  addApiKey(email: string, apiKey: NewStorageApiKey): { id: string; key: string }
  /** How often the token endpoints granted and refused, and why. */
  counters(): StorageCounters
}

const WORKSPACE: JsonObject = {
  type: 'object',
  properties: { workspaceId: TEXT, workspaceName: TEXT, role: TEXT },
  required: ['workspaceId', 'workspaceName', 'role'],
  additionalProperties: false,
}

/** How the methods of {@link StorageAuthControl} are called over HTTP. */
export const STORAGE_AUTH_COMMANDS: CommandShapes<StorageAuthControl> = {
  expireAccessTokens: { parameters: { email: TEXT }, optional: true, returns: 'expired' },
  expireRefreshTokens: { parameters: { email: TEXT }, optional: true, returns: 'expired' },
  lockAccount: { parameters: { email: TEXT } },
  unlockAccount: { parameters: { email: TEXT } },
  addAccount: {
    members: {
      email: TEXT,
      password: TEXT,
      id: TEXT,
      name: TEXT,
      image: TEXT,
      organizationId: TEXT,
      role: TEXT,
      workspaces: { type: 'array', items: WORKSPACE },
    },
    required: ['email'],
  },
  issueTokens: { parameters: { email: TEXT } },
  issueCode: { parameters: { email: TEXT }, returns: 'code' },
  addApiKey: {
    parameters: { email: TEXT },
    members: { name: TEXT, organizations: { type: 'array', items: TEXT }, expiresAt: TEXT },
    required: ['name'],
  },
  counters: { reads: true },
}

/** What the storage authentication service knows at a moment: a copy without secrets, safe to print. @public */
export interface StorageAuthState {
  /** In milliseconds since the Unix epoch, as all times here. */
  now: number
  accounts: {
    id: string
    email: string
    hasPassword: boolean
    failedLogins: number
    /** How long it is still locked; 0 where it is not. */
    lockedForMs: number
  }[]
  /** Counted by account. */
  accessTokens: { email: string; valid: number; expired: number }[]
  refreshTokens: {
    /** The start of the SHA-256 of the token in hex, 16 digits. */
    fingerprint: string
    email: string
    state: 'valid' | 'revoked' | 'expired'
    issuedAt: number
    expiresAt: number
    /** The fingerprint of the token that was issued in its place. */
    successor?: string
    /** How often it was presented and refused. */
    refusals: number
  }[]
  exchangeCodes: { email: string; state: 'issued' | 'used' | 'expired'; expiresAt: number }[]
  apiKeys: {
    id: string
    email: string
    name: string
    revoked: boolean
    createdAt: number
    expiresAt?: string
    lastUsedAt?: number
    organizations?: string[]
  }[]
  /** The requests to the token endpoints that count at this moment, by IP address. */
  tokenRequests: Record<string, number>
  counters: StorageCounters
}
