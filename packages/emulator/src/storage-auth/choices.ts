/**
 * Everything that the emulator of the storage authentication service had to choose, because the service's
 * documentation does not show it. Nothing here is a fact about the service; each choice can be replaced. What the
 * documentation does give stands in the contract and in the code beside this file.
 */
import type { Sender } from '../core/service.ts'
import { epochMsOf } from '../core/iso-8601.ts'
import { randomText, type RandomSource } from '../core/random.ts'
import type { StorageAccount, StorageApiKey } from './model.ts'
import type {
  StorageRefusalFacts,
  StorageRefusalKind,
  DocumentedStorageRefusal,
  UndocumentedStorageRefusal,
} from './refusals.ts'

/** What the storage authentication emulator chooses where the service's documentation shows nothing. @public */
export interface StorageAuthChoices {
  // Accounts and logins
  /** Not shown: whether the case of an email address matters. Here it does not. */
  normalizeEmail(email: string): string
  /** Not shown: which fields of a user may be missing or null. Here `image` is null where there is none. */
  showUser(account: StorageAccount): object
  /**
   * Not shown: what failed logins are counted by, and which count. Here the account, wherever the login was
   * tried; one for an unknown email address or for an account without a password is not counted, for which
   * `undefined` stands.
   */
  failureScope(attempt: FailedLogin): string | undefined
  /** Not shown: over which time failed logins are counted, in milliseconds. Here over any time. */
  failureWindowMs: number
  /** Not shown: whether a login that succeeds sets the count back. */
  successForgetsFailures: boolean
  /** Not shown: whether the fifth failure is itself answered with the locked message. */
  lastFailureSaysLocked: boolean
  /** Not shown: whether attempts during the lock make it begin anew. */
  attemptsExtendLock: boolean
  /** Not shown: whether the right password is refused during the lock. */
  lockRefusesRightPassword: boolean
  /**
   * Not shown: whether the lock also stops a refresh, an exchange, or the sign-in of an account without a password on
   * the page.
   */
  lockBlocks: { refresh: boolean; exchange: boolean; externalSignIn: boolean }
  /** Not shown: how the message goes on after `Account is temporarily locked`. */
  lockedMessageEnd(waitMs: number): string

  // Tokens
  /**
   * Not shown: the claims of the access token. It is signed with EdDSA (Ed25519); the key is at `jwksPath`. The
   * times are in seconds.
   */
  accessTokenClaims(facts: ClaimFacts): Record<string, unknown>
  /** Not shown: whether and where the public key of the access tokens can be had. Here below the token endpoints. */
  jwksPath: string
  /** Not shown: the length and case of a refresh token. */
  newRefreshToken(random: RandomSource): string
  /** Not shown: what an exchange code looks like. */
  newExchangeCode(random: RandomSource): string
  /** Not shown: whether the reuse of a revoked refresh token ends the whole session. Here it only gives 401. */
  reuseEndsSession: boolean
  /**
   * Not shown: whether earlier access tokens stay valid after a refresh. After changes to API keys they do here.
   */
  refreshKeepsAccessTokens: boolean

  // The request limit
  /** Not shown: whether the window of a minute slides or is fixed. */
  rateWindow: 'sliding' | 'fixed'
  /** Not shown: whether requests that are over the limit count too. */
  rateCountsRefused: boolean
  /** Not shown: what counts as the IP address of a caller behind a proxy. Here the connection alone tells. */
  addressOf(sender: Sender): string
  /** Not shown: whether a 429 carries `Retry-After`, in seconds. Here it does not, for which `undefined` stands. */
  retryAfterSeconds(waitMs: number): number | undefined

  // API keys
  /** Not shown: the case of the 64 hex characters of a key. */
  newApiKey(random: RandomSource): string
  /** Not shown: the statuses of successes. */
  successStatuses: { createApiKey: number; listApiKeys: number; deleteApiKey: number }
  /** Not shown: the body of the answer to a revocation. Here there is none, for which `undefined` stands. */
  revokedBody(apiKey: StorageApiKey): unknown
  /** Not shown: whether a key that has expired is still listed. */
  listsExpiredKeys: boolean
  /** Not shown: the order of the list. Here the oldest key comes first. */
  sortApiKeys(keys: readonly StorageApiKey[]): readonly StorageApiKey[]
  /** Not shown: how a key without scopes shows that. Here the field is absent, for which `undefined` stands. */
  showScopes(organizations: readonly string[] | undefined): unknown
  /**
   * Not shown: what scopes without `organizations` mean. Here the same as no scopes at all, so that the key reaches
   * all organizations, for which `undefined` stands.
   */
  readScopes(scopes: { readonly organizations?: readonly string[] }): readonly string[] | undefined
  /** Not shown: what an empty array of organizations means. */
  emptyOrganizationsReach: 'none' | 'all'
  /** Not shown: whether a key may be created that has expired already. */
  acceptsPastExpiry: boolean
  /** Not shown: the time zone of an `expiresAt` without one. Here UTC. Returns epoch milliseconds. */
  readExpiry(expiresAt: string): number
  /** Not shown: the format of `lastUsedAt`. Here that of `createdAt`, brought up to date by each use. */
  showLastUsed(atMs: number | undefined): string | null

  // Credentials of V1 endpoints
  /**
   * Not shown: the outcome where the JWT is not valid and the API key beside it is. Here the JWT wins all the
   * same, and the request is refused.
   */
  invalidJwtBesideApiKey: 'refuse' | 'use-the-key'
  /** Not the service's: an endpoint under `/v1` that shows which credential it took. */
  samplePath: string

  // The sign-in page
  /** Not shown: how the page asks, besides for email and password. Here accounts without a password are offered. */
  offersExternalSignIn: boolean
  /** Not shown: the status with which the browser is redirected. */
  redirectStatus: number
  /** Not shown: the statuses of the page where its query or the login is refused. */
  pageStatuses: { badQuery: number; loginRefused: number }

  // Errors
  /** Not shown: the largest body that is read, in bytes. */
  largestBodyBytes: number
  /** Not shown: the shape of an error body. */
  errorBody(error: { kind: StorageRefusalKind; message: string }): unknown
  /** Not shown: the statuses of these refusals. */
  statuses: Readonly<Record<UndocumentedStorageRefusal, number>>
  /** Not shown: the words of these refusals. */
  wording: Readonly<
    Record<
      | Exclude<DocumentedStorageRefusal, 'wrong-credentials' | 'no-password' | 'locked'>
      | UndocumentedStorageRefusal,
      (facts: StorageRefusalFacts) => string
    >
  >
}

/** Where a login was tried. @public */
export type LoginPlace = 'token-endpoint' | 'sign-in-page'

/** A login that failed. @public */
export interface FailedLogin {
  /** As `normalizeEmail` gives it. */
  email: string
  reason: 'unknown-email' | 'no-password' | 'wrong-password'
  place: LoginPlace
  /** The IP address that it came from. */
  address: string
}

/** What the claims of an access token are made from; times are in seconds since the Unix epoch. @public */
export interface ClaimFacts {
  account: StorageAccount
  id: string
  issuedAt: number
  expiresAt: number
}

/** What holds unless something else is asked for. @public */
export const defaultStorageAuthChoices: StorageAuthChoices = {
  normalizeEmail: (email) => email.toLowerCase(),
  showUser: ({ id, email, name, image = null, organizationId, role, workspaces }) => ({
    id,
    email,
    name,
    image,
    organizationId,
    role,
    workspaces,
  }),
  failureScope: ({ email, reason }) => (reason === 'wrong-password' ? email : undefined),
  failureWindowMs: Infinity,
  successForgetsFailures: true,
  lastFailureSaysLocked: false,
  attemptsExtendLock: false,
  lockRefusesRightPassword: true,
  lockBlocks: { refresh: false, exchange: false, externalSignIn: true },
  lockedMessageEnd: (waitMs) => `. Try again in ${Math.ceil(waitMs / 60_000)} minutes.`,

  accessTokenClaims: ({ account, id, issuedAt, expiresAt }) => ({
    iss: 'concord-emulator',
    sub: account.id,
    email: account.email,
    jti: id,
    iat: issuedAt,
    exp: expiresAt,
  }),
  jwksPath: '/.well-known/jwks.json',
  newRefreshToken: (random) => randomText(random, 64, '0123456789abcdef'),
  newExchangeCode: (random) =>
    randomText(random, 43, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'),
  reuseEndsSession: false,
  refreshKeepsAccessTokens: true,

  rateWindow: 'sliding',
  rateCountsRefused: false,
  addressOf: ({ remoteAddress }) => remoteAddress,
  retryAfterSeconds: () => undefined,

  newApiKey: (random) => randomText(random, 64, '0123456789abcdef'),
  successStatuses: { createApiKey: 201, listApiKeys: 200, deleteApiKey: 204 },
  revokedBody: () => undefined,
  listsExpiredKeys: true,
  sortApiKeys: (keys) => keys,
  showScopes: (organizations) => (organizations ? { organizations } : undefined),
  readScopes: ({ organizations }) => organizations,
  emptyOrganizationsReach: 'none',
  acceptsPastExpiry: true,
  readExpiry: epochMsOf,
  showLastUsed: (atMs) => (atMs === undefined ? null : new Date(atMs).toISOString()),

  invalidJwtBesideApiKey: 'refuse',
  samplePath: '/v1/_emulator/whoami',

  offersExternalSignIn: true,
  redirectStatus: 303,
  pageStatuses: { badQuery: 400, loginRefused: 401 },

  largestBodyBytes: 1_048_576,
  errorBody: ({ message }) => ({ message }),
  statuses: {
    'key-request-refused': 400,
    'body-too-large': 413,
    'route-unknown': 404,
    'method-unknown': 405,
    'credential-missing': 401,
    'access-token-refused': 401,
    'api-key-refused': 401,
    'api-key-on-key-management': 403,
    'api-key-not-found': 404,
    'expiry-in-the-past': 400,
    'organization-out-of-scope': 403,
  },
  wording: {
    'invalid-body': ({ reasons = [] }) => `The request was refused: ${reasons.join('; ')}`,
    'refresh-token-refused': ({ cause }) =>
      ({
        unknown: 'The refresh token is not known.',
        expired: 'The refresh token has expired.',
        revoked: 'The refresh token was used before.',
        used: 'The refresh token was used before.',
      })[cause ?? 'unknown'],
    'code-refused': ({ cause }) =>
      ({
        unknown: 'The code is not known.',
        expired: 'The code has expired.',
        revoked: 'The code was used before.',
        used: 'The code was used before.',
      })[cause ?? 'unknown'],
    'request-rate': ({ limit }) => `Too many requests: more than ${limit} in a minute.`,
    'server-error': () => 'The server failed to answer.',
    'key-request-refused': ({ reasons = [] }) => `The request was refused: ${reasons.join('; ')}`,
    'body-too-large': ({ limit }) => `The body is larger than ${limit} bytes.`,
    'route-unknown': () => 'There is nothing at this address.',
    'method-unknown': ({ reasons = [] }) => `This address takes ${reasons.join(', ')}.`,
    'credential-missing': () => 'A credential is missing.',
    'access-token-refused': () => 'The access token is not valid.',
    'api-key-refused': ({ cause }) => `The API key is not valid: it is ${cause}.`,
    'api-key-on-key-management': () => 'API keys are managed with an access token; an API key is refused.',
    'api-key-not-found': () => 'There is no such API key.',
    'expiry-in-the-past': () => 'expiresAt is in the past.',
    'organization-out-of-scope': () => 'The API key is not for this organization.',
  },
}
