import { ServiceControl, TEXT, type CommandShapes, type ControlTools } from '../core/control.ts'
import { copyOf, type JsonObject } from '../core/json.ts'
import type { NewStorageApiKey } from './credentials.ts'
import type { NewStorageAccount, StorageAccount, StorageApiKey, StorageCounters } from './model.ts'
import type { StorageAuthContext } from './state.ts'

/** The control interface of the storage authentication service. @public */
export class StorageAuthControl extends ServiceControl {
  readonly #context: StorageAuthContext

  /** @internal */
  constructor(tools: ControlTools, context: StorageAuthContext) {
    super(tools)
    this.#context = context
  }

  /** Expires the access tokens of an account, or of all accounts if `email` is omitted. Returns how many expired. */
  readonly expireAccessTokens = (email?: string): number =>
    this.#context.tokens.expire('access', this.#optional(email))

  /** Expires the refresh tokens of an account, or of all accounts if `email` is omitted. Returns how many expired. */
  readonly expireRefreshTokens = (email?: string): number =>
    this.#context.tokens.expire('refresh', this.#optional(email))

  /** Locks an account for 15 minutes, as five failed logins would. */
  readonly lockAccount = (email: string): void => this.#context.logins.lock(this.#account(email))

  /** Unlocks an account and resets its count of failed logins. */
  readonly unlockAccount = (email: string): void => this.#context.logins.unlock(this.#account(email))

  /** Adds an account. */
  readonly addAccount = (account: NewStorageAccount): void => void this.#context.accounts.add(account)

  /** Issues a pair of tokens without a login. The call counts neither toward the request limit nor in `counters`. */
  readonly issueTokens = async (
    email: string,
  ): Promise<{ accessToken: string; refreshToken: string; expiresInSeconds: number }> => {
    const { account: _, ...pair } = this.#context.tokens.issue(this.#account(email))
    return pair
  }

  /** Issues an exchange code, as the sign-in page does after a sign-in, and returns the code. */
  readonly issueCode = (email: string): string => this.#context.codes.issue(this.#account(email))

  /** Adds an API key to an account. */
  readonly addApiKey = (email: string, apiKey: NewStorageApiKey): { id: string; key: string } => {
    const { id, key } = this.#context.apiKeys.create(this.#account(email), apiKey)
    return { id, key }
  }

  /**
   * Returns how often the token endpoints granted requests, and how often they denied requests for each reason.
   * Logins with a password on the sign-in page count as well.
   */
  readonly counters = (): StorageCounters => copyOf(this.#context.counters)

  #account(email: string): StorageAccount {
    return this.#context.accounts.get(email)
  }

  #optional(email: string | undefined): StorageAccount | undefined {
    return email === undefined ? undefined : this.#account(email)
  }
}

const WORKSPACE: JsonObject = {
  type: 'object',
  properties: { workspaceId: TEXT, workspaceName: TEXT, role: TEXT },
  required: ['workspaceId', 'workspaceName', 'role'],
  additionalProperties: false,
}

/** How to call the methods of {@link StorageAuthControl} over HTTP. */
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

/** A snapshot of the storage authentication service. It contains no secrets, so it is safe to print. @public */
export interface StorageAuthState {
  /**
   * The current time, in milliseconds since the Unix epoch. All timestamps in the snapshot have this unit, except the
   * `expiresAt` of an API key, which is a string.
   */
  readonly now: number
  readonly accounts: {
    id: string
    email: string
    hasPassword: boolean
    failedLogins: number
    /** How long the account will stay locked; 0 if it isn't locked. */
    lockedForMs: number
  }[]
  /** The number of access tokens of each account. */
  readonly accessTokens: { email: string; valid: number; expired: number }[]
  readonly refreshTokens: {
    /** The first 16 hex digits of the token's SHA-256. */
    fingerprint: string
    email: string
    state: 'valid' | 'revoked' | 'expired'
    issuedAt: number
    expiresAt: number
    /** The fingerprint of the token that replaced this token. */
    successor?: string
    /** How many refreshes were denied because the token was revoked or expired. */
    denials: number
  }[]
  readonly exchangeCodes: { email: string; state: 'issued' | 'used' | 'expired'; expiresAt: number }[]
  readonly apiKeys: (Omit<StorageApiKey, 'key' | 'owner'> & { email: string })[]
  /** The number of requests to the token endpoints in the current one-minute window, by IP address. */
  readonly tokenRequests: Record<string, number>
  readonly counters: StorageCounters
}

export function readState(context: StorageAuthContext): StorageAuthState {
  const { clock, accounts, logins, tokens, codes, apiKeys, requests, choices, counters } = context
  return copyOf({
    now: clock.now(),
    accounts: accounts.all().map((account) => ({
      id: account.id,
      email: account.email,
      hasPassword: account.password !== undefined,
      failedLogins: logins.failuresOf(account),
      lockedForMs: logins.lockedForMs(account),
    })),
    accessTokens: accounts.all().map((account) => {
      const own = tokens.accessTokens().filter(({ family }) => family.account === account)
      const expired = own.filter((token) => tokens.isExpired(token)).length
      return { email: account.email, valid: own.length - expired, expired }
    }),
    refreshTokens: tokens.refreshTokens().map((token) => ({
      fingerprint: token.fingerprint,
      email: token.family.account.email,
      state: token.state === 'valid' && tokens.isExpired(token) ? 'expired' : token.state,
      issuedAt: token.issuedAt,
      expiresAt: token.expiresAt,
      successor: token.successor?.fingerprint,
      denials: token.denials,
    })),
    exchangeCodes: codes.all().map((code) => ({
      email: code.account.email,
      state: code.state === 'issued' && clock.now() > code.expiresAt ? 'expired' : code.state,
      expiresAt: code.expiresAt,
    })),
    apiKeys: apiKeys.all().map(({ key: _key, owner, ...apiKey }) => ({ ...apiKey, email: owner.email })),
    tokenRequests: requests.counts(choices.rate.window),
    counters,
  })
}
