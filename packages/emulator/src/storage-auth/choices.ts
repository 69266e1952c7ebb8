/**
 * Everything that the emulator of the storage authentication service had to choose, because the service's documentation
 * doesn't show it. Nothing here is a fact about the service, and each choice can be replaced. Documented behavior
 * is in the contract and in the code next to this file.
 */
import { eachOf, groupOf, oneOf, RESPONSE_SCHEMAS, SCHEMAS, type ChoiceDefinition } from '../core/choices.ts'
import type { ResponseChoices, Sender } from '../core/service.ts'
import { epochMsOf } from '../core/iso-8601.ts'
import { randomText, type RandomSource } from '../core/random.ts'
import type { StorageAccount, StorageSuccess } from './model.ts'
import { CHOSEN_STATUSES, type StorageDenialFacts, type StorageDenialKind } from './denials.ts'

/** The choices of the storage authentication emulator, for behavior that the service's documentation doesn't show. @public */
export interface StorageAuthChoices extends ResponseChoices<
  StorageSuccess,
  StorageDenialKind,
  StorageDenialFacts
> {
  /** Not shown: the statuses of these errors. */
  statuses: Readonly<Record<keyof typeof CHOSEN_STATUSES, number>>

  // Accounts and logins
  /** Not shown: whether the case of an email address matters. Here it does not. */
  normalizeEmail(email: string): string
  /**
   * Not shown: what failed logins are counted by, and which count. Here the account, wherever the login was tried. A
   * login with an unknown email address or to an account without a password isn't counted, which is `undefined`.
   */
  failureScope(attempt: FailedLogin): string | undefined
  /**
   * Not shown: over which time failed logins are counted, in milliseconds, whether a successful login resets the count,
   * and whether the response to the fifth failure already has the locked message. Nor whether attempts during the lock
   * restart it, whether it rejects the right password, and whether it also stops a refresh, an exchange, or the sign-in of
   * an account without a password on the page.
   */
  lock: {
    failureWindowMs: number
    successForgetsFailures: boolean
    lastFailureSaysLocked: boolean
    attemptsExtend: boolean
    deniesRightPassword: boolean
    stopsRefresh: boolean
    stopsExchange: boolean
    stopsExternalSignIn: boolean
  }

  // Addresses
  /**
   * Not shown: whether and where the public key of the access tokens is published (here below the token endpoints).
   * `sample` is not the service's: an endpoint under `/v1` that shows which credential it used.
   */
  paths: { jwks: string; sample: string }

  // Tokens
  /**
   * Not shown: the claims of the access token. It is signed with EdDSA (Ed25519); the key is at `paths.jwks`. The
   * times are in seconds.
   */
  accessTokenClaims(facts: ClaimFacts): Record<string, unknown>
  /** Not shown: the length and case of a refresh token, what an exchange code looks like, and the case of an API key. */
  newIdentifier(kind: 'refresh-token' | 'exchange-code' | 'api-key', random: RandomSource): string
  /**
   * Not shown: whether the reuse of a revoked refresh token ends the whole session (here the response is only a 401), and
   * whether earlier access tokens stay valid after a refresh. Here they always stay valid after changes to API keys.
   */
  session: { reuseEnds: boolean; refreshKeepsAccessTokens: boolean }

  // The request limit
  /** Not shown: whether the window of a minute is sliding or fixed, and whether requests over the limit count too. */
  rate: { window: 'sliding' | 'fixed'; countsDenied: boolean }
  /** Not shown: what counts as the IP address of a caller behind a proxy. Here only that of the connection. */
  addressOf(sender: Sender): string

  // API keys
  /**
   * Not shown: which organizations a key can access whose scopes have no `organizations` (here all, as without scopes), or
   * an empty array of them (here none). Nor whether a key may be created that has already expired (here it may), and the
   * response to a valid API key beside a JWT that isn't valid (here an error: the JWT takes precedence in any case).
   */
  apiKeys: {
    withoutOrganizations: 'all' | 'none'
    emptyOrganizations: 'none' | 'all'
    acceptsPastExpiry: boolean
    besideInvalidJwt: 'rejected' | 'used'
  }
  /** Not shown: the time zone of an `expiresAt` without one. Here UTC. Returns epoch milliseconds. */
  readExpiry(expiresAt: string): number

  // The sign-in page
  /**
   * Not shown: what the page offers besides email and password (here the accounts without a password), the status of the
   * redirect, and the statuses of the page for a bad query or a failed login.
   */
  page: {
    offersExternalSignIn: boolean
    redirectStatus: number
    badQueryStatus: number
    loginDeniedStatus: number
  }

  /** Not shown: the largest body that is read, in bytes. */
  largestBodyBytes: number
}

/** Where a login was tried. @public */
export type LoginPlace = 'token-endpoint' | 'sign-in-page'

/** A login that failed. @public */
export interface FailedLogin {
  /** As `normalizeEmail` returns it. */
  email: string
  reason: 'unknown-email' | 'no-password' | 'wrong-password'
  place: LoginPlace
  /** The IP address that it came from. */
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
    stopsRefresh: false,
    stopsExchange: false,
    stopsExternalSignIn: true,
  },

  paths: { jwks: '/.well-known/jwks.json', sample: '/v1/_emulator/whoami' },
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

/** The choices with what they are checked by. */
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
      stopsRefresh: SCHEMAS.flag,
      stopsExchange: SCHEMAS.flag,
      stopsExternalSignIn: SCHEMAS.flag,
    }),
    accessTokenClaims: { type: 'object' },
    paths: eachOf(SCHEMAS.path),
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
