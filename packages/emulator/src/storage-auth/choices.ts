import { eachOf, groupOf, oneOf, RESPONSE_SCHEMAS, SCHEMAS, type ChoiceDefinition } from '../core/choices.ts'
import type { StateTools } from '../core/service-module.ts'
import type { ResponseChoices, Sender } from '../core/service.ts'
import { epochMsOf } from '../core/iso-8601.ts'
import { randomText, type RandomSource } from '../core/random.ts'
import type { Counters, StorageAccount, StorageSuccess } from './model.ts'
import { CHOSEN_STATUSES, type StorageDenialFacts, type StorageDenialKind } from './denials.ts'

/** The tools shared by all parts of the service's state. */
export interface StorageTools extends StateTools<StorageAuthChoices> {
  readonly counters: Counters
}

/**
 * The choices of the storage authentication emulator, for behavior that the service's documentation leaves open. @public
 */
export interface StorageAuthChoices extends ResponseChoices<
  StorageSuccess,
  StorageDenialKind,
  StorageDenialFacts
> {
  /** Undocumented: the statuses of the errors whose status isn't documented. */
  statuses: Readonly<Record<keyof typeof CHOSEN_STATUSES, number>>

  // Accounts and logins
  /** Undocumented: whether email addresses are case-sensitive. By default, they aren't. */
  normalizeEmail(email: string): string
  /**
   * Undocumented: which failed logins count toward a lock, and which are counted together. Failed logins are counted
   * together if the function returns the same string for them. A failed login doesn't count if the function returns
   * `undefined`. By default, all wrong passwords for the same account are counted together. By default, a login
   * doesn't count if its email address is unknown or if the account has no password.
   */
  failureScope(attempt: FailedLogin): string | undefined
  /**
   * Undocumented: how long a failed login counts, in milliseconds; whether a successful login resets the count; and
   * whether the response to the fifth failure already says that the account is locked. Also undocumented: whether
   * attempts during a lock restart the lock, and whether a lock denies logins with the right password. `stops` lists
   * the other requests that a lock denies. An `external-sign-in` is a click on one of the sign-in page's buttons for
   * accounts without a password.
   */
  lock: {
    failureWindowMs: number
    successForgetsFailures: boolean
    lastFailureSaysLocked: boolean
    attemptsExtend: boolean
    deniesRightPassword: boolean
    stops: readonly ('refresh' | 'exchange' | 'external-sign-in')[]
  }

  // Tokens
  /** Undocumented: whether and where the public key for access tokens is published. The path is under `authUrl`. */
  keySetPath: string
  /**
   * Undocumented: the claims of an access token. The emulator signs tokens with EdDSA (Ed25519); the public key is at
   * `keySetPath`.
   */
  accessTokenClaims(facts: ClaimFacts): Record<string, unknown>
  /**
   * Undocumented: the length of refresh tokens, the format of exchange codes, and whether the hex digits of refresh
   * tokens and API keys are in upper or lower case.
   */
  newIdentifier(kind: 'refresh-token' | 'exchange-code' | 'api-key', random: RandomSource): string
  /**
   * Undocumented: whether the reuse of a revoked refresh token ends the whole session (by default, it only results in
   * a 401), and whether earlier access tokens stay valid after a refresh (by default, they do). Also undocumented:
   * whether a change to an API key invalidates access tokens. In the emulator, it doesn't, and you can't override
   * this.
   */
  session: { reuseEnds: boolean; refreshKeepsAccessTokens: boolean }

  // The request limit
  /**
   * Undocumented: whether the one-minute window of the request limit is sliding or fixed, and whether a denied
   * request counts toward the limit.
   */
  rate: { window: 'sliding' | 'fixed'; countsDenied: boolean }
  /**
   * Undocumented: which IP address counts as the caller's if the caller is behind a proxy. By default, it is the
   * address from which the connection comes.
   */
  addressOf(sender: Sender): string

  // API keys
  /**
   * Undocumented: which organizations a key can access if its scopes have no `organizations` (by default all, as for
   * a key without scopes), or if `organizations` is an empty array (by default none). Also undocumented: whether the
   * service accepts a new key with an expiry in the past (by default, it does). Also undocumented: the response to a
   * request with both a valid API key and an invalid JWT (by default an error, because the JWT takes precedence).
   */
  apiKeys: {
    withoutOrganizations: 'all' | 'none'
    emptyOrganizations: 'none' | 'all'
    acceptsPastExpiry: boolean
    besideInvalidJwt: 'rejected' | 'used'
  }
  /**
   * Undocumented: which time zone applies if `expiresAt` doesn't specify one (by default UTC). The function returns
   * the time of expiry, in milliseconds since the Unix epoch.
   */
  readExpiry(expiresAt: string): number

  // The sign-in page
  /**
   * Undocumented: what the sign-in page offers besides email and password (by default, a button for each account
   * without a password). Also undocumented: the HTTP status of the redirect after a sign-in, and the HTTP status of
   * the page after an invalid query or a failed login.
   */
  page: {
    offersExternalSignIn: boolean
    redirectStatus: number
    badQueryStatus: number
    loginDeniedStatus: number
  }

  /** Undocumented: the maximum size of a request body, in bytes. */
  largestBodyBytes: number
}

/** Where a login was attempted. @public */
export type LoginEntryPoint = 'token-endpoint' | 'sign-in-page'

/**
 * The input of `choices.failureScope`: a failed login. The emulator also calls `failureScope` for a login with the
 * right password, and to read or change the lock of an account. In both cases, `reason` is `wrong-password`, although
 * no password was wrong. @public
 */
export interface FailedLogin {
  /** The email address, as `normalizeEmail` returns it. */
  email: string
  reason: 'unknown-email' | 'no-password' | 'wrong-password'
  place: LoginEntryPoint
  /** The IP address of the sender; an empty string if no login was attempted. */
  address: string
}

/** The input for the claims of an access token; times are in seconds since the Unix epoch. @public */
export interface ClaimFacts {
  account: StorageAccount
  id: string
  issuedAt: number
  expiresAt: number
}

const CODE_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The default choices. @public */
export const defaultStorageAuthChoices: StorageAuthChoices = {
  successResponse: () => undefined,
  errorResponse: () => undefined,
  statuses: CHOSEN_STATUSES,

  normalizeEmail: (email) => email.toLowerCase(),
  failureScope: ({ email, reason }) => (reason === 'wrong-password' ? email : undefined),
  lock: {
    failureWindowMs: Infinity,
    successForgetsFailures: true,
    lastFailureSaysLocked: false,
    attemptsExtend: false,
    deniesRightPassword: true,
    stops: ['external-sign-in'],
  },

  keySetPath: '/.well-known/jwks.json',
  accessTokenClaims: ({ account, id, issuedAt, expiresAt }) => ({
    iss: 'concord-emulator',
    sub: account.id,
    email: account.email,
    jti: id,
    iat: issuedAt,
    exp: expiresAt,
  }),

  newIdentifier: (kind, random) =>
    kind === 'exchange-code'
      ? randomText(random, 43, CODE_CHARACTERS)
      : randomText(random, 64, '0123456789abcdef'),
  session: { reuseEnds: false, refreshKeepsAccessTokens: true },

  rate: { window: 'sliding', countsDenied: false },
  addressOf: ({ remoteAddress }) => remoteAddress,

  apiKeys: {
    withoutOrganizations: 'all',
    emptyOrganizations: 'none',
    acceptsPastExpiry: true,
    besideInvalidJwt: 'rejected',
  },
  readExpiry: epochMsOf,

  page: {
    offersExternalSignIn: true,
    redirectStatus: 303,
    badQueryStatus: 400,
    loginDeniedStatus: 401,
  },

  largestBodyBytes: 1_048_576,
}

export const STORAGE_AUTH_CHOICES: ChoiceDefinition<StorageAuthChoices> = {
  service: 'storage-auth',
  defaults: defaultStorageAuthChoices,
  awaited: ['successResponse'],
  schemas: {
    ...RESPONSE_SCHEMAS,
    statuses: eachOf(SCHEMAS.status),
    normalizeEmail: SCHEMAS.text,
    failureScope: SCHEMAS.text,
    lock: groupOf({
      failureWindowMs: SCHEMAS.amount,
      successForgetsFailures: SCHEMAS.flag,
      lastFailureSaysLocked: SCHEMAS.flag,
      attemptsExtend: SCHEMAS.flag,
      deniesRightPassword: SCHEMAS.flag,
      stops: { type: 'array', items: oneOf('refresh', 'exchange', 'external-sign-in') },
    }),
    keySetPath: SCHEMAS.path,
    accessTokenClaims: { type: 'object' },
    newIdentifier: SCHEMAS.text,
    session: eachOf(SCHEMAS.flag),
    rate: groupOf({ window: oneOf('sliding', 'fixed'), countsDenied: SCHEMAS.flag }),
    addressOf: SCHEMAS.text,
    apiKeys: groupOf({
      withoutOrganizations: oneOf('all', 'none'),
      emptyOrganizations: oneOf('none', 'all'),
      acceptsPastExpiry: SCHEMAS.flag,
      besideInvalidJwt: oneOf('rejected', 'used'),
    }),
    page: groupOf({
      offersExternalSignIn: SCHEMAS.flag,
      redirectStatus: SCHEMAS.status,
      badQueryStatus: SCHEMAS.status,
      loginDeniedStatus: SCHEMAS.status,
    }),
    largestBodyBytes: SCHEMAS.amount,
  },
}
