/**
 * Everything that the emulator of the storage authentication service had to choose, because the service's
 * documentation does not show it. Nothing here is a fact about the service; each choice can be replaced. What the
 * documentation does give stands in the contract and in the code beside this file.
 */
import { eachOf, groupOf, oneOf, SCHEMAS, type ChoiceDefinition } from '../core/choices.ts'
import type { Sender, SuccessChoices } from '../core/service.ts'
import { epochMsOf } from '../core/iso-8601.ts'
import { randomText, type RandomSource } from '../core/random.ts'
import type { StorageAccount, StorageSuccess } from './model.ts'
import type {
  StorageRefusalFacts,
  StorageRefusalKind,
  DocumentedStorageRefusal,
  UndocumentedStorageRefusal,
} from './refusals.ts'

/** What the storage authentication emulator chooses where the service's documentation shows nothing. @public */
export interface StorageAuthChoices extends SuccessChoices<StorageSuccess> {
  // Accounts and logins
  /** Not shown: whether the case of an email address matters. Here it does not. */
  normalizeEmail(email: string): string
  /**
   * Not shown: what failed logins are counted by, and which count. Here the account, wherever the login was
   * tried; one for an unknown email address or for an account without a password is not counted, for which
   * `undefined` stands.
   */
  failureScope(attempt: FailedLogin): string | undefined
  /**
   * Not shown: over which time failed logins are counted, in milliseconds, whether a login that succeeds sets the count
   * back, whether the fifth failure is itself answered with the locked message, whether attempts during the lock make it
   * begin anew, whether the right password is refused during it, and whether it also stops a refresh, an exchange, or the
   * sign-in of an account without a password on the page.
   */
  lock: {
    failureWindowMs: number
    successForgetsFailures: boolean
    lastFailureSaysLocked: boolean
    attemptsExtend: boolean
    refusesRightPassword: boolean
    stopsRefresh: boolean
    stopsExchange: boolean
    stopsExternalSignIn: boolean
  }
  /** Not shown: how the message goes on after `Account is temporarily locked`. */
  lockedMessageEnd(waitMs: number): string

  // Addresses
  /**
   * Not shown: whether and where the public key of the access tokens can be had (here below the token endpoints). `sample`
   * is not the service's: an endpoint under `/v1` that shows which credential it took.
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
   * Not shown: whether the reuse of a revoked refresh token ends the whole session (here it only gives 401), and whether
   * earlier access tokens stay valid after a refresh. After changes to API keys they do here.
   */
  session: { reuseEnds: boolean; refreshKeepsAccessTokens: boolean }

  // The request limit
  /** Not shown: whether the window of a minute slides or is fixed, and whether requests that are over the limit count too. */
  rate: { window: 'sliding' | 'fixed'; countsRefused: boolean }
  /** Not shown: what counts as the IP address of a caller behind a proxy. Here the connection alone tells. */
  addressOf(sender: Sender): string
  /** Not shown: whether a 429 carries `Retry-After`, in seconds. Here it does not, for which `undefined` stands. */
  retryAfterSeconds(waitMs: number): number | undefined

  // API keys
  /**
   * Not shown: what scopes without `organizations` mean. Here the same as no scopes at all, so that the key reaches
   * all organizations, for which `undefined` stands.
   */
  readScopes(scopes: { readonly organizations?: readonly string[] }): readonly string[] | undefined
  /** Not shown: what an empty array of organizations means, and whether a key may be created that has expired already. */
  apiKeys: { emptyOrganizationsReach: 'none' | 'all'; acceptsPastExpiry: boolean }
  /** Not shown: the time zone of an `expiresAt` without one. Here UTC. Returns epoch milliseconds. */
  readExpiry(expiresAt: string): number

  // Credentials of V1 endpoints
  /**
   * Not shown: the outcome where the JWT is not valid and the API key beside it is. Here the JWT wins all the
   * same, and the request is refused.
   */
  invalidJwtBesideApiKey: 'refuse' | 'use-the-key'

  // The sign-in page

  /**
   * Not shown: how the page asks, besides for email and password (here accounts without a password are offered), the
   * status with which the browser is redirected, and those of the page where its query or the login is refused.
   */
  page: {
    offersExternalSignIn: boolean
    redirectStatus: number
    badQueryStatus: number
    loginRefusedStatus: number
  }

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

const CODE_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** What holds unless something else is asked for. @public */
export const defaultStorageAuthChoices: StorageAuthChoices = {
  successStatus: ({ status }) => status,
  successBody: ({ body }) => body,

  normalizeEmail: (email) => email.toLowerCase(),
  failureScope: ({ email, reason }) => (reason === 'wrong-password' ? email : undefined),
  lock: {
    failureWindowMs: Infinity,
    successForgetsFailures: true,
    lastFailureSaysLocked: false,
    attemptsExtend: false,
    refusesRightPassword: true,
    stopsRefresh: false,
    stopsExchange: false,
    stopsExternalSignIn: true,
  },
  lockedMessageEnd: (waitMs) => `. Try again in ${Math.ceil(waitMs / 60_000)} minutes.`,

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

  rate: { window: 'sliding', countsRefused: false },
  addressOf: ({ remoteAddress }) => remoteAddress,
  retryAfterSeconds: () => undefined,

  readScopes: ({ organizations }) => organizations,
  apiKeys: { emptyOrganizationsReach: 'none', acceptsPastExpiry: true },
  readExpiry: epochMsOf,

  invalidJwtBesideApiKey: 'refuse',

  page: {
    offersExternalSignIn: true,
    redirectStatus: 303,
    badQueryStatus: 400,
    loginRefusedStatus: 401,
  },

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

/** The choices with what they are checked by. */
export const STORAGE_AUTH_CHOICES: ChoiceDefinition<StorageAuthChoices> = {
  service: 'storage-auth',
  defaults: defaultStorageAuthChoices,
  awaited: ['successStatus', 'successBody'],
  schemas: {
    successStatus: SCHEMAS.status,
    normalizeEmail: SCHEMAS.text,
    failureScope: SCHEMAS.text,
    lock: groupOf({
      failureWindowMs: SCHEMAS.amount,
      successForgetsFailures: SCHEMAS.flag,
      lastFailureSaysLocked: SCHEMAS.flag,
      attemptsExtend: SCHEMAS.flag,
      refusesRightPassword: SCHEMAS.flag,
      stopsRefresh: SCHEMAS.flag,
      stopsExchange: SCHEMAS.flag,
      stopsExternalSignIn: SCHEMAS.flag,
    }),
    lockedMessageEnd: SCHEMAS.text,
    accessTokenClaims: { type: 'object' },
    paths: eachOf(SCHEMAS.path),
    newIdentifier: SCHEMAS.text,
    session: eachOf(SCHEMAS.flag),
    rate: groupOf({ window: oneOf('sliding', 'fixed'), countsRefused: SCHEMAS.flag }),
    addressOf: SCHEMAS.text,
    retryAfterSeconds: SCHEMAS.amount,
    apiKeys: groupOf({ emptyOrganizationsReach: oneOf('none', 'all'), acceptsPastExpiry: SCHEMAS.flag }),
    readScopes: { type: 'array', items: SCHEMAS.text },
    invalidJwtBesideApiKey: oneOf('refuse', 'use-the-key'),
    page: groupOf({
      offersExternalSignIn: SCHEMAS.flag,
      redirectStatus: SCHEMAS.status,
      badQueryStatus: SCHEMAS.status,
      loginRefusedStatus: SCHEMAS.status,
    }),
    largestBodyBytes: SCHEMAS.amount,
    statuses: eachOf(SCHEMAS.status),
    wording: {},
  },
}
